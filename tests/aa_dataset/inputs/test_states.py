# SPDX-License-Identifier: Apache-2.0
"""The second state moves every joint, within its limits, by a share that the seed decides."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.inputs.seeds import fraction, order
from aa_dataset.inputs.states import SHARE, TURN_RAD, second_state
from aa_dataset.kinematics import Joint, KinematicTree
from aa_dataset.kinematics.joints import Mimic

ENDS = st.floats(-3, 3)


def hinge(name: str, lower: float, upper: float, **more: object) -> Joint:
    ends = {"parent": "base", "child": f"{name}_link"}
    return Joint(name, "revolute", [0, 0, 1], [0, 0, 0], lower, upper, **ends, **more)  # type: ignore[arg-type]


def tree(*joints: Joint) -> KinematicTree:
    return KinematicTree("t", ("base", *(joint.child for joint in joints)), joints)


@given(one=ENDS, two=ENDS, seed=st.integers(0, 2**40))
def test_a_limited_joint_moves_by_its_share_towards_the_farther_end(
    one: float, two: float, seed: int
) -> None:
    lower, upper = min(one, two), max(one, two)
    value = second_state(tree(hinge("a", lower, upper)), "x-1", seed)["a"]
    assert lower - 1e-12 <= value <= upper + 1e-12
    start = min(max(0.0, lower), upper)
    way = max(upper - start, start - lower)
    assert SHARE[0] * way - 1e-9 <= abs(value - start) <= SHARE[1] * way + 1e-9


def test_an_endless_joint_turns_by_a_visible_angle() -> None:
    wheel = Joint("w", "continuous", [0, 0, 1], [0, 0, 0], parent="base", child="w_link")  # type: ignore[arg-type]
    turns = [second_state(tree(wheel), "x-1", seed)["w"] for seed in range(200)]
    assert TURN_RAD[0] <= min(turns) < 0.6 and 1.5 < max(turns) <= TURN_RAD[1]


def test_a_slide_without_an_end_stays() -> None:
    slide = Joint(
        "s", "prismatic", [1, 0, 0], [0, 0, 0], -math.inf, math.inf, parent="base", child="s_link"
    )  # type: ignore[arg-type]
    assert second_state(tree(slide), "x-1", 0) == {"s": 0.0}


def test_a_joint_that_follows_is_not_listed_and_follows() -> None:
    leader = hinge("a", 0.0, 1.0)
    follower = hinge("b", -2.0, 2.0, mimic=Mimic("a", -2.0, 0.1))
    both = tree(leader, follower)
    state = second_state(both, "x-1", 5)
    assert set(state) == {"a"}
    assert both.coordinates(state) == {"a": state["a"], "b": -2.0 * state["a"] + 0.1}


def test_a_joint_keeps_its_number_when_another_one_is_added() -> None:
    alone = second_state(tree(hinge("a", 0, 1)), "x-1", 7)["a"]
    assert second_state(tree(hinge("z", 0, 1), hinge("a", 0, 1)), "x-1", 7)["a"] == alone
    assert second_state(tree(hinge("a", 0, 1)), "x-2", 7)["a"] != alone


def test_random_numbers_are_spread_evenly_and_orders_are_permutations() -> None:
    numbers = np.array([fraction(seed, "a") for seed in range(4000)])
    assert numbers.min() >= 0 and numbers.max() < 1
    counts = np.histogram(numbers, 10, (0, 1))[0]
    assert ((counts - 400) ** 2 / 400).sum() < 33.7  # chi square with 9 degrees, 1 in 10,000
    assert sorted(order(1000, 3, "b").tolist()) == list(range(1000))
    assert order(1000, 3, "b").tolist() != order(1000, 4, "b").tolist()
