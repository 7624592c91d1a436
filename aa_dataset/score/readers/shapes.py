# SPDX-License-Identifier: Apache-2.0
"""Boxes of the links of a prediction at rest, from its visual geometry.

Primitives and OBJ meshes inside the prediction's folder are read. A link with any other shape has
no box, because a part of it would be missing. Boxes enter no score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.urdf import Geometry, Shape, UrdfModel
from aa_dataset.kinematics.urdf_tree import rest_frames
from aa_dataset.portable import applied, product
from aa_dataset.untrusted.inside import is_inside
from aa_dataset.untrusted.obj import read_points

Array = NDArray[np.float64]
Box = tuple[Array, Array]
ReadMesh = Callable[[str], bytes]

MOST_MESHES, MOST_MESH_BYTES, MOST_BYTES = 2000, 64_000_000, 256_000_000  # of one prediction


@dataclass(frozen=True, slots=True, eq=False)
class LinkBoxes:
    """Lower and upper corners of links [m], object frame at rest, and links without a known box.

    A link without visual geometry is in neither.
    """

    boxes: dict[str, Box]
    unknown: frozenset[str] = frozenset()


def link_boxes(model: UrdfModel, read_mesh: ReadMesh) -> LinkBoxes:
    """Return the boxes of the links of a document.

    Parameters
    ----------
    model : UrdfModel
        The document.
    read_mesh : function
        Returns the bytes of a file by its name in the document, or raises `ArenaError`.
    """
    frames, reader = rest_frames(model), _Meshes(read_mesh)
    boxes: dict[str, Box] = {}
    unknown = set()
    for link in model.links:
        found = [_shape_box(shape, frames[link.name], reader) for shape in link.visuals]
        known = [box for box in found if box is not None and np.isfinite(np.array(box)).all()]
        if len(known) < len(found):
            unknown.add(link.name)
        elif known:
            boxes[link.name] = joined_box(known)
    return LinkBoxes(boxes, frozenset(unknown))


def joined_box(boxes: list[Box]) -> Box:
    """Return the box around boxes."""
    lower, upper = zip(*boxes, strict=True)
    return np.min(lower, axis=0), np.max(upper, axis=0)


class _Meshes:
    """Reads the points of meshes, each file once, within the limits of one prediction."""

    def __init__(self, read_mesh: ReadMesh):
        self._read, self._known, self._bytes = read_mesh, dict[str, Array | None](), 0

    def points(self, name: str) -> Array | None:
        """Return the points (n, 3) of a mesh, None if it cannot be read."""
        if name not in self._known:
            self._known[name] = self._new_points(name)
        return self._known[name]

    def _new_points(self, name: str) -> Array | None:
        wrong = not is_inside(name) or not name.lower().endswith(".obj")
        if wrong or len(self._known) >= MOST_MESHES or self._bytes > MOST_BYTES:
            return None
        try:
            data = self._read(name)
            self._bytes += len(data)
            points = read_points(data) if len(data) <= MOST_MESH_BYTES else np.zeros((0, 3))
        except (ArenaError, OSError, ValueError):
            return None
        return points if len(points) else None


def _shape_box(shape: Shape, frame: Array, reader: _Meshes) -> Box | None:
    """Return the box of one shape of a link whose frame is given, None if it is unknown."""
    pose, geometry = product(frame, shape.pose), shape.geometry
    if geometry.kind == "mesh":
        points = reader.points(geometry.filename)
        if points is None:
            return None
        placed = applied(pose[:3, :3], points * np.array(geometry.scale)) + pose[:3, 3]
        return placed.min(axis=0), placed.max(axis=0)
    half = _half_extents(geometry, pose[:3, :3])
    return pose[:3, 3] - half, pose[:3, 3] + half


def _half_extents(geometry: Geometry, turn: Array) -> Array:
    """Return half the extents of a turned primitive along the axes, (3,)."""
    if geometry.kind == "box":
        return np.asarray((np.abs(turn) * np.array(geometry.size) / 2).sum(axis=1))
    radius = geometry.size[0]
    if geometry.kind == "sphere":
        return np.full(3, radius)
    along = np.abs(turn[:, 2])
    across = np.sqrt(np.maximum(0.0, 1.0 - along * along))
    round_part = radius if geometry.kind == "capsule" else radius * across
    return np.asarray(along * geometry.size[1] / 2 + round_part)


def triangle_boxes(
    triangles: Mapping[str, Array], placed: Mapping[str, Array], similarity: Similarity
) -> LinkBoxes:
    """Return the boxes of links from their triangles.

    Parameters
    ----------
    triangles : mapping of link to (n, 3, 3) float
        The method's frame, stored state.
    placed : mapping of link to (4, 4) float
        Displacements of the links from the stored state to rest, method's frame.
    similarity : Similarity
        From the method's frame to the object frame [m].
    """
    boxes: dict[str, Box] = {}
    for link, corners in triangles.items():
        if len(corners):
            moved = placed[link]
            points = applied(moved[:3, :3], corners.reshape(-1, 3)) + moved[:3, 3]
            points = similarity.points(points)
            boxes[link] = points.min(axis=0), points.max(axis=0)
    return LinkBoxes(boxes)
