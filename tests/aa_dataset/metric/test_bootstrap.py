# SPDX-License-Identifier: Apache-2.0
"""Intervals with the object as the unit."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm
from scipy.stats._resampling import BootstrapResult

from aa_dataset.metric import bootstrap as module
from aa_dataset.metric import bootstrap_difference, bootstrap_mean


def test_percentiles_by_hand():
    """Redo the resampling with plain loops and the same seed."""
    groups = [[0.1, 0.5], [0.9], [0.2, math.nan, 0.3], [math.nan]]
    found = bootstrap_mean(groups, resamples=500, seed=3)
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, 4, size=(500, 4))
    means = []
    for row in drawn:
        values = [x for k in row for x in groups[k] if not math.isnan(x)]
        if values:
            means.append(np.mean(values))
    assert found.estimate == pytest.approx(np.mean([0.1, 0.5, 0.9, 0.2, 0.3]))
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])))
    assert (found.objects, found.values, found.undefined) == (3, 5, 2)


def test_object_weighting_is_the_mean_of_object_means():
    groups = [[0.0, 0.0, 0.0], [1.0]]
    assert bootstrap_mean(groups, weighting="object").estimate == pytest.approx(0.5)
    assert bootstrap_mean(groups, weighting="joint").estimate == pytest.approx(0.25)


def test_objects_not_joints_are_resampled():
    """Ten equal joints in an object carry the information of one."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=40)
    single = bootstrap_mean(list(values))
    tenfold = bootstrap_mean([[v] * 10 for v in values])
    assert (tenfold.low, tenfold.high) == pytest.approx((single.low, single.high))
    half = (single.high - single.low) / 2
    assert half == pytest.approx(1.96 * values.std() / math.sqrt(40), rel=0.1)


def test_same_seed_same_interval_and_chunks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(1)
    values = list(rng.normal(size=30))
    whole = bootstrap_mean(values)
    assert bootstrap_mean(values) == whole
    assert bootstrap_mean(values, seed=1) != whole
    monkeypatch.setattr(module, "CHUNK_NUMBERS", 900)
    assert bootstrap_mean(values) == whole


def test_paired_interval_cancels_what_objects_share():
    rng = np.random.default_rng(2)
    hard = rng.normal(scale=5, size=60)
    first, second = hard + 0.5 + rng.normal(scale=0.1, size=60), hard
    paired = bootstrap_difference(list(first), list(second))
    assert paired.estimate == pytest.approx((first - second).mean())
    assert paired.low > 0.4
    assert paired.high - paired.low < 0.1
    alone = bootstrap_mean(list(first))
    assert alone.high - alone.low > 1


@pytest.mark.parametrize("weighting", ["joint", "object"])
def test_paired_interval_is_over_the_objects_that_both_sides_score(weighting):
    """Appendix D: a method must not gain by having no value where objects are hard."""
    hard, nothing = [9.0, 9.0], [math.nan, math.nan]
    first = [[1.0, math.nan], nothing, [], [2.0]]
    second = [[1.0, 3.0], hard, hard, nothing]
    found = bootstrap_difference(first, second, weighting=weighting)
    assert found.estimate == found.low == found.high == -1.0
    assert (found.objects, found.values, found.undefined) == (1, 3, 5)
    assert math.isnan(bootstrap_difference([math.nan], [1.0]).estimate)


def test_coverage_is_near_the_level():
    rng = np.random.default_rng(4)
    hits = sum(
        (i := bootstrap_mean(list(rng.normal(size=50)), resamples=400)).low < 0 < i.high
        for _ in range(200)
    )
    assert 0.88 <= hits / 200 <= 0.99


def test_nothing_defined_is_nan():
    for groups in ([], [math.nan], [[], [math.nan]]):
        found = bootstrap_mean(groups)
        assert math.isnan(found.estimate)
        assert math.isnan(found.low)
        assert found.values == 0


def jackknife_acceleration(parts, statistic):
    """Return a by its definition, leaving out one object after the other."""
    kept = [[p for j, p in enumerate(parts) if j != k] for k in range(len(parts))]
    values = np.array([statistic(rest) for rest in kept])
    gaps = values.mean() - values
    return (gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5)


def bca_by_hand(parts, statistic, resamples, seed):
    """Return the interval by Efron's formulas with plain loops and scipy's normal distribution."""
    drawn = np.random.default_rng(seed).integers(0, len(parts), size=(resamples, len(parts)))
    draws = np.array([statistic([parts[k] for k in row]) for row in drawn])
    middle = statistic(parts)
    bias = norm.ppf(((draws < middle).mean() + (draws <= middle).mean()) / 2)
    skewness = jackknife_acceleration(parts, statistic)
    z = bias + norm.ppf([0.025, 0.975])
    return np.percentile(draws, 100 * norm.cdf(bias + z / (1 - skewness * z)))


