# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of batches of trees are sentences, never other numbers."""

import numpy as np
import pytest
from metric_trees import random_tree

from aa_dataset.metric import (
    constant_penalty_distance,
    nearest_objects,
    nearest_trees,
    tree_distance,
    tree_distance_blocks,
    tree_distances,
)
from aa_dataset.score.results import Parameters

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


def test_pairs_as_the_message_tells_to_write_them():
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
        with pytest.raises(ValueError, match=r"`budget` is .*; give a count of steps, 0 or more"):
            call()


@pytest.mark.parametrize("right", [0, 7, 1e9, np.int32(7), 10**30])
def test_whole_numbers_of_every_type_are_budgets(right):
    one, two, *_ = trees()
    assert tree_distance(one, two, budget=right, **KAPPA).budget == int(right)
