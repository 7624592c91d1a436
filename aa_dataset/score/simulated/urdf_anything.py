# SPDX-License-Identifier: Apache-2.0
"""The ground truth as the JSON of URDF-Anything: links, joints, and the record of the unit ball."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.readers.urdf_anything import ALIGNED, BASE, RAW
from aa_dataset.score.simulated.pieces import bounded
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the tree below the base under the method's names, with both ends of ranges or none."""
    names = {link: f"link_{number}" for number, link in enumerate(tree.links)}
    zero, travel = np.zeros(3), float(setting.shape.extents.max())
    first = Joint("joint_0", JointType.FIXED, zero, zero, parent=BASE, child=names[tree.root])
    joints = [
        replace(
            _expressible_joint(joint, travel),
            name=f"joint_{number}",
            parent=names[joint.parent],
            child=names[joint.child],
        )
        for number, joint in enumerate(tree.joints, start=1)
    ]
    return KinematicTree(tree.name, (BASE, *names.values()), (first, *joints))


def _expressible_joint(joint: Joint, travel: float) -> Joint:
    bare = replace(joint, body=None, mimic=None)
    if joint.type is JointType.HELICAL:
        bare = replace(bare, type=JointType.REVOLUTE, pitch=0.0)
    is_open = joint.type is JointType.CONTINUOUS or not joint.is_movable
    absent = joint.limit_source is LimitSource.ABSENT
    return bare if is_open or absent else bounded(bare, travel)


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write what the script of the method writes about one object, without the truth in it."""
    shape = setting.shape
    to_ball = Similarity(shape.farthest, np.eye(3), shape.centroid).inverse()
    ball = to_ball.tree(tree)
    # All link frames are parallel to the frame of the ball.
    places = {ball.root: np.zeros(3), **{joint.child: joint.origin for joint in ball.joints}}
    answer = {
        "links": {link: "furniture_body" for link in ball.links[1:]},
        "joints": [_entry(joint, joint.origin - places[joint.parent]) for joint in ball.joints],
    }
    words = json.dumps(answer)
    content = {
        RAW: words,
        ALIGNED: words,
        "alignment": {"method": "identity", "permutation": list(range(len(ball.joints)))},
        "normalize": {"centroid": shape.centroid.tolist(), "scale": shape.farthest},
    }
    return Written({f"{setting.object_id}_0.json": json.dumps(content, indent=4).encode()}, {})


def _entry(joint: Joint, place: np.ndarray) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": joint.name,
        "type": str(joint.type),
        "parent": joint.parent,
        "child": joint.child,
        "origin": {"xyz": place.tolist(), "rpy": [0.0, 0.0, 0.0]},
        "axis": joint.axis.tolist(),
    }
    if joint.is_movable and math.isfinite(joint.lower):
        entry["limit"] = {"lower": joint.lower, "upper": joint.upper}
    return entry


SIMULATED = SimulatedMethod("urdf_anything", keep_expressible, write)
