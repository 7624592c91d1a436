# SPDX-License-Identifier: Apache-2.0
"""The numbers of a convex part, in numba; imported only by `parts`.

Every function gives the same bits as the formula of numpy that its docstring states; a part of a
few corners costs numpy far more calls than arithmetic.
"""

from __future__ import annotations

import math

import numpy as np

from aa_dataset.metric._compiled_pair import compiled


@compiled()
def own_faces(
    points: np.ndarray, triangles: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the corners of a hull, and its triangles as qhull turns them and outward.

    Parameters
    ----------
    points : (n, 3) float
        Some of them are corners.
    triangles : (m, 3) int
        Of the hull, by its points.
    """
    number = np.full(len(points), -1)
    for triangle in triangles:
        for corner in triangle:
            number[corner] = 0
    count = 0
    for n in range(len(points)):
        if number[n] == 0:
            number[n] = count
            count += 1
    vertices, center = np.empty((count, 3)), np.zeros(3)
    for n in range(len(points)):
        if number[n] >= 0:
            for i in range(3):
                vertices[number[n], i] = points[n, i]
                center[i] += points[n, i]
    center /= count
    given = np.empty((len(triangles), 3), np.int64)
    for m in range(len(triangles)):
        for i in range(3):
            given[m, i] = number[triangles[m, i]]
    faces, vectors = given.copy(), area_vectors(vertices, given)
    for m in range(len(faces)):
        corner, vector = vertices[faces[m, 0]], vectors[m]
        height = vector[0] * (corner[0] - center[0])
        height += vector[1] * (corner[1] - center[1])
        height += vector[2] * (corner[2] - center[2])
        if height < 0:
            faces[m, 0], faces[m, 2] = faces[m, 2], faces[m, 0]
    return vertices, given, faces


@compiled()
def area_vectors(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return twice the area times the normal of every triangle, (m, 3)."""
    out = np.empty((len(faces), 3))
    for m in range(len(faces)):
        a, b, c = vertices[faces[m, 0]], vertices[faces[m, 1]], vertices[faces[m, 2]]
        x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        u, v, w = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        out[m, 0], out[m, 1], out[m, 2] = y * w - z * v, z * u - x * w, x * v - y * u
    return out


@compiled()
def directions(vectors: np.ndarray, least: float, scale: float) -> np.ndarray:
    """Return the directions (k, 3) of vectors (m, 3) longer than `least`, rounded, sorted, once.

    As ``np.unique(np.round(vectors / lengths, decimals) + 0.0, axis=0)``, where scale is ten to the
    power of the decimals, and scaled to length 1 again.
    """
    rounded, count = np.empty((len(vectors), 3)), 0
    for m in range(len(vectors)):
        size = math.sqrt(_square(vectors[m]))
        if not size > least:
            continue
        at, row = count, rounded[count]
        for i in range(3):
            row[i] = np.rint(vectors[m, i] / size * scale) / scale + 0.0
        low = 0
        while low < at:
            middle = (low + at) // 2
            if _is_less(rounded[middle], row):
                low = middle + 1
            else:
                at = middle
        if low < count and _is_same(rounded[low], row):
            continue
        x, y, z = row[0], row[1], row[2]
        for n in range(count, low, -1):
            for i in range(3):
                rounded[n, i] = rounded[n - 1, i]
        rounded[low, 0], rounded[low, 1], rounded[low, 2] = x, y, z
        count += 1
    for n in range(count):
        size = math.sqrt(_square(rounded[n]))
        for i in range(3):
            rounded[n, i] /= size
    return rounded[:count].copy()


@compiled()
def _square(vector: np.ndarray) -> float:
    return float(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])


@compiled()
def _is_less(one: np.ndarray, other: np.ndarray) -> bool:
    for i in range(3):
        if one[i] != other[i]:
            return bool(one[i] < other[i])
    return False


