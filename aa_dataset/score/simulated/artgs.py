# SPDX-License-Identifier: Apache-2.0
"""The ground truth as ArtGS writes it: one level of hinges and sliders, without limits."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.readers.artgs import FILE, NO_PARENT, STILL
from aa_dataset.score.simulated.forced import (
    as_revolute,
    star,
    without_body_and_mimic,
    without_limits,
)
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return every moving part on the root, as a hinge or slider without limits."""
    joints = [
        replace(without_limits(as_revolute(without_body_and_mimic(joint))), name=f"joint_{number}")
        for number, joint in enumerate(tree.movable, start=1)
    ]
    return star(tree.name, joints, root="link_0", link="link_{}")


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the list; the cameras are in the object frame [m]."""
    draw = Random(setting.seed)
    still = {"id": 0, "parent": NO_PARENT, "name": "root", "joint": STILL, "jointData": {}}
    moving = [_row(k, joint, draw) for k, joint in enumerate(tree.joints, start=1)]
    rows = [row | {"visuals": [f"meshes/start_{row['id']}.ply"]} for row in [still, *moving]]
    return Written({FILE: json.dumps(rows, indent=4).encode()}, {})


def _row(number: int, joint: Joint, draw: Random) -> dict[str, Any]:
    """Return a part; the sign of an axis is that of a change of state, which is arbitrary."""
    kind = "slider" if joint.type is JointType.PRISMATIC else "hinge"
    axis = draw.choice((-1.0, 1.0)) * joint.axis
    # A slide has no place in this method.
    origin = np.zeros(3) if kind == "slider" else joint.origin
    data = {"axis": {"origin": origin.tolist(), "direction": axis.tolist()}, "limit": {}}
    return {"id": number, "parent": 0, "name": joint.name, "joint": kind, "jointData": data}


SIMULATED = SimulatedMethod("artgs", keep_expressible, write)
