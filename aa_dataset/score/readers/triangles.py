# SPDX-License-Identifier: Apache-2.0
"""Triangles of the links of a URDF at rest: primitives, and OBJ meshes inside the prediction.

Round shapes become inscribed facets: their corners lie on the surface.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.urdf import Geometry, UrdfModel
from aa_dataset.kinematics.urdf_tree import rest_frames
from aa_dataset.portable import applied, cos, product, sin
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.shapes import MOST_BYTES, MOST_MESH_BYTES, MOST_MESHES
from aa_dataset.untrusted.inside import is_inside
from aa_dataset.untrusted.obj import ObjError, read_obj

Array = NDArray[np.float64]
ReadMesh = Callable[[str], bytes]

AROUND, ALONG = 32, 16  # facets of a full turn and from pole to pole
MOST_TRIANGLES = 4_000_000  # of one prediction
# Corners of the triangles of a cube, outward; bit 2 of a corner's number is its x, bit 0 its z.
_CUBE = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


def link_triangles(model: UrdfModel, read_mesh: ReadMesh) -> dict[str, Array]:
    """Return the visual triangles of every link that has some, in the root's frame at rest.

    Parameters
    ----------
    model : UrdfModel
        The document.
    read_mesh : function
        Returns the bytes of a file by its name in the document, at least one more than are
        allowed of a larger one, or raises `ArenaError`.

    Returns
    -------
    dict of str to (n, 3, 3) float

    Raises
    ------
    PredictionError
        If a shape cannot be read: without it, the object would have another size.
    """
    frames, meshes = rest_frames(model), _Meshes(read_mesh)
    found: dict[str, Array] = {}
    count = 0
    for link in model.links:
        parts = []
        for shape in link.visuals:
            corners = _geometry_triangles(shape.geometry, link.name, meshes)
            count += len(corners)
            if count > MOST_TRIANGLES:
                raise PredictionError(f"the shapes have more than {MOST_TRIANGLES:,} triangles.")
            pose = product(frames[link.name], shape.pose)
            parts.append(applied(pose[:3, :3], corners.reshape(-1, 3)) + pose[:3, 3])
        if parts:
            found[link.name] = np.concatenate(parts).reshape(-1, 3, 3)
    return found


def _geometry_triangles(geometry: Geometry, link: str, meshes: _Meshes) -> Array:
    """Return the triangles of one shape in its own frame."""
    if geometry.kind != "mesh":
        return primitive_triangles(geometry)
    return np.asarray(meshes.triangles(geometry.filename, link) * np.array(geometry.scale))


class _Meshes:
    """Reads meshes, each file once, within the limits of one prediction."""

    def __init__(self, read_mesh: ReadMesh):
        self._read, self._known, self._left = read_mesh, dict[str, Array](), MOST_BYTES

    def triangles(self, name: str, link: str) -> Array:
        """Return the triangles (n, 3, 3) of a mesh in its file's frame."""
        if name not in self._known:
            where = f"mesh {name!r:.200} of link {link!r:.80}"
            if len(self._known) >= MOST_MESHES:
                raise PredictionError(f"{where}: it is one of more than {MOST_MESHES:,} meshes.")
            self._known[name] = self._new_triangles(name, where)
        return self._known[name]

    def _new_triangles(self, name: str, where: str) -> Array:
        if not is_inside(name):
            raise PredictionError(f"{where} lies outside the prediction's folder. Put it inside.")
        if not name.lower().endswith(".obj"):
            raise PredictionError(f"{where} is no OBJ file. Convert it to OBJ.")
        try:
            data = self._read(name)
            self._left -= len(data)
            if len(data) > MOST_MESH_BYTES or self._left < 0:
                raise PredictionError(f"{where}: the meshes are too large. Simplify them.")
            text = read_obj(data)
        except OSError as error:
            raise PredictionError(f"{where} cannot be read: {error.strerror}.") from error
        except ObjError as error:
            raise PredictionError(f"{where} cannot be read: {error}") from error
        corners = np.asarray(text.points[text.whole.corners.reshape(-1)], dtype=float)
        if not np.isfinite(corners).all():
            raise PredictionError(f"{where} has coordinates that are not finite.")
        return corners.reshape(-1, 3, 3)


def primitive_triangles(geometry: Geometry) -> Array:
    """Return the triangles (n, 3, 3) of a box, sphere, cylinder or capsule along z, outward."""
    if geometry.kind == "box":
        return np.asarray(_box() * np.array(geometry.size))
    if geometry.kind == "sphere":
        return np.asarray(_ball() * geometry.size[0])
    radius, height = geometry.size
    if geometry.kind == "cylinder":
        return np.asarray(_tube() * np.array([radius, radius, height]))
    caps = _ball() * radius
    # The middle ring of corners belongs to neither cap: the tube between them is the side.
    up = caps[(caps[:, :, 2] > -1e-9 * radius).all(axis=1)] + [0.0, 0.0, height / 2]
    down = caps[(caps[:, :, 2] < 1e-9 * radius).all(axis=1)] - [0.0, 0.0, height / 2]
    side = _side() * np.array([radius, radius, height])
    return np.concatenate([up, down, side])


@cache
def _box() -> Array:
    """Return the cube of side 1 about the origin."""
    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    return np.asarray(corners[_CUBE])


def _ring(radius: float, height: float) -> Array:
    angles = np.arange(AROUND) * (2 * math.pi / AROUND)
    return np.column_stack([radius * cos(angles), radius * sin(angles), np.full(AROUND, height)])


def _band(low: Array, high: Array) -> Array:
    """Return the triangles between two rings (AROUND, 3)."""
    low_next, high_next = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
    first = np.stack([low, low_next, high_next], axis=1)
    second = np.stack([low, high_next, high], axis=1)
    return np.concatenate([first, second])


@cache
def _ball() -> Array:
    """Return the unit ball."""
    angles = np.arange(1, ALONG) * (math.pi / ALONG)
    heights, radii = -cos(angles), sin(angles)
    heights[ALONG // 2 - 1] = 0.0  # the equator
    rings = [_ring(float(r), float(h)) for r, h in zip(radii, heights, strict=True)]
    bands = [_band(low, high) for low, high in itertools.pairwise(rings)]
    return np.concatenate([_fan(rings[0], -1.0, flip=True), *bands, _fan(rings[-1], 1.0)])


def _fan(ring: Array, height: float, *, flip: bool = False) -> Array:
    """Return the triangles between a ring and a point on the axis."""
    tip = np.tile([0.0, 0.0, height], (len(ring), 1))
    following = np.roll(ring, -1, axis=0)
    return np.stack([following, ring, tip] if flip else [ring, following, tip], axis=1)


@cache
def _side() -> Array:
    """Return the side of the cylinder of radius 1 and height 1."""
    return _band(_ring(1.0, -0.5), _ring(1.0, 0.5))


@cache
def _tube() -> Array:
    """Return the cylinder of radius 1 and height 1, closed."""
    low, high = _ring(1.0, -0.5), _ring(1.0, 0.5)
    return np.concatenate([_side(), _fan(low, -0.5, flip=True), _fan(high, 0.5)])
