# SPDX-License-Identifier: Apache-2.0
"""What every independent joint of a tree moves at rest: mass, and inertia about its coordinate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import applied, dot

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Load:
    """What a joint moves together with its followers.

    Attributes
    ----------
    mass : float [kg]
        Of all links that move.
    inertia : float [kg m^2 or kg]
        Twice the kinetic energy at unit rate.
    links : tuple of str
        The links with a body that move.
    """

    mass: float
    inertia: float
    links: tuple[str, ...]

    @property
    def radius(self) -> float:
        """Path [m] of the matter per unit of the coordinate: radius of gyration, 1 for a slide."""
        return math.sqrt(self.inertia / self.mass)


def moved_loads(tree: KinematicTree, bodies: Mapping[str, RigidBody]) -> dict[str, Load]:
    """Return the load of every independent joint that moves some mass.

    Parameters
    ----------
    tree : KinematicTree
        With helical joints folded.
    bodies : mapping of str to RigidBody
        Bodies of the links in the object frame at rest.
    """
    shares = {joint.name: _leader_and_share(tree, joint) for joint in tree.movable}
    leaders = [joint.name for joint in tree.movable if joint.mimic is None]
    found = {name: _moved_load(tree, name, bodies, shares) for name in leaders}
    return {name: load for name, load in found.items() if load.mass > 0 and load.inertia > 0}


def _moved_load(
    tree: KinematicTree,
    leader: str,
    bodies: Mapping[str, RigidBody],
    shares: Mapping[str, tuple[str, float]],
) -> Load:
    twists: dict[str, Array] = {}
    for joint in tree.joints:
        driver, share = shares.get(joint.name, ("", 0.0))
        if driver == leader:
            twists[joint.child] = twists.get(joint.parent, np.zeros(6)) + share * joint.screw
        elif joint.parent in twists:
            twists[joint.child] = twists[joint.parent]
    moved = {link: twist for link, twist in twists.items() if link in bodies and twist.any()}
    mass = math.fsum(bodies[link].mass for link in moved)
    inertia = math.fsum(_doubled_energy(bodies[link], twist) for link, twist in moved.items())
    return Load(mass, inertia, tuple(moved))


def _leader_and_share(tree: KinematicTree, joint: Joint) -> tuple[str, float]:
    """Return the independent joint that moves a joint, and the joint's rate per its rate."""
    share = 1.0
    while joint.mimic is not None:
        share *= joint.mimic.multiplier
        joint = tree.joint(joint.mimic.joint)
    return joint.name, share


def _doubled_energy(body: RigidBody, twist: Array) -> float:
    """Return twice the kinetic energy [kg m^2 or kg] of a body that moves by a twist (6,)."""
    spin, velocity = twist[:3], twist[3:] + np.cross(twist[:3], body.center)
    return float(dot(spin, applied(body.inertia, spin)) + body.mass * dot(velocity, velocity))
