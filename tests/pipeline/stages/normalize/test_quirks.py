# SPDX-License-Identifier: Apache-2.0
"""One test per quirk of structure and joints that real sources were seen or reported to have.

Each has an object made here, and the sample that shows the quirk where there is one. Screws are in
test_screws.py, joints with several degrees of freedom in test_compound.py.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aa_dataset.kinematics import KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from tests.kit import bench
from tests.kit.places import SAMPLES, skip_without_samples

UPRIGHT = {"up": "z", "front": "x"}
PARTNET = {"frame": UPRIGHT, "scale": "unit_sphere"}
LAM = {"frame": {"up": "y", "front": "z"}, "scale": "arbitrary"}
METRIC = {"frame": UPRIGHT, "scale": "metric"}
BUDGETS = {"raw_bytes": 10**9, "urdf_bytes": 32_000_000, "faces": 5_000_000}
WHOLE = 'lower="0" upper="1" effort="1" velocity="1"'

Make = Callable[..., Outcome]
Sample = Callable[..., Outcome]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize a URDF given by its parts."""

    def run(*parts: str, files: Any = None, **options: Any) -> Outcome:
        folder = bench.write_object(tmp_path / "raw", bench.robot(*parts), files)
        return bench.normal(folder, **options)

    return run


@pytest.fixture
def sample() -> Sample:
    """Normalize a real object; skip where the samples are not here."""

    def run(name: str, urdf: str, source: Any, **facts: Any) -> Outcome:
        found = sorted(SAMPLES.glob(name))
        if not found:
            skip_without_samples()
        return bench.normal(found[0], {**source, **facts}, urdf=urdf, budgets=BUDGETS)

    return run


def tree_of(outcome: Outcome) -> KinematicTree:
    """Return the kinematic tree of the written URDF."""
    assert outcome.files is not None
    return urdf_tree(parse_urdf(outcome.files["object.urdf"]))


def reason(make: Make, *parts: str, **options: Any) -> str:
    """Return the reason of a rejection."""
    with pytest.raises(Rejection) as caught:
        make(*parts, **options)
    return str(caught.value.reason)


def boxes(names: str) -> list[str]:
    """Return a box per letter."""
    return [bench.box_link(name) for name in names]


# PartNet-Mobility


def test_limits_without_effort_and_velocity_get_the_defaults_and_are_marked(
    make: Make, sample: Sample
) -> None:
    joint = bench.joint_text("j", "revolute", "a", "b", limit='lower="0" upper="1"')
    for normalized in (
        lambda: make(*boxes("ab"), joint),
        lambda: sample("partnet_mobility/100809", "mobility.urdf", PARTNET),
    ):
        outcome = normalized()
        written = [j for j in parse_urdf(outcome.files["object.urdf"]).joints if j.type != "fixed"]
        assert {(j.effort, j.velocity) for j in written} == {(100.0, 10.0)}
        assert bench.codes(outcome).count("effort_default") == len(written)


def test_continuous_without_a_limit_stays_continuous_without_a_word(make: Make) -> None:
    outcome = make(*boxes("ab"), bench.joint_text("j", "continuous", "a", "b", limit=None))
    assert [str(joint.type) for joint in tree_of(outcome).joints] == ["continuous"]
    assert bench.codes(outcome) == ["effort_default"]


def test_continuous_with_a_range_stays_continuous_with_a_finding(make: Make) -> None:
    outcome = make(*boxes("ab"), bench.joint_text("j", "continuous", "a", "b"))
    assert [str(joint.type) for joint in tree_of(outcome).joints] == ["continuous"]
    assert bench.codes(outcome) == ["limit_ignored"]


def test_an_empty_base_on_a_turned_fixed_joint_is_dissolved(make: Make, sample: Sample) -> None:
    turned = "1.570796326794897 0 -1.570796326794897"
    hand_made = make(
        '<link name="base"/>',
        bench.box_link("link_1", "0.2 0.4 0.6"),
        bench.box_link("link_0"),
        bench.joint_text("joint_1", "fixed", "base", "link_1", rpy=turned, axis=None, limit=None),
        bench.joint_text("joint_0", "revolute", "link_1", "link_0", axis="0 1 0"),
    )
    assert hand_made.record.link_names == {"base": "link_1", "link_0": "link_0"}
    # y up becomes z up: the joint about the source's y turns about z.
    assert tree_of(hand_made).joints[0].axis == pytest.approx([0, 0, 1], abs=1e-9)
    real = sample("partnet_mobility/7179", "mobility.urdf", PARTNET)
    names = real.record.link_names
    assert "base" not in names.values()
    assert names["base"].startswith("link_")


def test_an_object_of_57_sliders_keeps_them(sample: Sample) -> None:
    outcome = sample("partnet_mobility/100809", "mobility.urdf", PARTNET)
    assert sum(str(joint.type) == "prismatic" for joint in tree_of(outcome).joints) == 57


