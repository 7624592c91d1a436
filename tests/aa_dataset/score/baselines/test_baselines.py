# SPDX-License-Identifier: Apache-2.0
"""Every baseline gives the score that follows from its rule."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError, NormError
from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.kinematics.joints import Mimic
from aa_dataset.metric import (
    KineticNorm,
    SplitNorm,
    contract,
    joint_distance,
    motion_size,
    tree_distance,
)
from aa_dataset.metric.tree import BodyNorms
from aa_dataset.random_streams import Draws
from aa_dataset.score.baselines import BASELINES, Options, by_name
from aa_dataset.score.baselines.corrupted import drop, noise, spurious, wrong_type
from aa_dataset.score.baselines.encodings import rewritten
from aa_dataset.score.baselines.shapes import KnownShape, moving
from benchmarks.cheating import write_frozen_library
from pipeline.stages.split.frozen import frozen_versions, read_frozen

SIZE = np.array([0.3, 0.4, 1.2])  # diagonal 1.3
SHAPE = KnownShape("generated-thing", "cabinet", "furniture", SIZE)
OBJECTS = 40


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """Forty objects of the frozen benchmark, tables only."""
    root = tmp_path_factory.mktemp("frozen") / "library"
    write_frozen_library(root, read_frozen(frozen_versions()[-1]), OBJECTS)
    return load_dataset(root, split="eval200", verbose=False)


def predicted(name: str, dataset, **numbers) -> dict[str, KinematicTree]:
    return dict(by_name(name).predictions(dataset, Options(**numbers)))


def distances(dataset, guesses, **how) -> list[float]:
    return [
        tree_distance(guesses[item.object_id], item.tree, compactify=math.pi, **how).value
        for item in dataset
    ]


def size(joint: Joint) -> float:
    return motion_size(joint, norm=SplitNorm(1.0), compactify=math.pi)


def total(tree: KinematicTree) -> float:
    return math.fsum(size(joint) for joint in contract(tree).joints)


# --- the truth and its other encodings ------------------------------------------------------------


@pytest.mark.parametrize("name, most", [("ground-truth", 0.0), ("rewritten", 1e-9)])
@pytest.mark.parametrize("norm", [SplitNorm(1.0), BodyNorms()], ids=["split", "bodies"])
def test_the_truth_is_at_distance_zero_in_any_encoding(dataset, name, most, norm):
    items = list(dataset)
    if isinstance(norm, BodyNorms):  # rods have no kinetic norm
        items = [item for item in items if has_bodies(item.tree)]
    assert len(items) > OBJECTS // 2
    assert max(distances(items, predicted(name, dataset), norm=norm)) <= most


def has_bodies(tree: KinematicTree) -> bool:
    return all(map(has_body, contract(tree).joints))


def has_body(joint: Joint) -> bool:
    """Whether every rotation moves some of the mass of a joint's body."""
    try:
        KineticNorm(joint.body)
    except NormError:
        return False
    return True


def chain() -> KinematicTree:
    """A hinge, a slide that follows it, and a screw below the slide."""
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    hinge = Joint("a", "revolute", z, 0.1 * x, 0.0, 1.5, parent="base", child="one")
    slide = Joint("b", "prismatic", x, 0.2 * z, -0.1, 0.4, parent="one", child="two")
    slide = replace(slide, mimic=Mimic("a", 0.2, 0.05))
    screw = Joint("c", "helical", z, 0.3 * x, 0.0, 6.0, 0.01, parent="two", child="three")
    return KinematicTree("chain", ("base", "one", "two", "three"), (hinge, slide, screw))


@pytest.mark.parametrize("seed", range(8))
def test_rewriting_changes_every_word_and_keeps_every_motion(seed):
    tree = chain()
    other = rewritten(tree, SHAPE, seed)
    assert not {*tree.links, *"abc"} & {*other.links, *(joint.name for joint in other.joints)}
    assert len(other.links) == len(tree.links) + 2
    assert sum(joint.type is JointType.FIXED for joint in other.joints) == 1
    by_type = {joint.type: joint for joint in moving(other)}
    for joint in tree.joints:
        found = by_type[joint.type]
        assert found.axis.tolist() == (-joint.axis).tolist()
        assert found.limits == (-joint.upper, -joint.lower) and found.pitch == joint.pitch
        assert not np.array_equal(found.origin, joint.origin)
        assert joint_distance(found, joint) == pytest.approx(0.0, abs=1e-12)
    assert by_type[JointType.PRISMATIC].mimic == Mimic(by_type[JointType.REVOLUTE].name, 0.2, -0.05)


