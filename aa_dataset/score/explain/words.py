# SPDX-License-Identifier: Apache-2.0
"""The numbers of an explanation as short text, the same in a terminal and on a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aa_dataset.draw.values import degrees, millimeters, short_number
from aa_dataset.kinematics.joints import JointType
from aa_dataset.metric.components import (
    AXIS_TOLERANCE,
    ORIGIN_TOLERANCE,
    RELEASED_DIRECTION_TOLERANCE,
    RELEASED_RANGE_TOLERANCE,
)
from aa_dataset.score.explain.gates import Gate, failures, joint_gates
from aa_dataset.score.explain.rows import Charge, JointRow, ObjectRows, TreeCost

PRICE_DIGITS = 6
TOLERANCES = (
    f"Tolerances: axis {short_number(degrees(AXIS_TOLERANCE))} deg and origin "
    f"{short_number(millimeters(ORIGIN_TOLERANCE))} mm; in `released`, for joints that turn, "
    f"origin {short_number(millimeters(2 * ORIGIN_TOLERANCE))} mm, range "
    f"{short_number(degrees(RELEASED_RANGE_TOLERANCE))} deg and direction "
    f"{short_number(RELEASED_DIRECTION_TOLERANCE)}, and an undefined error passes."
)


def price_text(value: float) -> str:
    """Return a price with enough digits to add up by hand."""
    return "undefined" if math.isnan(value) else f"{value:.{PRICE_DIGITS}g}"


def tree_standing(tree: TreeCost) -> str:
    """Return how certain a tree distance is."""
    if tree.exact is None:
        return "undefined" if math.isnan(tree.cost) else "as the welded object"
    bounds = f"not proven, within [{price_text(tree.lower)}, {price_text(tree.upper)}]"
    return "exact" if tree.exact else bounds


def sum_title(rows: ObjectRows) -> str:
    """Return what the sum of the prices is."""
    name = "sum = cost of the object" if rows.is_welded else "sum = tree distance"
    return f"{name}, {tree_standing(rows.tree)}"


def script_total(rows: ObjectRows) -> float:
    """Return the sum of the prices."""
    return math.fsum(step.cost for step in rows.script)


def length_text(value: float) -> str:
    """Return a length [m] in millimeters, from one meter on in meters."""
    if math.isnan(value):
        return "undefined"
    if abs(value) >= 1:
        return f"{short_number(value)} m"
    return f"{short_number(millimeters(value))} mm"


def root_mean_square(charge: Charge) -> float:
    """Return the RMS motion over both ends of the range [m]; E_B sums the two ends."""
    return charge.value / math.sqrt(2)


def component_text(gate: Gate, row: JointRow) -> str:
    """Return the error of one component with its unit, axis in degrees, origin in millimeters."""
    if math.isnan(gate.error):
        return "undefined"
    if gate.component == "type":
        return "same" if gate.error == 0 else "differs"
    return _measure(gate.error, gate.component, row)


def excess_text(gate: Gate, row: JointRow) -> str:
    """Return by how much a gate failed, such as ``+12.1 mm``; empty if that is not a number."""
    if math.isnan(gate.excess):
        return ""
    return f"+{_measure(gate.excess, gate.component, row)}"


def failure_text(row: JointRow, variant: str) -> str:
    """Return the verdict on a pair with its causes: ``fails: origin +12.1 mm``."""
    if row.errors[variant].success:
        return "success"
    causes = [
        f"{gate.component} {excess_text(gate, row) or component_text(gate, row)}"
        for gate in failures(joint_gates(row)[variant])
    ]
    return f"fails: {', '.join(causes) or 'an infinite error'}"


def count_text(rows: ObjectRows) -> str:
    """Return how many joints found a partner."""
    joints, predicted, matched, spurious = rows.counts
    if rows.status in ("missing", "unreadable"):
        return f"{joints} moving joints, none predicted"
    return f"{matched} of {joints} moving joints have a partner, {spurious} of {predicted} spurious"


def cost_texts(row: JointRow) -> Sequence[tuple[str, float, str]]:
    """Return name, value and reason of every distance of a row: its costs if it has no partner."""
    names = (("e_b", "E_B"), ("e_alpha", "E_alpha"), ("e_alpha_phi", "E_alpha^phi"))
    shown = [(name, row.charges[key]) for key, name in names]
    if row.is_pair:
        return [(name, charge.value, charge.undefined) for name, charge in shown]
    return [(name, charge.cost, charge.undefined) for name, charge in shown]


def _measure(value: float, component: str, row: JointRow) -> str:
    if component == "axis":
        return f"{short_number(degrees(value))} deg"
    if component == "origin":
        return f"{short_number(millimeters(value))} mm"
    if component == "direction":
        return short_number(value)
    slides = [kind == JointType.PRISMATIC for kind in (row.type, row.predicted_type)]
    if all(slides):
        return f"{short_number(millimeters(value))} mm"
    if any(slides):  # the difference of an angle and a length has no unit
        return short_number(value)
    return f"{short_number(degrees(value))} deg"
