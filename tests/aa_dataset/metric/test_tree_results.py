# SPDX-License-Identifier: Apache-2.0
"""The results of a tree distance: script, bounds under a budget, variants, bad input."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aa_dataset.errors import JointError, NormError, TreeError, UnboundedRangeError
from aa_dataset.kinematics import Joint, KinematicTree, RigidBody, merge_bodies
from aa_dataset.metric import (
    BodyNorms,
    KineticNorm,
    SplitNorm,
    constant_penalty_distance,
    contract,
    joint_distance,
    motion_size,
    relaxed_tree_distance,
    tree_distance,
)
from benchmarks.metric_trees import corrupted, random_tree
from tests.kit import metric_references as reference
from tests.kit.metric_strategies import bodies, bounded_joints, trees

PI = math.pi


def test_script_prices_add_up_and_names_are_right():
    rng = np.random.default_rng(2)
    first = random_tree(rng, 8, shape="random")
    second = corrupted(rng, first)
    found = tree_distance(first, second, compactify=PI)
    assert found.value == pytest.approx(math.fsum(e.cost for e in found.script))
    left = {e.first for e in found.script if e.first}
    right = {e.second for e in found.script if e.second}
    assert left == {j.name for j in first.movable}
    assert right == {j.name for j in second.movable}
    assert len(left) + len(right) == len(found.script) + len(found.matching)
    for edit in found.script:
        one = first.joint(edit.first) if edit.first else None
        two = second.joint(edit.second) if edit.second else None
        weld = Joint("w", "fixed", [0, 0, 1], [0, 0, 0])
        expected = joint_distance(one or weld, two or weld, compactify=PI)
        assert edit.cost == pytest.approx(expected, rel=1e-9, abs=1e-12)
    text = str(found)
    assert "exact" in text
    assert "substitute" in text


@pytest.mark.parametrize("budget", [0, 50_000, 500_000, 5_000_000])
def test_budget_returns_certified_bounds(budget):
    rng = np.random.default_rng(11)
    for _ in range(3):
        first = random_tree(rng, 14, shape="random")
        second = random_tree(rng, 14, shape="random")
        hurried = tree_distance(first, second, compactify=PI, budget=budget)
        patient = tree_distance(first, second, compactify=PI)
        assert patient.exact
        assert hurried.lower <= patient.value * (1 + 1e-12)
        assert hurried.upper >= patient.value * (1 - 1e-12)
        assert hurried.value == hurried.upper
        if hurried.exact:
            assert hurried.value == pytest.approx(patient.value, rel=1e-9)
        else:
            assert "not proven" in str(hurried)


def test_a_hurried_result_is_never_called_exact():
    rng = np.random.default_rng(3)
    first, second = (random_tree(rng, 30, shape="caterpillar") for _ in range(2))
    found = tree_distance(first, second, compactify=PI, budget=0)
    assert not found.exact
    assert not found.timed_out
    assert found.lower < found.upper


def test_trees_without_moving_joints():
    empty = KinematicTree("stone", ("base",), ())
    weld = Joint("w", "fixed", [0, 0, 1], [0, 0, 0], parent="a", child="b")
    welded = KinematicTree("welded", ("a", "b"), (weld,))
    rng = np.random.default_rng(0)
    moving = random_tree(rng, 5, shape="random")
    assert tree_distance(empty, welded).value == 0
    assert tree_distance(empty, empty).exact
    total = motion_size(contract(moving).array, compactify=PI).sum()
    for found in (
        tree_distance(empty, moving, compactify=PI),
        tree_distance(moving, welded, compactify=PI),
    ):
        assert found.exact
        assert found.certified
        assert found.value == pytest.approx(total)
        assert found.matching == ()


def test_normalizations_are_labeled_and_undefined_is_nan():
    rng = np.random.default_rng(1)
    first, second = random_tree(rng, 6, shape="random"), random_tree(rng, 4, shape="random")
    raw = tree_distance(first, second, compactify=PI)
    per_truth = tree_distance(first, second, compactify=PI, normalize="per-truth-joint")
    per_max = tree_distance(first, second, compactify=PI, normalize="per-max-joints")
    assert raw.normalization == "raw"
    assert per_truth.value == pytest.approx(raw.value / 4)
    assert per_max.value == pytest.approx(raw.value / 6)
    assert per_max.normalization == "per-max-joints"
    assert "per-max-joints" in str(per_max)
    empty = KinematicTree("stone", ("base",), ())
    assert math.isnan(tree_distance(first, empty, compactify=PI, normalize="per-truth-joint").value)
    with pytest.raises(ValueError, match="normalize"):
        tree_distance(first, second, compactify=PI, normalize="mean")


def test_dividing_by_the_larger_count_breaks_the_triangle_inequality():
    """Why raw is the default: one small joint next to a large one, and many small ones between."""

    def side_by_side(*reaches):
        slides = [
            Joint(f"j{k}", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, r, parent="l", child=f"c{k}")
            for k, r in enumerate(reaches)
        ]
        return KinematicTree("t", ("l", *(f"c{k}" for k in range(len(reaches)))), tuple(slides))

    many = [1e-6] * 20
    one, two, three = side_by_side(1.0), side_by_side(1.0, 2.0, *many), side_by_side(2.0)

    def d(x, y):
        return tree_distance(x, y, normalize="per-max-joints").value

    assert d(one, three) > d(one, two) + d(two, three)


@settings(max_examples=25)
@given(trees(most=4, name="a"), trees(most=4, name="b"), st.sampled_from([0.25, 1.0, 2.0]))
def test_constant_penalty_score(first, second, penalty):
    """D_lambda by brute force without realizability, and its plateau at 2 lambda."""
    _, joints1 = reference.tree_edges(first)
    _, joints2 = reference.tree_edges(second)
    costs = [[reference.distance(a, b, SplitNorm()) for b in joints2] for a in joints1]
    best = min(
        sum(costs[i][j] for i, j in m) + penalty * (len(joints1) + len(joints2) - 2 * len(m))
        for m in reference.partial_matchings(len(joints1), len(joints2))
    )
    free = constant_penalty_distance(first, second, penalty=penalty, realizable=False)
    assert free.value == pytest.approx(best, rel=1e-9, abs=1e-9)
    bound = constant_penalty_distance(first, second, penalty=penalty)
    assert bound.value >= free.value - 1e-9
    assert bound.value <= penalty * (len(joints1) + len(joints2)) + 1e-9


def test_constant_penalty_plateaus_while_the_tree_distance_grows():
    def single(reach):
        slide = Joint("j", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, reach, parent="a", child="b")
        return KinematicTree("t", ("a", "b"), (slide,))

    flat = [constant_penalty_distance(single(1), single(1 + x), penalty=1.0).value for x in (3, 6)]
    grown = [tree_distance(single(1), single(1 + x)).value for x in (3, 6)]
    assert flat == pytest.approx([2.0, 2.0])
    assert grown == pytest.approx([3.0, 6.0])
    with pytest.raises(NormError, match="penalty"):
        constant_penalty_distance(single(1), single(2), penalty=0.0)


@settings(max_examples=20)
@given(
    st.lists(st.tuples(bounded_joints(), bodies()), min_size=1, max_size=3), trees(most=3, name="p")
)
def test_remark_weighted_variant_clips_and_measures_by_the_truth(rows, predicted):
    """With a body per truth joint, a pair is never charged more than contract plus expand."""
    edges = [
        replace(j, name=f"t{k}", parent="base", child=f"l{k}", body=b)
        for k, (j, b) in enumerate(rows)
    ]
    truth = KinematicTree("truth", ("base", *(f"l{k}" for k in range(len(rows)))), tuple(edges))
    skeleton = contract(truth)
    assume(len(skeleton) > 0)
    found = tree_distance(predicted, truth, norm=BodyNorms())
    own = [KineticNorm(j.body) for j in skeleton.joints]
    spare = KineticNorm(merge_bodies([j.body for j in skeleton.joints]))
    for edit in found.script:
        if edit.operation == "contract":
            expected = motion_size(predicted.joint(edit.first), norm=spare)
        elif edit.operation == "expand":
            k = skeleton.names.index(edit.second)
            expected = motion_size(skeleton.joints[k], norm=own[k])
        else:
            k = skeleton.names.index(edit.second)
            one = predicted.joint(edit.first)
            expected = joint_distance(one, skeleton.joints[k], norm=own[k])
            alone = motion_size(one, norm=spare) + motion_size(skeleton.joints[k], norm=own[k])
            assert expected <= alone * (1 + 1e-9)
        assert edit.cost == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(bounded_joints(), bodies(), bodies())
def test_welding_a_handle_by_a_zero_range_merges_its_body(joint, drawer, handle):
    assume(motion_size(joint) > 1e-6)
    slide = replace(joint, name="slide", parent="base", child="drawer")
    whole = KinematicTree(
        "whole", ("base", "drawer"), (replace(slide, body=merge_bodies([drawer, handle])),)
    )
    still = Joint("still", "prismatic", [1, 0, 0], [0, 0, 0], parent="drawer", child="handle")
    parts = KinematicTree(
        "parts",
        ("base", "drawer", "handle"),
        (replace(slide, body=drawer), replace(still, body=handle)),
    )
    one, two = contract(whole).joints[0].body, contract(parts).joints[0].body
    assert two.mass == pytest.approx(one.mass)
    assert np.allclose(two.center, one.center)
    assert np.allclose(two.inertia, one.inertia)
    assert tree_distance(parts, whole, norm=BodyNorms()).value == pytest.approx(0, abs=1e-9)


def test_remark_weighted_variant_can_price_a_pair_above_contract_plus_expand():
    """Why it is a score: a small truth body makes the spare norm cheap, so the pair is clipped."""
    flat, far = np.diag([1e-4, 1e-4, 1e-4]), np.array([30.0, 0, 0])
    near_body, far_body = RigidBody(100.0, np.zeros(3), flat * 100), RigidBody(1.0, far, flat)
    hinge = Joint("h", "revolute", [0, 0, 1], [0, 0, 0], 0, 1, parent="a", child="b")
    other = replace(hinge, name="g", parent="a", child="c", lower=-1.0, upper=0.0)
    truth = KinematicTree(
        "t",
        ("a", "b", "c"),
        (replace(hinge, upper=1e-3, body=far_body), replace(other, upper=1e-3, body=near_body)),
    )
    predicted = KinematicTree("p", ("a", "b"), (replace(hinge, axis=[1, 0, 0], upper=3.0),))
    found = tree_distance(predicted, truth, norm=BodyNorms())
    own = KineticNorm(far_body)
    spare = KineticNorm(merge_bodies([far_body, near_body]))
    pair = joint_distance(replace(hinge, upper=3.0), truth.joint("h"), norm=own)
    alone = motion_size(replace(hinge, upper=3.0), norm=spare)
    assert pair > alone + motion_size(truth.joint("h"), norm=own)
    ceiling = sum(motion_size(j, norm=KineticNorm(j.body)) for j in truth.joints) + motion_size(
        predicted.joints[0], norm=spare
    )
    assert found.value <= ceiling * (1 + 1e-12)


def test_kinetic_trees_without_bodies_raise_with_the_joint():
    rng = np.random.default_rng(0)
    tree = random_tree(rng, 3, shape="random")
    with pytest.raises(JointError, match=r"joint 'j0', field `body`"):
        tree_distance(tree, tree, norm=BodyNorms(), compactify=PI)
    stone = KinematicTree("s", ("b",), ())
    with pytest.raises(NormError, match="no moving joint"):
        tree_distance(tree, stone, norm=BodyNorms(), compactify=PI)
    assert tree_distance(stone, stone, norm=BodyNorms()).value == 0


def test_raw_prices_refuse_infinite_ranges_and_cycles_are_named():
    wheel = Joint("wheel", "continuous", [0, 0, 1], [0, 0, 0], parent="a", child="b")
    tree = KinematicTree("cart", ("a", "b"), (wheel,))
    with pytest.raises(UnboundedRangeError, match="wheel"):
        tree_distance(tree, tree)
    back = replace(wheel, name="back", parent="b", child="a")
    with pytest.raises(TreeError, match=r"joint 'back', field `parent`.*cycle.*'back', 'wheel'"):
        KinematicTree("loop", ("a", "b"), (wheel, back))
    away = replace(wheel, name="away", child="c")  # hangs from the cycle, is no part of it
    with pytest.raises(TreeError, match=r"joint 'back', field `parent`.*'back', 'wheel'\.$"):
        KinematicTree("loop", ("a", "b", "c", "r"), (wheel, back, away))


def test_a_joint_without_a_name_is_in_the_matching_all_the_same():
    nameless = Joint("", "prismatic", [0, 0, 1], [0, 0, 0], 0, 1, parent="a", child="b")
    tree = KinematicTree("t", ("a", "b"), (nameless,))
    assert tree_distance(tree, tree).matching == (("", ""),)


@pytest.mark.parametrize("seed", range(6))
def test_relaxation_bounds_from_below(seed):
    rng = np.random.default_rng(seed)
    first, second = random_tree(rng, 7, shape="random"), random_tree(rng, 6, shape="chain")
    relaxed = relaxed_tree_distance(first, second, compactify=PI)
    found = tree_distance(first, second, compactify=PI)
    assert relaxed == pytest.approx(found.relaxed, rel=1e-9)
    assert relaxed <= found.value * (1 + 1e-12)


@pytest.mark.parametrize("parent", [True, False])
@pytest.mark.parametrize("child", [True, False])
@pytest.mark.parametrize("grandchild", [True, False])
def test_contraction_conserves_mass(parent, child, grandchild):
    """Bodies behind zero ranges go to the joint above, whether that one has a body or not."""
    known = {"p": parent, "c": child, "g": grandchild}
    centers = {"p": 0.0, "c": 1.0, "g": 3.0}
    masses = {"p": 4.0, "c": 2.0, "g": 1.0}
    joints, above = [], "base"
    for name in known:
        body = RigidBody(masses[name], np.array([centers[name], 0, 0]), 0.1 * np.eye(3))
        joint = Joint(
            name,
            "revolute",
            [0, 0, 1],
            [0, 0, 0],
            0,
            1.0 if name == "p" else 0.0,
            parent=above,
            child=name,
            body=body if known[name] else None,
        )
        joints.append(joint)
        above = name
    (found,) = contract(KinematicTree("t", ("base", *known), tuple(joints))).joints
    parts = [name for name in known if known[name]]
    if not parts:
        assert found.body is None
        return
    mass = sum(masses[name] for name in parts)
    assert found.body.mass == mass
    center = sum(masses[name] * centers[name] for name in parts) / mass
    assert found.body.center == pytest.approx([center, 0, 0])
    spread = sum(masses[name] * (centers[name] - center) ** 2 for name in parts)
    ixx = 0.1 * len(parts)
    assert np.diag(found.body.inertia) == pytest.approx([ixx, ixx + spread, ixx + spread])
