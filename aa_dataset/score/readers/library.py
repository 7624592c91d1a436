# SPDX-License-Identifier: Apache-2.0
"""A library as predictions: the ground truth against itself, or one build against another."""

from __future__ import annotations

import hashlib
from pathlib import Path

from aa_dataset.dataset import Dataset
from aa_dataset.errors import LibraryError
from aa_dataset.files import file_sha256
from aa_dataset.format.layout import TABLES, LibraryLayout
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.load import load_dataset
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.prediction import MethodPrediction
from aa_dataset.score.readers.reading import Reading
from aa_dataset.score.readers.shapes import LinkBoxes
from aa_dataset.score.registration.record import Identity

LIBRARY = "library"  # the name of this reader, which is not in the registry


class LibraryPredictions:
    """The kinematic trees of a library's tables; its name and revision are unchecked claims."""

    registration = Identity.label

    def __init__(self, root: Path):
        _require_no_links(LibraryLayout(root))
        self._dataset: Dataset = load_dataset(root, verbose=False)
        self._ids = set(self._dataset.object_ids)
        self.label = f"library {self._dataset.name} revision {self._dataset.revision}"
        layout = LibraryLayout(root)
        tables = (file_sha256(layout.table(name)) for name in ("objects", "joints", "links"))
        self._digest = hashlib.sha256(" ".join(tables).encode()).hexdigest()

    def has(self, object_id: str) -> bool:
        """Return whether the library has the object."""
        return object_id in self._ids

    def tree(self, object_id: str) -> KinematicTree:
        """Return the tree from the library's tables; an error names the table, not the folder."""
        try:
            return self._dataset[object_id].tree
        except LibraryError as error:
            place = f"{LibraryLayout(self._dataset.root).table('joints').parent}/"
            raise PredictionError(str(error).replace(place, "")) from error

    def read(self, object_id: str) -> Reading:
        """Return the tree and the boxes of the library's table of links."""
        item = self._dataset[object_id]
        prediction = MethodPrediction(
            self.tree(object_id), boxes=lambda: LinkBoxes(item.link_boxes)
        )
        return Reading(prediction, LIBRARY, "it has a seal")

    def digest(self, object_id: str) -> str:
        """Return the digest of the library's tables."""
        return self._digest

    def surplus(self, object_ids: set[str]) -> tuple[str, ...]:
        """Return nothing: a library normally has objects outside the split."""
        return ()


def _require_no_links(layout: LibraryLayout) -> None:
    """Refuse tables that link to another library, such as the ground truth."""
    for path in (layout.seal, *map(layout.table, TABLES)):
        if path.is_symlink():
            raise PredictionError(
                f"{path.name} of the predictions is a symbolic link, which is not followed. Copy "
                "the library with `cp -rL`, or pass the folder that the link points to."
            )
