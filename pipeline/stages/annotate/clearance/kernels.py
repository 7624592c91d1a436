# SPDX-License-Identifier: Apache-2.0
"""The search for gaps of `separation` in numba, with the same digits; imported only by it.

Pieces of a motion are taken one at a time. A direction is given up at the first point that shows
that it has no wider gap than the best so far, which numpy cannot do.
"""

from __future__ import annotations

import math

import numpy as np

from aa_dataset.metric._compiled_pair import compiled

# A vector of at most this length has no direction.
NO_LENGTH = 1e-100


@compiled()
def fill_gaps(
    parts: tuple[np.ndarray, ...],
    centers: tuple[np.ndarray, np.ndarray],
    maps: np.ndarray,
    limits: tuple[float, float, float],
    steps: tuple[int, int, int],
    out: np.ndarray,
) -> None:
    """Write the widest gap of every piece and its direction.

    Parameters
    ----------
    parts : five arrays of float
        Vertices (n, 3) and directions (q, 3) of the moving part; vertices (m, 3), directions (p, 3)
        and reaches (p,) of the still one.
    centers : (f, 3) or (0, 3) float, and (3,) float
        Of the moving part in every piece, and of the still one; those of the moving one are
        computed if they are not given.
    maps : (f, k, 3, 4) float
        Of the moving part, seen from the still one.
    limits : three floats
        Gaps above the first are looked for; one of the second is not searched further; after one of
        the third, the piece is left at once.
    steps : three ints
        Of the search before the faces of both parts, between those of the still part and of the
        moving one, and after them.
    out : (f, 4) float
        Width of the gap, or the first limit, and its direction.
    """
    vertices, turned, still, directions, reaches = parts
    points = np.empty((maps.shape[1] * len(vertices), 3))
    start, best = np.empty(3), np.empty(4)
    for f in range(len(maps)):
        best[0], best[1:] = limits[0], 0.0
        _place(vertices, maps[f], points)
        _fill_start(points, centers, f, start)
        is_met = _search(points, still, start, (limits[1], steps[0]), best)
        if not is_met and best[0] < limits[1]:
            _try_faces(points, directions, reaches, limits[2], best)
            _search(points, still, start, (limits[1], steps[1]), best)
            for end in range(min(maps.shape[1], 2)):
                if best[0] < limits[1]:
                    _try_turned(points, still, (turned, maps[f, end]), limits[2], best)
            _search(points, still, start, (limits[1], steps[2]), best)
        out[f] = best


@compiled()
def _place(vertices: np.ndarray, maps: np.ndarray, points: np.ndarray) -> None:
    """Write the images (k n, 3) of vertices (n, 3) under maps (k, 3, 4)."""
    at = 0
    for k in range(len(maps)):
        for n in range(len(vertices)):
            x, y, z = vertices[n, 0], vertices[n, 1], vertices[n, 2]
            for i in range(3):
                image = maps[k, i, 0] * x + maps[k, i, 1] * y + maps[k, i, 2] * z
                points[at, i] = image + maps[k, i, 3]
            at += 1


@compiled()
def _fill_start(
    points: np.ndarray, centers: tuple[np.ndarray, np.ndarray], piece: int, start: np.ndarray
) -> None:
    """Write the way from the center of the still part to that of the moving one in a piece."""
    moving, still = centers
    for i in range(3):
        if len(moving):
            start[i] = moving[piece, i] - still[i]
            continue
        total = points[0, i]
        for n in range(1, len(points)):
            total += points[n, i]
        start[i] = total / len(points) - still[i]


@compiled()
def _try_faces(
    points: np.ndarray, directions: np.ndarray, reaches: np.ndarray, stop: float, best: np.ndarray
) -> None:
    """Try the directions (p, 3) of the still part, up to which it reaches (p,)."""
    hint = 0
    for q in range(len(directions)):
        u, v, w = directions[q, 0], directions[q, 1], directions[q, 2]
        hint, lowest = _lowest(points, (u, v, w), hint, (reaches[q], best[0]))
        if lowest - reaches[q] > best[0]:
            best[0], best[1], best[2], best[3] = lowest - reaches[q], u, v, w
            if best[0] >= stop:
                return


