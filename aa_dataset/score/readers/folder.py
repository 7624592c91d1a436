# SPDX-License-Identifier: Apache-2.0
"""A folder of predictions: a folder or a URDF per object, of any format of the registry.

``<object_id>/…`` or ``<object_id>.urdf``. Links are not followed, and only regular files opened.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import JOINTS
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.digest import prediction_digest
from aa_dataset.score.readers.folder_files import REGISTRATION, PredictionFiles, registration_beside
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction
from aa_dataset.score.readers.reading import Reading
from aa_dataset.score.readers.registry import AUTO, format_named, recognized
from aa_dataset.score.registration.file import MOST_BYTES, parse_registration
from aa_dataset.score.registration.inputs import Inputs
from aa_dataset.score.registration.record import Given, Identity, Registrar, RegistrationSource
from aa_dataset.score.registration.stated import Stated

FILE = ".urdf"  # of a prediction that is one file
UNKNOWN_SIZE_NOTE = "in a frame of normalized meshes; --inputs tells what they were made of"


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
    inputs : Inputs, optional
        Size and place of the meshes that the method was given, for what is stated but not applied.
    key : mapping of str to object id, optional
        The objects behind neutral names of files and folders.
    """

    def __init__(
        self,
        root: Path,
        *,
        reader: str = AUTO,
        registrar: Registrar | None = None,
        inputs: Inputs | None = None,
        key: Mapping[str, str] | None = None,
    ):
        if reader != AUTO:
            format_named(reader)  # raises for an unknown name
        self._root, self._reader = root, reader
        self._registrar: Registrar = registrar or Identity()
        self._stated = Stated(inputs)
        self._entries = _entries_by_id(root, key or {})
        self.label = f"folder {root.resolve().name}"

    @property
    def registration(self) -> str:
        """How predictions are brought into the object frame."""
        return self._registrar.label

    def has(self, object_id: str) -> bool:
        """Return whether there is a file, a folder or a link named after the object."""
        return object_id in self._entries

    def prediction(self, object_id: str) -> MethodPrediction:
        """Read what the object's files state, in the method's frame."""
        return self.read(object_id).prediction

    def read(self, object_id: str) -> Reading:
        """Read the prediction of an object and decide where it is put.

        Any failure raises `PredictionError` with the name of the file or folder.
        """
        files = PredictionFiles(self._root, self._entry(object_id), object_id)
        try:
            return self._reading(files)
        except PredictionError:
            raise  # already names the file
        except ArenaError as error:
            raise PredictionError(f"{_message_path(files)}: {error}") from error
        except OSError as error:
            entry = self._entry(object_id)
            raise PredictionError(f"{entry} cannot be opened: {error.strerror}.") from error
        # Predictions are untrusted: one broken file must cost one row, not the run.
        except Exception as error:
            raise PredictionError(
                f"{_message_path(files)}: {type(error).__name__}: {error}"
            ) from error

    def format(self, object_id: str) -> tuple[str, str]:
        """Return the name of the reader of an object, and why it is this one."""
        files = PredictionFiles(self._root, self._entry(object_id), object_id)
        found, reason = self._format(files)
        return found.name, reason

    def tree(self, object_id: str) -> KinematicTree:
        """Return the object's tree in the object frame at rest."""
        return self.read(object_id).tree

    def digest(self, object_id: str) -> str:
        """Return the digest of the files that are read for an object, and of how they are read."""
        entries = self._entries[object_id]
        beside = [registration_beside(entry) for entry in entries if entry.endswith(FILE)]
        read = prediction_digest(self._root, [*entries, *beside])
        around = (self._registrar.digest(object_id), self._stated.digest(object_id))
        return hashlib.sha256(" ".join((self._reader, read, *around)).encode()).hexdigest()

    def surplus(self, object_ids: set[str]) -> tuple[str, ...]:
        """Return the names of files and folders that belong to none of the objects."""
        return tuple(sorted(set(self._entries) - object_ids))

    def _reading(self, files: PredictionFiles) -> Reading:
        found, reason = self._format(files)
        prediction, given = found.read(files), _stated_registration(files)
        registration = self._registrar.registration(files.object_id, prediction, given)
        stated = self._stated.registration(files.object_id, prediction, given)
        if prediction.normalization is not None and stated.source is RegistrationSource.IDENTITY:
            prediction = replace(prediction, notes=(*prediction.notes, UNKNOWN_SIZE_NOTE))
        return Reading(prediction, found.name, reason, registration, stated)

    def _format(self, files: PredictionFiles) -> tuple[MethodFormat, str]:
        if self._reader == AUTO:
            return recognized(files)
        return format_named(self._reader), f"--reader {self._reader}"

    def _entry(self, object_id: str) -> str:
        """Return the only entry of an object."""
        entries = self._entries[object_id]
        if len(entries) > 1:
            raise PredictionError(
                f"{' and '.join(entries)} are two predictions of one object. Remove one of them."
            )
        return entries[0]


def _message_path(files: PredictionFiles) -> str:
    """Return what a message names: the file, if there is only one that can be meant."""
    urdfs = [name for name in files.top_names if name.endswith(".urdf")]
    known = [name for name in files.top_names if name == JOINTS] or urdfs
    return files.shown_path(known[0]) if len(known) == 1 else f"{files.object_id}/"


def _stated_registration(files: PredictionFiles) -> Given | None:
    """Return what the `registration.json` beside a prediction states."""
    data = files.registration(MOST_BYTES + 1)
    return (
        None if data is None else parse_registration(data, f"{REGISTRATION} of {files.object_id}")
    )


def _entries_by_id(root: Path, key: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the entries of the folder by object id."""
    by_id: dict[str, list[str]] = {}
    with os.scandir(root) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if stem := _entry_id(entry):
                by_id.setdefault(key.get(stem, stem), []).append(entry.name)
    return by_id


def _entry_id(entry: os.DirEntry[str]) -> str:
    """Return the object id of an entry of the folder, empty if it has none."""
    if entry.name.startswith("."):
        return ""
    if entry.is_dir(follow_symlinks=False):
        return entry.name
    if entry.name.endswith(FILE):
        return entry.name.removesuffix(FILE)
    return entry.name if entry.is_symlink() else ""
