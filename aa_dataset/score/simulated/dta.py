# SPDX-License-Identifier: Apache-2.0
"""The ground truth as DigitalTwinArt writes it: a rigid motion per part, from either state.

The method writes a file per order of the true joints. Only the right one is written, which a user
must keep as well.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.screws import exp_twist
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import dot
from aa_dataset.score.simulated.forced import second_state, star, with_limits
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return what moves between two states, on the root."""
    moving = [joint for joint in tree.movable if second_state(joint)]
    joints = [
        replace(with_limits(joint, 0.0, second_state(joint)), name=f"joint_{number}")
        for number, joint in enumerate(moving)
    ]
    return star(tree.name, joints, root="part_0", link="part_{}")


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write both directions; the cameras are in the object frame [m]."""
    order = "".join(str(number) for number in range(len(tree.joints)))
    word = f"p{order}_" if 1 < len(tree.joints) <= 10 else ""  # as far as digits go
    moves = [joint.upper if joint.upper > 0.0 else joint.lower for joint in tree.joints]
    there = [_motion(joint, moved) for joint, moved in zip(tree.joints, moves, strict=True)]
    back = [_motion(joint, -moved) for joint, moved in zip(tree.joints, moves, strict=True)]
    files = {"init": there, "last": back}
    return Written(
        {f"{state}_{word}motion.json": json.dumps(rows).encode() for state, rows in files.items()},
        {},
    )


def _motion(joint: Joint, moved: float) -> dict[str, Any]:
    """Return the rigid motion of a part; its size is never negative."""
    placed = exp_twist(moved * joint.screw)
    axis = math.copysign(1.0, moved) * joint.axis
    slides = joint.type is JointType.PRISMATIC
    # The point of the axis nearest to the origin; a slide has none.
    point = joint.origin - dot(joint.axis, joint.origin) * joint.axis
    return {
        "axis_position": [0.0, 0.0, 0.0] if slides else np.asarray(point).tolist(),
        "axis_direction": axis.tolist(),
        "theta": abs(moved) if slides else math.degrees(abs(moved)),
        "rotation": placed[:3, :3].tolist(),
        "translation": placed[:3, 3].tolist(),
    }


SIMULATED = SimulatedMethod("dta", keep_expressible, write)
