# SPDX-License-Identifier: Apache-2.0
"""Batches of tree distances and nearest trees are what the one-pair functions give."""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from aa_dataset.errors import NormError, ShapeError, UnboundedRangeError
from aa_dataset.kinematics import Joint, KinematicTree
from aa_dataset.metric import (
    BodyNorms,
    PackedTrees,
    contract,
    nearest_objects,
    nearest_trees,
    relaxed_tree_distance,
    tree_distance,
    tree_distance_blocks,
    tree_distances,
)
from aa_dataset.metric._engine import has_numba
from aa_dataset.metric.tree import batch as batches
from aa_dataset.metric.tree import neighbors
from aa_dataset.metric.tree.relaxation import TreeBatch
from benchmarks.metric_trees import SHAPES, corrupted, knobs, random_tree
from tests.kit.metric_laws import both_norms

PI = math.pi
ENGINES = ("numpy", "numba") if has_numba() else ("numpy",)
needs_numba = pytest.mark.skipif(not has_numba(), reason="numba is not installed")


def library(seed=0, count=9):
    """Return trees of every kind: none, one joint, welds, wheels, repeated parts, many joints."""
    rng = np.random.default_rng(seed)
    stone = KinematicTree("stone", ("base",), ())
    weld = Joint("w", "fixed", [0, 0, 1], [0, 0, 0], parent="a", child="b")
    still = Joint("s", "revolute", [0, 0, 1], [0, 0, 0], 0.0, 0.0, parent="b", child="c")
    wheel = Joint("w", "continuous", [0, 0, 1], [0, 1, 0], parent="a", child="b")
    slide = Joint("s", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, math.inf, parent="b", child="c")
    out = [
        stone,
        KinematicTree("welded", ("a", "b", "c"), (weld, still)),
        KinematicTree("cart", ("a", "b"), (wheel,)),
        KinematicTree("rail", ("a", "b", "c"), (wheel, slide)),
        *knobs(3),
    ]
    for k in range(count):
        tree = random_tree(rng, 1 + k % 9, shape=SHAPES[k % 4], repeats=0.5)
        out += [tree, corrupted(rng, tree)]
    return [replace_name(tree, f"t{k}") for k, tree in enumerate(out)]


def replace_name(tree, name):
    return KinematicTree(name, tree.links, tree.joints)


def shuffled(tree, rng):
    """Return the same tree with its joints in another order."""
    order = rng.permutation(len(tree.joints))
    return KinematicTree(tree.name, tree.links, tuple(tree.joints[k] for k in order))


@functools.cache
def one_by_one(which):
    """Return single and relaxed distance of every two trees, for all engines to compare with."""
    options = {"norm": both_norms()[which], "compactify": PI}
    return {
        (i, j): (tree_distance(one, two, **options), relaxed_tree_distance(one, two, **options))
        for i, one in enumerate(library())
        for j, two in enumerate(library())
    }


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("which", [0, 1])
def test_batches_equal_the_one_pair_functions_to_the_last_digit(engine, which):
    trees, norm = library(), both_norms()[which]
    found = tree_distances(trees, trees, norm=norm, compactify=PI, engine=engine)
    exact = tree_distances(trees, trees, norm=norm, compactify=PI, engine=engine, exact=True)
    assert exact.proven.all()
    for place, (single, relaxed) in one_by_one(which).items():
        assert found.lower[place] == relaxed
        assert found.proven[place] == single.certified
        assert found.upper[place] == (relaxed if single.certified else math.inf)
        assert exact.lower[place] == exact.upper[place] == single.value


@pytest.mark.parametrize("engine", ENGINES)
def test_raw_prices_and_large_trees(engine):
    """Up to 120 joints, without compactification, joints that are equal or almost equal."""
    rng = np.random.default_rng(2)
    base = bounded(random_tree(rng, 120, shape="starlike", repeats=0.5))
    nudged = [replace(j, upper=j.upper + 1e-9 * rng.random()) for j in base.joints]
    trees = [
        base,
        shuffled(base, rng),
        KinematicTree("nudged", base.links, tuple(nudged)),
        bounded(random_tree(rng, 40, shape="random")),
        bounded(random_tree(rng, 1, shape="random")),
    ]
    found = tree_distances(trees, engine=engine)
    for i, one in enumerate(trees):
        for j in range(i, len(trees)):
            assert found.lower[i, j] == relaxed_tree_distance(one, trees[j])
    assert found.lower[0, 1] == 0.0
    assert 0 < found.lower[0, 2] < 1e-5


def bounded(tree):
    joints = [replace(j, lower=0.0, upper=1.0) if math.isinf(j.upper) else j for j in tree.joints]
    joints = [replace(j, type="revolute") if j.type.value == "continuous" else j for j in joints]
    joints = [replace(j, lower=0.0, upper=1.0) if math.isinf(j.upper) else j for j in joints]
    return KinematicTree(tree.name, tree.links, tuple(joints))


