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
from pipeline import layout
from pipeline.errors import MachineError

MACHINE_TROUBLE = (*DISK_TROUBLE, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
# Python's own words about an error of the system, as they end a traceback.
_ERRNO = re.compile(r"^\w*Error: \[Errno (\d+)\] [^:\n]*(?:: '([^'\n]+)')?", re.M)
_MEMORY = re.compile(r"^(?:\w+\.)*_?\w*MemoryError\b", re.M)


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
