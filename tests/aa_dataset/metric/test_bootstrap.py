# SPDX-License-Identifier: Apache-2.0
"""Intervals with the object as the unit."""

import math

import numpy as np
import pytest

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


def test_bad_arguments_raise():
    with pytest.raises(ValueError, match="weighting"):
        bootstrap_mean([1.0], weighting="link")
    with pytest.raises(ValueError, match="level"):
        bootstrap_mean([1.0], level=95)
    with pytest.raises(ValueError, match="resamples"):
        bootstrap_mean([1.0], resamples=0)
    with pytest.raises(ValueError, match="paired"):
        bootstrap_difference([1.0], [1.0, 2.0])
