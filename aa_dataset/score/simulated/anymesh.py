# SPDX-License-Identifier: Apache-2.0
"""The ground truth as Articulate AnyMesh writes it: a list of parts, without limits."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.readers.anymesh import FILE, normalization_of
from aa_dataset.score.registration.normalization import normalizing
from aa_dataset.score.simulated.forced import as_turn, without_body_and_mimic, without_limits
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

ROOT = "base"


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return all joints without limits and couplings, helical ones as turns."""
    parts = {tree.root: ROOT}
    parts |= {joint.child: f"part@{number}" for number, joint in enumerate(tree.joints)}
    joints = [
        replace(
            without_limits(as_turn(without_body_and_mimic(joint))),
            name=parts[joint.child], parent=parts[joint.parent], child=parts[joint.child],
        )
        for joint in tree.joints
    ]  # fmt: skip
    return KinematicTree(tree.name, tuple(parts.values()), tuple(joints))


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the list in the method's frame; the base comes last, as in the method's own."""
    draw = Random(setting.seed)
    moved = normalizing(normalization_of(np.eye(3)), setting.shape).tree(tree)
    rows = [_row(number, joint, draw) for number, joint in enumerate(moved.joints)]
    rows.append({"id": len(rows), "parent": None, "joint": "fixed", "name": ROOT, "jointData": {}})
    return Written({FILE: json.dumps(rows).encode()}, {})


def _row(number: int, joint: Joint, draw: Random) -> dict[str, Any]:
    """Return a part; the sign of an axis is arbitrary, and the length of that of a slide."""
    axis = draw.choice((-1.0, 1.0)) * joint.axis
    origin = joint.origin
    if joint.type is JointType.PRISMATIC:  # the method's arrow lies between two points of the part
        axis, origin = draw.uniform(0.1, 1.0) * axis, np.zeros(3)
    where = {"origin": origin.tolist(), "direction": axis.tolist()}
    data = {} if joint.type is JointType.FIXED else {"axis": where}
    words = {"parent": joint.parent, "joint": str(joint.type), "name": joint.name}
    return {"id": number, **words, "jointData": data}


SIMULATED = SimulatedMethod("anymesh", keep_expressible, write)
