# SPDX-License-Identifier: Apache-2.0
"""The reader of PhysX-Anything: `basic_info.json`, the model's `basic_info.txt`, or `basic.urdf`.

All are in the unit cube [-0.5, 0.5] of the voxel grid, z up, which the object's largest extent
fills; the size in cm that the model states enters only the MJCF. Coordinates are 0 in the state of
the shapes. Places are in the frame of the object, also of joints below joints: in the URDF, every
`l_<part>` has its frame there at rest. `abstract_*` links are helpers.

A group of type B slides, C turns, E is welded. D is a ball: three turns about z, x and y whose
ranges are constants. CB slides and turns: two joints, the slide first, as in the URDF (the MJCF has
them the other way round). A moves freely, with six degrees of freedom, and is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import XML, PredictionError, name_file_in_errors
from aa_dataset.score.readers.constant_limits import with_table
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.json_values import json_value
from aa_dataset.score.readers.mesh_files import part_triangles, urdf_triangles
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.physx_groups import (
    BALL,
    FREE,
    HINGE,
    SCREW,
    SLIDE,
    WELD,
    Group,
    groups_of_json,
    groups_of_text,
)
from aa_dataset.score.readers.prediction import (
    Center,
    MethodFormat,
    MethodPrediction,
    Normalization,
    Proof,
    Size,
)

Array = NDArray[np.float64]

INFO, ANSWER, URDF = "basic_info.json", "basic_info.txt", "basic.urdf"
MOST = 4_000_000  # bytes of a text
NORMALIZATION = Normalization(Center.BOX, Size.LARGEST, 1.0)
_BALL_AXES = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
_FULL_TURN = (-math.pi, math.pi)


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    if not files.is_folder:
        return ""
    for name in (INFO, ANSWER):
        if name in files.top_names:
            return f"it has a {name}"
    is_urdf = b"l_world" in (files.try_read_start(URDF) or b"")
    return f"{URDF} has a link l_world" if is_urdf else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the groups, or the URDF that was made of them."""
    if INFO in files.top_names:
        where = files.shown_path(INFO)
        groups = groups_of_json(json_value(files, INFO, MOST), where)
    elif ANSWER in files.top_names:
        where = files.shown_path(ANSWER)
        groups = groups_of_text(files.read(ANSWER, MOST).decode(errors="replace"), where)
    else:
        return _of_urdf(files)
    with name_file_in_errors(where):
        tree = _tree(groups, where)
    return MethodPrediction(
        tree,
        normalization=NORMALIZATION,
        notes=limit_notes(tree),
        triangles=lambda: _triangles(files, tree),
    )


def _tree(groups: Mapping[int, Group], where: str) -> KinematicTree:
    if 0 not in groups:
        raise PredictionError(f"{where} has no group 0, the base. Add it.")
    joints: list[Joint] = []
    for number, group in groups.items():
        joints += _welds(group)
        if number:
            joints += _joints(number, group, groups, f"{where}, group {number}")
    root = f"l_{groups[0].members[0]}"
    return KinematicTree("", (root, *(joint.child for joint in joints)), tuple(joints))


def _welds(group: Group) -> Iterator[Joint]:
    """Yield fixed joints from each part of a group to the next."""
    for above, below in zip(group.members, group.members[1:], strict=False):
        yield _fixed(f"joint_fixed_{above}_{below}", f"l_{above}", f"l_{below}")


def _fixed(name: str, parent: str, child: str) -> Joint:
    zero = np.zeros(3)
    return Joint(name, JointType.FIXED, zero, zero, parent=parent, child=child)


def _joints(number: int, group: Group, groups: Mapping[int, Group], where: str) -> list[Joint]:
    """Return the joints that move a group against its parent."""
    above = 0 if group.parent is None and group.kind == WELD else group.parent
    if above is None or above not in groups:
        raise PredictionError(f"{where}: its parent, group {above}, does not exist. Add it.")
    if group.kind == FREE:
        raise PredictionError(
            f"{where} is of type A and moves freely; six degrees of freedom are no joint. Leave "
            "the group out, or give it another type."
        )
    parent, child = f"l_{groups[above].members[0]}", f"l_{group.members[0]}"
    name, values = f"group_{number}", group.values
    if group.kind == SLIDE:
        return [_slide(name, values, parent, child)]
    if group.kind == HINGE:
        return [_turn(name, values, parent, child)]
    if group.kind == SCREW:
        between = f"abstract_{number}"
        return [
            _slide(f"{name}_slide", values[8:], parent, between),
            _turn(f"{name}_turn", values, between, child),
        ]
    if group.kind == BALL:
        return _ball(
            name, values[3:6], (parent, f"abstract_z_{number}", f"abstract_x_{number}", child)
        )
    return [_fixed(name, parent, child)]


def _slide(name: str, values: Array, parent: str, child: str) -> Joint:
    lower, upper = values[6:8].tolist()
    return Joint(
        name, JointType.PRISMATIC, values[:3], values[3:6], lower, upper, 0.0, parent, child
    )


def _turn(name: str, values: Array, parent: str, child: str) -> Joint:
    lower, upper = (math.pi * values[6:8]).tolist()
    return Joint(
        name, JointType.REVOLUTE, values[:3], values[3:6], lower, upper, 0.0, parent, child
    )


def _ball(name: str, place: Array, links: tuple[str, str, str, str]) -> list[Joint]:
    return [
        Joint(
            f"{name}_{letter}", JointType.REVOLUTE, np.array(axis), place, *_FULL_TURN,
            0.0, above, below, limit_source=LimitSource.TABLE,
        )
        for letter, axis, above, below in zip("zxy", _BALL_AXES, links, links[1:], strict=False)
    ]  # fmt: skip


def _of_urdf(files: PredictionFiles) -> MethodPrediction:
    name = files.require_one(files.find_basenames(URDF), f"{INFO}, {ANSWER} or {URDF}")
    with name_file_in_errors(files.shown_path(name)):
        model = parse_urdf(files.read(name, XML.max_bytes), budget=XML)
        tree = with_table(urdf_tree(model, fold=False, absent="unbounded"), _FULL_TURN, _is_of_ball)
    return MethodPrediction(
        tree,
        normalization=NORMALIZATION,
        notes=limit_notes(tree),
        triangles=lambda: urdf_triangles(files, name, model),
    )


def _is_of_ball(joint: Joint) -> bool:
    return joint.name.startswith("joint_hinge_")


def _triangles(files: PredictionFiles, tree: KinematicTree) -> dict[str, Array]:
    """Return the triangles of the parts that have a mesh."""
    parts = [link.removeprefix("l_") for link in tree.links if link.startswith("l_")]
    return part_triangles(files, {f"l_{part}": f"objs/{part}/{part}.obj" for part in parts})


FORMAT = MethodFormat(
    name="physx_anything",
    methods="PhysX-Anything",
    reads=f"{INFO}, {ANSWER} or {URDF}, with objs/<part>/<part>.obj",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "infinite ranges: a rotation without ends becomes a full turn",
        "helical joints: slide and turn are independent",
        "couplings",
    ),
)
