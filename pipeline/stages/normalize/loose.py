# SPDX-License-Identifier: Apache-2.0
"""A floating root: a mobile robot, or a loose object of a scene, is an object without its world.

A floating joint below the world states that something is not attached, not how it moves. The world
is a root without geometry, or with a name such as `world` or `ground`, as MJCF has it. Of what is
attached to it or floats in it, the object is the only branch that has a joint of its own:

* it floats: the joint becomes fixed, and everything else, the floor included, is left out;
* it is attached: loose things without joints, such as a cube to grasp, are left out.

Each has a finding. Several floating branches with joints are several objects, which rejects the
file, as does a floating part of anything that is not a world.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from aa_dataset.kinematics.urdf import UrdfJoint, UrdfLink, UrdfModel
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason

WORLDS = ("floor", "ground", "map", "odom", "universe", "world")


def settle_loose(model: UrdfModel) -> tuple[UrdfModel, list[Finding]]:
    """Return the document without a floating root, and findings about what was left out.

    Raises
    ------
    Rejection
        `joint_floating`, if several loose branches have joints of their own.
    """
    root = _world(model)
    tops = [joint for joint in model.joints if root is not None and joint.parent == root.name]
    if root is None or all(joint.type != "floating" for joint in tops):
        return model, []
    branches = _branches(model, tops)
    moving = [joint for joint in tops if _moves(model, joint, branches[joint.name])]
    if not moving and len(tops) > 1:
        names = ", ".join(repr(joint.child) for joint in tops)
        detail = f"nothing in the file has a joint; {names} are fixed to the world or loose."
        raise Rejection(Reason.JOINT_FLOATING, detail)
    chosen = moving[0] if moving else tops[0]
    loose = [joint for joint in moving if joint.type == "floating"]
    if loose and len(moving) > 1:
        names = ", ".join(repr(joint.child) for joint in moving)
        detail = f"{names} are several objects in one file, not attached to each other."
        raise Rejection(Reason.JOINT_FLOATING, f"{detail} Write a file for each of them.")
    if chosen.type == "floating":
        return _keep_branch(model, root, chosen, branches[chosen.name])
    return _drop_branches(model, [joint for joint in tops if joint.type == "floating"], branches)


def _world(model: UrdfModel) -> UrdfLink | None:
    """Return the only root, if it is a world."""
    children = {joint.child for joint in model.joints}
    roots = [link for link in model.links if link.name not in children]
    if len(roots) != 1:
        return None
    (root,) = roots
    is_empty = not root.visuals and not root.collisions
    return root if is_empty or root.name.lower() in WORLDS else None


def _branches(model: UrdfModel, tops: Iterable[UrdfJoint]) -> dict[str, set[str]]:
    """Return the links below each joint of the root, by the joint."""
    below: dict[str, list[str]] = {}
    for joint in model.joints:
        below.setdefault(joint.parent, []).append(joint.child)
    branches = {}
    for top in tops:
        links, waiting = set(), [top.child]
        while waiting:
            link = waiting.pop()
            if link not in links:
                links.add(link)
                waiting += below.get(link, [])
        branches[top.name] = links
    return branches


def _moves(model: UrdfModel, top: UrdfJoint, links: set[str]) -> bool:
    own = [joint for joint in model.joints if joint.parent in links]
    return any(joint.type not in ("fixed", "floating") for joint in (top, *own))


def _keep_branch(
    model: UrdfModel, root: UrdfLink, top: UrdfJoint, links: set[str]
) -> tuple[UrdfModel, list[Finding]]:
    """Return one branch, fixed to the empty root, so that it keeps its orientation."""
    kept = tuple(link for link in model.links if link.name in links)
    weld = replace(top, type="fixed", axis=None, has_limit=False)
    joints = tuple(joint for joint in model.joints if joint.parent in links)
    detail = f"joint {top.name}: {top.child!r} floats; the joint became fixed."
    if len(kept) + 1 < len(model.links) or root.visuals or root.collisions:
        detail = f"{detail[:-1]}, and everything else was left out."
    alone = replace(model, links=(UrdfLink(root.name), *kept), joints=(weld, *joints))
    return alone, [Finding(Code.FREE_ROOT, detail)]


def _drop_branches(
    model: UrdfModel, tops: list[UrdfJoint], branches: dict[str, set[str]]
) -> tuple[UrdfModel, list[Finding]]:
    """Return the document without the branches of some joints."""
    gone = {link for top in tops for link in branches[top.name]}
    names = ", ".join(repr(top.child) for top in tops)
    detail = f"{names} is loose, without joints of its own; it was left out."
    links = tuple(link for link in model.links if link.name not in gone)
    joints = tuple(joint for joint in model.joints if joint.child not in gone)
    return replace(model, links=links, joints=joints), [Finding(Code.FREE_ROOT, detail)]
