# SPDX-License-Identifier: Apache-2.0
"""What a baseline may know of an object, and small steps on trees that several share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric.tree.skeleton import is_exactly_fixed
from aa_dataset.objects import ArticulatedObject
from aa_dataset.portable import length

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class KnownShape:
    """The input of a baseline that does not use the truth.

    Attributes
    ----------
    object_id, category, supercategory : str
        Names; the category is given as an input.
    extents : (3,) float [m]
        Size of the bounding box at rest, whose center is the origin of the object frame.
    """

    object_id: str
    category: str
    supercategory: str
    extents: Array

    @classmethod
    def of(cls, item: ArticulatedObject) -> KnownShape:
        """Return what is known of an object without its joints."""
        return cls(item.object_id, item.category, item.supercategory, item.extents)

    @property
    def diagonal(self) -> float:
        """Diagonal of the bounding box [m]."""
        return float(length(self.extents))


def moving(tree: KinematicTree) -> tuple[Joint, ...]:
    """Return the joints that the metric counts: neither fixed nor of range [0, 0]."""
    return tuple(joint for joint in tree.joints if not is_exactly_fixed(joint))


def with_changed_joints(tree: KinematicTree, change: Callable[[Joint], Joint]) -> KinematicTree:
    """Return the tree with every moving joint replaced; bodies are left out of predictions."""
    joints = tuple(
        replace(joint, body=None) if is_exactly_fixed(joint) else replace(change(joint), body=None)
        for joint in tree.joints
    )
    return without_lost_leaders(KinematicTree(tree.name, tree.links, joints))


def welded(joint: Joint) -> Joint:
    """Return a fixed joint between the same links."""
    return Joint(
        joint.name,
        JointType.FIXED,
        joint.axis,
        joint.origin,
        parent=joint.parent,
        child=joint.child,
    )


def without_lost_leaders(tree: KinematicTree) -> KinematicTree:
    """Return the tree without couplings to joints that no longer move."""
    leaders = {joint.name for joint in tree.movable}
    joints = tuple(
        replace(joint, mimic=None)
        if joint.mimic is not None and joint.mimic.joint not in leaders
        else joint
        for joint in tree.joints
    )
    return KinematicTree(tree.name, tree.links, joints)


def one_part_tree(shape: KnownShape, joint: Joint | None) -> KinematicTree:
    """Return a tree of one part on a base, or of a base only."""
    if joint is None:
        return KinematicTree(shape.object_id, ("base",), ())
    placed = replace(joint, name="joint", parent="base", child="part", body=None, mimic=None)
    return KinematicTree(shape.object_id, ("base", "part"), (placed,))


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, with underscores if it is taken, and take it."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name
