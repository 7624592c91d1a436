# SPDX-License-Identifier: Apache-2.0
"""Baselines that change the truth: noise, missing, spurious and mistyped joints."""

from __future__ import annotations

import math
from dataclasses import replace

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import dot
from aa_dataset.random_streams import Draws
from aa_dataset.score.baselines.shapes import (
    KnownShape,
    free_name,
    moving,
    welded,
    with_changed_joints,
)

QUARTER_TURN = math.pi / 2  # range of a spurious hinge [rad]


def noise(tree: KinematicTree, shape: KnownShape, *, sigma: float, seed: int) -> KinematicTree:
    """Return the tree with noise of size `sigma` on every moving joint.

    The random directions depend on the seed, the object and the joint, never on `sigma`:

    - axis ``a``: ``a + sigma t``, normalized, with a random t perpendicular to a, so that the tilt
      is the arc tangent of ``sigma |t|`` [rad];
    - origin: moved by `sigma` times the diagonal of the object in a random direction;
    - limits: both times ``1 + sigma |n|`` or its inverse, as the random number n is positive or
      negative. A range never changes sides, so it is farther away for a larger `sigma`.
    """

    def disturbed(joint: Joint) -> Joint:
        draws = Draws(seed, "noise", shape.object_id, joint.name)
        tilt, shift, stretch = draws.normals(), draws.normals(), draws.normal()
        across = tilt - float(dot(tilt, joint.axis)) * joint.axis
        size = 1 + sigma * abs(stretch)
        factor = size if stretch >= 0 else 1 / size
        return replace(
            joint,
            axis=joint.axis + sigma * across,
            origin=joint.origin + sigma * shape.diagonal * shift,
            lower=joint.lower * factor,
            upper=joint.upper * factor,
        )

    return with_changed_joints(tree, disturbed)


def drop(tree: KinematicTree, shape: KnownShape, *, count: int, seed: int) -> KinematicTree:
    """Return the tree with `count` moving joints fixed, all if there are fewer.

    The joints have a random order per object, so a larger count drops the same joints and more.
    """
    names = [joint.name for joint in moving(tree)]
    order = sorted(
        names, key=lambda name: (Draws(seed, "drop", shape.object_id, name).uniform(), name)
    )
    lost = set(order[:count])
    return with_changed_joints(tree, lambda joint: welded(joint) if joint.name in lost else joint)


def spurious(tree: KinematicTree, shape: KnownShape, *, count: int, seed: int) -> KinematicTree:
    """Return the tree with `count` hinges more.

    Each hangs on a random link, has a random axis through a random point of the bounding box, and
    the range [0, pi/2].
    """
    links, joints = list(tree.links), list(with_changed_joints(tree, lambda joint: joint).joints)
    taken = {joint.name for joint in joints} | set(links)
    for k in range(count):
        draws = Draws(seed, "spurious", shape.object_id, str(k))
        name = free_name(f"spurious_{k}", taken)
        axis, parent = draws.normals(), tree.links[draws.below(len(tree.links))]
        origin = shape.extents * [draws.uniform() - 0.5 for _ in range(3)]
        joints.append(
            Joint(
                name,
                JointType.REVOLUTE,
                axis,
                origin,
                upper=QUARTER_TURN,
                parent=parent,
                child=name,
            )
        )
        links.append(name)
    return KinematicTree(tree.name, tuple(links), tuple(joints))


def wrong_type(tree: KinematicTree, shape: KnownShape) -> KinematicTree:
    """Return the tree with every hinge a slide and every slide a hinge, along the same axes.

    A radian counts as half the diagonal r of the object, so a range [l, u] of a hinge becomes
    [l r, u r] of a slide and the reverse. A continuous joint becomes a slide of [-r, r], an
    unbounded slide a continuous joint. Couplings are left out.
    """
    radius = shape.diagonal / 2

    def swapped(joint: Joint) -> Joint:
        unbounded = any(map(math.isinf, joint.limits))
        if joint.type is JointType.PRISMATIC:
            kind = JointType.CONTINUOUS if unbounded else JointType.REVOLUTE
            lower, upper = (end / radius for end in joint.limits)
        else:
            kind = JointType.PRISMATIC
            lower, upper = (end * radius for end in ((-1.0, 1.0) if unbounded else joint.limits))
        return replace(joint, type=kind, lower=lower, upper=upper, pitch=0.0, mimic=None)

    return with_changed_joints(tree, swapped)
