# SPDX-License-Identifier: Apache-2.0
"""Access to the raw sources: the part of `sources.yaml` that no stage reads."""

from __future__ import annotations

import difflib
import fnmatch
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.engine.settings import Config
from pipeline.engine.sources import Description, load_sources
from pipeline.tools.fetch.errors import FetchError

ARCHIVE_ENDINGS = (".tar.gz", ".tgz", ".tar", ".zip")
UNPACKED_RATIO = 3.0  # unpacked over packed size of meshes, if not measured


@dataclass(frozen=True, slots=True)
class UnpackRule:
    """How archives that match one pattern are unpacked.

    Attributes
    ----------
    archives : str
        Pattern of the archives' names.
    into, strip : str
        Folder to unpack into, and the top folder of the archive that is left out; `{stem}` is the
        archive's name without its ending.
    files, bytes : int
        Upper bounds for the content of one archive.
    ratio : float
        Unpacked over packed size, for the check of the free space.
    """

    archives: str
    files: int
    bytes: int
    into: str = ""
    strip: str = ""
    ratio: float = UNPACKED_RATIO

    def place(self, archive: str, member: str) -> str:
        """Return where a member of an archive belongs, relative to the source's folder."""
        stem = archive_stem(archive)
        top = self.strip.format(stem=stem)
        if top and member.startswith(f"{top}/"):
            member = member[len(top) + 1 :]
        return posixpath.join(self.into.format(stem=stem), member)


def archive_stem(name: str) -> str:
    """Return an archive's name without folder and ending."""
    last = posixpath.basename(name)
    ending = next((end for end in ARCHIVE_ENDINGS if last.endswith(end)), "")
    return last.removesuffix(ending)


@dataclass(frozen=True, slots=True)
class Source:
    """One raw source as sources.yaml describes it, and the folder that the build reads."""

    name: str
    folder: Path
    described: Description

    @property
    def access(self) -> Mapping[str, Any]:
        """How the source is obtained."""
        return self.described.access

    @property
    def kind(self) -> str:
        """`hub`, `archive`, `manual` or `generated`."""
        return str(self.access["kind"])

    def unpack_rule(self, archive: str) -> UnpackRule | None:
        """Return the first rule for an archive, None where it is used as it is."""
        rules = (UnpackRule(**rule) for rule in self.access.get("unpack", ()))
        return next((r for r in rules if fnmatch.fnmatchcase(archive, r.archives)), None)

    def known(self, name: str) -> Mapping[str, Any]:
        """Return size and sha256 that sources.yaml records for a file."""
        return dict(self.access.get("known", {}).get(name, {}))


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
