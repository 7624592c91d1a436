# SPDX-License-Identifier: Apache-2.0
"""Joints: each check reports a value beyond its bound and none just within."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from aa_dataset.kinematics.joints import Mimic
from pipeline.engine.runner import Outcome
from pipeline.stages.verify import joints as checks
from pipeline.stages.verify.evidence import Evidence
from tests.kit import bench
from tests.kit import evidence as make

TURN = 2 * math.pi


def pair(kind: str = "revolute", **changes: Any) -> Evidence:
    """Return two unit cubes at one place and a joint; the diagonal is sqrt 3."""
    cube = make.box((1, 1, 1))
    return make.evidence({"a": cube, "b": cube}, make.joint("j", kind, "a", "b", **changes))


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "expected"),
    [
        ("revolute", -1, 1, []),
        ("revolute", 0, 1, []),
        ("revolute", -1, 0, []),
        ("revolute", 0.1, 1, ["rest_outside_limits"]),
        ("prismatic", -2, -1, ["rest_outside_limits"]),
        ("continuous", 1, 2, []),
    ],
)
def test_ranges_that_leave_out_the_rest_state_are_found(
    kind: str, lower: float, upper: float, expected: list[str]
) -> None:
    found = list(checks.check_ranges(pair(kind, lower=lower, upper=upper)))
    assert make.names(found) == expected


@pytest.mark.parametrize(
    ("kind", "upper", "expected"),
    [
        ("revolute", TURN, []),
        ("revolute", 6.2832, []),
        ("revolute", TURN * 1.01, ["turn_long"]),
        ("continuous", 0, []),
        ("helical", 5 * TURN, []),
        ("prismatic", math.sqrt(3), []),
        ("prismatic", math.sqrt(3) * 1.01, ["travel_long"]),
    ],
)
def test_long_ranges_are_found(kind: str, upper: float, expected: list[str]) -> None:
    pitch = {"pitch": 0.01} if kind == "helical" else {}
    found = list(checks.check_travel(pair(kind, upper=upper, **pitch)))
    assert make.names(found) == expected


def test_the_travel_that_normalize_invents_is_not_blamed_on_the_source(
    check: Callable[..., Outcome],
) -> None:
    """An endless slide gets a range of two diagonals, which is no finding about the source."""

    def found(limit: str) -> list[str]:
        slides = [
            bench.joint_text("Endless One", "prismatic", "a", "b", limit=limit),
            bench.joint_text("own", "prismatic", "a", "c", limit='lower="0" upper="0.1"'),
        ]
        outcome = check(*(bench.box_link(name) for name in "abc"), *slides)
        return [f.detail.split(":")[0] for f in outcome.findings if f.code == "travel_long"]

    assert found('lower="-inf" upper="inf"') == []
    assert found('lower="-9" upper="9"') == ["joint endless_one"]


@pytest.mark.parametrize("factor", [0.99, 1.01])
@pytest.mark.parametrize(
    ("kind", "changes", "lever"),
    [
        ("prismatic", {}, 1.0),
        ("revolute", {}, math.sqrt(0.5)),  # half a diagonal of the cube's square
        ("revolute", {"origin": (2, 0, 0)}, math.hypot(2.5, 0.5)),
        ("helical", {"pitch": 2.0}, math.hypot(math.sqrt(0.5), 2.0)),
        ("prismatic", {"lower": -0.0001}, 1.0),
    ],
)
def test_a_range_that_moves_nothing_visibly_is_found(
    kind: str, changes: dict[str, Any], lever: float, factor: float
) -> None:
    extent = factor * 0.001 * math.sqrt(3) / lever
    limits = {"upper": extent + changes.get("lower", 0.0)}
    found = list(checks.check_tiny(pair(kind, **(changes | limits))))
    assert make.names(found) == (["range_tiny"] if factor < 1 else [])


def test_a_joint_that_moves_nothing_is_not_tiny_too() -> None:
    empty = make.evidence({"a": make.box((1, 1, 1)), "b": []}, make.joint("j", "revolute", "a",
                          "b", upper=1e-9))  # fmt: skip
    assert not list(checks.check_tiny(empty))


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(0.0, []), (0.009, []), (0.011, ["axis_skewed"]), (1.99, ["axis_skewed"]), (2.01, []),
     (30.0, []), (88.5, ["axis_skewed"])],
)  # fmt: skip
def test_an_axis_that_just_misses_one_of_the_frame_is_found(
    degrees: float, expected: list[str]
) -> None:
    angle = math.radians(degrees)
    found = list(checks.check_axes(pair(axis=(math.sin(angle), 0, math.cos(angle)))))
    assert make.names(found) == expected


@pytest.mark.parametrize(
    ("multiplier", "offset", "expected"),
    [
        (1.0, 0.0, []),
        (-1.0, 0.0, ["mimic_inconsistent"]),  # to -1, where its range is [0, 1]
        (1.009, 0.0, []),
        (1.011, 0.0, ["mimic_inconsistent"]),
        (0.5, 0.1, ["mimic_inconsistent"]),  # within its range, but not at rest where it is stored
    ],
)
def test_a_follower_that_its_leader_breaks_is_found(
    multiplier: float, offset: float, expected: list[str]
) -> None:
    cube = make.box((1, 1, 1))
    lead = make.joint("lead", "revolute", "a", "b")
    obey = make.joint("obey", "revolute", "a", "c", mimic=Mimic("lead", multiplier, offset))
    found = list(checks.check_mimics(make.evidence({"a": cube, "b": cube, "c": cube}, lead, obey)))
    assert make.names(found) == expected


def test_a_continuous_leader_drives_a_bounded_follower_beyond() -> None:
    cube = make.box((1, 1, 1))
    lead = make.joint("lead", "continuous", "a", "b")
    for kind, expected in (("revolute", ["mimic_inconsistent"]), ("continuous", [])):
        obey = make.joint("obey", kind, "a", "c", mimic=Mimic("lead"))
        evidence = make.evidence({"a": cube, "b": cube, "c": cube}, lead, obey)
        assert make.names(list(checks.check_mimics(evidence))) == expected
