# SPDX-License-Identifier: Apache-2.0
"""Declared screws become one helical joint along the coupled motion; undeclared pairs stay two."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics import JointType
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from pipeline.engine.runner import Outcome
from pipeline.raw.records import Screw
from tests.kit import bench

UNIT_SPHERE = {"frame": {"up": "z", "front": "x"}, "scale": "unit_sphere"}
TURNED = {"frame": {"up": "y", "front": "z"}, "scale": "arbitrary"}
TRAVEL = (0.01, 0.04)


def limit(lower: float, upper: float) -> str:
    """Return the attributes of a whole <limit>."""
    return f'lower="{lower!r}" upper="{upper!r}" effort="5" velocity="2"'


def partnet(**changes: Any) -> list[str]:
    """Return a bottle as PartNet writes it: slide to an empty helper, then an endless turn."""
    slide = {"limit": limit(*TRAVEL), "axis": "0 1 0", "xyz": "0.1 0 0.2", "rpy": "0.3 0 0"}
    turn = {"limit": None, "axis": "0 1 0", **changes}
    return [
        bench.box_link("body"),
        '<link name="helper"/>',
        bench.box_link("lid", "0.1 0.2 0.3"),
        bench.joint_text("turn", "continuous", "helper", "lid", **turn),
        bench.joint_text("slide", "prismatic", "body", "helper", **slide),
    ]


def articraft(
    turn: tuple[float, float] = (0.0, 12.0),
    travel: tuple[float, float] = (0.0, 0.03),
    **changes: Any,
) -> list[str]:
    """Return a bottle as Articraft writes it: turn to an empty carriage, then a slide."""
    options = {"limit": limit(*travel), "axis": "0 0 1", "xyz": "0 0 0.01", **changes}
    return [
        bench.box_link("body"),
        '<link name="carriage"/>',
        bench.box_link("cap", "0.1 0.2 0.3"),
        bench.joint_text("turn", "revolute", "body", "carriage", xyz="0 0 0.5", limit=limit(*turn)),
        bench.joint_text("slide", "prismatic", "carriage", "cap", **options),
    ]


def artiverse(turn: tuple[float, float] = (0.0, 6.0)) -> list[str]:
    """Return a screw as Artiverse writes it: one turn."""
    return [
        bench.box_link("body"),
        bench.box_link("cap", "0.1 0.2 0.3"),
        bench.joint_text("turn", "revolute", "body", "cap", axis="0 1 1", limit=limit(*turn)),
    ]


Make = Callable[..., Outcome]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize parts with declared screws and a label."""

    def run(parts: list[str], *screws: Any, source: Any = None, label: str = "") -> Outcome:
        facts = {"screws": tuple(Screw(**screw) for screw in screws), "label": label}
        folder = bench.write_object(tmp_path / "raw", bench.robot(*parts))
        return bench.normal(folder, {**(source or bench.METRIC), **facts})

    return run


def joints_of(outcome: Outcome) -> dict[str, Any]:
    """Return the joints of the normalized object, screws folded."""
    assert outcome.files is not None
    tree = urdf_tree(parse_urdf(outcome.files["object.urdf"]))
    return {joint.name: joint for joint in tree.joints}


def pitch_sources(outcome: Outcome) -> dict[str, str]:
    """Return what the record says about pitches."""
    return outcome.record.pitch_sources


PAIR = {"joint": "turn", "partner": "slide", "evidence": "meta.json: rotates"}


@pytest.mark.parametrize("source", [UNIT_SPHERE, TURNED])
def test_a_slide_with_a_turn_behind_it_is_a_screw_by_its_rotation_limit(
    make: Make,
    tmp_path: Path,
    law_of_motion: Callable[..., None],
    source: Any,
) -> None:
    outcome = make(partnet(), {**PAIR, "turn": (0.0, math.pi)}, source=source)
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
    make: Make,
    tmp_path: Path,
    law_of_motion: Callable[..., None],
    label: str,
) -> None:
    outcome = make(articraft(), label=label)
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
    make: Make,
    turn: tuple[float, float],
    travel: tuple[float, float],
    axis: str,
    handed: int,
    limits: tuple[float, float],
) -> None:
    outcome = make(articraft(turn, travel, axis=axis), label="screwcap_bottle")
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
    make: Make,
    tmp_path: Path,
    law_of_motion: Callable[..., None],
    pitch: float,
) -> None:
    travel = sorted((0.0, 6.0 * pitch))
    screw = {"joint": "turn", "pitch": pitch, "travel": travel, "evidence": "artiverse_screw_pitch"}
    outcome = make(artiverse(), screw)
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


