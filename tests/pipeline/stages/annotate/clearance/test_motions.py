# SPDX-License-Identifier: Apache-2.0
"""Motions: the affine maps of a piece contain every position on the way, by qhull's facets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics import Joint, JointType, KinematicTree, Mimic
from pipeline.stages.annotate.clearance.carving import APART
from pipeline.stages.annotate.clearance.motions import (
    MOST_TURNS,
    RANDOM_STATES,
    Motion,
    driven_motion,
    driven_range,
    drivers,
    piece_maps,
    random_motion,
    relative,
    rest_motion,
)
from pipeline.stages.annotate.clearance.separation import images

SIZE = 2.0  # m, the diagonal
TURN, SLIDE, SCREW = JointType.REVOLUTE, JointType.PRISMATIC, JointType.HELICAL
# A box of a tenth of the diagonal, near the joints.
CORNERS = np.array([[x, y, z] for x in (0.1, 0.3) for y in (0, 0.15) for z in (0.05, 0.2)])


def joint(name: str, kind: JointType, low: float, high: float, **more: Any) -> Joint:
    """Return a joint between the base and a link of the same name."""
    usual = {"axis": [0, 0, 1], "origin": [0, 0, 0], "parent": "base", "child": f"{name}_link"}
    facts = {"lower": low, "upper": high, **usual, **more}
    return Joint(name, kind, **facts)


def tree(*joints: Joint) -> KinematicTree:
    return KinematicTree("thing", ("base", *(one.child for one in joints)), joints)


def displacement(one: Joint, value: float) -> np.ndarray:
    """Return the displacement (4, 4) of a joint by scipy, lengths in units of the diagonal."""
    made, axis, origin = np.eye(4), np.asarray(one.axis), np.asarray(one.origin) / SIZE
    if one.type is SLIDE:
        made[:3, 3] = value / SIZE * axis
        return made
    turn = Rotation.from_rotvec(value * axis).as_matrix()
    made[:3, :3] = turn
    made[:3, 3] = origin - turn @ origin + value * one.pitch / SIZE * axis
    return made


def outside(hull: np.ndarray, points: np.ndarray) -> float:
    """Return how far points (n, 3) are outside the hull of points, at most."""
    facets = ConvexHull(hull, qhull_options="QJ").equations
    return float((points @ facets[:, :3].T + facets[:, 3]).max())


def arc_excess(turn: float) -> float:
    """Return how far an arc of radius 1 is outside the triangle of its ends and `2 m - e`.

    `m` is the middle of the arc and `e` that of its ends. The arc's highest point along the normal
    ``(s, 2 - 2 c)`` of a side is above the side, which starts at ``(c, s)``.
    """
    c, s = math.cos(turn / 2), math.sin(turn / 2)
    return 1 - s * (2 - c) / math.hypot(s, 2 - 2 * c)


# Of the corners below, on the way of any joint here: all are within 1.3 of all axes.
ARC = 1.3 * arc_excess(math.pi / 6)


def values_between(one: Joint, motion: Motion, count: int = 17) -> list[np.ndarray]:
    """Return coordinates in every coarse piece of a motion that drives a joint evenly."""
    low, high = driven_range(one)
    ends = np.linspace(low, high, len(motion.coarse) + 1)
    return [np.linspace(a, b, count) for a, b in itertools.pairwise(ends)]


def assert_contained(
    motion: Motion, pair: tuple[str, str], way: Sequence[Any], *, slack: float = ARC
) -> None:
    """Check the pieces of a motion of a link seen from another one, coarse and fine.

    `way` has for every coarse piece the true relative displacements (n, 4, 4), evenly in time.
    """
    seen = relative(motion.placements[pair[0]], motion.placements[pair[1]])
    count = motion.fine.shape[1]
    for number in sorted({0, len(way) // 2, len(way) - 1}):
        states = way[number]
        inner = [(motion.fine[number, k], part) for k, part in enumerate(_parts(states, count))]
        for piece, some in [(motion.coarse[number], states), *inner]:
            hull = images(CORNERS, piece_maps(seen, piece[None]))[0]
            points = images(CORNERS, np.asarray(some)[:, None, :3]).reshape(-1, 3)
            assert outside(hull, points) <= slack


def _parts(states: Any, count: int) -> list[Any]:
    """Cut states into parts that share their ends."""
    step = (len(states) - 1) // count
    return [states[k * step : (k + 1) * step + 1] for k in range(count)]


vectors = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: float(np.linalg.norm(v)) > 0.1)
ranges = st.tuples(st.floats(-3, 0), st.floats(0.05, 3)).map(sorted)


@settings(max_examples=12)
@given(st.sampled_from([TURN, SLIDE]), vectors, vectors, ranges)
def test_hinges_and_slides_stay_in_their_pieces(
    kind: JointType, axis: Any, origin: Any, ends: list[float]
) -> None:
    one = joint("a", kind, *ends, axis=axis, origin=origin)
    motion = driven_motion(tree(one), one, size=SIZE)
    way = [[displacement(one, v) for v in some] for some in values_between(one, motion)]
    assert_contained(motion, ("a_link", "base"), way)
    back = [[np.linalg.inv(state) for state in some] for some in way]
    assert_contained(motion, ("base", "a_link"), back)


@settings(max_examples=10)
@given(vectors, st.floats(-0.02, 0.02).filter(lambda p: abs(p) > 1e-3), st.floats(0.5, 12))
def test_screws_stay_in_their_pieces(axis: Any, pitch: float, end: float) -> None:
    one = joint("a", SCREW, 0.0, end, axis=axis, pitch=pitch)
    motion = driven_motion(tree(one), one, size=SIZE)
    way = [[displacement(one, v) for v in some] for some in values_between(one, motion)]
    # Turn and advance do not quite keep step in the triangle: x/X - sin x / sin X <= 0.065 X^2
    # of half the advance, with X half of the piece's turn, at most 15 degrees.
    advance = abs(pitch) / SIZE * math.pi / 12
    slack = ARC + 0.065 * (math.pi / 12) ** 2 * advance
    assert_contained(motion, ("a_link", "base"), way, slack=slack)


@settings(max_examples=12)
@given(vectors, vectors, st.floats(-3, 3).filter(lambda m: abs(m) > 0.1), st.floats(0.2, 2))
def test_coupled_hinges_stay_in_their_pieces_seen_from_each_other(
    axis: Any, origin: Any, multiplier: float, end: float
) -> None:
    first = joint("a", TURN, 0.0, end)
    ends = sorted([0.0, multiplier * end])
    second = joint("b", TURN, *ends, axis=axis, origin=origin,
                   mimic=Mimic("a", multiplier))  # fmt: skip
    motion = driven_motion(tree(first, second), first, size=SIZE)
    pairs = [[(displacement(first, v), displacement(second, multiplier * v)) for v in some]
             for some in values_between(first, motion)]  # fmt: skip
    assert_contained(motion, ("b_link", "base"), [[b for _, b in some] for some in pairs])
    seen = [[np.linalg.inv(a) @ b for a, b in some] for some in pairs]
    # Parts that are `APART` from all pieces do not touch between the states either.
    assert_contained(motion, ("b_link", "a_link"), seen, slack=0.8 * APART)


@pytest.mark.parametrize("kind", [TURN, SLIDE])
@pytest.mark.parametrize("multiplier", [-8.0, 0.5, 25.0])
def test_a_follower_that_turns_faster_stays_in_its_pieces(
    kind: JointType, multiplier: float
) -> None:
    """A crank of a window turns twenty times while the pane slides down."""
    first = joint("a", kind, 0.0, 1.0, axis=[0, 1, 0])
    ends = sorted([0.0, multiplier])
    second = joint("b", TURN, *ends, mimic=Mimic("a", multiplier))
    motion = driven_motion(tree(first, second), first, size=SIZE)
    way = [[displacement(second, multiplier * v) for v in some]
           for some in values_between(first, motion)]  # fmt: skip
    assert_contained(motion, ("b_link", "base"), way)


def test_a_slide_is_one_piece_and_a_turn_is_pieces_of_thirty_degrees() -> None:
    slide, turn = joint("a", SLIDE, 0, 0.4), joint("b", TURN, 0, math.pi / 2)
    both = tree(slide, turn)
    assert driven_motion(both, slide, size=SIZE).coarse.tolist() == [[0, 1]]
    motion = driven_motion(both, turn, size=SIZE)
    assert motion.coarse.shape == (3, 3)
    assert motion.fine.shape == (3, 4, 3)
    assert motion.groups["a_link"] == motion.groups["base"] != motion.groups["b_link"]


def test_a_screw_of_up_to_sixteen_turns_is_driven_through_all_of_them() -> None:
    one = joint("a", SCREW, 0.0, 32 * math.pi, pitch=0.01)
    motion = driven_motion(tree(one), one, size=SIZE)
    advance = motion.placements["a_link"][:, 2, 3] * SIZE / 0.01
    starts, ends = advance[motion.coarse[:, :2]].T
    assert starts == pytest.approx(math.pi / 6 * np.arange(192))
    assert ends == pytest.approx(math.pi / 6 * np.arange(1, 193))


def test_a_longer_screw_is_driven_eight_turns_from_each_end() -> None:
    one = joint("a", SCREW, 0.0, 80 * math.pi, pitch=0.01)
    motion = driven_motion(tree(one), one, size=SIZE)
    advance = motion.placements["a_link"][:, 2, 3] * SIZE / 0.01
    assert len(motion.coarse) == 12 * MOST_TURNS == 192
    assert advance.min() == pytest.approx(0.0)
    assert advance.max() == pytest.approx(80 * math.pi)
    middle = (advance > 16 * math.pi + 0.01) & (advance < 64 * math.pi - 0.01)
    assert not middle.any()
    ends = advance[motion.coarse[:, :2]]
    assert np.ptp(ends, axis=1) == pytest.approx(np.full(192, math.pi / 6))


def test_ranges_that_repeat_themselves_are_one_turn() -> None:
    endless = joint("a", JointType.CONTINUOUS, -math.inf, math.inf)
    assert driven_range(endless) == (0.0, 2 * math.pi)
    low, high = driven_range(joint("a", TURN, -10.0, 10.0))
    assert high - low == pytest.approx(2 * math.pi)
    assert driven_range(joint("a", SLIDE, -10.0, 10.0)) == (-10.0, 10.0)


def test_followers_drive_nothing_and_move_along_at_random() -> None:
    first = joint("a", TURN, -1, 1)
    second = joint("b", SLIDE, -1, 1, axis=[1, 0, 0], mimic=Mimic("a", 0.5, 0.1))
    both = tree(first, second)
    assert [one.name for one in drivers(both)] == ["a"]
    motion = random_motion(both, size=SIZE)
    assert len(motion.placements["a_link"]) == RANDOM_STATES
    turned = np.arctan2(motion.placements["a_link"][:, 1, 0], motion.placements["a_link"][:, 0, 0])
    assert motion.placements["b_link"][:, 0, 3] * SIZE == pytest.approx(0.5 * turned + 0.1)
    assert (np.abs(turned) <= 1).all()
    assert len(set(turned.tolist())) == RANDOM_STATES
    again = random_motion(both, size=SIZE)
    assert (again.placements["a_link"] == motion.placements["a_link"]).all()


def test_at_rest_followers_are_at_their_offset_in_units_of_the_diagonal() -> None:
    first = joint("a", TURN, -1, 1)
    second = joint("b", SLIDE, -1, 1, axis=[1, 0, 0], mimic=Mimic("a", 0.5, 0.1))
    motion = rest_motion(tree(first, second), size=SIZE)
    assert motion.placements["b_link"][0, :3, 3] == pytest.approx([0.1 / SIZE, 0, 0])


def test_links_that_are_welded_do_not_meet_at_rest() -> None:
    weld = joint("a", JointType.FIXED, 0, 0)
    turn = joint("b", TURN, 0, 1, parent="a_link")
    knob = joint("c", JointType.FIXED, 0, 0, parent="b_link")
    groups = rest_motion(tree(weld, turn, knob), size=SIZE).groups
    assert groups["base"] == groups["a_link"] != groups["b_link"] == groups["c_link"]


@given(st.integers(0, 2**32 - 1))
def test_relative_is_the_inverse_of_the_reference_times_the_moved(seed: int) -> None:
    source = np.random.default_rng(seed)
    frames = np.tile(np.eye(4), (2, 5, 1, 1))
    frames[:, :, :3, :3] = Rotation.random(10, random_state=source).as_matrix().reshape(2, 5, 3, 3)
    frames[:, :, :3, 3] = source.normal(size=(2, 5, 3))
    assert relative(*frames) == pytest.approx(np.linalg.inv(frames[1]) @ frames[0], abs=1e-9)
