# SPDX-License-Identifier: Apache-2.0
"""Joints with several degrees of freedom: the same states by one-DOF joints, or a reason."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from tests.kit import bench

Make = Callable[..., Outcome]
PLACE = {"xyz": "0.1 0.2 0.3", "rpy": "0.4 0.5 0.6"}


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize a box and a ball-jointed (or other) box on it."""

    def run(kind: str, *more: str, **options: Any) -> Outcome:
        joint = bench.joint_text("j", kind, "a", "b", **{**PLACE, **options})
        parts = [bench.box_link("a"), bench.box_link("b", "0.1 0.1 0.5"), joint, *more]
        return bench.normal(bench.write_object(tmp_path / "raw", bench.robot(*parts)))

    return run


def turned(outcome: Outcome, folder: Path, values: Any) -> np.ndarray:
    """Return the displacement (4, 4) of link b from rest, about its joint's place, by yourdfpy."""
    path = bench.unpacked(outcome, folder) / "object.urdf"
    frames = [bench.judged_frames(path, q)["b"] for q in ({}, values)]
    rest = frames[0]
    return np.linalg.inv(rest) @ frames[1]


def test_a_ball_reaches_every_orientation_and_stays_at_its_center(
    make: Make, tmp_path: Path
) -> None:
    outcome = make("spherical", limit=None)
    robot = bench.judge(bench.unpacked(outcome, tmp_path / "out") / "object.urdf")
    kinds = {name: joint.type for name, joint in robot.joint_map.items()}
    assert kinds == {"j_x": "continuous", "j_y": "revolute", "j_z": "continuous"}
    limits = robot.joint_map["j_y"].limit
    assert (limits.lower, limits.upper) == pytest.approx((-math.pi / 2, math.pi / 2))
    child = Rotation.from_euler("xyz", [0.4, 0.5, 0.6])
    for wanted in Rotation.random(20, random_state=3):
        # Inner angles about the child frame's own x, y, z: scipy's capital letters.
        angles = wanted.as_euler("XYZ")
        assert abs(angles[1]) <= math.pi / 2
        values = dict(zip(("j_x", "j_y", "j_z"), angles, strict=True))
        moved = turned(outcome, tmp_path / "out", values)
        # Our link frames are parallel to the object frame, the source's child frame is turned.
        expected = (child * wanted * child.inv()).as_matrix()
        assert moved[:3, :3] == pytest.approx(expected, abs=1e-9)
        assert moved[:3, 3] == pytest.approx(np.zeros(3), abs=1e-9)
    assert "joint_decomposed" in bench.codes(outcome)


def test_the_parts_of_a_ball_are_known_by_the_joint_they_are_of(make: Make) -> None:
    outcome = make("ball", limit='lower="-0.5" upper="0.5" effort="3" velocity="4"')
    record = outcome.record
    assert record.joint_names == {"j_x": "j", "j_y": "j", "j_z": "j"}
    assert sorted(record.link_names.values()) == ["", "", "a", "b"]


def test_a_symmetric_limit_of_a_ball_holds_for_each_angle(make: Make, tmp_path: Path) -> None:
    outcome = make("ball", limit='lower="-0.5" upper="0.5" effort="3" velocity="4"')
    robot = bench.judge(bench.unpacked(outcome, tmp_path / "out") / "object.urdf")
    found = {(j.type, j.limit.lower, j.limit.upper, j.limit.effort, j.limit.velocity)
             for j in robot.joint_map.values()}  # fmt: skip
    assert found == {("revolute", -0.5, 0.5, 3.0, 4.0)}


def test_a_plane_is_two_slides_in_it_and_a_turn_about_its_normal(
    make: Make, tmp_path: Path
) -> None:
    outcome = make("planar", axis="1 2 -2", limit=None)
    robot = bench.judge(bench.unpacked(outcome, tmp_path / "out") / "object.urdf")
    normal = Rotation.from_euler("xyz", [0.4, 0.5, 0.6]).apply([1 / 3, 2 / 3, -2 / 3])
    axes = {name: np.array(joint.axis) for name, joint in robot.joint_map.items()}
    kinds = {name: joint.type for name, joint in robot.joint_map.items()}
    assert kinds == {"j_u": "prismatic", "j_v": "prismatic", "j_turn": "continuous"}
    assert axes["j_turn"] == pytest.approx(normal, abs=1e-9)
    for one, two in (("j_u", "j_v"), ("j_u", "j_turn"), ("j_v", "j_turn")):
        assert axes[one] @ axes[two] == pytest.approx(0.0, abs=1e-9)
    assert "limit_invented" in bench.codes(outcome)


def test_a_universal_joint_turns_about_its_two_axes(make: Make, tmp_path: Path) -> None:
    second = '<axis2 xyz="0 1 0"/>'
    outcome = make("universal", axis="1 0 0", more=second, limit=None)
    moved = turned(outcome, tmp_path / "out", {"j_axis1": 0.7, "j_axis2": -0.4})
    child = Rotation.from_euler("xyz", [0.4, 0.5, 0.6])
    expected = child * Rotation.from_euler("XY", [0.7, -0.4]) * child.inv()
    assert moved[:3, :3] == pytest.approx(expected.as_matrix(), abs=1e-9)


def rejected(make: Make, *parts: Any, **options: Any) -> str:
    """Return the reason of the rejection."""
    with pytest.raises(Rejection) as caught:
        make(*parts, **options)
    assert "'j'" in caught.value.detail
    return str(caught.value.reason)


def test_motion_that_one_dof_joints_cannot_express_is_rejected_with_its_reason(make: Make) -> None:
    assert rejected(make, "floating", limit=None, axis=None) == "joint_floating"
    assert rejected(make, "spherical", limit='lower="0.2" upper="0.8"') == "joint_compound"
    assert rejected(make, "ball", limit='lower="0" upper="0"') == "joint_compound"
    assert rejected(make, "universal", axis="1 0 0") == "joint_compound"
    assert rejected(make, "planar", axis="0 0 0") == "axis_zero"
    follower = [
        bench.box_link("c"),
        bench.joint_text("f", "revolute", "a", "c", more='<mimic joint="j"/>'),
    ]
    assert rejected(make, "ball", *follower, limit=None) == "mimic_invalid"
    mimic = '<mimic joint="f"/>'
    leader = [bench.box_link("c"), bench.joint_text("f", "revolute", "a", "c")]
    assert rejected(make, "ball", *leader, limit=None, more=mimic) == "mimic_invalid"


def test_the_new_names_are_free_ones(make: Make) -> None:
    taken = [bench.box_link("b_x"), bench.joint_text("j_x", "revolute", "a", "b_x")]
    outcome = make("ball", *taken, limit=None)
    assert len(outcome.record.joint_names) == 4
    assert sorted(outcome.record.link_names.values()) == ["", "", "a", "b", "b_x"]


@pytest.mark.parametrize("kind", ["ball", "planar"])
def test_a_decomposed_joint_is_a_fixed_point(make: Make, tmp_path: Path, kind: str) -> None:
    outcome = make(kind, limit=None)
    folder = bench.unpacked(outcome, tmp_path / "again")
    assert bench.normal(folder, urdf="object.urdf").files == outcome.files
