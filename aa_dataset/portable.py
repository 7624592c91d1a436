# SPDX-License-Identifier: Apache-2.0
"""Small linear algebra with the same digits on every processor.

The rule: **what decides a byte of the library, or a choice of a stage, calls no BLAS and no
LAPACK, and no function of numpy whose last digit depends on the processor.** OpenBLAS picks its
kernels by processor, and they sum in different orders with or without fused multiply-add; numpy
does the same for sines, logarithms and the like. A number on a rounding boundary, or two equal
candidates, then give another file.

So the modules that decide bytes use the functions here in place of ``@``, ``np.dot``, ``np.einsum``
and ``np.linalg``. They are made of ``+``, ``-``, ``*``, ``/`` and ``sqrt``, which IEEE 754 defines
to the last bit, in one fixed order. Sines and the like come from the C library, one number at a
time: it is the same for every processor of a platform up to its own choice of instructions, and
what is written is rounded far above its error. `aa_dataset/metric/_arithmetic.py` has exponentials
for the metric, whose scores are not rounded. `tests/pipeline/machines` holds the list of modules
that the rule covers, and proves it by rebuilding objects under other kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# Cyclic Jacobi converges quadratically: six sweeps settle any 3 x 3 matrix, the rest is reserve.
_SWEEPS = 12


def dot(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the inner products ``(...)`` of vectors ``(..., k)``, summed from first to last."""
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    total = one[..., 0] * other[..., 0]
    for k in range(1, one.shape[-1]):
        total = total + one[..., k] * other[..., k]
    return np.asarray(total)


def length(vectors: ArrayLike) -> Array:
    """Return the Euclidean lengths ``(...)`` of vectors ``(..., k)``."""
    return np.asarray(np.sqrt(dot(vectors, vectors)))


def applied(matrix: ArrayLike, vectors: ArrayLike) -> Array:
    """Return the vectors ``(..., m)`` that a matrix ``(m, k)``, or one each, makes of ``(..., k)``.

    One each means matrices ``(..., m, k)`` with the same leading axes as the vectors.

    Points ``(n, 3)`` by rows turned by a rotation ``(3, 3)`` are ``applied(rotation, points)``.
    """
    matrix, vectors = np.asarray(matrix, dtype=float), np.asarray(vectors, dtype=float)
    if matrix.ndim > 2 and matrix.shape[:-2] != vectors.shape[:-1]:
        raise ValueError(f"matrices {matrix.shape} and vectors {vectors.shape} are not one each.")
    # By columns: loops over many vectors are far faster than loops over three numbers.
    columns = np.ascontiguousarray(vectors.T)  # (k, ...)
    entries = np.ascontiguousarray(matrix.T)  # (k, m, ...)
    if matrix.ndim == 2:
        entries = entries.reshape(entries.shape + (1,) * (columns.ndim - 1))
    total = entries[0] * columns[0]
    for k in range(1, len(columns)):
        total += entries[k] * columns[k]
    return np.ascontiguousarray(total.T)


def product(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the matrix products of ``(..., n, k)`` and ``(..., k, m)`` as ``(..., n, m)``."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    total = first[..., :, 0:1] * second[..., 0:1, :]
    for k in range(1, first.shape[-1]):
        total = total + first[..., :, k : k + 1] * second[..., k : k + 1, :]
    return np.asarray(total)


def weighted_sum(weights: ArrayLike, rows: ArrayLike) -> Array:
    """Return ``sum_n weights[n] rows[n]`` of rows ``(n, ...)`` as ``(...)``."""
    weights, rows = np.asarray(weights, dtype=float), np.asarray(rows, dtype=float)
    shape = weights.shape + (1,) * (rows.ndim - 1)
    return np.asarray((weights.reshape(shape) * rows).sum(axis=0))


def second_moments(points: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Return ``sum_n w_n p_n p_n'`` ``(3, 3)`` of points ``(n, 3)``; weights are 1 if not given."""
    points = np.asarray(points, dtype=float)
    scaled = points if weights is None else points * np.asarray(weights, dtype=float)[:, None]
    out = np.empty((3, 3))
    for i in range(3):
        for k in range(i, 3):
            out[i, k] = out[k, i] = (scaled[:, i] * points[:, k]).sum()
    return out


def determinant(matrices: ArrayLike) -> Array:
    """Return the determinants ``(...)`` of matrices ``(..., 3, 3)``."""
    rows = np.asarray(matrices, dtype=float)
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(rows, (-2, -1), (0, 1))
    return np.asarray(a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g))


def inverse(placement: ArrayLike) -> Array:
    """Return the inverse ``(4, 4)`` of an affine map ``(4, 4)`` that is not singular."""
    matrix = np.asarray(placement, dtype=float)
    a, b, c = matrix[:3, :3].T  # columns
    back = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)]) / dot(a, np.cross(b, c))
    out = np.eye(4)
    out[:3, :3] = back
    out[:3, 3] = -applied(back, matrix[:3, 3])
    return out


