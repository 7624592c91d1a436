# SPDX-License-Identifier: Apache-2.0
"""The kinematic tree of a URDF document in the object frame, with helical pairs folded.

The object frame is the root link's frame at rest. URDF represents a helical joint by two standard
joints: a revolute one to a carrier link without geometry, then a prismatic one on the same axis
that mimics it with the pitch as multiplier (m/rad). Folding turns the pair into one joint again.

Limits that a file does not state are read in one of two ways. ``"urdf"`` follows the rules of URDF:
an absent bound of a `<limit>` is 0, a rotation without `<limit>` is continuous. ``"unbounded"`` is
for predictions: a revolute or prismatic joint without any bound keeps its type, is unbounded and
says that its limits are absent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArgumentError, JointError, UrdfError, shown
from aa_dataset.kinematics.bodies import BodyError, RigidBody, merge_bodies
from aa_dataset.kinematics.joints import Joint, JointType, LimitSource, Mimic
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import (
    COMPOUND_TYPES,
    UrdfJoint,
    UrdfLink,
    UrdfModel,
    parse_urdf,
)
from aa_dataset.portable import applied, dot, length, product
from aa_dataset.untrusted.safe_xml import XmlBudget

Array = NDArray[np.float64]
AbsentLimits = Literal["urdf", "unbounded"]

# Two axes are one line below this sine and this distance relative to 1 m: above the rounding error
# of a file with six digits, far below any real mechanism.
COLLINEAR_TOLERANCE = 1e-5


def read_tree(
    path: Path | str,
    *,
    budget: XmlBudget | None = None,
    fold: bool = True,
    absent: AbsentLimits = "urdf",
) -> KinematicTree:
    """Read a URDF file and return its kinematic tree with bodies, helical pairs folded.

    With ``fold=False`` the two URDF joints of a helical joint are kept. `absent` is how limits are
    read that the file does not state, see above.
    """
    budget = budget or XmlBudget()
    with Path(path).open("rb") as stream:
        data = stream.read(budget.max_bytes + 1)  # one byte more shows that it is too large
    return urdf_tree(parse_urdf(data, budget=budget), fold=fold, absent=absent)


def urdf_tree(
    model: UrdfModel, *, fold: bool = True, absent: AbsentLimits = "urdf"
) -> KinematicTree:
    """Return the kinematic tree of a document, in the root link's frame at rest.

    Movable joints get the welded body of their child if all of its inertials are usable. Welded
    links without geometry and inertial weigh nothing.
    """
    if absent not in get_args(AbsentLimits):
        known = " or ".join(map(repr, get_args(AbsentLimits)))
        raise ArgumentError(f"`absent` is {shown(absent)}, expected {known}.")
    unfolded = KinematicTree(
        model.name, tuple(link.name for link in model.links), _object_frame_joints(model, absent)
    )
    carriers = {link.name for link in model.links if not link.visuals and not link.collisions}
    tree = fold_helical(unfolded, carriers) if fold else unfolded
    weightless = {link.name for link in model.links if link.name in carriers and not link.inertial}
    return _with_bodies(tree, link_bodies(model, rest_frames(model)), weightless)


def urdf_joint(model: UrdfModel, name: str) -> Joint:
    """Return one joint as written, in the frame of its root, even if the tree is invalid.

    Other joints with several degrees of freedom, a second root and couplings are ignored; the body
    is not read.
    """
    chain = [joint for joint in model.joints if joint.name == name]
    if len(chain) != 1:
        raise JointError(name, "name", f"the document has {len(chain)} joints of that name.")
    above = {joint.child: joint for joint in model.joints}
    while chain[-1].parent in above and len(chain) <= len(model.joints):  # also ends for a cycle
        chain.append(above[chain[-1].parent])
    links = dict.fromkeys(end for joint in chain for end in (joint.parent, joint.child))
    part = UrdfModel(model.name, tuple(UrdfLink(link) for link in links), tuple(chain))
    return _object_frame_joint(chain[0], rest_frames(part)[chain[0].child], "urdf")


def rest_frames(model: UrdfModel) -> dict[str, Array]:
    """Return the frame of every link at rest, (4, 4) in the root link's frame."""
    edges = tuple(_fixed_edge(joint) for joint in model.joints)
    order = KinematicTree(model.name, tuple(link.name for link in model.links), edges)
    poses = {joint.child: joint.pose for joint in model.joints}
    frames = {order.root: np.eye(4)}
    for edge in order.joints:
        frames[edge.child] = product(frames[edge.parent], poses[edge.child])
    return frames


