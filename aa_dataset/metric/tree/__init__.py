# SPDX-License-Identifier: Apache-2.0
"""The tree edit metric: exact, on unrooted trees, priced by motion (paper section 4.3)."""

from aa_dataset.metric.tree.distance import (
    BodyNorms,
    constant_penalty_distance,
    fixed_skeleton_distance,
    relaxed_tree_distance,
    tree_distance,
)
from aa_dataset.metric.tree.full_matching import skeleton_distance
from aa_dataset.metric.tree.result import Edit, TreeDistance
from aa_dataset.metric.tree.skeleton import Skeleton, contract

__all__ = [
    "BodyNorms",
    "Edit",
    "Skeleton",
    "TreeDistance",
    "constant_penalty_distance",
    "contract",
    "fixed_skeleton_distance",
    "relaxed_tree_distance",
    "skeleton_distance",
    "tree_distance",
]
