# SPDX-License-Identifier: Apache-2.0
"""What the pictures show: every joint at its end, and an animation that moves one by one."""

from __future__ import annotations

import itertools
import math

import pytest

from aa_dataset.kinematics import Joint, KinematicTree
from aa_dataset.kinematics.joints import Mimic
from pipeline.stages.render.states import SHIFT, open_state, strip_states

INF = math.inf


def made(*rows: tuple[str, str, float, float]) -> KinematicTree:
    """Return a tree with joints (name, type, lower, upper) on one base."""
    joints = [
        Joint(name, kind, [0, 0, 1], [0, 0, 0], lower, upper, parent="base", child=f"{name}_link",
              pitch=0.001 if kind == "helical" else 0.0)
        for name, kind, lower, upper in rows
    ]  # fmt: skip
    return KinematicTree("thing", ("base", *(joint.child for joint in joints)), tuple(joints))


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "end"),
    [
        ("revolute", 0.0, 1.5, 1.5),
        ("revolute", -2.0, 0.5, -2.0),
        ("prismatic", -0.3, 0.1, -0.3),
        ("helical", 0.0, 6 * math.pi, 6 * math.pi),  # three turns: the advance is what one sees
        ("continuous", -INF, INF, 2 * math.pi / 3),
        ("revolute", 0.0, 2 * math.pi, 2 * math.pi / 3),  # its end looks like its beginning
    ],
)
def test_a_joint_is_at_the_end_of_its_travel(
    kind: str, lower: float, upper: float, end: float
) -> None:
    assert open_state(made(("a", kind, lower, upper))) == pytest.approx({"a": end})


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "end"),
    [
        ("prismatic", 0.0, 1e4, 2.0),
        ("prismatic", -50.0, 0.0, -2.0),
        ("prismatic", 0.0, 1.9, 1.9),
        ("helical", -3000.0, 0.0, -2000.0),  # 2 m at 1 mm per radian
        ("revolute", 0.0, 3.0, 3.0),
    ],
)
def test_a_slide_is_shown_as_far_as_it_can_be_seen(
    kind: str, lower: float, upper: float, end: float
) -> None:
    tree = made(("a", kind, lower, upper))
    assert open_state(tree, longest=2.0) == pytest.approx({"a": end})
    most = max((state["a"] for state in strip_states(tree, 8, longest=2.0)), key=abs)
    assert most == pytest.approx(end)


def test_the_hands_of_a_clock_part() -> None:
    hands = open_state(made(*((name, "continuous", -INF, INF) for name in "hms")))
    angles = [hands[name] % (2 * math.pi) for name in "hms"]
    apart = [abs(a - b) for a, b in itertools.combinations(angles, 2)]
    assert min(apart) >= SHIFT - 1e-12 and max(apart) <= 2 * math.pi - SHIFT


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6])
def test_joints_move_one_after_the_other_out_and_back(count: int) -> None:
    names = [f"j{k}" for k in range(count)]
    states = strip_states(made(*((name, "revolute", 0.0, 1.0) for name in names)), 24)
    assert len(states) <= 24 and len(states) % count == 0
    assert not any(states[0].values())
    for state in states:
        assert sum(value > 0 for value in state.values()) <= 1
    for name in names:
        way = [state[name] for state in states if state[name] > 0]
        assert max(way) == 1.0 and way == way[::-1]
    order = [max(range(len(states)), key=lambda k, n=name: states[k][n]) for name in names]
    assert order == sorted(order)


@pytest.mark.parametrize("count", [7, 12, 30, 122])
def test_of_many_joints_each_moves_in_some_frame(count: int) -> None:
    states = strip_states(
        made(*((f"j{k}", "prismatic", 0.0, 1.0) for k in range(count))), 24
    )  # fmt: skip
    assert len(states) == 24 and not any(states[0].values())
    for name in states[0]:
        way = [state[name] for state in states]
        assert max(way) > 0.5 and sum(value > 0 for value in way) >= 3


def test_there_is_no_animation_of_a_stone_or_of_no_frames() -> None:
    assert strip_states(made(), 24) == []
    assert strip_states(made(("a", "revolute", 0.0, 1.0)), 0) == []


def test_a_coupled_joint_is_left_to_its_leader() -> None:
    lead = Joint("a", "revolute", [0, 0, 1], [0, 0, 0], 0, 1, parent="base", child="b")
    follow = Joint(
        "m", "revolute", [0, 0, 1], [0, 0, 0], 0, 2, parent="base", child="c",
        mimic=Mimic("a", 2.0),
    )  # fmt: skip
    tree = KinematicTree("thing", ("base", "b", "c"), (lead, follow))
    assert open_state(tree) == {"a": 1.0}
