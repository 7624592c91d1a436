# SPDX-License-Identifier: Apache-2.0
"""Predictions as one URDF file per object.

``<object_id>/object.urdf``, ``<object_id>.urdf``, or the only ``*.urdf`` in ``<object_id>/``. Links
are not followed, and only regular files are opened.
"""

from __future__ import annotations

import os
from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import URDF
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import XML, PredictionError
from aa_dataset.score.readers.files import list_names, read_regular


class UrdfFolder:
    """A folder with one URDF per object; the root link's frame is the object frame."""

    def __init__(self, root: Path):
        self._root = root
        self._entries = _entries_by_id(root)
        self.label = f"URDF folder {root.resolve().name}"

    def has(self, object_id: str) -> bool:
        """Return whether there is a file, a folder or a link named after the object."""
        return object_id in self._entries

    def tree(self, object_id: str) -> KinematicTree:
        """Read the object's URDF; any failure raises `PredictionError` with the file name."""
        names = self._find_urdf(object_id)
        try:
            data = read_regular(self._root, names, XML.max_bytes + 1)
            return urdf_tree(parse_urdf(data, budget=XML), absent="unbounded")
        except PredictionError:
            raise  # already names the file
        except ArenaError as error:
            raise PredictionError(f"{'/'.join(names)}: {error}") from error
        # Predictions are untrusted: one broken file must cost one row, not the run.
        except Exception as error:
            raise PredictionError(f"{'/'.join(names)}: {type(error).__name__}: {error}") from error

    def surplus(self, object_ids: set[str]) -> tuple[str, ...]:
        """Return the names of files and folders that belong to none of the objects."""
        return tuple(sorted(set(self._entries) - object_ids))

    def _find_urdf(self, object_id: str) -> list[str]:
        """Return the path components from the root to the object's URDF."""
        entries = self._entries[object_id]
        if len(entries) > 1:
            raise PredictionError(
                f"{' and '.join(entries)} are two predictions of one object. Remove one of them."
            )
        try:
            inside = list_names(self._root, entries)
        except OSError as error:
            raise PredictionError(f"{entries[0]} cannot be opened: {error.strerror}.") from error
        if inside is None:
            return entries
        return [*entries, _only_urdf(object_id, inside)]


def _only_urdf(object_id: str, names: list[str]) -> str:
    if URDF in names:
        return URDF
    urdfs = [name for name in names if name.endswith(".urdf") and not name.startswith(".")]
    if len(urdfs) == 1:
        return urdfs[0]
    shown = ", ".join(urdfs[:4]) or "no *.urdf"
    raise PredictionError(f"{object_id}/: expected {URDF} or a single URDF, found {shown}.")


def _entries_by_id(root: Path) -> dict[str, list[str]]:
    """Return the entries of the folder by object id."""
    by_id: dict[str, list[str]] = {}
    with os.scandir(root) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if stem := _entry_id(entry):
                by_id.setdefault(stem, []).append(entry.name)
    return by_id


def _entry_id(entry: os.DirEntry[str]) -> str:
    """Return the object id of an entry of the folder, empty if it has none."""
    if entry.name.startswith("."):
        return ""
    if entry.is_dir(follow_symlinks=False):
        return entry.name
    if entry.name.endswith(".urdf"):
        return entry.name.removesuffix(".urdf")
    return entry.name if entry.is_symlink() else ""