def _fixed_edge(joint: UrdfJoint) -> Joint:
    """Return a fixed joint between the same links, used only for ordering."""
    return Joint(
        joint.name,
        JointType.FIXED,
        np.zeros(3),
        np.zeros(3),
        parent=joint.parent,
        child=joint.child,
    )


def _object_frame_joints(model: UrdfModel, absent: AbsentLimits) -> tuple[Joint, ...]:
    frames = rest_frames(model)
    return tuple(_object_frame_joint(joint, frames[joint.child], absent) for joint in model.joints)


def _object_frame_joint(joint: UrdfJoint, frame: Array, absent: AbsentLimits) -> Joint:
    if joint.type in COMPOUND_TYPES:
        raise UrdfError(
            "joint_type_unknown",
            f"joint {joint.name!r}: a {joint.type} joint has more than one degree of freedom.",
        )
    kind, source = JointType(joint.type), LimitSource.GIVEN
    lower, upper = _joint_limits(joint, kind)
    if absent == "unbounded" and _lacks_limits(joint, kind):
        lower, upper, source = -math.inf, math.inf, LimitSource.ABSENT
    elif kind is JointType.REVOLUTE and not joint.has_limit:
        kind = JointType.CONTINUOUS
    axis = np.array([1.0, 0.0, 0.0]) if joint.axis is None else joint.axis
    return Joint(
        joint.name,
        kind,
        applied(frame[:3, :3], axis),
        frame[:3, 3],
        lower=lower,
        upper=upper,
        parent=joint.parent,
        child=joint.child,
        mimic=joint.mimic,
        limit_source=source,
    )


def _lacks_limits(joint: UrdfJoint, kind: JointType) -> bool:
    """Return whether a joint that needs limits states none, with or without a `<limit>`."""
    needs = kind in (JointType.REVOLUTE, JointType.PRISMATIC)
    return needs and joint.lower is None and joint.upper is None


def _joint_limits(joint: UrdfJoint, kind: JointType) -> tuple[float, float]:
    """Return the limits by the rules of URDF: an absent bound of a `<limit>` is 0."""
    if kind is JointType.PRISMATIC and not joint.has_limit:
        return -math.inf, math.inf
    return joint.lower or 0.0, joint.upper or 0.0


def fold_helical(tree: KinematicTree, carriers: set[str]) -> KinematicTree:
    """Replace every rotation, carrier and coupled slide by one helical joint.

    Parameters
    ----------
    tree : KinematicTree
        The tree before folding.
    carriers : set of str
        Links without geometry, the only ones that may be removed.
    """
    pairs = helical_pairs(tree, carriers)
    gone = {turn.child for turn, _ in pairs.values()}
    slides = {slide.name for _, slide in pairs.values()}
    joints = [
        _helical_joint(*pairs[joint.name]) if joint.name in pairs else joint
        for joint in tree.joints
        if joint.name not in slides
    ]
    drivers = {slide.name: pair for pair in pairs.values() for slide in pair[1:]}
    joints = [_following_turn(joint, drivers) for joint in joints]
    links = tuple(link for link in tree.links if link not in gone)
    return KinematicTree(tree.name, links, tuple(joints))


def helical_pairs(tree: KinematicTree, carriers: set[str]) -> dict[str, tuple[Joint, Joint]]:
    """Return rotation and slide of what `fold_helical` folds, by the name of the rotation."""
    by_child = {joint.child: joint for joint in tree.joints}
    out_degree: dict[str, int] = {}
    for joint in tree.joints:
        out_degree[joint.parent] = out_degree.get(joint.parent, 0) + 1
    pairs = {}
    for slide in tree.joints:
        turn = by_child.get(slide.parent)
        if (
            turn is not None
            and turn.child in carriers
            and out_degree[turn.child] == 1
            and _is_screw(turn, slide)
        ):
            pairs[turn.name] = (turn, slide)
    return pairs


