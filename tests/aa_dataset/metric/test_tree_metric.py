# SPDX-License-Identifier: Apache-2.0
"""Appendix B.5: the tree edit metric against brute force, its laws, its honesty."""

import itertools
import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aa_dataset.kinematics import Joint, KinematicTree
from aa_dataset.metric import (
    KineticNorm,
    SplitNorm,
    constant_penalty_distance,
    contract,
    fixed_skeleton_distance,
    joint_distance,
    motion_size,
    tree_distance,
)
from aa_dataset.metric._engine import has_numba
from aa_dataset.metric.tree.problem import Problem, is_admissible
from aa_dataset.metric.tree.search import heaviest_matching
from benchmarks.metric_trees import SHAPES, corrupted, knobs, random_tree
from tests.kit import metric_references as reference
from tests.kit.metric_strategies import bodies, bounded_joints, joints, norms, scales, trees

ENGINES = ("numpy", "numba") if has_numba() else ("numpy",)
PI = math.pi


def star_and_chain(motions):
    """Return the same joints hung side by side and one below the other."""
    count = len(motions)
    links = tuple(f"l{k}" for k in range(count + 1))
    star = [replace(j, name=f"s{k}", parent="l0", child=f"l{k + 1}") for k, j in enumerate(motions)]
    chain = [
        replace(j, name=f"c{k}", parent=f"l{k}", child=f"l{k + 1}") for k, j in enumerate(motions)
    ]
    return KinematicTree("star", links, tuple(star)), KinematicTree("chain", links, tuple(chain))


def rerooted(tree, root):
    """Return the same joints in the same frame with another base link."""
    neighbors = {link: [] for link in tree.links}
    for joint in tree.joints:
        neighbors[joint.parent].append((joint.child, joint))
        neighbors[joint.child].append((joint.parent, joint.reversed()))
    edges, seen, queue = [], {root}, [root]
    for link in queue:
        for other, joint in neighbors[link]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
                edges.append(replace(joint, parent=link, child=other))
    return KinematicTree(tree.name, tree.links, tuple(edges))


@settings(max_examples=35)
@given(trees(most=4, name="a"), trees(most=4, name="b"), norms)
def test_equals_brute_force_over_all_partial_matchings(first, second, norm):
    expected = reference.tree_distance(first, second, norm)
    for engine in ENGINES:
        found = tree_distance(first, second, norm=norm, engine=engine)
        assert found.exact
        assert found.value == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert found.lower == found.upper == found.value
        assert found.relaxed <= found.value


@pytest.mark.parametrize("seed", range(24))
def test_equals_brute_force_on_repeated_parts(seed):
    """Ties are the rule in real objects: equal drawers have equal twists wherever they are."""
    rng = np.random.default_rng(seed)
    first = random_tree(rng, int(rng.integers(2, 5)), shape=SHAPES[seed % 4], repeats=0.7)
    second = corrupted(rng, first) if seed % 2 else random_tree(rng, 4, shape="random", repeats=0.7)
    if max(len(contract(first)), len(contract(second))) > 5:
        second = random_tree(rng, 4, shape="random", repeats=0.7)
    expected = reference.tree_distance(first, second, SplitNorm(), PI)
    for engine in ENGINES:
        found = tree_distance(first, second, compactify=PI, engine=engine)
        assert found.exact
        assert found.value == pytest.approx(expected, rel=1e-9, abs=1e-9)


SIX_EDGE_SEEDS = [*range(8), *(pytest.param(k, marks=pytest.mark.slow) for k in range(8, 80))]


