# SPDX-License-Identifier: Apache-2.0
"""What a drawing says, as JSON types."""

from __future__ import annotations

from typing import Any

from aa_dataset.draw.trees import Marks
from aa_dataset.kinematics.joints import Mimic
from aa_dataset.kinematics.trees import KinematicTree


def tree_content(tree: KinematicTree, marks: Marks) -> dict[str, Any]:
    """Return root, joints and what the links are; limits [rad or m] may be infinite."""
    joints = [
        {
            "name": joint.name,
            "type": str(joint.type),
            "parent": joint.parent,
            "child": joint.child,
            "lower": joint.lower,
            "upper": joint.upper,
            "pitch": joint.pitch,
            "mimic": _mimic_content(joint.mimic),
            "mark": marks.labels.get(joint.name),
        }
        for joint in tree.joints
    ]
    return {"root": tree.root, "joints": joints, "semantics": dict(marks.semantics)}


def _mimic_content(mimic: Mimic | None) -> dict[str, Any] | None:
    if mimic is None:
        return None
    return {"joint": mimic.joint, "multiplier": mimic.multiplier, "offset": mimic.offset}