@compiled()
def _is_same(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(one[0] == other[0] and one[1] == other[1] and one[2] == other[2])


@compiled()
def bounds(points: np.ndarray) -> np.ndarray:
    """Return the lower and the upper corner (2, 3) of points (n, 3)."""
    out = np.empty((2, 3))
    for i in range(3):
        low, high = points[0, i], points[0, i]
        for n in range(1, len(points)):
            low, high = min(low, points[n, i]), max(high, points[n, i])
        out[0, i], out[1, i] = low, high
    return out


@compiled()
def spans(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return the lowest and the highest place (2, k) of points (n, 3) along normals (k, 3)."""
    out = np.empty((2, len(normals)))
    for k in range(len(normals)):
        low, high = math.inf, -math.inf
        for n in range(len(points)):
            height = _height(normals[k], points[n])
            low, high = min(low, height), max(high, height)
        out[0, k], out[1, k] = low, high
    return out


@compiled()
def _height(normal: np.ndarray, point: np.ndarray) -> float:
    return float(normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2])


@compiled()
def farthest_plane(
    vertices: np.ndarray,
    planes: tuple[np.ndarray, np.ndarray],
    is_left: np.ndarray,
    slack: float,
) -> tuple[int, float]:
    """Return the plane above which a part reaches farthest, -1 if no farther than the slack.

    Rounded to nine digits, so that the first of equal planes is chosen on every machine. Planes
    that the part does not reach are left out from then on. The second number is the place of the
    lowest vertex along the plane's normal.
    """
    normals, offsets = planes
    at, farthest, beyond = -1, -math.inf, -math.inf
    for k in range(len(offsets)):
        if not is_left[k]:
            continue
        highest = -math.inf
        for n in range(len(vertices)):
            highest = max(highest, _height(normals[k], vertices[n]) - offsets[k])
        is_left[k] = highest > slack
        rounded = np.rint(highest * 1e9) / 1e9
        if rounded > farthest:
            at, farthest, beyond = k, rounded, highest
    if at < 0 or beyond <= slack:
        return -1, 0.0
    lowest = math.inf
    for n in range(len(vertices)):
        lowest = min(lowest, _height(normals[at], vertices[n]) - offsets[at])
    is_left[at] = False
    return at, lowest


@compiled()
def points_below(
    vertices: np.ndarray, faces: np.ndarray, normal: np.ndarray, offset: float
) -> np.ndarray:
    """Return the vertices (n, 3) at or below a plane, then where edges that go up cross it.

    The edges are those of every triangle in its order.
    """
    heights, count = np.empty(len(vertices)), 0
    out = np.empty((len(vertices) + 3 * len(faces), 3))
    for n in range(len(vertices)):
        heights[n] = _height(normal, vertices[n]) - offset
        if heights[n] <= 0:
            out[count] = vertices[n]
            count += 1
    for m in range(len(faces)):
        for i in range(3):
            a, b = faces[m, i], faces[m, (i + 1) % 3]
            if heights[a] < 0 and heights[b] > 0:
                share = heights[a] / (heights[a] - heights[b])
                for j in range(3):
                    out[count, j] = vertices[a, j] + share * (vertices[b, j] - vertices[a, j])
                count += 1
    return out[:count]


@compiled()
def mapped(vertices: np.ndarray, maps: np.ndarray) -> np.ndarray:
    """Return vertices (n, 3) under affine maps (f, k, 3, 4), by coordinate: (f, k, 3, n)."""
    out = np.empty((maps.shape[0], maps.shape[1], 3, len(vertices)))
    for f in range(maps.shape[0]):
        for k in range(maps.shape[1]):
            for i in range(3):
                row = maps[f, k, i]
                for n in range(len(vertices)):
                    point = vertices[n]
                    total = row[0] * point[0] + row[1] * point[1] + row[2] * point[2]
                    out[f, k, i, n] = total + row[3]
    return out
