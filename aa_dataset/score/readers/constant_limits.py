# SPDX-License-Identifier: Apache-2.0
"""Marks limits that a method writes where it predicts none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree

_LIMITED = (JointType.REVOLUTE, JointType.PRISMATIC)


def with_table(
    tree: KinematicTree, ends: tuple[float, float], where: Callable[[Joint], bool] | None = None
) -> KinematicTree:
    """Return a tree whose joints with exactly these limits say that they are of a table.

    Parameters
    ----------
    tree : KinematicTree
        As the file states it. Bodies are removed: such methods write placeholders.
    ends : tuple of float
        The constant limits [rad or the method's unit].
    where : function, optional
        Which joints can have them; by default all that turn or slide.
    """

    def is_constant(joint: Joint) -> bool:
        here = joint.limits == ends and joint.type in _LIMITED
        return here and (where is None or where(joint))

    if not any(is_constant(joint) or joint.body for joint in tree.joints):
        return tree
    joints = tuple(
        replace(
            joint,
            body=None,
            limit_source=LimitSource.TABLE if is_constant(joint) else joint.limit_source,
        )
        for joint in tree.joints
    )
    return KinematicTree(tree.name, tree.links, joints)
