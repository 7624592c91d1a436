# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all, also after a power cut; what a disk refuses is a sentence.

The one way by which this project puts a finished file in place.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.errors import ArenaError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
# The machine's trouble, whatever was being written: nothing about the data is wrong.
DISK_TROUBLE = (*NO_ROOM, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)


class WriteError(ArenaError):
    """A file cannot be written: the disk is full, or the folder does not let us."""


@contextmanager
def replacing(path: Path, *, lasting: bool = True) -> Iterator[Path]:
    """Give a temporary name beside `path`; rename it to `path` only if the block succeeds.

    Parameters
    ----------
    path : Path
        The file to make; its folder is made if absent.
    lasting : bool
        Flush the file before the rename and the folder after it, so that a power cut leaves the old
        file or the whole new one. False is for files that nobody misses, such as counters.

    Raises
    ------
    WriteError
        If the disk refuses, with the folder and the bytes that were to be written.
    """
    temporary = path.with_name(f"{path.name}.tmp{os.getpid()}")
    try:
        with refused_as_sentence(path, lambda: _size(temporary)):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            if lasting:
                flush(temporary)
            temporary.replace(path)
            if lasting:
                flush(path.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes, *, lasting: bool = True) -> None:
    """Write a whole file or nothing."""
    with (
        replacing(path, lasting=lasting) as temporary,
        refused_as_sentence(path, lambda: len(data)),
    ):
        temporary.write_bytes(data)


@contextmanager
def refused_as_sentence(path: Path, least_bytes: Callable[[], int]) -> Iterator[None]:
    """Raise `WriteError` where the disk refuses to write a file of so many bytes."""
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_TROUBLE or not _concerns(error, path.parent):
            raise
        raise WriteError(write_sentence(path, error, least_bytes=least_bytes())) from error


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class FileSeal:
    """What the seal says of one file: `sha256` in hex, `size` in bytes."""

    sha256: str
    size: int

    @classmethod
    def of(cls, path: Path) -> FileSeal:
        """Return what a seal says of a file that is there now."""
        return cls(file_sha256(path), path.stat().st_size)


def flush(path: Path) -> None:
    """Wait until a file or a folder's list of names is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot flush a folder; they keep its names themselves.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP) or not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def flush_disk(folder: Path) -> None:
    """Wait until all files in the file system of a folder are on the disk: for many at once."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        syncfs = getattr(ctypes.CDLL(None), "syncfs", None)
        if syncfs is None or syncfs(descriptor):
            os.sync()
    finally:
        os.close(descriptor)


def write_sentence(path: Path, error: OSError, *, least_bytes: int) -> str:
    """Say which file could not be written, why, and what to do.

    Parameters
    ----------
    path : Path
        The file that was to be written.
    error : OSError
        What the system said.
    least_bytes : int [B]
        How large the file would have become, at least.
    """
    what = f"{path} cannot be written ({_reason(error)}): it needs at least {least_bytes:,} bytes"
    folder = path.parent
    if error.errno in NO_ROOM:
        free = f", of which {free_bytes(folder):,} are free in {folder}"
        return f"{what}{free}. Make room there and run the command again."
    if error.errno == errno.EFBIG:
        return f"{what} in {folder}. Raise the limit on file sizes (`ulimit -f`) and run it again."
    if error.errno == errno.EIO:
        return f"{what} in {folder}. The disk may be failing: look at the system's log."
    return f"{what} in {folder}. Give yourself the right to write there and run the command again."


def free_bytes(folder: Path) -> int:
    """Return the bytes that are free where a folder is, or would be."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _concerns(error: OSError, folder: Path) -> bool:
    """Tell whether an error is about this folder: one without a name is what a write raises."""
    name = error.filename
    return name is None or Path(os.fsdecode(name)).absolute().is_relative_to(folder.absolute())


def _reason(error: OSError) -> str:
    return os.strerror(error.errno or 0)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
