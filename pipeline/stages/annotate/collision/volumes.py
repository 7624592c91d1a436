# SPDX-License-Identifier: Apache-2.0
"""The volume of a convex hull, in numba; imported only by `decomposition`.

Cuts are compared by the volumes of hulls, of which qhull also makes neighbors, planes and sides.
This is the same search (quickhull) for the volume alone, and it knows when rounding may matter.
"""

from __future__ import annotations

import math

import numpy as np

from aa_dataset.metric._compiled_pair import compiled

# Of the width of the points: one this near to a face is in it.
_IN_FACE = 1e-9
# Of the width: how far a closed surface may bend inward at an edge.
_BENT = 1e-7
# Of the cube of the width: a hull with less volume is nearly flat.
_LEAST_VOLUME = 1e-3
# Faces that may be made, for every point.
_MOST_FACES = 24

# Corners, neighbors behind the edge after each corner, and planes of all faces that were made.
Faces = tuple[np.ndarray, np.ndarray, np.ndarray]
# Whether a face is still there, its first point outside, and the point after every point.
Lists = tuple[np.ndarray, np.ndarray, np.ndarray]
Vector = tuple[float, float, float]


@compiled()
def hull_volume(points: np.ndarray) -> float:
    """Return the volume of the hull of points (n, 3), nan if it is nearly flat or not certain.

    The relative error is below 1e-5.
    """
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for n in range(len(points)):
        for i in range(3):
            low[i], high[i] = min(low[i], points[n, i]), max(high[i], points[n, i])
    width = math.sqrt((high[0] - low[0]) ** 2 + (high[1] - low[1]) ** 2 + (high[2] - low[2]) ** 2)
    first = np.empty(4, np.int64)
    if len(points) < 4 or not _fill_first(points, width * math.sqrt(_IN_FACE), first):
        return math.nan
    most, near = _MOST_FACES * len(points) + 4, width * _IN_FACE
    faces = np.empty((most, 3), np.int64), np.empty((most, 3), np.int64), np.empty((most, 4))
    lists = np.zeros(most, np.bool_), np.empty(most, np.int64), np.empty(len(points), np.int64)
    _start(points, first, faces, lists, near)
    count, face = 4, 0
    stack, rim = np.empty(most, np.int64), np.full((4, 3 * len(points)), -1)
    while face < count:
        if lists[0][face] and lists[1][face] >= 0:
            count = _grown(points, (faces, lists), (face, count), (stack, rim), near)
            if count < 0:
                return math.nan
        face += 1
    volume = _volume(points, faces, lists[0][:count], width * _BENT)
    return volume if volume > _LEAST_VOLUME * width * width * width else math.nan


@compiled()
def _fill_first(points: np.ndarray, least: float, first: np.ndarray) -> bool:
    """Write four corners of the hull that are not in a plane; return whether there are such."""
    first[:] = 0
    for n in range(len(points)):
        if points[n, 0] < points[first[0], 0]:
            first[0] = n
    for step in range(1, 4):
        one, other = _way(points, first[0], first[1]), _way(points, first[0], first[2])
        normal, farthest = _cross(one, other), -1.0
        scale = 1.0 if step == 1 else _dot(one, one) if step == 2 else _dot(normal, normal)
        for n in range(len(points)):
            way = _way(points, first[0], n)
            across = way if step == 1 else _cross(one, way)
            far = _dot(across, across) if step < 3 else _dot(normal, way) ** 2
            if far > farthest:
                farthest, first[step] = far, n
        if not farthest > least * least * scale:
            return False
    return True


@compiled()
def _start(points: np.ndarray, first: np.ndarray, faces: Faces, lists: Lists, near: float) -> None:
    """Write the four faces of a first tetrahedron, and sort all points to them."""
    corners, beside, _ = faces
    normal = _cross(_way(points, first[0], first[1]), _way(points, first[0], first[2]))
    if _dot(normal, _way(points, first[0], first[3])) > 0:
        first[1], first[2] = first[2], first[1]
    a, b, c, d = first
    corners[0, 0], corners[0, 1], corners[0, 2] = a, b, c
    corners[1, 0], corners[1, 1], corners[1, 2] = a, d, b
    corners[2, 0], corners[2, 1], corners[2, 2] = b, d, c
    corners[3, 0], corners[3, 1], corners[3, 2] = c, d, a
    beside[0, 0], beside[0, 1], beside[0, 2] = 1, 2, 3
    beside[1, 0], beside[1, 1], beside[1, 2] = 3, 2, 0
    beside[2, 0], beside[2, 1], beside[2, 2] = 1, 3, 0
    beside[3, 0], beside[3, 1], beside[3, 2] = 2, 1, 0
    for face in range(4):
        _fill_plane(points, faces, face)
        lists[0][face], lists[1][face] = True, -1
    for n in range(len(points)):
        _sort_point(points, n, faces, lists, (0, 4, near))


@compiled()
def _fill_plane(points: np.ndarray, faces: Faces, face: int) -> None:
    a, b, c = faces[0][face]
    x, y, z = _cross(_way(points, a, b), _way(points, a, c))
    size = max(math.sqrt(x * x + y * y + z * z), 1e-300)
    x, y, z = x / size, y / size, z / size
    plane = faces[2][face]
    plane[0], plane[1], plane[2] = x, y, z
    plane[3] = -(x * points[a, 0] + y * points[a, 1] + z * points[a, 2])


@compiled()
def _height(plane: np.ndarray, point: np.ndarray) -> float:
    return float(plane[0] * point[0] + plane[1] * point[1] + plane[2] * point[2] + plane[3])


