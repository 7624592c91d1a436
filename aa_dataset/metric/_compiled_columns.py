# SPDX-License-Identifier: Apache-2.0
"""Numba kernels for one norm per column, e.g. E_B against many ground truths with their bodies.

Every joint of the first side is whitened by every column's factor, 36 products per pair. The loops
run along the columns, so that the compiler can vectorize them. Pairs that nearly agree are marked
by -1 and recomputed by `_compiled_pair`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._compiled_pair import careful_pair, compiled, moments
from aa_dataset.metric._pairs import apply, ones_for_zeros, radius, square
from aa_dataset.metric.endpoints import JointArray
from aa_dataset.metric.pairwise import RECOMPUTE

Array = NDArray[np.float64]

# A tile has 45 numbers per column and fits in a second-level cache together with the row.
TILE = 128
# Rows of a tile: factor, whitened screw of the second joint, coefficients of the closed form.
SCREW, SIZE, TOTAL, SPAN = 36, 42, 43, 44
# tanh is 1 in double precision beyond this.
SATURATED = 20.0
HUGE = 1e300


def fill_per_column(
    one: JointArray, two: JointArray, factors: Array, scale: float | None, out: Array
) -> None:
    """Fill the matrix of distances with norm k for column k; see `pairwise.pairwise_distance`."""
    y2, l2 = apply(factors, two.screws), two.limits
    if scale is not None:
        size = np.sqrt(square(y2))
        y2, l2 = y2 / ones_for_zeros(size)[:, None], radius(l2, size, scale)
    second = np.concatenate([factors.reshape(-1, 36).T, *moments(y2, l2)])
    raw = (one.screws, one.limits, two.screws, two.limits)
    _write_columns(second, raw, factors, -1.0 if scale is None else scale, out)


@compiled()
def _write_columns(
    second: Array,
    raw: tuple[Array, Array, Array, Array],
    factors: Array,
    scale: float,
    out: Array,
) -> None:
    screws1, limits1, screws2, limits2 = raw
    scratch = np.empty((4, TILE))
    for start in range(0, out.shape[1], TILE):
        stop = min(start + TILE, out.shape[1])
        tile, work = second[:, start:stop].copy(), scratch[:, : stop - start].copy()
        for i in range(out.shape[0]):
            row = out[i, start:stop]
            if scale < 0:
                _write_distances(screws1[i], limits1[i], tile, row)
            else:
                _compact_row(screws1[i], limits1[i] / scale, tile, work, row)
            if _has_marks(row):
                for j in range(stop - start):
                    if row[j] < 0.0:
                        k = start + j
                        first, other = (screws1[i], limits1[i]), (screws2[k], limits2[k])
                        row[j] = careful_pair(first, other, factors[k], scale)


@compiled()
def _has_marks(row: Array) -> bool:
    count = 0
    for j in range(len(row)):
        count += row[j] < 0.0
    return count > 0


@compiled()
def _write_distances(screw: Array, limits: Array, tile: Array, out: Array) -> None:
    """Write E of one joint against a tile of joints by the closed form, near pairs as -1."""
    a, b, c, d, e, f = screw[0], screw[1], screw[2], screw[3], screw[4], screw[5]
    weight = limits[0] * limits[0] + limits[1] * limits[1]
    total, span = limits[0] + limits[1], limits[1] - limits[0]
    for j in range(len(out)):
        length, inner = 0.0, 0.0
        for r in range(6):
            y = tile[6 * r, j] * a + tile[6 * r + 1, j] * b + tile[6 * r + 2, j] * c
            y += tile[6 * r + 3, j] * d + tile[6 * r + 4, j] * e + tile[6 * r + 5, j] * f
            length += y * y
            inner += y * tile[SCREW + r, j]
        size = weight * length
        cross = total * tile[TOTAL, j] * inner + span * tile[SPAN, j] * abs(inner)
        value = size + tile[SIZE, j] - cross
        out[j] = math.sqrt(value) if value >= RECOMPUTE * size else -1.0


@compiled()
def _compact_row(screw: Array, ends: Array, tile: Array, work: Array, out: Array) -> None:
    """Like `_write_distances` for E^phi; `ends` are the limits divided by the scale."""
    length, inner, low, high = work[0], work[1], work[2], work[3]
    _write_whitened_lengths(screw, tile, length, inner)
    _radii(length, ends[0], low)
    _radii(length, ends[1], high)
    for j in range(len(out)):
        size = low[j] * low[j] + high[j] * high[j]
        cross = (low[j] + high[j]) * tile[TOTAL, j] * inner[j]
        cross += (high[j] - low[j]) * tile[SPAN, j] * abs(inner[j])
        value = size + tile[SIZE, j] - cross
        out[j] = math.sqrt(value) if value >= RECOMPUTE * size else -1.0


@compiled()
def _write_whitened_lengths(screw: Array, tile: Array, length: Array, inner: Array) -> None:
    """Write ``|y|`` and ``<y, u2> / |y|`` of one joint whitened by every column's factor."""
    a, b, c, d, e, f = screw[0], screw[1], screw[2], screw[3], screw[4], screw[5]
    for j in range(len(length)):
        total, product = 0.0, 0.0
        for r in range(6):
            y = tile[6 * r, j] * a + tile[6 * r + 1, j] * b + tile[6 * r + 2, j] * c
            y += tile[6 * r + 3, j] * d + tile[6 * r + 4, j] * e + tile[6 * r + 5, j] * f
            total += y * y
            product += y * tile[SCREW + r, j]
        length[j] = math.sqrt(total)
        inner[j] = product / (length[j] if total > 0.0 else 1.0)


@compiled()
def _radii(length: Array, end: float, out: Array) -> None:
    """Write ``tanh(end * length)``, relative error below 2e-15, in vector instructions.

    The library's tanh is called number by number. Here a Pade approximant (Lambert's continued
    fraction, exact to 1e-16 up to 20 / 64) is doubled six times, ``tanh 2t = 2 T / (1 + T^2)``, as
    numerator and denominator, so that no digits are lost and one division is left.
    """
    limit = min(max(end, -HUGE), HUGE)  # an infinite limit of a zero screw is 0
    for j in range(len(out)):
        x = limit * length[j]
        x = x if x < SATURATED else SATURATED
        t = (x if x > -SATURATED else -SATURATED) / 64
        z = t * t
        top = t * (1 + z * (1260 / 10395 + z * (21 / 10395)))
        bottom = 1 + z * (4725 / 10395 + z * (210 / 10395 + z * (1 / 10395)))
        top, bottom = 2 * top * bottom, bottom * bottom + top * top
        top, bottom = 2 * top * bottom, bottom * bottom + top * top
        top, bottom = 2 * top * bottom, bottom * bottom + top * top
        top, bottom = 2 * top * bottom, bottom * bottom + top * top
        top, bottom = 2 * top * bottom, bottom * bottom + top * top
        top, bottom = 2 * top * bottom, bottom * bottom + top * top
        out[j] = top / bottom
