# SPDX-License-Identifier: Apache-2.0
"""The reader of `it*_motion.json` of PARIS, and of `trans.json` of its data.

`it<count>_<val or test>_motion.json` is one motion between two states: its type, a point and a
direction of the axis, and how far the part moved. Angles are in degrees. Of several files, that of
the last test counts, else that of the last validation. The shape is stored in the *middle* of both
states: the first one lies half the motion back. `dist` is the whole way from the first state to the
second: the program doubles it before it writes it, and a second time for its own error, which is
not repeated here. A run without a given type (`se3`) writes the same under other names.

`trans.json` has the two states of a joint (or a list of them) as coordinates from the rest state of
the source, with both limits `l` (the first state) and `r`. It is the truth beside the method's
data, so that it counts only where there is no motion file.

The frame is that of the cameras that the method was given, z up, in their unit.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.json_values import (
    DEGREE,
    field_of,
    first_byte,
    json_value,
    number_of,
    rows_of,
    text_of,
    vector_of,
)
from aa_dataset.score.readers.mesh_files import part_triangles
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.two_states import CHANGE_NOTE, changed_joint

STATES = "trans.json"
ROOT, PART, JOINT = "static", "dynamic", "joint"
TYPES = {"rotate": JointType.REVOLUTE, "translate": JointType.PRISMATIC}
_MOTION = re.compile(r"(?:.*/)?it(\d{1,12})_(val|test)_motion\.json")
# Direction, point and distance by type; a slide has no point that counts.
_FIELDS = {"rotate": ("axis_d", "axis_o", "rot_angle"), "translate": ("axis_d", "", "dist")}
_SE3_FIELDS = {"rotate": ("R_axis_d", "R_axis_o", "R_ang"), "translate": ("t_axis_d", "", "t_dist")}


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    if motion := _last_motion(files):
        return f"{motion} is a motion" if first_byte(files, motion) == b"{" else ""
    # Beside the motions of another method it is the truth, as it is in a folder of its own.
    if files.named("motion.json") or STATES not in files.names:
        return ""
    is_states = b'"trans_info"' in files.read_start(STATES)
    return f"it has a {STATES} with `trans_info`" if is_states else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the last motion, else both states of the joints."""
    if motion := _last_motion(files):
        return _read_motion(files, motion)
    top = [name for name in files.names if name == STATES]
    return _read_states(files, files.require_one(top, f"it*_motion.json or {STATES}"))


def _last_motion(files: PredictionFiles) -> str:
    """Return the last motion of the test, else of the validation; empty if there is none."""
    matches = [match for name in files.names if (match := _MOTION.fullmatch(name))]
    last = sorted((match[2] == "test", int(match[1]), match[0]) for match in matches)[-2:]
    if len(last) == 2 and last[0][:2] == last[1][:2]:
        raise PredictionError(
            f"{files.shown_path(last[0][2])} and {files.shown_path(last[1][2])} are two runs. "
            "Keep one."
        )
    return last[-1][2] if last else ""


def _read_motion(files: PredictionFiles, name: str) -> MethodPrediction:
    where, row = files.shown_path(name), json_value(files, name)
    kind = _type_of(row, where)
    names = _SE3_FIELDS if "R_axis_d" in row or "t_axis_d" in row else _FIELDS
    axis, point, way = names[kind]
    moved = number_of(row, way, where) * (DEGREE if kind == "rotate" else 1.0)
    origin = vector_of(row, point, where) if point else np.zeros(3)
    joint = changed_joint(
        JOINT, TYPES[kind], vector_of(row, axis, where), origin,
        ends=(-moved / 2, moved / 2), links=(ROOT, PART),
    )  # fmt: skip
    tree = KinematicTree(files.object_id, (ROOT, PART), (joint,))
    return MethodPrediction(
        tree, rest={JOINT: -moved / 2}, notes=(CHANGE_NOTE,), in_input_frame=True,
        triangles=lambda: part_triangles(files, _meshes(files, name)),
    )  # fmt: skip


def _meshes(files: PredictionFiles, motion: str) -> dict[str, str]:
    """Return the meshes of both parts in the middle state, of the same count of steps."""
    stem = motion[: motion.rindex("_motion.json")].rpartition("_")[0]
    found = {}
    for link in (ROOT, PART):
        same = [name for name in files.named(".ply") if name.startswith(f"{stem}_{link}_")]
        if same:
            found[link] = files.require_one(same, f"mesh of the {link} part")
    return found


def _type_of(row: Any, where: str) -> str:
    kind = text_of(row, "type", where)
    if kind not in TYPES:
        raise PredictionError(
            f"{where}, field `type`: {kind[:80]!r} is not one of {', '.join(TYPES)}."
        )
    return kind


def _read_states(files: PredictionFiles, name: str) -> MethodPrediction:
    where = files.shown_path(name)
    found = field_of(json_value(files, name), "trans_info", where)
    rows = rows_of(found if isinstance(found, list) else [found], f"{where}, field `trans_info`")
    joints, rest = [], {}
    for number, row in enumerate(rows):
        joint, first = _joint_of_states(row, number, f"{where}, joint {number}")
        joints.append(joint)
        rest[joint.name] = first
    links = (ROOT, *(joint.child for joint in joints))
    tree = KinematicTree(files.object_id, links, tuple(joints))
    return MethodPrediction(tree, rest=rest, notes=(CHANGE_NOTE,))


def _joint_of_states(row: dict[str, Any], number: int, where: str) -> tuple[Joint, float]:
    """Return a joint and the coordinate of its first state."""
    kind = _type_of(row, where)
    unit = DEGREE if kind == "rotate" else 1.0
    states = field_of(row, kind, where)
    first, second = (unit * number_of(states, end, f"{where}, field `{kind}`") for end in "lr")
    line = field_of(row, "axis", where)
    axis, origin = (vector_of(line, part, f"{where}, field `axis`") for part in "do")
    joint = changed_joint(
        f"{JOINT}_{number}", TYPES[kind], axis, origin, ends=(first, second),
        links=(ROOT, f"{PART}_{number}"),
    )  # fmt: skip
    return joint, first


FORMAT = MethodFormat(
    name="paris",
    methods="PARIS",
    reads=f"it*_motion.json, or {STATES} of its data",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "more than one joint in a motion",
        "ranges: they become the change between two states, half a turn at most",
        "continuous and helical joints: they become turns",
        "couplings",
    ),
)
