# SPDX-License-Identifier: Apache-2.0
"""Counts in two directions, histograms with open ends, and quantiles that are values themselves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CrossCount:
    """How often a row and a column met.

    Attributes
    ----------
    rows, columns : tuple of str
        The names, most frequent first, then by name.
    counts : (rows, columns) int
        Their counts.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Counts

    @property
    def totals(self) -> Counts:
        """The count of every row, (rows,)."""
        return np.asarray(self.counts.sum(axis=1))


def cross_count(
    pairs: Iterable[tuple[str, str]], *, columns: Sequence[str] | None = None
) -> CrossCount:
    """Count pairs of a row and a column; given columns keep their order and may be empty."""
    found = Counter(pairs)
    rows = by_frequency(sum_by(found, 0))
    names = tuple(columns) if columns is not None else by_frequency(sum_by(found, 1))
    counts = [[found[row, column] for column in names] for row in rows]
    shape = (len(rows), len(names))
    return CrossCount(rows, names, np.array(counts, np.int64).reshape(shape))


def sum_by(found: Mapping[tuple[str, str], int], side: int) -> Counter[str]:
    """Sum counts of pairs by their first (0) or second (1) name."""
    sums: Counter[str] = Counter()
    for pair, count in found.items():
        sums[pair[side]] += count
    return sums


def by_frequency(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the names, most frequent first, then by name."""
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of values between edges.

    Attributes
    ----------
    edges : (n,) float
        Ascending; the unit is that of the values.
    counts : (n + 1,) int
        Values below the first edge, in ``[edges[k], edges[k + 1])``, and from the last edge on.
    """

    edges: Array
    counts: Counts

    @property
    def total(self) -> int:
        """All counted values."""
        return int(self.counts.sum())


def histogram(values: Array, edges: Sequence[float]) -> Histogram:
    """Count finite values, (n,), between edges; other values are left out."""
    sharp = np.asarray(edges, np.float64)
    place = np.searchsorted(sharp, values[np.isfinite(values)], side="right")
    return Histogram(sharp, np.bincount(place, minlength=len(sharp) + 1).astype(np.int64))


def quantile(values: Array, share: float) -> float:
    """Return the smallest of some values, (n,), that at least this share of them do not exceed.

    It is nan where there is none.
    """
    if not len(values):
        return math.nan
    rank = max(math.ceil(share * len(values) - 1e-9), 1)
    return float(np.sort(values)[rank - 1])
