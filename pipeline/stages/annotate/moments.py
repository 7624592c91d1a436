# SPDX-License-Identifier: Apache-2.0
"""Volume moments as rows of ten numbers, which add up: 1, x, y, z, xx, yy, zz, xy, yz, zx."""

from __future__ import annotations

import numpy as np

from aa_dataset.kinematics import RigidBody
from aa_dataset.kinematics.bodies import BodyError
from aa_dataset.portable import dot, length, symmetric_eigen

_LEFT, _RIGHT = [0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]


def tetrahedron_moments(corners: np.ndarray) -> np.ndarray:
    """Integrate over the signed tetrahedra between the origin and triangles.

    Parameters
    ----------
    corners : (n, 3, 3) float
        Triangles, outward by the right-hand rule. Summed over a closed surface the rows are the
        moments of what it encloses, weighted by the winding number.

    Returns
    -------
    (n, 10) float
    """
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    six_volumes = dot(a, np.cross(b, c))
    total = a + b + c
    out = np.empty((len(corners), 10))
    out[:, 0] = six_volumes / 6
    out[:, 1:4] = six_volumes[:, None] * total / 24
    second = total[:, _LEFT] * total[:, _RIGHT]
    for corner in (a, b, c):
        second += corner[:, _LEFT] * corner[:, _RIGHT]
    out[:, 4:] = six_volumes[:, None] * second / 120
    return out


def triangle_moments(corners: np.ndarray) -> np.ndarray:
    """Integrate over the triangles themselves, (n, 10); the first number is the area."""
    areas = triangle_areas(corners)
    total = corners.sum(axis=1)
    second = total[:, _LEFT] * total[:, _RIGHT]
    second = second + (corners[:, :, _LEFT] * corners[:, :, _RIGHT]).sum(axis=1)
    return np.column_stack([areas, areas[:, None] * total / 3, areas[:, None] * second / 12])


def point_moments(points: np.ndarray) -> np.ndarray:
    """Return the ten monomials at points (n, 3) as (n, 10)."""
    ones = np.ones((len(points), 1))
    return np.concatenate([ones, points, points[:, _LEFT] * points[:, _RIGHT]], axis=1)


def triangle_areas(corners: np.ndarray) -> np.ndarray:
    """Return the areas (n,) of triangles (n, 3, 3)."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return length(normals) / 2


def group_sums(rows: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """Sum rows (n, k) by group number (n,) to (count, k)."""
    columns = [np.bincount(groups, column, minlength=count) for column in rows.T]
    return np.stack(columns, axis=1) if len(rows) else np.zeros((count, rows.shape[1]))


def second_matrix(moments: np.ndarray) -> np.ndarray:
    """Return the second moments as a symmetric matrix (3, 3)."""
    xx, yy, zz, xy, yz, zx = moments[4:]
    return np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])


def moments_body(moments: np.ndarray) -> RigidBody | None:
    """Return the body of density one, or None where the moments are not those of a body."""
    volume = float(moments[0])
    if not np.isfinite(moments).all() or volume <= 0:
        return None
    center = moments[1:4] / volume
    second = second_matrix(moments) - volume * center[:, None] * center
    try:
        body = RigidBody(volume, center, np.trace(second) * np.eye(3) - second)
    except BodyError:
        return None
    return body if is_physical(body) else None


def is_physical(body: RigidBody) -> bool:
    """Return whether the inertia is positive definite and obeys the triangle inequality."""
    low, middle, high = symmetric_eigen(body.inertia)[0]
    return bool(low > 0 and high <= (low + middle) * (1 + 1e-9))
