# SPDX-License-Identifier: Apache-2.0
"""A folder of predictions: a folder or a URDF per object, of any format of the registry.

``<object_id>/…`` or ``<object_id>.urdf``. Links are not followed, and only regular files opened.
"""

from __future__ import annotations

import os
from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import JOINTS
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.digest import prediction_digest
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction
from aa_dataset.score.readers.registry import AUTO, format_named, recognized
from aa_dataset.score.readers.shapes import LinkBoxes, triangle_boxes
from aa_dataset.score.registration.record import Identity, Registrar, Registration, registered


class PredictionFolder:
    """A folder with a prediction per object.

    Parameters
    ----------
    root : Path
        The folder.
    reader : str
        A name of the registry, or ``auto`` to recognize the format of each prediction.
    registrar : Registrar, optional
        Brings predictions into the object frame; by default they are taken to be there.
    """

    def __init__(self, root: Path, *, reader: str = AUTO, registrar: Registrar | None = None):
        if reader != AUTO:
            format_named(reader)  # raises for an unknown name
        self._root, self._reader = root, reader
        self._registrar: Registrar = registrar or Identity()
        self._entries = _entries_by_id(root)
        self.label = f"folder {root.resolve().name}"

    def has(self, object_id: str) -> bool:
        """Return whether there is a file, a folder or a link named after the object."""
        return object_id in self._entries

    def prediction(self, object_id: str) -> MethodPrediction:
        """Read what the object's files state, in the method's frame.

        Any failure raises `PredictionError` with the name of the file or folder.
        """
        entry = self._entry(object_id)
        files = PredictionFiles(self._root, entry, object_id)
        try:
            return self._format(files).read(files)
        except PredictionError:
            raise  # already names the file
        except ArenaError as error:
            raise PredictionError(f"{_place(files)}: {error}") from error
        except OSError as error:
            raise PredictionError(f"{entry} cannot be opened: {error.strerror}.") from error
        # Predictions are untrusted: one broken file must cost one row, not the run.
        except Exception as error:
            raise PredictionError(f"{_place(files)}: {type(error).__name__}: {error}") from error

    def registration(self, object_id: str) -> Registration:
        """Return how the object's prediction is brought into the object frame."""
        return self._registrar.registration(object_id, self.prediction(object_id))

    def format(self, object_id: str) -> tuple[str, str]:
        """Return the name of the reader of an object, and why it is this one."""
        if self._reader != AUTO:
            return self._reader, "as asked"
        found, why = recognized(PredictionFiles(self._root, self._entry(object_id), object_id))
        return found.name, why

    def tree(self, object_id: str) -> KinematicTree:
        """Return the object's tree in the object frame at rest."""
        prediction = self.prediction(object_id)
        return registered(prediction, self._registrar.registration(object_id, prediction))

    def boxes(self, object_id: str) -> LinkBoxes:
        """Return the boxes of the links at rest, none where the format has no shapes."""
        prediction = self.prediction(object_id)
        registration = self._registrar.registration(object_id, prediction)
        if prediction.boxes is not None and registration.similarity.is_identity:
            return prediction.boxes()
        placed = prediction.tree.placements(registration.rest)
        return triangle_boxes(prediction.triangles(), placed, registration.similarity)

    def digest(self, object_id: str) -> str:
        """Return the digest of the files that are read for an object."""
        return prediction_digest(self._root, self._entries[object_id])

    def surplus(self, object_ids: set[str]) -> tuple[str, ...]:
        """Return the names of files and folders that belong to none of the objects."""
        return tuple(sorted(set(self._entries) - object_ids))

    def _format(self, files: PredictionFiles) -> MethodFormat:
        return recognized(files)[0] if self._reader == AUTO else format_named(self._reader)

    def _entry(self, object_id: str) -> str:
        """Return the only entry of an object."""
        entries = self._entries[object_id]
        if len(entries) > 1:
            raise PredictionError(
                f"{' and '.join(entries)} are two predictions of one object. Remove one of them."
            )
        return entries[0]


def _place(files: PredictionFiles) -> str:
    """Return what a message names: the file, if there is only one that can be meant."""
    urdfs = [name for name in files.top_names if name.endswith(".urdf")]
    known = [name for name in files.top_names if name == JOINTS] or urdfs
    return files.where(known[0]) if len(known) == 1 else f"{files.object_id}/"


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
