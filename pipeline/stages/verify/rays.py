# SPDX-License-Identifier: Apache-2.0
"""Points just below a link's surface, and rays that find what a moving point hits.

Lengths are in units of the object's size, so that the single precision of embree is equally
accurate for a watch and for a crane.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from aa_dataset.portable import dot, length
from pipeline.stages.verify.shapes import LinkShape

# Hits nearer than this are on the point's own surface. About 100 times the rounding error.
TOUCH = 1e-5
# Directions of the vote on inside or outside: along no axis and no diagonal of a part.
VOTERS = np.array(
    [
        [0.8247, 0.3511, 0.4434],
        [-0.7313, 0.4127, -0.5430],
        [0.2719, -0.9014, 0.3370],
        [-0.3641, -0.2938, 0.8838],
        [0.4862, 0.5217, -0.7010],
        [-0.1937, 0.8705, 0.4524],
        [-0.6128, -0.7349, -0.2905],
    ]
)
# Plastic number: the steps of the R2 low-discrepancy sequence.
STEPS = np.array([0.7548776662466927, 0.5698402909980532])


class Skin:
    """One link's surface: casts rays at it, and has points just below it.

    Parameters
    ----------
    shape : LinkShape
        In m.
    size : float [m]
        The object's size, the unit of everything else here.
    """

    def __init__(self, shape: LinkShape, size: float):
        self._shape, self._size = shape, size
        self.bounds = shape.bounds / size

    @cached_property
    def _corners(self) -> np.ndarray:
        return np.asarray(self._shape.vertices[self._shape.outward_faces] / self._size)

    @cached_property
    def _crosses(self) -> np.ndarray:
        a, b, c = np.moveaxis(self._corners, 1, 0)
        return np.cross(b - a, c - a)

    @cached_property
    def _scene(self) -> Any:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        scene = EmbreeScene()
        TriangleMesh(scene, np.ascontiguousarray(self._corners, dtype=np.float32))
        return scene

    @cached_property
    def is_closed(self) -> bool:
        """Whether every component is closed, so that faces separate inside from outside."""
        return bool(self._shape.is_closed.all())

    def hits(
        self, origins: np.ndarray, directions: np.ndarray, reach: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distance (n,), infinite for none, and whether (n,) the face was hit from behind.

        Parameters
        ----------
        origins, directions : (n, 3) float
            Unit directions.
        reach : (n,) float
            Length of the ray.
        """
        if not len(origins):
            return np.zeros(0), np.zeros(0, dtype=bool)
        heads = np.ascontiguousarray(directions, dtype=np.float32)
        starts = np.ascontiguousarray(origins + TOUCH * directions, dtype=np.float32)
        ends = np.ascontiguousarray(np.maximum(reach - TOUCH, 0.0), dtype=np.float32)
        found = self._scene.run(starts, heads, ends, output=True)
        face = np.asarray(found["primID"])
        is_hit = face >= 0
        # Embree's own distances differ in their last digits from processor to processor.
        along = dot(self._crosses[face], directions)
        gap = dot(self._crosses[face], self._corners[face, 0] - origins)
        distance = gap / np.where(along == 0, 1.0, along)
        return np.where(is_hit, np.clip(distance, TOUCH, reach), np.inf), is_hit & (along > 0)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Return (n,) which points are inside: most rays from them hit a face from behind."""
        low, high = self.bounds
        near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
        inside = np.zeros(len(points), dtype=bool)
        if len(near):
            origins = np.repeat(points[near], len(VOTERS), axis=0)
            heads = np.tile(VOTERS / length(VOTERS)[:, None], (len(near), 1))
            behind = self.hits(origins, heads, np.full(len(origins), 4.0))[1]
            inside[near] = behind.reshape(-1, len(VOTERS)).sum(axis=1) > len(VOTERS) / 2
        return inside

    def spread(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return points (count, 3) spread evenly over the area, and the outward normals there."""
        a, b, c = np.moveaxis(self._corners, 1, 0)
        doubled = length(self._crosses)
        total = np.cumsum(doubled)
        numbers = np.arange(count) + 0.5
        chosen = np.searchsorted(total, numbers / count * total[-1]).clip(max=len(total) - 1)
        u, v = (numbers[:, None] * STEPS % 1.0).T
        u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
        a, b, c = a[chosen], b[chosen], c[chosen]
        places = a + u[:, None] * (b - a) + v[:, None] * (c - a)
        return places, self._crosses[chosen] / doubled[chosen, None]

    def points(self, count: int, depth: float) -> np.ndarray:
        """Return points (count, 3) spread evenly over the area, `depth` below the surface.

        If the part is thinner than twice the depth, they are near its middle.
        """
        surface, outward = self.spread(count)
        thickness = self.hits(surface, -outward, np.full(count, 2 * depth))[0]
        return np.asarray(surface - np.minimum(depth, 0.45 * thickness)[:, None] * outward)
