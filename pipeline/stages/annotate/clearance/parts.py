# SPDX-License-Identifier: Apache-2.0
"""Convex parts: planes, volume, and cuts by a plane.

Everything is in the object frame at rest, in units of the object's diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np

from aa_dataset.portable import dot, length
from pipeline.shapes.hulls import SCALED, hull_of

# Directions that agree to six decimals are one.
_DIRECTION_SCALE = 1e6
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
    def _corners(self) -> np.ndarray:
        return np.ascontiguousarray(self.vertices)

    @cached_property
    def box(self) -> np.ndarray:
        """Lower and upper corner (2, 3)."""
        return np.asarray(_kernels().bounds(self._corners))

    @cached_property
    def _area_vectors(self) -> np.ndarray:
        return np.asarray(_kernels().area_vectors(self._corners, self.faces))

    @cached_property
    def normals(self) -> np.ndarray:
        """Outward unit normals (k, 3), each once."""
        found = _kernels().directions(self._area_vectors, _LEAST_AREA, _DIRECTION_SCALE)
        return np.asarray(found)

    @cached_property
    def _spans(self) -> np.ndarray:
        """Lowest and highest place (2, k) along the normals."""
        return self.spans(self.normals)

    @property
    def offsets(self) -> np.ndarray:
        """Height (k,) of every face along its normal."""
        return np.asarray(self._spans[1])

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
        return np.asarray(self.spans(self.directions)[1])

    @cached_property
    def volume(self) -> float:
        """Volume, in cubes of the diagonal."""
        corners = self.vertices[self.faces[:, 0]] - self.vertices[0]
        return float(dot(corners, self._area_vectors).sum()) / 6

    @cached_property
    def width(self) -> float:
        """Smallest distance between two parallel planes around the part, over its normals."""
        low, high = self._spans
        return float((high - low).min())

    def spans(self, normals: np.ndarray) -> np.ndarray:
        """Return the lowest and the highest place (2, k) of the part along normals (k, 3)."""
        return np.asarray(_kernels().spans(self._corners, np.ascontiguousarray(normals)))

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
        left, limit = self, max(slack, _ON_PLANE)
        # A plane above all of a part is above all that is left of it.
        planes, is_left = (normals, offsets), np.ones(len(normals), dtype=bool)
        while True:
            plane, lowest = _kernels().farthest_plane(left._corners, planes, is_left, limit)
            if plane < 0:
                return left
            scale = float(length(normals[plane]))
            if lowest > -THINNEST * scale and lowest > -left.width * scale / 2:
                return None
            points = (left._corners, left.faces, normals[plane], offsets[plane])
            cut = part_of(_kernels().points_below(*points))
            if cut is None:
                return None
            left = cut

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


def part_of(points: np.ndarray) -> Part | None:
    """Return the hull of points (n, 3); None if it is flat."""
    hull = hull_of(points, options=SCALED) if len(points) > 3 else None
    if hull is None:
        return None
    vertices, given, faces = _kernels().own_faces(hull.points, hull.simplices)
    return Part(vertices, faces, (given, hull.neighbors, hull.equations))


def _kernels() -> ModuleType:
    """Return the compiled loops; numba is imported here on first use, because it takes 0.3 s."""
    from pipeline.stages.annotate.clearance import facets

    return facets