def test_rewriting_takes_every_link_as_the_base():
    # How many joints of the three hang on the base: one at an end of the chain, two inside.
    parents = [contract(rewritten(chain(), SHAPE, seed)).parents for seed in range(40)]
    assert {found.count(-1) for found in parents} == {1, 2}
    # The slide lies between the other two joints, whatever the base.
    for seed in range(8):
        other = rewritten(chain(), SHAPE, seed)
        assert tree_distance(other, chain(), compactify=math.pi).value < 1e-9


def test_rewriting_an_object_without_joints_keeps_it_without_motion():
    tree = KinematicTree("stone", ("base",), ())
    assert moving(rewritten(tree, SHAPE, 0)) == ()


# --- welds, missing and spurious joints -----------------------------------------------------------


def test_null_never_moves_and_costs_all_motion_of_the_truth(dataset):
    guesses = predicted("null", dataset)
    assert not any(tree.joints for tree in guesses.values())
    expected = [total(item.tree) for item in dataset]
    assert distances(dataset, guesses) == pytest.approx(expected)


@pytest.mark.parametrize("count", [1, 3])
def test_a_dropped_joint_costs_its_motion(dataset, count):
    """A distance is at least the difference of the sums of motion, and welding attains it."""
    guesses = predicted("drop", dataset, count=count)
    expected = [total(item.tree) - total(guesses[item.object_id]) for item in dataset]
    assert distances(dataset, guesses) == pytest.approx(expected)
    for item in dataset:
        left = max(0, len(moving(item.tree)) - count)
        assert len(moving(guesses[item.object_id])) == left


def test_dropping_more_joints_drops_the_same_ones_first(dataset):
    for item in dataset:
        kept = [
            {joint.name for joint in moving(drop(item.tree, KnownShape.of(item), count=k, seed=3))}
            for k in range(4)
        ]
        assert kept[0] >= kept[1] >= kept[2] >= kept[3]


def test_a_joint_that_followed_a_dropped_one_moves_alone():
    seed = next(s for s in range(50) if "a" not in names(drop(chain(), SHAPE, count=1, seed=s)))
    tree = drop(chain(), SHAPE, count=1, seed=seed)
    assert tree.joint("b").mimic is None and tree.joint("b").is_movable


def names(tree: KinematicTree) -> set[str]:
    return {joint.name for joint in moving(tree)}


def test_a_spurious_joint_costs_its_motion_and_lies_in_the_box(dataset):
    guesses = predicted("spurious", dataset, count=2)
    expected = [total(guesses[item.object_id]) - total(item.tree) for item in dataset]
    assert min(expected) > 0
    assert distances(dataset, guesses) == pytest.approx(expected)
    for item in dataset:
        new = [j for j in guesses[item.object_id].joints if j.name.startswith("spurious_")]
        assert len(new) == 2
        assert all((np.abs(joint.origin) <= item.extents / 2).all() for joint in new)
        assert all(joint.limits == (0.0, math.pi / 2) for joint in new)


def test_spurious_joints_get_names_that_are_free():
    tree = chain()
    taken = KinematicTree("chain", ("base", "spurious_0"), (
        replace(tree.joints[0], child="spurious_0"),
    ))  # fmt: skip
    assert len(spurious(taken, SHAPE, count=1, seed=0).links) == 3


# --- wrong types ----------------------------------------------------------------------------------


def test_a_wrong_type_turns_radians_into_halves_of_the_diagonal():
    found = {joint.name: joint for joint in wrong_type(chain(), SHAPE).joints}
    assert [found[name].type for name in "abc"] == ["prismatic", "revolute", "prismatic"]
    assert found["a"].limits == pytest.approx((0.0, 1.5 * 0.65))
    assert found["b"].limits == pytest.approx((-0.1 / 0.65, 0.4 / 0.65))
    assert found["c"].limits == pytest.approx((0.0, 6.0 * 0.65)) and found["c"].pitch == 0.0
    wheel = Joint("w", "continuous", [0, 1, 0], [0, 0, 0], parent="base", child="wheel")
    slid = wrong_type(KinematicTree("cart", ("base", "wheel"), (wheel,)), SHAPE)
    assert slid.joints[0].limits == pytest.approx((-0.65, 0.65))
    assert wrong_type(
        KinematicTree("rail", ("base", "wheel"), (
            replace(wheel, type="prismatic", lower=-math.inf, upper=math.inf),
        )), SHAPE,
    ).joints[0].type is JointType.CONTINUOUS  # fmt: skip


