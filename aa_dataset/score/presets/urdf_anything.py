# SPDX-License-Identifier: Apache-2.0
"""What URDF-Anything reports (LZVSDY/URDF-Anything_CODE, ``scripts/eval_metric.py``)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.score.presets.common import (
    Average,
    Column,
    JointPair,
    Preset,
    Values,
    axis_angle,
    line_distance,
    minus,
    norm,
    vector,
)

ANGULAR_CUTOFF = 0.25  # rad
ORIGIN_CUTOFF = 0.05  # mean of m and rad
PARALLEL = 1e-6
RATES = ("type_correct", "axis_within", "origin_within", "success")
ERRORS = ("axis_angle_error", "origin_xyz_error", "origin_orientation_error", "origin_combined")


def measure(pairs: Sequence[JointPair]) -> list[Values]:
    """Return the values of every pair; a missing joint fails every rate and has no errors."""
    return [_measure_pair(pair) for pair in pairs]


def _measure_pair(pair: JointPair) -> Values:
    predicted, truth = pair.predicted, pair.truth
    if predicted is None:
        missed: Values = dict.fromkeys(RATES, 0.0)
        return missed | dict.fromkeys(ERRORS)
    right = _type_word(predicted) == _type_word(truth)
    axis = _axis_error(predicted, truth)
    origin = _origin_error(predicted, truth)
    combined = 0.5 * (origin + pair.frame_rotation)
    near, close = axis <= ANGULAR_CUTOFF, combined <= ORIGIN_CUTOFF
    rates = (right, near, close, right and near and close)
    errors = (axis, origin, pair.frame_rotation, combined)
    return {
        **dict(zip(RATES, map(float, rates), strict=True)),
        **dict(zip(ERRORS, errors, strict=True)),
    }


def _type_word(joint: Joint) -> str:
    """Return the joint's type as a URDF writes it; a screw is a hinge with a coupled slide."""
    return "revolute" if joint.type is JointType.HELICAL else joint.type.value


def _axis_error(predicted: Joint, truth: Joint) -> float:
    fixed = [joint.type is JointType.FIXED for joint in (predicted, truth)]
    if any(fixed):
        return 0.0 if all(fixed) else math.pi / 2
    return axis_angle(vector(predicted.axis), vector(truth.axis))


def _origin_error(predicted: Joint, truth: Joint) -> float:
    points = vector(predicted.origin), vector(truth.origin)
    apart = norm(minus(*points))
    if _type_word(truth) != "revolute" or predicted.type is JointType.FIXED:
        return apart
    axes = vector(predicted.axis), vector(truth.axis)
    distance = line_distance(points, axes, parallel=PARALLEL)
    return apart if math.isnan(distance) else distance


def _error_columns() -> tuple[Column, ...]:
    meanings = (
        ("rad", "angle between axes up to sign"),
        ("m", "distance of axes for revolute joints, of origins otherwise"),
        ("rad", "angle between the joint frames"),
        ("m and rad", "mean of the two origin errors"),
    )
    averages = (("mean", Average.MEAN), ("median", Average.MEDIAN), ("std", Average.DEVIATION))
    return tuple(
        Column(f"{name}/{word}", unit, meaning, value=name, average=average)
        for name, (unit, meaning) in zip(ERRORS, meanings, strict=True)
        for word, average in averages
    )


URDF_ANYTHING = Preset(
    "urdf-anything",
    "URDF-Anything",
    "LZVSDY/URDF-Anything_CODE, scripts/eval_metric.py",
    "all-joints",
    (
        Column("type_correct", "1", "share of joints with the right type", digits=4),
        Column("axis_within", "1", "share of joints with an axis error up to 0.25 rad", digits=4),
        Column(
            "origin_within",
            "1",
            "share of joints with a combined origin error up to 0.05",
            digits=4,
        ),
        Column("success", "1", "share of joints with all three", digits=4),
        *_error_columns(),
    ),
    (
        "The origin gate is the mean of the origin error [m] and the angle between the joint "
        "frames [rad] against 0.05, so an offset of 0.1 m passes. Trees have no joint frames, "
        "so the angle is 0 here.",
        "The position error of parallel hinges is one arbitrary component of their distance.",
        "Continuous joints are compared by the distance of their origins.",
        "Limits are not compared, and extra joints cost nothing.",
        "A missing joint fails every rate but is left out of the errors. Rates have four decimals.",
    ),
    measure,
)
