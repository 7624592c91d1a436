# SPDX-License-Identifier: Apache-2.0
"""Resampled objects: intervals, p-values and Holm's correction.

Objects are drawn as in `aa score` and `aa_dataset.metric.bootstrap`: which ones depends on their
number and the seed only, so all scores and methods share draws, and a difference of two methods is
paired. Sums
over a resample are taken object by object in a fixed order, which gives the same digits on every
processor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric.bootstrap import DEFAULT_RESAMPLES, DEFAULT_SEED
from aa_dataset.score.comparison.entries import Sums
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.result.resampling import draws

Array = NDArray[np.float64]
LEVEL = 0.95
_COLUMNS = 16  # columns that are summed at a time, so that they stay in the processor's cache
_KEPT_NUMBERS = 4_000_000  # draws of so many numbers are kept for the next score


@dataclass(frozen=True, slots=True)
class Resampling:
    """How often objects are drawn, and by which seed."""

    resamples: int = DEFAULT_RESAMPLES
    seed: int = DEFAULT_SEED

    @classmethod
    def of(cls, parameters: Parameters) -> Resampling:
        """Return the resampling that scored a result."""
        return cls(parameters.resamples, parameters.seed)

    @property
    def smallest_p(self) -> float:
        """Return the smallest p-value that this number of resamples can give."""
        return 2.0 / (1.0 + self.resamples)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with the ends of its interval; nan where undefined."""

    value: float
    low: float
    high: float


def resampled_totals(columns: Array, how: Resampling) -> Array:
    """Return the sums of columns over resampled objects.

    Parameters
    ----------
    columns : (m, n) float
        One number per column and object.
    how : Resampling
        The number of resamples and the seed.

    Returns
    -------
    (m, resamples) float
        In the order of the draws.
    """
    count = columns.shape[1]
    if count == 0:
        return np.zeros((len(columns), how.resamples))
    # A column of ones adds up to the number of objects, however they are drawn.
    is_count = (columns == 1.0).all(axis=1)
    totals = np.full((len(columns), how.resamples), float(count))
    if not is_count.all():
        parts = [_weighted(columns[~is_count], times) for times in _times_drawn(count, how)]
        totals[~is_count] = np.concatenate(parts, axis=1)
    return totals


def _weighted(columns: Array, times: Array) -> Array:
    """Return ``sum_n columns[m, n] times[n, b]`` as (m, b), added from the first n to the last."""
    total = np.zeros((len(columns), times.shape[1]))
    for first in range(0, len(columns), _COLUMNS):
        block = slice(first, first + _COLUMNS)
        for k, row in enumerate(times):
            total[block] += columns[block, k, None] * row
    return total


def _times_drawn(count: int, how: Resampling) -> Iterator[Array]:
    """Yield how often each object is drawn, (count, some resamples)."""
    if count * how.resamples <= _KEPT_NUMBERS:
        yield from _kept_draws(count, how)
    else:
        yield from _fresh_draws(count, how)


@lru_cache(maxsize=4)
def _kept_draws(count: int, how: Resampling) -> tuple[Array, ...]:
    return tuple(_fresh_draws(count, how))


def _fresh_draws(count: int, how: Resampling) -> Iterator[Array]:
    for _, times in draws(count, how.resamples, how.seed):
        yield np.ascontiguousarray(times.T)


def mean_draws(sums: Sequence[Sums], how: Resampling) -> Array:
    """Return the means of scores over resampled objects, (scores, resamples); nan if undefined."""
    columns = np.array([column for one in sums for column in (one.top, one.bottom)])
    totals = resampled_totals(columns.reshape(2 * len(sums), -1), how)
    top, bottom = totals[0::2], totals[1::2]
    out = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom > 0)
    return np.asarray(out * np.array([one.factor for one in sums])[:, None])


def estimate(value: float, drawn: Array) -> Estimate:
    """Return a value with its percentile interval from draws; undefined ones are left out."""
    good = drawn[~np.isnan(drawn)]
    if math.isnan(value) or not len(good):
        return Estimate(value, math.nan, math.nan)
    low, high = np.percentile(good, [50 * (1 - LEVEL), 100 - 50 * (1 - LEVEL)])
    return Estimate(value, float(low), float(high))


def means(sums: Sequence[Sums], how: Resampling) -> list[Estimate]:
    """Return every mean with its interval."""
    if not sums:
        return []
    drawn = mean_draws(sums, how)
    return [estimate(one.mean, row) for one, row in zip(sums, drawn, strict=True)]


def two_sided_p(drawn: Array) -> float:
    """Return the p-value of "the difference is 0" from draws of the difference.

    Twice the smaller share of draws on either side of 0, where a draw of 0 counts on both, and each
    count is increased by one, as is the number of draws: p is never 0. This inverts the percentile
    interval: below 5 % exactly where the 95 % interval leaves 0 out, up to one draw.
    """
    good = drawn[~np.isnan(drawn)]
    if not len(good):
        return math.nan
    smaller = min(np.count_nonzero(good <= 0), np.count_nonzero(good >= 0))
    return min(1.0, 2.0 * (1 + int(smaller)) / (1 + len(good)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down rule; nan stays nan and is not counted."""
    known = sorted((p, k) for k, p in enumerate(p_values) if not math.isnan(p))
    adjusted, highest = [math.nan] * len(p_values), 0.0
    for step, (p, k) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - step) * p))
        adjusted[k] = highest
    return adjusted
