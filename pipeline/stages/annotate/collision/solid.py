# SPDX-License-Identifier: Apache-2.0
"""Tells how often a closed surface winds around a point, by the triangles straight above it."""

from __future__ import annotations

import numpy as np


class Solid:
    """A closed surface of triangles (m, 3, 3), which face outward; any unit."""

    def __init__(self, triangles: np.ndarray) -> None:
        self._triangles = triangles
        # By columns, because a number of a column is asked for of all triangles at once.
        self._low = np.ascontiguousarray(triangles.min(axis=1).T)
        self._high = np.ascontiguousarray(triangles.max(axis=1).T)

    def winding_number(self, point: np.ndarray) -> int:
        """Return how often the surface winds around a point (3,): 0 outside, 1 in a solid.

        Where the line above the point meets an edge or a corner, exactly one of the triangles there
        counts: both triangles of an edge compute the same number for it.
        """
        x, y, z = point.tolist()
        (x0, y0, _), (x1, y1, z1) = self._low, self._high
        near = np.flatnonzero((x0 <= x) & (x1 > x) & (y0 <= y) & (y1 > y) & (z1 > z))
        corners = self._triangles[near]
        turns = _turns(corners[:, :, :2], x, y)
        met = np.flatnonzero(turns)
        is_above = _heights(corners[met], x, y) > z
        return int(turns[met][is_above].sum())


def _turns(corners: np.ndarray, x: float, y: float) -> np.ndarray:
    """Return how often flat triangles (m, 3, 2) turn around a point: -1, 0 or 1."""
    starts, ends = corners, corners[:, [1, 2, 0]]
    rises = ends[..., 1] > starts[..., 1]
    # From the lower end to the upper one, whichever way the triangle runs.
    lower = np.where(rises[..., None], starts, ends)
    upper = np.where(rises[..., None], ends, starts)
    is_met = (lower[..., 1] <= y) & (upper[..., 1] > y)
    rise = np.where(is_met, upper[..., 1] - lower[..., 1], 1.0)
    place = lower[..., 0] + (y - lower[..., 1]) / rise * (upper[..., 0] - lower[..., 0])
    signs = np.where(rises, 1, -1)
    return np.asarray((signs * (is_met & (place > x))).sum(axis=1))


def _heights(corners: np.ndarray, x: float, y: float) -> np.ndarray:
    """Return the heights (m,) of triangles (m, 3, 3) over a place; of their corner if upright."""
    origin = corners[:, 0]
    (ax, ay, az), (bx, by, bz) = (corners[:, 1] - origin).T, (corners[:, 2] - origin).T
    area = ax * by - ay * bx
    u, v = x - origin[:, 0], y - origin[:, 1]
    rise = (u * by - v * bx) * az + (ax * v - ay * u) * bz
    is_upright = area == 0
    return np.asarray(origin[:, 2] + np.where(is_upright, 0, rise) / np.where(is_upright, 1, area))
