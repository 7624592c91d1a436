# SPDX-License-Identifier: Apache-2.0
"""Objects unpacked into folders: a receipt inside tells whether a folder is still what it was.

The receipt is written last. It names every file with its size and time, so that a look costs no
reading; where a time differs, the contents are compared. A folder without a receipt, or one that
differs from it, is a stump or damaged, and the cache makes it anew. A process looks at each folder
once, and after that only whether it is still the same folder.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from aa_dataset.assets import Asset
from aa_dataset.cache import CacheError, ensure_folder
from aa_dataset.contents import Contents
from aa_dataset.layout import ObjectLayout


class KnownFolders:
    """The folders that an open library found to be right."""

    def __init__(self) -> None:
        self._marks: dict[Path, tuple[int, int]] = {}

    def __contains__(self, folder: Path) -> bool:
        """Tell whether a folder was found right and no file of it was added, renamed or removed."""
        known = self._marks.get(folder)
        return known is not None and known == _folder_mark(folder)

    def add(self, folder: Path) -> None:
        """Remember a folder that is right."""
        if mark := _folder_mark(folder):
            self._marks[folder] = mark


def _folder_mark(folder: Path) -> tuple[int, int] | None:
    """Return number and time [ns] of a folder, None where there is none."""
    try:
        status = os.lstat(folder)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def cached_folder(target: Path, asset: Asset) -> Path:
    """Return the folder of an object in the cache, unpacked where needed and healed."""

    def fill(folder: Path) -> None:
        _write_receipt(folder, asset.extract(folder), asset.content_sha256)

    ensure_folder(target, fill, is_sound=lambda folder: is_sound(folder, asset))
    return target


def given_folder(target: Path, asset: Asset) -> bool:
    """Unpack an object to a folder of the user, and tell whether it was not there yet.

    A folder with files is compared, never replaced; an empty one is filled.
    """
    _require_folder(target)
    if ensure_folder(target, asset.extract):
        return True
    if problem := folder_problem(target, asset.names(), asset.content_sha256):
        raise CacheError(
            f"{target} is there already and {problem}. Move it away to have object "
            f"{asset.object_id!r} unpacked again."
        )
    return False


def _require_folder(target: Path) -> None:
    """Refuse a name that another thing has: a link would be replaced, or lead elsewhere."""
    if target.is_symlink():
        raise CacheError(
            f"cannot write {target}: it is a link. Remove it, or choose the folder itself."
        )
    if target.exists() and not target.is_dir():
        raise CacheError(f"cannot write {target}: it is not a folder. Choose another folder.")


def is_sound(folder: Path, asset: Asset) -> bool:
    """Tell whether a folder of the cache holds the object, by its receipt."""
    receipt = read_receipt(folder)
    if receipt is None or receipt.get("content_sha256") != asset.content_sha256:
        return False
    marks = receipt["files"]
    try:
        found = _marks(folder, marks)
    except OSError:
        return False
    if found == marks:
        return True
    sizes = [mark[0] for mark in marks.values()] == [mark[0] for mark in found.values()]
    if not sizes or folder_problem(folder, marks, asset.content_sha256):
        return False
    with suppress(OSError):  # a copy of the cache has other times: look at contents only once
        _write_receipt(folder, marks, asset.content_sha256)
    return True


def read_receipt(folder: Path) -> dict[str, Any] | None:
    """Return what a receipt says, None where there is none or it is damaged."""
    try:
        found = json.loads(ObjectLayout(folder).receipt.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("files"), dict):
        return None
    marks = found["files"].values()
    return found if all(isinstance(mark, list) and len(mark) == 2 for mark in marks) else None


def folder_problem(folder: Path, names: Iterable[str], content_sha256: str) -> str:
    """Return how the files of a folder differ from an object, empty if they do not."""
    contents = Contents()
    for name in names:
        path = folder / name
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                return f"{name} is not a plain file"
            contents.add(name, path.read_bytes())
        except OSError as error:
            return f"its {name} is not readable ({error.strerror})"
    return contents.problem(content_sha256)


def _write_receipt(folder: Path, names: Iterable[str], content_sha256: str) -> None:
    receipt = ObjectLayout(folder).receipt
    facts = {"content_sha256": content_sha256, "files": _marks(folder, names)}
    temporary = receipt.with_name(f"{receipt.name}.{os.getpid()}")
    temporary.write_text(json.dumps(facts), encoding="utf-8")
    temporary.replace(receipt)


def _marks(folder: Path, names: Iterable[str]) -> dict[str, list[int]]:
    """Return size [B] and time [ns] of each file; anything but a plain file is an `OSError`."""
    base, found = os.fspath(folder), {}
    for name in names:
        status = os.lstat(f"{base}/{name}")
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{name} is not a plain file")
        found[name] = [status.st_size, status.st_mtime_ns]
    return found
