# SPDX-License-Identifier: Apache-2.0
"""The reader of `joint_info.json` of ArtGS, which REArtGS and REArtGS++ write as well.

The file is a list with one entry per part, as in PartNet-Mobility: a number, the number of the
parent, `heavy` for the part that stands still, `hinge` or `slider`, and the axis. All moving parts
hang on the one that stands still. The frame is that of the cameras that the method was given, in
their unit; the meshes beside it are those of the first state. `limit` is always empty: the change
between both states is not saved. A file with limits is refused, because no writer tells their unit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.json_values import (
    field_of,
    first_byte,
    json_value,
    rows_of,
    text_of,
    vector_of,
)
from aa_dataset.score.readers.mesh_files import part_triangles
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof

FILE = "joint_info.json"
STILL, NO_PARENT = "heavy", -1
TYPES = {"hinge": JointType.REVOLUTE, "slider": JointType.PRISMATIC}


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = [name for name in files.find_basenames(FILE) if first_byte(files, name) == b"["]
    return f"it has a {FILE} with a list" if found else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the parts; links are called by their numbers."""
    name = files.require_one(files.find_basenames(FILE), FILE)
    where = files.shown_path(name)
    rows = rows_of(json_value(files, name), where)
    places = [f"{where}, entry {k}" for k in range(len(rows))]
    links = [_link(row, "id", place) for row, place in zip(rows, places, strict=True)]
    joints = [
        _joint(row, place)
        for row, place in zip(rows, places, strict=True)
        if _number(row, "parent", place) != NO_PARENT
    ]
    tree = KinematicTree(files.object_id, tuple(links), tuple(joints))
    stem = name.removesuffix(FILE)
    meshes = {
        link: stem + mesh
        for link, row in zip(links, rows, strict=True)
        if (mesh := _mesh(row.get("visuals")))
    }
    return MethodPrediction(
        tree,
        notes=limit_notes(tree),
        in_input_frame=True,
        triangles=lambda: part_triangles(files, meshes),
    )


def _mesh(visuals: Any) -> str:
    """Return the only mesh of a part, of which the folder's own files are read, or nothing."""
    is_one = isinstance(visuals, list) and len(visuals) == 1 and isinstance(visuals[0], str)
    return visuals[0] if is_one and visuals[0].endswith((".ply", ".obj")) else ""


def _number(row: dict[str, Any], name: str, where: str) -> int:
    value = field_of(row, name, where)
    if type(value) is not int:
        raise PredictionError(f"{where}, field `{name}`: it is not the number of a part.")
    return value


def _link(row: dict[str, Any], name: str, where: str) -> str:
    return f"link_{_number(row, name, where)}"


def _joint(row: dict[str, Any], where: str) -> Joint:
    name, word = text_of(row, "name", where), text_of(row, "joint", where)
    ends = _link(row, "parent", where), _link(row, "id", where)
    if word == STILL:
        still = Joint(name, JointType.FIXED, np.zeros(3), np.zeros(3), 0.0, 0.0, 0.0, *ends)
        return still
    if word not in TYPES:
        raise PredictionError(
            f"{where}, field `joint`: {word[:80]!r} is not one of {STILL}, {', '.join(TYPES)}."
        )
    data = field_of(row, "jointData", where)
    if isinstance(data, dict) and data.get("limit"):
        raise PredictionError(
            f"{where}, field `limit`: the method states none, so that its unit is unknown. "
            "Write a URDF or joints.json for limits."
        )
    axis = field_of(data, "axis", f"{where}, field `jointData`")
    direction = vector_of(axis, "direction", f"{where}, axis")
    origin = vector_of(axis, "origin", f"{where}, axis")
    return Joint(
        name, TYPES[word], direction, origin, -math.inf, math.inf, 0.0, *ends,
        limit_source=LimitSource.ABSENT,
    )  # fmt: skip


FORMAT = MethodFormat(
    name="artgs",
    methods="ArtGS, REArtGS, REArtGS++",
    reads=f"{FILE} with a list of parts",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "limits",
        "continuous joints: they become hinges without limits",
        "helical joints: their slide is lost",
        "chains: every moving part hangs on the one that stands still",
        "couplings",
    ),
    proof_detail="ArtGS; REArtGS and REArtGS++ from a description only",
)
