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
# Surface in a region below this area is none; a polygon below the second is not cut further.
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
        left = clipped(found, normal, offset)
        if left is found:
            continue
        sizes = areas(left)
        if float(sizes.sum()) <= _LEAST_AREA:
            return False
        found = left[sizes > _SLIVER]
    return len(found) > 0


def areas(polygons: np.ndarray) -> np.ndarray:
    """Return the areas (m,) of flat polygons (m, n, 3)."""
    arms = polygons[:, 1:] - polygons[:, :1]
    doubled = np.cross(arms[:, :-1], arms[:, 1:]).sum(axis=1)
    return np.asarray(length(doubled) / 2)


def clipped(polygons: np.ndarray, normal: np.ndarray, offset: float) -> np.ndarray:
    """Return what is left of convex polygons where ``normal . x <= offset``.

    Parameters
    ----------
    polygons : (m, n, 3) float
        Corners in their order; one with fewer corners repeats its last one.
    normal : (3,) float
        Of the plane.
    offset : float
        Its height along `normal`.

    Returns
    -------
    (k, l, 3) float
        In the form of `polygons`, which are returned if nothing is cut off.
    """
    heights = dot(polygons, normal) - offset
    is_below = heights <= 0
    is_whole = is_below.all(axis=1)
    if is_whole.all():
        return polygons
    is_cut = is_below.any(axis=1) & ~is_whole
    if not is_cut.any():
        return np.asarray(polygons[is_whole])
    cut = _cut(polygons[is_cut], heights[is_cut])
    count = max(cut.shape[1], polygons.shape[1])
    return np.concatenate([_padded(polygons[is_whole], count), _padded(cut, count)])


def _padded(polygons: np.ndarray, count: int) -> np.ndarray:
    """Return polygons of more corners, all but the first ones equal to the last."""
    numbers = np.minimum(np.arange(count), polygons.shape[1] - 1)
    return np.asarray(polygons[:, numbers])


def _cut(polygons: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Return the lower side of polygons (m, n, 3) with corners (m, n) on both sides of 0."""
    ahead, height_ahead = np.roll(polygons, -1, axis=1), np.roll(heights, -1, axis=1)
    is_below = heights <= 0
    is_crossed = is_below != (height_ahead <= 0)
    rise = np.where(is_crossed, heights - height_ahead, 1.0)
    crossing = polygons + (heights / rise)[:, :, None] * (ahead - polygons)
    # A corner that is repeated counts once.
    is_kept = is_below & (polygons != ahead).any(axis=2)
    both = np.stack([polygons, crossing], axis=2).reshape(len(polygons), -1, 3)
    mask = np.stack([is_kept, is_crossed], axis=2).reshape(len(polygons), -1)
    counts = mask.sum(axis=1)
    order = np.argsort(~mask, axis=1, kind="stable")
    slots = np.minimum(np.arange(counts.max()), counts[:, None] - 1)
    chosen = np.take_along_axis(order, slots, axis=1)
    return np.asarray(np.take_along_axis(both, chosen[:, :, None], axis=1))