def test_visuals_of_one_name_are_all_kept(make: Make) -> None:
    box = '<geometry><box size="1 1 1"/></geometry>'
    shape = f'<visual name="v"><origin xyz="{{}} 0 0"/>{box}</visual>'
    link = f'<link name="a">{shape.format(0)}{shape.format(4)}</link>'
    assert make(link).record.extents == (5.0, 1.0, 1.0)


def test_one_of_several_urdfs_is_read_and_the_others_are_not(make: Make, sample: Sample) -> None:
    stray = {"generated copy.urdf": "<robot", "second.urdf": bench.robot(bench.box_link("z"))}
    outcome = make(*boxes("ab"), bench.joint_text("j", "fixed", "a", "b"), files=stray)
    assert sorted(outcome.record.link_names.values()) == ["a", "b"]
    lam = "articulated_object_code/a_cabinet_with_five_drawers_1"
    assert sample(lam, "generated.urdf", LAM).record.scale_factor > 0
    assert sample("gapartnet/102442", "mobility_texture_gapartnet.urdf", PARTNET).files


# Articraft


def test_a_limit_of_a_continuous_joint_may_hold_effort_and_velocity_alone(
    make: Make, sample: Sample
) -> None:
    joint = bench.joint_text("j", "continuous", "a", "b", limit='effort="3" velocity="4"')
    outcome = make(*boxes("ab"), joint)
    assert bench.codes(outcome) == []
    written = parse_urdf(outcome.files["object.urdf"]).joints[0]
    assert (written.effort, written.velocity, written.lower) == (3.0, 4.0, None)
    real = sample("articraft/rec_screwcap_bottle_94b9*", "model.urdf", METRIC)
    assert [str(joint.type) for joint in tree_of(real).movable] == ["continuous"]


def test_a_mimic_keeps_its_joint_and_omitted_numbers_are_one_and_zero(
    make: Make, sample: Sample
) -> None:
    follow = bench.joint_text("f", "revolute", "a", "c", more='<mimic joint="j"/>')
    outcome = make(*boxes("abc"), bench.joint_text("j", "revolute", "a", "b"), follow)
    mimic = tree_of(outcome).joint("f").mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("j", 1.0, 0.0)
    real = tree_of(sample("articraft/rec_louvered_shutter*", "model.urdf", METRIC))
    followers = [joint for joint in real.joints if joint.mimic is not None]
    assert len(followers) == 11
    assert {joint.mimic.joint for joint in followers} == {"door_to_louver_0"}


def test_a_mimic_of_a_mimic_keeps_the_chain(make: Make) -> None:
    two = '<mimic joint="{}" multiplier="{}" offset="{}"/>'
    outcome = make(
        *boxes("abcd"),
        bench.joint_text("j", "revolute", "a", "b"),
        bench.joint_text("k", "prismatic", "a", "c", more=two.format("j", 2, 0.5)),
        bench.joint_text("l", "revolute", "a", "d", more=two.format("k", -3, 0.25)),
        source={"frame": UPRIGHT, "scale": "arbitrary"},
    )
    tree, scale = tree_of(outcome), outcome.record.scale_factor
    assert scale != 1.0
    angle = -3 * (2 * 0.3 + 0.5) + 0.25
    moved = tree.placements({"j": 0.3})["d"]
    assert moved[1, 0] == pytest.approx(math.sin(angle), abs=1e-9)
    assert tree.placements({"j": 0.3})["c"][2, 3] == pytest.approx(scale * (2 * 0.3 + 0.5))


def test_mimics_in_a_circle_are_rejected(make: Make) -> None:
    joints = [
        bench.joint_text(one, "revolute", "a", link, more=f'<mimic joint="{two}"/>')
        for one, two, link in (("j", "k", "b"), ("k", "l", "c"), ("l", "j", "d"))
    ]
    assert reason(make, *boxes("abcd"), *joints) == "mimic_invalid"


def test_a_range_beyond_a_turn_stays_a_hinge(make: Make, sample: Sample) -> None:
    limit = 'lower="0" upper="12.5664" effort="1" velocity="1"'
    outcome = make(*boxes("ab"), bench.joint_text("j", "revolute", "a", "b", limit=limit))
    assert tree_of(outcome).joints[0].limits == (0.0, 12.5664)
    # Without its label nothing says that this cap is a screw: the turn of 9.7 rad stays.
    real = sample("articraft/rec_screwcap_bottle_51b7*", "model.urdf", METRIC)
    turn = tree_of(real).joint("cap_screw")
    assert (str(turn.type), turn.limits) == ("revolute", (0.0, 9.73894))


