# SPDX-License-Identifier: Apache-2.0
"""The ground truth as a tree of boxes, as SINGAPO and CAGE write it.

The object's box has its center at 0 and a diagonal of 2, y is up and z is the front. Every joint is
at its lower limit, which becomes 0. Turns are in degrees.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import length
from aa_dataset.score.readers.json_values import DEGREE
from aa_dataset.score.readers.singapo import FORCED, UPRIGHT
from aa_dataset.score.simulated.forced import without_body_and_mimic
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

Array = NDArray[np.float64]

LONGEST = 1.0  # travel of a slide, in the file's unit
ROUND = math.tau  # rad
CLASSES = {
    JointType.REVOLUTE: "door",
    JointType.PRISMATIC: "drawer",
    JointType.CONTINUOUS: "knob",
    JointType.FIXED: "handle",
}


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the tree with helical joints as slides, and a range for every hinge and slide."""
    unit = 1.0 / _centered(setting).scale
    joints = tuple(_expressible_joint(joint, LONGEST * unit) for joint in tree.joints)
    return KinematicTree(tree.name, tree.links, joints)


def _centered(setting: Setting) -> Similarity:
    """Return the map from the object frame to the file's unit and place, still z up."""
    diagonal = float(length(setting.shape.extents))
    if diagonal == 0.0:
        raise ArenaError(f"{setting.object_id} has no size. Give it a shape.")
    scale = 2.0 / diagonal
    return Similarity(scale, np.eye(3), -scale * setting.shape.center)


def _expressible_joint(joint: Joint, longest: float) -> Joint:
    given = without_body_and_mimic(joint, limit_source=LimitSource.GIVEN)
    if joint.type is JointType.HELICAL:
        ends = [_travel(end, joint.pitch) for end in joint.limits]
        lower, upper = min(ends), max(ends)
        slide = replace(given, type=JointType.PRISMATIC, pitch=0.0, lower=lower, upper=upper)
        return _ranged(slide, longest)
    if joint.type is JointType.PRISMATIC:
        return _ranged(given, longest)
    if joint.type is not JointType.REVOLUTE:
        return given
    if not all(map(math.isfinite, joint.limits)):
        return replace(given, type=JointType.CONTINUOUS)
    ranged = _ranged(given, ROUND)
    turn = (ranged.upper - ranged.lower) / DEGREE
    is_forced = abs(turn - FORCED) <= 1e-6
    return replace(ranged, limit_source=LimitSource.TABLE) if is_forced else ranged


def _travel(angle: float, pitch: float) -> float:
    return angle * pitch if pitch else 0.0


def _ranged(joint: Joint, longest: float) -> Joint:
    """Return a joint with a range of at most `longest`, from the end that is known."""
    lower, upper = joint.limits
    if math.isinf(lower):
        lower = upper - longest if math.isfinite(upper) else 0.0
    return replace(joint, lower=lower, upper=min(upper, lower + longest))


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the tree that `keep_expressible` returned."""
    centered = _centered(setting)
    frame = UPRIGHT.inverse().after(centered)
    closed = {joint.name: joint.lower for joint in tree.movable if math.isfinite(joint.lower)}
    placed = tree.placements(closed)
    stored = frame.tree(tree.reanchored(closed))
    numbers = {link: number for number, link in enumerate(tree.links)}
    above = {joint.child: joint for joint in stored.joints}
    nodes = []
    for link, number in numbers.items():
        corners = setting.triangles.get(link, np.zeros((1, 1, 3))).reshape(-1, 3)
        moved = Similarity(1.0, placed[link][:3, :3], placed[link][:3, 3])
        box = _box_content(frame.points(moved.points(corners)))
        nodes.append({"id": number, "aabb": box, **_joint_content(above.get(link), numbers)})
    text = json.dumps({"meta": {"obj_cat": setting.category}, "diffuse_tree": nodes})
    rest = {
        f"joint_{numbers[joint.child]}": -_in_unit(joint, closed[joint.name], centered.scale)
        for joint in tree.movable
        if joint.name in closed
    }
    return Written({"object.json": text.encode()}, rest, centered.inverse())


def _box_content(points: Array) -> dict[str, list[float]]:
    low, high = points.min(axis=0), points.max(axis=0)
    return {"center": ((low + high) / 2).tolist(), "size": (high - low).tolist()}


def _in_unit(joint: Joint, value: float, scale: float) -> float:
    return value * scale if joint.type is JointType.PRISMATIC else value


def _joint_content(joint: Joint | None, numbers: dict[str, int]) -> dict[str, Any]:
    """Return name, parent and joint of a part; the root hangs on nothing."""
    still = {"direction": [0.0, 0.0, 0.0], "origin": [0.0, 0.0, 0.0]}
    if joint is None:
        fixed = {"type": "fixed", "range": [0.0, 0.0], "axis": still}
        return {"name": "base", "parent": -1, "joint": fixed}
    axis = {"direction": joint.axis.tolist(), "origin": joint.origin.tolist()}
    ends = {
        JointType.FIXED: [0.0, 0.0],
        JointType.CONTINUOUS: [0.0, 360.0],
        JointType.PRISMATIC: [joint.lower, joint.upper],
        JointType.REVOLUTE: [joint.lower / DEGREE, joint.upper / DEGREE],
    }[joint.type]
    content = {"type": str(joint.type), "range": ends, "axis": axis if joint.is_movable else still}
    parent = numbers[joint.parent]
    return {"name": CLASSES[joint.type], "parent": parent, "joint": content}


SIMULATED = SimulatedMethod("singapo", keep_expressible, write)
