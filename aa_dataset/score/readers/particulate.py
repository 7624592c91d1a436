# SPDX-License-Identifier: Apache-2.0
"""The reader of Particulate: `pred.npz`, and the faces of its parts in `pred.obj`.

A row per part has what moves it against its parent; the part that is no child is the root, and its
row means nothing. A line is written as direction l and moment ``l x p``, the other sign than in the
paper. Of the four classes of motion, the last turns and slides: it becomes two joints, the turn
first, as the method plays it. Ranges may have their ends in any order.

Joints are in the cube [-0.5, 0.5] into which the given mesh was brought, z up if the run had
``--up_dir Z`` for a mesh that is z up. Neither center nor scale is saved. `pred.obj` is the mesh as
given, neither turned nor scaled; coordinates are 0 in its state. The method's own preparation
poses meshes at the lower ends of their ranges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import length
from aa_dataset.score.budgets import MOST_LINKS, PredictionError, name_file_in_errors
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.prediction import (
    Center,
    MethodFormat,
    MethodPrediction,
    Normalization,
    Proof,
    Size,
)
from aa_dataset.score.registration.normalization import InputShape, normalizing
from aa_dataset.untrusted.npz import NpzError, NpzFile
from aa_dataset.untrusted.obj import ObjError, read_obj

Array = NDArray[np.float64]
Edge = tuple[int, int]

FILE, MESH = "pred.npz", "pred.obj"
FOLDERS = ("eval/", "")
NORMALIZATION = Normalization(Center.BOX, Size.LARGEST, 1.0)
_WIDTHS = {"revolute_plucker": 6, "revolute_range": 2, "prismatic_axis": 3, "prismatic_range": 2}


@dataclass(frozen=True, slots=True, eq=False)
class Motions:
    """What moves the parts: flags (n,), lines (n, 6), ranges (n, 2) and directions (n, 3)."""

    turns: NDArray[np.bool_]
    slides: NDArray[np.bool_]
    lines: Array
    angles: Array
    directions: Array
    travels: Array


def claims(files: PredictionFiles) -> str:
    """Return why files are of this format."""
    found = _joint_files(files)
    return f"it has {found[0]}" if found else ""


def read(files: PredictionFiles) -> MethodPrediction:
    """Read the rows of the parts; the mesh is read when its triangles are asked for."""
    name = files.require_one(_joint_files(files), f"{FILE} or eval/{FILE}")
    where = files.shown_path(name)
    try:
        archive = NpzFile(files.read(name))
        motions = _motions(archive, where)
        edges = _edges(archive, len(motions.turns), where)
    except NpzError as error:
        raise PredictionError(f"{where}: {error}") from error
    with name_file_in_errors(where):
        tree, notes = _tree(motions, edges)
    return MethodPrediction(
        tree,
        normalization=NORMALIZATION,
        notes=notes,
        triangles=lambda: _triangles(files, name, len(motions.turns)),
    )


def joint_name(parent: int, child: int) -> str:
    """Return the name that the method's own URDF gives to a joint."""
    return f"joint_{parent}_{child}"


def slide_name(parent: int, child: int) -> str:
    """Return the name of the second joint of a part that turns and slides."""
    return f"{joint_name(parent, child)}_slide"


def _joint_files(files: PredictionFiles) -> list[str]:
    names = [folder + FILE for folder in FOLDERS]
    return [name for name in names if files.try_read_start(name, 1) is not None][:1]


def _motions(archive: NpzFile, where: str) -> Motions:
    flags = [archive.array(name) for name in ("is_part_revolute", "is_part_prismatic")]
    count = len(flags[0]) if flags[0].ndim == 1 else 0
    if not 1 <= count <= MOST_LINKS or any(flag.shape != (count,) for flag in flags):
        raise PredictionError(
            f"{where}: `is_part_revolute` {flags[0].shape} and `is_part_prismatic` "
            f"{flags[1].shape} must have one entry per part, for 1 to {MOST_LINKS:,} parts."
        )
    tables = [_table(archive, name, (count, width), where) for name, width in _WIDTHS.items()]
    lines, angles, directions, travels = tables
    turns, slides = (flag != 0 for flag in flags)
    return Motions(turns, slides, lines, angles, directions, travels)


def _table(archive: NpzFile, name: str, shape: tuple[int, int], where: str) -> Array:
    table = archive.array(name)
    if table.shape != shape:
        raise PredictionError(f"{where}: `{name}` has the shape {table.shape}, expected {shape}.")
    return table.astype(float)


