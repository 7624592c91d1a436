# SPDX-License-Identifier: Apache-2.0
"""The reader of Articraft's `model.json`, and of its USDZ where there is no other file.

The frame is the object's own, z up, in meters; the state is q = 0. A joint's frame is turned by its
`rpy` in its parent's, and its axis is in the turned frame. Angles are in radians in `model.json`.
Limits are null for a continuous joint; elsewhere a null means that none is stated.

A joint that closes a loop cannot be in a tree, so such a file is refused. Older runs of Articraft
write a URDF, which the reader `urdf` takes.
"""

from __future__ import annotations

import math
from typing import Any

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import UrdfJoint, UrdfLink, UrdfModel, pose_matrix
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.json_values import (
    field_of,
    json_value,
    number_of,
    rows_of,
    text_of,
    vector_of,
)
from aa_dataset.score.readers.notes import limit_notes
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.usd import MOST_BYTES as USDZ_BYTES
from aa_dataset.score.readers.usd import usdz_tree

MANIFEST = "model.json"
MARK = b'"meters_per_unit"'
TYPES = ("fixed", "revolute", "continuous", "prismatic")


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = _manifests(files)
    if found:
        return f"{found[0]} is a manifest of Articraft"
    packages = _packages(files)
    return f"{packages[0]} is a USDZ" if len(packages) == 1 else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the manifest, else the only USDZ."""
    found, packages = _manifests(files), _packages(files)
    if not found and packages:
        name = files.require_one(packages, "*.usdz")
        tree = usdz_tree(files.read(name, USDZ_BYTES), files.shown_path(name))
    else:
        name = files.require_one(found, MANIFEST)
        tree = _tree(json_value(files, name), files.shown_path(name))
    return MethodPrediction(tree, notes=limit_notes(tree))


def _packages(files: PredictionFiles) -> list[str]:
    return files.named(".usdz") if files.is_folder else []


def _manifests(files: PredictionFiles) -> list[str]:
    if not files.is_folder:
        return []
    return [name for name in files.find_basenames(MANIFEST) if MARK in files.read_start(name)]


def _tree(value: Any, where: str) -> KinematicTree:
    """Return the tree of a manifest [m]."""
    if "joints" in value:
        raise PredictionError(
            f"{where}: it is a graph of bodies with `joints`, version 2 of the manifest. Write the "
            "tree of `articulations`, without joints that close a loop."
        )
    parts = rows_of(field_of(value, "parts", where), f"{where}, field `parts`")
    rows = rows_of(field_of(value, "articulations", where), f"{where}, field `articulations`")
    links = tuple(UrdfLink(text_of(part, "name", where)) for part in parts)
    joints = tuple(_joint(row, where) for row in rows)
    tree = urdf_tree(UrdfModel("object", links, joints), absent="unbounded")
    return Similarity(_meters(value, where)).tree(tree)


def _meters(value: Any, where: str) -> float:
    """Return the unit [m]; the manifest is z up."""
    unit, up = number_of(value, "meters_per_unit", where), text_of(value, "up_axis", where)
    if not unit > 0:
        raise PredictionError(f"{where}, field `meters_per_unit`: {unit} is not positive.")
    if up != "Z":
        raise PredictionError(f"{where}, field `up_axis`: {up!r:.40} is not 'Z'. Turn the object.")
    return unit


def _joint(row: dict[str, Any], where: str) -> UrdfJoint:
    name = text_of(row, "name", where)
    place = f"{where}, joint {name!r:.80}"
    kind = text_of(row, "type", place)
    if kind not in TYPES:
        raise PredictionError(f"{place}: the type {kind!r:.40} is not one of {', '.join(TYPES)}.")
    if row.get("closes_loop"):
        raise PredictionError(
            f"{place}, field `closes_loop`: a tree cannot hold a loop. Leave out the joints that "
            "close one."
        )
    origin = field_of(row, "origin", place)
    xyz, rpy = (tuple(vector_of(origin, key, place).tolist()) for key in ("xyz", "rpy"))
    is_free = kind in ("fixed", "continuous")
    lower, upper = (None, None) if is_free else _limits(row.get("motion_limits"), place)
    return UrdfJoint(
        name,
        kind,
        text_of(row, "parent", place),
        text_of(row, "child", place),
        pose_matrix(xyz, rpy),
        axis=vector_of(row, "axis", place),
        lower=lower,
        upper=upper,
        has_limit=not is_free,
    )


def _limits(value: Any, place: str) -> tuple[float | None, float | None]:
    """Return the limits; one that is stated alone leaves the other open."""
    if value is None:
        return None, None
    ends = [
        None if field_of(value, key, place) is None else number_of(value, key, place)
        for key in ("lower", "upper")
    ]
    if ends == [None, None]:
        return None, None
    lower, upper = ends
    return -math.inf if lower is None else lower, math.inf if upper is None else upper


FORMAT = MethodFormat(
    name="articraft",
    methods="Articraft",
    reads="model.json, else the only *.usdz",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=("helical joints: the turn is kept, the slide is lost", "loops", "couplings"),
)
