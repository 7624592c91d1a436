# SPDX-License-Identifier: Apache-2.0
"""The ground truth as Articraft's `model.json`.

Every joint frame is turned against its parent's, as authors are free to do. The USDZ with the
shapes is not written.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import pose_matrix
from aa_dataset.portable import applied, inverse, product
from aa_dataset.score.simulated.forced import as_turn, without_body_and_mimic, without_limits
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

Array = NDArray[np.float64]

RPY = (math.pi / 2, 0.0, math.pi / 4)


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the tree with helical joints as turns; limits that are infinite are not stated."""
    return KinematicTree(tree.name, tree.links, tuple(map(_expressible_joint, tree.joints)))


def _expressible_joint(joint: Joint) -> Joint:
    joint = as_turn(without_body_and_mimic(joint))
    if joint.limits == (-math.inf, math.inf):
        return without_limits(joint)
    return replace(joint, limit_source=LimitSource.GIVEN)


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the manifest of `keep_expressible`'s tree."""
    frames = {tree.root: np.eye(4)}
    rows = []
    for joint in tree.joints:
        back = inverse(frames[joint.parent])
        xyz = tuple((applied(back[:3, :3], joint.origin) + back[:3, 3]).tolist())
        frame = product(frames[joint.parent], pose_matrix(xyz, RPY))
        frames[joint.child] = frame
        rows.append(_content(joint, xyz, applied(frame[:3, :3].T, joint.axis)))
    manifest = {
        "name": setting.object_id,
        "units": "meters",
        "meters_per_unit": 1.0,
        "up_axis": "Z",
        "parts": [{"name": link, "mass": None, "shapes": []} for link in tree.links],
        "articulations": rows,
    }
    return Written({"model.json": (json.dumps(manifest, indent=2) + "\n").encode()}, {})


def _content(joint: Joint, xyz: tuple[float, ...], axis: Array) -> dict[str, Any]:
    limits: dict[str, float | None] = {"effort": 1.0, "velocity": 1.0, "lower": None, "upper": None}
    if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
        for key, end in zip(("lower", "upper"), joint.limits, strict=True):
            limits[key] = end if math.isfinite(end) else None
    return {
        "name": joint.name,
        "type": str(joint.type),
        "parent": joint.parent,
        "child": joint.child,
        "origin": {"xyz": list(xyz), "rpy": list(RPY)},
        "axis": axis.tolist(),
        "motion_limits": limits if joint.is_movable else None,
    }


SIMULATED = SimulatedMethod("articraft", keep_expressible, write)