@compiled()
def _sort_point(
    points: np.ndarray, n: int, faces: Faces, lists: Lists, some: tuple[int, int, float]
) -> None:
    """Add a point to the list of the first of some faces above which it is, if it is above one."""
    for face in range(some[0], some[1]):
        if _height(faces[2][face], points[n]) > some[2]:
            lists[2][n] = lists[1][face]
            lists[1][face] = n
            return


@compiled()
def _grown(
    points: np.ndarray,
    hull: tuple[Faces, Lists],
    places: tuple[int, int],
    rooms: tuple[np.ndarray, np.ndarray],
    near: float,
) -> int:
    """Add the farthest point above a face to the hull; return how many faces were made so far.

    That is -1 if what is around all that the point sees is not one loop, or if it is too much.
    """
    faces, lists = hull
    apex = _farthest_above(points, faces[2][places[0]], lists, places[0])
    stack, rim = rooms
    seen = _fill_seen(points[apex], faces, lists[0], (places[0], near), stack)
    count = places[1]
    size = _fill_rim(faces, lists[0], (stack, seen), rim)
    if size < 3 or count + size > len(faces[0]) or not _is_loop(rim, size):
        return -1
    for edge in range(size):
        _add_face(points, faces, (apex, count, edge), rim)
        lists[0][count + edge], lists[1][count + edge] = True, -1
    for edge in range(size):
        rim[3, rim[0, edge]] = -1
    for at in range(seen):
        n = lists[1][stack[at]]
        while n >= 0:
            after = lists[2][n]
            if n != apex:
                _sort_point(points, n, faces, lists, (count, count + size, near))
            n = after
    return int(count + size)


@compiled()
def _farthest_above(points: np.ndarray, plane: np.ndarray, lists: Lists, face: int) -> int:
    n = lists[1][face]
    highest, apex = -1.0, n
    while n >= 0:
        height = _height(plane, points[n])
        if height > highest:
            highest, apex = height, n
        n = lists[2][n]
    return int(apex)


@compiled()
def _fill_seen(
    apex: np.ndarray,
    faces: Faces,
    is_there: np.ndarray,
    start: tuple[int, float],
    stack: np.ndarray,
) -> int:
    """Take away the faces that a point sees, or that are in a plane with it; return how many."""
    stack[0], is_there[start[0]] = start[0], False
    seen, done = 1, 0
    while done < seen:
        for k in range(3):
            other = faces[1][stack[done], k]
            if is_there[other] and _height(faces[2][other], apex) > -start[1]:
                stack[seen], is_there[other] = other, False
                seen += 1
        done += 1
    return seen


@compiled()
def _fill_rim(
    faces: Faces, is_there: np.ndarray, seen: tuple[np.ndarray, int], rim: np.ndarray
) -> int:
    """Write the edges around faces that were taken away; return how many, 0 if they branch.

    The rows of the rim (4, .) are the start and the end of an edge and the face behind it; the last
    one is the edge that starts at a corner, or -1.
    """
    size = 0
    is_simple = True
    for at in range(seen[1]):
        here = seen[0][at]
        for k in range(3):
            other = faces[1][here, k]
            if not is_there[other]:
                continue
            start = faces[0][here, k]
            is_simple = is_simple and rim[3, start] < 0
            rim[0, size], rim[1, size], rim[2, size] = start, faces[0][here, (k + 1) % 3], other
            rim[3, start] = size
            size += 1
    return size if is_simple else 0


@compiled()
def _is_loop(rim: np.ndarray, size: int) -> bool:
    """Return whether all edges of a rim are one loop."""
    edge = 0
    for step in range(size):
        edge = rim[3, rim[1, edge]]
        if edge < 0 or (edge == 0 and step + 1 < size):
            return False
    return bool(edge == 0)


@compiled()
def _add_face(points: np.ndarray, faces: Faces, new: tuple[int, int, int], rim: np.ndarray) -> None:
    """Write the face from an edge of the rim to a point, and make it a neighbor of others."""
    corners, beside, _ = faces
    (apex, count, edge), (start, end, behind) = new, rim[:3, new[2]]
    face, after = count + edge, count + rim[3, end]
    corners[face, 0], corners[face, 1], corners[face, 2] = start, end, apex
    beside[face, 0], beside[face, 1], beside[after, 2] = behind, after, face
    for k in range(3):
        if corners[behind, k] == end and corners[behind, (k + 1) % 3] == start:
            beside[behind, k] = face
    _fill_plane(points, faces, face)


@compiled()
def _volume(points: np.ndarray, faces: Faces, is_there: np.ndarray, bent: float) -> float:
    """Return the volume within faces; nan if they are not convex everywhere."""
    corners, beside, planes = faces
    origin, total = corners[0, 0], 0.0
    for face in range(len(is_there)):
        if not is_there[face]:
            continue
        a, b, c = corners[face]
        across = _cross(_way(points, origin, b), _way(points, origin, c))
        total += _dot(_way(points, origin, a), across)
        for k in range(3):
            for i in range(3):
                corner = points[corners[beside[face, k], i]]
                if _height(planes[face], corner) > bent:
                    return math.nan
    return total / 6


@compiled()
def _way(points: np.ndarray, start: int, end: int) -> Vector:
    return (
        points[end, 0] - points[start, 0],
        points[end, 1] - points[start, 1],
        points[end, 2] - points[start, 2],
    )


@compiled()
def _dot(one: Vector, other: Vector) -> float:
    return float(one[0] * other[0] + one[1] * other[1] + one[2] * other[2])


@compiled()
def _cross(one: Vector, other: Vector) -> Vector:
    return (
        one[1] * other[2] - one[2] * other[1],
        one[2] * other[0] - one[0] * other[2],
        one[0] * other[1] - one[1] * other[0],
    )
