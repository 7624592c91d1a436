# SPDX-License-Identifier: Apache-2.0
"""Numba versions of `tree.bounds`: the same sums in the same order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._compiled_pair import compiled

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


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
