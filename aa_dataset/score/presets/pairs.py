# SPDX-License-Identifier: Apache-2.0
"""Pairs of joints for a preset, from the rows of a scored run.

Presets see limits as the method wrote them, also where the run imputed limits of the truth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from aa_dataset.dataset import Dataset
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import length
from aa_dataset.score.presets.common import JointPair
from aa_dataset.score.readers import PredictionReader

Array = NDArray[np.float64]
# Lower and upper corner of the box of a link [m], by object and link.
Boxes = dict[tuple[str, str], tuple[Array, Array]]
_COLUMNS = ["protocol", "role", "object_id", "joint", "predicted"]


def scored_pairs(
    per_joint: pa.Table, dataset: Dataset, predictions: PredictionReader, protocol: str
) -> tuple[list[JointPair], int]:
    """Return the pairs of a protocol and the number of spurious joints.

    Parameters
    ----------
    per_joint : Table
        The rows of a result; of them the protocol, the role and the names are used.
    dataset : Dataset
        The objects of the run.
    predictions : PredictionReader
        The predictions of the run, in the object frame.
    protocol : str
        ``one-joint`` or ``all-joints``.
    """
    rows = per_joint.select(_COLUMNS)
    rows = rows.filter(pc.equal(rows["protocol"], protocol)).to_pylist()
    boxes = _link_boxes(dataset)
    groups: dict[str, list[tuple[str, str | None]]] = {}
    for row in rows:
        if row["role"] == "truth":
            groups.setdefault(row["object_id"], []).append((row["joint"], row["predicted"]))
    pairs = []
    for object_id, names in groups.items():
        tree = dataset[object_id].tree
        found = any(name is not None for _, name in names)
        guess = predictions.tree(object_id) if found else None
        for joint, partner in names:
            truth = tree.joint(joint)
            diagonal = _part_diagonal(tree, truth, boxes, object_id)
            pairs.append(JointPair(object_id, truth, _joint(guess, partner), diagonal))
    return pairs, sum(row["role"] == "spurious" for row in rows)


def _joint(tree: KinematicTree | None, name: str | None) -> Joint | None:
    return None if tree is None or name is None else tree.joint(name)


def _link_boxes(dataset: Dataset) -> Boxes:
    """Return the boxes of all links with a shape."""
    columns = ["object_id", "link", "bounds_lower", "bounds_upper"]
    table = dataset.catalog.table("links").select(columns)
    table = table.filter(pc.is_in(table["object_id"], value_set=pa.array(dataset.object_ids)))
    return {
        (row["object_id"], row["link"]): (
            np.array(row["bounds_lower"], dtype=float),
            np.array(row["bounds_upper"], dtype=float),
        )
        for row in table.to_pylist()
        if row["bounds_lower"] is not None and row["bounds_upper"] is not None
    }


def _part_diagonal(tree: KinematicTree, joint: Joint, boxes: Boxes, object_id: str) -> float:
    """Return the diagonal [m] of the box around a joint's child and what is welded to it."""
    keys: Iterable[tuple[str, str]] = ((object_id, link) for link in tree.welded(joint.child))
    found = [boxes[key] for key in keys if key in boxes]
    if not found:
        return math.nan
    lower = np.min([low for low, _ in found], axis=0)
    upper = np.max([high for _, high in found], axis=0)
    return float(length(upper - lower))
