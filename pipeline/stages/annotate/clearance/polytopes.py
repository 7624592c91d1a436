# SPDX-License-Identifier: Apache-2.0
"""Cuts convex parts by planes, side by side, in numba; imported only by `parts`.

A part is its flat sides, polygons of three corners or more; a cut shortens the sides that it
crosses and adds one. Which corners are below the plane is asked once for each, so that the sides
agree about it however numbers are rounded.
"""

from __future__ import annotations

import math

import numpy as np

from aa_dataset.metric._compiled_pair import compiled

# What a series of cuts comes to: none is needed, a part, nothing or a sliver, or sides that do not
# fit together, because of rounding.
WHOLE, CUT, NOTHING, TORN = 0, 1, 2, 3

Sides = tuple[np.ndarray, np.ndarray]


@compiled()
def joined_sides(vertices: np.ndarray, hull: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Sides:
    """Return the flat sides of a hull, of which qhull gives triangles.

    Parameters
    ----------
    vertices : (n, 3) float
        Corners of the hull.
    hull : (m, 3) int, (m, 3) int, (m, 4) float
        Triangles, the neighbor across from each corner, and the plane, which is outward and the
        same for all triangles of a side.

    Returns
    -------
    corners : (k,) int
        Of all sides, each counterclockwise from outside.
    starts : (s + 1,) int
        Where those of every side start.
    """
    triangles, neighbors, planes = hull
    corners, starts = np.empty(3 * len(triangles), np.int64), np.zeros(len(triangles) + 1, np.int64)
    is_done, owner = np.zeros(len(triangles), np.bool_), np.full(len(vertices), -1)
    stack = np.empty(len(triangles), np.int64)
    used, count = 0, 0
    for first in range(len(triangles)):
        if is_done[first]:
            continue
        start, depth = used, 1
        stack[0], is_done[first] = first, True
        while depth:
            depth -= 1
            t = stack[depth]
            for i in range(3):
                corner, beside = triangles[t, i], neighbors[t, i]
                if owner[corner] != count:
                    owner[corner] = count
                    corners[used] = corner
                    used += 1
                if not is_done[beside] and _is_same(planes[beside], planes[first]):
                    is_done[beside] = True
                    stack[depth] = beside
                    depth += 1
        _turn_around(vertices, corners[start:used], planes[first])
        count += 1
        starts[count] = used
    return corners[:used], starts[: count + 1]


@compiled()
def _is_same(one: np.ndarray, other: np.ndarray) -> bool:
    return bool((one == other).all())


@compiled()
def _turn_around(vertices: np.ndarray, corners: np.ndarray, plane: np.ndarray) -> None:
    """Sort the corners of a flat convex side counterclockwise, seen from outside."""
    normal = plane[:3]
    middle = np.zeros(3)
    for corner in corners:
        middle += vertices[corner]
    middle /= len(corners)
    right = vertices[corners[0]] - middle
    up = np.array([
        normal[1] * right[2] - normal[2] * right[1],
        normal[2] * right[0] - normal[0] * right[2],
        normal[0] * right[1] - normal[1] * right[0],
    ])  # fmt: skip
    keys = np.empty(len(corners))
    for n in range(len(corners)):
        arm = vertices[corners[n]] - middle
        x = arm[0] * right[0] + arm[1] * right[1] + arm[2] * right[2]
        y = arm[0] * up[0] + arm[1] * up[1] + arm[2] * up[2]
        x /= _length(right)
        y /= _length(up)
        # Grows with the angle, from -2 to 2.
        share = x / max(abs(x) + abs(y), 1e-300)
        keys[n] = 1 - share if y >= 0 else share - 1
    corners[:] = corners[np.argsort(keys)]


@compiled()
def _length(vector: np.ndarray) -> float:
    square = vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]
    return max(math.sqrt(square), 1e-300)