@pytest.mark.parametrize("seed", SIX_EDGE_SEEDS)
def test_equals_brute_force_on_six_edges(seed):
    rng = np.random.default_rng(1000 + seed)
    first = random_tree(rng, 6, shape=SHAPES[seed % 4], repeats=0.4)
    second = random_tree(rng, 6, shape=SHAPES[(seed // 4) % 4], repeats=0.4)
    expected = reference.tree_distance(first, second, SplitNorm(), PI)
    assert tree_distance(first, second, compactify=PI).value == pytest.approx(expected, rel=1e-9)


@settings(max_examples=40)
@given(trees(most=5, name="a"), trees(most=5, name="b"), st.randoms(use_true_random=False))
def test_realizability_is_contraction_to_isomorphic_trees(first, second, random):
    """The test by votes agrees with contracting the trees and comparing them (claim F1, F2)."""
    one, two = contract(first), contract(second)
    edges1, _ = reference.tree_edges(first)
    edges2, _ = reference.tree_edges(second)
    weights = np.ones((len(one), len(two)))
    problem = Problem(weights, one.below, two.below, one.parents, two.parents)
    every = list(reference.partial_matchings(len(one), len(two)))
    for matching in random.sample(every, min(60, len(every))):
        rows = np.array([i for i, _ in matching], dtype=int)
        columns = np.array([j for _, j in matching], dtype=int)
        direct = reference.is_realizable(edges1, edges2, matching)
        assert is_admissible(problem, (rows, columns)) == direct
        assert direct == _isomorphic(edges1, edges2, matching)


def _isomorphic(edges1, edges2, matching):
    """Contract with networkx and ask it for an isomorphism that keeps edge labels."""
    graphs = []
    for edges, side in ((edges1, 0), (edges2, 1)):
        labels = {pair[side]: k for k, pair in enumerate(matching)}
        graph = nx.Graph()
        graph.add_nodes_from({v for edge in edges for v in edge})
        graph.add_edges_from((a, b, {"label": labels.get(k)}) for k, (a, b) in enumerate(edges))
        for k, (a, b) in enumerate(edges):
            if k not in labels:
                home = next(v for v in graph if a in graph.nodes[v].get("held", {v}))
                away = next(v for v in graph if b in graph.nodes[v].get("held", {v}))
                held = graph.nodes[home].get("held", {home}) | graph.nodes[away].get("held", {away})
                graph = nx.contracted_nodes(graph, home, away, self_loops=False, copy=True)
                graph.nodes[home]["held"] = held
        graphs.append(graph)
    if not matching:
        return True
    return nx.is_isomorphic(*graphs, edge_match=lambda x, y: x["label"] == y["label"])


@settings(max_examples=25)
@given(trees(most=3, name="a"), trees(most=3, name="b"), trees(most=3, name="c"), norms)
def test_theorem_tree_metric_axioms(first, second, third, norm):
    def d(x, y):
        return tree_distance(x, y, norm=norm).value

    assert d(first, first) == pytest.approx(0, abs=1e-12)
    assert d(first, second) >= 0
    assert d(first, second) == pytest.approx(d(second, first), rel=1e-9, abs=1e-12)
    assert d(first, third) <= (d(first, second) + d(second, third)) * (1 + 1e-9) + 1e-9


@settings(max_examples=25)
@given(trees(most=5, joint_strategy=joints(), name="a"), scales, st.randoms(use_true_random=False))
def test_theorem_tree_metric_zero_on_representation_equivalent_trees(tree, scale, random):
    """Names, base link, joint order, orientation and welded handles do not matter."""
    other = rerooted(tree, random.choice(tree.links))
    joints_ = [replace(j, name=f"n{k}") for k, j in enumerate(other.joints)]
    links, handle = list(other.links), f"handle{len(other.links)}"
    weld = Joint("weld", "fixed", [0, 0, 1], [0, 0, 0], parent=random.choice(links), child=handle)
    still = Joint("still", "revolute", [1, 0, 0], [1, 2, 3], 0.0, 0.0, parent=handle, child="tip")
    random.shuffle(joints_)
    same = KinematicTree("same", (*links, handle, "tip"), (*joints_, weld, still))
    found = tree_distance(tree, same, compactify=scale)
    assert found.exact
    assert found.value == pytest.approx(0, abs=1e-9)


@settings(max_examples=40)
@given(trees(most=4, name="a"), bounded_joints(), st.randoms(use_true_random=False))
def test_theorem_tree_metric_positive_on_different_trees(tree, extra, random):
    """One more moving joint is at the distance of its own motion, wherever it hangs."""
    assume(motion_size(extra) > 1e-6)
    grown = KinematicTree(
        "grown",
        (*tree.links, "new"),
        (*tree.joints, replace(extra, name="x", parent=random.choice(tree.links), child="new")),
    )
    assert tree_distance(tree, grown).value == pytest.approx(motion_size(extra), rel=1e-9)


@given(bounded_joints(), bounded_joints(), norms)
def test_proposition_no_shortcut(first, second, norm):
    total = motion_size([first, second], norm=norm).sum()
    assert joint_distance(first, second, norm=norm) <= total * (1 + 1e-12)


@given(bounded_joints(), bounded_joints(), norms)
def test_one_joint_trees_are_at_the_joint_distance(first, second, norm):
    def single(joint):
        moved = replace(joint, name="j", parent="a", child="b")
        return KinematicTree("one", ("a", "b"), (moved,))

    expected = joint_distance(first, second, norm=norm)
    found = tree_distance(single(first), single(second), norm=norm).value
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(max_examples=25)
@given(trees(most=4, name="a"), norms)
def test_remark_fixed_boundary_continuity_at_the_tree_level(tree, norm):
    assume(len(tree.joints) > 0)
    screw = replace(tree.joints[0], lower=0.0, upper=1.0)
    sizes = []
    for reach in (1e-1, 1e-4, 1e-8, 0.0):
        edges = (replace(screw, upper=reach), *tree.joints[1:])
        welded = (replace(screw, upper=0.0), *tree.joints[1:])
        one, two = (KinematicTree("t", tree.links, e) for e in (edges, welded))
        found = tree_distance(one, two, norm=norm).value
        assert found <= reach * reference.size(screw.screw, norm) * (1 + 1e-9) + 1e-12
        sizes.append(found)
    assert sizes[-1] == pytest.approx(0, abs=1e-12)
    flat = constant_penalty_distance(one, two, penalty=1.0)
    jump = KinematicTree("t", tree.links, (replace(screw, upper=1e-8), *tree.joints[1:]))
    assert flat.value == pytest.approx(0, abs=1e-12)
    assert constant_penalty_distance(jump, two, penalty=1.0).value == pytest.approx(1, abs=1e-6)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(bounded_joints(), bounded_joints(), bounded_joints(), bodies()), max_size=4)
)
def test_theorem_fixed_skeleton(rows):
    bodies_ = [KineticNorm(row[3]) for row in rows]
    a, b, c = ([row[k] for row in rows] for k in range(3))

    def d(x, y):
        return fixed_skeleton_distance(x, y, norms=bodies_)

    assert d(a, a) == 0
    assert d(a, b) == pytest.approx(d(b, a), rel=1e-9)
    assert d(a, c) <= (d(a, b) + d(b, c)) * (1 + 1e-9) + 1e-12
    each = [joint_distance(x, y, norm=n) for x, y, n in zip(a, b, bodies_, strict=True)]
    assert d(a, b) == pytest.approx(math.sqrt(math.fsum(e * e for e in each)))
    if rows:
        turned = [joint.reversed() for joint in a]
        assert d(a, turned) == 0


@pytest.mark.parametrize("count", [2, 3, 5, 8, 12])
@pytest.mark.parametrize("swap", [False, True])
def test_knobs_on_the_body(count, swap):
    """Relaxation 0, exact 2k min(u_drawer, u_knob): one edge per leg has to go."""
    first, second = knobs(count)[:: -1 if swap else 1]
    sizes = motion_size(contract(first).array, compactify=PI)
    found = tree_distance(first, second, compactify=PI)
    assert found.exact
    assert found.relaxed == pytest.approx(0, abs=1e-9)
    assert not found.certified
    assert found.value == pytest.approx(2 * count * sizes.min(), rel=1e-9)


def test_relaxation_is_not_exact_where_the_trees_disagree():
    """Four different joints in another chain order: matching all is free but cannot be realized."""
    rng = np.random.default_rng(0)
    motions = list(random_tree(rng, 4, shape="star", repeats=0.0).movable)
    _, chain = star_and_chain(motions)
    _, other = star_and_chain([motions[k] for k in (1, 3, 0, 2)])
    found = tree_distance(chain, other, compactify=PI)
    assert found.relaxed == pytest.approx(0, abs=1e-12)
    assert found.value == pytest.approx(
        reference.tree_distance(chain, other, SplitNorm(), PI), rel=1e-9
    )
    assert found.value > 0.1
    assert found.exact
    assert not found.certified


@pytest.mark.parametrize("seed", range(8))
def test_ties_are_recovered_for_every_choice_of_the_solver(seed):
    """Equal drawers, shuffled: distance 0 although the assignment may cross them."""
    rng = np.random.default_rng(seed)
    drawer = Joint("d", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.4)
    knob = Joint("k", "revolute", [1, 0, 0], [0, 0, 0], -1.0, 1.0)

    def chest():
        edges, links = [], ["body"]
        for k in rng.permutation(6):
            links += [f"d{k}", f"k{k}"]
            edges.append(replace(drawer, name=f"slide{k}", parent="body", child=f"d{k}"))
            edges.append(replace(knob, name=f"turn{k}", parent=f"d{k}", child=f"k{k}"))
        order = rng.permutation(len(edges))
        return KinematicTree("chest", tuple(links), tuple(edges[k] for k in order))

    found = tree_distance(chest(), chest())
    assert found.exact
    assert found.value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [12, 20])
