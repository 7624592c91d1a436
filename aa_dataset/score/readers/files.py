# SPDX-License-Identifier: Apache-2.0
"""Access to untrusted files: only regular files, and no links on the path.

Below the user's folder, each folder is opened relative to its parent without following links, so
that no link can be swapped in between check and read. Hard links and copies of other files cannot
be distinguished from predictions.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from aa_dataset.score.budgets import MOST_FILES, PredictionError

# Without O_NONBLOCK, opening a pipe without a writer would block.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_regular(root: Path, names: Sequence[str], most: int) -> bytes:
    """Return at most `most` bytes of the file at the path `names` below `root`."""
    with _opened_path(root, names) as place:
        if not stat.S_ISREG(os.fstat(place).st_mode):
            raise _not_regular("/".join(names))
        with os.fdopen(os.dup(place), "rb") as stream:
            return stream.read(most)


def list_names(root: Path, names: Sequence[str]) -> list[str] | None:
    """Return the sorted entries of a folder below `root`; None if it is not a folder."""
    with _opened_path(root, names) as place:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            return None
        with os.scandir(place) as entries:
            listed = [entry.name for entry in islice(entries, MOST_FILES + 1)]
    if len(listed) > MOST_FILES:
        raise PredictionError(
            f"{'/'.join(names)}/ has more than {MOST_FILES:,} files. Keep only the "
            "prediction in it."
        )
    return sorted(listed)


@contextmanager
def _opened_path(root: Path, names: Sequence[str]) -> Iterator[int]:
    """Open the file or folder at the path `names`, and close it afterwards."""
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
        f"{where} is not a regular file, but for example a pipe or a device. Put the prediction "
        "there."
    )