def test_a_range_outside_the_urdf_tells_how_far_and_not_which_way(make: Make) -> None:
    """A cap that is stored high and screws downward is right-handed whatever 180 degrees mean."""
    down = (-TRAVEL[1], -TRAVEL[0])
    parts = [part.replace(limit(*TRAVEL), limit(*down)) for part in partnet()]
    joint = joints_of(make(parts, {**PAIR, "turn": (0.0, math.pi)}, source=UNIT_SPHERE))["turn"]
    pitch = (TRAVEL[1] - TRAVEL[0]) / math.pi
    assert joint.pitch == pytest.approx(pitch)
    assert joint.limits == pytest.approx((down[0] / pitch, down[1] / pitch))


def test_a_stated_pitch_scales_with_the_object(make: Make) -> None:
    screw = {"joint": "turn", "pitch": 0.002, "evidence": "x"}
    outcome = make(artiverse(), screw, source=TURNED)
    joint = joints_of(outcome)["turn"]
    assert joint.pitch == pytest.approx(0.002 * outcome.record.scale_factor)
    assert joint.limits == pytest.approx((0.0, 6.0))  # without travel, the turn's own


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_a_metric_screw_without_a_ratio_gets_the_default_pitch(make: Make, unit: float) -> None:
    outcome = make(partnet(), PAIR, source={**bench.METRIC, "unit": unit})
    joint = joints_of(outcome)["turn"]
    assert joint.pitch == pytest.approx(0.005 / (2 * math.pi))
    ends = [unit * end / joint.pitch for end in TRAVEL]
    assert joint.limits == pytest.approx(ends)
    assert pitch_sources(outcome) == {"turn": "default"}


def test_without_pitch_ratio_and_meters_the_joints_stay_with_a_finding(make: Make) -> None:
    outcome = make(partnet(), PAIR, source=UNIT_SPHERE)
    kinds = {name: str(joint.type) for name, joint in joints_of(outcome).items()}
    assert kinds == {"turn": "continuous", "slide": "prismatic"}
    assert pitch_sources(outcome) == {"turn": "none", "slide": "none"}
    assert "pitch_unknown" in bench.codes(outcome)


@pytest.mark.parametrize(
    "label", ["", "office_chair", "camera_lens", "telescoping_mast_with_pan_head"]
)
def test_an_undeclared_pair_stays_two_joints(make: Make, label: str) -> None:
    for parts in (articraft(), partnet()):
        outcome = make(parts, label=label)
        assert len(joints_of(outcome)) == 2
        assert pitch_sources(outcome) == {}
        assert not {"screw_folded", "screw_unfolded"} & set(bench.codes(outcome))


def test_a_true_cylindrical_joint_is_not_a_screw_whatever_its_label(make: Make) -> None:
    declared = '<joint artiverse_original_type="cylindrical" name="turn"'
    parts = [part.replace('<joint name="turn"', declared) for part in partnet()]
    assert len(joints_of(make(parts, label="screwcap_bottle"))) == 2
    assert len(joints_of(make(partnet(), label="screwcap_bottle"))) == 1


def test_a_listed_label_folds_coaxial_pairs_through_an_empty_link_alone(make: Make) -> None:
    def count(parts: list[str]) -> int:
        return len(joints_of(make(parts, label="screwin_light_bulb_with_socket")))

    assert count(articraft()) == 1
    assert count(articraft(axis="0 0.1 1")) == 2
    assert count(articraft(xyz="0.002 0 0")) == 2
    assert count(partnet(xyz="0 0.01 0")) == 1
    assert count(partnet(xyz="0.002 0.01 0")) == 2
    assert count(partnet(xyz="0 0.01 0.002")) == 2
    solid = bench.box_link("carriage")
    filled = [part.replace('<link name="carriage"/>', solid) for part in articraft()]
    assert count(filled) == 2
    branch = [bench.box_link("b"), bench.joint_text("j", "revolute", "carriage", "b")]
    assert count([*articraft(), *branch]) == 3


@pytest.mark.parametrize("scale", [0.001, 1.0, 1000.0])
@pytest.mark.parametrize(("apart", "joints"), [(0.0, 1), (0.0005, 1), (0.002, 2)])
def test_how_far_the_axes_may_be_apart_is_a_share_of_the_object(
    make: Make, scale: float, apart: float, joints: int
) -> None:
    """The same bottle in kilometers, meters and millimeters; 0.4 m high, the cap on its top."""
    size, travel = " ".join(repr(scale * x) for x in (0.2, 0.3, 0.4)), (0.0, 0.03 * scale)
    parts = [
        bench.box_link("body", size),
        bench.joint_text("turn", "revolute", "body", "carriage", xyz=f"0 0 {0.4 * scale}"),
        '<link name="carriage"/>',
        bench.joint_text(
            "slide",
            "prismatic",
            "carriage",
            "cap",
            xyz=f"{apart * scale} 0 0",
            limit=limit(*travel),
        ),
        bench.box_link("cap", size),
    ]
    outcome = make(parts, label="screwcap_bottle")
    assert len(joints_of(outcome)) == joints


