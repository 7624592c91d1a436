# SPDX-License-Identifier: Apache-2.0
"""Nearest joints and nearest objects, which a metric gives for free (paper appendix A.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aa_dataset.kinematics.joints import Joint
from aa_dataset.metric.distance import DEFAULT_NORM, motion_size
from aa_dataset.metric.endpoints import Joints, as_joint_array
from aa_dataset.metric.norms import Norm
from aa_dataset.metric.pairwise import Engine, pairwise_distance
from aa_dataset.metric.tree.distance import (
    Tree,
    relaxed_tree_distance,
    tree_distance,
)
from aa_dataset.metric.tree.skeleton import contract
from aa_dataset.metric.tree.work import DEFAULT_BUDGET

ROUNDING = 1e-12  # share of the prices


@dataclass(frozen=True, slots=True)
class Neighbor:
    """One entry of a ranking: where it stands in the library, its name, how far it is."""

    index: int
    name: str
    distance: float
    exact: bool = True


def nearest_joints(
    query: Joint,
    library: Joints,
    *,
    k: int = 10,
    norm: Norm = DEFAULT_NORM,
    compactify: float | None = None,
    engine: Engine = "auto",
) -> list[Neighbor]:
    """Return the k joints of a library that are closest to a joint, ties by position."""
    _require_positive(k)
    array = as_joint_array(library)
    row = pairwise_distance([query], array, norm=norm, compactify=compactify, engine=engine)[0]
    order = np.argsort(row, kind="stable")[:k]
    return [Neighbor(int(i), array.names[i], float(row[i])) for i in order]


def nearest_objects(
    query: Tree,
    library: Sequence[Tree],
    *,
    k: int = 10,
    norm: Norm = DEFAULT_NORM,
    compactify: float | None = None,
    budget: int = DEFAULT_BUDGET,
) -> list[Neighbor]:
    """Return the k objects of a library that are closest by tree distance, ties by position.

    The relaxation bounds the distance from below, so objects are visited in its order and the
    search stops at the first one that cannot enter the ranking any more. `exact` is False where
    the time limit [s] of a pair struck; its distance is then an upper bound.
    """
    _require_positive(k)
    target, trees = contract(query), [contract(tree) for tree in library]
    bounds = [
        relaxed_tree_distance(target, tree, norm=norm, compactify=compactify) for tree in trees
    ]
    price = float(motion_size(target.array, norm=norm, compactify=compactify).sum())
    found: list[Neighbor] = []
    for index in np.argsort(bounds, kind="stable").tolist():
        if len(found) >= k:
            last = found[k - 1].distance
            # A bound is a difference of prices: ties must not be lost to its rounding.
            if bounds[index] > last + ROUNDING * (price + last):
                break
        result = tree_distance(
            target, trees[index], norm=norm, compactify=compactify, budget=budget
        )
        found.append(Neighbor(index, trees[index].name, result.value, result.exact))
        found.sort(key=lambda neighbor: (neighbor.distance, neighbor.index))
    return found[:k]


def _require_positive(k: int) -> None:
    if k < 1:
        raise ValueError(f"`k` is {k}; ask for at least one neighbor.")
