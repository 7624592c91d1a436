# SPDX-License-Identifier: Apache-2.0
"""Random joints, norms and trees in both forms: ours, and that of the authors' package.

It contains none of their code; their package is called as documented.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import articulatearena as authors
import numpy as np
from articulatearena.previous_metrics.component_scores import JointTuple

from aa_dataset.kinematics import Joint, KinematicTree, RigidBody
from aa_dataset.metric import KineticNorm, Norm, RiemannianNorm, SplitNorm
from benchmarks.metric_trees import SHAPES, corrupted, random_tree

KINDS = ("fixed", "revolute", "continuous", "prismatic", "helical", "one-sided")
SHARES = (0.06, 0.34, 0.12, 0.28, 0.14, 0.06)
Ends = tuple[np.ndarray, np.ndarray]
NORMS = ("split", "kinetic", "Riemannian")


@dataclass
class Pair:
    """Two joints of one scale and the norms that measure them, in both forms."""

    first: Joint
    second: Joint
    scale: float
    norms: dict[str, tuple[Norm, Any]]
    body: RigidBody

    @property
    def both(self) -> tuple[Joint, Joint]:
        """The joints in our form."""
        return self.first, self.second

    @cached_property
    def theirs(self) -> list[authors.Joint]:
        """The joints in their form."""
        return [authors_joint(joint) for joint in self.both]

    @cached_property
    def inertia(self) -> authors.LinkInertia:
        """The body in their form."""
        return authors_inertia(self.body)

    @property
    def bounded(self) -> bool:
        """Whether raw E exists."""
        return all(math.isfinite(j.lower) and math.isfinite(j.upper) for j in self.both)


def joint_pairs(rng: np.random.Generator, count: int) -> list[Pair]:
    """Return pairs of joints of all types, 1 cm to 10 m; every third pair is nearly one joint.

    Near pairs differ by a share of 1e-5 or more: the subtraction of endpoints in their package
    leaves eleven digits there, and fewer for nearer joints.
    """
    pairs = []
    for k in range(count):
        scale = 10 ** rng.uniform(-2, 1)
        first = _joint(rng, scale)
        second = _nudged(rng, first, scale) if k % 3 == 0 else _joint(rng, scale)
        body = random_body(rng, scale)
        pairs.append(Pair(first, second, scale, _norms(rng, body), body))
    return pairs


def _joint(rng: np.random.Generator, scale: float) -> Joint:
    kind = str(rng.choice(KINDS, p=SHARES))
    axis, origin = _direction(rng), rng.normal(scale=scale, size=3)
    reach = scale if kind == "prismatic" else 2 * math.pi
    lower, upper = np.sort(rng.uniform(-reach, reach, size=2)).tolist()
    if rng.random() < 0.4:
        lower = 0.0 if upper > 0 else lower
    if kind == "one-sided":
        kind, upper = ("prismatic" if rng.random() < 0.5 else "revolute"), math.inf
    pitch = scale * rng.uniform(-0.2, 0.2) if kind == "helical" else 0.0
    return Joint("joint", kind, axis, origin, lower, upper, pitch)


def _direction(rng: np.random.Generator) -> np.ndarray:
    """Return a direction of any length; one in five lies along an axis of the frame."""
    if rng.random() < 0.2:
        return np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    return rng.normal(size=3)


def _nudged(rng: np.random.Generator, joint: Joint, scale: float) -> Joint:
    size = 10 ** rng.uniform(-5, -1)
    axis = joint.axis + rng.normal(scale=size, size=3)
    origin = joint.origin + rng.normal(scale=size * scale, size=3)
    stretch = 1 + size * rng.uniform(-1, 1)
    out = replace(joint, axis=axis, origin=origin, upper=max(joint.lower, joint.upper * stretch))
    return out.reversed() if rng.random() < 0.5 else out


def _norms(rng: np.random.Generator, body: RigidBody) -> dict[str, tuple[Norm, Any]]:
    """Return one norm of each kind in both forms."""
    alpha = 10 ** rng.uniform(-1, 1)
    root = rng.normal(size=(6, 6)) + 2 * np.eye(6)
    matrix = root.T @ root
    matrix = (matrix + matrix.T) / 2
    kinetic = authors.make_kinetic_energy_norm(authors_inertia(body))
    return {
        "split": (SplitNorm(alpha), authors.make_split_norm(alpha)),
        "kinetic": (KineticNorm(body), kinetic),
        "Riemannian": (RiemannianNorm(matrix), authors.make_riemannian_norm(matrix)),
    }


def random_body(rng: np.random.Generator, scale: float) -> RigidBody:
    """Return an ellipsoid of points with axes of 2 to 50 % of the scale, turned at random."""
    spread = (scale * rng.uniform(0.02, 0.5, size=3)) ** 2
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    mass = 10 ** rng.uniform(-2, 2)
    inertia = mass * turn @ np.diag(spread.sum() - spread) @ turn.T
    return RigidBody(mass, rng.normal(scale=scale, size=3), (inertia + inertia.T) / 2)


def authors_inertia(body: RigidBody) -> authors.LinkInertia:
    """Return a body in their form."""
    return authors.LinkInertia(mass=body.mass, com=body.center, inertia=body.inertia)


def authors_joint(joint: Joint) -> authors.Joint:
    """Return a joint in their form; they write a continuous joint as an unbounded revolute one."""
    kind = "revolute" if joint.type == "continuous" else str(joint.type)
    screw = authors.screw_twist(joint.axis, joint.origin, kind, joint.pitch)
    return authors.Joint(screw, joint.lower, joint.upper, kind)


def authors_tuple(joint: Joint) -> JointTuple:
    """Return a joint in the form of their component scores, which know three types."""
    kind = "revolute" if joint.type in ("continuous", "helical") else str(joint.type)
    return JointTuple(kind, joint.axis, joint.origin, joint.limits)


def authors_ends(own: authors.Joint, norm: Any, kappa: float | None) -> Ends:
    """Return both endpoints by their functions, compactified if kappa is given.

    They compactify finite ends and represent a continuous joint by its boundary points; the
    infinite end of a one-sided range is the boundary point on its side.
    """
    screw = own.xi_hat.data
    if kappa is None:
        pair = authors.joint_to_endpoint_pair(own)
        return pair.u.data, pair.v.data
    ends = []
    for limit in (own.a, own.b):
        if math.isinf(limit):
            far = authors.continuous_joint_repr(screw, norm)
            ends.append(far[0] if limit > 0 else far[1])
        else:
            ends.append(authors.radial_compactify(limit * screw, kappa, norm))
    return ends[0], ends[1]


def authors_distance(pair: Pair, norm: Any, kappa: float | None) -> float:
    """Return E or E^phi of a pair by their functions."""
    ends = [z for joint in pair.theirs for z in authors_ends(joint, norm, kappa)]
    return authors.joint_metric(*ends, norm)


@dataclass(frozen=True)
class TreePair:
    """Two trees, the kappa that their ranges need, and a norm in both forms."""

    first: KinematicTree
    second: KinematicTree
    kappa: float | None
    tied: bool
    norms: tuple[Norm, Any]


def tree_pairs(
    rng: np.random.Generator, count: int, *, least: int = 1, most: int = 5
) -> list[TreePair]:
    """Return pairs of small trees: half unrelated, half a tree and its corruption."""
    pairs = []
    for k in range(count):
        repeats = 0.3 if k % 4 == 3 else 0.0
        first = _tree(rng, least, most, repeats)
        second = corrupted(rng, first) if k % 2 else _tree(rng, least, most, repeats)
        while len(second.movable) > most:  # a corruption may add joints
            second = corrupted(rng, first)
        free = any(math.isinf(j.upper) for j in (*first.movable, *second.movable))
        norms = _norms(rng, random_body(rng, 1.0))[NORMS[k % 3]]
        pairs.append(TreePair(first, second, math.pi if free else None, bool(repeats), norms))
    return pairs


def _tree(rng: np.random.Generator, least: int, most: int, repeats: float) -> KinematicTree:
    count, shape = int(rng.integers(least, most + 1)), str(rng.choice(SHAPES))
    tree = random_tree(rng, count, shape=shape, repeats=repeats)
    if rng.random() < 0.5:
        tree = _bounded(tree)
    return _with_weld(rng, tree) if rng.random() < 0.3 else tree


def _with_weld(rng: np.random.Generator, tree: KinematicTree) -> KinematicTree:
    """Return the tree with one joint fixed, by its type or by a range of zero."""
    joints = list(tree.joints)
    index = int(rng.integers(len(joints)))
    kind = "fixed" if rng.random() < 0.5 else "revolute"
    joints[index] = replace(joints[index], type=kind, lower=0.0, upper=0.0, pitch=0.0)
    return KinematicTree(tree.name, tree.links, tuple(joints))


def _bounded(tree: KinematicTree) -> KinematicTree:
    """Return the tree with its continuous joints limited to one turn, so that raw E exists."""
    joints = [
        replace(j, type="revolute", lower=-math.pi, upper=math.pi) if j.type == "continuous" else j
        for j in tree.joints
    ]
    return KinematicTree(tree.name, tree.links, tuple(joints))


def authors_edges(
    tree: KinematicTree, norm: Any, kappa: float | None
) -> list[tuple[str, str, Ends]]:
    """Return the tree in their form: edges with endpoint pairs, fixed edges included."""
    return [(j.parent, j.child, authors_ends(authors_joint(j), norm, kappa)) for j in tree.joints]
