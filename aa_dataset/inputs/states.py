# SPDX-License-Identifier: Apache-2.0
"""The two states in which a method sees an object."""

from __future__ import annotations

import math

from aa_dataset.inputs.seeds import fraction
from aa_dataset.kinematics import Joint, KinematicTree

REST, MOVED = "rest", "moved"
STATES = (REST, MOVED)
# The share of the way from rest to the farther end of a range, and the turn of an endless joint.
SHARE = (0.4, 0.9)
TURN_RAD = (math.pi / 6, math.pi / 2)


def second_state(tree: KinematicTree, object_id: str, seed: int) -> dict[str, float]:
    """Return the coordinate of every independent joint in the second state [rad or m].

    Every joint has a random number of its own, from the seed, the object and the joint's name.
    Joints that follow another are not listed: `KinematicTree.placements` moves them.
    """
    return {
        joint.name: _coordinate(joint, fraction(seed, object_id, "state", joint.name))
        for joint in tree.movable
        if joint.mimic is None
    }


def _coordinate(joint: Joint, number: float) -> float:
    """Return the coordinate for a number in [0, 1); a slide without an end stays where it is."""
    if math.isfinite(joint.lower) and math.isfinite(joint.upper):
        start = min(max(0.0, joint.lower), joint.upper)
        far = max(joint.limits, key=lambda end: abs(end - start))
        return start + (SHARE[0] + (SHARE[1] - SHARE[0]) * number) * (far - start)
    if not joint.screw[:3].any():
        return 0.0
    return TURN_RAD[0] + (TURN_RAD[1] - TURN_RAD[0]) * number
