# SPDX-License-Identifier: Apache-2.0
"""The work of a search is counted: engines, clocks and repetitions change nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from aa_dataset.metric import KineticNorm, _engine, constant_penalty_distance, tree_distance
from aa_dataset.metric.tree import DEFAULT_BUDGET, choice
from aa_dataset.metric.tree.bounds import block_bounds
from aa_dataset.metric.tree.problem import Problem
from aa_dataset.metric.tree.skeleton import contract
from aa_dataset.metric.tree.work import Meter, StoppedError
from benchmarks.metric_trees import SHAPES, corrupted, knobs, random_tree

PI = math.pi
needs_numba = pytest.mark.skipif(not _engine.has_numba(), reason="numba is not installed")


def pairs():
    """Yield related and unrelated trees, with repeated parts."""
    for seed, shape in enumerate(SHAPES):
        rng = np.random.default_rng([seed, 5])
        tree = random_tree(rng, 9, shape=shape, repeats=0.5)
        yield tree, corrupted(rng, tree)
        yield tree, random_tree(rng, 8, shape=shape, repeats=0.5)
    yield knobs(5)


@needs_numba
@pytest.mark.parametrize("budget", [0, 40_000, 200_000, DEFAULT_BUDGET])
def test_engines_give_the_same_result_to_the_last_digit(budget):
    """Value, bounds, proof, matching, script, stage and work: the whole result is compared."""
    for one, two in pairs():
        results = [
            tree_distance(one, two, compactify=PI, engine=engine, budget=budget)
            for engine in ("numpy", "numba")
        ]
        assert results[0] == results[1]


@needs_numba
def test_auto_gives_the_same_result_where_numba_is_missing(monkeypatch):
    rng = np.random.default_rng(4)
    one = random_tree(rng, 24, shape="random", repeats=0.4)
    two = corrupted(rng, one)
    with_numba = tree_distance(one, two, compactify=PI)
    monkeypatch.setattr(_engine, "has_numba", lambda: False)
    assert tree_distance(one, two, compactify=PI) == with_numba


@needs_numba
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (9, 1), (12, 30), (25, 8)])
def test_bounds_are_equal_to_the_last_digit(size):
    from aa_dataset.metric import _compiled_trees

    rng = np.random.default_rng(sum(size))
    one, two = (contract(random_tree(rng, count, shape="random")) for count in size)
    weights = rng.random(size) * (rng.random(size) < 0.8)
    alive = rng.random((*size, 2)) < 0.7
    shapes = (one.below, two.below, one.parents, two.parents)
    slow = block_bounds(Problem(weights, *shapes), alive)
    fast = block_bounds(Problem(weights, *shapes, _compiled_trees), alive)
    assert all((a == b).all() for a, b in zip(slow, fast, strict=True))


def test_the_same_search_takes_the_same_work_and_no_less_is_enough():
    """A budget of exactly the work changes nothing; one step less, and nothing is proven."""
    stages = set()
    for one, two in pairs():
        found = tree_distance(one, two, compactify=PI)
        assert found.exact and found.budget == DEFAULT_BUDGET
        again = tree_distance(one, two, compactify=PI, budget=found.work)
        assert again == replace(found, budget=found.work)
        if found.stage in ("filter", "branch and bound", "antichain program"):
            stages.add(found.stage)
            short = tree_distance(one, two, compactify=PI, budget=found.work - 1)
            assert not short.exact and short.work < found.work
            assert short.lower <= found.value <= short.upper
    assert len(stages) >= 2


def test_work_stays_within_the_budget_but_for_the_first_matching():
    for one, two in pairs():
        first = tree_distance(one, two, compactify=PI, budget=0).work
        for budget in (10_000, 100_000, 1_000_000):
            assert tree_distance(one, two, compactify=PI, budget=budget).work <= max(first, budget)


def test_a_wall_limit_is_written_into_the_result():
    rng = np.random.default_rng(3)
    one, two = (random_tree(rng, 12, shape="caterpillar") for _ in range(2))
    free = tree_distance(one, two, compactify=PI)
    assert free.time_limit is None and not free.timed_out
    struck = tree_distance(one, two, compactify=PI, time_limit=0.0)
    assert struck.time_limit == 0.0 and struck.timed_out and not struck.exact
    assert "stopped by the time limit" in str(struck)
    wide = tree_distance(one, two, compactify=PI, time_limit=1e9)
    assert wide == replace(free, time_limit=1e9)
    flat = constant_penalty_distance(one, two, penalty=1.0, compactify=PI, time_limit=0.0)
    assert flat.timed_out


@pytest.mark.parametrize("wrong", [{"budget": -1}, {"budget": 1.5}, {"time_limit": -1.0}])
def test_wrong_limits_are_sentences(wrong):
    one, two = knobs(2)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        tree_distance(one, two, compactify=PI, **wrong)


def five_cycle():
    """Return gains and cuts whose best fractional choice takes half of everything."""
    cuts = np.zeros((5, 5))
    for k in range(5):
        cuts[k, [k, (k + 1) % 5]] = 1.0
    return np.ones(5), csr_array(cuts), (np.zeros(5), np.ones(5))


def test_a_linear_program_that_meets_its_limit_proves_nothing():
    """HiGHS has a count of iterations, paid by the budget; running into it stops the program."""
    gain, cuts, limits = five_cycle()
    free = Meter()
    values = choice._optimize(gain, cuts, limits, free)
    assert values == pytest.approx(np.full(5, 0.5))
    enough = Meter(budget=free.work)
    assert (choice._optimize(gain, cuts, limits, enough) == values).all()
    assert enough.work == free.work
    for short in (0, free.work - 1):
        with pytest.raises(StoppedError):
            choice._optimize(gain, cuts, limits, Meter(budget=short))
    late = Meter(time_limit=0.0)
    with pytest.raises(StoppedError):
        choice._optimize(gain, cuts, limits, late)
    assert late.timed_out


def test_turns_of_the_programs_change_no_value(monkeypatch):
    """Stopping the antichain program for branch and bound, or the other way, is only an order."""
    from aa_dataset.metric.tree import search

    for one, two in pairs():
        found = tree_distance(one, two, compactify=PI)
        monkeypatch.setattr(search, "FIRST_NODES", 1)
        for turns in ((), (1,), (200_000, 1)):
            monkeypatch.setattr(search, "TURNS", turns)
            other = tree_distance(one, two, compactify=PI)
            assert other.exact
            assert other.value == pytest.approx(found.value, rel=1e-12)
        monkeypatch.undo()


def test_a_search_that_may_stop_early_does_so_only_when_it_may():
    from aa_dataset.metric import PackedTrees
    from aa_dataset.metric.tree.relaxation import TreeBatch

    for one, two in pairs():
        value = tree_distance(one, two, compactify=PI).value
        library = PackedTrees.of([one, two])
        batch = TreeBatch(library, library, compactify=PI)
        assert batch.search(0, 1, enough=1.001 * value) == (value, value)
        lower, upper = batch.search(0, 1, enough=0.5 * value)
        assert (lower, upper) == (value, value) or (0.5 * value < lower <= value < upper)


def test_bodies_price_the_same_in_both_engines():
    from aa_dataset.kinematics import KinematicTree, RigidBody
    from aa_dataset.metric import BodyNorms
    from tests.kit.metric_laws import sample_joints

    body = RigidBody(2.0, np.array([0.4, -0.3, 0.2]), np.diag([0.5, 0.6, 0.9]))
    edges = [
        replace(joint, parent=f"l{k // 2}", child=f"l{k + 1}", body=body)
        for k, joint in enumerate(sample_joints(6))
    ]
    tree = KinematicTree("t", tuple(f"l{k}" for k in range(7)), tuple(edges))
    other = KinematicTree("o", tree.links, tuple(replace(j, upper=j.upper + 0.1) for j in edges))
    engines = ("numpy", "numba") if _engine.has_numba() else ("numpy",)
    for norm in (BodyNorms(), KineticNorm(body)):
        results = [tree_distance(other, tree, norm=norm, engine=engine) for engine in engines]
        assert results[0] == results[-1]
