# SPDX-License-Identifier: Apache-2.0
"""The reader of `object.json`, the tree of boxes of SINGAPO and CAGE.

The file has one node per part, with the box around it and the joint above it. NAP and S2O reach
this form in the converted results that SINGAPO and CAGE compare with. The frame is y up with its
front to z, in the unit of PartNet-Mobility (about 2 from end to end), and the state is the closed
one, in which every joint is at its first end. The tree is turned to z up and front x here, which
loses nothing; unit and place stay, because a picture does not tell them.

Angles are in degrees. A range may run downward. A range of exactly 90 degrees is no prediction: the
evaluation of both methods puts it in place of every other. A screw states its travel and no pitch.
Shapes are the boxes of the parts; the meshes that are retrieved for them are not read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import Geometry
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.json_values import (
    DEGREE,
    field_of,
    json_value,
    numbers,
    rows_of,
    text_of,
    vector_of,
)
from aa_dataset.score.readers.notes import limit_notes, listed
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.triangles import primitive_triangles

Array = NDArray[np.float64]

KEYS = ("diffuse_tree", "arti_tree")  # the second in older files
MARKS = tuple(f'"{key}"'.encode() for key in KEYS)
# To z up and front x.
UPRIGHT = Similarity(1.0, np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
FORCED = 90.0  # degrees
_ALMOST = 1e-6  # degrees
_LOOKED_AT = 8  # JSON files
TYPES = {
    "fixed": JointType.FIXED,
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.CONTINUOUS,
    "prismatic": JointType.PRISMATIC,
    "screw": JointType.PRISMATIC,
}


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = _candidates(files)
    return f"{found[0]} has a tree of boxes" if found else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the only file with a tree of boxes."""
    name = files.require_one(
        _candidates(files) or files.find_basenames("object.json"), "object.json"
    )
    where, value = files.shown_path(name), json_value(files, name)
    key = KEYS[1] if isinstance(value, dict) and KEYS[1] in value else KEYS[0]
    key = KEYS[0] if isinstance(value, dict) and KEYS[0] in value else key
    nodes = [
        _Node(row, where)
        for row in rows_of(field_of(value, key, where), f"{where}, field `{key}`,")
    ]
    names = {node.number: node.name for node in nodes}
    if len(names) < len(nodes):
        raise PredictionError(f"{where}, field `id`: two parts have one number. Number them apart.")
    joints = tuple(node.joint(names) for node in nodes if node.parent >= 0)
    tree = UPRIGHT.tree(KinematicTree("object", tuple(node.name for node in nodes), joints))
    screws = [f"joint_{node.number}" for node in nodes if node.kind == "screw"]
    lost = (f"a screw without a pitch is read as a slide: {listed(screws)}",) if screws else ()
    return MethodPrediction(
        tree,
        notes=(*limit_notes(tree), *lost),
        triangles=lambda: {node.name: node.box() for node in nodes},
    )


def _candidates(files: PredictionFiles) -> list[str]:
    if not files.is_folder:
        return []
    known = files.named(".json")[:_LOOKED_AT]
    return [name for name in known if any(mark in files.read_start(name) for mark in MARKS)]


class _Node:
    """A part: its number, its parent's, and its values as written."""

    def __init__(self, row: dict[str, Any], where: str):
        self.number = _whole(row, "id", where)
        self.where = f"{where}, part {self.number}"
        self.parent = _whole(row, "parent", self.where)
        self.name = f"{text_of(row, 'name', self.where)}_{self.number}"
        self._box = field_of(row, "aabb", self.where)
        self._joint = field_of(row, "joint", self.where)
        self.kind = text_of(self._joint, "type", self.where)
        if self.kind not in TYPES:
            known = ", ".join(TYPES)
            raise PredictionError(f"{self.where}: the type {self.kind!r} is not one of {known}.")

    def joint(self, names: dict[int, str]) -> Joint:
        """Return the joint above the part, in the file's frame."""
        if self.parent not in names:
            raise PredictionError(
                f"{self.where}, field `parent`: there is no part {self.parent}. Name a part, or "
                "-1 for the root."
            )
        still = Joint(
            f"joint_{self.number}",
            JointType.FIXED,
            np.zeros(3),
            np.zeros(3),
            parent=names[self.parent],
            child=self.name,
        )
        kind = TYPES[self.kind]
        if kind is JointType.FIXED:
            return still
        axis = field_of(self._joint, "axis", self.where)
        lower, upper, source = self._limits(kind)
        return replace(
            still,
            type=kind,
            axis=vector_of(axis, "direction", self.where),
            origin=vector_of(axis, "origin", self.where),
            lower=lower,
            upper=upper,
            limit_source=source,
        )

    def _limits(self, kind: JointType) -> tuple[float, float, LimitSource]:
        """Return the limits in rad or in the file's unit."""
        if kind is JointType.CONTINUOUS:
            return 0.0, 0.0, LimitSource.GIVEN
        where = f"{self.where}, field `range`,"
        ends = numbers(field_of(self._joint, "range", self.where), 2, where).tolist()
        lower, upper = min(ends), max(ends)
        if kind is JointType.PRISMATIC:
            return lower, upper, LimitSource.GIVEN
        is_forced = abs(upper - lower - FORCED) <= _ALMOST
        source = LimitSource.TABLE if is_forced else LimitSource.GIVEN
        return lower * DEGREE, upper * DEGREE, source

    def box(self) -> Array:
        """Return the triangles of the box (12, 3, 3), z up."""
        center, size = (vector_of(self._box, key, self.where) for key in ("center", "size"))
        cube = primitive_triangles(Geometry("box", tuple(np.abs(size).tolist())))
        return UPRIGHT.points(cube + center)


def _whole(row: dict[str, Any], name: str, where: str) -> int:
    value = field_of(row, name, where)
    if type(value) is not int:
        raise PredictionError(f"{where}, field `{name}`: {value!r:.40} is not a whole number.")
    return value


FORMAT = MethodFormat(
    name="singapo",
    methods="SINGAPO, CAGE, and NAP and S2O in their form",
    reads="object.json",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "helical joints: a screw has a travel and no pitch",
        "a bound on one side: a hinge becomes continuous, a slide travels one unit",
        "a turn of more than 360 degrees, a slide longer than half the object's diagonal",
        "couplings",
    ),
    proof_detail="SINGAPO and CAGE; NAP and S2O in the form that these convert them to",
)
