# SPDX-License-Identifier: Apache-2.0
"""Pairs of joints that are no screw, or that the URDF does not show as one, stay two joints."""

from __future__ import annotations

from typing import Any

import pytest

from aa_dataset.kinematics import JointType
from tests.kit import bench
from tests.pipeline.stages.normalize.screw_pairs import (
    PAIR,
    UNIT_SPHERE,
    Make,
    articraft,
    artiverse,
    joints_of,
    limit,
    partnet,
    pitch_sources,
)


def test_without_pitch_ratio_and_meters_the_joints_stay_with_a_finding(screwed: Make) -> None:
    outcome = screwed(partnet(), PAIR, source=UNIT_SPHERE)
    kinds = {name: str(joint.type) for name, joint in joints_of(outcome).items()}
    assert kinds == {"turn": "continuous", "slide": "prismatic"}
    assert pitch_sources(outcome) == {"turn": "none", "slide": "none"}
    assert "pitch_unknown" in bench.codes(outcome)


@pytest.mark.parametrize(
    "label", ["", "office_chair", "camera_lens", "telescoping_mast_with_pan_head"]
)
def test_an_undeclared_pair_stays_two_joints(screwed: Make, label: str) -> None:
    for parts in (articraft(), partnet()):
        outcome = screwed(parts, label=label)
        assert len(joints_of(outcome)) == 2
        assert pitch_sources(outcome) == {}
        assert not {"screw_folded", "screw_unfolded"} & set(bench.codes(outcome))


def test_a_cylindrical_joint_is_not_a_screw_for_any_label(screwed: Make) -> None:
    declared = '<joint artiverse_original_type="cylindrical" name="turn"'
    parts = [part.replace('<joint name="turn"', declared) for part in partnet()]
    assert len(joints_of(screwed(parts, label="screwcap_bottle"))) == 2
    assert len(joints_of(screwed(partnet(), label="screwcap_bottle"))) == 1


def test_a_listed_label_folds_coaxial_pairs_through_an_empty_link_alone(screwed: Make) -> None:
    def count(parts: list[str]) -> int:
        return len(joints_of(screwed(parts, label="screwin_light_bulb_with_socket")))

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
    screwed: Make, scale: float, apart: float, joints: int
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
    outcome = screwed(parts, label="screwcap_bottle")
    assert len(joints_of(outcome)) == joints


def test_the_place_of_an_object_in_its_world_does_not_change_its_size(screwed: Make) -> None:
    world = ['<link name="world"/>', bench.joint_text("at", "fixed", "world", "body", xyz="9 9 9")]
    assert len(joints_of(screwed([*world, *articraft()], label="screwcap_bottle"))) == 1
    apart = articraft(xyz="0.002 0 0")
    assert len(joints_of(screwed([*world, *apart], label="screwcap_bottle"))) == 2


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
    screwed: Make, screw: dict[str, Any], word: str
) -> None:
    outcome = screwed(articraft(), {"evidence": "meta.json", **screw})
    said = [f.detail for f in outcome.findings if f.code == "screw_unfolded"]
    assert len(said) == 1
    assert word in said[0]
    assert len(joints_of(outcome)) == 2


def test_a_declared_pair_that_is_frozen_or_crooked_is_a_finding(screwed: Make) -> None:
    frozen = [p.replace('type="continuous"', 'type="fixed"') for p in partnet()]
    for parts in (frozen, partnet(axis="1 0 0")):
        outcome = screwed(parts, {**PAIR, "turn": (0.0, 3.0)})
        assert "screw_unfolded" in bench.codes(outcome)


@pytest.mark.parametrize("pitch", [0.0, 1e-320])
def test_a_pitch_of_nothing_is_no_pitch(screwed: Make, pitch: float) -> None:
    outcome = screwed(artiverse(), {"joint": "turn", "pitch": pitch, "evidence": "x"})
    assert joints_of(outcome)["turn"].type is JointType.REVOLUTE
    assert "pitch_unknown" in bench.codes(outcome)
