# SPDX-License-Identifier: Apache-2.0
"""Checks that an object follows the library's URDF convention, from its files alone.

`check_convention` checks the document: structure, names, joints, screws, mimics, inertials and
required files. `check_geometry` also checks the meshes: position of the bounding box, volume of
collision meshes, presence of materials and textures. Each returns one sentence per broken rule,
with a remedy; an empty list means that the object conforms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Mapping

import numpy as np

from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import GLB
from aa_dataset.kinematics.joints import JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import (
    Dynamics,
    Shape,
    UrdfJoint,
    UrdfLink,
    UrdfModel,
    parse_urdf,
)
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.portable import length, symmetric_eigen
from aa_dataset.untrusted.inside import is_inside

NAME = re.compile(r"[a-z0-9_]+")
TYPES = ("fixed", "revolute", "continuous", "prismatic")
# Relative to an axis or a range: the error of rounding to twelve digits.
ROUNDING = 1e-9


def check_convention(
    urdf: bytes, files: Container[str], *, with_inertials: bool = True
) -> list[str]:
    """Return one sentence per broken rule of the document.

    Parameters
    ----------
    urdf : bytes
        The document.
    files : container of str
        Names of the files beside it.
    with_inertials : bool
        Whether masses and dynamics are required: after `annotate`, but not after `normalize`.
    """
    try:
        model = parse_urdf(urdf)
        tree = urdf_tree(model)
        tree.placements({})  # follows every mimic
    except ArenaError as error:
        return [f"The URDF cannot be read: {error}"]
    problems = [*_document_problems(tree, files), *_name_problems(model)]
    for link in model.links:
        problems += _link_problems(link, files)
        if with_inertials:
            problems += _inertial_problems(link)
    for joint in model.joints:
        problems += _joint_problems(joint)
        if with_inertials:
            problems += _dynamics_problems(joint)
    problems += _mimic_problems(model)
    problems += _screw_problems(model, tree)
    return problems + list(_collision_problems(model))


def _document_problems(tree: KinematicTree, files: Container[str]) -> Iterator[str]:
    if tree.root != "base":
        yield f"The root link is {tree.root!r}, not 'base'; rename it."
    if GLB not in files:
        yield f"{GLB}, the whole object at rest, does not exist beside the URDF; write it."


def _name_problems(model: UrdfModel) -> Iterator[str]:
    """Name the joints that simulators with one list of names take for a link."""
    links = {link.name for link in model.links}
    for name in sorted(links & {joint.name for joint in model.joints}):
        yield f"Joint {_quoted_name(name)} has the name of a link; rename it."


def _shape_title(shape: Shape) -> str:
    """Identify a shape for the reader: by its file, else its name, else its kind."""
    named = shape.geometry.filename or shape.name
    return _quoted_name(named) if named else f"a {shape.geometry.kind}"


def _link_problems(link: UrdfLink, files: Container[str]) -> Iterator[str]:
    where = f"Link {_quoted_name(link.name)}"
    if not NAME.fullmatch(link.name):
        yield f"{where} is not in [a-z0-9_]+; rename it."
    for shape in (*link.visuals, *link.collisions):
        name = shape.geometry.filename
        if shape.geometry.kind != "mesh" or not name.endswith(".obj"):
            yield f"{where}: {_shape_title(shape)} is not an OBJ mesh; convert it."
        elif not is_plain(name):
            yield f"{where}: {_quoted_name(name)} leads out of the folder; copy the mesh into it."
        elif name not in files:
            shown = _quoted_name(name)
            yield f"{where}: {shown} does not exist; add the mesh or remove its element."
        if shape.geometry.scale != (1.0, 1.0, 1.0):
            yield f"{where}: {_shape_title(shape)} scales its mesh; scale the vertices instead."
        if not np.array_equal(shape.pose, np.eye(4)):
            yield f"{where}: {_shape_title(shape)} is not in the link frame; move its vertices."


def _quoted_name(name: str) -> str:
    """Format a name for a sentence: plain names bare, others quoted and truncated."""
    return name if NAME.fullmatch(name) else repr(name[:200])


def is_plain(name: str) -> bool:
    """Return whether a file name stays inside the object's folder on every system."""
    return is_inside(name) and ".." not in name.split("/") and not {"\\", ":"} & {*name}


