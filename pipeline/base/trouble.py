# SPDX-License-Identifier: Apache-2.0
"""Messages for system errors: disk space, permissions, memory, open files."""

from __future__ import annotations

import errno
import os
import re
import resource
from collections.abc import Iterable, Iterator
from pathlib import Path

from aa_dataset.files import DISK_TROUBLE, NO_ROOM, free_bytes, write_sentence
from pipeline.base import layout
from pipeline.base.errors import MachineError

MACHINE_TROUBLE = (
    *DISK_TROUBLE, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ESTALE
)  # fmt: skip
FORBIDDEN = (errno.EACCES, errno.EPERM)
# Messages of the dynamic loader when memory is exhausted.
_NOT_MAPPED = ("cannot allocate memory", "failed to map segment")
# A system error as the last line of a Python traceback.
_ERRNO = re.compile(r"^\w*Error: \[Errno (\d+)\] [^:\n]*(?:: '([^'\n]+)')?", re.M)
_MEMORY = re.compile(r"^(?:\w+\.)*_?\w*MemoryError\b", re.M)


def blame_machine(path: Path, error: OSError) -> None:
    """Raise if a file or folder cannot be read because of the system, not because of the data.

    A missing file, a cycle of links or an invalid name are errors of the data.

    Raises
    ------
    MachineError
        With the file and the next step.
    OSError
        The same error if memory is exhausted: only the caller knows which limit applies.
    """
    if error.errno == errno.ENOMEM:
        raise error
    if error.errno in MACHINE_TROUBLE:
        why = os.strerror(error.errno)
        raise MachineError(f"{path} cannot be read: {why}. {_read_advice(error.errno)}") from error


def _read_advice(number: int) -> str:
    if number in FORBIDDEN:
        return "Give this user read permission (`chmod u+r`, `chown`) and run it again."
    if number in (errno.EMFILE, errno.ENFILE, errno.EAGAIN):
        return "Raise the limits of the system (`ulimit -n`) and run it again."
    return "Check the disk and its mount (see the system log) and run it again."


def is_memory_trouble(error: BaseException) -> bool:
    """Return whether memory is exhausted, also while loading a shared library."""
    if isinstance(error, ImportError):
        return any(words in str(error).lower() for words in _NOT_MAPPED)
    return isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM


def worker_sentence(error: BaseException) -> str | None:
    """Return a message for an error that affects every object, None if the object may cause it."""
    if isinstance(error, ImportError):
        return f"a package cannot be loaded ({error}). Install it and run the command again."
    if isinstance(error, OSError) and error.errno in MACHINE_TROUBLE:
        return f"{error}. Fix this and run the command again."
    return None


def machine_sentence(error: BaseException) -> str | None:
    """Return a message for a system error, None for any other error."""
    if isinstance(error, MemoryError):
        return memory_sentence()
    if not isinstance(error, OSError) or error.errno not in MACHINE_TROUBLE:
        return None
    if error.errno == errno.ENOMEM:
        return memory_sentence()
    if error.errno not in DISK_TROUBLE:
        return f"System error: {os.strerror(error.errno)}. Raise its limits and run it again."
    if error.filename is not None:
        path = Path(os.fsdecode(error.filename))
        return write_sentence(path, error, least_bytes=0)
    free = ", ".join(f"{free_bytes(folder):,} in {folder}" for folder in written_folders())
    end = f"Free bytes: {free}." if error.errno in NO_ROOM else ""
    return f"A file cannot be written: {os.strerror(error.errno)}. {end}".rstrip()


def logged_sentence(log: str) -> str | None:
    """Return a message for the system error that a log ends with, None if there is none."""
    if _MEMORY.search(log):
        return memory_sentence()
    for number, name in reversed(_ERRNO.findall(log)):
        error = OSError(int(number), "", name) if name else OSError(int(number), "")
        if sentence := machine_sentence(error):
            return sentence
    return None


def memory_sentence() -> str:
    """Return a message that memory is exhausted, with the limit of this process."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY:
        return "The machine is out of memory. Run with fewer --cores, or free some memory."
    return (
        f"Out of memory: `ulimit -v` allows a process {soft:,} bytes. Raise that limit "
        "(`ulimit -v unlimited`) and run it again."
    )


def written_folders() -> list[Path]:
    """Return the folders that a build writes to."""
    return [layout.WORK, layout.LIBRARY, layout.RELEASE, layout.SNAKEMAKE]


def require_writable() -> None:
    """Raise before the build starts if one of its folders is not writable."""
    for folder in _build_folders(written_folders()):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise MachineError(
                f"{folder.absolute()} cannot be written by this user (id {os.getuid()}). Give "
                f"this user write permission (`chmod u+rwx`, `chown`), or check its mount."
            )


def _build_folders(roots: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders of a build without the raw sources; for an absent one, its parent."""
    for root in roots:
        yield root if root.is_dir() else root.absolute().parent
        for parent, names, _ in os.walk(root):
            names[:] = [name for name in names if Path(parent, name) != layout.RAW]
            yield from (Path(parent, name) for name in names)
