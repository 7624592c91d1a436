# SPDX-License-Identifier: Apache-2.0
"""Cuts triangles by a plane across an axis, in numba; imported only by `cuts`.

The numbers and their order do not depend on numba: the same points and faces follow from masks.
"""

from __future__ import annotations

import numpy as np

from aa_dataset.metric._compiled_pair import compiled

# Sides of a face: what lies in the plane is on the side that the cut names.
_BELOW, _ABOVE, _ACROSS = 0, 1, 2
# Columns are numbered by two whole numbers below this.
_FAR = 1 << 16


@compiled()
def _sorted_faces(
    points: np.ndarray, faces: np.ndarray, cut: tuple[int, float, bool], near: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the heights (n,) over a plane, the side of every face (m,), and how many (3,)."""
    axis, place, is_below = cut
    heights, sides = np.empty(len(points)), np.empty(len(faces), np.int64)
    counts = np.zeros(3, np.int64)
    for n in range(len(points)):
        height = points[n, axis] - place
        heights[n] = 0.0 if abs(height) < near else height
    for m in range(len(faces)):
        a, b, c = heights[faces[m, 0]], heights[faces[m, 1]], heights[faces[m, 2]]
        lowest, highest = min(a, b, c), max(a, b, c)
        if lowest < 0 and highest > 0:
            sides[m] = _ACROSS
        elif is_below:
            sides[m] = _ABOVE if highest > 0 else _BELOW
        else:
            sides[m] = _BELOW if lowest < 0 else _ABOVE
        counts[sides[m]] += 1
    return heights, sides, counts


@compiled()
def _corner_alone(heights: np.ndarray, face: np.ndarray) -> tuple[int, bool]:
    """Return the corner of a face across the plane that is alone, and whether it is above."""
    count = 0
    for i in range(3):
        count += heights[face[i]] > 0
    is_up, at = count == 1, 0
    for i in range(1, 3):
        here, there = heights[face[i]], heights[face[at]]
        if here > there if is_up else here < there:
            at = i
    return at, is_up


@compiled()
def _write_crossing(
    points: np.ndarray, heights: np.ndarray, edge: tuple[int, int], out: np.ndarray
) -> None:
    """Write the point (3,) where an edge crosses the plane."""
    a, b = edge
    share = heights[a] / (heights[a] - heights[b])
    for i in range(3):
        out[i] = points[a, i] + share * (points[b, i] - points[a, i])


@compiled()
def points_beside(
    points: np.ndarray, faces: np.ndarray, cut: tuple[int, float, bool], near: float
) -> tuple[bool, np.ndarray, np.ndarray]:
    """Return whether a plane cuts a part, and the points (., 3) below and above it.

    Parameters
    ----------
    points : (n, 3) float
        Of the part.
    faces : (m, 3) int
        Its triangles.
    cut : int, float, bool
        Axis and place of the plane, and whether what lies in it goes below.
    near : float
        A point this near to the plane is in it.
    """
    heights, sides, counts = _sorted_faces(points, faces, cut, near)
    size = len(points) + 2 * counts[_ACROSS]
    low, high = np.empty((size, 3)), np.empty((size, 3))
    is_cut = counts[_BELOW] + counts[_ACROSS] > 0 and counts[_ABOVE] + counts[_ACROSS] > 0
    if not is_cut:
        return is_cut, low[:0], high[:0]
    used = np.zeros((2, len(points)), np.bool_)
    for m in range(len(faces)):
        for corner in faces[m]:
            used[0, corner] |= sides[m] != _ABOVE
            used[1, corner] |= sides[m] != _BELOW
    some_low, some_high = 0, 0
    for n in range(len(points)):
        if used[0, n] and heights[n] <= 0:
            low[some_low] = points[n]
            some_low += 1
        if used[1, n] and heights[n] >= 0:
            high[some_high] = points[n]
            some_high += 1
    for m in range(len(faces)):
        if sides[m] != _ACROSS:
            continue
        alone = _corner_alone(heights, faces[m])[0]
        for i in range(1, 3):
            edge = (faces[m, alone], faces[m, (alone + i) % 3])
            _write_crossing(points, heights, edge, low[some_low])
            high[some_high] = low[some_low]
            some_low, some_high = some_low + 1, some_high + 1
    return is_cut, low[:some_low], high[:some_high]


@compiled()
def cut_faces(
    points: np.ndarray, faces: np.ndarray, cut: tuple[int, float, bool], near: float
) -> tuple[bool, tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return whether a plane cuts a part, and points and faces of both sides.

    The arguments are those of `points_beside`. A face across the plane becomes a tip, whose corner
    is alone on its side, and two triangles for the rest; they follow the whole faces of a side.
    """
    heights, sides, counts = _sorted_faces(points, faces, cut, near)
    across = counts[_ACROSS]
    every = np.empty((len(points) + 2 * across, 3))
    every[: len(points)] = points
    (below, above), tips, stumps = _whole_faces(faces, heights, sides, counts)
    is_cut = counts[_BELOW] + across > 0 and counts[_ABOVE] + across > 0
    if not is_cut:
        return is_cut, (every[:0], below[:0]), (every[:0], above[:0])
    new = len(points)
    for m in range(len(faces)):
        if sides[m] != _ACROSS:
            continue
        alone, is_up = _corner_alone(heights, faces[m])
        corner = faces[m, alone]
        left, right = faces[m, (alone + 1) % 3], faces[m, (alone + 2) % 3]
        _write_crossing(points, heights, (corner, left), every[new])
        _write_crossing(points, heights, (corner, right), every[new + 1])
        one, other = (above, below) if is_up else (below, above)
        _write_tip(one[tips[int(is_up)]], (corner, new, new + 1))
        tips[int(is_up)] += 1
        at = stumps[int(not is_up)]
        _write_tip(other[at], (new, left, right))
        _write_tip(other[at + 1], (new, right, new + 1))
        stumps[int(not is_up)] += 2
        new += 2
    used = below[: stumps[0]], above[: stumps[1]]
    return is_cut, _used(every, used[0]), _used(every, used[1])


@compiled()
def _whole_faces(
    faces: np.ndarray, heights: np.ndarray, sides: np.ndarray, counts: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
    """Return the faces below and above, with room for what is cut, and where tips and stumps go.

    Tips come before stumps: below those that point down, and the rest of those that point up.
    """
    below = np.empty((counts[_BELOW] + 2 * counts[_ACROSS], 3), np.int64)
    above = np.empty((counts[_ABOVE] + 2 * counts[_ACROSS], 3), np.int64)
    tips, stumps = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for m in range(len(faces)):
        if sides[m] == _BELOW:
            below[tips[0]] = faces[m]
            tips[0] += 1
        elif sides[m] == _ABOVE:
            above[tips[1]] = faces[m]
            tips[1] += 1
        else:
            stumps[int(_corner_alone(heights, faces[m])[1])] += 1
    return (below, above), tips, stumps + tips


@compiled()
def _write_tip(out: np.ndarray, corners: tuple[int, int, int]) -> None:
    out[0], out[1], out[2] = corners[0], corners[1], corners[2]


@compiled()
def _used(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points that faces use, and the faces with their numbers."""
    number, count = np.full(len(points), -1), 0
    for m in range(len(faces)):
        for i in range(3):
            number[faces[m, i]] = 0
    for n in range(len(points)):
        if number[n] == 0:
            number[n] = count
            count += 1
    found, numbered = np.empty((count, 3)), np.empty_like(faces)
    for n in range(len(points)):
        if number[n] >= 0:
            found[number[n]] = points[n]
    for m in range(len(faces)):
        for i in range(3):
            numbered[m, i] = number[faces[m, i]]
    return found, numbered


@compiled()
def column_ends(points: np.ndarray, steps: int) -> np.ndarray:
    """Return the lowest and the highest of points (n, 3) in every column, by column.

    There are `steps` columns to a cell, across the first two axes. Of equal points in a column, the
    first one is its lowest and the last one its highest.
    """
    columns = np.empty(len(points), np.int64)
    for n in range(len(points)):
        u, v = np.rint(points[n, 0] * steps), np.rint(points[n, 1] * steps)
        columns[n] = np.int64(u) * _FAR + np.int64(v)
    order, out, count = np.argsort(columns), np.empty((len(points), 3)), 0
    at = 0
    while at < len(order):
        low = high = order[at]
        column = columns[low]
        at += 1
        while at < len(order) and columns[order[at]] == column:
            n, at = order[at], at + 1
            z = points[n, 2]
            if z < points[low, 2] or (z == points[low, 2] and n < low):
                low = n
            if z > points[high, 2] or (z == points[high, 2] and n > high):
                high = n
        out[count] = points[low]
        count += 1
        if high != low:
            out[count] = points[high]
            count += 1
    return out[:count]


@compiled()
def projected(
    occupied: np.ndarray,
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return cells (nx, ny, nz) as seen along z, y and x, and how many are in every layer."""
    nx, ny, nz = occupied.shape
    xy, xz, yz = (
        np.zeros((nx, ny), np.bool_),
        np.zeros((nx, nz), np.bool_),
        np.zeros((ny, nz), np.bool_),
    )
    in_x, in_y, in_z = np.zeros(nx, np.int64), np.zeros(ny, np.int64), np.zeros(nz, np.int64)
    for x in range(nx):
        for y in range(ny):
            for z in range(nz):
                if occupied[x, y, z]:
                    xy[x, y] = xz[x, z] = yz[y, z] = True
                    in_x[x] += 1
                    in_y[y] += 1
                    in_z[z] += 1
    return (xy, xz, yz), (in_x, in_y, in_z)
