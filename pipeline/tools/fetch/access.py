# SPDX-License-Identifier: Apache-2.0
"""Access to the raw sources: the part of `sources.yaml` that no stage reads."""

from __future__ import annotations

import difflib
import fnmatch
from dataclasses import dataclass
from pathlib import Path

from pipeline.engine.access import Access, KnownFile, UnpackRule
from pipeline.engine.settings import Config
from pipeline.engine.sources import Description, load_sources
from pipeline.tools.fetch.errors import FetchError


@dataclass(frozen=True, slots=True)
class Source:
    """One raw source as sources.yaml describes it, and the folder that the build reads."""

    name: str
    folder: Path
    described: Description

    @property
    def access(self) -> Access:
        """How the source is obtained."""
        return self.described.access

    @property
    def kind(self) -> str:
        """`hub`, `archive`, `manual` or `generated`."""
        return self.access.kind

    def unpack_rule(self, archive: str) -> UnpackRule | None:
        """Return the first rule for an archive, None where it is used as it is."""
        rules = self.access.unpack
        return next((r for r in rules if fnmatch.fnmatchcase(archive, r.archives)), None)

    def known(self, name: str) -> KnownFile:
        """Return size and sha256 that sources.yaml records for a file."""
        return self.access.known.get(name, KnownFile(sha256=""))


def load_all(config: Config) -> dict[str, Source]:
    """Return every source, also those that the config skips."""
    return {
        name: Source(name, Path(_source_folder(name, described, config)), described)
        for name, described in load_sources().items()
    }


def _source_folder(name: str, described: Description, config: Config) -> str:
    return config.sources[name].facts.folder if name in config.sources else described.folder


def find_source(name: str, config: Config) -> Source:
    """Return one source; the error names the closest one."""
    known = load_all(config)
    if name in known:
        return known[name]
    close = [one for one in known if one.startswith(name)]
    close += difflib.get_close_matches(name, known, 1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise FetchError(f"There is no source {name!r}.{hint} `aa sources` lists all.")
