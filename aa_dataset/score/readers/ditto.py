# SPDX-License-Identifier: Apache-2.0
"""The reader of `quant.npz` of Ditto, else of its `out.urdf`.

Both hold one joint between a static and a mobile part, in the frame of two normalized point clouds:
``(p - center) / scale``. `quant.npz` has center and scale, so that the frame of the input is saved;
`out.urdf` has not. The stored state is the first one. `config` is the change to the second state,
radians or lengths of the normalized frame: the URDF states it as a range from 0, and so does this
reader, with a note. The axis is a mean or median of unit vectors, not one itself.

Type and parameters come from different heads of the network. The type is the predicted one, but
axis and change are those of the head for the *true* type. Where the type is wrong, the file mixes
both; it is read as it stands, with a note.

The dicts in the file are pickled. They are read by a machine that runs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import JointType
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.score.budgets import XML, PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.mesh_files import part_triangles
from aa_dataset.score.readers.prediction import MethodFormat, MethodPrediction, Proof
from aa_dataset.score.readers.two_states import CHANGE_NOTE, changed_joint
from aa_dataset.untrusted.npz import NpzBudget, NpzError, NpzFile
from aa_dataset.untrusted.pickled import PickledDataError, pickled_items

Array = NDArray[np.float64]

QUANT, URDF = "quant.npz", "out.urdf"
ROOT, PART, JOINT = "base_link", "1", "0_j_1"
TYPES = (JointType.REVOLUTE, JointType.PRISMATIC)  # by the number in the file
FRAME_NOTE = f"center and scale are in {QUANT}, which is not there"
_BUDGET = NpzBudget(max_arrays=16, max_bytes=4_000_000)
_MESHES = {ROOT: "static.obj", PART: "mobile.obj"}


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    if files.find_basenames(QUANT):
        return f"it has a {QUANT}"
    urdfs = files.find_basenames(URDF)
    has_joint = urdfs and f'"{JOINT}"'.encode() in files.read_start(urdfs[0], 16_000)
    return f"its {URDF} has the joint {JOINT}" if has_joint else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the archive, which has more digits and the frame; without it, the URDF."""
    found = files.find_basenames(QUANT)
    return _read_quant(files, files.require_one(found, QUANT)) if found else _read_urdf(files)


def _read_quant(files: PredictionFiles, name: str) -> MethodPrediction:
    where = files.shown_path(name)
    try:
        archive = NpzFile(files.read(name, _BUDGET.max_bytes), _BUDGET)
        output, data = _dict(archive, "output"), _dict(archive, "data")
    except (NpzError, PickledDataError) as error:
        raise PredictionError(f"{where}: {error}") from error
    kind = _type_of(output, f"{where}, array 'output'")
    tree = _tree(files.object_id, output, kind, f"{where}, array 'output'")
    saved = _frame(data, f"{where}, array 'data'")
    stem = name.removesuffix(QUANT)
    meshes = {link: stem + mesh for link, mesh in _MESHES.items()}
    return MethodPrediction(
        tree, saved=saved, notes=(CHANGE_NOTE, *_head_notes(archive, kind)),
        triangles=lambda: part_triangles(files, meshes),
    )  # fmt: skip


def _read_urdf(files: PredictionFiles) -> MethodPrediction:
    name = files.require_one(files.find_basenames(URDF), f"{QUANT} or {URDF}")
    tree = urdf_tree(parse_urdf(files.read(name, XML.max_bytes), budget=XML), absent="unbounded")
    if [joint.name for joint in tree.joints] != [JOINT]:
        raise PredictionError(
            f"{files.shown_path(name)}: the method writes the one joint {JOINT!r}. Read another "
            "URDF with `--reader urdf`."
        )
    (one,) = tree.joints
    if one.type not in TYPES or not np.isfinite(one.limits).all():
        raise PredictionError(
            f"{files.shown_path(name)}, joint {JOINT!r}: it is not a turn or slide with two limits."
        )
    # Without the body: mass and inertia are constants of the method's template.
    links = (ROOT, PART)
    joint = changed_joint(JOINT, one.type, one.axis, one.origin, ends=one.limits, links=links)
    meshes = {link: name.removesuffix(URDF) + mesh for link, mesh in _MESHES.items()}
    return MethodPrediction(
        KinematicTree(files.object_id, links, (joint,)), notes=(CHANGE_NOTE, FRAME_NOTE),
        triangles=lambda: part_triangles(files, meshes),
    )  # fmt: skip


def _dict(archive: NpzFile, name: str) -> dict[str, Any]:
    """Return the one dict that an array of objects holds."""
    items = pickled_items(archive.pickled(name))
    if len(items) != 1 or not isinstance(items[0], dict):
        raise NpzError(f"array {name!r} does not hold one dict.")
    return items[0]


def _tree(name: str, output: dict[str, Any], kind: JointType, where: str) -> KinematicTree:
    moved = float(_numbers(output, "config", 1, where)[0])
    axis = _numbers(output, "joint_axis", 3, where)
    origin = _numbers(output, "pivot_point", 3, where)
    links = (ROOT, PART)
    joint = changed_joint(JOINT, kind, axis, origin, ends=(0.0, moved), links=links)
    return KinematicTree(name, links, (joint,))


def _type_of(output: dict[str, Any], where: str) -> JointType:
    number = output.get("joint_type")
    if type(number) is not int or number not in (0, 1):
        raise PredictionError(f"{where}, field `joint_type`: it is not 0 (revolute) or 1.")
    return TYPES[number]


def _frame(data: dict[str, Any], where: str) -> Similarity:
    """Return the map to the frame of the input."""
    scale = float(_numbers(data, "scale", 1, where)[0])
    if scale <= 0.0:
        raise PredictionError(f"{where}, field `scale`: {scale} is not positive.")
    return Similarity(scale, np.eye(3), _numbers(data, "center", 3, where))


def _numbers(row: dict[str, Any], name: str, count: int, where: str) -> Array:
    """Return so many finite numbers of a dict, (count,)."""
    value = row.get(name)
    if isinstance(value, float | int | np.ndarray):
        try:
            numbers = np.asarray(value, dtype=float).reshape(-1)
        except OverflowError:
            numbers = np.zeros(0)
        if len(numbers) == count and np.isfinite(numbers).all():
            return numbers
    raise PredictionError(f"{where}, field `{name}`: it is not {count} finite numbers.")


def _head_notes(archive: NpzFile, kind: JointType) -> tuple[str, ...]:
    """Return a note if the parameters come from the head for the other type."""
    try:
        heads = _dict(archive, "eval").get("articulation")
    except (NpzError, PickledDataError):
        heads = None
    if not isinstance(heads, dict):
        return ("which head the axis comes from is unknown",)
    other = next(one for one in TYPES if one is not kind)
    if heads.get(str(other)) is None:
        return ()
    return (
        f"the type is {kind}, but axis and change come from the head for {other} joints, which the "
        "method chose by the ground truth",
    )


FORMAT = MethodFormat(
    name="ditto",
    methods="Ditto",
    reads=f"{QUANT}, else {URDF}",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "more than one joint",
        "ranges: they become the change between two states, half a turn at most",
        "continuous and helical joints: they become turns",
        "couplings",
    ),
)
