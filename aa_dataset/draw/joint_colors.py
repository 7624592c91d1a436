# SPDX-License-Identifier: Apache-2.0
"""One color per joint of a tree, the same in a drawing of the tree and in a picture of the object.

More joints than colors share them: what a color says stands also in a label.
"""

from __future__ import annotations

from aa_dataset.draw.layout import depth_first
from aa_dataset.draw.palette import IN_TURN, Color
from aa_dataset.kinematics.trees import KinematicTree


def joint_colors(tree: KinematicTree) -> dict[str, Color]:
    """Return a color for every joint of a tree, in the order in which a drawing lists them.

    The movable joints take the colors of `IN_TURN` in turn, depth first; fixed joints are gray.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint
    >>> lid = Joint("lid", "revolute", [1, 0, 0], [0, 0, 0], 0, 1.5, parent="box", child="lid")
    >>> joint_colors(KinematicTree("chest", ("box", "lid"), (lid,)))
    {'lid': <Color.BLUE: 'blue'>}
    """
    joints, _ = depth_first(tree, most=len(tree.joints))
    movable = [joint.name for joint in joints if joint.is_movable]
    turn = {name: IN_TURN[number % len(IN_TURN)] for number, name in enumerate(movable)}
    return {joint.name: turn.get(joint.name, Color.GRAY) for joint in joints}


def link_colors(tree: KinematicTree) -> dict[str, Color]:
    """Return a color for every link: that of the nearest movable joint above it, else gray."""
    by_joint = joint_colors(tree)
    colors = {tree.root: Color.GRAY}
    for joint in tree.joints:  # parents come before children
        colors[joint.child] = by_joint[joint.name] if joint.is_movable else colors[joint.parent]
    return colors