def _is_screw(turn: Joint, slide: Joint) -> bool:
    coupled = slide.mimic is not None and slide.mimic.joint == turn.name
    return (
        coupled
        and turn.type in (JointType.REVOLUTE, JointType.CONTINUOUS)
        and slide.type is JointType.PRISMATIC
        and slide.mimic is not None
        and slide.mimic.offset == 0.0
        and slide.mimic.multiplier != 0.0
        and float(length(np.cross(turn.axis, slide.axis))) < COLLINEAR_TOLERANCE
    )


def _following_turn(joint: Joint, drivers: Mapping[str, tuple[Joint, Joint]]) -> Joint:
    """Redirect a joint that follows a removed slide to the rotation that drives the slide."""
    if joint.mimic is None or joint.mimic.joint not in drivers:
        return joint
    turn, slide = drivers[joint.mimic.joint]
    assert slide.mimic is not None  # _is_screw looked
    factor = joint.mimic.multiplier * slide.mimic.multiplier
    return replace(joint, mimic=Mimic(turn.name, factor, joint.mimic.offset))


def _helical_joint(turn: Joint, slide: Joint) -> Joint:
    assert slide.mimic is not None  # _is_screw looked
    sign = 1.0 if float(dot(turn.axis, slide.axis)) > 0 else -1.0
    (lower, upper), source = turn.limits, turn.limit_source
    is_open = turn.type is JointType.CONTINUOUS or source is LimitSource.ABSENT
    if is_open and slide.limit_source is LimitSource.GIVEN and slide.lower < slide.upper:
        # The slide's coordinate is multiplier times angle, for either sign of its axis.
        lower, upper = sorted(end / slide.mimic.multiplier for end in slide.limits)
        source = LimitSource.GIVEN
    return Joint(
        turn.name,
        JointType.HELICAL,
        turn.axis,
        turn.origin,
        lower=lower,
        upper=upper,
        pitch=sign * slide.mimic.multiplier,
        parent=turn.parent,
        child=slide.child,
        mimic=turn.mimic,
        limit_source=source,
    )


def link_bodies(model: UrdfModel, frames: Mapping[str, Array]) -> dict[str, RigidBody]:
    """Return the body of every link whose inertial is usable, in the object frame at rest."""
    bodies = {}
    for link in model.links:
        body = _link_body(link, frames[link.name])
        if body is not None:
            bodies[link.name] = body
    return bodies


def _link_body(link: UrdfLink, frame: Array) -> RigidBody | None:
    if link.inertial is None:
        return None
    placed = product(frame, link.inertial.pose)
    try:
        return RigidBody(link.inertial.mass, np.zeros(3), link.inertial.inertia).moved(placed)
    except BodyError:
        return None


def _with_bodies(
    tree: KinematicTree, bodies: Mapping[str, RigidBody], weightless: set[str]
) -> KinematicTree:
    """Give each movable joint the welded body of its child, in one pass over the tree."""
    head = {tree.root: tree.root}
    clusters: dict[str, list[str]] = {tree.root: [tree.root]}
    for joint in tree.joints:
        head[joint.child] = joint.child if joint.is_movable else head[joint.parent]
        clusters.setdefault(head[joint.child], []).append(joint.child)
    joints = tuple(
        _with_body(
            joint, [bodies.get(link) for link in clusters[joint.child] if link not in weightless]
        )
        if joint.is_movable
        else joint
        for joint in tree.joints
    )
    return KinematicTree(tree.name, tree.links, joints)


def _with_body(joint: Joint, parts: list[RigidBody | None]) -> Joint:
    bodies = [part for part in parts if part is not None]
    if not bodies or len(bodies) < len(parts):
        return joint
    return joint.with_body(merge_bodies(bodies))
