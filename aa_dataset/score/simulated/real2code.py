# SPDX-License-Identifier: Apache-2.0
"""The ground truth as an answer of Real2Code: joints by the edges of the boxes of their parts.

The boxes stand in the prompt with two decimals and are parallel to the object frame. The unit is
that of PartNet-Mobility, for whose objects the two decimals were chosen: their diagonal is 2.
"""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import length
from aa_dataset.score.readers.oriented_box import OrientedBox
from aa_dataset.score.readers.real2code import ANSWER, PROMPT
from aa_dataset.score.simulated.pieces import shown_link
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

Array = NDArray[np.float64]

DECIMALS = 2
DIAGONAL = 2.0
_SIGNS = (1, -1)


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the moving parts below one root, each on an axis and an edge of its numbered box.

    Parts without a shape have no box and are lost; rotations of all kinds are hinges.
    """
    joints = []
    for joint in tree.movable:
        link = shown_link(tree, joint.child, setting.triangles)
        if link:
            joints.append(_on_edge(replace(joint, child=link), setting))
    root = shown_link(tree, tree.root, setting.triangles) or tree.root
    joints = [
        replace(joint, name=f"joint_{number}", parent=root)
        for number, joint in enumerate(joints, start=1)
    ]
    return KinematicTree(tree.name, (root, *(joint.child for joint in joints)), tuple(joints))


def _on_edge(joint: Joint, setting: Setting) -> Joint:
    box, unit = _box(setting, joint.child), _unit(setting)
    along, sign, edge = _nearest(joint, box, unit)
    slides = joint.type is JointType.PRISMATIC
    return Joint(
        joint.name,
        JointType.PRISMATIC if slides else JointType.REVOLUTE,
        sign * np.eye(3)[along],
        unit * (box.center + np.insert(edge, along, 0.0) * box.extent / 2),
        -math.inf,
        math.inf,
        child=joint.child,
        limit_source=LimitSource.ABSENT,
    )


def _nearest(joint: Joint, box: OrientedBox, unit: float) -> tuple[int, int, tuple[int, int]]:
    """Return the box's direction nearest to an axis, its sign, and the edge nearest to the line."""
    along = int(np.abs(joint.axis).argmax())
    sign = 1 if joint.axis[along] > 0 else -1
    if joint.type is JointType.PRISMATIC:
        return along, sign, (1, 1)
    edges = list(itertools.product(_SIGNS, _SIGNS))
    places = [box.center + np.insert(edge, along, 0.0) * box.extent / 2 for edge in edges]
    off_line = length(np.cross(joint.axis, np.array(places) - joint.origin / unit))
    return along, sign, edges[int(off_line.argmin())]


def _unit(setting: Setting) -> float:
    """Return the length of the scene's unit [m]."""
    return float(length(setting.shape.extents)) / DIAGONAL


def _box(setting: Setting, link: str) -> OrientedBox:
    """Return the rounded box of a link, object frame, scene unit."""
    points = setting.triangles[link].reshape(-1, 3) / _unit(setting)
    lower, upper = points.min(axis=0), points.max(axis=0)
    center, extent = (lower + upper) / 2, upper - lower
    return OrientedBox(np.round(center, DECIMALS), np.eye(3), np.round(extent, DECIMALS))


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the model's answer, and the prompt with the boxes."""
    lines = ["0", "child_joints = ["]
    boxes = {}
    for number, link in enumerate(tree.links):
        if link in setting.triangles:
            boxes[number] = _box(setting, link)
    for number, joint in enumerate(tree.joints, start=1):
        along, sign, (first, second) = _nearest(joint, boxes[number], _unit(setting))
        kind = "slide" if joint.type is JointType.PRISMATIC else "hinge"
        lines.append(
            f"dict(box={number},type='{kind}',idx={along},edge=[{first},{second}],sign={sign}),"
        )
    listed = [f"{number}:{_box_text(box)}," for number, box in boxes.items()]
    prompt = "\n".join(["bboxes={", *listed, "}", "root_geom = "])
    files = {
        ANSWER: json.dumps("\n".join([*lines, "]"])).encode(),
        PROMPT: json.dumps({"model_input": prompt}).encode(),
    }
    return Written(files, {}, Similarity(_unit(setting)))


def _box_text(box: OrientedBox) -> str:
    fields = {"center": box.center, "R": box.turn, "extent": box.extent}
    return str({key: value.tolist() for key, value in fields.items()}).replace(" ", "")


SIMULATED = SimulatedMethod("real2code", keep_expressible, write)
