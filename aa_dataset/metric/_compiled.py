# SPDX-License-Identifier: Apache-2.0
"""Numba twins of the hot loops; imported by `_engine` alone, results equal to numpy's."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._compiled_columns import fill_per_column
from aa_dataset.metric._compiled_pair import careful_pair, compiled, moments
from aa_dataset.metric.endpoints import JointArray
from aa_dataset.metric.pairwise import RECOMPUTE, whitened

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

COLUMN_TILE = 512


def fill(one: JointArray, two: JointArray, factor: Array, scale: float | None, out: Array) -> None:
    """Fill the matrix of distances; see `pairwise.pairwise_distance`."""
    if factor.ndim == 3:
        fill_per_column(one, two, factor, scale, out)
        return
    kappa = -1.0 if scale is None else scale
    raw = (one.screws, one.limits, two.screws, two.limits)
    y1, l1 = whitened(one, factor, scale)
    y2, l2 = whitened(two, factor, scale)
    _fill_shared(moments(y1, l1), moments(y2, l2), raw, (factor, kappa), out)


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
                        row[j] = careful_pair(one, two, norm[0], norm[1])


@compiled()
def block_bounds(weights: Array, alive: Bools, below1: Bools, below2: Bools) -> tuple[Array, Array]:
    """Return upper bounds per oriented pair; see `tree.bounds.block_bounds`."""
    row = _line_maxima(weights, alive, below2)
    column = _line_maxima(weights.T.copy(), alive.transpose(1, 0, 2).copy(), below1)
    by_rows, by_columns = _block_sums(row, below1), _block_sums(column, below2)
    n, m = weights.shape
    low, high = np.empty((n, m, 2)), np.empty((n, m, 2))
    for i in range(n):
        for j in range(m):
            # Turned, the columns beyond j go with the rows that are not below i.
            low[i, j, 0] = min(by_rows[0, 0, i, j], by_columns[0, 0, j, i])
            high[i, j, 0] = min(by_rows[0, 1, i, j], by_columns[0, 1, j, i])
            low[i, j, 1] = min(by_rows[1, 0, i, j], by_columns[1, 1, j, i])
            high[i, j, 1] = min(by_rows[1, 1, i, j], by_columns[1, 0, j, i])
    return low, high


@compiled()
def _block_sums(line: Array, below: Bools) -> Array:
    """Return ``B[s, block, i, j]``: line maxima summed over the lines below i, or the others."""
    count, width = line.shape[2], line.shape[3]
    out = np.zeros((2, 2, count, width))
    for s in range(2):
        for i in range(count):
            for r in range(count):
                if r != i:
                    block = 0 if below[i, r] else 1
                    source = line[0, 1 - s, r] if below[i, r] else line[int(below[r, i]), s, r]
                    target = out[s, block, i]
                    for j in range(width):
                        target[j] += source[j]
    return out


@compiled()
def _line_maxima(weights: Array, alive: Bools, below: Bools) -> Array:
    """Return ``X[t, side, r, j]``; see `tree.bounds`."""
    rows, size = weights.shape
    out = np.zeros((2, 2, rows, size))
    for r in range(rows):
        for t in range(2):
            for c in range(size):
                value = weights[r, c]
                if value > 0 and alive[r, c, t]:
                    _raise_maxima(out, below, (t, r, c), value)
    return out


@compiled()
def _raise_maxima(out: Array, below: Bools, place: tuple[int, int, int], value: float) -> None:
    """Count ``(r, c)`` for ``t xor below[c, j]``, on the side of every j where c lies."""
    t, r, c = place
    plain, turned, beyond = out[t, 0, r], out[1 - t, 0, r], out[t, 1, r]
    for j in range(len(plain)):
        if j != c:
            if below[j, c]:
                beyond[j] = max(beyond[j], value)
            elif below[c, j]:
                turned[j] = max(turned[j], value)
            else:
                plain[j] = max(plain[j], value)


def warm_up() -> None:
    """Compile, or load from the cache, what the search over trees calls."""
    block_bounds(np.zeros((1, 1)), np.zeros((1, 1, 2), bool), *np.zeros((2, 1, 1), bool))