@compiled()
def _try_turned(
    points: np.ndarray,
    still: np.ndarray,
    turned: tuple[np.ndarray, np.ndarray],
    stop: float,
    best: np.ndarray,
) -> None:
    """Try the directions (q, 3) of the moving part, turned by a map (3, 4)."""
    directions, turn = turned
    low, high = 0, 0
    unit = np.empty(3)
    for q in range(len(directions)):
        x, y, z = directions[q, 0], directions[q, 1], directions[q, 2]
        for i in range(3):
            image = turn[i, 0] * x + turn[i, 1] * y + turn[i, 2] * z
            unit[i] = -(image + turn[i, 3] * 0.0)
        direction = (unit[0], unit[1], unit[2])
        above = _height(points, low, direction)
        high, reach = _highest(still, direction, high, (above, best[0]))
        if above - reach <= best[0]:
            continue
        low, lowest = _lowest(points, direction, low, (reach, best[0]))
        if lowest - reach > best[0]:
            best[0], best[1], best[2], best[3] = lowest - reach, unit[0], unit[1], unit[2]
            if best[0] >= stop:
                return


@compiled()
def _height(points: np.ndarray, n: int, direction: tuple[float, float, float]) -> float:
    height = points[n, 0] * direction[0] + points[n, 1] * direction[1] + points[n, 2] * direction[2]
    return float(height)


@compiled()
def _lowest(
    points: np.ndarray,
    direction: tuple[float, float, float],
    first: int,
    limits: tuple[float, float],
) -> tuple[int, float]:
    """Return the lowest of points (n, 3) and its height along a direction.

    The search begins with the point `first`, and ends at one from which the gap to a reach, the
    first of the limits, is at most the second one.
    """
    at, lowest = first, _height(points, first, direction)
    n = 0
    while n < len(points) and lowest - limits[0] > limits[1]:
        height = _height(points, n, direction)
        if height < lowest:
            at, lowest = n, height
        n += 1
    return at, lowest


@compiled()
def _highest(
    points: np.ndarray,
    direction: tuple[float, float, float],
    first: int,
    limits: tuple[float, float],
) -> tuple[int, float]:
    """Return the highest of points (n, 3), as `_lowest`; the gap is that below the first limit."""
    at, highest = first, _height(points, first, direction)
    n = 0
    while n < len(points) and limits[0] - highest > limits[1]:
        height = _height(points, n, direction)
        if height > highest:
            at, highest = n, height
        n += 1
    return at, highest


@compiled()
def _search(
    points: np.ndarray,
    still: np.ndarray,
    start: np.ndarray,
    search: tuple[float, int],
    best: np.ndarray,
) -> bool:
    """Search by Gilbert's algorithm, as `separation` describes; return whether the parts meet.

    The search ends at a gap that is wide enough, the first number of `search`, or after as many
    steps as the second one.
    """
    enough, steps = search
    x, y, z = start[0], start[1], start[2]
    for _ in range(steps):
        if best[0] >= enough:
            break
        size = math.sqrt(x * x + y * y + z * z)
        scale = max(size, NO_LENGTH)
        unit = (x / scale, y / scale, z / scale)
        a, b = _farthest(points, (-unit[0], -unit[1], -unit[2])), _farthest(still, unit)
        # To the corner of the difference that is farthest against the point so far.
        u, v, w = points[a, 0] - still[b, 0], points[a, 1] - still[b, 1], points[a, 2] - still[b, 2]
        found = u * unit[0] + v * unit[1] + w * unit[2]
        if size > NO_LENGTH and found > best[0]:
            best[0], best[1], best[2], best[3] = found, unit[0], unit[1], unit[2]
        if size < enough:
            return True
        u, v, w = u - x, v - y, w - z
        share = -(x * u + y * v + z * w) / max(u * u + v * v + w * w, 1e-300)
        share = min(max(share, 0.0), 1.0)
        x, y, z = x + share * u, y + share * v, z + share * w
    return False


@compiled()
def _farthest(points: np.ndarray, direction: tuple[float, float, float]) -> int:
    """Return the first of the points (n, 3) that are highest along a direction."""
    at, highest = 0, _height(points, 0, direction)
    for n in range(1, len(points)):
        height = _height(points, n, direction)
        if height > highest:
            at, highest = n, height
    return at
