# SPDX-License-Identifier: Apache-2.0
"""Check of the convention on a URDF file or an object's folder: one sentence per broken rule.

Only files inside the object's folder are read, whatever the URDF names; nothing is written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from aa_dataset.convention.document import check_convention, check_geometry, is_plain
from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import URDF
from aa_dataset.untrusted.inside import is_below
from aa_dataset.untrusted.safe_xml import XmlBudget

# Maximum number of bytes read from one mesh or texture.
MOST_BYTES = 1_000_000_000


class NotAnObjectError(ArenaError):
    """The path is neither a URDF nor a folder with one."""


class FolderView(Mapping[str, bytes]):
    """The files of one folder by relative name; links out of the folder are ignored."""

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))

    def _inner_path(self, name: str) -> Path | None:
        if not is_plain(name):
            return None
        path = self._root / name
        try:
            good = is_below(path, self._root) and path.is_file()
            return path if good and path.stat().st_size <= MOST_BYTES else None
        except (OSError, ValueError):
            return None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._inner_path(name) is not None

    def __getitem__(self, name: str) -> bytes:
        path = self._inner_path(name)
        if path is None:
            raise KeyError(name)
        return path.read_bytes()

    def __iter__(self) -> Iterator[str]:
        for folder, _, names in os.walk(self._root):
            for name in names:
                yield Path(folder, name).relative_to(self._root).as_posix()

    def __len__(self) -> int:
        return sum(1 for _ in self)


def check_file(path: Path, with_inertials: bool = True) -> list[str]:
    """Return the broken rules of one URDF file, or of the one in a folder.

    Raises
    ------
    NotAnObjectError
        If there is nothing to check.
    """
    # Path.is_dir raises on a name that is too long.
    document = path / URDF if os.path.isdir(path) else path  # noqa: PTH112
    data = _read_document(document)
    files = FolderView(document.parent)
    problems = check_convention(data, files, with_inertials=with_inertials)
    return problems or check_geometry(data, files)


def _read_document(document: Path) -> bytes:
    try:
        if not stat.S_ISREG(document.stat().st_mode):
            raise ValueError("it is not a file")  # reading a pipe would block
        with document.open("rb") as stream:
            return stream.read(
                XmlBudget().max_bytes + 1
            )  # one byte more shows that it is too large
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise NotAnObjectError(
            f"{document} cannot be read: {reason}. Pass a URDF or a folder with {URDF}."
        ) from None
