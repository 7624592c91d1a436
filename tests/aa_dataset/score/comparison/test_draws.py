# SPDX-License-Identifier: Apache-2.0
"""Resampled sums, intervals, p-values and Holm's rule, each against a second way to compute it."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.metric import bootstrap_difference, bootstrap_mean
from aa_dataset.score.comparison.draws import (
    Resampling,
    estimate,
    holm,
    mean_draws,
    means,
    resampled_totals,
    two_sided_p,
)
from aa_dataset.score.comparison.entries import Sums

HOW = Resampling(2000)


def some(seed: int, count: int = 37) -> tuple[list[list[float]], Sums]:
    """Return values of objects with 0 to 3 joints each, and their sums."""
    rng = np.random.default_rng(seed)
    values = [list(rng.exponential(size=rng.integers(0, 4))) for _ in range(count)]
    sums = [np.array([math.fsum(v) for v in values]), np.array([float(len(v)) for v in values])]
    return values, Sums(*sums)


def test_totals_are_those_of_the_drawn_objects():
    rng = np.random.default_rng(3)
    columns = np.array([rng.normal(size=11), np.ones(11), rng.normal(size=11)])
    drawn = np.random.default_rng(HOW.seed).integers(0, 11, size=(HOW.resamples, 11))
    expected = columns[:, drawn].sum(axis=2)
    assert resampled_totals(columns, HOW) == pytest.approx(expected, abs=1e-12)


def test_many_objects_are_drawn_in_pieces_and_alike(monkeypatch):
    columns = np.random.default_rng(1).normal(size=(20, 31))
    whole = resampled_totals(columns, HOW)
    monkeypatch.setattr("aa_dataset.score.result.resampling.DRAWN_NUMBERS", 100)  # three at a time
    monkeypatch.setattr("aa_dataset.score.comparison.draws._KEPT_NUMBERS", 0)
    assert (resampled_totals(columns, HOW) == whole).all()


def test_a_mean_has_the_interval_of_the_metric():
    values, sums = some(1)
    expected = bootstrap_mean(values, resamples=HOW.resamples)
    (found,) = means([sums], HOW)
    ends = (expected.estimate, expected.low, expected.high)
    assert (found.value, found.low, found.high) == pytest.approx(ends, abs=1e-12)


def test_a_difference_has_the_paired_interval_of_the_metric():
    (one, first), (two, second) = some(1), some(2)
    kept = first.has_value & second.has_value
    expected = bootstrap_difference(one, two, resamples=HOW.resamples)
    draws = mean_draws([first.on(kept), second.on(kept)], HOW)
    found = estimate(first.on(kept).mean - second.on(kept).mean, draws[0] - draws[1])
    ends = (expected.estimate, expected.low, expected.high)
    assert (found.value, found.low, found.high) == pytest.approx(ends, abs=1e-12)


def test_shares_are_in_percent():
    (found,) = means([Sums(np.ones(5), np.ones(5), 100.0)], HOW)
    assert (found.value, found.low, found.high) == (100.0, 100.0, 100.0)


def test_nothing_defined_is_undefined():
    (found,) = means([Sums(np.zeros(4), np.zeros(4))], HOW)
    assert all(map(math.isnan, (found.value, found.low, found.high)))
    assert math.isnan(two_sided_p(np.full(5, math.nan)))
    (none,) = means([Sums(np.zeros(0), np.zeros(0))], HOW)
    assert math.isnan(none.value)


@pytest.mark.parametrize(
    ("draws", "expected"),
    [
        ([-3.0, -2.0, -1.0, -1.0], 2 / 5),  # none on the other side: 2 (0 + 1) / (4 + 1)
        ([3.0, 2.0, 1.0, 1.0], 2 / 5),
        ([-3.0, -2.0, -1.0, 1.0], 4 / 5),
        ([-1.0, -1.0, 1.0, 1.0], 1.0),  # 6 / 5, at most 1
        ([0.0, 0.0, 0.0, 0.0], 1.0),  # zero counts on both sides
        ([math.nan, -1.0], 1.0),  # 2 (0 + 1) / (1 + 1)
    ],
)
def test_p_is_twice_the_smaller_side_plus_one(draws, expected):
    assert two_sided_p(np.array(draws)) == expected


def test_p_agrees_with_the_interval():
    """Below 5 % if the interval leaves 0 out by more than a draw, above if it holds it."""
    rng = np.random.default_rng(5)
    for shift in np.linspace(0, 4, 41):
        draws = rng.normal(shift, 1, size=10_000)
        found, p = estimate(float(shift), draws), two_sided_p(draws)
        if abs(p - 0.05) > 0.001:
            assert (p < 0.05) == (found.low > 0)


def closed_testing(p_values: list[float]) -> list[float]:
    """Holm's rule as the closure of Bonferroni's: the largest over all sets with the test."""
    places = range(len(p_values))
    sets = [s for size in range(1, len(p_values) + 1) for s in combinations(places, size)]
    return [
        max(min(1.0, len(s) * min(p_values[j] for j in s)) for s in sets if k in s) for k in places
    ]


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6))
def test_holm_is_the_closure_of_bonferroni(p_values):
    assert holm(p_values) == pytest.approx(closed_testing(p_values), abs=1e-15)


def test_holm_does_not_count_what_is_undefined():
    assert holm([0.01, math.nan, 0.04])[::2] == holm([0.01, 0.04]) == [0.02, 0.04]
    assert math.isnan(holm([0.01, math.nan])[1])
