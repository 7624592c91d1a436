# SPDX-License-Identifier: Apache-2.0
"""Readers of predictions: one module per format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from aa_dataset.format.layout import LibraryLayout
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.reading import Reading
from aa_dataset.score.readers.registry import AUTO

if TYPE_CHECKING:
    from aa_dataset.score.registration.inputs import Inputs
    from aa_dataset.score.registration.record import Registrar

__all__ = ["PredictionError", "PredictionReader", "Reading", "open_predictions"]


class PredictionReader(Protocol):
    """The interface of a set of predictions.

    Attributes
    ----------
    label : str
        Description for the report and the result file; never a local path.
    registration : str
        How predictions are brought into the object frame, see `registration.MODES`.
    """

    label: str

    @property
    def registration(self) -> str:
        """How predictions are brought into the object frame."""
        ...

    def has(self, object_id: str) -> bool:
        """Return whether there is a prediction for an object."""
        ...

    def read(self, object_id: str) -> Reading:
        """Read a prediction and decide where it is put, or raise `ArenaError`."""
        ...

    def tree(self, object_id: str) -> KinematicTree:
        """Read a prediction, in the ground truth's object frame, or raise `ArenaError`."""
        ...

    def digest(self, object_id: str) -> str:
        """Return a digest of all files that are read for an object."""
        ...

    def surplus(self, object_ids: set[str]) -> tuple[str, ...]:
        """Return the names of predictions for none of these objects, sorted."""
        ...


def open_predictions(
    path: Path,
    *,
    reader: str = AUTO,
    registrar: Registrar | None = None,
    inputs: Inputs | None = None,
    key: Mapping[str, str] | None = None,
) -> PredictionReader:
    """Return the reader for a folder: a sealed library, else a folder with an entry per object.

    Parameters
    ----------
    path : Path
        The folder.
    reader : str
        A format of `registry.NAMES`, or ``auto`` to recognize the format of each prediction.
    registrar : Registrar, optional
        Brings predictions into the object frame; by default they are taken to be there.
    inputs : Inputs, optional
        Size and place of the meshes that the method was given.
    key : mapping of str to object id, optional
        The objects behind neutral names of files and folders.
    """
    if not path.is_dir():
        raise PredictionError(
            f"{path} is not a folder. Pass a folder with `<object_id>/object.urdf`, "
            "`<object_id>.urdf` or `<object_id>/joints.json` files, or a library."
        )
    seal = LibraryLayout(path).seal
    if seal.is_symlink() or seal.is_file():
        from aa_dataset.score.readers.library import LibraryPredictions

        if reader != AUTO or registrar is not None or key:
            raise PredictionError(
                f"{path} is a library, which is in the object frame. Leave out --reader, "
                "--registration and --key."
            )
        return LibraryPredictions(path)
    from aa_dataset.score.readers.folder import PredictionFolder

    return PredictionFolder(path, reader=reader, registrar=registrar, inputs=inputs, key=key)
