# SPDX-License-Identifier: Apache-2.0
"""Small linear algebra with the same digits on every processor.

The rule: **code that decides a byte of the library, or a choice of a stage, calls no BLAS, no
LAPACK, and no numpy function whose last digit depends on the processor.** OpenBLAS chooses its
kernels by processor. They add in different orders, some with fused multiply-add. The same holds for
numpy's sines, logarithms and similar functions. A last digit can then decide how a number is
rounded, or which of two equal candidates is chosen, and the file differs.

Such code uses the functions of this module instead of ``@``, ``np.dot``, ``np.einsum`` and
``np.linalg``. They consist of ``+``, ``-``, ``*``, ``/`` and ``sqrt`` in a fixed order; IEEE 754
defines these to the last bit. Sines and similar functions come from the C library, one number at a
time. Their last digits can still depend on the processor, but the results are rounded to far fewer
digits before they are written. The scores of the metric are not rounded, so the metric has
exponentials of its own (`aa_dataset/metric/_arithmetic.py`). `tests/pipeline/machines` lists the
modules that must follow the rule, and rebuilds objects with other kernels to prove it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# Cyclic Jacobi converges quadratically: six sweeps are enough for any 3 x 3 matrix.
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
    """Multiply vectors ``(..., k)`` by a matrix ``(m, k)``; return vectors ``(..., m)``.

    Matrices ``(..., m, k)``, one per vector, must have the same leading axes as the vectors. For
    example, ``applied(rotation, points)`` rotates points ``(n, 3)`` by a rotation ``(3, 3)``.
    """
    matrix, vectors = np.asarray(matrix, dtype=float), np.asarray(vectors, dtype=float)
    if matrix.ndim > 2 and matrix.shape[:-2] != vectors.shape[:-1]:
        raise ValueError(f"matrices {matrix.shape} and vectors {vectors.shape} are not one each.")
    # Column by column: numpy then loops over many vectors, not over three numbers.
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
    """Round to `decimals` in two steps, so that the last bit does not decide about a half.

    The first step rounds to four more decimals. For example, half of 0.0125 is 0.00625 or a double
    next to it; rounded to four decimals directly, the last bit would decide. With two steps it
    decides only for numbers that end in a half beyond the four extra decimals, which designed
    lengths and texture coordinates do not have. A negative zero becomes 0. The numbers may have at
    most 15 significant digits up to decimal ``decimals + 4``: a double has no more.
    """
    given = np.asarray(values, dtype=float)
    return np.asarray(np.round(np.round(given, decimals + 4), decimals) + 0.0)


def symmetric_eigen(matrix: ArrayLike) -> tuple[Array, Array]:
    """Return eigenvalues ``(3,)``, ascending, and unit eigenvectors by columns of a ``(3, 3)``.

    Uses Jacobi's rotations on Python numbers, and only the symmetric part of the matrix. Signs, and
    the vectors of equal eigenvalues, are arbitrary but the same on every processor.
    """
    given = np.asarray(matrix, dtype=float)
    # Scale by a power of two, which is exact, so that no square overflows or underflows.
    power = math.frexp(float(np.abs(given).max()))[1]
    scaled = np.ldexp(given, -power)
    a = ((scaled + scaled.T) / 2).tolist()
    v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(_SWEEPS):
        if a[0][1] == a[0][2] == a[1][2] == 0.0:
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            _rotate_to_zero(a, v, p, q)
    order = sorted(range(3), key=lambda k: a[k][k])
    return np.ldexp([a[k][k] for k in order], power), np.array(v)[:, order]


def _rotate_to_zero(a: list[list[float]], v: list[list[float]], p: int, q: int) -> None:
    """Make ``a[p][q]`` zero by one rotation of the axes p and q."""
    off, diagonal = a[p][q], abs(a[p][p]) + abs(a[q][q])
    if diagonal + abs(off) == diagonal:
        a[p][q] = a[q][p] = 0.0  # too small to change a diagonal entry
        return
    t = _rotation_tangent((a[q][q] - a[p][p]) / (2.0 * off))
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


def _rotation_tangent(theta: float) -> float:
    """Return the smaller root t of ``t^2 + 2 theta t - 1 = 0``."""
    return math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))


def _apply_to_each(function: Callable[..., float], *values: ArrayLike) -> Array:
    """Apply a function of the C library to each number; all arguments have the same shape.

    The result is nan where an argument is not finite.
    """
    arrays = [np.asarray(value, dtype=float) for value in values]
    lists = zip(*(array.ravel().tolist() for array in arrays), strict=True)
    results = [function(*some) if all(map(math.isfinite, some)) else math.nan for some in lists]
    return np.array(results, dtype=float).reshape(arrays[0].shape)


def sin(angles: ArrayLike) -> Array:
    """Return sines of angles [rad] of any shape."""
    return _apply_to_each(math.sin, angles)


def cos(angles: ArrayLike) -> Array:
    """Return cosines of angles [rad] of any shape."""
    return _apply_to_each(math.cos, angles)


# 1 / 3!, 1 / 5!, ... and 1 / 2!, 1 / 4!, ... with their signs, the last first: on |r| <= pi / 4 the
# next term is below 1e-16 of the sum.
_SINE = tuple((-1) ** (k // 2) / math.factorial(k) for k in range(17, 2, -2))
_COSINE = tuple((-1) ** (k // 2) / math.factorial(k) for k in range(16, 1, -2))
# pi / 2 in three parts: the first two have 33 bits, so their product with |k| < 2^20 is exact.
_QUARTERS = tuple(
    map(float.fromhex, ("0x1.921fb544p+0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69"))
)


def sine_cosine(angles: ArrayLike) -> tuple[Array, Array]:
    """Return sines and cosines of angles [rad] of any shape, in whole arrays.

    All steps are additions and products, so every machine has the same digits; for angles below
    1e6 they are within 4e-16 of the exact ones.
    """
    given = np.asarray(angles, dtype=float)
    quarter = np.rint(given * (2 / math.pi))
    r = given - quarter * _QUARTERS[0]
    for part in _QUARTERS[1:]:
        r -= quarter * part
    square = r * r
    sine, cosine = np.full_like(r, _SINE[0]), np.full_like(r, _COSINE[0])
    for of_sine, of_cosine in zip(_SINE[1:], _COSINE[1:], strict=True):
        sine *= square
        sine += of_sine
        cosine *= square
        cosine += of_cosine
    sine *= square * r
    sine += r
    cosine *= square
    cosine += 1.0
    turns = np.mod(quarter, 4.0)
    odd = (turns == 1) | (turns == 3)
    first, second = np.where(odd, cosine, sine), np.where(odd, sine, cosine)
    np.negative(first, out=first, where=turns >= 2)
    np.negative(second, out=second, where=(turns == 1) | (turns == 2))
    return first, second


def power(values: ArrayLike, exponent: float) -> Array:
    """Return powers of non-negative numbers of any shape."""
    return _apply_to_each(lambda value: math.pow(value, exponent), values)


def arctan2(y: ArrayLike, x: ArrayLike) -> Array:
    """Return the angles [rad] of points (x, y) of any shape."""
    return _apply_to_each(math.atan2, y, x)