def _joint_problems(joint: UrdfJoint) -> Iterator[str]:
    where = f"Joint {_quoted_name(joint.name)}"
    if not NAME.fullmatch(joint.name):
        yield f"{where} is not in [a-z0-9_]+; rename it."
    if not np.array_equal(joint.pose[:3, :3], np.eye(3)):
        yield f"{where} turns its link frame; turn its axis and the meshes below it instead."
    if joint.type == "fixed":
        return
    if joint.axis is None or abs(length(joint.axis) - 1) > ROUNDING:
        yield f"{where} has no unit axis; divide it by its length."
    drives = (joint.effort, joint.velocity)
    if None in drives:
        yield f"{where} lacks effort or velocity; add both to its <limit>."
    elif not all(0 < value < math.inf for value in drives if value is not None):
        yield f"{where} has an effort or velocity that is not positive; write a finite one."
    if joint.type != "continuous":
        yield from _limit_problems(joint, where)
    elif joint.lower is not None or joint.upper is not None:
        yield f"{where} is continuous and has a range; remove it or make the joint revolute."


def _dynamics_problems(joint: UrdfJoint) -> Iterator[str]:
    """Check that the joints that lead have dynamics, and no others."""
    where, leads = f"Joint {_quoted_name(joint.name)}", joint.type != "fixed" and not joint.mimic
    if leads and joint.dynamics is None:
        yield f"{where} has no <dynamics>; add damping and friction, which may be 0."
    elif not leads and joint.dynamics not in (None, Dynamics()):
        yield f"{where} does not move by itself and has <dynamics>; give them to its leader alone."


def _limit_problems(joint: UrdfJoint, where: str) -> Iterator[str]:
    lower, upper = joint.lower, joint.upper
    if lower is None or upper is None or not (math.isfinite(lower) and math.isfinite(upper)):
        yield f"{where} has no finite limits; add lower and upper, or make it continuous."
    elif lower > upper:
        yield f"{where} has its limits reversed; swap them."


def _mimic_problems(model: UrdfModel) -> Iterator[str]:
    movable = {joint.name for joint in model.joints if joint.type != "fixed"}
    for joint in model.joints:
        if joint.mimic is None:
            continue
        target = _quoted_name(joint.mimic.joint)
        if joint.type == "fixed":
            yield f"Joint {joint.name} is fixed and follows {target}; remove its <mimic>."
        elif joint.mimic.joint not in movable:
            yield f"Joint {joint.name} follows {target}, which cannot move; remove its <mimic>."


def _screw_problems(model: UrdfModel, tree: KinematicTree) -> Iterator[str]:
    """Check the two joints of every screw against the helical joint that they represent."""
    written = {joint.name: joint for joint in model.joints}
    slides = {joint.parent: joint for joint in model.joints}
    for joint in tree.joints:
        if joint.type is not JointType.HELICAL:
            continue
        turn = written[joint.name]
        slide = slides[turn.child]
        if turn.type != "revolute":
            yield f"Joint {turn.name} turns a screw and is {turn.type}; give it finite limits."
            continue
        travel = sorted((joint.lower * joint.pitch, joint.upper * joint.pitch))
        ends = (slide.lower or 0.0, slide.upper or 0.0)
        if not np.allclose(travel, ends, rtol=1e-6, atol=1e-9 * max(map(abs, travel))):
            yield f"Joint {slide.name} does not travel as far as {turn.name} turns; fit its limits."
        if slide.axis is None or turn.axis is None or np.any(slide.axis != turn.axis):
            yield f"Joint {slide.name} and {turn.name} have different axes; write one of them."
        if np.any(slide.pose[:3, 3]):
            yield f"Joint {slide.name} is not at the place of {turn.name}; move it there."


def _inertial_problems(link: UrdfLink) -> Iterator[str]:
    where = f"Link {_quoted_name(link.name)}"
    if link.inertial is None:
        yield f"{where} has no inertial; simulators need one on every link."
        return
    values = symmetric_eigen(link.inertial.inertia)[0]
    if link.inertial.mass <= 0 or values[0] <= 0:
        yield f"{where}: mass or inertia is not positive; compute both from the geometry."
    elif values[2] > (values[0] + values[1]) * (1 + 1e-6):
        yield f"{where}: the inertia breaks the triangle inequality; no body has it."
    if not np.array_equal(link.inertial.pose[:3, :3], np.eye(3)):
        yield f"{where}: the inertial frame is turned; turn the inertia into the link frame."


def _collision_problems(model: UrdfModel) -> Iterator[str]:
    movable = {joint.child for joint in model.joints if joint.type != "fixed"}
    for link in model.links:
        if link.name in movable and link.visuals and not link.collisions:
            shown = _quoted_name(link.name)
            yield f"Link {shown} moves but has no collision geometry; add its hulls."


def check_geometry(urdf: bytes, files: Mapping[str, bytes]) -> list[str]:
    """Return one sentence per broken rule of the meshes that the document names.

    Parameters
    ----------
    urdf : bytes
        A document without findings of `check_convention`.
    files : mapping of str to bytes
        The files beside it.
    """
    from aa_dataset.convention.meshes import geometry_problems

    try:
        return list(geometry_problems(parse_urdf(urdf), files))
    except ArenaError as error:
        return [f"The URDF cannot be read: {error}"]
