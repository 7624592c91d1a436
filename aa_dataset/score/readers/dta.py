# SPDX-License-Identifier: Apache-2.0
"""The reader of `{init,last}_*motion.json` of DigitalTwinArt (DTA).

A file is a list with one entry per moving part: a point and a direction of the axis, how far the
part moved (`theta`: degrees of a turn, length of a slide), and the rigid motion itself. `init`
belongs to the first state and its motion leads to the second; `last` belongs to the second state
and leads back, so that the object rests at the end of its range. `init` counts if both are there.

The type is not stated: a slide is an entry whose translation is `theta` times the direction, a turn
one whose rotation turns by `theta` about the direction. The program takes the type from the ground
truth where it has one. Without, it writes both readings, `init_revolute_motion.json` and
`init_prismatic_motion.json`, of which the user keeps one. With several parts it writes a file per
order of the true joints (`init_p01_motion.json`). All of them agree if all types are the same;
else the user keeps one, because to choose here would use the truth.

The frame is that of the cameras that the method was given, in their unit. All parts hang on part 0.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.screws import exp_twist, revolute_screw
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import length
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.json_values import (
    DEGREE,
    first_byte,
    json_value,
    matrix_of,
    number_of,
    rows_of,
    vector_of,
)
from aa_dataset.score.readers.mesh_files import part_triangles
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.two_states import CHANGE_NOTE, changed_joint

Array = NDArray[np.float64]

FIRST, SECOND = "init", "last"
TYPE_NOTE = "the method takes the types of joints from the ground truth"
_NAME = re.compile(r"(?:.*/)?(init|last)_(?:(p\d+|prismatic|revolute)_)?motion\.json")
# The slide follows exactly from theta. A rotation in float32 has an error of some 1e-6; one that
# theta does not describe is off by far more.
_SAME_SLIDE, _SAME_TURN = 1e-6, 1e-3


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = _motions(files)
    is_list = bool(found) and first_byte(files, found[0]) == b"["
    return f"{found[0]} is a list of motions" if is_list else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the parts of the first state, else of the second."""
    name, is_only = _motion_file(files)
    where, match = files.shown_path(name), _matched(name)
    rows = rows_of(json_value(files, name), where)
    joints = [_joint(row, number, where) for number, row in enumerate(rows)]
    if not is_only and len({joint.type for joint in joints}) > 1:
        raise PredictionError(
            f"{where}: other files have the parts in another order, which gives them other types. "
            "Keep the file with the right order."
        )
    order = _order(match[2], len(rows), where)
    tree = _tree(files.object_id, joints, order)
    second = match[1] == SECOND
    rest = {joint.name: joint.upper for joint in tree.joints} if second else {}
    stem = name.rpartition("/")[0] + "/" if "/" in name else ""
    meshes = {link: f"{stem}{match[1]}_{link}.obj" for link in tree.links}
    given = () if match[2] in ("prismatic", "revolute") else (TYPE_NOTE,)
    return MethodPrediction(
        tree,
        rest=rest,
        notes=(CHANGE_NOTE, *given),
        in_input_frame=True,
        triangles=lambda: part_triangles(files, meshes),
    )


def _motions(files: PredictionFiles) -> list[str]:
    return [name for name in files.named("motion.json") if _NAME.fullmatch(name)]


def _matched(name: str) -> re.Match[str]:
    match = _NAME.fullmatch(name)
    if match is None:
        raise PredictionError(f"{name} is not the name of a file of this method.")
    return match


def _motion_file(files: PredictionFiles) -> tuple[str, bool]:
    """Return the file to read, and whether it is the only one of its state."""
    found = _motions(files)
    if not found:
        raise PredictionError(f"{files.object_id}/: expected init_motion.json, found none.")
    if len({name.rpartition("/")[0] for name in found}) > 1:
        raise PredictionError(
            f"{files.object_id}/: {found[0]} and {found[-1]} are two results. Keep one folder."
        )
    state = FIRST if any(_matched(name)[1] == FIRST for name in found) else SECOND
    same = [name for name in found if _matched(name)[1] == state]
    if {"prismatic", "revolute"} & {_matched(name)[2] for name in same} and len(same) > 1:
        raise PredictionError(
            f"{files.object_id}/: the type is open between {' and '.join(same[:2])}. Keep one."
        )
    return same[0], len(same) == 1


def _order(word: str | None, count: int, where: str) -> list[int]:
    """Return the number of the part of each entry, from the digits of the file's name."""
    if word is None or not word.startswith("p") or word == "prismatic":
        return list(range(count))
    order = [int(digit) for digit in word[1:]]
    if sorted(order) != list(range(count)):
        raise PredictionError(f"{where}: its name orders {len(order)} parts, it has {count}.")
    return order


def _tree(name: str, joints: list[Joint], order: list[int]) -> KinematicTree:
    """Return the joints under the numbers of their parts; part 0 stands still."""
    named = [
        changed_joint(
            f"joint_{number}", joint.type, joint.axis, joint.origin, ends=joint.limits,
            links=("part_0", f"part_{number + 1}"),
        )
        for number, joint in sorted(zip(order, joints, strict=True), key=lambda pair: pair[0])
    ]  # fmt: skip
    return KinematicTree(name, ("part_0", *(joint.child for joint in named)), tuple(named))


def _joint(row: dict[str, Any], number: int, where: str) -> Joint:
    """Return an entry as a joint under the number of its place."""
    place = f"{where}, joint {number}"
    axis, theta = vector_of(row, "axis_direction", place), number_of(row, "theta", place)
    kind = _type_of(row, axis, theta, place)
    origin = vector_of(row, "axis_position", place)
    moved = theta * DEGREE if kind is JointType.REVOLUTE else theta
    links = ("part_0", f"part_{number + 1}")
    return changed_joint(f"joint_{number}", kind, axis, origin, ends=(0.0, moved), links=links)


def _type_of(row: dict[str, Any], axis: Array, theta: float, place: str) -> JointType:
    """Return the type that the rigid motion has."""
    turn = matrix_of(row, "rotation", 3, place)
    slide = vector_of(row, "translation", place)
    with np.errstate(all="ignore"):  # too large numbers fit neither type
        size = length(axis)
        if not (theta > 0.0 and size > 0.0):
            raise PredictionError(f"{place}, field `theta`: the part does not move.")
        if length(theta * axis - slide) <= _SAME_SLIDE * theta:
            return JointType.PRISMATIC
        expected = exp_twist(theta * DEGREE * revolute_screw(axis / size, np.zeros(3)))
        if np.abs(expected[:3, :3] - turn).max() <= _SAME_TURN:
            return JointType.REVOLUTE
    raise PredictionError(
        f"{place}, field `theta`: neither turn nor slide of the motion has this size. "
        "Write it as the method does."
    )


FORMAT = MethodFormat(
    name="dta",
    methods="DigitalTwinArt",
    reads="init_*motion.json, else last_*motion.json, with a list of motions",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "ranges: they become the change between two states, half a turn at most",
        "continuous and helical joints: they become turns",
        "chains: every moving part hangs on the one that stands still",
        "couplings",
    ),
)
