# SPDX-License-Identifier: Apache-2.0
"""Tells whether a convex region of a link holds material, by the link's visible surface."""

from __future__ import annotations

from functools import cached_property

import igl
import numpy as np

from pipeline.stages.annotate.clearance.parts import Part

# Of the diagonal: surface this near to the border of a region is not in it.
TOUCH = 2e-4
# Surface in a region below this area is none; it is the sum of so many triangles near the region.
_LEAST_AREA, _AT_ONCE = 1e-9, 512
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
    def _boxes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        from pipeline.stages.annotate.clearance.surfaces import BLOCK  # only here: it takes 0.3 s

        lows, highs = self._triangles.min(axis=1), self._triangles.max(axis=1)
        starts = np.arange(0, len(lows), BLOCK)
        blocks = np.minimum.reduceat(lows, starts), np.maximum.reduceat(highs, starts)
        return lows, highs, *blocks

    def is_in(self, region: Part, touch: float = TOUCH) -> bool:
        """Return whether surface runs through a region, or the region is inside a solid."""
        if not len(self._faces):
            return False
        return self._has_surface(region, touch) or self._is_solid(region)

    def _has_surface(self, region: Part, touch: float) -> bool:
        from pipeline.stages.annotate.clearance.surfaces import has_area  # as above

        inner = region.box[0] + touch, region.box[1] - touch
        planes = region.normals, region.offsets - touch
        return bool(has_area(self._triangles, self._boxes, inner, planes, (_LEAST_AREA, _AT_ONCE)))

    @cached_property
    def _hierarchy(self) -> igl.FastWindingNumberBVH:
        made = igl.FastWindingNumberBVH()
        made.init(self._vertices, np.asarray(self._faces, dtype=np.int64))
        return made

    def _is_solid(self, region: Part) -> bool:
        center = region.vertices.mean(axis=0)
        return abs(float(self._hierarchy.winding_number(center[None])[0])) > _INSIDE
