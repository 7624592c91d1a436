# SPDX-License-Identifier: Apache-2.0
"""Surface within a convex region, in numba; imported only by `material`.

Triangles are taken one at a time and cut by the planes of the region that they cross.
"""

from __future__ import annotations

import math

import numpy as np

from aa_dataset.metric._compiled_pair import compiled

# Successive triangles that are looked at only if the box around all of them meets the region.
BLOCK = 16


@compiled()
def has_area(
    triangles: np.ndarray,
    boxes: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    region: tuple[np.ndarray, np.ndarray],
    planes: tuple[np.ndarray, np.ndarray],
    least: tuple[float, int],
) -> bool:
    """Return whether triangles have some surface in a region: a whole one, or enough area.

    Parameters
    ----------
    triangles : (m, 3, 3) float
        The surface.
    boxes : two (m, 3) float, two (b, 3) float
        Lower and upper corners of the triangles, and of `BLOCK` of them each.
    region : two (3,) float
        Lower and upper corner of the region.
    planes : (k, 3) float, (k,) float
        The region is below each of these heights along these normals.
    least : float, int
        The area to exceed, by so many successive triangles near the region.
    """
    (lows, highs, floors, tops), (low, high) = boxes, region
    buffers = np.empty((2, len(planes[1]) + 3, 3))
    heights = np.empty(len(buffers[0]))
    crossed = np.empty(len(planes[1]), np.int64)
    total, near = 0.0, 0
    for block in range(len(floors)):
        if not _meet(floors[block], tops[block], low, high):
            continue
        for m in range(block * BLOCK, min((block + 1) * BLOCK, len(triangles))):
            if not _meet(lows[m], highs[m], low, high):
                continue
            if near == least[1]:
                total, near = 0.0, 0
            near += 1
            count = _crossed(triangles[m], planes, crossed)
            if count == 0:
                return True
            if count > 0:
                total += _area_below(triangles[m], planes, crossed[:count], buffers, heights)
                if total > least[0]:
                    return True
    return False


@compiled()
def _meet(low: np.ndarray, high: np.ndarray, first: np.ndarray, last: np.ndarray) -> bool:
    """Return whether two boxes meet."""
    return bool(
        high[0] >= first[0] and low[0] <= last[0]
        and high[1] >= first[1] and low[1] <= last[1]
        and high[2] >= first[2] and low[2] <= last[2]
    )  # fmt: skip


@compiled()
def _crossed(
    triangle: np.ndarray, planes: tuple[np.ndarray, np.ndarray], crossed: np.ndarray
) -> int:
    """Write the planes that a triangle (3, 3) reaches; return how many, -1 if it is above one."""
    normals, offsets = planes
    count = 0
    for k in range(len(offsets)):
        lowest, highest = math.inf, -math.inf
        for i in range(3):
            height = _height(triangle[i], normals[k]) - offsets[k]
            lowest, highest = min(lowest, height), max(highest, height)
        if lowest >= 0:
            return -1
        if highest >= 0:
            crossed[count] = k
            count += 1
    return count


@compiled()
def _height(point: np.ndarray, normal: np.ndarray) -> float:
    return float(normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2])


@compiled()
def _area_below(
    triangle: np.ndarray,
    planes: tuple[np.ndarray, np.ndarray],
    crossed: np.ndarray,
    buffers: np.ndarray,
    heights: np.ndarray,
) -> float:
    """Return the area of a triangle (3, 3) below some planes."""
    normals, offsets = planes
    source, target = buffers[0], buffers[1]
    source[:3] = triangle
    count = 3
    for k in crossed:
        for n in range(count):
            heights[n] = _height(source[n], normals[k]) - offsets[k]
        count = clip_polygon(source, heights, count, target)
        source, target = target, source
        if count < 3:
            return 0.0
    return _area(source, count)


@compiled()
def clip_polygon(corners: np.ndarray, heights: np.ndarray, count: int, out: np.ndarray) -> int:
    """Write the corners (l, 3) of a convex polygon's part at heights of at most 0; return l.

    Parameters
    ----------
    corners : (n, 3) float
        The first `count` are those of the polygon, in their order.
    heights : (n,) float
        Of the corners.
    count : int
        Of the corners.
    out : (n, 3) float
        At least one row more than corners.
    """
    made = 0
    for n in range(count):
        ahead = n + 1 if n + 1 < count else 0
        is_below = heights[n] <= 0
        if is_below:
            out[made] = corners[n]
            made += 1
        if is_below != (heights[ahead] <= 0):
            share = heights[n] / (heights[n] - heights[ahead])
            for i in range(3):
                out[made, i] = corners[n, i] + share * (corners[ahead, i] - corners[n, i])
            made += 1
    return made


@compiled()
def _area(corners: np.ndarray, count: int) -> float:
    """Return the area of a flat polygon of the first `count` corners."""
    x, y, z = 0.0, 0.0, 0.0
    origin = corners[0]
    for n in range(1, count - 1):
        ux, uy, uz = corners[n] - origin
        vx, vy, vz = corners[n + 1] - origin
        x += uy * vz - uz * vy
        y += uz * vx - ux * vz
        z += ux * vy - uy * vx
    return math.sqrt(x * x + y * y + z * z) / 2