@compiled()
def cut_sides(
    vertices: np.ndarray,
    sides: Sides,
    planes: tuple[np.ndarray, np.ndarray],
    limits: tuple[float, float],
) -> tuple[int, np.ndarray, Sides]:
    """Cut planes off a part, always the one above which it reaches farthest.

    Parameters
    ----------
    vertices : (n, 3) float
        Of the part.
    sides : (k,) int, (s + 1,) int
        As `joined_sides` returns them.
    planes : (p, 3) float, (p,) float
        Normals of any length but 0, and heights along them.
    limits : two floats
        How far above a plane the part may still reach, and how thin a cut may leave it; half as
        thin as it was is allowed too.

    Returns
    -------
    state : int
        `WHOLE`, `CUT`, `NOTHING` or `TORN`.
    vertices, sides
        What is left; without meaning if torn.
    """
    normals, offsets = planes
    is_left = np.ones(len(offsets), np.bool_)
    state = WHOLE
    while True:
        plane = _farthest(vertices, planes, is_left, limits[0])
        if plane < 0:
            return state, vertices, sides
        heights, lowest = np.empty(len(vertices)), math.inf
        for n in range(len(vertices)):
            heights[n] = _height(vertices[n], normals[plane]) - offsets[plane]
            lowest = min(lowest, heights[n])
        scale = _length(normals[plane])
        if lowest > -limits[1] * scale and lowest > -_width(vertices, sides) * scale / 2:
            return NOTHING, vertices, sides
        is_left[plane], state = False, CUT
        is_fitting, vertices, sides = _cut(vertices, sides, heights)
        if not is_fitting:
            return TORN, vertices, sides


@compiled()
def _height(point: np.ndarray, normal: np.ndarray) -> float:
    return float(normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2])


@compiled()
def _farthest(
    vertices: np.ndarray,
    planes: tuple[np.ndarray, np.ndarray],
    is_left: np.ndarray,
    slack: float,
) -> int:
    """Return the plane above which a part reaches farthest, -1 if it is below all.

    A plane that the part does not reach is left out from then on.
    """
    normals, offsets = planes
    at, farthest = -1, -math.inf
    for k in range(len(offsets)):
        if not is_left[k]:
            continue
        beyond = -math.inf
        for n in range(len(vertices)):
            beyond = max(beyond, _height(vertices[n], normals[k]) - offsets[k])
        is_left[k] = beyond > slack
        # Rounded, so that the first of equal planes is chosen on every machine.
        rounded = np.rint(beyond * 1e9)
        if is_left[k] and rounded > farthest:
            at, farthest = k, rounded
    return at


@compiled()
def _width(vertices: np.ndarray, sides: Sides) -> float:
    """Return the smallest distance of two parallel planes around a part, one along a side."""
    corners, starts = sides
    width = math.inf
    for s in range(len(starts) - 1):
        origin, normal = vertices[corners[starts[s]]], np.zeros(3)
        for at in range(starts[s] + 1, starts[s + 1] - 1):
            u, v = vertices[corners[at]] - origin, vertices[corners[at + 1]] - origin
            normal[0] += u[1] * v[2] - u[2] * v[1]
            normal[1] += u[2] * v[0] - u[0] * v[2]
            normal[2] += u[0] * v[1] - u[1] * v[0]
        size = _length(normal)
        if size < 1e-14:
            continue  # a sliver has no direction
        low, high = math.inf, -math.inf
        for n in range(len(vertices)):
            height = _height(vertices[n], normal)
            low, high = min(low, height), max(high, height)
        width = min(width, (high - low) / size)
    return width


@compiled()
def _cut(vertices: np.ndarray, sides: Sides, heights: np.ndarray) -> tuple[bool, np.ndarray, Sides]:
    """Return whether the sides below a plane fit together, what is left, and its sides."""
    points, kept, lines = _points_below(vertices, sides, heights)
    is_fitting, left, after = _sides_below(sides, heights, (kept, lines), len(points))
    if is_fitting:
        is_fitting, left = _closed(left, after)
    if not is_fitting:
        return False, points, sides
    points, left = _with_three_sides(points, left)
    return True, points, left


