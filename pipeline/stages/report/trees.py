# SPDX-License-Identifier: Apache-2.0
"""The kinematic tree of an object, from the tables of the report."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.kinematics.joints import Mimic
from pipeline.stages.report.tables import LibraryTables

ROOT = "base"  # the URDF convention's name, needed for an object without joints
_COLUMNS = ("joint", "type", "axis", "origin", "lower", "upper", "pitch", "parent", "child",
            "mimic")  # fmt: skip


def object_tree(tables: LibraryTables, object_id: str) -> KinematicTree:
    """Return the tree of one object, object frame at rest, without rigid bodies."""
    rows = tables.joints.filter(pc.equal(tables.joints["object_id"], object_id))
    joints = [_joint(row) for row in rows.select(_COLUMNS).to_pylist()]
    children = {joint.child for joint in joints}
    root = next((joint.parent for joint in joints if joint.parent not in children), ROOT)
    return KinematicTree(object_id, (root, *(joint.child for joint in joints)), tuple(joints))


def _joint(row: dict[str, Any]) -> Joint:
    mimic = row["mimic"]
    return Joint(
        row["joint"],
        JointType(row["type"]),
        row["axis"],
        row["origin"],
        lower=row["lower"],
        upper=row["upper"],
        pitch=row["pitch"],
        parent=row["parent"],
        child=row["child"],
        mimic=mimic and Mimic(mimic["joint"], mimic["multiplier"], mimic["offset"]),
    )
