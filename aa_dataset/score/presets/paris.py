# SPDX-License-Identifier: Apache-2.0
"""What PARIS reports (3dlg-hcvc/paris, ``systems/criterions.py`` and ``systems/base.py``)."""

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

DEGREES = 180 / math.pi


def measure(pairs: Sequence[JointPair]) -> list[Values]:
    """Return the values of every pair; the truth's type chooses the metric."""
    return [_measure_pair(pair) for pair in pairs]


def _measure_pair(pair: JointPair) -> Values:
    kind = "rotate" if is_rotation(pair.truth) else "translate"
    names = ("ang_err", "pos_err", "geo_dist") if kind == "rotate" else ("ang_err", "trans_err")
    predicted, truth = pair.predicted, pair.truth
    if predicted is None or not predicted.is_movable:
        return {f"{kind}/{name}": None for name in names}
    a, b = vector(predicted.axis), vector(truth.axis)
    angle = arccos(abs(dot(a, b) / (norm(a) * norm(b)))) * DEGREES
    found, wanted = state_change(predicted), state_change(truth)
    known = found is not None and wanted is not None
    if kind == "rotate":
        return {
            "rotate/ang_err": angle,
            "rotate/pos_err": _position_error(predicted, truth),
            "rotate/geo_dist": _geodesic(a, b, found or 0.0, wanted or 0.0) if known else None,
        }
    moved = _translation_error(a, b, found or 0.0, wanted or 0.0) if known else None
    return {"translate/ang_err": angle, "translate/trans_err": moved}


def _position_error(predicted: Joint, truth: Joint) -> float:
    """Return the distance of two lines [m], 0 for exactly parallel ones however far apart."""
    normal = cross(vector(predicted.axis), vector(truth.axis))
    if normal == (0.0, 0.0, 0.0):
        return 0.0
    offset = minus(vector(truth.origin), vector(predicted.origin))
    return abs(dot(offset, normal)) / norm(normal)


def _geodesic(a: Vector, b: Vector, found: float, wanted: float) -> float:
    """Return the angle [deg] of the rotation that is left between two rotations.

    With the real part w of their quotient as quaternions, ``(trace - 1) / 2 = 2 w^2 - 1``.
    """
    p, q = found / 2, wanted / 2
    w = math.cos(p) * math.cos(q) + math.sin(p) * math.sin(q) * dot(a, b)
    return math.acos(max(-1.0, min(1.0, 2 * w * w - 1))) * DEGREES


def _translation_error(a: Vector, b: Vector, found: float, wanted: float) -> float:
    """Return the distance [m] of the translations, the predicted one doubled as in that code."""
    return norm(minus(times(a, 2.0 * found), times(b, wanted)))


PARIS = Preset(
    "paris",
    "PARIS",
    "3dlg-hcvc/paris, systems/criterions.py, systems/prismatic.py",
    "one-joint",
    (
        Column("rotate/ang_err", "deg", "angle between axes up to sign"),
        Column("rotate/pos_err", "m", "distance of axes"),
        Column("rotate/geo_dist", "deg", "angle between the rotations of the state change"),
        Column("translate/ang_err", "deg", "angle between axes up to sign"),
        Column("translate/trans_err", "m", "distance between the translations"),
    ),
    (
        "Exactly parallel axes have position error 0, however far apart they are.",
        "The predicted translation is doubled once too often, so a perfect slide of "
        "length d has the error d.",
        "The method is given the type, so there is no type error: the truth's type chooses the "
        "metric.",
        "The arc cosine is not clipped; one undefined value makes a mean undefined.",
        "The state change of a joint is the end of its range that is farther from rest; joints "
        "without limits have none.",
    ),
    measure,
)
