# SPDX-License-Identifier: Apache-2.0
"""Bootstrap intervals with the object as the unit (paper appendix D).

``percentile``
    The paper's interval: quantiles of the resampled means. For skewed errors its coverage is below
    the nominal level, most of all with few objects; see ``docs/intervals.md`` for numbers.
``bca``
    The same resamples, their quantiles shifted for bias and skewness (Efron 1987, "bias-corrected
    and accelerated", with the acceleration from leaving out one object at a time). Closer to its
    level for skewed errors, and wider on the side of the long tail.

The same values, seed and method give the same interval on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Weighting = Literal["joint", "object"]
Method = Literal["percentile", "bca"]

DEFAULT_RESAMPLES = 10_000
DEFAULT_SEED = 0
CHUNK_NUMBERS = 2_000_000
# With fewer objects the coverage of both methods is clearly below the nominal level.
FEW_OBJECTS = 30


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its interval.

    Attributes
    ----------
    estimate, low, high : float
        nan if no value is defined.
    objects : int
        Objects with at least one defined value.
    values, undefined : int
        Values that entered, and nan values that were dropped.
    level, resamples, seed : float, int, int
        Parameters of the interval.
    method : {"percentile", "bca"}
        The method of the interval.
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
    method: Method = "percentile"

    @property
    def is_from_few(self) -> bool:
        """Whether there are fewer than 30 objects, so that the true coverage is lower."""
        return self.objects < FEW_OBJECTS

    def __str__(self) -> str:
        """Return one line, with a warning where there are few objects."""
        if math.isnan(self.estimate):
            return f"undefined (no value is defined, {self.undefined} undefined)"
        dropped = f", {self.undefined} undefined" if self.undefined else ""
        warning = "; few objects, true coverage is lower" if self.is_from_few else ""
        return (
            f"{self.estimate:.4g} [{self.low:.4g}, {self.high:.4g}] "
            f"({100 * self.level:g} % {self.method}, {self.objects} objects, "
            f"{self.values} values{dropped}{warning})"
        )


def bootstrap_mean(
    groups: Sequence[ArrayLike],
    *,
    weighting: Weighting = "joint",
    method: Method = "percentile",
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Interval:
    """Return the mean over objects' values with an interval from resampled objects.

    Parameters
    ----------
    groups : one number or one list of numbers per object
        nan values are undefined: they are dropped and counted. Infinite values are refused.
    weighting : {"joint", "object"}
        Every value counts the same (a ratio of sums), or every object does.
    method : {"percentile", "bca"}
        The paper's interval, or the one corrected for skewness; see the module.
    level : float
        Coverage of the interval.
    resamples, seed : int
        Fixed, so that the same values give the same interval; quantiles are linear.

    Examples
    --------
    >>> errors = [[0.1, 0.5], [0.9], [0.2, float("nan")]] * 20
    >>> print(bootstrap_mean(errors))
    0.425 [0.3646, 0.495] (95 % percentile, 60 objects, 80 values, 20 undefined)
    """
    sums, counts, undefined = _totals(_finite_values("groups", groups), weighting)
    draws = np.concatenate(
        [_mean_or_nan(s, c) for s, c in _resampled_totals((sums, counts), resamples, seed)]
    )
    estimate = float(_mean_or_nan(sums.sum(), counts.sum()))
    without = _mean_or_nan(sums.sum() - sums, counts.sum() - counts)
    quantiles = _interval_ends(method, level, estimate, draws, without)
    return _make_interval(
        estimate, quantiles, (groups, undefined), (level, resamples, seed, method)
    )


def bootstrap_difference(
    first: Sequence[ArrayLike],
    second: Sequence[ArrayLike],
    *,
    weighting: Weighting = "joint",
    method: Method = "percentile",
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Interval:
    """Return the mean of `first` minus that of `second` over the same objects, paired.

    Entry k of both lists belongs to object k. An object that only one side scores is excluded, as
    in the paper's appendix D: otherwise a method that fails on hard objects would look better. Both
    means are taken over the same resampled objects, so the difficulty of an object cancels.
    `values` and `undefined` count both sides, `objects` those that both score.
    The other arguments are those of `bootstrap_mean`.

    Examples
    --------
    >>> found = bootstrap_difference([0.5, 0.7, 0.2], [0.4, 0.6, 0.1])
    >>> round(found.low, 6), round(found.high, 6)
    (0.1, 0.1)
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} objects; the numbers must be equal.")
    pairs = list(zip(_finite_values("first", first), _finite_values("second", second), strict=True))
    undefined = sum(int(np.isnan(side).sum()) for pair in pairs for side in pair)
    pairs = [pair for pair in pairs if not any(np.isnan(side).all() for side in pair)]
    s1, c1, _ = _totals([a for a, _ in pairs], weighting)
    s2, c2, _ = _totals([b for _, b in pairs], weighting)
    totals = _resampled_totals((s1, c1, s2, c2), resamples, seed)
    draws = np.concatenate([_mean_or_nan(a, b) - _mean_or_nan(c, d) for a, b, c, d in totals])
    estimate = float(_mean_or_nan(s1.sum(), c1.sum()) - _mean_or_nan(s2.sum(), c2.sum()))
    without = _mean_or_nan(s1.sum() - s1, c1.sum() - c1) - _mean_or_nan(
        s2.sum() - s2, c2.sum() - c2
    )
    quantiles = _interval_ends(method, level, estimate, draws, without)
    both = [np.concatenate(pair) for pair in pairs]
    return _make_interval(estimate, quantiles, (both, undefined), (level, resamples, seed, method))


