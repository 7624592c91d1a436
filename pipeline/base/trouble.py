# SPDX-License-Identifier: Apache-2.0
"""What the machine refuses, as a sentence: room, rights, memory, open files."""

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
# How the loader of shared libraries says that memory is gone.
_NOT_MAPPED = ("cannot allocate memory", "failed to map segment")
# Python's own words about an error of the system, as they end a traceback.
_ERRNO = re.compile(r"^\w*Error: \[Errno (\d+)\] [^:\n]*(?:: '([^'\n]+)')?", re.M)
_MEMORY = re.compile(r"^(?:\w+\.)*_?\w*MemoryError\b", re.M)


def blame_machine(path: Path, error: OSError) -> None:
    """Raise if it is the machine, not the data, that keeps a file or folder from being read.

    A missing file, a circle of links or a name that no disk takes are the data's own.

    Raises
    ------
    MachineError
        With the file and what to do.
    OSError
        The same one, if memory is gone: only the caller knows whose.
    """
    if error.errno == errno.ENOMEM:
        raise error
    if error.errno in MACHINE_TROUBLE:
        why = os.strerror(error.errno)
        raise MachineError(f"{path} cannot be read: {why}. {_read_advice(error.errno)}") from error


def _read_advice(number: int) -> str:
    if number in FORBIDDEN:
        return "Give yourself the right to read it (`chmod u+r`, `chown`) and run it again."
    if number in (errno.EMFILE, errno.ENFILE, errno.EAGAIN):
        return "Raise the limits of the system (`ulimit -n`) and run it again."
    return "Look at the disk or its mount (the system's log tells more) and run it again."


def is_memory_trouble(error: BaseException) -> bool:
    """Tell whether memory could not be had, also where a shared library was to be loaded."""
    if isinstance(error, ImportError):
        return any(words in str(error).lower() for words in _NOT_MAPPED)
    return isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM


def worker_sentence(error: BaseException) -> str | None:
    """Return what troubles every object of a worker alike, None if an object may be to blame."""
    if isinstance(error, ImportError):
        return f"a package cannot be loaded ({error}). Install what it names, run it again."
    if isinstance(error, OSError) and error.errno in MACHINE_TROUBLE:
        return f"{error}. Mend that, run it again."
    return None


def machine_sentence(error: BaseException) -> str | None:
    """Return a sentence about an error that the machine is to blame for, None for any other."""
    if isinstance(error, MemoryError):
        return memory_sentence()
    if not isinstance(error, OSError) or error.errno not in MACHINE_TROUBLE:
        return None
    if error.errno == errno.ENOMEM:
        return memory_sentence()
    if error.errno not in DISK_TROUBLE:
        return f"The system refused: {os.strerror(error.errno)}. Raise its limits, run it again."
    if error.filename is not None:
        path = Path(os.fsdecode(error.filename))
        return write_sentence(path, error, least_bytes=0)
    free = ", ".join(f"{free_bytes(folder):,} in {folder}" for folder in written_folders())
    end = f"Free bytes: {free}." if error.errno in NO_ROOM else ""
    return f"A file cannot be written: {os.strerror(error.errno)}. {end}".rstrip()


def logged_sentence(log: str) -> str | None:
    """Return a sentence about the machine's trouble that a log ends with, if it does."""
    if _MEMORY.search(log):
        return memory_sentence()
    for number, name in reversed(_ERRNO.findall(log)):
        error = OSError(int(number), "", name) if name else OSError(int(number), "")
        if sentence := machine_sentence(error):
            return sentence
    return None


def memory_sentence() -> str:
    """Say that memory could not be had, and how much this process may have."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY:
        return "The machine has no memory left. Run with fewer --cores, or free some."
    return (
        f"No memory could be had: `ulimit -v` allows a process {soft:,} bytes. Raise that limit "
        "(`ulimit -v unlimited`) and run it again."
    )


def written_folders() -> list[Path]:
    """Return the folders that a build writes to."""
    return [layout.WORK, layout.LIBRARY, layout.RELEASE, layout.SNAKEMAKE]


def require_writable() -> None:
    """Raise if a folder of the build does not let us write, before anything is begun."""
    for folder in _folders(written_folders()):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise MachineError(
                f"{folder.absolute()} cannot be written by this user (id {os.getuid()}). Give "
                f"yourself the right (`chmod u+rwx`, `chown`), or look how it is mounted."
            )


def _folders(roots: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders of a build without the raw sources; of an absent one, where it would be."""
    for root in roots:
        yield root if root.is_dir() else root.absolute().parent
        for parent, names, _ in os.walk(root):
            names[:] = [name for name in names if Path(parent, name) != layout.RAW]
            yield from (Path(parent, name) for name in names)
