# SPDX-License-Identifier: Apache-2.0
"""Registration of a predicted box to the true one: rotation of the axes, scale, translation.

A box looks the same after half a turn about any of its axes, so four rotations always fit alike. Of
those that fit nearly as well as the best, the first in the order of conventions is taken: a cube
must not be laid on its side for the sake of a hundredth. Every estimate is marked as ambiguous.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.portable import applied, dot, length
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.registration.icp import CLOSE, Estimate
from aa_dataset.score.registration.turns import axis_turns

Array = NDArray[np.float64]
Box = tuple[Array, Array]


def estimate_box(prediction: Box, truth: Box) -> Estimate:
    """Return the similarity that brings the center and the extents of a box onto another's.

    The residual is the length of the difference of the extents [m].

    Parameters
    ----------
    prediction, truth : (3,) float, (3,) float
        Lower and upper corners, each in its frame.
    """
    center, extents = _center_and_extents(prediction)
    if not (np.isfinite(extents).all() and extents.max() > 0):
        raise PredictionError("the box of its shape has no size, so it cannot be registered.")
    goal, wanted = _center_and_extents(truth)
    fits = [_fit(np.abs(applied(turn, extents)), wanted) for turn in axis_turns()]
    least = min(residual for _, residual in fits)
    # Sums in another order differ in the last digits, which must not choose the axes.
    digits = 1e-9 * float(length(wanted))
    best = next(k for k, (_, residual) in enumerate(fits) if residual <= CLOSE * least + digits)
    scale, residual = fits[best]
    turn = axis_turns()[best]
    similarity = Similarity(scale, turn, goal - scale * applied(turn, center))
    runner_up = min(other for k, (_, other) in enumerate(fits) if k != best)
    return Estimate(similarity, residual, runner_up, runner_up <= CLOSE * residual + digits)


def _center_and_extents(box: Box) -> Box:
    lower, upper = box
    return (lower + upper) / 2, upper - lower


def _fit(extents: Array, wanted: Array) -> tuple[float, float]:
    """Return the scale that brings extents closest to others, and what is left."""
    scale = float(dot(extents, wanted) / dot(extents, extents))
    return scale, float(length(scale * extents - wanted))
