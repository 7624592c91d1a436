# SPDX-License-Identifier: Apache-2.0
"""The joints of a USDZ: rigid bodies with the joints of UsdPhysics between them.

A joint has a frame in each of its two bodies, `localPos` and `localRot`. Its axis is one of that
frame's, so a reader that leaves out `localRot0` turns axes. Angles are in degrees. A hinge without
limits is continuous. The package is opened here, its layer in a process of its own (`usd_child`).
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import MissingExtraError
from aa_dataset.kinematics.mjcf_joints import pose
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import UrdfJoint, UrdfLink, UrdfModel
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.portable import inverse, product
from aa_dataset.score.budgets import MOST_FILES, MOST_LINKS, PredictionError
from aa_dataset.score.readers.json_values import DEGREE, matrix_of
from aa_dataset.untrusted.safe_json import JsonError, parse_json

Array = NDArray[np.float64]

MOST_BYTES = 64_000_000  # of a package and of its layer
MOST_ANSWER = 16_000_000
WORLD = "world"
TYPES = {
    "PhysicsFixedJoint": "fixed",
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
}
AXES = {"X": [1.0, 0.0, 0.0], "Y": [0.0, 1.0, 0.0], "Z": [0.0, 0.0, 1.0]}
# From a stage that is y up to z up.
UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def usdz_tree(data: bytes, where: str) -> KinematicTree:
    """Return the tree of a package, z up [m]; `where` names it in messages."""
    name, layer = _root_layer(data, where)
    stage = _stage(layer, name, where)
    tree = urdf_tree(_model(stage, where), absent="unbounded")
    turn = np.eye(3) if stage["up"] == "Z" else UPRIGHT
    return Similarity(stage["meters"], turn).tree(tree)


def _root_layer(data: bytes, where: str) -> tuple[str, bytes]:
    """Return ending and bytes of the layer of a package: its first file, not compressed."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            entries = package.infolist()
            if not 0 < len(entries) <= MOST_FILES:
                raise PredictionError(f"{where}: it has {len(entries):,} files. Package it again.")
            first = entries[0]
            ending = first.filename.rpartition(".")[2].lower()
            is_plain = first.compress_type == zipfile.ZIP_STORED and not first.flag_bits & 1
            if ending not in ("usd", "usda", "usdc") or not is_plain:
                raise PredictionError(
                    f"{where}: its first file is no plain USD layer. Package it with `usdzip`."
                )
            if first.file_size > MOST_BYTES:
                raise PredictionError(f"{where}: its layer has more than {MOST_BYTES:,} bytes.")
            return ending, package.read(first)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
        raise PredictionError(f"{where}: it is no USDZ package: {error}.") from error


def _stage(layer: bytes, ending: str, where: str) -> dict[str, Any]:
    """Return what the child process read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"layer.{ending}"
        path.write_bytes(layer)
        module = "aa_dataset.score.readers.usd_child"
        command = [sys.executable, "-m", module, str(path)]
        # A last resort beside the child's own limit of its work.
        done = subprocess.run(command, capture_output=True, check=False, timeout=600)
    if done.returncode == 3:
        cause = ImportError("pxr")
        raise MissingExtraError("the reader of USDZ", "usd", cause)
    if done.returncode != 0 or len(done.stdout) > MOST_ANSWER:
        raise PredictionError(f"{where}: USD cannot read its layer. Write it again.")
    try:
        found: dict[str, Any] = parse_json(done.stdout)
    except JsonError as error:
        raise PredictionError(f"{where}: its layer holds what is no number: {error}.") from error
    if "problem" in found:
        raise PredictionError(f"{where}: {found['problem']}. Write it again as one layer.")
    return found


def _model(stage: dict[str, Any], where: str) -> UrdfModel:
    """Return bodies and joints; the frame of a link is that of the joint above it."""
    bodies, rows = stage["bodies"], stage["joints"]
    if max(len(bodies), len(rows)) > MOST_LINKS:
        raise PredictionError(f"{where}: it has more than {MOST_LINKS:,} bodies or joints.")
    names = {path: path.rpartition("/")[2] for path in bodies}
    if len(set(names.values())) < len(names):
        names = {path: path for path in bodies}
    above = {row["ends"][1]: row for row in rows}
    joints = tuple(_joint(row, stage, names, above, where) for row in rows)
    links = [WORLD] if any(not row["ends"][0] for row in rows) else []
    return UrdfModel("object", tuple(UrdfLink(name) for name in [*links, *names.values()]), joints)


def _joint(
    row: dict[str, Any],
    stage: dict[str, Any],
    names: dict[str, str],
    above: dict[str, dict[str, Any]],
    where: str,
) -> UrdfJoint:
    place = f"{where}, joint {row['name']!r:.80}"
    if row["type"] not in TYPES:
        raise PredictionError(
            f"{place}: a {row['type']:.40} is no fixed, revolute or prismatic joint. Split it."
        )
    if row["loop"]:
        raise PredictionError(
            f"{place}, field `excludeFromArticulation`: it closes a loop, which a tree cannot "
            "hold. Leave it out."
        )
    first, second = row["ends"]
    if second not in names or (first and first not in names):
        raise PredictionError(f"{place}: it names a body that does not exist. Name two bodies.")
    kind = TYPES[row["type"]]
    lower, upper = _limits(row["limits"], kind)
    if kind == "revolute" and lower is None and upper is None:
        kind = "continuous"
    return UrdfJoint(
        row["name"],
        kind,
        names[first] if first else WORLD,
        names[second],
        product(_parent_frame(first, stage, above, place), _frame(row, 0, place)),
        axis=np.array(AXES.get(row["axis"], AXES["X"])),
        lower=lower,
        upper=upper,
        has_limit=True,
    )


def _parent_frame(
    body: str, stage: dict[str, Any], above: dict[str, dict[str, Any]], place: str
) -> Array:
    """Return the frame of a body in that of its link (4, 4)."""
    if not body:
        return np.eye(4)
    if body in above:
        return inverse(_frame(above[body], 1, place))
    # The root: its link's frame is the stage's. USD's matrices act on rows.
    return matrix_of(stage["bodies"], body, 4, place).T


def _frame(row: dict[str, Any], end: int, place: str) -> Array:
    """Return the joint's frame in one of its bodies (4, 4)."""
    position, turn = row["frames"][end]
    if not any(turn):
        raise PredictionError(f"{place}, field `localRot{end}`: it is no rotation. Give one.")
    return pose(np.array(position), np.array(turn))


def _limits(written: list[float | None], kind: str) -> tuple[float | None, float | None]:
    """Return the limits in rad or in the stage's unit; one that is stated leaves the other open."""
    unit = DEGREE if kind == "revolute" else 1.0
    lower, upper = (None if end is None else end * unit for end in written)
    if kind == "fixed" or (lower is None and upper is None):
        return None, None
    return -np.inf if lower is None else lower, np.inf if upper is None else upper
