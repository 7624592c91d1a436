# SPDX-License-Identifier: Apache-2.0
"""Damping, friction and armature of every joint, by one rule from what it moves and how far.

A joint with its followers moves mass m [kg] with inertia J [kg m^2 or kg] about its coordinate, so
a point of it moves by k = sqrt(J / m) per unit of the coordinate on average: the radius of gyration
of a hinge, 1 of a slide. The README of this stage states the rule and its reasons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import Dynamics, UrdfModel
from aa_dataset.kinematics.urdf_tree import link_bodies, rest_frames, urdf_tree
from aa_dataset.portable import applied, dot
from pipeline.stages.annotate.rounding import rounded

DIGITS = 4  # significant, of what is a rule of thumb
GRAVITY = 9.81  # m/s^2
LONGEST = 0.5  # s, time constant of a free joint: after 2 s it has 2 % of its speed
HAND = 1.0  # m/s^2, acceleration of a part in a hand; short ranges are damped in shorter time
FRICTION = 0.02  # of the weight at radius k
THREAD = 1.5  # of the torque by which the weight turns a screw, so that threads hold
ARMATURE = 0.01  # of J
LIGHTEST = 1e-4  # of the object's mass at radius k: armature of a tiny part
FULL_TURN = 2 * math.pi  # range of a joint without limits


@dataclass(frozen=True, slots=True)
class Load:
    """What a joint moves: mass [kg], inertia [kg m^2 or kg] about its coordinate."""

    mass: float
    inertia: float


def with_dynamics(model: UrdfModel) -> UrdfModel:
    """Return the document with the dynamics of every joint that leads; the source's are dropped.

    Followers and fixed joints have none: a coupled motion has one resistance, its leader's, which
    counts what the followers move. A helical joint has it at its rotation.
    """
    tree = urdf_tree(model)
    bodies = link_bodies(model, rest_frames(model))
    total = math.fsum(body.mass for body in bodies.values())
    shares = {joint.name: _leader_and_share(tree, joint) for joint in tree.movable}
    found = {
        joint.name: joint_dynamics(joint, load, total)
        for joint in tree.movable
        if joint.mimic is None
        and (load := _moved_load(tree, joint.name, bodies, shares)) is not None
    }
    joints = tuple(replace(joint, dynamics=found.get(joint.name)) for joint in model.joints)
    return replace(model, joints=joints)


def joint_dynamics(joint: Joint, load: Load, total: float) -> Dynamics:
    """Return the dynamics of one joint of an object of mass `total` [kg]."""
    radius = math.sqrt(load.inertia / load.mass)
    span = joint.upper - joint.lower
    path = radius * (span if math.isfinite(span) else FULL_TURN)
    time = min(LONGEST, math.sqrt(path / HAND)) if path > 0 else LONGEST
    armature = load.inertia * max(ARMATURE, LIGHTEST * total / load.mass)
    friction = FRICTION * load.mass * GRAVITY * radius
    if joint.type is JointType.HELICAL:
        friction = max(friction, THREAD * load.mass * GRAVITY * abs(joint.pitch))
    damping = (load.inertia + armature) / time
    return Dynamics(*(rounded(value, DIGITS) for value in (damping, friction, armature)))


def _moved_load(
    tree: KinematicTree,
    leader: str,
    bodies: Mapping[str, RigidBody],
    shares: Mapping[str, tuple[str, float]],
) -> Load | None:
    """Return what moves with a joint at rest, followers included; None if nothing has a mass."""
    twists: dict[str, np.ndarray] = {}
    for joint in tree.joints:
        driver, share = shares.get(joint.name, ("", 0.0))
        if driver == leader:
            twists[joint.child] = twists.get(joint.parent, np.zeros(6)) + share * joint.screw
        elif joint.parent in twists:
            twists[joint.child] = twists[joint.parent]
    moved = {link: twist for link, twist in twists.items() if link in bodies and twist.any()}
    mass = math.fsum(bodies[link].mass for link in moved)
    inertia = math.fsum(_doubled_energy(bodies[link], twist) for link, twist in moved.items())
    return Load(mass, inertia) if mass > 0 and inertia > 0 else None


def _leader_and_share(tree: KinematicTree, joint: Joint) -> tuple[str, float]:
    """Return the independent joint that moves a joint, and the joint's rate per its rate."""
    share = 1.0
    while joint.mimic is not None:
        share *= joint.mimic.multiplier
        joint = tree.joint(joint.mimic.joint)
    return joint.name, share


def _doubled_energy(body: RigidBody, twist: np.ndarray) -> float:
    """Return twice the kinetic energy [kg m^2 or kg] of a body that moves by a twist (6,)."""
    spin, velocity = twist[:3], twist[3:] + np.cross(twist[:3], body.center)
    return float(dot(spin, applied(body.inertia, spin)) + body.mass * dot(velocity, velocity))