def test_where_the_object_stands_in_its_world_is_no_size(make: Make) -> None:
    world = ['<link name="world"/>', bench.joint_text("at", "fixed", "world", "body", xyz="9 9 9")]
    assert len(joints_of(make([*world, *articraft()], label="screwcap_bottle"))) == 1
    apart = articraft(xyz="0.002 0 0")
    assert len(joints_of(make([*world, *apart], label="screwcap_bottle"))) == 2


@pytest.mark.parametrize(
    ("screw", "word"),
    [
        ({"joint": "ghost"}, "no such joint"),
        ({"joint": "turn", "partner": "ghost"}, "'ghost'"),
        ({"joint": "turn", "partner": "turn"}, "next to it"),
        ({"joint": "slide"}, "not a rotation"),
    ],
)
def test_a_declaration_that_the_urdf_does_not_show_is_a_finding(
    make: Make, screw: dict[str, Any], word: str
) -> None:
    outcome = make(articraft(), {"evidence": "meta.json", **screw})
    said = [f.detail for f in outcome.findings if f.code == "screw_unfolded"]
    assert len(said) == 1
    assert word in said[0]
    assert len(joints_of(outcome)) == 2


def test_a_declared_pair_that_is_frozen_or_crooked_is_a_finding(make: Make) -> None:
    frozen = [p.replace('type="continuous"', 'type="fixed"') for p in partnet()]
    for parts in (frozen, partnet(axis="1 0 0")):
        outcome = make(parts, {**PAIR, "turn": (0.0, 3.0)})
        assert "screw_unfolded" in bench.codes(outcome)


@pytest.mark.parametrize("pitch", [0.0, 1e-320])
def test_a_pitch_of_nothing_is_no_pitch(make: Make, pitch: float) -> None:
    outcome = make(artiverse(), {"joint": "turn", "pitch": pitch, "evidence": "x"})
    assert joints_of(outcome)["turn"].type is JointType.REVOLUTE
    assert "pitch_unknown" in bench.codes(outcome)


def test_a_follower_of_either_joint_follows_the_screw(make: Make, tmp_path: Path) -> None:
    follow = '<mimic joint="{}" multiplier="3" offset="0.01"/>'
    more = [
        bench.box_link("f"),
        bench.box_link("g"),
        bench.joint_text("f", "prismatic", "body", "f", more=follow.format("slide")),
        bench.joint_text("g", "revolute", "body", "g", more=follow.format("turn")),
    ]
    outcome = make([*partnet(), *more], {**PAIR, "turn": (0.0, math.pi)})
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
    make: Make, mimic: str, folded: bool
) -> None:
    other = [bench.box_link("o"), bench.joint_text("other", "revolute", "body", "o")]
    parts = [*articraft(more=mimic), *other]
    outcome = make(parts, {"joint": "slide", "partner": "turn", "pitch": 7.0, "evidence": "x"})
    joints = joints_of(outcome)
    assert ("slide" not in joints) == folded
    if folded:
        assert joints["turn"].pitch == -0.5
    else:
        assert "screw_unfolded" in bench.codes(outcome)
        assert joints["slide"].mimic is not None


@pytest.mark.parametrize("seed", range(12))
def test_any_pair_of_frames_axes_ranges_and_order_moves_as_before(
    make: Make,
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
    outcome = make(parts, {"joint": "two", "partner": "one", "evidence": "x"}, source=source)
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


def test_an_endless_screw_gets_one_turn_each_way(make: Make) -> None:
    parts = [part.replace(limit(*TRAVEL), 'effort="1" velocity="1"') for part in partnet()]
    parts = [part.replace('<limit effort="1" velocity="1"/>', "") for part in parts]
    outcome = make(parts, PAIR)
    assert joints_of(outcome)["turn"].limits == pytest.approx((-2 * math.pi, 2 * math.pi))
    assert "limit_invented" in bench.codes(outcome)


def test_a_folded_screw_is_a_fixed_point(make: Make, tmp_path: Path) -> None:
    outcome = make(partnet(), {**PAIR, "turn": (0.0, math.pi)})
    folder = bench.unpacked(outcome, tmp_path / "again")
    assert bench.normal(folder, urdf="object.urdf").files == outcome.files


def test_the_pitch_is_the_advance_of_the_written_files(make: Make, tmp_path: Path) -> None:
    """By an independent reader: a turn of one radian lifts the cap by the pitch along the axis."""
    outcome = make(articraft(axis="0 0 -1"), label="screwcap_bottle")
    folder = bench.unpacked(outcome, tmp_path / "out")
    frames = [bench.judged_frames(folder / "object.urdf", {"turn": q})["cap"] for q in (0.0, 1.0)]
    step = frames[1] @ np.linalg.inv(frames[0])
    assert step[2, 3] == pytest.approx(-0.03 / 12)
    assert step[1, 0] == pytest.approx(math.sin(1.0))