def test_one_library_against_itself_is_symmetric_with_zeros_on_its_diagonal():
    trees = library(1)
    found = tree_distances(trees, compactify=PI, exact=True)
    assert (found.lower == found.lower.T).all()
    assert (found.upper == found.upper.T).all()
    assert (np.diagonal(found.upper) == 0).all()
    both = tree_distances(trees, trees, compactify=PI, exact=True)
    assert np.allclose(found.lower, both.lower, rtol=1e-12, atol=1e-12)


def test_pairs_blocks_and_outputs_are_parts_of_the_matrix(tmp_path, monkeypatch):
    trees = PackedTrees.of(library(2))
    whole = tree_distances(trees, compactify=PI)
    monkeypatch.setattr(batches, "BLOCK_PAIRS", 100)
    rng = np.random.default_rng(0)
    pairs = np.sort(rng.integers(0, len(trees), (250, 2)), axis=1)
    some = tree_distances(trees, pairs=pairs, compactify=PI)
    assert (some.lower == whole.lower[tuple(pairs.T)]).all()
    assert (some.upper == whole.upper[tuple(pairs.T)]).all()
    shape = (len(trees), len(trees))
    maps = tuple(
        np.memmap(tmp_path / name, dtype=np.float64, mode="w+", shape=shape) for name in "ab"
    )
    mapped = tree_distances(trees, compactify=PI, out=maps)
    assert mapped.lower is maps[0]
    assert (maps[0] == whole.lower).all() and (maps[1] == whole.upper).all()
    seen = np.zeros(shape, dtype=int)
    for rows, columns, block in tree_distance_blocks(trees, compactify=PI):
        assert (block.lower == whole.lower[rows, columns]).all()
        assert block.lower.size <= max(100, len(trees))
        seen[rows, columns] += 1
    assert (np.triu(seen) == np.triu(np.ones(shape))).all()
    assert sum(1 for _ in tree_distance_blocks(trees, trees, compactify=PI)) > 5


@needs_numba
def test_workers_and_engines_change_nothing():
    trees = PackedTrees.of(library(3, count=8))
    results = [
        tree_distances(trees, compactify=PI, exact=True, workers=workers, engine=engine)
        for workers, engine in ((1, "numpy"), (3, "numba"))
    ]
    rankings = [
        nearest_trees(trees, k=4, compactify=PI, workers=workers, engine=engine)
        for workers, engine in ((1, "numpy"), (2, "numba"))
    ]
    assert (results[1].lower == results[0].lower).all()
    assert (results[1].upper == results[0].upper).all()
    assert rankings[0] == rankings[1]


def test_a_spent_budget_leaves_certified_bounds_apart():
    rng = np.random.default_rng(5)
    trees = [random_tree(rng, 12, shape="caterpillar") for _ in range(4)]
    short = tree_distances(trees, compactify=PI, exact=True, budget=0)
    exact = tree_distances(trees, compactify=PI, exact=True)
    assert exact.proven.all() and not short.proven.all()
    assert (short.lower <= exact.lower * (1 + 1e-12)).all()
    assert (short.upper >= exact.lower * (1 - 1e-12)).all()
    assert np.isfinite(short.upper).all()
    limited = nearest_trees(trees, k=3, compactify=PI, budget=0)
    assert not all(neighbor.exact for ranking in limited for neighbor in ranking)


@needs_numba
@pytest.mark.parametrize("seed", range(4))
def test_assignment_breaks_ties_as_scipy_does(seed):
    """Certificates hang on it: few different weights, zeros, repeated rows and columns."""
    from aa_dataset.metric import _compiled_trees

    rng = np.random.default_rng(seed)
    for trial in range(400):
        n, m = rng.integers(1, 40 if trial % 20 == 0 else 8, 2).tolist()
        weights = np.round(rng.random((n, m)) * rng.integers(1, 6)) / 3
        weights = weights[rng.integers(0, n, n)][:, rng.integers(0, m, m)]
        weights = np.ascontiguousarray(weights if trial % 2 else weights + rng.random((n, m)))
        partner = np.full(n, -1, dtype=np.int64)
        room = np.empty(n * m + 3 * max(n, m)), np.empty((6, max(n, m)), dtype=np.int64)
        _compiled_trees.assign(weights, partner, *room)
        rows, columns = linear_sum_assignment(weights, maximize=True)
        expected = np.full(n, -1)
        expected[rows] = columns
        assert (partner == expected).all()
        if min(n, m) == 1:
            _compiled_trees._assign_single(weights, partner)
            assert (partner == expected).all()


