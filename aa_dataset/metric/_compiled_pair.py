# SPDX-License-Identifier: Apache-2.0
"""One pair in numba, by the accurate forms of `_pairs`; used by the kernels for near pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
F = TypeVar("F", bound=Callable[..., Any])

# Below this fraction of the terms, endpoint differences are computed from those of their parts.
NEAR = 1e-4


def compiled() -> Callable[[F], F]:
    """Return numba's decorator, strict in its arithmetic, with a type that mypy can follow.

    A division by zero gives inf or nan as in numpy: a check that could raise would prevent
    vectorization.
    """

    def decorate(function: F) -> F:
        try:
            kept = numba.njit(cache=True, nogil=True, error_model="numpy")
            return cast("F", kept(function))
        except RuntimeError:  # no writable cache folder, e.g. in a read-only container
            return cast("F", numba.njit(nogil=True, error_model="numpy")(function))

    return decorate


def moments(screws: Array, limits: Array) -> tuple[Array, Array]:
    """Return whitened screws as (6, n) and the three coefficients of the closed form."""
    lower, upper = limits.T
    size = (lower**2 + upper**2) * (screws**2).sum(axis=1)
    return np.ascontiguousarray(screws.T), np.stack([size, lower + upper, upper - lower])


@compiled()
def careful_pair(
    first: tuple[Array, Array], second: tuple[Array, Array], factor: Array, scale: float
) -> float:
    """Return one distance by the accurate forms of `_pairs.pair_distances`."""
    (s1, l1), (s2, l2) = first, second
    y1, y2, gap = np.zeros(6), np.zeros(6), np.zeros(6)
    g = 0.0
    for r in range(6):
        for k in range(6):
            y1[r] += factor[r, k] * s1[k]
            y2[r] += factor[r, k] * s2[k]
        g += y1[r] * y2[r]
    sign = -1.0 if g < 0 else 1.0
    for r in range(6):
        y2[r] *= sign
        for k in range(6):
            gap[r] += factor[r, k] * (s1[k] - sign * s2[k])
    c0, c1 = (-l2[1], -l2[0]) if g < 0 else (l2[0], l2[1])
    if scale < 0:
        return _difference_norm(y1, y2, gap, (l1[0], l1[1], c0, c1, l1[0] - c0, l1[1] - c1))
    return _compact_pair(y1, y2, gap, (l1[0], l1[1], c0, c1), scale)


@compiled()
def _difference_norm(
    u1: Array, u2: Array, gap: Array, ends: tuple[float, float, float, float, float, float]
) -> float:
    """Return the root of the summed squares of ``t1 u1 - t2 u2``, near pairs by differences."""
    a, b, c, d, ac, bd = ends
    total, near, n1, n2 = 0.0, 0.0, 0.0, 0.0
    for r in range(6):
        total += (a * u1[r] - c * u2[r]) ** 2 + (b * u1[r] - d * u2[r]) ** 2
        near += (ac * u1[r] + c * gap[r]) ** 2 + (bd * u1[r] + d * gap[r]) ** 2
        n1 += u1[r] ** 2
        n2 += u2[r] ** 2
    size = (a * a + b * b) * n1 + (c * c + d * d) * n2
    return math.sqrt(near if total < NEAR * size else total)


@compiled()
def _compact_pair(
    y1: Array, y2: Array, gap: Array, ends: tuple[float, float, float, float], scale: float
) -> float:
    a, b, c, d = ends
    n1, n2, slope = 0.0, 0.0, 0.0
    for r in range(6):
        n1 += y1[r] ** 2
        n2 += y2[r] ** 2
        slope += gap[r] * (y1[r] + y2[r])
    n1, n2 = math.sqrt(n1), math.sqrt(n2)
    if n1 == 0.0 and n2 == 0.0:
        return 0.0
    slope /= n1 + n2
    r1, r2 = 1.0 / (n1 if n1 > 0 else 1.0), 1.0 / (n2 if n2 > 0 else 1.0)
    for r in range(6):
        y1[r] *= r1
        y2[r] *= r2
        gap[r] = (gap[r] - y2[r] * slope) * r1
    x0, x1 = _tanh_argument(a, n1, scale), _tanh_argument(b, n1, scale)
    z0, z1 = _tanh_argument(c, n2, scale), _tanh_argument(d, n2, scale)
    step0, step1 = (
        _limit_difference(a, c, n1, slope) / scale,
        _limit_difference(b, d, n1, slope) / scale,
    )
    gaps = (_tanh_gap(x0, z0, step0), _tanh_gap(x1, z1, step1))
    radii = (math.tanh(x0), math.tanh(x1), math.tanh(z0), math.tanh(z1))
    return _difference_norm(y1, y2, gap, (radii[0], radii[1], radii[2], radii[3], gaps[0], gaps[1]))


@compiled()
def _tanh_argument(limit: float, size: float, scale: float) -> float:
    return 0.0 if size == 0.0 else limit * size / scale


@compiled()
def _limit_difference(a: float, c: float, n1: float, slope: float) -> float:
    if math.isinf(a) or math.isinf(c):
        return 0.0 if a == c else a - c
    return (a - c) * n1 + c * slope


@compiled()
def _tanh_gap(x: float, y: float, step: float) -> float:
    if (x >= 0) != (y >= 0):
        return math.tanh(x) - math.tanh(y)
    low, high = min(abs(x), abs(y)), max(abs(x), abs(y))
    e_low, e_high = math.exp(-2 * low), math.exp(-2 * high)
    gap = -2 * e_low * math.expm1(-2 * abs(step)) / ((1 + e_low) * (1 + e_high))
    return gap if step > 0 else -gap
