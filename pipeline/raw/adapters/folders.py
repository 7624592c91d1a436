# SPDX-License-Identifier: Apache-2.0
"""Finds the folders of a source, in an order independent of the file system."""

from __future__ import annotations

import os
from pathlib import Path


def object_folders(root: Path) -> list[str]:
    """Return the names of folders, and of links that lead to no file, sorted.

    A link is listed so that `ingest` can reject it with a reason.
    """
    return sorted(entry.name for entry in os.scandir(root) if _is_folder(entry))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith("."):
        return False
    if not entry.is_symlink():
        return entry.is_dir()
    try:
        return not Path(entry.path).is_file()
    except OSError:
        return True
