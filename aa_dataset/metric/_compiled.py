# SPDX-License-Identifier: Apache-2.0
"""Numba versions of the hot loops, with results equal to numpy's; imported only by `_engine`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._compiled_columns import fill_per_column
from aa_dataset.metric._compiled_pair import careful_pair, compiled, moments
from aa_dataset.metric.endpoints import JointArray
from aa_dataset.metric.pairwise import RECOMPUTE, whitened

Array = NDArray[np.float64]

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
def _write_distances(y: Array, c: Array, y2: Array, c2: Array, out: Array) -> None:
    """Write E of one joint against a tile of joints by the closed form.

    The loop must contain only this expression: a running minimum would prevent vectorization and
    take three times as long, so `_has_near` scans the finished row instead.
    """
    a, b, d, e, f, g = y[0], y[1], y[2], y[3], y[4], y[5]
    size, total, span = c[0], c[1], c[2]
    for j in range(len(out)):
        inner = a * y2[0, j] + b * y2[1, j] + d * y2[2, j]
        inner += e * y2[3, j] + f * y2[4, j] + g * y2[5, j]
        square = size + c2[0, j] - total * c2[1, j] * inner - span * c2[2, j] * abs(inner)
        out[j] = math.sqrt(abs(square))  # a negative square is near zero and corrected below


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
            _write_distances(y1[:, i], c1[:, i], tile, terms, row)
            if _has_near(row, cut):
                for j in range(stop - start):
                    if row[j] < cut:
                        k = start + j
                        one, two = (screws1[i], limits1[i]), (screws2[k], limits2[k])
                        row[j] = careful_pair(one, two, norm[0], norm[1])
