# SPDX-License-Identifier: Apache-2.0
"""A tree into the file of a method and back, and whether it still moves alike."""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.score.readers.folder import PredictionFolder
from aa_dataset.score.readers.prediction import MethodPrediction
from aa_dataset.score.registration.normalization import InputShape, normalizing
from aa_dataset.score.registration.record import Registration, RegistrationSource, registered
from aa_dataset.score.simulated.registry import simulated_named
from aa_dataset.score.simulated.setting import Setting, Written

Array = NDArray[np.float64]

OBJECT_ID = "thing"
_CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


class Trip(NamedTuple):
    """What a format keeps of a tree, what came back, and how."""

    kept: KinematicTree
    back: KinematicTree
    prediction: MethodPrediction
    written: Written


def box_triangles(center: Array, extents: Array) -> Array:
    """Return the triangles (12, 3, 3) of a box, outward."""
    return (center + _CORNERS * extents)[_FACES]


def setting_of(tree: KinematicTree, *, seed: int = 0) -> Setting:
    """Return a setting with a box per link: each has another size, beside its joint."""
    triangles = {tree.root: box_triangles(np.array([0.1, 0.0, 0.2]), np.array([0.7, 0.5, 0.4]))}
    for number, joint in enumerate(tree.joints, start=1):
        extents = np.array([0.10, 0.20, 0.30]) * (1 + number / 16)
        triangles[joint.child] = box_triangles(joint.origin + 0.05, extents)
    shape = InputShape.of(np.concatenate(list(triangles.values())).reshape(-1, 3))
    main = next((joint.name for joint in tree.joints if joint.is_movable), "")
    return Setting(OBJECT_ID, "StorageFurniture", shape, triangles, main, seed)


def brought_back(name: str, tree: KinematicTree, setting: Setting | None = None) -> Trip:
    """Write a tree as a method would, read it, and bring it into the object frame at rest.

    Parameters
    ----------
    name : str
        The format, a name of both registries.
    tree : KinematicTree
        In the object frame at rest.
    setting : Setting, optional
        By default that of `setting_of`.
    """
    setting = setting or setting_of(tree)
    method = simulated_named(name)
    kept = method.keep_expressible(tree, setting)
    written = method.write(kept, setting)
    with tempfile.TemporaryDirectory() as folder:
        put_files(Path(folder) / OBJECT_ID, written.files)
        # `auto` must recognize what the writer of this format wrote.
        assert PredictionFolder(Path(folder)).format(OBJECT_ID)[0] == name
        prediction = PredictionFolder(Path(folder), reader=name).prediction(OBJECT_ID)
    rest = {**written.rest, **prediction.rest}
    similarity = written.saved or to_object(prediction, setting.shape)
    way = Registration(RegistrationSource.FILE, similarity, rest)
    return Trip(kept, registered(prediction, way), prediction, written)


def put_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def to_object(prediction: MethodPrediction, shape: InputShape) -> Similarity:
    """Return the map to the object frame: saved, or by the method's normalization, or identity."""
    if prediction.saved is not None:
        return prediction.saved
    if prediction.normalization is not None:
        return normalizing(prediction.normalization, shape).inverse()
    return Similarity()


def require_same_motion(
    tree: KinematicTree, expected: KinematicTree, tolerance: float = 1e-9
) -> None:
    """Compare two trees joint by joint: parents, types, axes, pitches, limits and their source.

    Joints correspond by name where all names are the same, else by what hangs below what.

    Parameters
    ----------
    tree, expected : KinematicTree
        In one frame. Names, and places of fixed joints and slides, carry no motion.
    tolerance : float [m, rad]
        Of every number; the trees are about 1 m large.
    """
    named = {joint.name for joint in tree.joints} == {joint.name for joint in expected.joints}
    problem = _problem(_Side(tree), _Side(expected), (tree.root, expected.root), named, tolerance)
    assert not problem, f"{problem}\nfound\n{tree}\nexpected\n{expected}"


class _Side:
    """The joints of a tree by the link above them."""

    def __init__(self, tree: KinematicTree):
        self.below: dict[str, list[Joint]] = {link: [] for link in tree.links}
        for joint in tree.joints:
            self.below[joint.parent].append(joint)


def _problem(
    found: _Side, wanted: _Side, links: tuple[str, str], named: bool, tolerance: float
) -> str:
    """Return the first difference below two links, empty if there is none."""
    left, goals = list(found.below[links[0]]), wanted.below[links[1]]
    if len(left) != len(goals):
        return f"{len(left)} joints below {links[0]}, expected {len(goals)}"
    for goal in goals:
        reasons = {}
        for one in [one for one in left if not named or one.name == goal.name]:
            ends = one.child, goal.child
            reasons[one.name] = _mismatch(one, goal, tolerance) or _problem(
                found, wanted, ends, named, tolerance
            )
        same = [name for name, reason in reasons.items() if not reason]
        if not same:
            return f"joint {goal.name} below {links[1]}: {reasons or 'missing'}"
        left = [one for one in left if one.name != same[0]]
    return ""


def _mismatch(one: Joint, goal: Joint, tolerance: float) -> str:
    """Return why two joints move differently, empty if they do not."""
    if one.type is not goal.type:
        return f"type {one.type}, expected {goal.type}"
    if not goal.is_movable:
        return ""
    if np.dot(one.axis, goal.axis) < 0:
        one = one.reversed()
    if np.abs(one.axis - goal.axis).max() > tolerance:
        return f"axis {one.axis}, expected {goal.axis}"
    if goal.type is not JointType.PRISMATIC and _apart(one, goal) > tolerance:
        return f"origin {one.origin}, expected {goal.origin}, {_apart(one, goal)} off the line"
    if abs(one.pitch - goal.pitch) > tolerance:
        return f"pitch {one.pitch}, expected {goal.pitch}"
    if not all(_are_near(a, b, tolerance) for a, b in zip(one.limits, goal.limits, strict=True)):
        return f"limits {one.limits}, expected {goal.limits}"
    if one.limit_source is not goal.limit_source:
        return f"limits {one.limit_source}, expected {goal.limit_source}"
    return ""


def _apart(one: Joint, goal: Joint) -> float:
    """Return the distance of a joint's origin from the line of the other [m]."""
    return float(np.linalg.norm(np.cross(goal.axis, one.origin - goal.origin)))


def _are_near(one: float, goal: float, tolerance: float) -> bool:
    return one == goal or (math.isfinite(one) and abs(one - goal) <= tolerance)