def test_numbers_of_six_digits_are_taken_as_they_are(make: Make) -> None:
    place = {"rpy": "0 1.5708 0", "axis": "0.707107 0 0.707107"}
    joint = bench.joint_text("j", "revolute", "a", "b", **place)
    axis = tree_of(make(*boxes("ab"), joint)).joints[0].axis
    cos, sin = math.cos(1.5708), math.sin(1.5708)
    assert axis == pytest.approx(np.array([cos + sin, 0, cos - sin]) / math.sqrt(2), abs=1e-9)
    assert np.linalg.norm(axis) == pytest.approx(1.0, abs=1e-12)


def test_dynamics_and_unknown_tags_and_attributes_are_passed_over(
    make: Make, sample: Sample
) -> None:
    more = '<dynamics damping="0.1" friction="2"/><safety_controller k_velocity="1"/>'
    joint = bench.joint_text("j", "revolute", "a", "b", more=more)
    joint = joint.replace("<joint ", '<joint artiverse_pid="3" artiverse_component="rotation" ')
    assert bench.codes(make(*boxes("ab"), joint)) == []
    assert sample("articraft/rec_binoculars_4be3*", "model.urdf", METRIC).files


def test_a_link_without_geometry_between_movable_joints_stays(make: Make) -> None:
    outcome = make(
        bench.box_link("a"),
        '<link name="yoke"/>',
        bench.box_link("b"),
        bench.joint_text("pan", "revolute", "a", "yoke"),
        bench.joint_text("tilt", "revolute", "yoke", "b", axis="1 0 0"),
    )
    assert tree_of(outcome).links == ("base", "yoke", "b")


def test_abstract_links_of_a_ball_work_as_they_are(make: Make) -> None:
    """PhysX-Mobility and Infinite-Mobility write compound joints through virtual links."""
    chain = ["a", "abstract_b_0", "abstract_b_1", "b"]
    joints = [
        bench.joint_text(f"j{n}", "revolute", parent, child, axis=axis)
        for n, (parent, child, axis) in enumerate(
            zip(chain, chain[1:], ("1 0 0", "0 1 0", "0 0 1"), strict=False)
        )
    ]
    empty = ['<link name="abstract_b_0"/>', '<link name="abstract_b_1"/>']
    outcome = make(bench.box_link("a"), *empty, bench.box_link("b"), *joints)
    assert len(tree_of(outcome).movable) == 3
    assert bench.codes(outcome) == []


# Articulated-Object-Code


def test_a_hinge_without_a_limit_becomes_continuous_with_a_finding(
    make: Make, sample: Sample
) -> None:
    joint = bench.joint_text("j", "revolute", "a", "b", limit=None)
    for normalized, name in (
        (lambda: make(*boxes("ab"), joint), "j"),
        (lambda: sample("articulated_object_code/robot_arm", "generated.urdf", LAM), "elbow_flex"),
    ):
        outcome = normalized()
        assert str(tree_of(outcome).joint(name).type) == "continuous"
        assert bench.codes(outcome).count("limit_missing") == 1


def test_a_joint_without_origin_and_axis_lies_at_its_parent_along_x(make: Make) -> None:
    bare = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{}</joint>'
    outcome = make(*boxes("ab"), bare.format(f"<limit {WHOLE}/>"))
    joint = tree_of(outcome).joints[0]
    assert joint.axis.tolist() == [1.0, 0.0, 0.0]
    assert joint.origin.tolist() == [0.0, 0.0, 0.0]


def test_arbitrary_scale_and_y_up_become_unit_radius_and_z_up(sample: Sample) -> None:
    outcome = sample("articulated_object_code/oven", "generated.urdf", LAM)
    assert np.linalg.norm(outcome.record.extents) / 2 == pytest.approx(1.0, abs=1e-8)
    assert not outcome.record.is_metric


# GAPartNet-AKB48


def test_bars_in_names_and_zero_inertia(make: Make) -> None:
    inertial = (
        '<inertial><mass value="1.0"/>'
        '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
    )
    links = [bench.box_link(n).replace("</link>", f"{inertial}</link>") for n in ("link1", "link2")]
    joint = bench.joint_text("link1|revolute|link2", "revolute", "link1", "link2")
    outcome = make(*links, joint)
    assert outcome.record.joint_names == {"link1_revolute_link2": "link1|revolute|link2"}
    assert outcome.record.source_inertials["base"].mass == 1.0


def test_an_object_whose_meshes_are_not_there_is_left_out(sample: Sample) -> None:
    with pytest.raises(Rejection, match="mesh_missing"):
        sample("gapartnet_akb48/*", "motion_unity.urdf", METRIC)


# Reported for full releases, in no sample: hostile or broken structure


