# SPDX-License-Identifier: Apache-2.0
"""Posed triangles that rays meet, and the color that a ray sees there.

The light is fixed in the object frame and has no highlight, so a point of the surface has one color
for every camera.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import RenderError
from aa_dataset.portable import applied, dot, length
from aa_dataset.render.backend import embree_hits
from aa_dataset.render.look import sample_bilinear
from aa_dataset.render.ray_state import Hits
from aa_dataset.render.surface import Surface, same_places

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LAYERS = 6  # transparent faces that one ray passes
STEP = 2e-5  # how far behind a transparent face a ray continues, in distances of the camera
AMBIENT = 0.45
# Directions to three lights (azimuths -30, 90 and 210, elevation 35 degrees), and their strength.
LIGHTS = (
    ((0.709406, -0.409576, 0.573576), 0.34),
    ((0.0, 0.819152, 0.573576), 0.24),
    ((-0.709406, -0.409576, 0.573576), 0.28),
)


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """Where rays meet triangles.

    Attributes
    ----------
    rays : (n, 3) float
        Directions of depth 1, object frame.
    eye : (3,) float [m]
    face : (n,) int
        The nearest triangle of any opacity; 0 where `seen` is False.
    depth : (n,) float [m]
        Along the view direction.
    seen : (n,) bool
    """

    rays: Array
    eye: Array
    face: Indices
    depth: Array
    seen: NDArray[np.bool_]

    def where(self, rows: NDArray[np.bool_] | Indices) -> Hit:
        """Return some of the hits."""
        return Hit(self.rays[rows], self.eye, self.face[rows], self.depth[rows], self.seen[rows])


class Triangles:
    """The triangles of one state of an object, with one ray query for opaque and one for others.

    Attributes
    ----------
    corners : (f, 3, 3) float [m]
        Object frame, in this state.
    normal : (f, 3) float
        Unit normals of faces.
    part : (f,) int
    """

    def __init__(self, surface: Surface, poses: Array):
        rotation, shift = poses[surface.part, :3, :3], poses[surface.part, :3, 3]
        self.corners = np.stack(
            [applied(rotation, surface.corners[:, k]) + shift for k in range(3)], 1
        )
        if not np.isfinite(self.corners).all():
            raise RenderError("A vertex or a pose is not finite; check the object and its joints.")
        self._normals = np.stack([applied(rotation, surface.normals[:, k]) for k in range(3)], 1)
        self.part = surface.part
        self._surface = surface
        first, second = (self.corners[:, k] - self.corners[:, 0] for k in (1, 2))
        area = np.cross(first, second)
        size = length(area)
        self.normal = area / np.where(size > 0, size, 1)[:, None]
        square = np.where(size > 0, size, 1)[:, None] ** 2
        # Weights of the second and the third corner are affine over the face; these are gradients.
        self._slopes = (
            np.stack([np.cross(second, area), np.cross(area, first)], 1) / square[:, None]
        )
        self._middle = (self.corners.min(axis=(0, 1)) + self.corners.max(axis=(0, 1))) / 2
        self._reach = float(np.abs(self.corners - self._middle).max()) or 1.0
        clear = surface.is_transparent()
        self._solid, self._glass = (self._query(np.flatnonzero(one)) for one in (~clear, clear))
        self._images = [
            image[::-1].astype(np.float32) / np.float32(255) for image in surface.textures
        ]

    def _query(self, faces: Indices) -> _Query | None:
        if not len(faces):
            return None
        # In units of the object around its center: single precision is enough to find a face.
        scaled = ((self.corners[faces] - self._middle) / self._reach).astype(np.float32)
        return _Query(faces, embree_hits(scaled), *_twins(self.corners, self.normal, faces))

    def nearest(self, eye: Array, rays: Array, start: Array | None, *, glass: bool) -> Hit:
        """Return the first hits of rays that begin at depths (n,) `start` [m], or at the eye."""
        query = self._glass if glass else self._solid
        if query is None:
            none = np.zeros(len(rays), np.int64)
            return Hit(rays, eye, none, np.full(len(rays), np.inf), none.astype(bool))
        begin = np.broadcast_to(eye, rays.shape) if start is None else eye + rays * start[:, None]
        found = query.hits(
            ((begin - self._middle) / self._reach).astype(np.float32), rays.astype(np.float32)
        )
        seen = found >= 0
        face = query.faces[np.where(seen, found, 0)]
        behind = dot(self.normal[face], rays) > 0
        face = np.where(behind, query.back[face], query.front[face])
        toward = dot(self.normal[face], rays)
        gap = dot(self.normal[face], self.corners[face, 0] - eye)
        seen &= toward != 0
        depth = np.where(seen, gap / np.where(toward == 0, 1, toward), np.inf)
        return Hit(rays, eye, face, depth, seen)

    def shaded(self, hit: Hit) -> Array:
        """Return display color and coverage (n, 4) in [0, 1], not multiplied."""
        color = np.zeros((len(hit.rays), 4))
        solid = hit if self._glass is None else self.nearest(hit.eye, hit.rays, None, glass=False)
        rows = np.flatnonzero(solid.seen)
        color[rows] = self._lit(solid.where(rows))
        color[rows, 3] = 1.0
        if self._glass is not None:
            self._pass_glass(hit, color, np.where(solid.seen, solid.depth, np.inf))
        return color

    def _pass_glass(self, hit: Hit, color: Array, end: Array) -> None:
        """Put transparent faces before depths (n,) `end` over `color`, nearest first, in place."""
        through, gathered = np.ones(len(color)), np.zeros((len(color), 3))
        live = np.arange(len(color))
        start: Array | None = None
        for _ in range(LAYERS):
            layer = self.nearest(hit.eye, hit.rays[live], start, glass=True)
            ahead = layer.seen & (layer.depth < end[live])
            live, layer = live[ahead], layer.where(ahead)
            if not len(live):
                break
            lit = self._lit(layer)
            gathered[live] += (through[live] * lit[:, 3])[:, None] * lit[:, :3]
            through[live] *= 1 - lit[:, 3]
            start = layer.depth * (1 + STEP)
        cover = 1 - through * (1 - color[:, 3])
        gathered += (through * color[:, 3])[:, None] * color[:, :3]
        color[:, :3] = gathered / np.where(cover > 0, cover, 1)[:, None]
        color[:, 3] = cover

    def _lit(self, hit: Hit) -> Array:
        """Return the lit color and opacity (n, 4) of hits, all of which see a face."""
        surface, face = self._surface, hit.face
        inside = hit.eye + hit.rays * hit.depth[:, None] - self.corners[face, 0]
        slopes = self._slopes[face]
        second, third = (np.clip(dot(slopes[:, k], inside), 0, 1) for k in (0, 1))
        weights = np.stack([1 - second - third, second, third], 1)
        normal = dot(weights[:, None], self._normals[face].transpose(0, 2, 1))
        size = length(normal)
        sign = np.where(dot(self.normal[face], hit.rays) > 0, -1, 1)
        normal *= (sign / np.where(size > 0, size, 1))[:, None]
        color = dot(weights[:, None], surface.colors[face].transpose(0, 2, 1))
        texture = surface.texture[face]
        for index in np.unique(texture[texture >= 0]):
            rows = np.flatnonzero(texture == index)
            uv = dot(weights[rows, None], surface.uv[face[rows]].transpose(0, 2, 1))
            color[rows] *= sample_bilinear(self._images[index], uv[:, 0], uv[:, 1])
        color[:, :3] *= _light(normal)[:, None]
        return np.minimum(color, 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Query:
    """A ray query over some faces (k,), and the face (f,) to show for each, by the side seen."""

    faces: Indices
    hits: Hits
    front: Indices
    back: Indices


def first_hits(triangles: Triangles, eye: Array, rays: Array) -> Hit:
    """Return the nearest face of any opacity along rays (n, 3) of depth 1 from one place (3,)."""
    solid = triangles.nearest(eye, rays, None, glass=False)
    glass = triangles.nearest(eye, rays, None, glass=True)
    nearer = glass.seen & (glass.depth < solid.depth)
    return Hit(
        rays,
        eye,
        np.where(nearer, glass.face, solid.face),
        np.where(nearer, glass.depth, solid.depth),
        solid.seen | glass.seen,
    )


def _twins(corners: Array, normal: Array, faces: Indices) -> tuple[Indices, Indices]:
    """Return the face (f,) to show in place of each, if its front or its back is seen.

    Many models have a wall twice in one place, once per side. Which of the two a ray finds is
    arbitrary; shown is the first one that has its front there.
    """
    front = np.arange(len(corners))
    back = front.copy()
    place = same_places(corners[faces])
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    for group in np.split(order, starts[1:]):
        if len(group) > 1:
            members = faces[group]
            ahead = dot(normal[members], normal[members[0]]) > 0
            for side in (ahead, ~ahead):
                front[members[side]] = members[side][:1]
                back[members[side]] = members[~side][:1] if (~side).any() else members[side][:1]
    return front, back


def _light(normals: Array) -> Array:
    """Return what multiplies the color (n,) of a surface with unit normals (n, 3)."""
    total = np.full(len(normals), AMBIENT)
    for direction, strength in LIGHTS:
        total += strength * np.maximum(dot(normals, direction), 0)
    return np.asarray(np.minimum(total, 1))


def piece_poses(links: Sequence[str], placements: Mapping[str, Array]) -> Array:
    """Return the displacement (p, 4, 4) [m] of every piece from rest, by the link that it is of."""
    return np.array([placements[link] for link in links], dtype=np.float64).reshape(-1, 4, 4)
