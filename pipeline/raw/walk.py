# SPDX-License-Identifier: Apache-2.0
"""Walks untrusted folders: without recursion, without following links, with bounded counts.

Also finds the index files of a source, which belong to no object and must be regular files.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pipeline.base.errors import PipelineError, Rejection
from pipeline.base.reasons import Reason
from pipeline.base.trouble import FORBIDDEN, blame_machine

# Maximum nesting of folders, of an object and of an unpacked archive.
DEEPEST = 64
# Maximum number of files and folders below the folder of one object.
MOST_ENTRIES = 100_000


def walk_files(folder: Path) -> Iterator[Path]:
    """Yield everything below a folder except folders, folder by folder, each sorted by name.

    A link is yielded and not followed. An unreadable folder counts as empty.

    Raises
    ------
    Rejection
        `folder_invalid` beyond `DEEPEST` levels or `MOST_ENTRIES` entries.
    """
    waiting, left = [(folder, 1)], MOST_ENTRIES
    while waiting:
        parent, depth = waiting.pop()
        folders, files = list_folder(parent, left)
        left -= len(folders) + len(files)
        if folders and depth > DEEPEST:
            detail = f"{folder.name[:200]!r} has folders in folders, more than {DEEPEST} deep."
            raise Rejection(Reason.FOLDER_INVALID, detail)
        yield from (parent / name for name in files)
        waiting += [(parent / name, depth + 1) for name in reversed(folders)]


def list_folder(folder: Path, most: int) -> tuple[list[str], list[str]]:
    """Return the names of the subfolders, and of everything else in a folder, each sorted."""
    try:
        with os.scandir(folder) as stream:
            entries = list(itertools.islice(stream, most + 1))
    except OSError as error:
        if error.errno not in FORBIDDEN:
            blame_machine(folder, error)
        return [], []
    if len(entries) > most:
        detail = f"{folder.name[:200]!r} holds too much: more than {MOST_ENTRIES} files in all."
        raise Rejection(Reason.FOLDER_INVALID, detail)
    folders = {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
    return sorted(folders), sorted(entry.name for entry in entries if entry.name not in folders)


def find_index_file(root: Path, name: str, *, most_bytes: int) -> Path | None:
    """Return an index file of a source, such as its manifest; None if there is none.

    Raises
    ------
    PipelineError
        If it is not a regular file in the source's folder, or larger than `most_bytes`.
    """
    path, status = root, None
    for part in name.split("/"):
        path = path / part
        try:
            status = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISLNK(status.st_mode):
            raise _unusable_path(
                path, "is a link, which may lead anywhere; put the file itself there"
            )
    if status is None or not stat.S_ISREG(status.st_mode):
        raise _unusable_path(path, "is not a regular file; remove it or put the file there")
    if status.st_size > most_bytes:
        raise _unusable_path(path, f"has more than {most_bytes:,} bytes; fetch it again")
    return path


def _unusable_path(path: Path, what: str) -> PipelineError:
    return PipelineError(f"{path} {what}.")