def _edges(archive: NpzFile, count: int, where: str) -> list[Edge]:
    """Return the pairs of parent and child."""
    pairs = archive.array("motion_hierarchy")
    if pairs.size == 0:
        return []  # numpy writes an empty list as numbers without a second axis
    right = pairs.ndim == 2 and pairs.shape[1] == 2 and pairs.dtype.kind in "iu"
    if not right or len(pairs) > count or not ((pairs >= 0) & (pairs < count)).all():
        raise PredictionError(
            f"{where}: `motion_hierarchy` must be pairs of parent and child, numbers from 0 to "
            f"{count - 1}, at most one per part."
        )
    return [(int(parent), int(child)) for parent, child in pairs.tolist()]


def _tree(motions: Motions, edges: list[Edge]) -> tuple[KinematicTree, tuple[str, ...]]:
    count = len(motions.turns)
    children = {child for _, child in edges}
    tops = [part for part in range(count) if part not in children]
    parents = {parent for parent, _ in edges}
    root = next((part for part in tops if part in parents), tops[0] if tops else 0)
    loose = [part for part in tops if part != root]
    joints = [joint for edge in edges for joint in _joints(motions, *edge)]
    joints += [_fixed(root, part) for part in loose]
    first = [f"part_{root}"]
    links = [f"part_{part}" for part in range(count) if part != root]
    between = [joint.child for joint in joints if joint.child not in {*first, *links}]
    tree = KinematicTree("", (*first, *links, *between), tuple(joints))
    named = ", ".join(map(str, loose[:4]))
    return tree, (f"parts without a parent do not move: {named}",) if loose else ()


def _fixed(parent: int, child: int) -> Joint:
    above, below = f"part_{parent}", f"part_{child}"
    return Joint(
        joint_name(parent, child), JointType.FIXED, np.zeros(3), np.zeros(3),
        parent=above, child=below,
    )  # fmt: skip


def _joints(motions: Motions, parent: int, child: int) -> Iterator[Joint]:
    """Yield the joints between two parts: one, or a turn and a slide."""
    turns, slides = bool(motions.turns[child]), bool(motions.slides[child])
    if not (turns or slides):
        yield _fixed(parent, child)
        return
    above, below = f"part_{parent}", f"part_{child}"
    between = f"{below}_turned" if slides else below
    name = joint_name(parent, child)
    if turns:
        direction, moment = motions.lines[child, :3], motions.lines[child, 3:]
        size = float(length(direction))
        axis = direction / size if size > 0 else direction
        lower, upper = sorted(motions.angles[child].tolist())
        origin = np.cross(moment, axis)
        yield Joint(name, JointType.REVOLUTE, axis, origin, lower, upper, 0.0, above, between)
        name, above = slide_name(parent, child), between
    if slides:
        axis, origin = motions.directions[child], np.zeros(3)
        lower, upper = sorted(motions.travels[child].tolist())
        yield Joint(name, JointType.PRISMATIC, axis, origin, lower, upper, 0.0, above, below)


def _triangles(files: PredictionFiles, name: str, count: int) -> dict[str, Array]:
    """Return the triangles of the parts in the cube; none without the mesh."""
    mesh = name.removesuffix(FILE) + MESH
    if files.try_read_start(mesh, 1) is None:
        return {}
    try:
        text = read_obj(files.read(mesh))
        owners = NpzFile(files.read(name)).array("face_part_ids")
    except (ObjError, NpzError) as error:
        raise PredictionError(f"{files.shown_path(mesh)}: {error}") from error
    corners = text.whole.corners
    if owners.shape != (len(corners),) or not len(corners) or not np.isfinite(text.points).all():
        raise PredictionError(
            f"{files.shown_path(mesh)} has {len(corners):,} finite triangles at most, but "
            f"`face_part_ids` has the shape {owners.shape}. Give both files of one run."
        )
    brought = normalizing(NORMALIZATION, InputShape.of(text.points)).points(text.points)
    placed = brought[corners]
    return {f"part_{part}": placed[owners == part] for part in range(count) if part in owners}


FORMAT = MethodFormat(
    name="particulate",
    methods="Particulate",
    reads=f"eval/{FILE} or {FILE}, with {MESH}",
    proof=Proof.FIXTURE,
    claims=claims,
    read=read,
    cannot=(
        "infinite ranges: a rotation without ends becomes a full turn",
        "helical joints: turn and slide are independent",
        "links without a shape, except between a turn and a slide",
        "couplings",
    ),
)
