# SPDX-License-Identifier: Apache-2.0
"""``rewritten``: the same motions in other encodings, whose distance to the truth is 0.

- Axes: every joint has the opposite axis and negated, exchanged limits. A screw keeps its pitch.
- Origins: slid along the axis by up to a diagonal; those of slides lie anywhere.
- Names: links and joints have other names, in another order.
- Root: another link is the base. Joints on the way to it exchange parent and child and keep their
  screw and limits: in the metric the label of a joint is its twist in the object frame, which no
  base changes (paper, appendix B.5). A simulator reads a joint as the motion of its child, so there
  such a joint moves the other way.
- Welds: a new link between fixed joints, and one that hangs on a joint of range [0, 0].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.random_streams import Draws
from aa_dataset.score.baselines.shapes import KnownShape, free_name


def rewritten(tree: KinematicTree, shape: KnownShape, seed: int) -> KinematicTree:
    """Return the same motions in another encoding."""
    draws = Draws(seed, "rewritten", shape.object_id)
    joints = [_reencoded(joint, shape, seed) for joint in tree.joints]
    root = tree.links[draws.below(len(tree.links))]
    joints = list(_rerooted(tree.links, joints, root))
    names = {*tree.links, *(joint.name for joint in joints)}
    links = free_name("between", names), free_name("hung", names)
    joints = _with_welds(joints, root, links, draws)
    return _renamed(KinematicTree(tree.name, (*tree.links, *links), tuple(joints)))


def _reencoded(joint: Joint, shape: KnownShape, seed: int) -> Joint:
    """Return a joint with the opposite axis and another origin."""
    draws = Draws(seed, "rewritten", shape.object_id, joint.name)
    if not joint.is_movable:
        return joint
    if joint.type is JointType.PRISMATIC:
        origin = joint.origin + shape.diagonal * draws.normals()
    else:
        origin = joint.origin + shape.diagonal * (2 * draws.uniform() - 1) * joint.axis
    # Every coordinate changes its sign, that of a leading joint too, so a coupling
    # ``q = m q0 + b`` becomes ``-q = m (-q0) - b``.
    mimic = joint.mimic and replace(joint.mimic, offset=-joint.mimic.offset)
    return replace(joint.reversed(), origin=origin, body=None, mimic=mimic)


def _rerooted(links: Iterable[str], joints: list[Joint], root: str) -> Iterator[Joint]:
    """Yield the joints with another base; those above it exchange parent and child."""
    beside: dict[str, list[Joint]] = {link: [] for link in links}
    for joint in joints:
        beside[joint.parent].append(joint)
        beside[joint.child].append(replace(joint, parent=joint.child, child=joint.parent))
    seen, queue = {root}, [root]
    for link in queue:  # the list grows during the loop
        for joint in beside[link]:
            if joint.child not in seen:
                seen.add(joint.child)
                queue.append(joint.child)
                yield joint


def _with_welds(
    joints: list[Joint], root: str, links: tuple[str, str], draws: Draws
) -> list[Joint]:
    """Return the joints with two links more that never move; the first lies between others."""
    between, hung = links
    axis, origin = np.array([1.0, 0.0, 0.0]), draws.normals()
    parent, child = root, between
    if joints:
        k = draws.below(len(joints))
        parent, child = between, joints[k].child
        joints = [*joints[:k], replace(joints[k], child=between), *joints[k + 1 :]]
    weld = Joint(between, JointType.FIXED, axis, origin, parent=parent, child=child)
    still = Joint(hung, JointType.REVOLUTE, axis, origin, parent=between, child=hung)
    return [*joints, weld, still]


def _renamed(tree: KinematicTree) -> KinematicTree:
    """Return the tree under other names, joints from last to first."""
    links = {name: f"body_{k}" for k, name in enumerate(tree.links)}
    names = {joint.name: f"motion_{k}" for k, joint in enumerate(reversed(tree.joints))}
    joints = [
        replace(
            joint,
            name=names[joint.name],
            parent=links[joint.parent],
            child=links[joint.child],
            mimic=joint.mimic and replace(joint.mimic, joint=names[joint.mimic.joint]),
        )
        for joint in reversed(tree.joints)
    ]
    return KinematicTree("rewritten", tuple(links.values()), tuple(joints))