def quaternion_rotation(wxyz: ArrayLike) -> Array:
    """Return the rotation ``(3, 3)`` of a quaternion ``(w, x, y, z)`` of any length but 0."""
    w, x, y, z = np.asarray(wxyz, dtype=float) / length(wxyz)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def settled(values: ArrayLike, decimals: int) -> Array:
    """Round to decimals, first to four more: a half step and its neighbors then round alike.

    Half of 0.0125, a texture coordinate or a drawn length, may be 0.00625 to the last bit or next
    to it; rounded to four decimals at once, the last bit would choose. The boundary moves to
    numbers of nine digits, which nobody draws. A negative zero becomes 0. For numbers with at
    most 15 digits before ``decimals + 4``, beyond which a double has no such digits.
    """
    given = np.asarray(values, dtype=float)
    return np.asarray(np.round(np.round(given, decimals + 4), decimals) + 0.0)


def symmetric_eigen(matrix: ArrayLike) -> tuple[Array, Array]:
    """Return eigenvalues ``(3,)``, ascending, and unit eigenvectors by columns of a ``(3, 3)``.

    Jacobi's rotations in plain numbers. Only the symmetric part counts. Which vectors span the
    space of equal eigenvalues, and all signs, are arbitrary but the same everywhere.
    """
    given = np.asarray(matrix, dtype=float)
    # By a power of two, which is exact, so that no square overflows or vanishes.
    power = math.frexp(float(np.abs(given).max()))[1]
    scaled = np.ldexp(given, -power)
    a = ((scaled + scaled.T) / 2).tolist()
    v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(_SWEEPS):
        if a[0][1] == a[0][2] == a[1][2] == 0.0:
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            _rotate(a, v, p, q)
    order = sorted(range(3), key=lambda k: a[k][k])
    return np.ldexp([a[k][k] for k in order], power), np.array(v)[:, order]


def _rotate(a: list[list[float]], v: list[list[float]], p: int, q: int) -> None:
    """Make ``a[p][q]`` zero by one rotation of the axes p and q."""
    off, diagonal = a[p][q], abs(a[p][p]) + abs(a[q][q])
    if diagonal + abs(off) == diagonal:
        a[p][q] = a[q][p] = 0.0  # too small to change a diagonal entry
        return
    t = _tangent((a[q][q] - a[p][p]) / (2.0 * off))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s, r = t * c, 3 - p - q
    a[p][p] -= t * off
    a[q][q] += t * off
    a[p][q] = a[q][p] = 0.0
    arp, arq = a[r][p], a[r][q]
    a[r][p] = a[p][r] = c * arp - s * arq
    a[r][q] = a[q][r] = s * arp + c * arq
    for row in v:
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]


def _tangent(theta: float) -> float:
    """Return the smaller root t of ``t^2 + 2 theta t - 1 = 0``."""
    return math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))


def _each(function: Callable[..., float], *values: ArrayLike) -> Array:
    """Apply a function of the C library number by number; arguments have one shape.

    The result is nan where an argument is not finite.
    """
    arrays = [np.asarray(value, dtype=float) for value in values]
    lists = zip(*(array.ravel().tolist() for array in arrays), strict=True)
    results = [function(*some) if all(map(math.isfinite, some)) else math.nan for some in lists]
    return np.array(results, dtype=float).reshape(arrays[0].shape)


def sin(angles: ArrayLike) -> Array:
    """Return sines of angles [rad] of any shape."""
    return _each(math.sin, angles)


def cos(angles: ArrayLike) -> Array:
    """Return cosines of angles [rad] of any shape."""
    return _each(math.cos, angles)


def power(values: ArrayLike, exponent: float) -> Array:
    """Return powers of numbers of any shape, none of them negative."""
    return _each(lambda value: math.pow(value, exponent), values)


def arctan2(y: ArrayLike, x: ArrayLike) -> Array:
    """Return the angles [rad] of points (x, y) of any shape."""
    return _each(math.atan2, y, x)