def _flat_values(values: ArrayLike) -> Array:
    return np.atleast_1d(np.asarray(values, dtype=float)).ravel()


def _finite_values(name: str, groups: Sequence[ArrayLike]) -> list[Array]:
    """Return the values of every object, (n,) each, or raise for an infinite one."""
    arrays = [_flat_values(group) for group in groups]
    for index, array in enumerate(arrays):
        if np.isinf(array).any():
            raise ValueError(
                f"`{name}` has {float(array[np.isinf(array)][0])} for object {index} (counted from "
                "0), so its mean is meaningless. Drop it, or pass nan, which is excluded and "
                "counted as undefined."
            )
    return arrays


def _totals(arrays: Sequence[Array], weighting: Weighting) -> tuple[Array, Array, int]:
    """Return per object the numerator and denominator of the mean, and the number of nans."""
    if weighting not in ("joint", "object"):
        raise ValueError(f"`weighting` is {weighting!r}; choose 'joint' or 'object'.")
    defined = [array[~np.isnan(array)] for array in arrays]
    sums = np.array([array.sum() for array in defined])
    counts = np.array([float(len(array)) for array in defined])
    undefined = sum(map(len, arrays)) - int(counts.sum())
    if weighting == "object":
        sums = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
        counts = (counts > 0).astype(float)
    return sums, counts, undefined


def _resampled_totals(
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


def _mean_or_nan(top: ArrayLike, bottom: ArrayLike) -> Array:
    top, bottom = np.asarray(top, dtype=float), np.asarray(bottom, dtype=float)
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0))


def _interval_ends(
    method: Method, level: float, estimate: float, draws: Array, without: Array
) -> tuple[float, float]:
    """Return both ends of the interval; `without` has the leave-one-out estimates."""
    if not 0 < level < 1:
        raise ValueError(f"`level` is {level}; it must be between 0 and 1.")
    if method not in ("percentile", "bca"):
        raise ValueError(f"`method` is {method!r}; choose 'percentile' or 'bca'.")
    good = draws[~np.isnan(draws)]
    if not len(good):
        return math.nan, math.nan
    tails = [50 * (1 - level), 100 - 50 * (1 - level)]  # percent
    if method == "bca":
        bias, skewness = (
            _bias_correction(estimate, good),
            _acceleration(without[~np.isnan(without)]),
        )
        tails = [_corrected_percentile(tail, bias, skewness) for tail in tails]
    low, high = np.percentile(good, tails)
    return float(low), float(high)


def _bias_correction(estimate: float, draws: Array) -> float:
    """Return z0: how far the estimate is from the median of its resamples, in standard units."""
    rank = (np.count_nonzero(draws < estimate) + np.count_nonzero(draws <= estimate)) / 2
    # Never 0 or 1, whose quantiles would be infinite.
    share = min(max(rank, 0.5), len(draws) - 0.5) / len(draws)
    return NormalDist().inv_cdf(share)


def _acceleration(without: Array) -> float:
    """Return a: a sixth of the skewness of the influence of single objects, 0 if there is none."""
    influence = without.mean() - without if len(without) else np.zeros(1)
    largest = float(np.abs(influence).max())
    # Objects that all weigh the same differ by rounding only, which has no skewness.
    if largest <= 1e-12 * float(np.abs(without).max(initial=0.0)):
        return 0.0
    share = influence / largest
    spread = float((share * share).sum())
    # Products and roots round alike everywhere, other powers as the machine's library does.
    return float((share * share * share).sum() / (6 * spread * math.sqrt(spread)))


def _corrected_percentile(tail: float, bias: float, acceleration: float) -> float:
    """Return ``Phi(z0 + (z0 + z) / (1 - a (z0 + z)))`` in percent (Efron 1987, eq. 2.3)."""
    normal = NormalDist()
    z = bias + normal.inv_cdf(tail / 100)
    shrink = 1 - acceleration * z
    if shrink <= 0:  # beyond the pole: the whole tail
        return 100.0 if z > 0 else 0.0
    return 100 * normal.cdf(bias + z / shrink)


def _make_interval(
    estimate: float,
    quantiles: tuple[float, float],
    data: tuple[Sequence[ArrayLike], int],
    how: tuple[float, int, int, Method],
) -> Interval:
    (groups, undefined), (level, resamples, seed, method) = data, how
    low, high = quantiles
    sizes = [int((~np.isnan(_flat_values(group))).sum()) for group in groups]
    objects, values = sum(size > 0 for size in sizes), sum(sizes)
    return Interval(estimate, low, high, objects, values, undefined, level, resamples, seed, method)
