# SPDX-License-Identifier: Apache-2.0
"""What several formats do to a tree that they cannot express."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree

Array = NDArray[np.float64]


def shown_link(tree: KinematicTree, link: str, triangles: Mapping[str, Array]) -> str:
    """Return the first link with triangles among those welded to a link, empty without one."""
    return next((one for one in tree.welded(link) if len(triangles.get(one, ()))), "")


def bounded(joint: Joint, travel: float) -> Joint:
    """Return a joint with two finite ends, for formats that have no other.

    A rotation without an end gets half a turn to either side, or a full turn from its only end; a
    slide gets `travel` [m] in place of that.
    """
    if not joint.is_movable:
        return joint
    half = travel if joint.type is JointType.PRISMATIC else math.pi
    lower, upper = joint.limits
    if math.isinf(lower) and math.isinf(upper):
        lower, upper = -half, half
    elif math.isinf(lower):
        lower = upper - 2 * half
    elif math.isinf(upper):
        upper = lower + 2 * half
    kind = JointType.REVOLUTE if joint.type is JointType.CONTINUOUS else joint.type
    return replace(joint, type=kind, lower=lower, upper=upper, limit_source=LimitSource.GIVEN)


def only_shown(
    tree: KinematicTree, triangles: Mapping[str, Array], carriers: Collection[str] = ()
) -> KinematicTree:
    """Return the tree of the links with triangles, for formats whose parts are shapes.

    A link without any is represented by the first one welded below it that has some, else it goes
    into its parent and its joint is lost. The root stays, and so do `carriers`.
    """
    stands: dict[str, str] = {}
    joints = []
    for joint in (None, *tree.joints):
        link = tree.root if joint is None else joint.child
        shown = link if link in carriers else shown_link(tree, link, triangles)
        if joint is None:
            stands[link] = shown or link
            continue
        parent = stands[joint.parent]
        # A welded link that stands for the one above it has no joint of its own.
        stands[link] = shown or parent
        if stands[link] != parent:
            joints.append(replace(joint, parent=parent, child=stands[link], body=None, mimic=None))
    root = stands[tree.root]
    return KinematicTree(tree.name, (root, *(joint.child for joint in joints)), tuple(joints))


def split_helical(tree: KinematicTree, *, is_turn_first: bool) -> tuple[Joint, ...]:
    """Return the joints with a turn and a free slide in place of each helical one."""
    joints: list[Joint] = []
    for joint in tree.joints:
        if joint.type is not JointType.HELICAL:
            joints.append(joint)
            continue
        between = f"{joint.child}_between"
        ends = sorted(end * joint.pitch for end in joint.limits) if joint.pitch else (0.0, 0.0)
        turn = replace(joint, type=JointType.REVOLUTE, pitch=0.0)
        slide = replace(
            turn, name=f"{joint.name}_slide", type=JointType.PRISMATIC, lower=ends[0],
            upper=ends[1], limit_source=LimitSource.GIVEN,
        )  # fmt: skip
        first, second = (turn, slide) if is_turn_first else (slide, turn)
        joints += [replace(first, child=between), replace(second, parent=between)]
    return tuple(joints)
