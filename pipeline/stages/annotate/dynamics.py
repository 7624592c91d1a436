# SPDX-License-Identifier: Apache-2.0
"""Damping, friction and armature of every joint, by one rule from what it moves and how far.

A joint with its followers moves mass m [kg] with inertia J [kg m^2 or kg] about its coordinate, so
a point of it moves by k = sqrt(J / m) per unit of the coordinate on average: the radius of gyration
of a hinge, 1 of a slide. The README of this stage states the rule and its reasons.
"""

from __future__ import annotations

import math
from dataclasses import replace

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.loads import Load, moved_loads
from aa_dataset.kinematics.urdf import Dynamics, UrdfModel
from aa_dataset.kinematics.urdf_tree import link_bodies, rest_frames, urdf_tree
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


def with_dynamics(model: UrdfModel) -> UrdfModel:
    """Return the document with the dynamics of every joint that leads; the source's are dropped.

    Followers and fixed joints have none: a coupled motion has one resistance, its leader's, which
    counts what the followers move. A helical joint has it at its rotation.
    """
    tree = urdf_tree(model)
    bodies = link_bodies(model, rest_frames(model))
    total = math.fsum(body.mass for body in bodies.values())
    loads = moved_loads(tree, bodies)
    found = {name: joint_dynamics(tree.joint(name), load, total) for name, load in loads.items()}
    joints = tuple(replace(joint, dynamics=found.get(joint.name)) for joint in model.joints)
    return replace(model, joints=joints)


def joint_dynamics(joint: Joint, load: Load, total: float) -> Dynamics:
    """Return the dynamics of one joint of an object of mass `total` [kg]."""
    span = joint.upper - joint.lower
    path = load.radius * (span if math.isfinite(span) else FULL_TURN)
    time = min(LONGEST, math.sqrt(path / HAND)) if path > 0 else LONGEST
    armature = load.inertia * max(ARMATURE, LIGHTEST * total / load.mass)
    friction = FRICTION * load.mass * GRAVITY * load.radius
    if joint.type is JointType.HELICAL:
        friction = max(friction, THREAD * load.mass * GRAVITY * abs(joint.pitch))
    damping = (load.inertia + armature) / time
    return Dynamics(*(rounded(value, DIGITS) for value in (damping, friction, armature)))
