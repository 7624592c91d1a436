# SPDX-License-Identifier: Apache-2.0
"""What SPARK reports: the three errors of its Table 2. Its code is not public."""

from __future__ import annotations

from collections.abc import Sequence

from aa_dataset.metric.components import component_errors
from aa_dataset.score.presets.common import Column, JointPair, Preset, Values, is_rotation


def measure(pairs: Sequence[JointPair]) -> list[Values]:
    """Return axis, pivot and type error of every pair; slides have no pivot."""
    return [_measure_pair(pair) for pair in pairs]


def _measure_pair(pair: JointPair) -> Values:
    hinge = is_rotation(pair.truth)
    if pair.predicted is None:
        silent: Values = {"AxisErr": None, "TypeErr": None}
        return silent | ({"PivotErr": None} if hinge else {})
    errors = component_errors(
        pair.predicted, pair.truth, variant="parallel-safe", merge_continuous=True
    )
    values: Values = {"AxisErr": errors.axis_error, "TypeErr": errors.type_error}
    return values | ({"PivotErr": errors.origin_error} if hinge else {})


SPARK = Preset(
    "spark",
    "SPARK",
    "SPARK, Table 2; no public code",
    "all-joints",
    (
        Column("AxisErr", "rad", "angle between axes up to sign"),
        Column("PivotErr", "m", "distance of axes, rotations only"),
        Column("TypeErr", "1", "share of pairs with the wrong type"),
    ),
    (
        "There is no public code. The formulas are those of the common template (section 3.2 of "
        "the ArticulateArena paper), with the distance of point and line for parallel axes; "
        "units, pairing and averages are our reading.",
        "Missing joints are left out of every mean. Limits are not compared.",
    ),
    measure,
    drops_undefined=True,
)
