# SPDX-License-Identifier: Apache-2.0
"""Convex parts: planes, volume, and cuts by a plane.

Everything is in the object frame at rest, in units of the object's diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aa_dataset.portable import applied, dot, length
from pipeline.shapes.hulls import SCALED, hull_of

# Directions that agree to this many decimals are one.
_DIRECTION_DECIMALS = 6
# A face of less than this area has no direction.
_LEAST_AREA = 1e-14
# A vertex this high above a plane is on it.
_ON_PLANE = 1e-12
# Of more normals than this, one is taken of every patch of the sphere, of so many radians.
_MANY_NORMALS, _PATCH = 400, 0.2
# A cut leaves no part that is thinner than this, or half as thin as the part was.
THINNEST = 1e-4


@dataclass(frozen=True, eq=False)
class Part:
    """A convex part: vertices (n, 3) and triangles `faces` (m, 3), outward.

    `hull` is what qhull told of it, if it did: as `polytopes.joined_sides` takes it.
    """

    vertices: np.ndarray
    faces: np.ndarray
    hull: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    @cached_property
    def sides(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Flat sides, as `polytopes` has them; None if the part is flat."""
        from pipeline.stages.annotate.clearance.polytopes import joined_sides  # only here: 0.3 s

        hull = self.hull
        if hull is None:
            found = hull_of(self.vertices, options=SCALED)
            if found is None:
                return None
            hull = found.simplices.astype(np.int64), found.neighbors, found.equations
        corners, starts = joined_sides(self.vertices, hull)
        return corners, starts

    @cached_property
    def box(self) -> np.ndarray:
        """Lower and upper corner (2, 3)."""
        return np.stack([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    @cached_property
    def _area_vectors(self) -> np.ndarray:
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return cross(b - a, c - a)

    @cached_property
    def normals(self) -> np.ndarray:
        """Outward unit normals (k, 3), each once."""
        areas = length(self._area_vectors)
        kept = areas > _LEAST_AREA
        found = np.round(self._area_vectors[kept] / areas[kept, None], _DIRECTION_DECIMALS) + 0.0
        found = _each_once(found)
        return np.asarray(found / length(found)[:, None])

    @cached_property
    def offsets(self) -> np.ndarray:
        """Height (k,) of every face along its normal."""
        return np.asarray(applied(self.normals, self.vertices).max(axis=0))

    @cached_property
    def directions(self) -> np.ndarray:
        """Normals (q, 3) along which gaps are looked for: all of them, or some of very many."""
        if len(self.normals) <= _MANY_NORMALS:
            return self.normals
        patches = np.round(self.normals / _PATCH) + 0.0
        return np.asarray(self.normals[np.unique(patches, axis=0, return_index=True)[1]])

    @cached_property
    def reaches(self) -> np.ndarray:
        """Height (q,) of the part along its `directions`."""
        return np.asarray(applied(self.directions, self.vertices).max(axis=0))

    @cached_property
    def volume(self) -> float:
        """Volume, in cubes of the diagonal."""
        corners = self.vertices[self.faces[:, 0]] - self.vertices[0]
        return float(dot(corners, self._area_vectors).sum()) / 6

    @cached_property
    def width(self) -> float:
        """Smallest distance between two parallel planes around the part, over its normals."""
        heights = applied(self.normals, self.vertices)
        return float((heights.max(axis=0) - heights.min(axis=0)).min())

    def below(self, normal: np.ndarray, offset: float) -> Part | None:
        """Return the part where ``normal . x <= offset``; None if nothing, or a sliver, is left.

        Parameters
        ----------
        normal : (3,) float
            Of any length but 0.
        offset : float
            Height of the plane along `normal`.
        """
        return self.below_all(normal[None], np.array([offset]))

    def below_all(
        self, normals: np.ndarray, offsets: np.ndarray, slack: float = 0.0
    ) -> Part | None:
        """Return the part below several planes; None as in `below`.

        Parameters
        ----------
        normals : (k, 3) float
            Of the planes.
        offsets : (k,) float
            Their heights.
        slack : float
            How far above a plane the part may still reach.
        """
        left = self
        while len(normals):
            heights = applied(normals, left.vertices) - offsets  # (n, k)
            beyond = heights.max(axis=0)
            # Rounded, so that the first of equal planes is chosen on every machine.
            farthest = int(np.round(beyond, 9).argmax())
            if beyond[farthest] <= max(slack, _ON_PLANE):
                break
            cut = left._cut(heights[:, farthest], float(length(normals[farthest])))
            if cut is None:
                return None
            # A plane above all of a part is above all that is left of it.
            kept = beyond > max(slack, _ON_PLANE)
            kept[farthest] = False
            left, normals, offsets = cut, normals[kept], offsets[kept]
        return left

    def region_below(self, normals: np.ndarray, offsets: np.ndarray, slack: float) -> Part | None:
        """Return `below_all` to look at: quicker, but with corners that only rounding makes."""
        from pipeline.stages.annotate.clearance import polytopes  # only here, as above

        if self.sides is None:
            return None
        planes = np.ascontiguousarray(normals), np.ascontiguousarray(offsets)
        limits = max(slack, _ON_PLANE), THINNEST
        state, points, sides = polytopes.cut_sides(self.vertices, self.sides, planes, limits)
        if state == polytopes.TORN:
            return self.below_all(normals, offsets, slack)
        if state == polytopes.NOTHING:
            return None
        return Part(points, polytopes.fans(sides)) if state == polytopes.CUT else self

    def _cut(self, heights: np.ndarray, scale: float) -> Part | None:
        """Return the part below a plane, by the heights (n,) of the vertices times a scale."""
        if heights.min() > -THINNEST * scale and heights.min() > -self.width * scale / 2:
            return None
        edges = self.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        a, b = edges[(heights[edges[:, 0]] < 0) & (heights[edges[:, 1]] > 0)].T
        share = heights[a] / (heights[a] - heights[b])
        crossing = self.vertices[a] + share[:, None] * (self.vertices[b] - self.vertices[a])
        return part_of(np.concatenate([self.vertices[heights <= 0], crossing]))


def part_of(points: np.ndarray) -> Part | None:
    """Return the hull of points (n, 3); None if it is flat."""
    hull = hull_of(points, options=SCALED) if len(points) > 3 else None
    if hull is None:
        return None
    is_used = np.zeros(len(points), dtype=bool)
    is_used[hull.simplices] = True
    vertices, faces = hull.points[is_used], (np.cumsum(is_used) - 1)[hull.simplices]
    told = faces.copy(), hull.neighbors, hull.equations
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = dot(cross(b - a, c - a), a - vertices.mean(axis=0)) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Part(vertices, faces, told)


def _each_once(rows: np.ndarray) -> np.ndarray:
    """Return the rows (k, 3) of (n, 3) numbers, sorted: `np.unique` of rows, several times faster.

    It compares rows as records, one call for each pair.
    """
    rows = rows[np.lexsort(rows.T[::-1])]
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return np.asarray(rows[is_first])


def cross(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cross products (n, 3) of vectors (n, 3)."""
    (a, b, c), (u, v, w) = first.T, second.T
    return np.stack([b * w - c * v, c * u - a * w, a * v - b * u], axis=1)