def test_structures_that_are_no_tree_are_rejected(make: Make) -> None:
    joint = bench.joint_text
    assert reason(make, *boxes("ab")) == "root_several"
    pair = [joint("j", "revolute", "b", "c"), joint("k", "revolute", "c", "b")]
    assert reason(make, *boxes("abc"), *pair) == "joint_cycle"
    assert reason(make, bench.box_link("a"), joint("j", "fixed", "a", "a")) == "joint_cycle"
    twice = [joint("j", "fixed", "a", "b"), joint("j", "fixed", "a", "c")]
    assert reason(make, *boxes("abc"), *twice) == "joint_duplicate"


def test_reversed_limits_are_rejected_and_name_the_place_to_repair(make: Make) -> None:
    for kind in ("revolute", "prismatic"):
        for limit in ('lower="1" upper="-1"', 'lower="0.5"', 'upper="-0.5"'):
            joint = bench.joint_text("j", kind, "a", "b", limit=limit)
            with pytest.raises(Rejection, match=r"limits_reversed.*'j'.*repairs\.tsv"):
                make(*boxes("ab"), joint)


@pytest.mark.parametrize("word", ["nan", "NaN", "-nan", "1,0", "0x10", "1_0", "\u0661"])
def test_what_is_no_number_is_rejected(make: Make, word: str) -> None:
    for options in (
        {"limit": f'lower="{word}" upper="1"'},
        {"axis": f"{word} 0 1"},
        {"xyz": f"0 {word} 0"},
    ):
        joint = bench.joint_text("j", "revolute", "a", "b", **options)
        assert reason(make, *boxes("ab"), joint) == "number_invalid"


@pytest.mark.parametrize("head", [b"\xff\xfe", b"\x80abc", "é".encode("latin-1")])
def test_a_wrong_encoding_is_rejected(tmp_path: Path, head: bytes) -> None:
    document = bench.robot(*boxes("a"), name="NAME").encode().replace(b"NAME", head)
    folder = bench.write_object(tmp_path / "raw", "", {"model.urdf": document})
    with pytest.raises(Rejection, match="xml_invalid"):
        bench.normal(folder)


def test_a_byte_order_mark_and_utf_16_are_read(tmp_path: Path) -> None:
    text = bench.robot(bench.box_link("größe"), name="o")
    for data in (b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16")):
        folder = bench.write_object(tmp_path / "raw", "", {"model.urdf": data})
        assert bench.normal(folder).record.link_names == {"base": "größe"}


def test_a_chain_of_ten_thousand_links_is_rejected_at_once(make: Make) -> None:
    links = [bench.box_link(f"l{n}") for n in range(10_000)]
    joints = [bench.joint_text(f"j{n}", "revolute", f"l{n}", f"l{n + 1}") for n in range(9_999)]
    start = time.process_time()
    assert reason(make, *links, *joints, budgets={"urdf_bytes": 10**7}) == "too_many_links"
    assert time.process_time() - start < 20  # an order above what it takes
    model = parse_urdf(bench.robot(*links, *joints).encode())
    assert urdf_tree(model).depth == 9_999  # no recursion anywhere


def test_a_long_chain_within_the_budget_is_normalized(make: Make) -> None:
    count = 300
    links = [bench.box_link(f"l{n}", "0.01 0.01 0.01") for n in range(count)]
    joints = [
        bench.joint_text(f"j{n}", "revolute", f"l{n}", f"l{n + 1}", xyz="0.02 0 0")
        for n in range(count - 1)
    ]
    assert tree_of(make(*links, *joints)).depth == count - 1


def test_a_rest_state_outside_the_range_is_kept(make: Make) -> None:
    text = 'lower="0.5" upper="1" effort="1" velocity="1"'
    outcome = make(*boxes("ab"), bench.joint_text("j", "revolute", "a", "b", limit=text))
    assert tree_of(outcome).joints[0].limits == (0.5, 1.0)


@pytest.mark.parametrize("axis", ["0 0 5", "0 0 1e-200", "1e200 0 1e200", "1 2 3"])
def test_axes_of_any_length_become_unit_and_slides_keep_meters(make: Make, axis: str) -> None:
    outcome = make(*boxes("ab"), bench.joint_text("j", "prismatic", "a", "b", axis=axis))
    joint = tree_of(outcome).joints[0]
    direction = np.array([float(word) for word in axis.split()])
    direction /= np.abs(direction).max()
    assert joint.axis == pytest.approx(direction / np.linalg.norm(direction), abs=1e-9)
    assert joint.limits == (-1.0, 1.0)


def test_a_zero_axis_is_rejected_where_something_moves_and_ignored_where_nothing_does(
    make: Make,
) -> None:
    zero = bench.joint_text("j", "revolute", "a", "b", axis="0 0 0")
    assert reason(make, *boxes("ab"), zero) == "axis_zero"
    weld = bench.joint_text("j", "fixed", "a", "b", axis="0 0 0")
    assert make(*boxes("ab"), weld).files
