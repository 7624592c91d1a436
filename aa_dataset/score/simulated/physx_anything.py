# SPDX-License-Identifier: Apache-2.0
"""The ground truth as `basic_info.json` of PhysX-Anything, with a mesh per part."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.readers.physx_anything import INFO, NORMALIZATION
from aa_dataset.score.readers.physx_groups import HINGE, SCREW, SLIDE
from aa_dataset.score.registration.normalization import normalizing
from aa_dataset.score.simulated.meshes import obj_bytes
from aa_dataset.score.simulated.pieces import bounded, split_helical
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the tree with finite ranges; helical joints slide and turn freely.

    Parts that are welded together are one list: each hangs below the one before, and what moves
    hangs below the first.
    """
    travel = float(setting.shape.extents.max())
    heads, joints = {tree.root: tree.root}, []
    last = dict(heads)  # of each group, by its head
    for joint in split_helical(tree, is_turn_first=False):
        head = heads[joint.parent]
        heads[joint.child] = joint.child if joint.is_movable else head
        parent = head if joint.is_movable else last[head]
        last[heads[joint.child]] = joint.child
        joints.append(replace(bounded(joint, travel), parent=parent, body=None, mimic=None))
    links = (tree.root, *(joint.child for joint in joints))
    return KinematicTree(tree.name, links, tuple(joints))


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the groups of parts that are welded together, and the mesh of each part."""
    way = normalizing(NORMALIZATION, setting.shape)
    cube = way.tree(tree)
    between = _slid(cube, setting)
    parts = {link: n for n, link in enumerate(link for link in cube.links if link not in between)}
    groups: dict[str, Any] = {"0": [parts[link] for link in cube.welded(cube.root)]}
    number = {link: 0 for link in cube.welded(cube.root)}
    above = {joint.child: joint for joint in cube.joints}
    for joint in cube.movable:
        if joint.child in between:
            continue
        members = cube.welded(joint.child)
        first = above.get(joint.parent) if joint.parent in between else None
        number |= dict.fromkeys(members, len(groups))
        parent = joint.parent if first is None else first.parent
        values, kind = _values(joint, first)
        listed = [parts[link] for link in members]
        groups[str(len(groups))] = [listed, str(number[parent]), values, kind]
    info = {"object_name": setting.object_id, "category": setting.category, "group_info": groups}
    files = {INFO: json.dumps(info, indent=4).encode()}
    for link, part in parts.items():
        if link in setting.triangles:
            files[f"objs/{part}/{part}.obj"] = obj_bytes(way.points(setting.triangles[link]))
    return Written(files, {})


def _slid(tree: KinematicTree, setting: Setting) -> Mapping[str, Joint]:
    """Return the empty links between a slide and a turn of `keep_expressible`, with the slide."""
    slides = {f"{joint.name}_slide": joint.parent for joint in tree.joints}
    return {
        joint.child: joint
        for joint in tree.joints
        if slides.get(joint.name) == joint.child and joint.child not in setting.triangles
    }


def _values(joint: Joint, slide: Joint | None) -> tuple[list[float], str]:
    if joint.type is JointType.PRISMATIC:
        return _row(joint, 1.0), SLIDE
    turn = _row(joint, 1 / math.pi)
    return (turn, HINGE) if slide is None else (turn + _row(slide, 1.0), SCREW)


def _row(joint: Joint, unit: float) -> list[float]:
    ends = [end * unit for end in joint.limits]
    return [*joint.axis.tolist(), *joint.origin.tolist(), *ends]


SIMULATED = SimulatedMethod("physx_anything", keep_expressible, write)
