# SPDX-License-Identifier: Apache-2.0
"""The reader of `mobility.json` of Articulate AnyMesh.

The file is a list with one entry per part: name, joint type in words of URDF, the parent by its
*name* (PartNet's file of almost the same name has numbers there), and the axis. The frame is that
of `mesh_normalized.glb`: the given mesh is centered by its bounding box, scaled so that the sphere
around that box has radius 1, and turned by the angles `render: euler` of the run's configuration.
Neither center nor scale is saved. All joints are stored in the state of the given mesh. There are
no limits, the direction of an axis may have any length, and its sign means nothing.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import pose_matrix
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.json_values import (
    DEGREE,
    field_of,
    first_byte,
    json_value,
    rows_of,
    text_of,
    vector_of,
)
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.prediction import (
    Center,
    MethodFormat,
    MethodPrediction,
    Normalization,
    Proof,
    Size,
)

Array = NDArray[np.float64]

FILE = "mobility.json"
TYPES = {
    "fixed": JointType.FIXED,
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.CONTINUOUS,
    "prismatic": JointType.PRISMATIC,
}
_MOST_CONFIGS, _MOST_CONFIG_BYTES = 20, 64_000
# The angles of the run's configuration as YAML lists: one per line, or in brackets.
_EULER = re.compile(r"^[ \t]*euler:[ \t]*(?:\[([^\]\n]*)\]|((?:\s*\n[ \t]*-[^\n]*)+))", re.M)


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = [name for name in files.find_basenames(FILE) if first_byte(files, name) == b"["]
    return f"it has a {FILE} with a list" if found else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the parts; the root is the part without a parent."""
    name = files.require_one(files.find_basenames(FILE), FILE)
    where = files.shown_path(name)
    rows = rows_of(json_value(files, name), where)
    names = [text_of(row, "name", f"{where}, entry {k}") for k, row in enumerate(rows)]
    parts = set(names)
    joints = [
        _joint(row, parts, f"{where}, part {part[:80]!r}")
        for part, row in zip(names, rows, strict=True)
        if field_of(row, "parent", f"{where}, part {part[:80]!r}") is not None
    ]
    tree = KinematicTree(files.object_id, tuple(names), tuple(joints))
    rotation, turned = _rotation(files)
    normalization = normalization_of(rotation)
    return MethodPrediction(tree, normalization=normalization, notes=(*limit_notes(tree), *turned))


def normalization_of(rotation: Array) -> Normalization:
    """Return how the method normalizes its mesh, which a rotation (3, 3) ends."""
    return Normalization(Center.BOX, Size.DIAGONAL, 2.0, rotation)


def _joint(row: dict[str, Any], parts: set[str], where: str) -> Joint:
    name, parent = text_of(row, "name", where), text_of(row, "parent", where)
    if parent not in parts:
        raise PredictionError(
            f"{where}, field `parent`: there is no part {parent[:80]!r}. Name the part that it "
            "hangs on, or `base`."
        )
    word = text_of(row, "joint", where)
    if word not in TYPES:
        raise PredictionError(
            f"{where}, field `joint`: {word[:80]!r} is not one of {', '.join(TYPES)}."
        )
    axis, origin = np.zeros(3), np.zeros(3)
    if word != JointType.FIXED:
        line = field_of(field_of(row, "jointData", where), "axis", f"{where}, field `jointData`")
        axis = vector_of(line, "direction", f"{where}, axis")
        origin = vector_of(line, "origin", f"{where}, axis")
    return Joint(
        name, TYPES[word], axis, origin, -math.inf, math.inf, parent=parent, child=name,
        limit_source=LimitSource.ABSENT,
    )  # fmt: skip


def _rotation(files: PredictionFiles) -> tuple[Array, tuple[str, ...]]:
    """Return the rotation of the run's configuration, and a note where that is not there."""
    found, configs = {}, files.named(".yaml", ".yml")
    if len(configs) > _MOST_CONFIGS:
        raise PredictionError(
            f"{files.object_id}/ has more than {_MOST_CONFIGS} configurations. Keep one."
        )
    for name in configs:
        text = files.read_start(name, _MOST_CONFIG_BYTES).decode("utf-8", errors="replace")
        if match := _EULER.search(text):
            stated = "".join(part or "" for part in match.groups())
            found[name] = _angles(stated, files.shown_path(name))
    if not found:
        return np.eye(3), ("no configuration beside it; the mesh was not turned",)
    name = files.require_one(sorted(found), "configuration with `euler`")
    # `xyz` in small letters, as of scipy: about the fixed axes, which is the order of URDF.
    return pose_matrix((0.0, 0.0, 0.0), found[name])[:3, :3], ()


def _angles(text: str, where: str) -> tuple[float, ...]:
    """Return three angles in degrees as radians."""
    words = text.replace(",", " ").replace("- ", " ").split()
    try:
        angles = tuple(float(word) * DEGREE for word in words)
    except ValueError:
        angles = ()
    if len(angles) != 3 or not all(map(math.isfinite, angles)):
        raise PredictionError(f"{where}, field `euler`: it is not three angles in degrees.")
    return angles


FORMAT = MethodFormat(
    name="anymesh",
    methods="Articulate AnyMesh",
    reads=f"{FILE} with a list of parts, and the run's *.yaml if it turns the mesh",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=("limits", "helical joints: their slide is lost", "couplings"),
)
