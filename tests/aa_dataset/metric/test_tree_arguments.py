# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of batches of trees are sentences, never other numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

from aa_dataset.errors import ArgumentError, JointError, NormError
from aa_dataset.kinematics import Joint
from aa_dataset.metric import (
    constant_penalty_distance,
    contract,
    joint_distance,
    nearest_objects,
    nearest_trees,
    tree_distance,
    tree_distance_blocks,
    tree_distances,
)
from aa_dataset.score.parameters import Parameters
from benchmarks.metric_trees import random_tree

KAPPA = {"compactify": 3.0}


def trees(count=5):
    rng = np.random.default_rng(3)
    return [random_tree(rng, 2 + k % 3, shape="random") for k in range(count)]


@pytest.mark.parametrize(
    "pairs",
    [
        np.triu_indices(5, 1),
        np.array(np.triu_indices(5, 1)),
        (np.array([0, 1]), np.array([2, 3])),  # the shape fits, the pairs would be others
        [0, 1, 2, 3],
        [0, 1, 2],
        np.zeros((2, 3), int),
        [[0, 1], [2]],
    ],
    ids=["triu_indices", "(2, k)", "two rows", "flat", "odd", "(k, 3)", "ragged"],
)
def test_pairs_of_another_shape_are_refused(pairs):
    with pytest.raises(ValueError, match=r"`pairs` has .*\(k, 2\)"):
        tree_distances(trees(), pairs=pairs, **KAPPA)


@pytest.mark.parametrize("wrong", [[[0.9, 1.2]], [[np.nan, 0]], [["0", "1"]], [[True, False]]])
def test_pairs_that_are_no_whole_numbers_are_refused(wrong):
    with pytest.raises(ValueError, match="whole numbers"):
        tree_distances(trees(), pairs=wrong, **KAPPA)


def test_pairs_written_as_the_error_message_advises_work():
    found = tree_distances(trees(), **KAPPA)
    rows = np.triu_indices(5, 1)
    for pairs in (np.column_stack(rows), np.array(rows).T, np.column_stack(rows).astype(float)):
        part = tree_distances(trees(), pairs=pairs, **KAPPA)
        assert part.lower.tolist() == found.lower[rows].tolist()
    for nothing in ([], np.zeros((0, 2), int), np.array(np.triu_indices(1, 1)).T):
        assert tree_distances(trees(), pairs=nothing, **KAPPA).lower.shape == (0,)


@pytest.mark.parametrize("wrong", [None, "10", -1, 1.5, np.nan, np.inf, -np.inf, True, [3]])
def test_a_budget_is_a_count_of_steps_everywhere(wrong):
    one, two, *_ = many = trees()
    for call in (
        lambda: tree_distance(one, two, budget=wrong, **KAPPA),
        lambda: constant_penalty_distance(one, two, penalty=1.0, budget=wrong, **KAPPA),
        lambda: tree_distances(many, budget=wrong, **KAPPA),
        lambda: tree_distances(many, budget=wrong, exact=True, **KAPPA),
        lambda: list(tree_distance_blocks(many, budget=wrong, **KAPPA)),
        lambda: nearest_trees(many, budget=wrong, **KAPPA),
        lambda: nearest_objects(one, many, budget=wrong, **KAPPA),
        lambda: Parameters(budget=wrong),
    ):
        with pytest.raises(ValueError, match=r"`budget` is .*; it must be a non-negative integer"):
            call()


@pytest.mark.parametrize("right", [0, 7, 1e9, np.int32(7), 10**30])
def test_whole_numbers_of_every_type_are_budgets(right):
    one, two, *_ = trees()
    assert tree_distance(one, two, budget=right, **KAPPA).budget == int(right)


def test_outputs_that_cannot_be_filled_are_refused():
    many, good = trees(), np.empty((5, 5))
    for out, said in (
        ((good, np.empty((5, 5), np.float32)), "dtype float32, expected float64"),
        ((good, good), "share their memory"),
        ((good, good[::-1]), "share their memory"),
        (([], []), "has a value of type list"),
        (good, "pair of arrays"),
        (3, "pair of arrays"),
        ((good, np.empty((2, 5))), r"shape \(2, 5\)"),
    ):
        with pytest.raises(ValueError, match=said):
            tree_distances(many, out=out, **KAPPA)
    both = np.empty((5, 5, 2))
    found = tree_distances(many, out=(both[..., 0], both[..., 1]), **KAPPA)
    assert np.array_equal(found.lower, tree_distances(many, **KAPPA).lower)


def test_one_tree_is_no_list_of_trees():
    one, two, *_ = trees()
    for wrong in (one, contract(one)):
        for call in (tree_distances, nearest_trees):
            with pytest.raises(ArgumentError, match="one tree, 'random', was passed"):
                call(wrong, **KAPPA)
            with pytest.raises(ArgumentError, match="one tree"):
                call([two], wrong, **KAPPA)
    with pytest.raises(ArgumentError, match="list of trees was expected"):
        tree_distances(None, **KAPPA)


def test_a_text_as_norm_gives_one_sentence_in_all_functions():
    one, two, *_ = many = trees()
    said = set()
    for call in (
        lambda: tree_distance(one, two, norm="split", **KAPPA),
        lambda: tree_distances(many, norm="split", **KAPPA),
        lambda: nearest_trees(many, norm="split", **KAPPA),
    ):
        with pytest.raises(NormError) as error:
            call()
        said.add(str(error.value))
    assert len(said) == 1 and "the text 'split'" in said.pop()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"u": "base", "v": "door"}, "endpoints"),
        ({"u": [[1], [2, 3]], "v": np.zeros(6)}, "endpoints"),
        ({"u": None, "v": None}, "endpoints"),
        ({"xi_hat": "z", "a": 0, "b": 1}, "endpoints"),
        ({"xi_hat": np.eye(6)[2], "a": "low", "b": 1}, "limits"),
        ({"xi_hat": np.eye(6)[2], "a": 0, "b": None}, "limits"),
    ],
)
def test_foreign_joints_without_numbers_are_sentences(wrong, field):
    hinge = Joint("h", "revolute", [0, 0, 1], [0, 0, 0], 0.0, 1.0)
    with pytest.raises(JointError, match=f"field `{field}`"):
        joint_distance(SimpleNamespace(**wrong), hinge)
