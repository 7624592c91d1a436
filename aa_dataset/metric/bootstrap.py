# SPDX-License-Identifier: Apache-2.0
"""Percentile bootstrap intervals with the object as the unit (paper appendix D)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Weighting = Literal["joint", "object"]

DEFAULT_RESAMPLES = 10_000
DEFAULT_SEED = 0
CHUNK_NUMBERS = 2_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its percentile interval.

    Attributes
    ----------
    estimate, low, high : float
        nan if no value is defined.
    objects : int
        Objects with at least one defined value.
    values, undefined : int
        Values that entered, and nan values that were dropped.
    level, resamples, seed : float, int, int
        How the interval was made.
    """

    estimate: float
    low: float
    high: float
    objects: int
    values: int
    undefined: int
    level: float
    resamples: int
    seed: int


def bootstrap_mean(
    groups: Sequence[ArrayLike],
    *,
    weighting: Weighting = "joint",
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Interval:
    """Return the mean over objects' values with an interval from resampled objects.

    Parameters
    ----------
    groups : one number or one list of numbers per object
        nan values are undefined: dropped and counted.
    weighting : {"joint", "object"}
        Every value counts the same (a ratio of sums), or every object does.
    level : float
        Coverage of the interval.
    resamples, seed : int
        Fixed, so that the same values give the same interval; quantiles are linear.
    """
    sums, counts, undefined = _totals(groups, weighting)
    draws = np.concatenate([_ratio(s, c) for s, c in _resampled((sums, counts), resamples, seed)])
    estimate = float(_ratio(sums.sum(), counts.sum()))
    return _interval(estimate, draws, (groups, undefined), (level, resamples, seed))


def bootstrap_difference(
    first: Sequence[ArrayLike],
    second: Sequence[ArrayLike],
    *,
    weighting: Weighting = "joint",
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Interval:
    """Return the mean of `first` minus that of `second` over the same objects, paired.

    Entry k of both lists belongs to object k, and an object that only one side scores is left
    out, as in the paper's appendix D: otherwise a method that fails on hard objects would look
    better for it. Both means are taken over the same resampled objects, so what is hard about an
    object cancels. `values` and `undefined` count both sides, `objects` those that both score.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} objects; a paired interval needs equal.")
    pairs = [(_flat(a), _flat(b)) for a, b in zip(first, second, strict=True)]
    undefined = sum(int(np.isnan(side).sum()) for pair in pairs for side in pair)
    pairs = [pair for pair in pairs if not any(np.isnan(side).all() for side in pair)]
    s1, c1, _ = _totals([a for a, _ in pairs], weighting)
    s2, c2, _ = _totals([b for _, b in pairs], weighting)
    totals = _resampled((s1, c1, s2, c2), resamples, seed)
    draws = np.concatenate([_ratio(a, b) - _ratio(c, d) for a, b, c, d in totals])
    estimate = float(_ratio(s1.sum(), c1.sum()) - _ratio(s2.sum(), c2.sum()))
    both = [np.concatenate(pair) for pair in pairs]
    return _interval(estimate, draws, (both, undefined), (level, resamples, seed))


def _flat(values: ArrayLike) -> Array:
    return np.atleast_1d(np.asarray(values, dtype=float)).ravel()


def _totals(groups: Sequence[ArrayLike], weighting: Weighting) -> tuple[Array, Array, int]:
    """Return per object the numerator and denominator of the mean, and how many nan there are."""
    if weighting not in ("joint", "object"):
        raise ValueError(f"`weighting` is {weighting!r}; choose 'joint' or 'object'.")
    arrays = [_flat(group) for group in groups]
    defined = [array[~np.isnan(array)] for array in arrays]
    sums = np.array([array.sum() for array in defined])
    counts = np.array([float(len(array)) for array in defined])
    undefined = sum(map(len, arrays)) - int(counts.sum())
    if weighting == "object":
        sums = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
        counts = (counts > 0).astype(float)
    return sums, counts, undefined


def _resampled(
    columns: tuple[Array, ...], resamples: int, seed: int
) -> Iterator[tuple[Array, ...]]:
    """Yield the columns' totals over objects drawn with replacement, in bounded memory."""
    if resamples < 1:
        raise ValueError(f"`resamples` is {resamples}; an interval needs at least one.")
    count = len(columns[0])
    if count == 0:
        yield tuple(np.zeros(resamples) for _ in columns)
        return
    rng = np.random.default_rng(seed)
    step = max(1, CHUNK_NUMBERS // count)
    for start in range(0, resamples, step):
        drawn = rng.integers(0, count, size=(min(step, resamples - start), count))
        yield tuple(column[drawn].sum(axis=1) for column in columns)


def _ratio(top: ArrayLike, bottom: ArrayLike) -> Array:
    top, bottom = np.asarray(top, dtype=float), np.asarray(bottom, dtype=float)
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0))


def _interval(
    estimate: float,
    draws: Array,
    data: tuple[Sequence[ArrayLike], int],
    how: tuple[float, int, int],
) -> Interval:
    groups, undefined = data
    level, resamples, seed = how
    if not 0 < level < 1:
        raise ValueError(f"`level` is {level}; give a coverage between 0 and 1.")
    sizes = [int((~np.isnan(_flat(group))).sum()) for group in groups]
    tail = 50 * (1 - level)
    good = draws[~np.isnan(draws)]
    low, high = np.percentile(good, [tail, 100 - tail]) if len(good) else (np.nan, np.nan)
    objects = sum(size > 0 for size in sizes)
    return Interval(
        estimate, float(low), float(high), objects, sum(sizes), undefined, level, resamples, seed
    )
