# SPDX-License-Identifier: Apache-2.0
"""Where a fetch keeps its files; no other module here joins paths.

Everything unfinished lies below `.fetch/`, which no adapter looks into, so that a name outside of
it always means a whole, checked file. What is on its way is named by a digest: beside `a`, a
publisher may have `a.part/b`, and names as long as a disk takes.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.inside import is_below
from pipeline.raw.walk import DEEPEST
from pipeline.tools.fetch.errors import FetchError

WORK = ".fetch"
RECEIPT = ".fetched.json"
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\\]|^[A-Za-z][A-Za-z0-9+.-]*:")
_LIST = re.compile(r"(?i)\.json~*$")
_RESERVED = frozenset((WORK, RECEIPT, ".git", "git~1"))


def safe_name(name: str, where: str) -> str:
    """Return a relative path with `/` that stays below its folder; raise for any other.

    `where` names the list that the name stands in, for the sentence.
    """
    parts = name.split("/")
    if _UNUSABLE.search(name) or not all(map(_is_plain, parts)):
        raise FetchError(
            f"{where} names the file {name[:200]!r}, which is no path below the source's folder. "
            "Nothing was written there; report it to the publisher."
        )
    if len(parts) > DEEPEST:
        raise FetchError(
            f"{where} names the file {name[:100]!r}..., which lies {len(parts):,} levels deep; "
            f"{DEEPEST} are the most. Nothing was written there; report it to the publisher."
        )
    return name


def _is_plain(part: str) -> bool:
    """Tell whether one part of a path is a name of its own on every file system.

    Git's folder runs programs that its settings name, and some disks take `.GIT`, `.git.`, `.git `,
    `.git:x` or a name with invisible letters for it.
    """
    seen = "".join(sign for sign in part if unicodedata.category(sign) != "Cf").casefold()
    reserved = seen.split(":")[0].rstrip(" .") in _RESERVED
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


def _key(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class FetchLayout:
    """Every path below the folder of one source."""

    root: Path

    @property
    def receipt(self) -> Path:
        """Tells what was fetched; written last."""
        return self.root / RECEIPT

    @property
    def work(self) -> Path:
        """Folder of everything unfinished, and of the lists of unpacked files."""
        return self.root / WORK

    @property
    def lock(self) -> Path:
        """Held while a fetch runs."""
        return self.work / "lock"

    @property
    def parts(self) -> Path:
        """Folder of downloads that are not whole yet."""
        return self.work / "parts"

    @property
    def archives(self) -> Path:
        """Folder of whole archives that wait to be unpacked."""
        return self.work / "archives"

    @property
    def unpacking(self) -> Path:
        """Folder of unpacked files on their way to their places."""
        return self.work / "unpacking"

    def is_underway(self) -> bool:
        """Tell whether something is downloaded or unpacked that is not in its place yet."""
        folders = (self.parts, self.archives, self.unpacking)
        return any(path.is_file() for folder in folders for path in folder.rglob("*"))

    def part(self, name: str) -> Path:
        """Return the file that a download is written to until it is whole."""
        return self.parts / f"{_key(name)}.part"

    def part_state(self, name: str) -> Path:
        """Return what the server said about the file that the part belongs to."""
        return self.parts / f"{_key(name)}.json"

    def archive(self, name: str) -> Path:
        """Return a whole archive that waits to be unpacked."""
        return self.archives / name

    def unfinished_tree(self, name: str) -> Path:
        """Return the folder that an archive is being unpacked into."""
        return self.unpacking / f"{_key(name)}.tmp"

    def tree(self, name: str) -> Path:
        """Return the folder of an archive that is unpacked as a whole."""
        return self.unpacking / _key(name)

    def tree_record(self, name: str) -> Path:
        """Return the list of files of `tree`."""
        return self.unpacking / f"{_key(name)}.json"

    def record(self, name: str) -> Path:
        """Return the list of files that came out of an archive and are in their places.

        It stays, so people can read its name; no folder on the way ends like a list.
        """
        *folders, last = name.split("/")
        apart = [_LIST.sub(r"\g<0>~", folder) for folder in folders]
        return self.work.joinpath("unpacked", *apart, f"{last}.json")

    def file(self, name: str) -> Path:
        """Return the place of a file; raise if a link on the way leads out of the folder."""
        path = self.root / name
        if not is_below(path.parent, self.root):
            raise FetchError(
                f"{name[:200]!r} leads out of {self.root}, perhaps through a link. Remove the link."
            )
        return path

    def below(self, folder: Path, name: str) -> Path:
        """Return a file of a folder of ours."""
        return folder / name

    def relative(self, path: Path) -> str:
        """Return a path of this layout as a receipt names it."""
        return path.relative_to(self.root).as_posix()
