# SPDX-License-Identifier: Apache-2.0
"""Before a build: removes damaged and left-over files, so that the build makes them again.

These are cases that job records miss: content that changed without its times, temporary files.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from aa_dataset.files import file_sha256
from aa_dataset.format.layout import TABLES, LibraryLayout
from pipeline.base import layout
from pipeline.base.seal import usable_seal

# Of the files that a build writes; none of its folders has one.
FILE_ENDINGS = (
    ".html", ".js", ".json", ".lock", ".log", ".md", ".parquet", ".png", ".tar", ".tsv", ".txt",
    ".webp",
)  # fmt: skip


def discard_damaged() -> list[Path]:
    """Remove unusable seals and tables that differ from their seal; return their paths.

    Job records detect every file that was written to, but not damage by a failing disk. A loader
    that finds such damage tells the user to rebuild, so a rebuild has to fix it. Tars are too
    large to read before every build; `aa verify` reads them and lists which to remove.
    """
    damaged = [
        path
        for root in (layout.LIBRARY, layout.RELEASE)
        for path in _damaged_files(LibraryLayout(root))
    ]
    for path in damaged:
        path.unlink()
    return damaged


def _damaged_files(folder: LibraryLayout) -> Iterator[Path]:
    if not folder.seal.is_file():
        return
    seal = usable_seal(folder)
    if seal is None:
        yield folder.seal
        return
    for path in map(folder.table, TABLES):
        mark = seal.files.get(path.name)
        if path.is_file() and mark is not None and file_sha256(path) != mark.sha256:
            yield path


def discard_leftovers() -> None:
    """Remove the temporary files of killed jobs; call this while no job is running."""
    for folder in _own_folders():
        for path in list(folder.rglob("*.tmp[0-9]*")):
            _remove_path(path)


def discard_folders() -> list[Path]:
    """Remove folders at the paths of files, which no build makes; return them."""
    found = [path for root in _own_folders() for path in _folders_named_like_files(root)]
    for path in found:
        _remove_path(path)
    return found


def _own_folders() -> list[Path]:
    return [layout.LIBRARY, layout.RELEASE, layout.REPORT, *layout.stage_folders()]


def _folders_named_like_files(root: Path) -> Iterator[Path]:
    """Yield folders that are named like files; hidden ones, such as `.git`, are not ours."""
    if _is_misplaced(root):
        yield root
        return
    for parent, names, _ in os.walk(root):
        inner = [Path(parent, name) for name in sorted(names) if not name.startswith(".")]
        names[:] = [path.name for path in inner if not _is_misplaced(path)]
        yield from filter(_is_misplaced, inner)


def _is_misplaced(path: Path) -> bool:
    return path.suffix in FILE_ENDINGS and path.is_dir() and not path.is_symlink()


def _remove_path(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)  # its folder may have been removed before
