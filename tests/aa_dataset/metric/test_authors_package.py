# SPDX-License-Identifier: Apache-2.0
"""Ours against `articulatearena`, the package of the paper's authors: every quantity of both."""

from dataclasses import replace

import articulatearena as authors
import numpy as np
import pytest

from aa_dataset.kinematics import Joint
from aa_dataset.metric import SplitNorm, joint_distance, pairwise_distance, tree_distance
from benchmarks.authors_cases import joint_pairs, tree_pairs
from benchmarks.authors_equality import (
    KAPPA,
    component_equalities,
    difference,
    joint_equalities,
    tree_equalities,
)
from tests.kit.metric_references import precise_distance

LIMIT = 1e-9


@pytest.fixture(
    scope="module",
    params=[2_000, pytest.param(10_000, marks=pytest.mark.slow)],  # the second repeats the first
)
def pairs(request):
    return joint_pairs(np.random.default_rng(20260911), request.param)


def assert_equal(rows, least):
    rows = list(rows)
    assert min(row.count for row in rows) >= least
    assert [row for row in rows if not row.largest <= LIMIT] == []


def test_thousands_of_pairs_of_joints(pairs):
    kinds = {joint.type for pair in pairs for joint in pair.both}
    assert kinds == {"fixed", "revolute", "continuous", "prismatic", "helical"}
    assert_equal(joint_equalities(np.random.default_rng(1), pairs), 7 * len(pairs) // 10)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # infinite ranges, in theirs
def test_component_scores(pairs):
    assert_equal(component_equalities(pairs), len(pairs))


def test_five_hundred_pairs_of_trees():
    rng = np.random.default_rng(3)
    trees = tree_pairs(rng, 500, most=6)
    results = [tree_distance(p.first, p.second, compactify=KAPPA) for p in trees]
    searched = sum(not result.certified for result in results)
    assert searched >= 50, "too few pairs on which the search decides"
    assert_equal(tree_equalities(rng, trees), 300)


@pytest.mark.slow
def test_larger_trees():
    rng = np.random.default_rng(4)
    assert_equal(tree_equalities(rng, tree_pairs(rng, 24, least=6, most=7)), 12)


def test_a_difference_is_seen():
    assert difference(1.0 + 1e-6, 1.0) == pytest.approx(1e-6)
    assert difference([1.0, np.nan], [1.0, np.nan]) == 0.0
    assert difference(np.nan, 1.0) == np.inf
    assert difference(np.inf, -np.inf) == np.inf
    assert difference(1e-300, 0.0) == np.inf


def test_digits_of_nearly_equal_joints():
    """Joints 1e-10 apart: their subtraction of rounded endpoints leaves about six digits."""
    rng, norm = np.random.default_rng(5), authors.make_split_norm(1.0)
    ours, theirs = [], []
    for _ in range(40):
        first = Joint("a", "revolute", rng.normal(size=3), rng.normal(size=3), 0.3, 1.7)
        second = replace(first, origin=first.origin + 1e-10 * rng.normal(size=3))
        exact = precise_distance(first, second, SplitNorm())
        pairs = [authors.make_endpoint_pair(j.screw, *j.limits) for j in (first, second)]
        value = authors.joint_metric(*(z.data for p in pairs for z in (p.u, p.v)), norm)
        ours.append(abs(float(joint_distance(first, second) / exact - 1)))
        theirs.append(abs(float(value / exact - 1)))
    assert max(ours) < 1e-12
    assert 1e-8 < max(theirs) < 1e-4


def test_all_pairs_take_their_joints(pairs):
    some = [pair for pair in pairs if pair.bounded][:40]
    ours = pairwise_distance([p.first for p in some], [p.second for p in some])
    mixed = pairwise_distance([p.theirs[0] for p in some], [p.second for p in some])
    np.testing.assert_allclose(mixed, ours, rtol=1e-9)
