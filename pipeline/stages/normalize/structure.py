# SPDX-License-Identifier: Apache-2.0
"""The tree of the normalized object: empty links dissolved, a root with geometry, plain names.

Joints are stored in the object frame at rest, so moving a joint to another link that is rigidly
connected to its parent does not change the motion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from aa_dataset.kinematics import Joint, KinematicTree

NAME_LENGTH = 48
# Drake and pinocchio have a link of their own with these names.
RESERVED = ("universe", "world")


def dissolve_empty(tree: KinematicTree, filled: set[str]) -> KinematicTree:
    """Remove links without geometry below fixed joints, and an empty root.

    Parameters
    ----------
    tree : KinematicTree
        Helical pairs folded.
    filled : set of str
        Links with geometry.
    """
    return _rerooted(_without_empty_children(tree, filled), filled)


def _without_empty_children(tree: KinematicTree, filled: set[str]) -> KinematicTree:
    stands_for = {tree.root: tree.root}
    joints = []
    for joint in tree.joints:
        parent = stands_for[joint.parent]
        if joint.child in filled or joint.is_movable:
            stands_for[joint.child] = joint.child
            joints.append(replace(joint, parent=parent))
        else:
            stands_for[joint.child] = parent
    links = (tree.root, *(joint.child for joint in joints))
    return KinematicTree(tree.name, links, tuple(joints))


def _rerooted(tree: KinematicTree, filled: set[str]) -> KinematicTree:
    """Make the first link that is fixed to an empty root the new root."""
    welded = [j for j in tree.joints if j.parent == tree.root and not j.is_movable]
    if tree.root in filled or not welded:
        return tree
    heir = welded[0]
    joints = tuple(
        replace(joint, parent=heir.child) if joint.parent == tree.root else joint
        for joint in tree.joints
        if joint is not heir
    )
    return KinematicTree(tree.name, tuple(name for name in tree.links if name != tree.root), joints)


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is in use, and reserve it."""
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    taken.add(candidate)
    return candidate


def plain_names(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a unique name in `[a-z0-9_]+` for every given name, in the given order."""
    used, out = set(taken), {}
    for name in names:
        base = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:NAME_LENGTH] or "part"
        out[name] = free_name(base, used)
    return out


def renamed(tree: KinematicTree) -> tuple[KinematicTree, dict[str, str], dict[str, str]]:
    """Give every link and joint its plain name, the root `base`; return both maps as well.

    No joint has the name of a link: pinocchio keeps both in one list and refuses such a document.
    """
    links = {tree.root: "base"} | plain_names(tree.links[1:], ("base", *RESERVED))
    joints = plain_names((joint.name for joint in tree.joints), {*links.values(), *RESERVED})
    moved = tuple(_renamed_joint(joint, links, joints) for joint in tree.joints)
    named = KinematicTree("object", tuple(links[name] for name in tree.links), moved)
    return named, links, joints


def _renamed_joint(joint: Joint, links: dict[str, str], joints: dict[str, str]) -> Joint:
    mimic = joint.mimic
    if mimic is not None:
        mimic = replace(mimic, joint=joints[mimic.joint])
    return replace(
        joint,
        name=joints[joint.name],
        parent=links[joint.parent],
        child=links[joint.child],
        mimic=mimic,
    )