def test_packed_trees_know_who_hangs_below_whom():
    trees = library(4)
    packed = PackedTrees.of(trees)
    assert len(packed) == len(trees)
    assert packed.largest == max(len(contract(tree)) for tree in trees)
    for k, tree in enumerate(trees):
        skeleton = contract(tree)
        below, parents = packed.shape_of(k)
        assert (below == skeleton.below).all()
        assert parents == skeleton.parents
        assert packed.joints.names[packed.rows(k)] == skeleton.names
    assert len(PackedTrees.of([])) == 0
    assert tree_distances([], compactify=PI).lower.shape == (0, 0)
    assert tree_distances(trees[:2], [], compactify=PI).lower.shape == (2, 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_nearest_trees_are_those_of_brute_force(engine):
    trees = library(6, count=12)
    exact = tree_distances(trees, compactify=PI, exact=True)
    assert exact.proven.all()
    for k in (1, 5, len(trees) + 3):
        found = nearest_trees(trees, k=k, compactify=PI, engine=engine)
        for i, ranking in enumerate(found):
            others = [j for j in range(len(trees)) if j != i]
            order = sorted(others, key=lambda j, i=i: (exact.lower[min(i, j), max(i, j)], j))[:k]
            assert [n.index for n in ranking] == order
            assert [n.distance for n in ranking] == [exact.lower[i, j] for j in order]
            assert all(n.exact and n.name == trees[n.index].name for n in ranking)


def test_queries_from_outside_and_their_pivots(monkeypatch):
    """Many queries use pivots and the triangle inequality, a single one does not: same answer."""
    trees, queries = library(7), library(8, count=6)
    each = [[tree_distance(q, t, compactify=PI).value for t in trees] for q in queries]
    found = nearest_trees(trees, queries, k=4, compactify=PI)
    assert len(queries) >= neighbors.FEW_QUERIES
    for row, ranking, query in zip(each, found, queries, strict=True):
        order = sorted(range(len(trees)), key=lambda j, row=row: (row[j], j))[:4]
        assert [n.index for n in ranking] == order
        assert [n.distance for n in ranking] == [row[j] for j in order]
        assert nearest_objects(query, trees, k=4, compactify=PI) == ranking
    monkeypatch.setattr(neighbors, "MOST_PIVOTS", 0)
    assert nearest_trees(trees, queries, k=4, compactify=PI) == found


def test_the_triangle_inequality_saves_searches(monkeypatch):
    """The same joints in two orders of a chain: relaxation 0, and what is far from one copy of a
    chain is far from all its copies.
    """
    rng = np.random.default_rng(0)
    joints = random_tree(rng, 5, shape="chain", repeats=0.0).joints

    def chain(order, name):
        links = tuple(f"l{k}" for k in range(len(order) + 1))
        edges = [
            replace(joints[j], name=f"j{k}", parent=links[k], child=links[k + 1])
            for k, j in enumerate(order)
        ]
        return KinematicTree(name, links, tuple(edges))

    orders = ((0, 1, 2, 3, 4), (1, 3, 0, 4, 2))
    trees = [chain(orders[k % 2], f"c{k}") for k in range(16)]
    counts, search = [], TreeBatch.search

    def counted(self, *args, **options):
        counts[-1] += 1
        return search(self, *args, **options)

    monkeypatch.setattr(TreeBatch, "search", counted)
    rankings = []
    for pivots in (0, 128):
        monkeypatch.setattr(neighbors, "MOST_PIVOTS", pivots)
        counts.append(0)
        rankings.append(nearest_trees(trees, k=3, compactify=PI))
    assert rankings[0] == rankings[1]
    assert all(n.distance == 0 for ranking in rankings[0] for n in ranking)
    assert counts[1] < counts[0] / 4


def test_equal_objects_are_ranked_by_position():
    rng = np.random.default_rng(3)
    tree = random_tree(rng, 6, shape="random")
    trees = [replace_name(shuffled(tree, rng), f"s{k}") for k in range(6)]
    for ranking in nearest_trees(trees, k=3, compactify=PI):
        assert [n.distance for n in ranking] == [0.0, 0.0, 0.0]
        assert [n.index for n in ranking] == sorted(n.index for n in ranking)


def test_wrong_arguments_are_sentences():
    trees = library(9, count=2)
    with pytest.raises(NormError, match="one norm for all"):
        tree_distances(trees, norm=BodyNorms(), compactify=PI)
    with pytest.raises(NormError, match="one norm for all"):
        nearest_trees(trees, norm=list(both_norms()), compactify=PI)
    with pytest.raises(UnboundedRangeError):
        tree_distances(trees)
    with pytest.raises(ValueError, match="out of range"):
        tree_distances(trees, pairs=[(0, len(trees))], compactify=PI)
    with pytest.raises(ValueError, match="workers"):
        tree_distances(trees, workers=0, compactify=PI)
    with pytest.raises(ValueError, match="engine"):
        tree_distances(trees, engine="fortran", compactify=PI)
    with pytest.raises(ShapeError, match="out"):
        tree_distances(trees, compactify=PI, out=(np.empty(3), np.empty(3)))
    for wrong in ({"k": 0}, {"workers": 0}):
        with pytest.raises(ValueError, match="at least one"):
            nearest_trees(trees, compactify=PI, **wrong)
