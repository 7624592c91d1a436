# SPDX-License-Identifier: Apache-2.0
"""Declared screws become one helical joint along the coupled motion."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics import JointType
from tests.kit import bench
from tests.pipeline.stages.normalize.screw_pairs import (
    PAIR,
    TRAVEL,
    UNIT_SPHERE,
    Make,
    articraft,
    artiverse,
    joints_of,
    limit,
    partnet,
    pitch_sources,
)

TURNED = {"frame": {"up": "y", "front": "z"}, "scale": "arbitrary"}


@pytest.mark.parametrize("source", [UNIT_SPHERE, TURNED])
def test_a_slide_with_a_turn_behind_it_is_a_screw_by_its_rotation_limit(
    screwed: Make,
    tmp_path: Path,
    law_of_motion: Callable[..., None],
    source: Any,
) -> None:
    outcome = screwed(partnet(), {**PAIR, "turn": (0.0, math.pi)}, source=source)
    joint = joints_of(outcome)["turn"]
    pitch = (TRAVEL[1] - TRAVEL[0]) / math.pi
    assert joint.type is JointType.HELICAL
    assert joint.pitch == pytest.approx(pitch * outcome.record.scale_factor, rel=1e-9)
    # The stored state lies outside the travel; both ends of the travel are kept.
    assert joint.limits == pytest.approx((TRAVEL[0] / pitch, TRAVEL[1] / pitch), rel=1e-9)
    assert pitch_sources(outcome) == {"turn": "ranges"}
    assert "screw_folded" in bench.codes(outcome)
    folder = bench.unpacked(outcome, tmp_path / "out")
    law_of_motion(
        tmp_path / "raw/model.urdf", outcome, folder, coupled={"slide": ("turn", pitch)}, states=4
    )


@pytest.mark.parametrize(
    "label", ["screwcap_bottle", "rec_screwcap_bottle_0003", "Screwcap Bottle"]
)
def test_a_turn_with_a_slide_behind_it_is_a_screw_where_its_label_is_listed(
    screwed: Make,
    tmp_path: Path,
    law_of_motion: Callable[..., None],
    label: str,
) -> None:
    outcome = screwed(articraft(), label=label)
    joint = joints_of(outcome)["turn"]
    assert joint.type is JointType.HELICAL
    assert joint.pitch == pytest.approx(0.03 / 12)
    assert joint.limits == pytest.approx((0.0, 12.0))
    assert (joint.parent, joint.child) == ("base", "cap")
    assert pitch_sources(outcome) == {"turn": "ranges"}
    folder = bench.unpacked(outcome, tmp_path / "out")
    coupled = {"slide": ("turn", 0.03 / 12)}
    law_of_motion(tmp_path / "raw/model.urdf", outcome, folder, coupled=coupled)


@pytest.mark.parametrize(
    ("turn", "travel", "axis", "handed", "limits"),
    [
        ((0.0, 12.0), (0.0, 0.03), "0 0 1", 1, (0.0, 12.0)),
        ((0.0, 12.0), (0.0, 0.03), "0 0 -1", -1, (0.0, 12.0)),
        ((-12.0, 0.0), (0.0, 0.03), "0 0 1", -1, (-12.0, 0.0)),
        ((-12.0, 0.0), (-0.03, 0.0), "0 0 1", 1, (-12.0, 0.0)),
        ((-12.0, 0.0), (-0.03, 0.0), "0 0 -1", -1, (-12.0, 0.0)),
        ((-6.0, 6.0), (-0.015, 0.015), "0 0 -1", 1, (-6.0, 6.0)),  # a tie is right-handed
        ((-6.0, 6.0), (0.0, 0.03), "0 0 1", 1, (0.0, 12.0)),  # a tie; the travel's ends hold
        ((2.0, 14.0), (0.0, 0.03), "0 0 1", 1, (0.0, 12.0)),
    ],
)
def test_the_ends_that_are_closest_at_the_stored_state_belong_together(
    screwed: Make,
    turn: tuple[float, float],
    travel: tuple[float, float],
    axis: str,
    handed: int,
    limits: tuple[float, float],
) -> None:
    outcome = screwed(articraft(turn, travel, axis=axis), label="screwcap_bottle")
    joint = joints_of(outcome)["turn"]
    assert joint.pitch == pytest.approx(handed * 0.03 / 12)
    assert joint.limits == pytest.approx(limits)
    sense = -1 if axis == "0 0 -1" else 1
    reached = sorted(sense * joint.pitch * end for end in joint.limits)
    assert reached == pytest.approx(travel)
    warned = [f for f in outcome.findings if f.code == "screw_folded" and f.severity == "warning"]
    assert bool(warned) == (turn != limits)


@pytest.mark.parametrize("pitch", [0.002, -0.002])
def test_a_turn_alone_with_a_stated_pitch_is_a_screw(
    screwed: Make,
    tmp_path: Path,
    law_of_motion: Callable[..., None],
    pitch: float,
) -> None:
    travel = sorted((0.0, 6.0 * pitch))
    screw = {"joint": "turn", "pitch": pitch, "travel": travel, "evidence": "artiverse_screw_pitch"}
    outcome = screwed(artiverse(), screw)
    joint = joints_of(outcome)["turn"]
    assert joint.type is JointType.HELICAL
    assert joint.pitch == pytest.approx(pitch)
    assert joint.limits == pytest.approx((0.0, 6.0))
    assert pitch_sources(outcome) == {"turn": "source"}
    # The source's URDF has no slide at all: here is the one it means, written by hand.
    slide = bench.joint_text("s", "prismatic", "c", "cap", axis="0 1 1", limit=limit(*travel))
    parts = [p.replace('<child link="cap"/>', '<child link="c"/>') for p in artiverse()]
    meant = bench.write_object(
        tmp_path / "meant", bench.robot(*parts[:2], '<link name="c"/>', parts[2], slide)
    )
    folder = bench.unpacked(outcome, tmp_path / "out")
    law_of_motion(meant / "model.urdf", outcome, folder, coupled={"s": ("turn", pitch)}, states=3)


def test_a_range_outside_the_urdf_gives_the_length_and_not_the_direction(screwed: Make) -> None:
    """A cap that is stored high and screws downward is right-handed whatever 180 degrees mean."""
    down = (-TRAVEL[1], -TRAVEL[0])
    parts = [part.replace(limit(*TRAVEL), limit(*down)) for part in partnet()]
    joint = joints_of(screwed(parts, {**PAIR, "turn": (0.0, math.pi)}, source=UNIT_SPHERE))["turn"]
    pitch = (TRAVEL[1] - TRAVEL[0]) / math.pi
    assert joint.pitch == pytest.approx(pitch)
    assert joint.limits == pytest.approx((down[0] / pitch, down[1] / pitch))


def test_a_stated_pitch_scales_with_the_object(screwed: Make) -> None:
    screw = {"joint": "turn", "pitch": 0.002, "evidence": "x"}
    outcome = screwed(artiverse(), screw, source=TURNED)
    joint = joints_of(outcome)["turn"]
    assert joint.pitch == pytest.approx(0.002 * outcome.record.scale_factor)
    assert joint.limits == pytest.approx((0.0, 6.0))  # without travel, the turn's own


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_a_metric_screw_without_a_ratio_gets_the_default_pitch(screwed: Make, unit: float) -> None:
    outcome = screwed(partnet(), PAIR, source={**bench.METRIC, "unit": unit})
    joint = joints_of(outcome)["turn"]
    assert joint.pitch == pytest.approx(0.005 / (2 * math.pi))
    ends = [unit * end / joint.pitch for end in TRAVEL]
    assert joint.limits == pytest.approx(ends)
    assert pitch_sources(outcome) == {"turn": "default"}


def test_a_follower_of_either_joint_follows_the_screw(screwed: Make, tmp_path: Path) -> None:
    follow = '<mimic joint="{}" multiplier="3" offset="0.01"/>'
    more = [
        bench.box_link("part_f"),
        bench.box_link("part_g"),
        bench.joint_text("f", "prismatic", "body", "part_f", more=follow.format("slide")),
        bench.joint_text("g", "revolute", "body", "part_g", more=follow.format("turn")),
    ]
    outcome = screwed([*partnet(), *more], {**PAIR, "turn": (0.0, math.pi)})
    joints, pitch = joints_of(outcome), (TRAVEL[1] - TRAVEL[0]) / math.pi
    assert (joints["f"].mimic.joint, joints["g"].mimic.joint) == ("turn", "turn")
    assert joints["f"].mimic.multiplier == pytest.approx(3 * pitch)
    assert joints["g"].mimic.multiplier == 3.0


@pytest.mark.parametrize(
    ("mimic", "folded"),
    [
        ('<mimic joint="turn" multiplier="-0.5"/>', True),
        ('<mimic joint="turn" multiplier="-0.5" offset="0.1"/>', False),
        ('<mimic joint="other" multiplier="2"/>', False),
    ],
)
def test_a_slide_that_follows_keeps_to_what_it_follows(
    screwed: Make, mimic: str, folded: bool
) -> None:
    other = [bench.box_link("o"), bench.joint_text("other", "revolute", "body", "o")]
    parts = [*articraft(more=mimic), *other]
    outcome = screwed(parts, {"joint": "slide", "partner": "turn", "pitch": 7.0, "evidence": "x"})
    joints = joints_of(outcome)
    assert ("slide" not in joints) == folded
    if folded:
        assert joints["turn"].pitch == -0.5
    else:
        assert "screw_unfolded" in bench.codes(outcome)
        assert joints["slide"].mimic is not None


@pytest.mark.parametrize("seed", range(12))
def test_any_pair_of_frames_axes_ranges_and_order_moves_as_before(
    screwed: Make,
    tmp_path: Path,
    law_of_motion: Callable[..., None],
    seed: int,
) -> None:
    """Random poses of both joints, axis, sense, order, handedness; the file's own numbers judge."""
    random = np.random.default_rng(seed)
    axis = random.normal(size=3)
    axis /= np.linalg.norm(axis)
    rpy = random.uniform(-1, 1, 3)
    back = Rotation.from_euler("xyz", rpy).inv().apply(axis) * random.choice([-1.0, 1.0])
    kinds = ["revolute", "prismatic"] if seed % 2 else ["prismatic", "revolute"]
    ranges = [sorted(random.uniform(-3, 3, 2)) for _ in kinds]
    places = [random.uniform(-1, 1, 3), random.uniform(-1, 1, 3)]

    def words(values: Any) -> str:
        return " ".join(repr(float(value)) for value in values)

    joints = [
        bench.joint_text("one", kinds[0], "body", "c", xyz=words(places[0]), axis=words(axis),
                         rpy=words(random.uniform(-1, 1, 3)), limit=limit(*map(float, ranges[0]))),
        bench.joint_text("two", kinds[1], "c", "cap", xyz=words(places[1]), axis=words(back),
                         rpy=words(rpy), limit=limit(*map(float, ranges[1]))),
    ]  # fmt: skip
    parts = [bench.box_link("body"), '<link name="c"/>', bench.box_link("cap"), *joints]
    source = {**TURNED, "frame": {"up": "-x", "front": "z"}}
    outcome = screwed(parts, {"joint": "two", "partner": "one", "evidence": "x"}, source=source)
    turn, slide = ("one", "two") if seed % 2 else ("two", "one")
    joint, scale = joints_of(outcome)[turn], outcome.record.scale_factor
    travel = ranges[kinds.index("prismatic")]
    one = Rotation.from_euler("xyz", rpy).apply(back) @ axis  # whether the axes agree
    pitch = joint.pitch / scale * one
    law_of_motion(
        tmp_path / "raw/model.urdf",
        outcome,
        bench.unpacked(outcome, tmp_path / "out"),
        coupled={slide: (turn, pitch)},
    )
    assert sorted(pitch * end for end in joint.limits) == pytest.approx(travel, rel=1e-8)
    length = np.ptp(ranges[kinds.index("revolute")])
    assert np.ptp(joint.limits) == pytest.approx(length, rel=1e-8)


