# SPDX-License-Identifier: Apache-2.0
"""Counts by rays how often closed surfaces wind around points, in numba; imported by `winding`.

A count is given only where no rounding can change it. Everything is in units of the surface's box.
"""

from __future__ import annotations

import math

import numpy as np

from aa_dataset.metric._compiled_pair import compiled

# A ray this near to an edge, by twice the area of the triangle between them, is not counted.
_AT_EDGE = 1e-10
_WHOLE_SPHERE = 4 * math.pi


@compiled()
def fill_turns(
    corners: np.ndarray,
    bins: tuple[np.ndarray, np.ndarray, int],
    scales: np.ndarray,
    points: np.ndarray,
    near: float,
    out: np.ndarray,
    is_sure: np.ndarray,
) -> None:
    """Count the triangles above every point, those that face down negative.

    Parameters
    ----------
    corners : (m, 3, 3) float
        Of the triangles, all within the unit cube.
    bins : (s * s + 1,) int, (k,) int, int
        Where the triangles of every bin start, their numbers, and s, as `fill_bins` made them.
    scales : (2,) float
        One over the width of a bin.
    points : (n, 3) float
        To wind around.
    near : float
        A point this near to a triangle is not counted.
    out, is_sure : (n,) int, (n,) bool
        The turns, and whether they are certain.
    """
    starts, members, side = bins
    for p in range(len(points)):
        x, y, z = points[p]
        out[p], is_sure[p] = 0, True
        if min(x, y, z) < -near or max(x, y, z) > 1 + near:
            continue
        at = _clamped_bin(x * scales[0], side) * side + _clamped_bin(y * scales[1], side)
        for place in range(starts[at], starts[at + 1]):
            met = _met(corners[members[place]], x, y, z, near)
            if met == 2:
                is_sure[p] = False
                break
            out[p] += met


@compiled()
def _clamped_bin(place: float, side: int) -> int:
    return min(max(int(place), 0), side - 1)


@compiled()
def _met(corner: np.ndarray, x: float, y: float, z: float, near: float) -> int:
    """Return how a triangle counts for a point: 1, 0 or -1; 2 if that is not certain."""
    a, b, c = corner[0], corner[1], corner[2]
    if x < min(a[0], b[0], c[0]) - near or x > max(a[0], b[0], c[0]) + near:
        return 0
    if y < min(a[1], b[1], c[1]) - near or y > max(a[1], b[1], c[1]) + near:
        return 0
    if z > max(a[2], b[2], c[2]) + near:
        return 0
    bx, by, bz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    cx, cy, cz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    height = nx * (x - a[0]) + ny * (y - a[1]) + nz * (z - a[2])
    across = near * math.sqrt(nx * nx + ny * ny + nz * nz)
    if z > min(a[2], b[2], c[2]) - near and abs(height) <= across:
        return 2
    first = (b[0] - x) * (c[1] - y) - (c[0] - x) * (b[1] - y)
    second = (c[0] - x) * (a[1] - y) - (a[0] - x) * (c[1] - y)
    third = (a[0] - x) * (b[1] - y) - (b[0] - x) * (a[1] - y)
    lowest, highest = min(first, second, third), max(first, second, third)
    if lowest < -_AT_EDGE and highest > _AT_EDGE:
        return 0
    if lowest > _AT_EDGE:
        return 1 if height < 0 else 0
    if highest < -_AT_EDGE:
        return -1 if height > 0 else 0
    return 2


@compiled()
def fill_bins(
    corners: np.ndarray,
    scales: np.ndarray,
    near: float,
    starts: np.ndarray,
    members: np.ndarray,
) -> int:
    """Sort triangles (m, 3, 3) into s by s columns; return how many places that takes.

    `starts` (s * s + 1,) int is written if `members` (k,) int is empty; one over the width of a
    column is `scales` (2,).
    """
    side = int(math.sqrt(len(starts) - 1))
    counts = np.zeros(side * side, np.int64)
    for m in range(len(corners)):
        u, v = corners[m, :, 0], corners[m, :, 1]
        low_u = _clamped_bin((u.min() - near) * scales[0], side)
        high_u = _clamped_bin((u.max() + near) * scales[0], side)
        low_v = _clamped_bin((v.min() - near) * scales[1], side)
        high_v = _clamped_bin((v.max() + near) * scales[1], side)
        for row in range(low_u, high_u + 1):
            for column in range(low_v, high_v + 1):
                at = row * side + column
                if len(members):
                    members[starts[at] + counts[at]] = m
                counts[at] += 1
    if not len(members):
        starts[0] = 0
        for at in range(len(counts)):
            starts[at + 1] = starts[at] + counts[at]
    return int(counts.sum())


@compiled()
def fill_largest(
    lows: np.ndarray, highs: np.ndarray, areas: np.ndarray, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the largest share of the sphere around every point that surfaces in boxes can cover.

    Parameters
    ----------
    lows, highs : (k, 3) float
        Corners of the boxes.
    areas : (k,) float
        Of the surfaces.
    points : (n, 3) float
        The points.
    out : (n,) float
        The shares; infinite for a point in a box.
    """
    for p in range(len(points)):
        total = 0.0
        for k in range(len(areas)):
            if areas[k] == 0:
                continue
            square = 0.0
            for axis in range(3):
                apart = max(lows[k, axis] - points[p, axis], points[p, axis] - highs[k, axis], 0.0)
                square += apart * apart
            total += areas[k] / (_WHOLE_SPHERE * square)
            if total > 1:
                break
        out[p] = total


@compiled()
def fill_covers(caps: np.ndarray, points: np.ndarray, out: np.ndarray) -> None:
    """Write how often oriented triangles (k, 3, 3) wind around points (n, 3), by solid angles.

    The error is below 1e-5 turns for every triangle.
    """
    for p in range(len(points)):
        x, y, z = points[p]
        total = 0.0
        for k in range(len(caps)):
            a, b, c = caps[k, 0], caps[k, 1], caps[k, 2]
            ax, ay, az = a[0] - x, a[1] - y, a[2] - z
            bx, by, bz = b[0] - x, b[1] - y, b[2] - z
            cx, cy, cz = c[0] - x, c[1] - y, c[2] - z
            u = math.sqrt(ax * ax + ay * ay + az * az)
            v = math.sqrt(bx * bx + by * by + bz * bz)
            w = math.sqrt(cx * cx + cy * cy + cz * cz)
            volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
            across = u * v * w + (ax * bx + ay * by + az * bz) * w
            across += (bx * cx + by * cy + bz * cz) * u + (cx * ax + cy * ay + cz * az) * v
            total += _angle(volume, across)
        out[p] = 2 * total / _WHOLE_SPHERE


@compiled()
def _angle(y: float, x: float) -> float:
    """Return the angle [rad] of a point, as `atan2`, with an error below 2e-5; 0 at the origin."""
    long, short = max(abs(x), abs(y)), min(abs(x), abs(y))
    share = short / max(long, 1e-300)
    square = share * share
    # A polynomial of degree 9 (Abramowitz and Stegun, 4.4.49).
    found = 0.0208351 * square - 0.0851330
    found = found * square + 0.1801410
    found = found * square - 0.3302995
    found = (found * square + 0.9998660) * share
    if abs(y) > abs(x):
        found = math.pi / 2 - found
    if x < 0:
        found = math.pi - found
    return -found if y < 0 else found
