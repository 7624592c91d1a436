# SPDX-License-Identifier: Apache-2.0
"""Percentile bootstrap intervals of many statistics at once, with the object as the unit.

All statistics, groups and methods share the same draws, which depend on the number of objects and
the seed only; they are those of `metric.bootstrap_mean`. A resample is the number of times that
each object was drawn. Its sums are added object by object, each product and each sum rounded once,
so that the digits are the same on every processor, for any size of a chunk.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.score.parameters import Parameters
from aa_dataset.score.result.statistics import Label, Statistic

Array = NDArray[np.float64]
Counts = NDArray[np.float64]

DRAWN_NUMBERS = 1_000_000  # objects drawn at a time, which bounds the memory
# Rows of sums that fit the cache of a processor; a chunk of resamples is added in such pieces.
CACHED_NUMBERS = 16_000


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number of a result with its interval and coverage.

    Attributes
    ----------
    label : Label
        What it is about.
    estimate, low, high : float
        nan if nothing is defined.
    values, of : int
        Joints, pairs or objects that entered, out of the number that could have.
    objects : int
        Objects with at least one of them.
    """

    label: Label
    estimate: float
    low: float
    high: float
    values: int
    of: int
    objects: int


def aggregates(
    parts: Sequence[Sequence[Statistic]], parameters: Parameters
) -> list[list[Aggregate]]:
    """Return estimates and intervals of lists of statistics over the same objects."""
    plans = [_Plan.of(part) for part in parts]
    count = max((len(one.top) for part in parts for one in part), default=0)
    if count:
        for start, drawn in draws(count, parameters.resamples, parameters.seed):
            for plan in plans:
                plan.add(start, drawn, parameters.resamples)
    return [
        [plan.aggregate(k, one, parameters.level) for k, one in enumerate(part)]
        for plan, part in zip(plans, parts, strict=True)
    ]


def draws(count: int, resamples: int, seed: int) -> Iterator[tuple[int, Counts]]:
    """Yield the first resample of a chunk and how often it draws each object, (r, count)."""
    rng = np.random.default_rng(seed)
    step = max(1, DRAWN_NUMBERS // count)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = rng.integers(0, count, size=(size, count))
        flat = (drawn + count * np.arange(size)[:, None]).ravel()
        yield start, np.bincount(flat, minlength=size * count).reshape(size, count).astype(float)


class _Plan:
    """The distinct columns of some statistics, and their resampled values."""

    def __init__(self, columns: list[Array], places: list[tuple[int, int]], medians: list[bool]):
        self._columns = np.array(columns).T if columns else np.zeros((0, 0))
        self._used = np.flatnonzero(self._columns.any(axis=1)) if columns else np.zeros(0, int)
        self._places, self._medians = places, medians
        self._draws: Array | None = None

    @classmethod
    def of(cls, part: Sequence[Statistic]) -> _Plan:
        """Collect the columns of some statistics; equal ones are added up once."""
        columns: dict[bytes, int] = {}
        kept: list[Array] = []

        def place(column: Array) -> int:
            key = column.tobytes()
            if key not in columns:
                columns[key] = len(kept)
                kept.append(column)
            return columns[key]

        places = [(-1, -1) if s.is_median else (place(s.top), place(s.bottom)) for s in part]
        plan = cls(kept, places, [s.is_median for s in part])
        plan._values = [s.top if s.is_median else None for s in part]
        return plan

    _values: list[Array | None]

    def add(self, start: int, drawn: Counts, resamples: int) -> None:
        """Compute the statistics of a chunk of resamples."""
        if self._draws is None:
            self._draws = np.full((resamples, len(self._places)), np.nan)
        sums = _weighted_sums(drawn, self._columns, self._used)
        out = self._draws[start : start + len(drawn)]
        for k, (top, bottom) in enumerate(self._places):
            values = self._values[k]
            if values is not None:
                out[:, k] = weighted_medians(values, drawn)
            else:
                below = sums[:, bottom]
                np.divide(sums[:, top], below, out=out[:, k], where=below > 0)

    def aggregate(self, k: int, one: Statistic, level: float) -> Aggregate:
        """Return one statistic with its interval."""
        low, high = _ends(None if self._draws is None else self._draws[:, k], level)
        values = float(one.bottom.sum())
        estimate = _median(one.top) if one.is_median else _quotient(one)
        objects = int((one.bottom > 0).sum())
        return Aggregate(one.label, estimate, low, high, int(values), one.of, objects)


def _weighted_sums(drawn: Counts, columns: Array, used: NDArray[np.intp]) -> Array:
    """Return the sums of columns (n, c) over resamples (r, n), (r, c), object by object."""
    out = np.zeros((len(drawn), columns.shape[1]))
    step = max(1, CACHED_NUMBERS // max(1, columns.shape[1]))
    for start in range(0, len(drawn), step):
        sums = out[start : start + step]
        product = np.empty_like(sums)
        times = np.ascontiguousarray(drawn[start : start + step].T)
        for k in used:
            np.multiply(times[k][:, None], columns[k], out=product)
            np.add(sums, product, out=sums)
    return out


def weighted_medians(values: Array, drawn: Counts) -> Array:
    """Return the median of the defined values in every resample, nan where none was drawn, (r,).

    Parameters
    ----------
    values : (n,) float
        One per object, nan where undefined.
    drawn : (r, n) float
        How often each resample draws each object.
    """
    order = np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    if not len(order):
        return np.full(len(drawn), np.nan)
    ranked = values[order]
    reached = np.cumsum(drawn[:, order], axis=1)  # whole numbers: exact
    total = reached[:, -1]
    low, high = (
        ranked[np.minimum((reached < place[:, None]).sum(axis=1), len(ranked) - 1)]
        for place in (np.floor((total + 1) / 2), np.floor(total / 2) + 1)
    )
    return np.where(total > 0, (low + high) / 2, np.nan)


def _median(values: Array) -> float:
    good = values[~np.isnan(values)]
    return float(np.median(good)) if len(good) else math.nan


def _quotient(one: Statistic) -> float:
    """Return the exactly rounded sum over the divisor; nan, not 0, for an empty set."""
    below = math.fsum(one.bottom.tolist())
    return math.fsum(one.top.tolist()) / below if below > 0 else math.nan


def _ends(draws: Array | None, level: float) -> tuple[float, float]:
    good = np.zeros(0) if draws is None else draws[~np.isnan(draws)]
    if not len(good):
        return math.nan, math.nan
    low, high = np.percentile(good, [50 * (1 - level), 100 - 50 * (1 - level)])
    return float(low), float(high)
