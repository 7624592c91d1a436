# SPDX-License-Identifier: Apache-2.0
"""Checks of the tree together with its geometry: what moves, and what is connected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aa_dataset.kinematics import Joint, JointType
from aa_dataset.portable import length
from pipeline.base.reasons import Code, Finding, Severity
from pipeline.stages.verify.contact import Contact
from pipeline.stages.verify.evidence import Evidence

# Larger trees get a finding, for models of fixed size.
USUAL_LINKS, USUAL_DEPTH = 100, 8
AXIS_GAP = 0.5  # of the diagonal: a door swings about its edge, a ferris wheel's car about its hub
PART_GAP = 0.05  # of the diagonal: parts of real objects are modeled with small gaps
MOST_PAIRS = 5000  # of links that are compared for that; beyond it, `sweep_partial` is reported


def check_motion(evidence: Evidence) -> Iterator[Finding]:
    """Find joints without geometry below them, and objects in which nothing moves."""
    movable = evidence.tree.movable
    empty = [joint for joint in movable if evidence.moved_bounds(joint) is None]
    if len(empty) == len(movable):
        what = "no movable joint has geometry below it" if movable else "every joint is fixed"
        yield Finding(Code.MOVABLE_NONE, f"{what}.", Severity.ERROR)
        return
    for joint in empty:
        detail = f"joint {joint.name}: no link below it has geometry, so that nothing moves."
        yield Finding(Code.JOINT_MOVES_NOTHING, detail)


def check_counts(evidence: Evidence) -> Iterator[Finding]:
    """Find trees with unusually many links, or unusually many movable joints in a row."""
    links, depth = len(evidence.tree.links), evidence.tree.depth
    if links > USUAL_LINKS:
        yield Finding(Code.LINKS_MANY, f"the object has {links} links.", Severity.INFO)
    if depth > USUAL_DEPTH:
        detail = f"{depth} movable joints lie in a row between the base and a link."
        yield Finding(Code.TREE_DEEP, detail, Severity.INFO)


def check_joint_places(evidence: Evidence) -> Iterator[Finding]:
    """Find hinges whose axis passes far from everything that they turn."""
    for joint in evidence.tree.movable:
        bounds = evidence.moved_bounds(joint)
        if bounds is None or joint.type is JointType.PRISMATIC:
            continue
        gap = axis_gap(joint, bounds)
        if gap > AXIS_GAP * evidence.diagonal:
            yield Finding(
                Code.JOINT_FAR,
                f"joint {joint.name}: its axis passes {gap:.3g} m from the box of what it turns, "
                f"{gap / evidence.diagonal:.2g} times the diagonal of the object.",
            )


def axis_gap(joint: Joint, bounds: np.ndarray, rounds: int = 60) -> float:
    """Return the distance [m] between a joint's axis and a box (2, 3), 0 if they meet.

    The distance to a box is convex along the line, so bisection finds its minimum.
    """
    reach = float(length(bounds - joint.origin).sum()) + 1e-12
    low, high = -reach, reach
    for _ in range(rounds):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if _axis_point_gap(joint, bounds, first) <= _axis_point_gap(joint, bounds, second):
            high = second
        else:
            low = first
    return _axis_point_gap(joint, bounds, (low + high) / 2)


def _axis_point_gap(joint: Joint, bounds: np.ndarray, place: float) -> float:
    point = joint.origin + place * joint.axis
    return float(length(np.maximum(np.maximum(bounds[0] - point, point - bounds[1]), 0)))


def check_floating(evidence: Evidence) -> Iterator[Finding]:
    """Find groups of links that are far from everything else at rest."""
    least = PART_GAP * evidence.diagonal
    contact = Contact(evidence, least, MOST_PAIRS)
    groups = contact.loose_groups()
    if contact.pairs_left < 0:
        detail = (
            f"more than {MOST_PAIRS} pairs of links lie near each other; floating parts not sought."
        )
        yield Finding(Code.SWEEP_PARTIAL, detail, Severity.INFO)
    for group in groups:
        gap = contact.gap(group)
        more = f" with {len(group) - 1} more" if len(group) > 1 else ""
        yield Finding(
            Code.PART_FLOATING,
            f"link {group[0]}{more}: nothing else is nearer than {gap:.3g} m, "
            f"{100 * gap / evidence.diagonal:.2g} % of the object's size.",
        )