@pytest.mark.parametrize("count", [8, 25, 120])
@pytest.mark.parametrize("seed", [0, 1])
def test_bca_of_a_plain_mean_is_scipy_s(count, seed):
    """Scipy is handed the same resampled means, so every digit must agree."""
    values = np.random.default_rng(seed).lognormal(size=count)
    found = bootstrap_mean(list(values), method="bca", resamples=2000, seed=7)
    plain = bootstrap_mean(list(values), resamples=2000, seed=7)
    drawn = np.random.default_rng(7).integers(0, count, size=(2000, count))
    given = BootstrapResult(None, values[drawn].mean(axis=1), 0.0)
    judge = stats.bootstrap(
        (values,), np.mean, n_resamples=0, bootstrap_result=given, method="BCa"
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((judge.low, judge.high), rel=1e-9)
    assert found.estimate == plain.estimate == pytest.approx(values.mean())
    assert (found.method, plain.method) == ("bca", "percentile")


@pytest.mark.parametrize("weighting", ["joint", "object"])
def test_bca_of_ratios_by_hand(weighting):
    """Objects with different numbers of joints are what is resampled and left out."""
    rng = np.random.default_rng(5)
    groups = [list(rng.lognormal(size=rng.integers(1, 6))) for _ in range(12)]
    groups[3][0] = math.nan

    def statistic(parts):
        clean = [[x for x in part if not math.isnan(x)] for part in parts]
        if weighting == "joint":
            return np.mean([x for part in clean for x in part])
        return np.mean([np.mean(part) for part in clean if part])

    groups[3].append(1.0)
    found = bootstrap_mean(groups, weighting=weighting, method="bca", resamples=800, seed=2)
    assert (found.low, found.high) == pytest.approx(tuple(bca_by_hand(groups, statistic, 800, 2)))


def test_bca_of_a_paired_difference_by_hand():
    rng = np.random.default_rng(6)
    pairs = [
        (list(rng.lognormal(size=rng.integers(1, 4))), list(rng.lognormal(size=2)))
        for _ in range(15)
    ]

    def statistic(parts):
        return np.mean(np.concatenate([a for a, _ in parts])) - np.mean(
            np.concatenate([b for _, b in parts])
        )

    first, second = zip(*pairs, strict=True)
    found = bootstrap_difference(first, second, method="bca", resamples=700, seed=4)
    assert found.estimate == pytest.approx(statistic(pairs))
    assert (found.low, found.high) == pytest.approx(tuple(bca_by_hand(pairs, statistic, 700, 4)))


@pytest.mark.parametrize("groups", [[0.3], [0.3] * 12, [[0.1, 0.1], [0.1]], [0.2, math.nan]])
def test_bca_of_equal_values_is_a_point(groups):
    found = bootstrap_mean(groups, method="bca", resamples=200)
    assert found.low == pytest.approx(found.estimate)
    assert found.high == pytest.approx(found.estimate)


def test_bca_stays_within_the_draws_for_one_extreme_object():
    values = [0.0] * 40 + [1e6]
    for level in (0.5, 0.95, 0.999999):
        found = bootstrap_mean(values, method="bca", level=level, resamples=500)
        assert 0 <= found.low <= found.high <= 1e6
    assert math.isnan(bootstrap_mean([], method="bca").low)


def test_coverage_of_skewed_errors_equals_the_documented_one():
    """Ten lognormal objects, the first row of docs/intervals.md, within four standard errors."""
    from benchmarks import intervals

    percentile, bca = intervals.covered(intervals.one_error, 10, replicates=800, resamples=500)
    noise = 4 * math.sqrt(0.82 * 0.18 / 800)
    assert percentile[0] == pytest.approx(0.807, abs=noise)
    assert bca[0] == pytest.approx(0.830, abs=noise)
    assert bca[0] > percentile[0] and bca[1] < percentile[1]


def test_too_few_objects_are_reported():
    values = list(np.random.default_rng(0).lognormal(size=29))
    few, enough = bootstrap_mean(values), bootstrap_mean([*values, 1.0], method="bca")
    assert few.is_from_few and "few objects, true coverage is lower" in str(few)
    assert not enough.is_from_few and "few" not in str(enough)
    assert "95 % bca, 30 objects, 30 values)" in str(enough)
    assert str(bootstrap_mean([math.nan])) == "undefined (no value is defined, 1 undefined)"


def test_bad_arguments_raise():
    with pytest.raises(ValueError, match="method"):
        bootstrap_mean([1.0], method="normal")
    with pytest.raises(ValueError, match="weighting"):
        bootstrap_mean([1.0], weighting="link")
    with pytest.raises(ValueError, match="level"):
        bootstrap_mean([1.0], level=95)
    with pytest.raises(ValueError, match="resamples"):
        bootstrap_mean([1.0], resamples=0)
    with pytest.raises(ValueError, match="must be equal"):
        bootstrap_difference([1.0], [1.0, 2.0])


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("infinite", [math.inf, -math.inf])
def test_infinite_values_are_refused_by_name(method, infinite):
    good, bad = [0.1, [0.2, 0.3], 0.4], [0.1, [0.2, math.nan, infinite], 0.4]
    message = rf"{infinite} for object 1 .* pass nan"
    with pytest.raises(ValueError, match="`groups` has " + message):
        bootstrap_mean(bad, method=method)
    for name, sides in (("first", (bad, good)), ("second", (good, bad))):
        with pytest.raises(ValueError, match=f"`{name}` has " + message):
            bootstrap_difference(*sides, method=method)
    counted = [0.1, [0.2, math.nan, math.nan], 0.4]
    assert bootstrap_mean(counted, method=method).undefined == 2
