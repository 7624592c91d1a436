# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies: joints of all types, bodies, norms and small trees."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from aa_dataset.kinematics import Joint, KinematicTree, RigidBody
from aa_dataset.metric import KineticNorm, SplitNorm

MOVING = ("revolute", "prismatic", "helical")


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    """Floats without subnormals, where squares would underflow."""
    return st.floats(low, high).map(lambda x: 0.0 if abs(x) < 1e-9 else x)


vectors = st.tuples(*[numbers(-2, 2)] * 3).map(np.array)
directions = st.tuples(numbers(-1, 1), numbers(0, 2 * math.pi)).map(
    lambda p: np.array(
        [math.sqrt(1 - p[0] ** 2) * math.cos(p[1]), math.sqrt(1 - p[0] ** 2) * math.sin(p[1]), p[0]]
    )
)
ranges = st.tuples(numbers(-4, 4), numbers(-4, 4)).map(sorted)
scales = numbers(0.3, 6.0)


@st.composite
def bounded_joints(draw, kinds=MOVING, name="j"):
    kind = draw(st.sampled_from(kinds))
    lower, upper = draw(ranges)
    pitch = draw(numbers(-0.5, 0.5)) if kind == "helical" else 0.0
    return Joint(name, kind, draw(directions), draw(vectors), lower, upper, pitch)


@st.composite
def joints(draw, name="j"):
    """All five types, with infinite and one-sided ranges."""
    kind = draw(st.sampled_from(("fixed", "continuous", "infinite", "one-sided", *MOVING)))
    if kind in ("fixed", "continuous"):
        return Joint(name, kind, draw(directions), draw(vectors))
    joint = draw(bounded_joints(name=name))
    if kind == "infinite":
        return replace(joint, lower=-math.inf, upper=math.inf)
    if kind == "one-sided":
        return replace(joint, upper=math.inf)
    return joint


@st.composite
def bodies(draw):
    radii = np.array([draw(numbers(0.05, 1.0)) for _ in range(3)])
    # Any three positive second moments make a body; its inertia is their sums in pairs.
    spread = np.maximum(radii, 0.05) ** 2
    axis, angle = draw(directions), draw(numbers(0, math.pi))
    skew = np.cross(np.eye(3), axis)
    turn = np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew
    mass = draw(numbers(0.1, 10.0))
    inertia = mass * turn @ np.diag(spread.sum() - spread) @ turn.T
    return RigidBody(mass, draw(vectors), (inertia + inertia.T) / 2)


norms = st.one_of(numbers(0.1, 5.0).map(SplitNorm), bodies().map(KineticNorm))


@st.composite
def trees(draw, most=4, joint_strategy=None, name="tree"):
    count = draw(st.integers(0, most))
    pool = joint_strategy if joint_strategy is not None else bounded_joints()
    edges = []
    for k in range(count):
        parent = draw(st.integers(0, k))
        joint = draw(pool)
        edges.append(replace(joint, name=f"{name}{k}", parent=f"l{parent}", child=f"l{k + 1}"))
    return KinematicTree(name, tuple(f"l{k}" for k in range(count + 1)), tuple(edges))
