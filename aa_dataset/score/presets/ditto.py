# SPDX-License-Identifier: Apache-2.0
"""What Ditto reports (UT-Austin-RPL/Ditto, ``src/utils/joint_estimation.py``)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aa_dataset.kinematics.joints import Joint
from aa_dataset.score.presets.common import (
    Column,
    JointPair,
    Preset,
    Values,
    Vector,
    arccos,
    cross,
    dot,
    is_rotation,
    minus,
    norm,
    state_change,
    times,
    vector,
)

PARALLEL_ANGLE = 0.001  # rad


def measure(pairs: Sequence[JointPair]) -> list[Values]:
    """Return Ditto's values of every pair; the truth's type chooses the formulas."""
    return [_measure_pair(pair) for pair in pairs]


def _measure_pair(pair: JointPair) -> Values:
    kind = "revolute" if is_rotation(pair.truth) else "prismatic"
    names = ["axis_orientation", "config_err"] + ["axis_displacement"] * (kind == "revolute")
    silent: Values = {f"{kind}/{name}": None for name in names}
    predicted = pair.predicted
    if predicted is None:
        return {"joint_type/accuracy": None, **silent}
    correct = float(predicted.is_movable and is_rotation(predicted) == is_rotation(pair.truth))
    if not predicted.is_movable:
        return {"joint_type/accuracy": correct, **silent}
    return {"joint_type/accuracy": correct, **_errors(predicted, pair.truth, kind)}


def _errors(predicted: Joint, truth: Joint, kind: str) -> Values:
    a, b = vector(predicted.axis), vector(truth.axis)
    same, opposite = arccos(dot(a, b)), arccos(dot(times(a, -1.0), b))
    keeps = same < opposite  # false for nan
    angle = same if keeps else opposite
    turn = 180 / math.pi if kind == "revolute" else 1.0
    values: Values = {
        f"{kind}/axis_orientation": angle * turn,
        f"{kind}/config_err": _config_error(predicted, truth, 1.0 if keeps else -1.0, turn),
    }
    if kind == "revolute":
        moments = cross(vector(predicted.origin), a), cross(vector(truth.origin), b)
        values["revolute/axis_displacement"] = _displacement(a, b, moments, angle)
    return values


def _config_error(predicted: Joint, truth: Joint, sign: float, unit: float) -> float | None:
    found, wanted = state_change(predicted), state_change(truth)
    return None if found is None or wanted is None else abs(wanted - sign * found) * unit


def _displacement(a: Vector, b: Vector, moments: tuple[Vector, Vector], angle: float) -> float:
    """Return the distance of two lines by their moments, of which no sign is changed."""
    found, wanted = moments
    if abs(angle) < PARALLEL_ANGLE:
        return norm(cross(b, minus(found, wanted)))
    size = norm(cross(b, a))
    return abs(dot(b, found) + dot(a, wanted)) / size if size > 0 else math.nan


DITTO = Preset(
    "ditto",
    "Ditto",
    "UT-Austin-RPL/Ditto, src/utils/joint_estimation.py",
    "one-joint",
    (
        Column("joint_type/accuracy", "1", "share of pairs with the right type"),
        Column("revolute/axis_orientation", "deg", "angle between axes up to sign"),
        Column("revolute/axis_displacement", "m", "distance of axes by their moments"),
        Column("revolute/config_err", "deg", "difference of the state changes"),
        Column("prismatic/axis_orientation", "rad", "angle between axes up to sign"),
        Column("prismatic/config_err", "m", "difference of the state changes"),
    ),
    (
        "The axis error is in degrees for hinges and in radians for slides.",
        "The arc cosine is not clipped: rounding can make a perfect axis undefined, and undefined "
        "values are left out of the means.",
        "Moments keep their sign when an axis is reversed: the same line, reversed, at distance d "
        "from the origin has displacement 2 d.",
        "The type of the truth chooses the formulas, so a wrong type still has axis errors.",
        "Objects without an output are left out of every mean.",
        "The state change of a joint is the end of its range that is farther from rest; joints "
        "without limits have none.",
    ),
    measure,
    drops_undefined=True,
)
