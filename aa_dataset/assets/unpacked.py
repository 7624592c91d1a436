# SPDX-License-Identifier: Apache-2.0
"""Objects unpacked into folders, each with a receipt that shows whether it is unchanged.

The receipt is written last. It lists every file with size and time, so that a check reads no
contents; they are compared only if a time differs. A folder without a receipt, or one that differs
from it, is incomplete or damaged, and the cache replaces it. A process checks each folder once, and
later only whether it is still the same folder.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from aa_dataset.assets.cache import CacheError, ensure_folder
from aa_dataset.assets.contents import Contents
from aa_dataset.assets.packed import Asset
from aa_dataset.format.layout import ObjectLayout


class KnownFolders:
    """The folders that an open library has checked."""

    def __init__(self) -> None:
        self._marks: dict[Path, tuple[int, int]] = {}

    def __contains__(self, folder: Path) -> bool:
        """Return whether a folder was checked and no file was added, renamed or removed since."""
        mark = self._marks.get(folder)
        return mark is not None and mark == _folder_mark(folder)

    def add(self, folder: Path) -> None:
        """Record a checked folder."""
        if mark := _folder_mark(folder):
            self._marks[folder] = mark


def _folder_mark(folder: Path) -> tuple[int, int] | None:
    """Return inode and time [ns] of a folder, None if it does not exist."""
    try:
        status = os.lstat(folder)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def cached_folder(target: Path, asset: Asset, *, fetch: Callable[[], Asset] | None = None) -> Path:
    """Return the folder of an object in the cache; unpack it if absent or damaged.

    Parameters
    ----------
    target : Path
        The folder.
    asset : Asset
        The object.
    fetch : callable, optional
        Returns the object with its bytes on this disk, if `asset` may be elsewhere.
    """

    def fill(folder: Path) -> None:
        here = asset if fetch is None else fetch()
        _write_receipt(folder, here.extract(folder), asset.content_sha256)

    ensure_folder(target, fill, is_sound=lambda folder: is_sound(folder, asset))
    return target


def given_folder(target: Path, asset: Asset) -> bool:
    """Unpack an object to a user's folder; return whether files were written.

    A folder with files is compared, never replaced; an empty one is filled.
    """
    _require_folder(target)
    if ensure_folder(target, asset.extract):
        return True
    if problem := folder_problem(target, asset.names(), asset.content_sha256):
        raise CacheError(
            f"{target} already exists and {problem}. Move it away to unpack object "
            f"{asset.object_id!r} again."
        )
    return False


def _require_folder(target: Path) -> None:
    """Refuse links and files: a link would be replaced, or lead elsewhere."""
    if target.is_symlink():
        raise CacheError(
            f"cannot write {target}: it is a link. Remove it, or use the folder it points to."
        )
    if target.exists() and not target.is_dir():
        raise CacheError(f"cannot write {target}: it is not a folder. Choose another folder.")


def is_sound(folder: Path, asset: Asset) -> bool:
    """Return whether a folder of the cache holds the object, according to its receipt."""
    receipt = read_receipt(folder)
    if receipt is None or receipt.get("content_sha256") != asset.content_sha256:
        return False
    marks = receipt["files"]
    try:
        current = _file_sizes_and_times(folder, marks)
    except OSError:
        return False
    if current == marks:
        return True
    sizes = [mark[0] for mark in marks.values()] == [mark[0] for mark in current.values()]
    if not sizes or folder_problem(folder, marks, asset.content_sha256):
        return False
    with suppress(OSError):  # a copy of the cache has other times: compare contents only once
        _write_receipt(folder, marks, asset.content_sha256)
    return True


def read_receipt(folder: Path) -> dict[str, Any] | None:
    """Return the contents of a receipt, None if it is absent or damaged."""
    try:
        receipt = json.loads(ObjectLayout(folder).receipt.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(receipt, dict) or not isinstance(receipt.get("files"), dict):
        return None
    marks = receipt["files"].values()
    return receipt if all(isinstance(mark, list) and len(mark) == 2 for mark in marks) else None


def folder_problem(folder: Path, names: Iterable[str], content_sha256: str) -> str:
    """Return how the files of a folder differ from an object, empty if they do not."""
    contents = Contents()
    for name in names:
        path = folder / name
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                return f"{name} is not a regular file"
            contents.add(name, path.read_bytes())
        except OSError as error:
            return f"its {name} is not readable ({error.strerror})"
    return contents.problem(content_sha256)


def _write_receipt(folder: Path, names: Iterable[str], content_sha256: str) -> None:
    receipt = ObjectLayout(folder).receipt
    facts = {"content_sha256": content_sha256, "files": _file_sizes_and_times(folder, names)}
    temporary = receipt.with_name(f"{receipt.name}.{os.getpid()}")
    temporary.write_text(json.dumps(facts), encoding="utf-8")
    temporary.replace(receipt)


def _file_sizes_and_times(folder: Path, names: Iterable[str]) -> dict[str, list[int]]:
    """Return size [B] and time [ns] of each file; anything but a regular file is an `OSError`."""
    base, marks = os.fspath(folder), {}
    for name in names:
        status = os.lstat(f"{base}/{name}")
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{name} is not a regular file")
        marks[name] = [status.st_size, status.st_mtime_ns]
    return marks
