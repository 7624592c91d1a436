# SPDX-License-Identifier: Apache-2.0
"""The quotient metric on joints and kinematic trees (paper section 4, appendices A to C)."""

from aa_dataset.metric.distance import (
    DEFAULT_NORM,
    DEFAULT_SCALE,
    joint_distance,
    motion_size,
)
from aa_dataset.metric.endpoints import JointArray, compactified_endpoints, endpoint_twists
from aa_dataset.metric.norms import KineticNorm, Norm, SplitNorm, twist_norm
from aa_dataset.metric.pairwise import pairwise_distance
from aa_dataset.metric.tree import (
    BodyNorms,
    Edit,
    Skeleton,
    TreeDistance,
    constant_penalty_distance,
    contract,
    fixed_skeleton_distance,
    tree_distance,
)

__all__ = [
    "DEFAULT_NORM",
    "DEFAULT_SCALE",
    "BodyNorms",
    "Edit",
    "JointArray",
    "KineticNorm",
    "Norm",
    "Skeleton",
    "SplitNorm",
    "TreeDistance",
    "compactified_endpoints",
    "constant_penalty_distance",
    "contract",
    "endpoint_twists",
    "fixed_skeleton_distance",
    "joint_distance",
    "motion_size",
    "pairwise_distance",
    "tree_distance",
    "twist_norm",
]
