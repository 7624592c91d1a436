# SPDX-License-Identifier: Apache-2.0
"""Predictions as one URDF or one `joints.json` per object.

``<object_id>/object.urdf``, ``<object_id>.urdf``, the only ``*.urdf`` in ``<object_id>/``, or
``<object_id>/joints.json``. Links are not followed, and only regular files are opened.
"""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import JOINTS, URDF
from aa_dataset.kinematics.joints_file import parse_joints
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import JSON, XML, PredictionError
from aa_dataset.score.readers.digest import prediction_digest
from aa_dataset.score.readers.files import list_names, read_regular
from aa_dataset.score.readers.shapes import MOST_MESH_BYTES, LinkBoxes, link_boxes


class PredictionFolder:
    """A folder with one file per object; the root link's frame of a URDF is the object frame."""

    def __init__(self, root: Path):
        self._root = root
        self._entries = _entries_by_id(root)
        self.label = f"folder {root.resolve().name}"

    def has(self, object_id: str) -> bool:
        """Return whether there is a file, a folder or a link named after the object."""
        return object_id in self._entries

    def tree(self, object_id: str) -> KinematicTree:
        """Read the object's file; any failure raises `PredictionError` with the file name."""
        names = self._find_file(object_id)
        try:
            # One byte more shows that a file is too large.
            if names[1:] == [JOINTS]:
                data = read_regular(self._root, names, JSON.max_bytes + 1)
                return parse_joints(data, budget=JSON)
            data = read_regular(self._root, names, XML.max_bytes + 1)
            return urdf_tree(parse_urdf(data, budget=XML), absent="unbounded")
        except PredictionError:
            raise  # already names the file
        except ArenaError as error:
            raise PredictionError(f"{'/'.join(names)}: {error}") from error
        # Predictions are untrusted: one broken file must cost one row, not the run.
        except Exception as error:
            raise PredictionError(f"{'/'.join(names)}: {type(error).__name__}: {error}") from error

    def boxes(self, object_id: str) -> LinkBoxes:
        """Return the boxes of the links of a URDF; `joints.json` has no shapes."""
        names = self._find_file(object_id)
        if names[1:] == [JOINTS]:
            return LinkBoxes({})
        data = read_regular(self._root, names, XML.max_bytes + 1)

        def read_mesh(name: str) -> bytes:
            parts = posixpath.normpath(name).split("/")
            return read_regular(self._root, [*names[:-1], *parts], MOST_MESH_BYTES + 1)

        return link_boxes(parse_urdf(data, budget=XML), read_mesh)

    def digest(self, object_id: str) -> str:
        """Return the digest of the files that are read for an object."""
        return prediction_digest(self._root, self._entries[object_id])

    def surplus(self, object_ids: set[str]) -> tuple[str, ...]:
        """Return the names of files and folders that belong to none of the objects."""
        return tuple(sorted(set(self._entries) - object_ids))

    def _find_file(self, object_id: str) -> list[str]:
        """Return the path components from the root to the object's URDF or `joints.json`."""
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
        return [*entries, _only_file(object_id, inside)]


def _only_file(object_id: str, names: list[str]) -> str:
    urdfs = [name for name in names if name.endswith(".urdf") and not name.startswith(".")]
    if URDF in urdfs:
        urdfs = [URDF]
    if JOINTS in names and urdfs:
        raise PredictionError(
            f"{object_id}/: {_shown(urdfs)} and {JOINTS} are two predictions of one object. Remove "
            "one of them."
        )
    found = [JOINTS] if JOINTS in names else urdfs
    if len(found) == 1:
        return found[0]
    shown = _shown(urdfs) or "none of them"
    raise PredictionError(
        f"{object_id}/: expected {URDF}, a single *.urdf or {JOINTS}, found {shown}."
    )


def _shown(names: list[str]) -> str:
    return ", ".join(names[:4])


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