def test_engines_and_argument_orders_agree_on_larger_trees(shape, count):
    rng = np.random.default_rng(count)
    for kind in ("corrupted", "unrelated"):
        first = random_tree(rng, count if kind == "corrupted" else 9, shape=shape)
        second = corrupted(rng, first) if kind == "corrupted" else random_tree(rng, 9, shape=shape)
        results = [tree_distance(first, second, compactify=PI, engine=e) for e in ENGINES]
        results.append(tree_distance(second, first, compactify=PI))
        assert all(r.exact for r in results)
        for result in results[1:]:
            assert result.value == pytest.approx(results[0].value, rel=1e-9)


@pytest.mark.parametrize("edit", ["spurious leaf", "missing", "split", "range"])
def test_figure_5_structured_sweeps_are_exact_by_the_relaxation(edit):
    """On every structured sweep the exact and the relaxed value agree (appendix B.5)."""
    rng = np.random.default_rng(6)
    for _ in range(6):
        tree = random_tree(rng, 5, shape="random", repeats=0.2)
        joint = next((j for j in tree.joints if math.isfinite(j.upper)), None)
        if joint is None:
            continue
        rest = [j for j in tree.joints if j.name != joint.name]
        for t in (0.0, 0.1, 0.5, 1.0):
            found = tree_distance(tree, _edited(edit, tree, joint, rest, t), compactify=PI)
            assert found.exact
            assert found.value == pytest.approx(found.relaxed, abs=1e-9)
            if t == 0.0:
                assert found.value == pytest.approx(0, abs=1e-9)


