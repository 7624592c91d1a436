# SPDX-License-Identifier: Apache-2.0
"""Triangles of convex parts, in numba; imported only by `convex` and `solid`.

Every function gives the same bits as the formula of numpy that its docstring states; sums are left
to numpy, which adds numbers up in pairs.
"""

from __future__ import annotations

import math

import numpy as np

from aa_dataset.metric._compiled_pair import compiled


@compiled()
def own_corners(
    points: np.ndarray, triangles: np.ndarray, planes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a hull, in their order, and its triangles (m, 3), outward.

    A triangle is reversed where ``dot(cross(b - a, c - a), plane[:3]) < 0``.

    Parameters
    ----------
    points : (n, 3) float
        Some of them are corners.
    triangles : (m, 3) int
        Of the hull, by its points.
    planes : (m, 4) float
        Of every triangle, outward.
    """
    number, count = np.full(len(points), -1), 0
    for m in range(len(triangles)):
        for i in range(3):
            number[triangles[m, i]] = 0
    for n in range(len(points)):
        if number[n] == 0:
            number[n] = count
            count += 1
    corners, faces = np.empty((count, 3)), np.empty((len(triangles), 3), np.int64)
    for n in range(len(points)):
        if number[n] >= 0:
            corners[number[n]] = points[n]
    for m in range(len(triangles)):
        for i in range(3):
            faces[m, i] = number[triangles[m, i]]
        x, y, z = _area_vector(corners, faces[m])
        if x * planes[m, 0] + y * planes[m, 1] + z * planes[m, 2] < 0:
            faces[m, 0], faces[m, 2] = faces[m, 2], faces[m, 0]
    return corners, faces


@compiled()
def _area_vector(points: np.ndarray, face: np.ndarray) -> tuple[float, float, float]:
    a, b, c = points[face[0]], points[face[1]], points[face[2]]
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@compiled()
def double_areas(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return twice the area of every triangle: ``length(cross(b - a, c - a))``, (m,)."""
    out = np.empty(len(faces))
    for m in range(len(faces)):
        x, y, z = _area_vector(points, faces[m])
        out[m] = math.sqrt(x * x + y * y + z * z)
    return out


@compiled()
def six_volumes(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return six times the volume between every triangle and the first point, (m,).

    That is ``dot(a - points[0], cross(b - a, c - a))``.
    """
    out = np.empty(len(faces))
    for m in range(len(faces)):
        x, y, z = _area_vector(points, faces[m])
        a, first = points[faces[m, 0]], points[0]
        out[m] = (a[0] - first[0]) * x + (a[1] - first[1]) * y + (a[2] - first[2]) * z
    return out


@compiled()
def winding_number(
    triangles: np.ndarray, boxes: tuple[np.ndarray, np.ndarray], point: np.ndarray
) -> int:
    """Return how often triangles (m, 3, 3) wind around a point, by those straight above it.

    The boxes are the lower and upper corners (m, 3) of the triangles.
    """
    x, y, z = point
    low, high = boxes
    total = 0
    for m in range(len(triangles)):
        if low[m, 0] <= x < high[m, 0] and low[m, 1] <= y < high[m, 1] and high[m, 2] > z:
            turns = _turns(triangles[m], x, y)
            if turns != 0 and _height(triangles[m], x, y) > z:
                total += turns
    return total


@compiled()
def _turns(triangle: np.ndarray, x: float, y: float) -> int:
    """Return how often a triangle, seen from above, turns around a point: -1, 0 or 1."""
    turns = 0
    for i in range(3):
        start, end = triangle[i], triangle[(i + 1) % 3]
        rises = end[1] > start[1]
        # From the lower end to the upper one, whichever way the triangle runs.
        lower, upper = (start, end) if rises else (end, start)
        if not (lower[1] <= y < upper[1]):
            continue
        rise = upper[1] - lower[1]
        if lower[0] + (y - lower[1]) / rise * (upper[0] - lower[0]) > x:
            turns += 1 if rises else -1
    return turns


@compiled()
def _height(triangle: np.ndarray, x: float, y: float) -> float:
    """Return the height of a triangle over a place; of its first corner if it is upright."""
    a, b, c = triangle[0], triangle[1], triangle[2]
    ax, ay, az = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    bx, by, bz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    area = ax * by - ay * bx
    if area == 0:
        return float(a[2])
    u, v = x - a[0], y - a[1]
    return float(a[2] + ((u * by - v * bx) * az + (ax * v - ay * u) * bz) / area)
