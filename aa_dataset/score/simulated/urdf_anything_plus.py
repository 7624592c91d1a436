# SPDX-License-Identifier: Apache-2.0
"""The ground truth as `generated.urdf` of URDF-Anything+: parts below the first, axes one-hot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.readers.urdf_anything_plus import BASE, FILE, FIRST, NORMALIZATION
from aa_dataset.score.registration.normalization import normalizing
from aa_dataset.score.simulated.meshes import obj_bytes
from aa_dataset.score.simulated.pieces import bounded, shown_link
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

Array = NDArray[np.float64]


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the moving parts with a shape below the root, with the nearest of the three axes."""
    root = shown_link(tree, tree.root, setting.triangles) or tree.root
    travel = float(setting.shape.extents.max())
    joints: list[Joint] = []
    for joint in tree.movable:
        link = shown_link(tree, joint.child, setting.triangles)
        if link:
            name = f"joint_{len(joints) + 1}"
            moved = replace(joint, name=name, parent=root, child=link, body=None, mimic=None)
            joints.append(_expressible_joint(moved, travel))
    return KinematicTree(tree.name, (root, *(joint.child for joint in joints)), tuple(joints))


def _expressible_joint(joint: Joint, travel: float) -> Joint:
    if joint.type is JointType.HELICAL:
        joint = replace(joint, type=JointType.REVOLUTE, pitch=0.0)
    joint = bounded(joint, travel)
    along = int(np.abs(joint.axis).argmax())
    if joint.axis[along] < 0:
        joint = joint.reversed()  # the same motion; the file has positive axes only
    return replace(joint, axis=np.eye(3)[along])


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the document and a mesh per part."""
    way = normalizing(NORMALIZATION, setting.shape)
    cube = way.tree(tree)
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<robot name="generated_robot">']
    lines += [f'  <link name="{BASE}"/>', *_link(0, np.zeros(3))]
    lines += [
        '  <joint name="joint_0" type="fixed"><origin rpy="1.5708 0 -1.5708" xyz="0 0 0"/>'
        f'<child link="{FIRST}"/><parent link="{BASE}"/></joint>'
    ]
    for number, joint in enumerate(cube.joints, start=1):
        lines += [*_link(number, joint.origin), *_joint(number, joint)]
    files = {FILE: "\n".join([*lines, "</robot>", ""]).encode()}
    for number, link in enumerate(tree.links):
        corners = setting.triangles.get(link, np.zeros((0, 3, 3)))
        files[f"link_{number}.obj"] = obj_bytes(way.points(corners))
    return Written(files, {})


def _link(number: int, place: Array) -> Iterator[str]:
    yield (
        f'  <link name="link_{number}"><visual name="link_{number}">'
        f'<origin xyz="{_format_decimals(-place)}"/>'
        f'<geometry><mesh filename="link_{number}.obj"/></geometry></visual></link>'
    )


def _joint(number: int, joint: Joint) -> Iterator[str]:
    kind = "prismatic" if joint.type is JointType.PRISMATIC else "revolute"
    axis = " ".join(str(round(one)) for one in joint.axis.tolist())
    yield (
        f'  <joint name="joint_{number}" type="{kind}">'
        f'<origin xyz="{_format_decimals(joint.origin)}"/>'
        f'<axis xyz="{axis}"/><child link="link_{number}"/><parent link="{FIRST}"/>'
        f'<limit lower="{joint.lower:.6f}" upper="{joint.upper:.6f}"/></joint>'
    )


def _format_decimals(place: Array) -> str:
    return " ".join(f"{one:.6f}" for one in place.tolist())


SIMULATED = SimulatedMethod("urdf_anything_plus", keep_expressible, write)
