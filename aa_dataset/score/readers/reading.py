# SPDX-License-Identifier: Apache-2.0
"""One prediction as it is scored: what was read, by which reader, and where it was put."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.readers.prediction import MethodPrediction
from aa_dataset.score.readers.shapes import LinkBoxes, triangle_boxes
from aa_dataset.score.registration.record import IDENTITY, Registration, registered


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A prediction that was read.

    Attributes
    ----------
    prediction : MethodPrediction
        What its files state, in the method's frame.
    reader, reason : str
        The name of the reader, and why it was this one.
    registration : Registration
        How it is brought into the object frame.
    stated : Registration
        What is stated about it, whether that is applied or not.
    """

    prediction: MethodPrediction
    reader: str
    reason: str
    registration: Registration = IDENTITY
    stated: Registration = IDENTITY

    @property
    def tree(self) -> KinematicTree:
        """The joints in the object frame at rest."""
        return registered(self.prediction, self.registration)

    def boxes(self) -> LinkBoxes:
        """Return the boxes of the links at rest, none where the format has no shapes."""
        registration, prediction = self.registration, self.prediction
        if prediction.boxes is not None and registration.is_identity:
            return prediction.boxes()
        placed = prediction.tree.placements(registration.rest)
        return triangle_boxes(prediction.triangles(), placed, registration.similarity)

    def as_stated(self) -> Reading:
        """Return the same prediction where it is stated to be."""
        return replace(self, registration=self.stated)
