# SPDX-License-Identifier: Apache-2.0
"""Random kinematic trees and the corruption mix on which the tree distance is measured."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from aa_dataset.kinematics import Joint, KinematicTree

SHAPES = ("starlike", "chain", "caterpillar", "random")


def random_joint(rng: np.random.Generator, name: str) -> Joint:
    """Return a joint of a random type with a range that furniture could have."""
    kinds = ["revolute", "prismatic", "continuous", "helical"]
    kind = rng.choice(kinds, p=[0.45, 0.35, 0.15, 0.05])
    axis = np.eye(3)[rng.integers(3)] * rng.choice([-1, 1]) + rng.normal(scale=0.02, size=3)
    reach = rng.uniform(0.1, 0.6) if kind == "prismatic" else rng.uniform(0.3, 3.0)
    lower = 0.0 if rng.random() < 0.7 else -reach * rng.random()
    pitch = 0.01 if kind == "helical" else 0.0
    return Joint(name, kind, axis, rng.uniform(-0.5, 0.5, 3), lower, reach, pitch)


def random_tree(
    rng: np.random.Generator, count: int, *, shape: str, repeats: float = 0.3
) -> KinematicTree:
    """Return a tree of `count` moving joints; a share of them repeats an earlier joint's motion."""
    parents = [_parent(rng, k, shape) for k in range(count)]
    joints: list[Joint] = []
    for k, parent in enumerate(parents):
        joint = random_joint(rng, f"j{k}")
        if joints and rng.random() < repeats:
            joint = joints[rng.integers(len(joints))]
        joints.append(replace(joint, name=f"j{k}", parent=f"l{parent}", child=f"l{k + 1}"))
    return KinematicTree("random", tuple(f"l{k}" for k in range(count + 1)), tuple(joints))


def _parent(rng: np.random.Generator, k: int, shape: str) -> int:
    if shape == "starlike":
        return 0 if rng.random() < 0.8 else int(rng.integers(k + 1))
    if shape == "chain":
        return k
    if shape == "caterpillar":
        spine = k - k % 2
        return spine
    return int(rng.integers(k + 1))


def corrupted(rng: np.random.Generator, tree: KinematicTree) -> KinematicTree:
    """Apply 1 to 4 edits of perturb, delete, spurious, split and re-attach, then shuffle."""
    edges = [(j.parent, j.child, j) for j in tree.joints]
    edits = (_perturb, _delete, _spurious, _split, _reattach)
    for _ in range(rng.integers(1, 5)):
        edges = edits[rng.integers(len(edits))](rng, edges)
    return _shuffled(rng, edges)


Edge = tuple[str, str, Joint]


def _perturb(rng: np.random.Generator, edges: list[Edge]) -> list[Edge]:
    def moved(joint: Joint) -> Joint:
        if rng.random() < 0.5:
            return joint
        size = rng.uniform(0.01, 0.2)
        axis = joint.axis + rng.normal(scale=size, size=3)
        origin = joint.origin + rng.normal(scale=size, size=3)
        stretch = 1 + rng.normal(scale=size)
        upper = joint.upper if math.isinf(joint.upper) else max(joint.lower, joint.upper * stretch)
        return replace(joint, axis=axis, origin=origin, upper=upper)

    return [(p, c, moved(j)) for p, c, j in edges]


def _delete(rng: np.random.Generator, edges: list[Edge]) -> list[Edge]:
    if len(edges) < 2:
        return edges
    parent, child, _ = gone = edges[rng.integers(len(edges))]
    kept = [e for e in edges if e is not gone]
    return [(parent if p == child else p, c, j) for p, c, j in kept]


def _spurious(rng: np.random.Generator, edges: list[Edge]) -> list[Edge]:
    """Expand a random link: the new link takes a random share of its children."""
    links = [edges[0][0], *(c for _, c, _ in edges)]
    link, new = links[rng.integers(len(links))], f"x{rng.integers(1 << 40)}"
    moved = [(new if p == link and rng.random() < 0.5 else p, c, j) for p, c, j in edges]
    return [*moved, (link, new, random_joint(rng, f"s{new}"))]


def _split(rng: np.random.Generator, edges: list[Edge]) -> list[Edge]:
    """Replace a joint by two along the same screw, each with a share of the range."""
    index = int(rng.integers(len(edges)))
    parent, child, joint = edges[index]
    middle, share = f"x{rng.integers(1 << 40)}", rng.uniform(0.3, 0.7)
    if math.isinf(joint.upper):
        return edges
    low = replace(joint, lower=joint.lower * share, upper=joint.upper * share)
    high = replace(joint, lower=joint.lower * (1 - share), upper=joint.upper * (1 - share))
    rest = edges[:index] + edges[index + 1 :]
    return [*rest, (parent, middle, low), (middle, child, high)]


def _reattach(rng: np.random.Generator, edges: list[Edge]) -> list[Edge]:
    index = int(rng.integers(len(edges)))
    _, child, joint = edges[index]
    below, grew = {child}, True
    while grew:
        grew = False
        for p, c, _ in edges:
            if p in below and c not in below:
                below.add(c)
                grew = True
    links = [x for x in {p for p, _, _ in edges} | {c for _, c, _ in edges} if x not in below]
    target = sorted(links)[rng.integers(len(links))]
    return [*edges[:index], (target, child, joint), *edges[index + 1 :]]


def _shuffled(rng: np.random.Generator, edges: list[Edge]) -> KinematicTree:
    links = sorted({p for p, _, _ in edges} | {c for _, c, _ in edges})
    order = rng.permutation(len(edges))
    joints = tuple(
        replace(edges[k][2], name=f"p{n}", parent=edges[k][0], child=edges[k][1])
        for n, k in enumerate(order)
    )
    return KinematicTree("corrupted", tuple(links), joints)


def knobs(count: int) -> tuple[KinematicTree, KinematicTree]:
    """Return `count` drawers with a knob on each, and the same with every knob on the body."""
    drawer = Joint("d", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.4)
    knob = Joint("k", "continuous", [1, 0, 0], [0.5, 0, 0])
    links = ["body"]
    first, second = [], []
    for k in range(count):
        links += [f"drawer{k}", f"knob{k}"]
        slide = replace(drawer, name=f"d{k}", parent="body", child=f"drawer{k}")
        first += [slide, replace(knob, name=f"k{k}", parent=f"drawer{k}", child=f"knob{k}")]
        second += [slide, replace(knob, name=f"k{k}", parent="body", child=f"knob{k}")]
    return (
        KinematicTree("knobs on drawers", tuple(links), tuple(first)),
        KinematicTree("knobs on the body", tuple(links), tuple(second)),
    )