@compiled()
def _points_below(
    vertices: np.ndarray, sides: Sides, heights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the points (l, 3) at heights of at most 0: of the part, then those of its edges at 0.

    Also their numbers (n,) by the part's, and for each edge its upper corner and the next edge from
    the same lower one, (k, 2). The first edge of a lower corner is in the row of its own number.
    """
    corners, starts = sides
    kept, count = np.full(len(vertices), -1), 0
    for n in range(len(vertices)):
        if heights[n] <= 0:
            kept[n] = count
            count += 1
    points = np.empty((count + len(corners), 3))
    lines = np.full((count + len(corners), 2), -1)
    for n in range(len(vertices)):
        if kept[n] >= 0:
            points[kept[n]] = vertices[n]
    for s in range(len(starts) - 1):
        for at in range(starts[s], starts[s + 1]):
            low, high = corners[at], corners[_ahead(starts, s, at)]
            # Every edge goes up on one of its sides and down on the other.
            if heights[low] < 0 and heights[high] > 0:
                share = heights[low] / (heights[low] - heights[high])
                for i in range(3):
                    way = vertices[high, i] - vertices[low, i]
                    points[count, i] = vertices[low, i] + share * way
                lines[count, 0], lines[count, 1] = high, lines[kept[low], 1]
                lines[kept[low], 1] = count
                count += 1
    return points[:count], kept, lines[:count]


@compiled()
def _ahead(starts: np.ndarray, side: int, at: int) -> int:
    """Return the place of the corner after one of a side."""
    return int(at + 1 if at + 1 < starts[side + 1] else starts[side])


@compiled()
def _on_edge(
    low: int, high: int, heights: np.ndarray, places: tuple[np.ndarray, np.ndarray]
) -> int:
    """Return the point in which an edge meets the plane, -1 if its other side did not tell."""
    kept, lines = places
    if heights[low] == 0:
        return int(kept[low])
    point = lines[kept[low], 1]
    while point >= 0 and lines[point, 0] != high:
        point = lines[point, 1]
    return int(point)


@compiled()
def _sides_below(
    sides: Sides, heights: np.ndarray, places: tuple[np.ndarray, np.ndarray], size: int
) -> tuple[bool, Sides, np.ndarray]:
    """Return whether each side was cut once at most, what is left of them, and the rim of the cut.

    The rim is a point after each of them on it, (l,) int, and -1 for the others.
    """
    corners, starts = sides
    found, ends = np.empty(2 * len(corners), np.int64), np.zeros(len(starts), np.int64)
    after, used, count = np.full(size, -1), 0, 0
    for s in range(len(starts) - 1):
        begin, leaving, coming = used, -1, -1
        for at in range(starts[s], starts[s + 1]):
            here, ahead = corners[at], corners[_ahead(starts, s, at)]
            is_below, goes_below = heights[here] <= 0, heights[ahead] <= 0
            if is_below:
                found[used] = places[0][here]
                used += 1
            if is_below == goes_below:
                continue
            low, high = (here, ahead) if is_below else (ahead, here)
            point = _on_edge(low, high, heights, places)
            if point < 0 or (leaving if is_below else coming) >= 0:
                return False, sides, after
            if is_below:
                leaving = point
            else:
                coming = point
            if heights[low] < 0:
                found[used] = point
                used += 1
        if leaving != coming:
            if after[coming] >= 0:
                return False, sides, after
            after[coming] = leaving
        if used - begin < 3:
            used = begin
        else:
            count += 1
            ends[count] = used
    return True, (found[:used], ends[: count + 1]), after


@compiled()
def _closed(sides: Sides, after: np.ndarray) -> tuple[bool, Sides]:
    """Return whether the rim of a cut is one loop, and the sides with the one in the plane."""
    corners, starts = sides
    first, rim = -1, 0
    for point in range(len(after)):
        if after[point] >= 0:
            first, rim = point, rim + 1
    if rim < 3:
        return False, sides
    found, ends = np.empty(len(corners) + rim, np.int64), np.empty(len(starts) + 1, np.int64)
    found[: len(corners)], ends[:-1], ends[-1] = corners, starts, len(found)
    point = first
    for at in range(rim):
        found[len(corners) + at] = point
        point = after[point]
        if point < 0 or (point == first and at + 1 < rim):
            return False, sides
    return point == first, (found, ends)


@compiled()
def _with_three_sides(points: np.ndarray, sides: Sides) -> tuple[np.ndarray, Sides]:
    """Return a part without the points (n, 3) at which fewer than three sides meet."""
    corners, starts = sides
    meeting, number, count = np.zeros(len(points), np.int64), np.full(len(points), -1), 0
    for corner in corners:
        meeting[corner] += 1
    for n in range(len(points)):
        if meeting[n] >= 3:
            number[n] = count
            points[count] = points[n]
            count += 1
    found, ends = np.empty_like(corners), np.zeros_like(starts)
    used, made = 0, 0
    for s in range(len(starts) - 1):
        begin = used
        for at in range(starts[s], starts[s + 1]):
            if number[corners[at]] >= 0:
                found[used] = number[corners[at]]
                used += 1
        if used - begin < 3:
            used = begin
        else:
            made += 1
            ends[made] = used
    return points[:count], (found[:used], ends[: made + 1])


@compiled()
def fans(sides: Sides) -> np.ndarray:
    """Return triangles (m, 3) of all sides."""
    corners, starts = sides
    triangles, count = np.empty((len(corners), 3), np.int64), 0
    for s in range(len(starts) - 1):
        for at in range(starts[s] + 1, starts[s + 1] - 1):
            triangles[count, 0] = corners[starts[s]]
            triangles[count, 1], triangles[count, 2] = corners[at], corners[at + 1]
            count += 1
    return triangles[:count]
