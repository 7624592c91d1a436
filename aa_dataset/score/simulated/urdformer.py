# SPDX-License-Identifier: Apache-2.0
"""The ground truth as URDFormer would write it: a cabinet of classes of parts.

The object's box is brought into the cabinet by its longest side, without a turn: the front is +x.
A joint becomes the class whose axis is nearest. Slides along the front and hinges about its
direction have no class and become fixed. A class has an axis, limits, and a place on the front's
grid of 13 steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import Geometry
from aa_dataset.score.readers.triangles import primitive_triangles
from aa_dataset.score.simulated.forced import second_state, without_body_and_mimic
from aa_dataset.score.simulated.meshes import obj_bytes
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

Array = NDArray[np.float64]

BASE = "base_link"
STEPS = 12
UNIT = 0.25  # side of the mesh of a part; the sizes of parts are not written
# Vectors of rotations, which the method writes as `rpy`.
STRAIGHT, ACROSS = (0.0, 0.0, 0.0), (math.pi / 2, 0.0, 0.0)


class UrdformerPart(NamedTuple):
    """A class of parts: its name, type, axis and limits."""

    name: str
    type: JointType
    axis: tuple[float, float, float]
    limits: tuple[float, float]


DRAWER = UrdformerPart("drawer", JointType.PRISMATIC, (1.0, 0.0, 0.0), (0.0, 0.4))
LEFT = UrdformerPart("doorL", JointType.REVOLUTE, (0.0, 0.0, 1.0), (-1.57, 0.0))
RIGHT = UrdformerPart("doorR", JointType.REVOLUTE, (0.0, 0.0, 1.0), (0.0, 1.57))
DOWN = UrdformerPart("doorD", JointType.REVOLUTE, (0.0, 1.0, 0.0), (-1.57, 0.0))
UP = UrdformerPart("doorU", JointType.REVOLUTE, (0.0, 1.0, 0.0), (0.0, 1.57))
HANDLE = UrdformerPart("handle", JointType.FIXED, (0.0, 0.0, 1.0), (0.0, 1.57))
KNOB = UrdformerPart("knob", JointType.FIXED, (1.0, 0.0, 0.0), (0.0, 1.57))
PARTS = {part.name: part for part in (DRAWER, LEFT, RIGHT, DOWN, UP, HANDLE, KNOB)}


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the tree of classes, in the object frame [m]."""
    frame = _cabinet(setting)
    leaves = set(tree.links) - {joint.parent for joint in tree.joints}
    names = {tree.root: BASE}
    joints = []
    for number, joint in enumerate(frame.tree(tree).joints):
        part = _part(joint, joint.child in leaves)
        names[joint.child] = f"{part.name}{number}"
        ends = names[joint.parent], names[joint.child]
        joints.append(_as_part(joint, part, *ends))
    kept = KinematicTree(tree.name, tuple(names[link] for link in tree.links), tuple(joints))
    return frame.inverse().tree(kept)


def _cabinet(setting: Setting) -> Similarity:
    """Return the map from the object frame to the cabinet's: its front lower corner is 0."""
    shape = setting.shape
    longest = float(shape.extents.max())
    if longest == 0.0:
        raise ArenaError(f"{setting.object_id} has no size. Give it a shape.")
    corner = shape.center + shape.extents * [0.5, -0.5, -0.5]
    return Similarity(1.0 / longest, np.eye(3), -corner / longest)


def _part(joint: Joint, is_leaf: bool) -> UrdformerPart:
    """Return the class of a joint."""
    still = HANDLE if is_leaf else KNOB
    if not joint.is_movable:
        return still
    along = int(np.abs(joint.axis).argmax())
    if joint.type is JointType.PRISMATIC:
        return DRAWER if along == 0 else KNOB
    opens = second_state(joint) * joint.axis[along] > 0
    return (KNOB, UP if opens else DOWN, RIGHT if opens else LEFT)[along]


def _as_part(joint: Joint, part: UrdformerPart, parent: str, child: str) -> Joint:
    _, y, z = np.clip(np.round(joint.origin * STEPS), 0, STEPS).tolist()
    moved = without_body_and_mimic(joint, type=part.type, axis=np.array(part.axis), pitch=0.0)
    is_moving = part.type is not JointType.FIXED
    return replace(
        moved,
        name=f"{child}_to_{parent}",
        origin=np.array([0.0, y / STEPS, z / STEPS]),
        lower=part.limits[0],
        upper=part.limits[1],
        parent=parent,
        child=child,
        limit_source=LimitSource.TABLE if is_moving else LimitSource.GIVEN,
    )


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the document of `keep_expressible`'s tree, and the meshes that every object shares."""
    frame = _cabinet(setting)
    lines = ["<?xml version='1.0' encoding='utf-8'?>", '<robot name="my_urdf">']
    lines += _link(BASE, "../meshes/cabinet.obj")
    places = {tree.root: np.zeros(3)}
    for joint in frame.tree(tree).joints:
        part = PARTS[joint.child.rstrip("0123456789")]
        places[joint.child] = joint.origin
        lines += _link(joint.child, f"../meshes/parts/{part.name}.obj")
        lines += _joint(joint, part, joint.origin - places[joint.parent])
    files = {"output/image.urdf": "".join([*lines, "</robot>"]).encode()}
    files["meshes/cabinet.obj"] = _box([-1.0, 0.0, 0.0], [0.0, 1.0, 1.0])
    for name in PARTS:
        low = -UNIT if name == RIGHT.name else 0.0
        mesh = _box([-0.02, low, 0.0], [0.02, low + UNIT, UNIT])
        files[f"meshes/parts/{name}.obj"] = mesh
    return Written(files, {}, frame.inverse())


def _link(name: str, mesh: str) -> Iterator[str]:
    shape = f'<geometry><mesh filename="{mesh}" scale="1 1 1" /></geometry>'
    yield f"<link name={quoteattr(name)}>"
    for tag in ("visual", "collision"):
        yield f'<{tag}><origin xyz="0 0 0" rpy="0 0 0" />{shape}</{tag}>'
    yield "</link>"


def _joint(joint: Joint, part: UrdformerPart, place: Array) -> Iterator[str]:
    vector = ACROSS if part is HANDLE else STRAIGHT
    lower, upper = part.limits
    yield f'<joint name={quoteattr(joint.name)} type="{part.type}">'
    yield f'<axis xyz="{" ".join(map(str, part.axis))}" />'
    yield f'<limit effort="5" lower="{lower}" upper="{upper}" velocity="2.283" />'
    shift, turn = " ".join(map(repr, place.tolist())), " ".join(map(str, vector))
    yield f'<origin xyz="{shift}" rpy="{turn}" />'
    yield f"<parent link={quoteattr(joint.parent)} /><child link={quoteattr(joint.child)} />"
    yield "</joint>"


def _box(lower: list[float], upper: list[float]) -> bytes:
    low, high = np.array(lower), np.array(upper)
    cube = primitive_triangles(Geometry("box", (1.0, 1.0, 1.0)))
    return obj_bytes(cube * (high - low) + (low + high) / 2)


SIMULATED = SimulatedMethod("urdformer", keep_expressible, write)
