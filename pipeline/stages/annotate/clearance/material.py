# SPDX-License-Identifier: Apache-2.0
"""Tells whether a convex region of a link holds material, by the link's visible surface."""

from __future__ import annotations

from functools import cached_property

import igl
import numpy as np

from aa_dataset.portable import applied, dot, length
from pipeline.stages.annotate.clearance.parts import Part

# Of the diagonal: surface this near to the border of a region is not in it.
TOUCH = 2e-4
# Surface in a region below this area is none; a triangle below the second is not cut further.
_LEAST_AREA, _SLIVER = 1e-9, 1e-12
# Triangles that are compared with a region at once.
_AT_ONCE = 512
# A point is inside a surface that winds around it more often than this.
_INSIDE = 0.5


class Material:
    """The visible surface of one link.

    Parameters
    ----------
    vertices : (n, 3) float
        Object frame at rest, in units of the diagonal.
    faces : (m, 3) int
        Triangles.
    """

    def __init__(self, vertices: np.ndarray, faces: np.ndarray) -> None:
        self._vertices, self._faces = vertices, faces

    @cached_property
    def _triangles(self) -> np.ndarray:
        return np.asarray(self._vertices[self._faces])

    @cached_property
    def _boxes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._triangles.min(axis=1), self._triangles.max(axis=1)

    def is_in(self, region: Part, touch: float = TOUCH) -> bool:
        """Return whether surface runs through a region, or the region is inside a solid."""
        if not len(self._faces):
            return False
        return self._has_surface(region, touch) or self._is_solid(region)

    def _has_surface(self, region: Part, touch: float) -> bool:
        low, high = region.box[0] + touch, region.box[1] - touch
        first, last = self._boxes
        near = self._triangles[((last >= low) & (first <= high)).all(axis=1)]
        for at in range(0, len(near), _AT_ONCE):
            if _runs_through(near[at : at + _AT_ONCE], region.normals, region.offsets - touch):
                return True
        return False

    @cached_property
    def _hierarchy(self) -> igl.FastWindingNumberBVH:
        made = igl.FastWindingNumberBVH()
        made.init(self._vertices, np.asarray(self._faces, dtype=np.int64))
        return made

    def _is_solid(self, region: Part) -> bool:
        center = region.vertices.mean(axis=0)
        return abs(float(self._hierarchy.winding_number(center[None])[0])) > _INSIDE


def _runs_through(triangles: np.ndarray, normals: np.ndarray, offsets: np.ndarray) -> bool:
    """Return whether triangles (m, 3, 3) have some surface below all planes (k, 3) and (k,)."""
    heights = applied(normals, triangles) - offsets  # (m, 3, k)
    if (heights < 0).all(axis=2).any():
        return True
    found = triangles[(heights.min(axis=1) < 0).all(axis=1)]
    for normal, offset in zip(normals, offsets.tolist(), strict=True):
        found = clipped(found, normal, offset)
        # Planes that are almost the same would cut slivers again and again, each into two.
        areas = _areas(found)
        if float(areas.sum()) <= _LEAST_AREA:
            return False
        found = found[areas > _SLIVER]
    return True


def _areas(triangles: np.ndarray) -> np.ndarray:
    edges = triangles[:, 1:] - triangles[:, :1]
    return np.asarray(length(np.cross(edges[:, 0], edges[:, 1])) / 2)


def clipped(triangles: np.ndarray, normal: np.ndarray, offset: float) -> np.ndarray:
    """Return the triangles (k, 3, 3) that are left of (m, 3, 3) where ``normal . x <= offset``."""
    heights = dot(triangles, normal) - offset
    count = (heights <= 0).sum(axis=1)
    whole = triangles[count == 3]
    one, two = count == 1, count == 2
    # Turn the corner that is alone on its side to the front.
    tips = _with_first(triangles[one], heights[one], (heights[one] <= 0).argmax(axis=1))
    stumps = _with_first(triangles[two], heights[two], (heights[two] > 0).argmax(axis=1))
    corner, left, right = tips
    kept = np.stack([corner, left, right], axis=1)
    _, left, right = stumps
    b, c = _turned(triangles[two], (heights[two] > 0).argmax(axis=1))[1:]
    first, second = np.stack([left, b, c], axis=1), np.stack([left, c, right], axis=1)
    return np.concatenate([whole, kept, first, second])


def _turned(triangles: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, ...]:
    order = (first[:, None] + np.arange(3)) % 3
    return tuple(np.take_along_axis(triangles, order[:, :, None], axis=1).swapaxes(0, 1))


def _with_first(
    triangles: np.ndarray, heights: np.ndarray, first: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the lone corner (m, 3) and where the plane crosses the edges to the other two."""
    corner, left, right = _turned(triangles, first)
    order = (first[:, None] + np.arange(3)) % 3
    h, h_left, h_right = np.take_along_axis(heights, order, axis=1).T
    to_left = corner + (h / (h - h_left))[:, None] * (left - corner)
    to_right = corner + (h / (h - h_right))[:, None] * (right - corner)
    return corner, to_left, to_right
