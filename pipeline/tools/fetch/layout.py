# SPDX-License-Identifier: Apache-2.0
"""The paths of a fetch; no other module here joins paths.

Unfinished files are below `.fetch/`, which no adapter reads, so that every other file is complete
and checked. Files in transit are named by a digest: a publisher's names may collide with ours
(`a` and `a.part/b`) or be as long as the disk allows.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.untrusted.inside import is_below
from pipeline.raw.walk import DEEPEST
from pipeline.tools.fetch.errors import FetchError

WORK = ".fetch"
RECEIPT = ".fetched.json"
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\\]|^[A-Za-z][A-Za-z0-9+.-]*:")
_LIST = re.compile(r"(?i)\.json~*$")
_RESERVED = frozenset((WORK, RECEIPT, ".git", "git~1"))


def safe_name(name: str, where: str) -> str:
    """Return a relative path with `/` that stays below its folder; raise otherwise.

    `where` names the list that contains the name, for the error message.
    """
    parts = name.split("/")
    if _UNUSABLE.search(name) or not all(map(_is_plain, parts)):
        raise FetchError(
            f"{where} names the file {name[:200]!r}, which is not a path below the source's "
            "folder. Nothing was written there; report it to the publisher."
        )
    if len(parts) > DEEPEST:
        raise FetchError(
            f"{where} names the file {name[:100]!r}..., which is {len(parts):,} levels deep; "
            f"at most {DEEPEST} are allowed. Nothing was written there; report it to the publisher."
        )
    return name


def _is_plain(part: str) -> bool:
    """Return whether one part of a path is a distinct name on every file system.

    A `.git` folder can make Git run programs. Some file systems treat `.GIT`, `.git.`, `.git `,
    `.git:x` or a name with invisible letters as the same name.
    """
    visible = "".join(sign for sign in part if unicodedata.category(sign) != "Cf").casefold()
    reserved = visible.split(":")[0].rstrip(" .") in _RESERVED
    return not reserved and part not in ("", ".", "..") and len(part.encode()) <= 255


def require_apart(names: Sequence[str], where: str) -> None:
    """Raise if one file is the folder of another."""
    known = set(names)
    for name in names:
        parents = (name.rsplit("/", count)[0] for count in range(1, name.count("/") + 1))
        if both := next((parent for parent in parents if parent in known), ""):
            raise FetchError(
                f"{where} names {both[:200]!r} as a file and as a folder. Nothing was written; "
                "report it to the publisher."
            )


def _case_insensitive_name(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class FetchLayout:
    """Every path below the folder of one source."""

    root: Path

    @property
    def receipt(self) -> Path:
        """The receipt of what was fetched; written last."""
        return self.root / RECEIPT

    @property
    def work(self) -> Path:
        """Folder of everything unfinished, and of the lists of unpacked files."""
        return self.root / WORK

    @property
    def lock(self) -> Path:
        """The lock of a running fetch."""
        return self.work / "lock"

    @property
    def parts(self) -> Path:
        """Folder of incomplete downloads."""
        return self.work / "parts"

    @property
    def archives(self) -> Path:
        """Folder of complete archives that are not unpacked yet."""
        return self.work / "archives"

    @property
    def unpacking(self) -> Path:
        """Folder of unpacked files that are not moved to their places yet."""
        return self.work / "unpacking"

    def is_underway(self) -> bool:
        """Return whether downloaded or unpacked files are not in their places yet."""
        folders = (self.parts, self.archives, self.unpacking)
        return any(path.is_file() for folder in folders for path in folder.rglob("*"))

    def part(self, name: str) -> Path:
        """Return the file that a download is written to until it is complete."""
        return self.parts / f"{_case_insensitive_name(name)}.part"

    def part_state(self, name: str) -> Path:
        """Return the record of the server's version that the part file belongs to."""
        return self.parts / f"{_case_insensitive_name(name)}.json"

    def archive(self, name: str) -> Path:
        """Return a complete archive that is not unpacked yet."""
        return self.archives / name

    def unfinished_tree(self, name: str) -> Path:
        """Return the folder that an archive is being unpacked into."""
        return self.unpacking / f"{_case_insensitive_name(name)}.tmp"

    def tree(self, name: str) -> Path:
        """Return the folder of a completely unpacked archive."""
        return self.unpacking / _case_insensitive_name(name)

    def tree_record(self, name: str) -> Path:
        """Return the list of files of `tree`."""
        return self.unpacking / f"{_case_insensitive_name(name)}.json"

    def record(self, name: str) -> Path:
        """Return the list of files that were unpacked from an archive and moved to their places.

        It is kept, so its name is readable; no folder in transit has the ending of a list.
        """
        *folders, last = name.split("/")
        apart = [_LIST.sub(r"\g<0>~", folder) for folder in folders]
        return self.work.joinpath("unpacked", *apart, f"{last}.json")

    def file(self, name: str) -> Path:
        """Return the path of a file; raise if a symbolic link leads out of the folder."""
        path = self.root / name
        if not is_below(path.parent, self.root):
            raise FetchError(
                f"{name[:200]!r} leads out of {self.root}, perhaps through a link. Remove the link."
            )
        return path

    def below(self, folder: Path, name: str) -> Path:
        """Return the path of a file in one of our folders."""
        return folder / name

    def relative(self, path: Path) -> str:
        """Return a path of this layout as a receipt names it."""
        return path.relative_to(self.root).as_posix()
