# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies: kinematic trees of all five types, as predictions may have them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource

Array = NDArray[np.float64]


class Ends(StrEnum):
    """Which ends of its range a joint states."""

    BOTH = "both"
    LOWER = "lower"
    UPPER = "upper"
    ABSENT = "absent"


class Shape(StrEnum):
    """How the joints of a tree hang together."""

    ANY = "any"
    CHAIN = "chain"  # each joint below the one before
    STAR = "star"  # all joints below the root


ALL_TYPES = tuple(JointType)
MOVING = tuple(kind for kind in JointType if kind is not JointType.FIXED)
ALL_ENDS = tuple(Ends)


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    """Floats without numbers so small that their squares underflow."""
    return st.floats(low, high).map(lambda x: 0.0 if abs(x) < 1e-9 else x)


points = st.tuples(*[numbers(-1, 1)] * 3).map(np.array)


@st.composite
def directions(draw) -> Array:
    """Directions on the sphere, often along an axis."""
    if draw(st.booleans()):
        return draw(st.sampled_from([1.0, -1.0])) * np.eye(3)[draw(st.integers(0, 2))]
    height, angle = draw(numbers(-1, 1)), draw(numbers(0, 2 * math.pi))
    across = math.sqrt(1 - height**2)
    return np.array([across * math.cos(angle), across * math.sin(angle), height])


@st.composite
def ranges(draw, ends: Ends, most: float) -> tuple[float, float]:
    """Ranges of at least 0.01, with or without the rest state 0 in them."""
    lower = draw(numbers(-most, most - 0.01))
    upper = draw(numbers(lower + 0.01, most))
    return (
        lower if ends in (Ends.BOTH, Ends.LOWER) else -math.inf,
        upper if ends in (Ends.BOTH, Ends.UPPER) else math.inf,
    )


@st.composite
def joints(
    draw,
    name: str,
    parent: str,
    child: str,
    *,
    types: Sequence[JointType] = ALL_TYPES,
    ends: Sequence[Ends] = ALL_ENDS,
) -> Joint:
    """Joints of some types; angles within half a turn, travel within 0.6 m."""
    kind = draw(st.sampled_from(list(types)))
    axis, origin = draw(directions()), draw(points)
    if kind in (JointType.FIXED, JointType.CONTINUOUS):
        return Joint(name, kind, axis, origin, parent=parent, child=child)
    stated = draw(st.sampled_from(list(ends)))
    lower, upper = draw(ranges(stated, 0.6 if kind is JointType.PRISMATIC else math.pi))
    pitch = draw(numbers(0.001, 0.2)) if kind is JointType.HELICAL else 0.0
    sign = draw(st.sampled_from([1.0, -1.0]))
    source = LimitSource.ABSENT if stated is Ends.ABSENT else LimitSource.GIVEN
    return Joint(
        name, kind, axis, origin, lower, upper, sign * pitch, parent, child, limit_source=source
    )


@st.composite
def trees(
    draw,
    *,
    types: Sequence[JointType] = ALL_TYPES,
    ends: Sequence[Ends] = ALL_ENDS,
    shape: Shape = Shape.ANY,
    least: int = 1,
    most: int = 8,
) -> KinematicTree:
    """Trees with so many joints, in the object frame at rest [m]; names are unique.

    Parameters
    ----------
    types : sequence of JointType
        The types that occur.
    ends : sequence of Ends
        Which ends revolute, prismatic and helical joints state.
    shape : Shape
        How the joints hang together.
    least, most : int
        The number of joints.
    """
    count = draw(st.integers(least, most))
    edges = []
    for k in range(count):
        above = {Shape.CHAIN: k, Shape.STAR: 0}.get(shape)
        parent = draw(st.integers(0, k)) if above is None else above
        edge = joints(f"joint_{k}", f"part_{parent}", f"part_{k + 1}", types=types, ends=ends)
        edges.append(draw(edge))
    return KinematicTree("thing", tuple(f"part_{k}" for k in range(count + 1)), tuple(edges))
