# SPDX-License-Identifier: Apache-2.0
"""Untrusted files: only regular files, and no link on the way to them.

Below the folder that the user named, every folder is opened inside the one before it and no link
is followed, so that a link cannot be put in place between the look and the reading. A hard link to
a file elsewhere is that file, and a copy of it is a copy: neither can be told from a prediction.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from aa_dataset.score.budgets import MOST_FILES, PredictionError

# A pipe that nobody writes to would block an opening without O_NONBLOCK.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_regular(root: Path, names: Sequence[str], most: int) -> bytes:
    """Return at most `most` bytes of the file that the names lead to, from `root` down."""
    with _opened(root, names) as place:
        if not stat.S_ISREG(os.fstat(place).st_mode):
            raise _not_regular("/".join(names))
        with os.fdopen(os.dup(place), "rb") as stream:
            return stream.read(most)


def list_names(root: Path, names: Sequence[str]) -> list[str] | None:
    """Return what lies in a folder below `root`, sorted; None if it is no folder."""
    with _opened(root, names) as place:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            return None
        with os.scandir(place) as entries:
            found = [entry.name for entry in islice(entries, MOST_FILES + 1)]
    if len(found) > MOST_FILES:
        raise PredictionError(
            f"{'/'.join(names)}/ has more than {MOST_FILES:,} files. Leave the URDF alone in it."
        )
    return sorted(found)


@contextmanager
def _opened(root: Path, names: Sequence[str]) -> Iterator[int]:
    """Open what the names lead to and close it afterwards; only files and folders are opened."""
    place = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for count, name in enumerate(names, start=1):
            below = _open_inside(place, name, "/".join(names[:count]))
            os.close(place)
            place = below
        yield place
    finally:
        os.close(place)


def _open_inside(folder: int, name: str, where: str) -> int:
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        raise PredictionError(
            f"{where} is a symbolic link, which is not followed. Put the file itself there."
        )
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise _not_regular(where)
    return os.open(name, _FLAGS, dir_fd=folder)


def _not_regular(where: str) -> PredictionError:
    return PredictionError(
        f"{where} is not a regular file, as a pipe or a device is not. Put a URDF there."
    )
