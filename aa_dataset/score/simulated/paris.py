# SPDX-License-Identifier: Apache-2.0
"""The ground truth as PARIS writes it: the main joint's motion between two states, as float32."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.screws import exp_twist, revolute_screw
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.readers.paris import JOINT, PART, ROOT
from aa_dataset.score.simulated.forced import only_main
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

FILE = "it5000_test_motion.json"  # of the default number of steps


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the main joint alone, which moves from rest to its second state."""
    return only_main(tree, setting, "PARIS", joint=JOINT, links=(ROOT, PART))


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the motion; the cameras are in the object frame [m]."""
    (joint,) = tree.joints
    moved = joint.upper if joint.upper > 0.0 else joint.lower
    motion = _slide(joint, moved) if joint.type is JointType.PRISMATIC else _turn(joint, moved)
    return Written({FILE: json.dumps(motion).encode()}, {})


def _turn(joint: Joint, moved: float) -> dict[str, Any]:
    """Return a rotation, whose angle is never negative."""
    axis = math.copysign(1.0, moved) * joint.axis
    turn = exp_twist(moved * revolute_screw(joint.axis, np.zeros(3)))[:3, :3]
    line = {"type": "rotate", "axis_o": _as_float32(joint.origin), "axis_d": _as_float32(axis)}
    return line | {"rot_angle": _as_float32([math.degrees(abs(moved))]), "R": _as_float32(turn)}


def _slide(joint: Joint, moved: float) -> dict[str, Any]:
    line = {
        "type": "translate",
        "axis_o": _as_float32(joint.origin),
        "axis_d": _as_float32(joint.axis),
    }
    return line | {"dist": _as_float32([moved])}


def _as_float32(values: ArrayLike) -> Any:
    """Return lists of numbers as float32, the type of the method's parameters."""
    return np.asarray(values, dtype=np.float32).tolist()


SIMULATED = SimulatedMethod("paris", keep_expressible, write)
