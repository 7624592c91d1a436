# SPDX-License-Identifier: Apache-2.0
"""Numba twins of the hot loops; imported by `_engine` alone, results equal to numpy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric.endpoints import JointArray
from aa_dataset.metric.pairwise import RECOMPUTE, whitened

Array = NDArray[np.float64]
F = TypeVar("F", bound=Callable[..., Any])

COLUMN_TILE = 512
# Below this share of the terms, endpoint differences are formed from differences of their parts.
NEAR = 1e-4


def compiled() -> Callable[[F], F]:
    """Return numba's decorator, strict in its arithmetic, with a type that mypy can follow."""

    def decorate(function: F) -> F:
        try:
            return cast("F", numba.njit(cache=True, nogil=True)(function))
        except RuntimeError:  # no folder to cache in, as in a read-only container
            return cast("F", numba.njit(nogil=True)(function))

    return decorate


def fill(one: JointArray, two: JointArray, factor: Array, scale: float | None, out: Array) -> None:
    """Fill the matrix of distances; see `pairwise.pairwise_distance`."""
    kappa = -1.0 if scale is None else scale
    raw = (one.screws, one.limits, two.screws, two.limits)
    if factor.ndim == 3:
        _fill_per_column(raw, factor, kappa, out)
        return
    y1, l1 = whitened(one, factor, scale)
    y2, l2 = whitened(two, factor, scale)
    _fill_shared(_terms(y1, l1), _terms(y2, l2), raw, (factor, kappa), out)


def _terms(screws: Array, limits: Array) -> tuple[Array, Array]:
    """Return whitened screws as (6, n) and the three coefficients of the closed form."""
    lower, upper = limits.T
    size = (lower**2 + upper**2) * (screws**2).sum(axis=1)
    return np.ascontiguousarray(screws.T), np.stack([size, lower + upper, upper - lower])


@compiled()
def _row(y: Array, c: Array, y2: Array, c2: Array, out: Array) -> None:
    """Write E of one joint against a tile of joints by the closed form.

    Nothing but this expression may stand in the loop: a running minimum would cost the vector
    instructions and three times the time, so `_has_near` looks at the finished row instead.
    """
    a, b, d, e, f, g = y[0], y[1], y[2], y[3], y[4], y[5]
    size, total, span = c[0], c[1], c[2]
    for j in range(len(out)):
        inner = a * y2[0, j] + b * y2[1, j] + d * y2[2, j]
        inner += e * y2[3, j] + f * y2[4, j] + g * y2[5, j]
        square = size + c2[0, j] - total * c2[1, j] * inner - span * c2[2, j] * abs(inner)
        out[j] = math.sqrt(abs(square))  # a negative square is near zero and mended below


@compiled()
def _has_near(row: Array, cut: float) -> bool:
    count = 0
    for j in range(len(row)):
        count += row[j] < cut
    return count > 0


@compiled()
def _fill_shared(
    first: tuple[Array, Array],
    second: tuple[Array, Array],
    raw: tuple[Array, Array, Array, Array],
    norm: tuple[Array, float],
    out: Array,
) -> None:
    (y1, c1), (y2, c2) = first, second
    screws1, limits1, screws2, limits2 = raw
    for start in range(0, out.shape[1], COLUMN_TILE):
        stop = min(start + COLUMN_TILE, out.shape[1])
        tile, terms = y2[:, start:stop].copy(), c2[:, start:stop].copy()
        for i in range(out.shape[0]):
            row = out[i, start:stop]
            cut = math.sqrt(RECOMPUTE * c1[0, i])
            _row(y1[:, i], c1[:, i], tile, terms, row)
            if _has_near(row, cut):
                for j in range(stop - start):
                    if row[j] < cut:
                        k = start + j
                        one, two = (screws1[i], limits1[i]), (screws2[k], limits2[k])
                        row[j] = _pair(one, two, norm[0], norm[1])


@compiled()
def _fill_per_column(
    raw: tuple[Array, Array, Array, Array], factors: Array, scale: float, out: Array
) -> None:
    screws1, limits1, screws2, limits2 = raw
    for k in range(out.shape[1]):
        for i in range(out.shape[0]):
            one, two = (screws1[i], limits1[i]), (screws2[k], limits2[k])
            out[i, k] = _pair(one, two, factors[k], scale)


@compiled()
def _pair(
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
        return _combine(y1, y2, gap, (l1[0], l1[1], c0, c1, l1[0] - c0, l1[1] - c1))
    return _compact_pair(y1, y2, gap, (l1[0], l1[1], c0, c1), scale)


@compiled()
def _combine(
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
    x0, x1 = _argument(a, n1, scale), _argument(b, n1, scale)
    z0, z1 = _argument(c, n2, scale), _argument(d, n2, scale)
    step0, step1 = _step(a, c, n1, slope) / scale, _step(b, d, n1, slope) / scale
    gaps = (_tanh_gap(x0, z0, step0), _tanh_gap(x1, z1, step1))
    radii = (math.tanh(x0), math.tanh(x1), math.tanh(z0), math.tanh(z1))
    return _combine(y1, y2, gap, (radii[0], radii[1], radii[2], radii[3], gaps[0], gaps[1]))


@compiled()
def _argument(limit: float, size: float, scale: float) -> float:
    return 0.0 if size == 0.0 else limit * size / scale


@compiled()
def _step(a: float, c: float, n1: float, slope: float) -> float:
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
