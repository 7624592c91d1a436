# SPDX-License-Identifier: Apache-2.0
"""The ground truth as `pred.npz` of Particulate, with the mesh that the method is given.

As the method prepares its data, the mesh is posed at the lower ends of all ranges and ranges begin
at 0. Numbers have the single precision of a network.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import applied
from aa_dataset.score.readers.particulate import (
    FILE,
    MESH,
    NORMALIZATION,
    joint_name,
    slide_name,
)
from aa_dataset.score.registration.normalization import InputShape, normalizing
from aa_dataset.score.simulated.meshes import obj_bytes
from aa_dataset.score.simulated.pieces import bounded, only_shown, split_helical
from aa_dataset.score.simulated.setting import Setting, SimulatedMethod, Written

Array = NDArray[np.float64]

_TURNS = (JointType.REVOLUTE, JointType.CONTINUOUS)


def keep_expressible(tree: KinematicTree, setting: Setting) -> KinematicTree:
    """Return the parts with faces, with finite ranges; helical joints turn and slide freely."""
    parts = only_shown(tree, setting.triangles, _carriers(tree, setting))
    travel = float(setting.shape.extents.max())
    joints = [bounded(joint, travel) for joint in split_helical(parts, is_turn_first=True)]
    links = dict.fromkeys(end for joint in joints for end in (joint.parent, joint.child))
    links[parts.root] = None
    return KinematicTree(tree.name, tuple(links), tuple(joints))


def _carriers(tree: KinematicTree, setting: Setting) -> set[str]:
    """Return the links without faces between a turn and the only joint below, a slide."""
    below: dict[str, list[Joint]] = {link: [] for link in tree.links}
    for joint in tree.joints:
        below[joint.parent].append(joint)
    return {
        joint.child
        for joint in tree.joints
        if joint.type in _TURNS
        and not len(setting.triangles.get(joint.child, ()))
        and [one.type for one in below[joint.child]] == [JointType.PRISMATIC]
        and len(setting.triangles.get(below[joint.child][0].child, ()))
    }


def write(tree: KinematicTree, setting: Setting) -> Written:
    """Write the arrays and the mesh, both in the state of the lower ends."""
    state = {joint.name: _start(joint) for joint in tree.movable}
    placed = tree.placements(state)
    faces = {link: setting.triangles[link] for link in tree.links if link in setting.triangles}
    posed = {
        link: applied(placed[link][:3, :3], corners) + placed[link][:3, 3]
        for link, corners in faces.items()
    }
    mesh = np.concatenate([np.zeros((0, 3, 3)), *posed.values()])
    shape = InputShape.of(mesh.reshape(-1, 3)) if len(mesh) else setting.shape
    way = normalizing(NORMALIZATION, shape)
    between = {joint.child for joint in tree.joints} - set(faces)
    between &= {joint.parent for joint in tree.movable}
    parts = {link: n for n, link in enumerate(link for link in tree.links if link not in between)}
    owners = [parts[link] for link, corners in posed.items() for _ in corners]
    rows, rest = _rows(way.tree(tree.reanchored(state)), parts, state, way)
    rows["face_part_ids"] = np.array(owners, dtype=np.int64)
    files = {f"eval/{FILE}": _archive(rows), f"eval/{MESH}": obj_bytes(mesh)}
    return Written(files if len(mesh) else {f"eval/{FILE}": _archive(rows)}, rest, way.inverse())


def _start(joint: Joint) -> float:
    """Return the coordinate in which the mesh is posed; full turns begin at rest."""
    return 0.0 if joint.limits == (-math.pi, math.pi) else joint.lower


def _rows(
    tree: KinematicTree, parts: Mapping[str, int], state: Mapping[str, float], way: Similarity
) -> tuple[dict[str, NDArray[np.generic]], dict[str, float]]:
    """Return the arrays of a tree in the cube, and the rest state in its joints and unit."""
    count = len(parts)
    widths = {"revolute_plucker": 6, "revolute_range": 2, "prismatic_axis": 3, "prismatic_range": 2}
    rows: dict[str, NDArray[np.generic]] = {
        name: np.zeros((count, width), np.float32) for name, width in widths.items()
    }
    flags = {name: np.zeros(count, bool) for name in ("is_part_revolute", "is_part_prismatic")}
    above = {joint.child: joint for joint in tree.joints}
    below = {joint.parent: joint for joint in tree.joints}
    edges, rest = [], {}
    for joint in tree.joints:
        part = joint.child if joint.child in parts else below[joint.child].child
        parent = joint.parent if joint.parent in parts else above[joint.parent].parent
        child, pair = parts[part], (parts[parent], parts[part])
        edges.append(pair)
        if joint.type is JointType.PRISMATIC:
            flags["is_part_prismatic"][child] = True
            rows["prismatic_axis"][child] = joint.axis
            rows["prismatic_range"][child] = joint.limits
            name = joint_name(*pair) if joint.parent in parts else slide_name(*pair)
            rest[name] = -way.scale * state[joint.name]
        elif joint.is_movable:
            flags["is_part_revolute"][child] = True
            moment = np.cross(joint.axis, joint.origin)
            rows["revolute_plucker"][child] = np.concatenate([joint.axis, moment])
            rows["revolute_range"][child] = joint.limits
            rest[joint_name(*pair)] = -state[joint.name]
    return {**rows, **flags, "motion_hierarchy": np.array(list(dict.fromkeys(edges)))}, rest


def _archive(rows: Mapping[str, NDArray[np.generic]]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **rows)  # type: ignore[arg-type]
    return stream.getvalue()


SIMULATED = SimulatedMethod("particulate", keep_expressible, write)