def _edited(edit, tree, joint, rest, t):
    links = tree.links
    if edit == "range":
        grown = replace(joint, lower=joint.lower * (1 + t), upper=joint.upper * (1 + t))
        return KinematicTree("x", links, (*rest, grown))
    if edit == "missing":
        weak = replace(joint, lower=joint.lower * (1 - t), upper=joint.upper * (1 - t))
        return KinematicTree("x", links, (*rest, weak))
    if edit == "spurious leaf":
        leaf = replace(joint, name="new", lower=0.0, upper=t, parent=links[-1], child="leaf")
        return KinematicTree("x", (*links, "leaf"), (*tree.joints, leaf))
    low = replace(joint, lower=joint.lower * (1 - t), upper=joint.upper * (1 - t), child="mid")
    high = replace(joint, name="new", lower=joint.lower * t, upper=joint.upper * t, parent="mid")
    return KinematicTree("x", (*links, "mid"), (*rest, low, high))


@pytest.mark.parametrize("size", [(1, 9), (6, 6), (9, 4)])
def test_search_alone_agrees_with_every_pair_of_stages(size, monkeypatch):
    """Branch and bound, the antichain program and both together find the same weight."""
    from aa_dataset.metric.tree import search

    rng = np.random.default_rng(sum(size))
    for _ in range(6):
        one = contract(random_tree(rng, size[0], shape="random"))
        two = contract(random_tree(rng, size[1], shape="caterpillar"))
        weights = rng.random((len(one), len(two))) * (rng.random((len(one), len(two))) < 0.8)
        problem = Problem(weights, one.below, two.below, one.parents, two.parents)
        found = []
        for nodes in (0, 40, 10**6):
            monkeypatch.setattr(search, "FIRST_NODES", nodes)
            state = heaviest_matching(problem)
            assert state.closed
            assert is_admissible(problem, state.pairs)
            assert state.weight == pytest.approx(weights[state.pairs].sum())
            found.append(state.weight)
        assert found == pytest.approx([found[0]] * 3, rel=1e-12)


def test_root_choice_never_matters():
    rng = np.random.default_rng(8)
    first = random_tree(rng, 6, shape="random")
    second = corrupted(rng, first)
    values = {
        round(tree_distance(rerooted(first, a), rerooted(second, b), compactify=PI).value, 9)
        for a, b in itertools.product(first.links, second.links)
    }
    assert len(values) == 1
