# SPDX-License-Identifier: Apache-2.0
"""What the formats of methods force on a tree: types they lack, limits, a change of state."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.simulated.setting import Setting

# The second state of a joint without an end, which a method sees: no range, only a change.
QUARTER_TURN, SHORT_SLIDE = math.pi / 2, 0.1  # rad, m


def without_body_and_mimic(joint: Joint, **changes: Any) -> Joint:
    """Return a joint without body and coupling, which no method predicts."""
    return replace(joint, body=None, mimic=None, **changes)


def as_turn(joint: Joint) -> Joint:
    """Return a helical joint as the turn in it: its slide is lost."""
    if joint.type is not JointType.HELICAL:
        return joint
    return replace(joint, type=JointType.REVOLUTE, pitch=0.0)


def as_revolute(joint: Joint) -> Joint:
    """Return any joint that turns as a revolute one, which may then lack its limits."""
    turns = (JointType.CONTINUOUS, JointType.HELICAL)
    return replace(joint, type=JointType.REVOLUTE, pitch=0.0) if joint.type in turns else joint


def without_limits(joint: Joint) -> Joint:
    """Return a joint whose limits the file does not state; a type without limits stays."""
    if joint.type in (JointType.FIXED, JointType.CONTINUOUS):
        return joint
    return replace(joint, lower=-math.inf, upper=math.inf, limit_source=LimitSource.ABSENT)


def with_limits(joint: Joint, one: float, other: float) -> Joint:
    """Return a turn or slide between two coordinates, which the file states."""
    kind = JointType.PRISMATIC if joint.type is JointType.PRISMATIC else JointType.REVOLUTE
    lower, upper = min(one, other), max(one, other)
    given = LimitSource.GIVEN
    return without_body_and_mimic(
        joint, type=kind, pitch=0.0, lower=lower, upper=upper, limit_source=given
    )


def second_state(joint: Joint) -> float:
    """Return the coordinate of the second state that a method sees: the end farther from rest.

    It is at most half a turn away: two states do not tell a longer turn from the shorter one to the
    same place.
    """
    far = joint.upper if joint.upper >= -joint.lower else joint.lower
    slides = joint.type is JointType.PRISMATIC
    if not math.isfinite(far):
        return math.copysign(SHORT_SLIDE if slides else QUARTER_TURN, far)
    return far if slides else max(-math.pi, min(far, math.pi))


def only_main(
    tree: KinematicTree, setting: Setting, method: str, *, joint: str, links: tuple[str, str]
) -> KinematicTree:
    """Return the one joint that a method is shown, from rest to its second state, renamed."""
    if not setting.main:
        raise ArenaError(f"{setting.object_id} has no joint that moves; {method} needs one.")
    main = tree.joint(setting.main)
    changed = with_limits(main, 0.0, second_state(main))
    kept = replace(changed, name=joint, parent=links[0], child=links[1])
    return KinematicTree(tree.name, links, (kept,))


def star(name: str, joints: Iterable[Joint], *, root: str, link: str) -> KinematicTree:
    """Return a tree whose joints all hang at the root; links are ``link`` with their number."""
    edges = tuple(
        replace(joint, parent=root, child=link.format(number))
        for number, joint in enumerate(joints, start=1)
    )
    return KinematicTree(name, (root, *(edge.child for edge in edges)), edges)
