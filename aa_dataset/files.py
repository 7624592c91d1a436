# SPDX-License-Identifier: Apache-2.0
"""Atomic and durable file writes, with errors that explain what to do.

All finished files of this project are put in place by these functions.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.errors import ArenaError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
# Errors of the machine, not of the data.
DISK_TROUBLE = (*NO_ROOM, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)


class WriteError(ArenaError):
    """A file cannot be written: the disk is full, or the folder is not writable."""


@contextmanager
def replacing(path: Path, *, lasting: bool = True) -> Iterator[Path]:
    """Yield a temporary path next to `path`; rename it to `path` only if the block succeeds.

    Parameters
    ----------
    path : Path
        The file to write; its folder is created if absent.
    lasting : bool
        Flush the file before the rename and the folder after it, so that a power cut leaves the old
        file or the complete new one. Pass False for files that may be lost, such as counters.

    Raises
    ------
    WriteError
        If the write fails; the message states the folder and the required bytes. Also if `path` is
        a device, a pipe or a socket.
    """
    _require_replaceable(path)
    temporary = path.with_name(f"{path.name}.tmp{os.getpid()}")
    try:
        with refused_as_sentence(path, lambda: _size_or_zero(temporary)):
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


def _require_replaceable(path: Path) -> None:
    """Refuse to put a file in place of a device, a pipe or a socket: root could replace them."""
    if not path.name:
        raise WriteError(f"{path} is not the name of a file. Choose another one.")
    try:
        mode = path.lstat().st_mode
    except OSError:  # absent, or the write itself says what is wrong
        return
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
        raise WriteError(f"{path} is a device, a pipe or a socket. Choose the name of a file.")


def write_bytes(path: Path, data: bytes, *, lasting: bool = True) -> None:
    """Write a file atomically."""
    with (
        replacing(path, lasting=lasting) as temporary,
        refused_as_sentence(path, lambda: len(data)),
    ):
        temporary.write_bytes(data)


@contextmanager
def refused_as_sentence(path: Path, least_bytes: Callable[[], int]) -> Iterator[None]:
    """Turn a failed write of a file of `least_bytes` into a `WriteError`."""
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_TROUBLE or not _error_concerns_folder(error, path.parent):
            raise
        raise WriteError(write_sentence(path, error, least_bytes=least_bytes())) from error


def read_at_most(path: Path, most: int) -> bytes:
    """Return the contents of a file, of a larger one `most` + 1 bytes.

    Python allocates what a read asks for at once, so no more than the file has is asked for.
    """
    with path.open("rb") as stream:
        return stream.read(min(os.fstat(stream.fileno()).st_size, most) + 1)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class FileSeal:
    """The entry of one file in the seal: `sha256` in hex, `size` in bytes."""

    sha256: str
    size: int

    @classmethod
    def of(cls, path: Path) -> FileSeal:
        """Return the entry of an existing file."""
        return cls(file_sha256(path), path.stat().st_size)


def flush(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot flush a folder; their server keeps its entries.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP) or not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def flush_disk(folder: Path) -> None:
    """Wait until all files in the file system of a folder are on disk; for many files at once."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        syncfs = getattr(ctypes.CDLL(None), "syncfs", None)
        if syncfs is None or syncfs(descriptor):
            os.sync()
    finally:
        os.close(descriptor)


def write_sentence(path: Path, error: OSError, *, least_bytes: int) -> str:
    """Explain which file could not be written, why, and what to do.

    Parameters
    ----------
    path : Path
        The target file.
    error : OSError
        The error of the operating system.
    least_bytes : int [B]
        Minimum size of the file.
    """
    reason = _error_reason(error)
    what = f"{path} cannot be written ({reason}): it needs at least {least_bytes:,} bytes"
    folder = path.parent
    if error.errno in NO_ROOM:
        free = f", of which {free_bytes(folder):,} are free in {folder}"
        return f"{what}{free}. Free space there and run the command again."
    if error.errno == errno.EFBIG:
        return f"{what} in {folder}. Raise the file size limit (`ulimit -f`) and run it again."
    if error.errno == errno.EIO:
        return f"{what} in {folder}. The disk may be failing: check the system log."
    return f"{what} in {folder}. Make the folder writable and run the command again."


def free_bytes(folder: Path) -> int:
    """Return the free bytes on the file system of a folder, which need not exist yet."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _error_concerns_folder(error: OSError, folder: Path) -> bool:
    """Return whether an error concerns this folder; errors of a write have no file name."""
    name = error.filename
    return name is None or Path(os.fsdecode(name)).absolute().is_relative_to(folder.absolute())


def _error_reason(error: OSError) -> str:
    return os.strerror(error.errno or 0)


def _size_or_zero(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def write_document(path: Path, content: str | bytes) -> int:
    """Write a page or a picture that a user asked for atomically and return its size [B]."""
    data = content.encode() if isinstance(content, str) else content
    try:
        path.parent.stat()  # never create a folder because of a typo
        write_bytes(path, data)
    except OSError as error:
        raise ArenaError(
            f"cannot write {path} ({error.strerror}). Choose another file for it."
        ) from error
    return len(data)