def test_an_endless_screw_gets_one_turn_each_way(screwed: Make) -> None:
    parts = [part.replace(limit(*TRAVEL), 'effort="1" velocity="1"') for part in partnet()]
    parts = [part.replace('<limit effort="1" velocity="1"/>', "") for part in parts]
    outcome = screwed(parts, PAIR)
    assert joints_of(outcome)["turn"].limits == pytest.approx((-2 * math.pi, 2 * math.pi))
    assert "limit_invented" in bench.codes(outcome)


def test_a_folded_screw_is_a_fixed_point(screwed: Make, tmp_path: Path) -> None:
    outcome = screwed(partnet(), {**PAIR, "turn": (0.0, math.pi)})
    folder = bench.unpacked(outcome, tmp_path / "again")
    assert bench.normal(folder, urdf="object.urdf").files == outcome.files


def test_the_pitch_is_the_advance_of_the_written_files(screwed: Make, tmp_path: Path) -> None:
    """By an independent reader: a turn of one radian lifts the cap by the pitch along the axis."""
    outcome = screwed(articraft(axis="0 0 -1"), label="screwcap_bottle")
    folder = bench.unpacked(outcome, tmp_path / "out")
    frames = [bench.judged_frames(folder / "object.urdf", {"turn": q})["cap"] for q in (0.0, 1.0)]
    step = frames[1] @ np.linalg.inv(frames[0])
    assert step[2, 3] == pytest.approx(-0.03 / 12)
    assert step[1, 0] == pytest.approx(math.sin(1.0))
