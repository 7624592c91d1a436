# SPDX-License-Identifier: Apache-2.0
"""The ground truth as MJCF: nested bodies, angles in degrees.

A helical joint is a hinge and a slide of one body that an equality couples. Shapes are not written:
every body has a small ball.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.simulated.forced import without_body_and_mimic, without_limits
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

Array = NDArray[np.float64]

WORLD = "world"
BALL = '<geom size="0.001"/>'


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the tree below the world; a range has two ends or none."""
    names = {link: f"{link}_" if link == WORLD else link for link in tree.links}
    first = Joint("", JointType.FIXED, np.zeros(3), np.zeros(3), parent=WORLD, child=tree.root)
    joints = [replace(first, name=f"{names[tree.root]}_weld", child=names[tree.root])]
    for joint in tree.joints:
        kept = replace(
            _expressible_joint(joint), parent=names[joint.parent], child=names[joint.child]
        )
        joints.append(kept if kept.is_movable else replace(kept, name=f"{kept.child}_weld"))
    return KinematicTree(tree.name, (WORLD, *names.values()), tuple(joints))


def _expressible_joint(joint: Joint) -> Joint:
    given = without_body_and_mimic(joint, limit_source=LimitSource.GIVEN)
    if joint.type in (JointType.FIXED, JointType.CONTINUOUS):
        return given
    if joint.lower == joint.upper:
        return replace(given, type=JointType.FIXED, pitch=0.0)
    if all(map(math.isfinite, joint.limits)):
        return given
    if joint.type is JointType.PRISMATIC:
        return without_limits(given)
    if joint.type is JointType.REVOLUTE:
        return replace(given, type=JointType.CONTINUOUS)
    return replace(given, lower=-math.inf, upper=math.inf)


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the document of `keep_expressible`'s tree."""
    below: dict[str, list[Joint]] = {link: [] for link in tree.links}
    for joint in tree.joints:
        below[joint.parent].append(joint)
    lines = [f"<mujoco model={quoteattr(setting.object_id)}>", "<worldbody>"]
    # Depth first without recursion; a text closes what is above it.
    waiting: list[tuple[Joint, Array] | str] = [(one, np.zeros(3)) for one in below[tree.root]]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        joint, place = item
        lines += _body(joint, joint.origin - place)
        waiting += ["</body>", *((one, joint.origin) for one in below[joint.child])]
    lines += ["</worldbody>", "<equality>", *_couplings(tree), "</equality>", "</mujoco>", ""]
    return Written({"model.xml": "\n".join(lines).encode()}, {})


def _body(joint: Joint, place: Array) -> Iterator[str]:
    """Yield the start of a body, whose frame is at its joint and parallel to the world's."""
    yield f"<body name={quoteattr(joint.child)} pos={_numbers(place)}>{BALL}"
    axis = f"axis={_numbers(joint.axis)}"
    turn = _range([math.degrees(end) for end in joint.limits])
    name = quoteattr(joint.name)
    if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.HELICAL):
        yield f'<joint name={name} type="hinge" {axis}{turn}/>'
    if joint.type is JointType.PRISMATIC:
        yield f'<joint name={name} type="slide" {axis}{_range(list(joint.limits))}/>'
    if joint.type is JointType.HELICAL:
        yield f'<joint name={_slide(joint)} type="slide" {axis}/>'


def _couplings(tree: KinematicTree) -> Iterator[str]:
    for joint in tree.joints:
        if joint.type is JointType.HELICAL:
            ends = f"joint1={_slide(joint)} joint2={quoteattr(joint.name)}"
            yield f'<joint {ends} polycoef="0 {joint.pitch!r} 0 0 0"/>'


def _slide(joint: Joint) -> str:
    return quoteattr(f"{joint.name}_slide")


def _range(ends: list[float]) -> str:
    return f" range={_numbers(np.array(ends))}" if all(map(math.isfinite, ends)) else ""


def _numbers(values: Array) -> str:
    return '"' + " ".join(map(repr, values.tolist())) + '"'


SIMULATED = SimulatedMethod("mjcf", keep_expressible, write)
