# SPDX-License-Identifier: Apache-2.0
"""Triangles on a grid of cells and the air between them, in numba; imported only by `cells`.

Lines run along an axis through the centers of cells. The two other axes, u before v, keep their
order.
"""

from __future__ import annotations

import math

import numpy as np

from aa_dataset.metric._compiled_pair import compiled

# Tolerance for rounding, as a share of a triangle and of a cell.
_SLACK = 1e-9
# A passage that turns more often than about this is not followed to its end.
_TURNS = 8
# A center must be this far within a surface.
_WITHIN = 1e-6
# A triangle of less area, seen along a line, is crossed by none.
_LEAST_AREA = 1e-12

Pair = tuple[float, float]
# Of a triangle seen along a line: first corner, two edges from there, and depths of the corners.
Sight = tuple[Pair, Pair, Pair, tuple[float, float, float]]


@compiled()
def _lines(
    triangle: np.ndarray, axes: tuple[int, int], shape: np.ndarray, out: np.ndarray
) -> float:
    """Write the first and last line (4,) near a triangle (3, 3), u and v; return its signed area.

    Seen along the lines, that is; the area is twice as large.
    """
    for n in range(2):
        low, high = math.inf, -math.inf
        for corner in range(3):
            place = triangle[corner, axes[n]] - 0.5  # lines at whole numbers
            low, high = min(low, place), max(high, place)
        out[2 * n] = max(math.ceil(low - _SLACK), 0)
        out[2 * n + 1] = min(math.floor(high + _SLACK), shape[axes[n]] - 1)
    u, v = axes
    ax, ay = _edge(triangle, 1, u), _edge(triangle, 1, v)
    bx, by = _edge(triangle, 2, u), _edge(triangle, 2, v)
    return float(ax * by - ay * bx)


@compiled()
def _edge(triangle: np.ndarray, corner: int, axis: int) -> float:
    return float((triangle[corner, axis] - 0.5) - (triangle[0, axis] - 0.5))


@compiled()
def _sight(triangle: np.ndarray, axes: tuple[int, int, int]) -> Sight:
    """Return what `_depth` needs of a triangle (3, 3); the axes are u, v and that of the lines."""
    u, v, axis = axes
    return (
        (triangle[0, u] - 0.5, triangle[0, v] - 0.5),
        (_edge(triangle, 1, u), _edge(triangle, 1, v)),
        (_edge(triangle, 2, u), _edge(triangle, 2, v)),
        (triangle[0, axis], triangle[1, axis], triangle[2, axis]),
    )


@compiled()
def _depth(sight: Sight, i: int, j: int, area: float) -> float:
    """Return where a triangle crosses a line (i, j), nan if it does not; area as by `_lines`."""
    start, one, other, ends = sight
    du, dv = i - start[0], j - start[1]
    second = (du * other[1] - dv * other[0]) / area
    third = (one[0] * dv - one[1] * du) / area
    if second < -_SLACK or third < -_SLACK or second + third > 1 + _SLACK:
        return math.nan
    return float(ends[0] * (1 - second - third) + ends[1] * second + ends[2] * third)


@compiled()
def mark_crossings(triangles: np.ndarray, axis: int, offset: float, marked: np.ndarray) -> None:
    """Mark the cells in which triangles cross the lines along an axis.

    Parameters
    ----------
    triangles : (m, 3, 3) float
        In the grid's units.
    axis : int
        Of the lines.
    offset : float
        Subtracted from the place along the line.
    marked : (nx, ny, nz) bool
        The cells.
    """
    shape, ends = np.array(marked.shape), np.zeros(4, np.int64)
    u, v = (1 if axis == 0 else 0), (1 if axis == 2 else 2)
    strides, count = np.array([shape[1] * shape[2], shape[2], 1]), shape[axis]
    cells = marked.reshape(-1)
    for m in range(len(triangles)):
        area = _lines(triangles[m], (u, v), shape, ends)
        if not abs(area) > _LEAST_AREA:
            continue
        sight = _sight(triangles[m], (u, v, axis))
        for i in range(ends[0], ends[1] + 1):
            for j in range(ends[2], ends[3] + 1):
                depth = _depth(sight, i, j, area)
                if math.isnan(depth):
                    continue
                place = math.floor(depth - offset)
                if 0 <= place < count:
                    cells[i * strides[u] + j * strides[v] + place * strides[axis]] = True


