# SPDX-License-Identifier: Apache-2.0
"""Reads `access.yaml`: where every raw source is had, and what is known about it."""

from __future__ import annotations

import difflib
import fnmatch
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.base import layout
from pipeline.engine.config import load_access, load_sources
from pipeline.tools.fetch.errors import FetchError

ARCHIVE_ENDINGS = (".tar.gz", ".tgz", ".tar", ".zip")
UNPACKED_RATIO = 3.0  # unpacked over packed size of meshes, where nobody measured it


@dataclass(frozen=True, slots=True)
class UnpackRule:
    """What happens to the archives of one pattern.

    Attributes
    ----------
    archives : str
        Pattern of the archives' names.
    into, strip : str
        Folder to unpack into, and the top folder of the archive that is left out; `{stem}` stands
        for the archive's name without its ending.
    files, bytes : int
        What one archive may hold at most.
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
    """One raw source: `access` and `facts` as in access.yaml, `described` as in sources.yaml."""

    name: str
    folder: Path
    access: Mapping[str, Any]
    facts: Mapping[str, Any]
    described: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """`hub`, `archive`, `manual` or `generated`."""
        return self.access.get("kind", "manual")

    def unpack_rule(self, archive: str) -> UnpackRule | None:
        """Return the first rule for an archive, None where it is used as it is."""
        rules = (UnpackRule(**rule) for rule in self.access.get("unpack", ()))
        return next((r for r in rules if fnmatch.fnmatchcase(archive, r.archives)), None)

    def known(self, name: str) -> Mapping[str, Any]:
        """Return size and sha256 that access.yaml records for a file."""
        return self.access.get("known", {}).get(name, {})


def load_all(config: Mapping[str, Any]) -> dict[str, Source]:
    """Return every source that any file of the project names, those of the config first."""
    access, described = load_access(), load_sources()
    names = dict.fromkeys([*config["sources"], *access])
    return {name: _source(name, config, access, described) for name in names}


def _source(
    name: str, config: Mapping[str, Any], access: Mapping[str, Any], described: Mapping[str, Any]
) -> Source:
    options = config["sources"].get(name, {})
    folder = Path(options.get("folder", layout.raw_folder(name)))
    facts = access.get(name, {})
    return Source(name, folder, facts.get("access", {}), facts, described.get(name, {}))


def find_source(name: str, config: Mapping[str, Any]) -> Source:
    """Return one source; the error names the closest one."""
    known = load_all(config)
    if name in known:
        return known[name]
    close = [one for one in known if one.startswith(name)]
    close += difflib.get_close_matches(name, known, 1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise FetchError(f"There is no source {name!r}.{hint} `aa sources` lists all.")
