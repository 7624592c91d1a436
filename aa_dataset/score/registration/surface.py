# SPDX-License-Identifier: Apache-2.0
"""Surfaces of triangles: moments, samples, and the closest point to other points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from aa_dataset.portable import dot, length, symmetric_eigen
from aa_dataset.score.budgets import PredictionError

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SAMPLES = 20_000  # of a surface, in its search tree
FEWER = 25  # one of so many samples answers rough questions
MOST_CENTERS = 30_000  # of triangles, in the search tree besides
MOST_TRIANGLES = 4_000_000
FARTHEST = 1e9  # coordinate of a corner
_BITS, _UNIT = 11, 2.0**-53


@dataclass(frozen=True, eq=False)
class TriangleSurface:
    """Triangles (n, 3, 3) with an area; use `surface_of`."""

    triangles: Array

    @cached_property
    def _normals(self) -> Array:
        a, b, c = np.moveaxis(self.triangles, 1, 0)
        return np.asarray(np.cross(b - a, c - a))

    @cached_property
    def areas(self) -> Array:
        """Areas, (n,)."""
        return np.asarray(length(self._normals) / 2)

    @cached_property
    def normals(self) -> Array:
        """Unit normals, (n, 3)."""
        return np.asarray(self._normals / (2 * self.areas)[:, None])

    @cached_property
    def centers(self) -> Array:
        """Centers of the triangles, (n, 3)."""
        return np.asarray((self.triangles[:, 0] + self.triangles[:, 1] + self.triangles[:, 2]) / 3)

    @cached_property
    def center(self) -> Array:
        """Center of the surface, (3,)."""
        return np.asarray((self.areas[:, None] * self.centers).sum(axis=0) / self.areas.sum())

    @cached_property
    def moments(self) -> Array:
        """Second moments about the center per area, (3, 3)."""
        corners = self.triangles - self.center
        sums, out = corners.sum(axis=1), np.empty((3, 3))
        for i in range(3):
            for k in range(3):
                each = (corners[..., i] * corners[..., k]).sum(axis=1) + sums[:, i] * sums[:, k]
                out[i, k] = (self.areas * each).sum() / (12 * self.areas.sum())
        return out

    @property
    def radius(self) -> float:
        """Root mean square distance from the center."""
        return float(np.sqrt(self.moments[0, 0] + self.moments[1, 1] + self.moments[2, 2]))

    @property
    def principal_axes(self) -> Array:
        """A proper rotation whose columns are principal axes, (3, 3)."""
        axes = symmetric_eigen(self.moments)[1]
        if float(dot(np.cross(axes[:, 0], axes[:, 1]), axes[:, 2])) < 0:
            axes[:, 2] = -axes[:, 2]
        return axes

    def normalized(self) -> TriangleSurface:
        """Return the surface with its center at the origin and radius 1."""
        return TriangleSurface((self.triangles - self.center) / self.radius)

    def samples(self, count: int, seed: int) -> tuple[Array, Indices]:
        """Return points spread by area (count, 3), and the triangle of each."""
        along, first, second = _uniform(count, 3, seed)
        reached = np.cumsum(self.areas)
        place = (np.arange(count) + along) / count * reached[-1]
        owner = np.minimum(np.searchsorted(reached, place, side="right"), len(reached) - 1)
        root = np.sqrt(first)[:, None]
        a, b, c = np.moveaxis(self.triangles[owner], 1, 0)
        second = second[:, None]
        return (1 - root) * a + root * (1 - second) * b + root * second * c, owner


def surface_of(triangles: Array) -> TriangleSurface:
    """Return the surface of triangles (n, 3, 3), or raise `PredictionError` with a sentence."""
    triangles = np.asarray(triangles, dtype=float).reshape(-1, 3, 3)
    if len(triangles) > MOST_TRIANGLES:
        raise PredictionError(
            f"its shape has {len(triangles):,} triangles, more than {MOST_TRIANGLES:,}, so it is "
            "not registered."
        )
    if not (np.abs(triangles) <= FARTHEST).all():  # false for nan as well
        raise PredictionError(f"a corner of its shape is not finite or beyond {FARTHEST:g}.")
    whole = TriangleSurface(triangles)
    largest = float(whole.areas.max(initial=0.0))
    kept = whole.areas > 1e-14 * largest
    if not kept.any() or not TriangleSurface(triangles[kept]).radius > 0:
        raise PredictionError("its shape has no area, so it cannot be registered.")
    return TriangleSurface(triangles[kept])


class Nearest:
    """Finds the closest points of a surface.

    A search tree over samples and centers names the triangles that may be closest; the distance to
    these is exact.
    """

    def __init__(self, surface: TriangleSurface, seed: int):
        self.surface = surface
        self.points, owner = surface.samples(SAMPLES, seed)
        largest = np.argsort(-surface.areas, kind="stable")[:MOST_CENTERS]
        self._owner = np.concatenate([owner, largest])
        self._tree = cKDTree(np.concatenate([self.points, surface.centers[largest]]))
        self._few = cKDTree(self.points[::FEWER])

    def rough_distances(self, points: Array) -> Array:
        """Return distances (...) from points (..., 3) to the nearest of few samples."""
        return np.asarray(self._few.query(points)[0])

    def closest(self, points: Array, among: int) -> tuple[Array, Array]:
        """Return the closest points (n, 3) and the normals there (n, 3)."""
        near = self._owner[self._tree.query(points, k=min(among, self._tree.n))[1]]
        near = near.reshape(len(points), -1)
        found = closest_on(self.surface.triangles[near], points[:, None])
        gaps = found - points[:, None]
        best = np.argmin(dot(gaps, gaps), axis=1)
        rows = np.arange(len(points))
        return found[rows, best], self.surface.normals[near[rows, best]]


def closest_on(triangles: Array, points: Array) -> Array:
    """Return the closest points (..., 3) of triangles (..., 3, 3) to points (..., 3)."""
    a, b, c = triangles[..., 0, :], triangles[..., 1, :], triangles[..., 2, :]
    best, least = _on_segment(a, b, points)
    for start, end in ((b, c), (c, a)):
        other, away = _on_segment(start, end, points)
        closer = away < least
        best, least = np.where(closer[..., None], other, best), np.where(closer, away, least)
    u, v, w = b - a, c - a, points - a
    uu, uv, vv, wu, wv = dot(u, u), dot(u, v), dot(v, v), dot(w, u), dot(w, v)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = (vv * wu - uv * wv) / (uu * vv - uv * uv)
        t = (uu * wv - uv * wu) / (uu * vv - uv * uv)
    inside = (s >= 0) & (t >= 0) & (s + t <= 1)  # false where a triangle has no area
    s, t = np.where(inside, s, 0.0)[..., None], np.where(inside, t, 0.0)[..., None]
    return np.where(inside[..., None], a + s * u + t * v, best)


def _on_segment(start: Array, end: Array, points: Array) -> tuple[Array, Array]:
    """Return the closest points of segments and the squared distances."""
    along = end - start
    size = dot(along, along)
    share = np.clip(dot(points - start, along) / np.where(size > 0, size, 1.0), 0.0, 1.0)
    found = start + share[..., None] * along
    return found, dot(points - found, points - found)


def _uniform(count: int, rows: int, seed: int) -> Array:
    """Return numbers in [0, 1) from the raw bits of a seeded generator, (rows, count)."""
    raw = np.random.PCG64(seed).random_raw(count * rows)
    return np.asarray((raw >> np.uint64(_BITS)) * _UNIT).reshape(rows, count)
