# SPDX-License-Identifier: Apache-2.0
"""What Articulate-Anything reports, as the paper prints it and as its released code computes it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aa_dataset.metric.components import ComponentErrors, component_errors
from aa_dataset.score.presets.common import Column, JointPair, Preset, Values

NAMES = ("joint_type", "joint_axis", "joint_origin", "range_diff", "direction_diff", "success")


def measure_paper(pairs: Sequence[JointPair]) -> list[Values]:
    """Return the values by the formulas of the ArticulateArena paper, section 3.2."""
    silent: Values = dict.fromkeys(NAMES)
    return [
        silent
        if pair.predicted is None
        else _values(component_errors(pair.predicted, pair.truth, variant="strict"))
        for pair in pairs
    ]


def measure_code(pairs: Sequence[JointPair]) -> list[Values]:
    """Return the values by the released code, whose worst case of a missing joint is infinite."""
    return [_measure_released(pair) for pair in pairs]


def _measure_released(pair: JointPair) -> Values:
    if pair.predicted is None:
        worst: Values = dict.fromkeys((*NAMES, "joint_origin_orientation"), math.inf)
        return worst | {"joint_type": 0.0, "success": 0.0}
    errors = component_errors(
        pair.predicted, pair.truth, variant="released", frame_rotation=pair.frame_rotation
    )
    return _values(errors) | {"joint_origin_orientation": pair.frame_rotation}


def _values(errors: ComponentErrors) -> Values:
    numbers = (
        1.0 - errors.type_error,
        errors.axis_error,
        errors.origin_error,
        errors.range_error,
        errors.direction_error,
        float(errors.success),
    )
    return dict(zip(NAMES, numbers, strict=True))


_COLUMNS = (
    Column("success", "1", "share of pairs whose gated components are within tolerance"),
    Column("joint_type", "1", "share of pairs with the right type"),
    Column("joint_axis", "rad", "angle between axes up to sign"),
    Column("joint_origin", "m", "distance of axes for hinges, of origins otherwise"),
    Column("range_diff", "rad or m", "length of the difference of motion vectors"),
    Column("direction_diff", "1", "one minus the cosine between motion vectors"),
)

PAPER = Preset(
    "articulate-anything-paper",
    "Articulate-Anything, by the formulas of the paper",
    "ArticulateArena paper, section 3.2 and appendix B",
    "one-joint",
    _COLUMNS,
    (
        "Origin errors of exactly parallel axes are 0/0 and fail: a perfect hinge has no success.",
        "A joint written with the opposite axis and negated limits has direction error 2.",
        "Success gates type, axis < 0.25 rad and origin < 0.05 m; limits are not gated.",
        "The range error adds rad and m; joints without limits have none.",
        "Objects without an output are left out; undefined values are left out of the means.",
    ),
    measure_paper,
    drops_undefined=True,
)
CODE = Preset(
    "articulate-anything-code",
    "Articulate-Anything, as released",
    "vlongle/articulate-anything, articulate_anything/utils/metric.py",
    "all-joints",
    (*_COLUMNS, Column("joint_origin_orientation", "rad", "angle between the joint frames")),
    (
        "The origin gate is the mean of the origin error [m] and the angle between the joint "
        "frames [rad] against 0.05, so an offset of 99 mm passes. Trees have no joint frames, "
        "so the angle is 0 here.",
        "Limits are compared with both signs of the axis: a door that opens the wrong way has "
        "range and direction error 0, and the direction gate can never fail.",
        "The origin error of parallel hinges is one arbitrary component of their distance: 1 m "
        "apart along x counts 0, along y 1. It is undefined for the predicted axis (-1, 0, 0), "
        "and undefined values pass the gates.",
        "Slides are forgiven every origin and limit error.",
        "A missing joint fails with infinite errors, so one missing joint makes a mean infinite. "
        "The project reports the success rate only.",
        "A missing limit counts as 0. The project keeps the best of several runs by the truth; "
        "here there is one run.",
    ),
    measure_code,
)
