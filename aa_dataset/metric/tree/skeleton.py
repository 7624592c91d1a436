# SPDX-License-Identifier: Apache-2.0
"""Kinematic trees reduced for the tree metric: moving joints and their hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArgumentError, shown
from aa_dataset.kinematics.bodies import RigidBody, merge_bodies
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric.endpoints import JointArray
from aa_dataset.metric.foreign import LabeledEdge, edges_tree

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Skeleton:
    """The canonical representative of a tree: every exact fixed edge contracted (appendix B.5).

    Attributes
    ----------
    name : str
        The object's name.
    joints : tuple of Joint
        The moving joints, parents before children, bodies merged across contracted edges.
    array : JointArray
        The same as arrays.
    parents : tuple of int
        For each joint the index of its parent joint, -1 at the base.
    below : (n, n) bool
        ``below[i, k]``: joint k lies strictly below joint i, i.e. on the far side of i.
    """

    name: str
    joints: tuple[Joint, ...]
    array: JointArray
    parents: tuple[int, ...]
    below: Bools

    def __len__(self) -> int:
        return len(self.joints)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the moving joints."""
        return self.array.names


Tree = KinematicTree | Skeleton | Sequence[LabeledEdge]


def contract(tree: Tree) -> Skeleton:
    """Contract every exact fixed edge, merging the bodies it welds.

    A list of edges ``(node, node, endpoint pair)``, the form of the authors' package, is also
    accepted; its joints are named ``#0``, ``#1``, ...

    A joint is exactly fixed if its type is fixed or its range is [0, 0]; no tolerance is needed,
    because the distance is continuous there. `Joint.body` already includes bodies welded by joints
    of *type* fixed, so only bodies behind zero ranges are merged here. No mass is lost: a joint
    without a body takes those welded to it. Bodies welded to the base are dropped, because the base
    does not move.

    Examples
    --------
    >>> lid = Joint("lid", "revolute", [1, 0, 0], [0, 0, 0], 0, 1, parent="box", child="lid")
    >>> knob = Joint("knob", "revolute", [0, 0, 1], [0, 0, 0], 0, 0, parent="lid", child="knob")
    >>> contract(KinematicTree("chest", ("box", "lid", "knob"), (lid, knob))).names
    ('lid',)
    """
    if isinstance(tree, Skeleton):
        return tree
    if isinstance(tree, Sequence) and not isinstance(tree, str):
        tree = edges_tree(tree)
    if not isinstance(tree, KinematicTree):
        raise ArgumentError(
            f"a tree was expected, but the argument is {shown(tree)}; read a file with "
            "`read_tree(path)`, or build `KinematicTree(name, links, joints)`."
        )
    owner: dict[str, int] = {tree.root: -1}
    moving: list[Joint] = []
    parents: list[int] = []
    welded: dict[int, list[RigidBody]] = {}
    for joint in tree.joints:
        above = owner[joint.parent]
        if is_exactly_fixed(joint):
            owner[joint.child] = above
            if joint.is_movable and joint.body is not None and above >= 0:
                welded.setdefault(above, []).append(joint.body)
        else:
            owner[joint.child] = len(moving)
            moving.append(joint)
            parents.append(above)
    for index, bodies in welded.items():
        body = moving[index].body
        parts = bodies if body is None else [body, *bodies]
        moving[index] = replace(moving[index], body=merge_bodies(parts))
    return Skeleton(
        tree.name, tuple(moving), JointArray.of(moving), tuple(parents), _descendants(parents)
    )


def is_exactly_fixed(joint: Joint) -> bool:
    """Whether ``E(J, J0)`` is exactly zero."""
    return not joint.is_movable or (joint.lower == 0.0 and joint.upper == 0.0)


def _descendants(parents: list[int]) -> Bools:
    below = np.zeros((len(parents), len(parents)), dtype=bool)
    for k, parent in enumerate(parents):
        if parent >= 0:
            below[:, k] = below[:, parent]
            below[parent, k] = True
    return below