@compiled()
def mark_edges(triangles: np.ndarray, marked: np.ndarray) -> None:
    """Mark the cells (nx, ny, nz) of points along the edges of triangles (m, 3, 3)."""
    shape = marked.shape
    for m in range(len(triangles)):
        for corner in range(3):
            start, end = triangles[m, corner], triangles[m, (corner + 1) % 3]
            longest = 0.0
            for i in range(3):
                longest = max(longest, abs(end[i] - start[i]))
            count = math.ceil(2 * longest) + 1
            for n in range(count):
                share = (n + 0.5) / count
                x = math.floor(start[0] * (1 - share) + end[0] * share)
                y = math.floor(start[1] * (1 - share) + end[1] * share)
                z = math.floor(start[2] * (1 - share) + end[2] * share)
                if 0 <= x < shape[0] and 0 <= y < shape[1] and 0 <= z < shape[2]:
                    marked[x, y, z] = True


@compiled()
def spread(air: np.ndarray, walls: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Spread the air of cells (nx, ny, nz) along the axes until it is stable or at a limit."""
    for _ in range(_TURNS):
        more = _spread_along(air, 0, walls[0])
        more = _spread_along(air, 1, walls[1]) or more
        more = _spread_along(air, 2, walls[2]) or more
        if not more:
            return


@compiled()
def _spread_along(air: np.ndarray, axis: int, wall: np.ndarray) -> bool:
    """Spread the air forth and back along an axis; return whether that changed anything."""
    shape, cells, closed = air.shape, air.reshape(-1), wall.reshape(-1)
    count = shape[axis]
    step = 1
    for other in range(axis + 1, 3):
        step *= shape[other]
    more = False
    for first in range(0, len(cells), count * step):
        for at in range(first + step, first + count * step):
            if cells[at - step] and not cells[at] and not closed[at - step]:
                cells[at] = more = True
        for at in range(first + (count - 1) * step - 1, first - 1, -1):
            if cells[at + step] and not cells[at] and not closed[at]:
                cells[at] = more = True
    return more


@compiled()
def count_inside(triangles: np.ndarray, axis: int, air: np.ndarray) -> tuple[int, int]:
    """Return how many centers in the air, and in all, are in a closed convex surface (m, 3, 3)."""
    shape, ends = np.array(air.shape), np.zeros(4, np.int64)
    u, v = (1 if axis == 0 else 0), (1 if axis == 2 else 2)
    first, last = np.full((shape[u], shape[v]), np.inf), np.full((shape[u], shape[v]), -np.inf)
    for m in range(len(triangles)):
        area = _lines(triangles[m], (u, v), shape, ends)
        if not abs(area) > _LEAST_AREA:
            continue
        sight = _sight(triangles[m], (u, v, axis))
        for i in range(ends[0], ends[1] + 1):
            for j in range(ends[2], ends[3] + 1):
                depth = _depth(sight, i, j, area)
                if not math.isnan(depth):
                    first[i, j], last[i, j] = min(first[i, j], depth), max(last[i, j], depth)
    held, free = 0, 0
    strides = np.array([shape[1] * shape[2], shape[2], 1])
    cells = air.reshape(-1)
    for i in range(shape[u]):
        for j in range(shape[v]):
            for k in range(shape[axis]):
                if first[i, j] + _WITHIN < k + 0.5 < last[i, j] - _WITHIN:
                    held += 1
                    free += cells[i * strides[u] + j * strides[v] + k * strides[axis]]
    return free, held


@compiled()
def air_shares(air: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the share (n,) of air in the cells of points (n, 3) and in their neighbors."""
    shape, shares = air.shape, np.empty(len(points))
    for n in range(len(points)):
        x, y, z = (math.floor(points[n, 0]), math.floor(points[n, 1]), math.floor(points[n, 2]))
        count = 0
        for i in range(x - 1, x + 2):
            for j in range(y - 1, y + 2):
                for k in range(z - 1, z + 2):
                    count += air[
                        _clamped(i, shape[0]), _clamped(j, shape[1]), _clamped(k, shape[2])
                    ]
        shares[n] = count / 27
    return shares


@compiled()
def _clamped(place: int, size: int) -> int:
    return min(max(place, 0), size - 1)
