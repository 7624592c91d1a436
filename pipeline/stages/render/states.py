# SPDX-License-Identifier: Apache-2.0
"""The states that the pictures show: every joint at the end of its travel, and one by one."""

from __future__ import annotations

import math

from aa_dataset.kinematics import Joint, JointType, KinematicTree

TURN = 2 * math.pi
THIRD, SHIFT = TURN / 3, 0.7  # rad: of a joint that turns for ever, and of the next such joint
NEARLY_FULL = 0.95 * TURN  # a hinge that ends here looks as at rest
SHOWN = 4  # frames in which a joint moves at least

State = dict[str, float]


def open_state(tree: KinematicTree, *, longest: float = math.inf) -> State:
    """Return joint coordinates [rad or m] with every independent joint at the end of its travel.

    Parameters
    ----------
    longest : float [m]
        Slides and advances of screws are shown as far as this, since beside a travel of a hundred
        meters nobody would see the object.

    Notes
    -----
    The end is the one that is farther from rest. A joint that turns for ever, or by a full turn,
    turns by a third, and each of them by a little more than the one before, so that the hands of
    a clock part.
    """
    free = [joint for joint in tree.movable if joint.mimic is None]
    return {
        joint.name: _shortened(joint, _end(joint, number), longest)
        for number, joint in enumerate(free)
    }


def _shortened(joint: Joint, end: float, longest: float) -> float:
    """Return an end, or a nearer one on the same side whose advance is `longest`."""
    per_unit = {JointType.PRISMATIC: 1.0, JointType.HELICAL: abs(joint.pitch)}.get(joint.type, 0.0)
    return end if abs(end) * per_unit <= longest else math.copysign(longest / per_unit, end)


def _end(joint: Joint, number: int) -> float:
    far = joint.upper if abs(joint.upper) >= abs(joint.lower) else joint.lower
    if joint.type is JointType.PRISMATIC:
        return far if math.isfinite(far) else 0.0
    if joint.type is JointType.HELICAL and math.isfinite(far):
        return far  # several turns, of which the advance is seen
    if joint.type is JointType.HELICAL:
        return math.copysign(TURN, far)
    turns = joint.type is JointType.CONTINUOUS or abs(far) > NEARLY_FULL
    return THIRD + SHIFT * number if turns else far


def strip_states(tree: KinematicTree, frames: int, *, longest: float = math.inf) -> list[State]:
    """Return the states of an animation that moves the joints out and back, one after the other.

    The first frame is the rest state. Every joint gets the same even
    number of frames, at least four, so that it is at its end in one of them and the way back
    repeats the way out; there are at most `frames`. Where there are too many joints for that, they
    move at the same time as their neighbors. Their ends are those of `open_state`.
    """
    ends = open_state(tree, longest=longest)
    if not ends or frames < 2:
        return []
    count = len(ends)
    fits = frames // (2 * count) >= SHOWN // 2
    total = 2 * count * (frames // (2 * count)) if fits else frames
    width = 1 / count if fits else min(1.0, SHOWN / frames)
    start = 0.0 if count == 1 else (1 - width) / (count - 1)
    return [
        {
            name: end * _share((frame / total - number * start) / width)
            for number, (name, end) in enumerate(ends.items())
        }
        for frame in range(total)
    ]


def _share(progress: float) -> float:
    """Return how far a joint is on its way, out and back, rounded so that both are the same."""
    if not 0 < progress < 1:
        return 0.0
    return round(math.sin(math.pi * progress) ** 2, 9)
