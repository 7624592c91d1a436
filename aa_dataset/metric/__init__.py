# SPDX-License-Identifier: Apache-2.0
"""The quotient metric on joints and kinematic trees (paper section 4, appendices A to C).

Joints: `joint_distance`, `pairwise_distance`, `motion_size`, `path_distance`, `sampled_distance`,
`material_motion`. Trees: `tree_distance`, `relaxed_tree_distance`, `constant_penalty_distance`,
`fixed_skeleton_distance`; many at once: `PackedTrees`, `tree_distances`, `nearest_trees`. The
older protocol: `component_errors`. Around them: `bootstrap_mean`, `bootstrap_difference`,
`nearest_joints`, `nearest_objects`, `anchor_offset`, and smooth losses in
`aa_dataset.metric.losses`.
"""

from aa_dataset.metric.anchors import AnchorOffset, anchor_offset
from aa_dataset.metric.bootstrap import Interval, bootstrap_difference, bootstrap_mean
from aa_dataset.metric.components import ComponentErrors, Variant, component_errors
from aa_dataset.metric.distance import (
    DEFAULT_NORM,
    DEFAULT_SCALE,
    joint_distance,
    motion_size,
)
from aa_dataset.metric.endpoints import JointArray, compactified_endpoints, endpoint_twists
from aa_dataset.metric.norms import (
    KineticNorm,
    Norm,
    RiemannianNorm,
    SplitNorm,
    as_norm,
    twist_norm,
)
from aa_dataset.metric.pairwise import pairwise_distance
from aa_dataset.metric.paths import (
    material_motion,
    path_distance,
    placement_discrepancy,
    sampled_distance,
)
from aa_dataset.metric.retrieval import Neighbor, nearest_joints, nearest_objects
from aa_dataset.metric.tree import (
    BodyNorms,
    Edit,
    PackedTrees,
    Skeleton,
    TreeDistance,
    TreeDistances,
    constant_penalty_distance,
    contract,
    fixed_skeleton_distance,
    nearest_trees,
    relaxed_tree_distance,
    skeleton_distance,
    tree_distance,
    tree_distance_blocks,
    tree_distances,
)

__all__ = [
    "DEFAULT_NORM",
    "DEFAULT_SCALE",
    "AnchorOffset",
    "BodyNorms",
    "ComponentErrors",
    "Edit",
    "Interval",
    "JointArray",
    "KineticNorm",
    "Neighbor",
    "Norm",
    "PackedTrees",
    "RiemannianNorm",
    "Skeleton",
    "SplitNorm",
    "TreeDistance",
    "TreeDistances",
    "Variant",
    "anchor_offset",
    "as_norm",
    "bootstrap_difference",
    "bootstrap_mean",
    "compactified_endpoints",
    "component_errors",
    "constant_penalty_distance",
    "contract",
    "endpoint_twists",
    "fixed_skeleton_distance",
    "joint_distance",
    "material_motion",
    "motion_size",
    "nearest_joints",
    "nearest_objects",
    "nearest_trees",
    "pairwise_distance",
    "path_distance",
    "placement_discrepancy",
    "relaxed_tree_distance",
    "sampled_distance",
    "skeleton_distance",
    "tree_distance",
    "tree_distance_blocks",
    "tree_distances",
    "twist_norm",
]
