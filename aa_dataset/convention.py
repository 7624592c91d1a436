# SPDX-License-Identifier: Apache-2.0
"""Proves that an object follows the library's URDF convention (README, design section 4)."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator

import numpy as np

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.urdf import UrdfJoint, UrdfLink, UrdfModel, parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree

NAME = re.compile(r"[a-z0-9_]+")
TYPES = ("fixed", "revolute", "continuous", "prismatic")


def check_convention(
    urdf: bytes, files: Container[str], *, with_inertials: bool = True
) -> list[str]:
    """Return one sentence per broken rule; an empty list is the proof.

    Parameters
    ----------
    urdf : bytes
        The document.
    files : container of str
        Names of the files beside it.
    with_inertials : bool
        Whether masses must be there: after `annotate`, not yet after `normalize`.
    """
    try:
        model = parse_urdf(urdf)
        tree = urdf_tree(model)
    except ArenaError as error:
        return [f"The URDF cannot be read: {error}"]
    problems = [] if tree.root == "base" else [f"The root link is {tree.root!r}, not 'base'."]
    carriers = {link.name for link in model.links} - set(tree.links)
    for link in model.links:
        problems += _link_problems(link, files)
        if with_inertials:
            problems += _inertial_problems(link)
    movable = {joint.name for joint in model.joints if joint.type != "fixed"}
    for joint in model.joints:
        problems += _joint_problems(joint)
        if joint.mimic is not None and joint.mimic.joint not in movable:
            problems.append(f"Joint {joint.name} follows {joint.mimic.joint!r}, which cannot move.")
    return problems + list(_collision_problems(model, carriers))


def _link_problems(link: UrdfLink, files: Container[str]) -> Iterator[str]:
    if not NAME.fullmatch(link.name):
        yield f"Link {link.name!r} is not in [a-z0-9_]+."
    for shape in (*link.visuals, *link.collisions):
        if shape.geometry.kind != "mesh" or not shape.geometry.filename.endswith(".obj"):
            yield f"Link {link.name}: {shape.name} is not an OBJ mesh."
        elif shape.geometry.filename not in files:
            yield f"Link {link.name}: {shape.geometry.filename} does not exist."
        if shape.geometry.scale != (1.0, 1.0, 1.0):
            yield f"Link {link.name}: {shape.name} scales its mesh."
        if not np.array_equal(shape.pose, np.eye(4)):
            yield f"Link {link.name}: {shape.name} is not in the link frame."


def _joint_problems(joint: UrdfJoint) -> Iterator[str]:
    where = f"Joint {joint.name}"
    if not NAME.fullmatch(joint.name):
        yield f"{where} is not in [a-z0-9_]+."
    if joint.type not in TYPES:
        yield f"{where} has the type {joint.type}."
    if not np.array_equal(joint.pose[:3, :3], np.eye(3)):
        yield f"{where} turns its link frame."
    if joint.type == "fixed":
        return
    if joint.axis is None or abs(np.linalg.norm(joint.axis) - 1) > 1e-9:
        yield f"{where} has no unit axis."
    if joint.effort is None or joint.velocity is None:
        yield f"{where} lacks effort or velocity."
    if joint.type != "continuous":
        yield from _limit_problems(joint, where)


def _limit_problems(joint: UrdfJoint, where: str) -> Iterator[str]:
    lower, upper = joint.lower, joint.upper
    if lower is None or upper is None or not (math.isfinite(lower) and math.isfinite(upper)):
        yield f"{where} has no finite limits."
    elif lower > upper:
        yield f"{where} has its limits reversed."


def _inertial_problems(link: UrdfLink) -> Iterator[str]:
    if link.inertial is None:
        yield f"Link {link.name} has no inertial."
        return
    values = np.linalg.eigvalsh(link.inertial.inertia)
    if link.inertial.mass <= 0 or values[0] <= 0:
        yield f"Link {link.name}: mass or inertia is not positive."
    elif values[2] > (values[0] + values[1]) * (1 + 1e-6):
        yield f"Link {link.name}: the inertia breaks the triangle inequality."


def _collision_problems(model: UrdfModel, carriers: set[str]) -> Iterator[str]:
    movable = {joint.child for joint in model.joints if joint.type != "fixed"} - carriers
    for link in model.links:
        if link.name in movable and link.visuals and not link.collisions:
            yield f"Link {link.name} moves but has no collision geometry."
