# SPDX-License-Identifier: Apache-2.0
"""Nearest joints and nearest objects under the metric (paper appendix A.5)."""

from __future__ import annotations

import numpy as np

from aa_dataset.kinematics.joints import Joint
from aa_dataset.metric.distance import DEFAULT_NORM
from aa_dataset.metric.endpoints import Joints, as_joint_array
from aa_dataset.metric.foreign import ForeignJoint
from aa_dataset.metric.norms import AnyNorm
from aa_dataset.metric.pairwise import Engine, pairwise_distance
from aa_dataset.metric.tree.batch import Trees
from aa_dataset.metric.tree.neighbors import Neighbor, nearest_trees, require_positive
from aa_dataset.metric.tree.skeleton import Tree
from aa_dataset.metric.tree.work import DEFAULT_BUDGET

__all__ = ["Neighbor", "nearest_joints", "nearest_objects", "nearest_trees"]


def nearest_joints(
    query: Joint | ForeignJoint,
    library: Joints,
    *,
    k: int = 10,
    norm: AnyNorm = DEFAULT_NORM,
    compactify: float | None = None,
    engine: Engine = "auto",
) -> list[Neighbor]:
    """Return the k joints of a library that are closest to a joint, ties by position.

    Examples
    --------
    >>> lengths = (0.2, 0.5, 0.9)
    >>> drawers = [Joint(f"{e} m", "prismatic", [1, 0, 0], [0, 0, 0], 0, e) for e in lengths]
    >>> [found.name for found in nearest_joints(drawers[0], drawers, k=2)]
    ['0.2 m', '0.5 m']
    """
    require_positive("k", k, "neighbor")
    array = as_joint_array(library)
    row = pairwise_distance([query], array, norm=norm, compactify=compactify, engine=engine)[0]
    order = np.argsort(row, kind="stable")[:k]
    return [Neighbor(int(i), array.names[i], float(row[i])) for i in order]


def nearest_objects(
    query: Tree,
    library: Trees,
    *,
    k: int = 10,
    norm: AnyNorm = DEFAULT_NORM,
    compactify: float | None = None,
    budget: int = DEFAULT_BUDGET,
    engine: Engine = "auto",
) -> list[Neighbor]:
    """Return the k objects of a library that are closest by tree distance, ties by position.

    The relaxation is a lower bound, so only objects that could enter the ranking are searched.
    `exact` is False if the budget of a pair was exhausted; its distance is then an upper bound. For
    many queries pack the library once (`PackedTrees.of`) and call `nearest_trees`.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint, KinematicTree
    >>> def drawer(travel):
    ...     slide = Joint("slide", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, travel, 0.0, "a", "b")
    ...     return KinematicTree(f"drawer {travel}", ("a", "b"), (slide,))
    >>> nearest_objects(drawer(0.5), [drawer(0.25), drawer(1.0)], k=1)
    [Neighbor(index=0, name='drawer 0.25', distance=0.25, exact=True)]
    """
    rankings = nearest_trees(
        library,
        [query],
        k=k,
        norm=norm,
        compactify=compactify,
        budget=budget,
        engine=engine,
    )
    return rankings[0]