# --- noise ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [0.01, 0.3])
def test_noise_goes_twice_as_far_in_the_same_directions(sigma):
    tree = chain()
    once, twice = (noise(tree, SHAPE, sigma=factor * sigma, seed=1) for factor in (1, 2))
    for joint in tree.joints:
        first, second = once.joint(joint.name), twice.joint(joint.name)
        slopes = [found.axis / (found.axis @ joint.axis) - joint.axis for found in (first, second)]
        assert 2 * slopes[0] == pytest.approx(slopes[1])
        assert slopes[0] @ joint.axis == pytest.approx(0.0, abs=1e-12)
        shifts = [found.origin - joint.origin for found in (first, second)]
        assert 2 * shifts[0] == pytest.approx(shifts[1])
        one, two = (max(f.upper / joint.upper, joint.upper / f.upper) for f in (first, second))
        assert 2 * (one - 1) == pytest.approx(two - 1)
        assert (first.upper > joint.upper) == (second.upper > joint.upper)


def test_no_noise_changes_nothing(dataset):
    assert max(distances(dataset, predicted("noise", dataset, sigma=0.0))) == 0.0


@pytest.mark.parametrize("seed", [0, 1])
def test_doubling_the_noise_never_lowers_a_mean(dataset, seed):
    steps = [0.0125 * 2**k for k in range(7)]
    means = [means_of_pairs(dataset, sigma, seed) for sigma in steps]
    for less, more in pairwise(means):
        assert all(more[key] >= less[key] for key in less)
    trees = [
        math.fsum(distances(dataset, predicted("noise", dataset, sigma=sigma, seed=seed)))
        for sigma in (0.05, 0.1, 0.2)
    ]
    assert trees == sorted(trees)


def means_of_pairs(dataset, sigma: float, seed: int) -> dict[str, float]:
    """Return the sums of all four distances over joints of one name."""
    guesses = predicted("noise", dataset, sigma=sigma, seed=seed)
    sums = {key: [] for key in ("e_alpha", "e_alpha_phi", "e_b", "e_b_phi")}
    for item in dataset:
        for joint in moving(item.tree):
            found = guesses[item.object_id].joint(joint.name)
            norms = {"e_alpha": SplitNorm(1.0)}
            if has_body(joint):
                norms["e_b"] = KineticNorm(joint.body)
            for key, norm in norms.items():
                value = joint_distance(found, joint, norm=norm, compactify=math.pi)
                sums[f"{key}_phi"].append(value)
                if all(map(math.isfinite, joint.limits)):
                    sums[key].append(joint_distance(found, joint, norm=norm))
    return {key: math.fsum(values) for key, values in sums.items()}


# --- random numbers -------------------------------------------------------------------------------


def test_draws_depend_on_their_words_only():
    def first(*words: str, seed: int = 0) -> float:
        return Draws(seed, *words).uniform()

    assert first("a", "b") == first("a", "b")
    assert len({first("a", "b"), first("ab"), first("b", "a"), first("a", "b", seed=1)}) == 4


def test_draws_have_the_moments_that_they_state():
    draws = Draws(0, "moments")
    numbers = np.array([draws.normal() for _ in range(4000)])
    # Four standard errors: 4 / sqrt(n) of the mean, 4 sqrt(2 / n) of the variance.
    assert abs(numbers.mean()) < 4 / math.sqrt(4000)
    assert abs(numbers.var() - 1) < 4 * math.sqrt(2 / 4000)
    uniform = np.array([draws.uniform() for _ in range(4000)])
    assert (uniform >= 0).all() and (uniform < 1).all()
    assert abs(uniform.mean() - 0.5) < 4 / math.sqrt(12 * 4000)
    assert {draws.below(3) for _ in range(200)} == {0, 1, 2}


# --- all of them ----------------------------------------------------------------------------------


@settings(max_examples=20)
@given(st.sampled_from([b.name for b in BASELINES if b.from_truth]), st.integers(0, 2**40))
def test_the_order_of_objects_changes_no_digit(name, seed):
    tree = by_name(name).from_truth(chain(), SHAPE, Options(seed))
    again = by_name(name).from_truth(chain(), SHAPE, Options(seed))
    assert [(j.name, j.axis.tolist(), j.origin.tolist(), j.limits) for j in tree.joints] == [
        (j.name, j.axis.tolist(), j.origin.tolist(), j.limits) for j in again.joints
    ]


@pytest.mark.parametrize("numbers", [{"sigma": -0.1}, {"sigma": math.nan}, {"sigma": math.inf},
                                     {"count": -1}, {"count": 501}])  # fmt: skip
def test_options_out_of_range_are_refused(numbers):
    with pytest.raises(ArenaError, match="choose a number from 0 to"):
        Options(**numbers)


def test_an_unknown_baseline_is_named_with_the_known_ones():
    with pytest.raises(ArenaError, match=r"no baseline 'best'\. Choose from ground-truth"):
        by_name("best")
