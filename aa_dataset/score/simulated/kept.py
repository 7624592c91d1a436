# SPDX-License-Identifier: Apache-2.0
"""What a format can express of the truth, scored without any file: the loss that it forces."""

from __future__ import annotations

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.readers import Reading
from aa_dataset.score.readers.prediction import MethodPrediction
from aa_dataset.score.registration.record import Identity
from aa_dataset.score.simulated.folder import expressible_tree


class KeptPredictions:
    """The trees that a format keeps of the objects of a split, as predictions."""

    registration = Identity.label

    def __init__(self, name: str, dataset: Dataset, seed: int = 0):
        self.label = f"what {name} keeps"
        self._name, self._dataset, self._seed = name, dataset, seed

    def has(self, object_id: str) -> bool:
        """Return whether the format can hold the object at all."""
        try:
            self.tree(object_id)
        except ArenaError:
            return False
        return True

    def read(self, object_id: str) -> Reading:
        """Return what is kept of an object."""
        return Reading(MethodPrediction(self.tree(object_id)), self._name, "nothing was written")

    def tree(self, object_id: str) -> KinematicTree:
        """Return the tree that is kept, in the object frame at rest."""
        return expressible_tree(self._name, self._dataset[object_id], self._seed)

    def digest(self, object_id: str) -> str:
        """Return the revision of the object's library, which decides everything."""
        return f"{self._name} {self._seed} {self._dataset[object_id].revision}"

    def surplus(self, object_ids: set[str]) -> tuple[str, ...]:
        """Return nothing."""
        return ()
