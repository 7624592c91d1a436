# SPDX-License-Identifier: Apache-2.0
"""Predictions as one URDF file per object.

``<object_id>/object.urdf``, ``<object_id>.urdf``, or the only ``*.urdf`` in ``<object_id>/``.
"""

from __future__ import annotations

from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf_tree import read_tree
from aa_dataset.layout import ObjectLayout
from aa_dataset.score.readers import PredictionError


class UrdfFolder:
    """A folder with one URDF per object; the root link's frame is the object frame."""

    def __init__(self, root: Path):
        self._root = root
        self._entries = {_stem(path): path for path in sorted(root.iterdir()) if _stem(path)}
        self.label = f"URDF folder {root.resolve().name}"

    def has(self, object_id: str) -> bool:
        """Return whether there is a file or a folder named after the object."""
        return object_id in self._entries

    def tree(self, object_id: str) -> KinematicTree:
        """Read the object's URDF; every failure is a `PredictionError` that names the file."""
        path = self._find(object_id)
        where = path.relative_to(self._root).as_posix()
        try:
            return read_tree(path)
        except ArenaError as error:
            raise PredictionError(f"{where}: {error}") from error
        # Predictions come from anywhere: one broken file must cost one row, not the run.
        except Exception as error:
            raise PredictionError(f"{where}: {type(error).__name__}: {error}") from error

    def surplus(self, object_ids: set[str]) -> tuple[str, ...]:
        """Return the names of files and folders that belong to none of the objects."""
        return tuple(sorted(set(self._entries) - object_ids))

    def _find(self, object_id: str) -> Path:
        path = self._entries[object_id]
        if path.is_file():
            return path
        usual = ObjectLayout(path).urdf
        if usual.is_file():
            return usual
        found = sorted(file for file in path.glob("*.urdf") if file.is_file())
        if len(found) == 1:
            return found[0]
        names = ", ".join(file.name for file in found[:4]) or "no *.urdf"
        raise PredictionError(
            f"{object_id}/: expected {usual.name} or a single URDF, found {names}."
        )


def _stem(path: Path) -> str:
    """Return the object id that an entry of the folder stands for, empty if none."""
    if path.name.startswith("."):
        return ""
    if path.is_dir():
        return path.name
    return path.stem if path.suffix == ".urdf" else ""
