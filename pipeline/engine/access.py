# SPDX-License-Identifier: Apache-2.0
"""How a raw source is obtained, as `sources.yaml` states it; no stage reads it."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

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
class Archive:
    """An archive to download: its name, address, size [B] and digest."""

    name: str
    url: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What is recorded about a file of a repository: digest, and size [B] if that is known."""

    sha256: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """How a source is obtained.

    Attributes
    ----------
    kind : str
        `hub`, `archive`, `manual` or `generated`.
    instructions : str
        What a person does, in a few sentences.
    page : str
        Where access is requested; empty if there is no such page.
    gated, repo_id, repo_type, revision, files
        Of a Hub repository: whether it must be requested, its name, kind and full commit, and the
        patterns of the wanted files. Those of other kinds are empty.
    archives : tuple of Archive
        Of the kind `archive`: what is downloaded.
    unpack : tuple of UnpackRule
        The first rule that matches an archive counts; without one, it is used as it is.
    known : mapping of str to KnownFile
        What files of these names must be.
    roots : str
        File of the source that lists the folders of its archives; empty if there is none.
    """

    kind: str
    instructions: str
    page: str = ""
    gated: bool = False
    repo_id: str = ""
    repo_type: str = ""
    revision: str = ""
    files: tuple[str, ...] = ()
    archives: tuple[Archive, ...] = ()
    unpack: tuple[UnpackRule, ...] = ()
    known: Mapping[str, KnownFile] = field(default_factory=dict)
    roots: str = ""
