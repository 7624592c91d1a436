# SPDX-License-Identifier: Apache-2.0
"""The tree edit metric: exact, on unrooted trees, priced by motion (paper section 4.3)."""

from aa_dataset.metric.tree.batch import TreeDistances, tree_distance_blocks, tree_distances
from aa_dataset.metric.tree.distance import (
    BodyNorms,
    constant_penalty_distance,
    fixed_skeleton_distance,
    relaxed_tree_distance,
    tree_distance,
)
from aa_dataset.metric.tree.full_matching import skeleton_distance
from aa_dataset.metric.tree.neighbors import Neighbor, nearest_trees
from aa_dataset.metric.tree.packed import PackedTrees
from aa_dataset.metric.tree.result import Edit, TreeDistance
from aa_dataset.metric.tree.skeleton import Skeleton, contract
from aa_dataset.metric.tree.work import DEFAULT_BUDGET

__all__ = [
    "DEFAULT_BUDGET",
    "BodyNorms",
    "Edit",
    "Neighbor",
    "PackedTrees",
    "Skeleton",
    "TreeDistance",
    "TreeDistances",
    "constant_penalty_distance",
    "contract",
    "fixed_skeleton_distance",
    "nearest_trees",
    "relaxed_tree_distance",
    "skeleton_distance",
    "tree_distance",
    "tree_distance_blocks",
    "tree_distances",
]
