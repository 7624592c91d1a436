# SPDX-License-Identifier: Apache-2.0
"""Near-duplicates of evaluation objects by motion, which are excluded from training.

Two objects of one category are near-duplicates if the assignment relaxation of E_alpha^phi,tree is
at most the threshold. The relaxation never exceeds the exact distance, so no closer pair is missed,
and it needs no search with a time limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.metric import DEFAULT_SCALE, Skeleton, contract, relaxed_tree_distance


def near_duplicates(
    chosen: Iterable[str],
    categories: Mapping[str, str],
    skeletons: Mapping[str, Skeleton],
    *,
    threshold: float,
) -> dict[str, tuple[str, float]]:
    """Return the nearest chosen object, with its distance, of every other one in the threshold."""
    chosen = set(chosen)
    by_category: dict[str, list[str]] = {}
    for identifier in sorted(chosen):
        by_category.setdefault(categories[identifier], []).append(identifier)
    out = {}
    for identifier in sorted(set(categories) - chosen):
        distances = [
            (_relaxed_distance(skeletons[identifier], skeletons[other]), other)
            for other in by_category.get(categories[identifier], [])
            # An object of one link has no joint, and so no motion to compare.
            if identifier in skeletons and other in skeletons
        ]
        if distances and min(distances)[0] <= threshold:
            distance, other = min(distances)
            out[identifier] = (other, distance)
    return out


def _relaxed_distance(first: Skeleton, second: Skeleton) -> float:
    return relaxed_tree_distance(first, second, compactify=DEFAULT_SCALE)


def read_skeletons(joints: Iterable[Mapping[str, Any]]) -> dict[str, Skeleton]:
    """Return the moving skeleton of every object from the rows of `joints`."""
    by_object: dict[str, list[Joint]] = {}
    for row in joints:
        by_object.setdefault(row["object_id"], []).append(_joint_of_row(row))
    return {
        identifier: contract(_tree_of_rows(identifier, js)) for identifier, js in by_object.items()
    }


def _joint_of_row(row: Mapping[str, Any]) -> Joint:
    return Joint(
        row["joint"],
        JointType(row["type"]),
        np.array(row["axis"]),
        np.array(row["origin"]),
        lower=row["lower"],
        upper=row["upper"],
        pitch=row["pitch"],
        parent=row["parent"],
        child=row["child"],
    )


def _tree_of_rows(identifier: str, joints: list[Joint]) -> KinematicTree:
    links = dict.fromkeys(name for joint in joints for name in (joint.parent, joint.child))
    return KinematicTree(identifier, tuple(links), tuple(joints))
