# SPDX-License-Identifier: Apache-2.0
"""Readers of predictions: one module per format."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from aa_dataset.format.layout import LibraryLayout
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.registry import AUTO
from aa_dataset.score.readers.shapes import LinkBoxes
from aa_dataset.score.registration.record import Registrar

__all__ = ["PredictionError", "PredictionReader", "open_predictions"]


class PredictionReader(Protocol):
    """The interface of a set of predictions.

    Attributes
    ----------
    label : str
        Description for the report and the result file; never a local path.
    """

    label: str

    def has(self, object_id: str) -> bool:
        """Return whether there is a prediction for an object."""
        ...

    def tree(self, object_id: str) -> KinematicTree:
        """Read a prediction, in the ground truth's object frame, or raise `ArenaError`."""
        ...

    def boxes(self, object_id: str) -> LinkBoxes:
        """Return the boxes of the links at rest, or raise `ArenaError`; they enter no score."""
        ...

    def digest(self, object_id: str) -> str:
        """Return a digest of all files that are read for an object."""
        ...

    def surplus(self, object_ids: set[str]) -> tuple[str, ...]:
        """Return the names of predictions for none of these objects, sorted."""
        ...


def open_predictions(
    path: Path, *, reader: str = AUTO, registrar: Registrar | None = None
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
    """
    if not path.is_dir():
        raise PredictionError(
            f"{path} is not a folder. Pass a folder with `<object_id>/object.urdf`, "
            "`<object_id>.urdf` or `<object_id>/joints.json` files, or a library."
        )
    seal = LibraryLayout(path).seal
    if seal.is_symlink() or seal.is_file():
        from aa_dataset.score.readers.library import LibraryPredictions

        return LibraryPredictions(path)
    from aa_dataset.score.readers.folder import PredictionFolder

    return PredictionFolder(path, reader=reader, registrar=registrar)
