# SPDX-License-Identifier: Apache-2.0
"""Checks of single joints: range, stored state, axis, couplings."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from aa_dataset.kinematics import Joint, JointType
from aa_dataset.portable import length
from pipeline.base.reasons import Code, Finding, Severity
from pipeline.stages.verify.evidence import Evidence

ROUND = 1e-4  # relative: sources write 6.283 for a full turn
LONGEST_SLIDE = 1.0  # of the diagonal: a part that slides farther has left the object
TINY = 0.001  # of the diagonal, less than a pixel of a preview
# Below these angles [deg] a deviation from the frame is rounding; above, it is intended.
SKEWED_DEGREES = (0.01, 2.0)
MIMIC_SLACK = 0.01  # of a follower's range: sources round multiplier and limits independently


def check_ranges(evidence: Evidence) -> Iterator[Finding]:
    """Find stored states outside the range."""
    for joint in evidence.tree.movable:
        if joint.type is not JointType.CONTINUOUS and not joint.lower <= 0.0 <= joint.upper:
            detail = f"joint {joint.name}: the stored state 0 is not in {_span(joint)}."
            yield Finding(Code.REST_OUTSIDE_LIMITS, detail)


def check_travel(evidence: Evidence) -> Iterator[Finding]:
    """Find hinges that turn by more than a full turn, and slides longer than the object.

    A travel that normalize invented is skipped: it has the finding `limit_invented` already.
    """
    for joint in evidence.tree.movable:
        extent = joint.upper - joint.lower
        if joint.type is JointType.REVOLUTE and extent > 2 * math.pi * (1 + ROUND):
            detail = f"joint {joint.name}: turns by {extent / (2 * math.pi):.3g} rounds."
            yield Finding(Code.TURN_LONG, detail, Severity.INFO)
        longest = LONGEST_SLIDE * evidence.diagonal * (1 + ROUND)
        is_ours = joint.name in evidence.invented
        if joint.type is JointType.PRISMATIC and extent > longest and not is_ours:
            detail = (
                f"joint {joint.name}: slides by {extent:.3g} m, {extent / evidence.diagonal:.3g} "
                "times the diagonal of the object."
            )
            yield Finding(Code.TRAVEL_LONG, detail)


def check_tiny(evidence: Evidence) -> Iterator[Finding]:
    """Find joints whose whole range moves no point by a visible amount."""
    for joint in evidence.tree.movable:
        bounds = evidence.moved_bounds(joint)
        if bounds is None or joint.type is JointType.CONTINUOUS:
            continue
        reach = (joint.upper - joint.lower) * _lever(joint, bounds)
        if reach < TINY * evidence.diagonal:
            detail = (
                f"joint {joint.name}: the range {_span(joint)} moves no point by more than "
                f"{reach:.3g} m, {100 * reach / evidence.diagonal:.2g} % of the object's size."
            )
            yield Finding(Code.RANGE_TINY, detail, Severity.INFO)


def _lever(joint: Joint, bounds: np.ndarray) -> float:
    """Return how far a corner of the box moves per unit of the coordinate [m/rad or 1]."""
    if joint.type is JointType.PRISMATIC:
        return 1.0
    corners = np.array(np.meshgrid(*bounds.T)).reshape(3, -1).T
    radius = length(np.cross(corners - joint.origin, joint.axis)).max()
    return float(length([radius, joint.pitch]))


def check_axes(evidence: Evidence) -> Iterator[Finding]:
    """Find axes that deviate slightly from a direction of the frame, as by rounding or mistake.

    An axis at 30 degrees is intended; one at half a degree rarely is.
    """
    for joint in evidence.tree.movable:
        largest = np.abs(joint.axis).max()
        off = math.degrees(math.asin(min(1.0, math.sqrt(max(0.0, 1 - float(largest) ** 2)))))
        low, high = SKEWED_DEGREES
        if low < off < high:
            detail = (
                f"joint {joint.name}: the axis is {off:.2g} degrees off a direction of the frame."
            )
            yield Finding(Code.AXIS_SKEWED, detail, Severity.INFO)


def check_mimics(evidence: Evidence) -> Iterator[Finding]:
    """Find followers that their leader drives out of their own range, or away from rest."""
    for joint in evidence.tree.movable:
        if joint.mimic is None or joint.type is JointType.CONTINUOUS:
            continue
        leader = evidence.tree.joint(joint.mimic.joint)
        ends = [joint.mimic.multiplier * end + joint.mimic.offset for end in leader.limits]
        slack = MIMIC_SLACK * max(joint.upper - joint.lower, 1e-9)
        if min(ends) < joint.lower - slack or max(ends) > joint.upper + slack:
            yield Finding(
                Code.MIMIC_INCONSISTENT,
                f"joint {joint.name}: {leader.name} drives it to [{min(ends):.4g}, {max(ends):.4g}]"
                f", beyond its own range {_span(joint)}.",
            )
        elif joint.mimic.offset != 0.0:
            detail = (
                f"joint {joint.name}: follows {leader.name} with an offset of "
                f"{joint.mimic.offset:.4g}, but is stored at 0."
            )
            yield Finding(Code.MIMIC_INCONSISTENT, detail)


def _span(joint: Joint) -> str:
    return f"[{joint.lower:.6g}, {joint.upper:.6g}]"
