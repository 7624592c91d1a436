# SPDX-License-Identifier: Apache-2.0
"""The rules of the convention: names, ranges, drives, structure, and the check of each rule."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aa_dataset.convention.document import check_convention
from aa_dataset.kinematics.urdf import UrdfModel, parse_urdf
from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from pipeline.handover.normalized import SourceInertial
from tests.kit import bench

Make = Callable[..., Outcome]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize a URDF given by its parts."""

    def run(*parts: str, **options: Any) -> Outcome:
        return bench.normal(bench.write_object(tmp_path / "raw", bench.robot(*parts)), **options)

    return run


def model_of(outcome: Outcome) -> UrdfModel:
    """Return the normalized document."""
    assert outcome.files is not None
    return parse_urdf(outcome.files["object.urdf"])


def rejected(make: Make, *parts: str, **options: Any) -> str:
    """Return the reason of the rejection."""
    with pytest.raises(Rejection) as caught:
        make(*parts, **options)
    assert caught.value.detail.endswith(".")
    return str(caught.value.reason)


def pair(kind: str, **options: Any) -> list[str]:
    """Return two boxes and a joint `j`."""
    return [
        bench.box_link("a"),
        bench.box_link("b"),
        bench.joint_text("j", kind, "a", "b", **options),
    ]


def test_names_are_plain_and_unique_and_the_sources_are_kept(make: Make) -> None:
    names = ["Root Link", "Door-Leaf", "door leaf", "DOOR LEAF", "base", "日本", "!", "x" * 90]
    links = [bench.box_link(name) for name in names]
    joints = [
        bench.joint_text(f"J {n % 2}" + " " * n, "revolute", names[0], name)
        for n, name in enumerate(names)
        if n
    ]
    outcome = make(*links, *joints)
    mapped = outcome.record.link_names
    assert sorted(mapped.values()) == sorted(names)
    assert all(re.fullmatch(r"[a-z0-9_]{1,52}", name) for name in mapped)
    assert mapped["base"] == "Root Link"
    assert len(set(outcome.record.joint_names)) == len(names) - 1


def test_a_hinge_keeps_its_range_also_beyond_a_turn(make: Make) -> None:
    limit = 'lower="-7" upper="20" effort="3" velocity="4"'
    joint = model_of(make(*pair("revolute", limit=limit))).joints[0]
    assert (joint.type, joint.lower, joint.upper) == ("revolute", -7.0, 20.0)
    assert (joint.effort, joint.velocity) == (3.0, 4.0)


@pytest.mark.parametrize(
    "limit", [None, 'lower="-inf" upper="inf"', 'lower="-1" upper="inf"', 'lower="-inf" upper="1"',
              'lower="-1e16" upper="1e+16"', 'lower="-1.79769e+308" upper="1.79769e+308"']
)  # fmt: skip
def test_an_unbounded_hinge_becomes_continuous_with_a_finding(
    make: Make, limit: str | None
) -> None:
    outcome = make(*pair("revolute", limit=limit))
    assert model_of(outcome).joints[0].type == "continuous"
    assert "limit_missing" in bench.codes(outcome)


@pytest.mark.parametrize(
    ("limit", "lower", "upper"),
    [
        (None, -1.0, 1.0),
        ('lower="-inf" upper="inf"', -1.0, 1.0),
        ('lower="-1e16" upper="1e16"', -1.0, 1.0),
        ('lower="0.5" upper="inf"', 0.5, None),
        ('lower="-inf" upper="0.5"', -1.0, 0.5),
        ('lower="-inf" upper="-0.5"', None, -0.5),
    ],
)
def test_an_endless_slider_gets_the_diagonal_as_invented_travel(
    make: Make, limit: str | None, lower: float | None, upper: float | None
) -> None:
    outcome = make(*pair("prismatic", limit=limit))
    diagonal = math.hypot(0.2, 0.3, 0.4)  # both boxes stand in one place
    lower = -0.5 - diagonal if lower is None else -diagonal if lower == -1.0 else lower
    upper = 0.5 + diagonal if upper is None else diagonal if upper == 1.0 else upper
    joint = model_of(outcome).joints[0]
    assert (joint.lower, joint.upper) == pytest.approx((lower, upper), rel=1e-9)
    assert "limit_invented" in bench.codes(outcome)


@pytest.mark.parametrize(
    ("limit", "effort", "velocity", "said"),
    [
        ('lower="0" upper="1" effort="3" velocity="4"', 3.0, 4.0, False),
        ('lower="0" upper="1"', 100.0, 10.0, True),
        ('lower="0" upper="1" effort="3"', 3.0, 10.0, True),
        ('lower="0" upper="1" effort="0" velocity="-1"', 100.0, 10.0, True),
        ('lower="0" upper="1" effort="inf" velocity="4"', 100.0, 4.0, True),
    ],
)
def test_missing_effort_and_velocity_are_the_configured_ones_with_a_finding(
    make: Make, limit: str, effort: float, velocity: float, said: bool
) -> None:
    outcome = make(*pair("revolute", limit=limit))
    joint = model_of(outcome).joints[0]
    assert (joint.effort, joint.velocity) == (effort, velocity)
    assert ("effort_default" in bench.codes(outcome)) == said


def test_a_good_object_has_no_finding(make: Make) -> None:
    assert bench.codes(make(*pair("revolute"))) == []


def test_an_endless_screw_gets_one_turn_each_way_with_a_finding(make: Make) -> None:
    outcome = make(
        bench.box_link("a"),
        '<link name="c"/>',
        bench.box_link("b"),
        bench.joint_text("t", "continuous", "a", "c", limit=None),
        bench.joint_text("s", "prismatic", "c", "b", limit=None,
                         more='<mimic joint="t" multiplier="-0.01"/>'),
    )  # fmt: skip
    turn, slide = model_of(outcome).joints
    assert (turn.type, slide.type) == ("revolute", "prismatic")
    assert (turn.lower, turn.upper) == pytest.approx((-2 * math.pi, 2 * math.pi))
    assert (slide.lower, slide.upper) == pytest.approx((-0.02 * math.pi, 0.02 * math.pi))
    assert "limit_invented" in bench.codes(outcome)


def test_a_fixed_joint_has_no_mimic(make: Make) -> None:
    outcome = make(
        *pair("revolute"),
        bench.box_link("c"),
        bench.joint_text("f", "fixed", "a", "c", more='<mimic joint="j"/>'),
    )
    joints = {joint.name: joint for joint in model_of(outcome).joints}
    assert joints["f"].mimic is None


def test_an_empty_root_that_only_moves_its_children_stays_with_a_finding(make: Make) -> None:
    outcome = make(
        '<link name="a"/>', bench.box_link("b"), bench.joint_text("j", "revolute", "a", "b")
    )
    assert outcome.record.link_names["base"] == "a"
    assert "base_empty" in bench.codes(outcome)


def test_broken_structures_are_rejected_with_their_reason(make: Make) -> None:
    a, b, c = (bench.box_link(name) for name in "abc")
    joint = bench.joint_text
    assert rejected(make) == "link_none"
    assert rejected(make, a, a) == "link_duplicate"
    assert rejected(make, a, b) == "root_several"
    assert rejected(make, a, b, joint("j", "fixed", "a", "z")) == "link_unknown"
    assert rejected(make, a, b, joint("j", "hinge", "a", "b")) == "joint_type_unknown"
    assert rejected(make, a, b, joint("j", "floating", "a", "b")) == "joint_floating"
    assert rejected(make, a, b, joint("j", "revolute", "a", "b", axis="0 0 0")) == "axis_zero"
    backwards = joint("j", "revolute", "a", "b", limit='lower="1" upper="-1"')
    assert rejected(make, a, b, backwards) == "limits_reversed"
    endless = joint("j", "revolute", "a", "b", limit='lower="1e10" upper="1e308"')
    assert rejected(make, a, b, endless) == "joint_invalid"
    for far in ('multiplier="1e300"', 'offset="-1e300"'):
        follower = joint("k", "prismatic", "a", "c", more=f'<mimic joint="j" {far}/>')
        leader = joint("j", "revolute", "a", "b")
        assert rejected(make, a, b, c, leader, follower) == "joint_invalid"
    two = [joint("j", "fixed", "a", "c"), joint("k", "fixed", "b", "c")]
    assert rejected(make, a, b, c, *two) == "link_two_parents"
    loop = [joint("j", "fixed", "b", "c"), joint("k", "fixed", "c", "b")]
    assert rejected(make, a, b, c, *loop) == "joint_cycle"
    stranger = joint("j", "revolute", "a", "b", more='<mimic joint="z"/>')
    assert rejected(make, a, b, stranger) == "mimic_invalid"
    itself = joint("j", "revolute", "a", "b", more='<mimic joint="j"/>')
    assert rejected(make, a, b, itself) == "mimic_invalid"
    assert rejected(make, '<link name="a"/>') == "geometry_none"
    assert rejected(make, bench.box_link("a", "0 0 0")) == "geometry_none"
    assert rejected(make, bench.box_link("a", "1e-9 1e-9 1e-9")) == "geometry_none"
    assert rejected(make, bench.box_link("a", "1e300 1 1")) == "mesh_invalid"
    assert rejected(make, a, b, joint("j", "revolute", "a", "b", xyz="1e300 0 0")) in (
        "joint_invalid",
        "mesh_invalid",
    )


@pytest.mark.parametrize("empty", [True, False])
def test_following_a_joint_that_cannot_move_is_rejected(make: Make, empty: bool) -> None:
    middle = '<link name="e"/>' if empty else bench.box_link("e")
    follower = bench.joint_text("j", "revolute", "e", "b", more='<mimic joint="weld"/>')
    weld = bench.joint_text("weld", "fixed", "a", "e")
    parts = [bench.box_link("a"), middle, bench.box_link("b"), weld, follower]
    assert rejected(make, *parts) == "mimic_invalid"


def test_a_file_that_xacro_has_not_expanded_is_rejected_by_its_name(make: Make) -> None:
    parts = [*pair("revolute"), '<xacro:include filename="legs.xacro"/>']
    said = r"model\.urdf: <xacro:include> is a macro of xacro, .* expand the file first"
    with pytest.raises(Rejection, match=said) as caught:
        make(*parts)
    assert caught.value.reason == "urdf_invalid"


def test_budgets_are_kept(make: Make) -> None:
    parts = pair("revolute")
    assert make(*parts, budgets={"links": 2, "faces": 24}).record.is_metric
    assert rejected(make, *parts, budgets={"links": 1}) == "too_many_links"
    assert rejected(make, *parts, budgets={"faces": 23}) == "too_many_faces"
    assert rejected(make, *parts, budgets={"urdf_bytes": 100}) == "too_many_bytes"


def test_masses_of_the_source_are_kept(make: Make) -> None:
    inertial = (
        '<inertial><origin xyz="1 2 3"/><mass value="4"/>'
        '<inertia ixx="5" iyy="6" izz="7" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>'
    )
    outcome = make(bench.box_link("Big One").replace("</link>", f"{inertial}</link>"))
    assert outcome.record.source_inertials == {
        "base": SourceInertial(
            mass=4.0,
            center=(1.0, 2.0, 3.0),
            inertia=(5.0, 0.1, 0.2, 0.1, 6.0, 0.3, 0.2, 0.3, 7.0),
        )
    }


TENSOR = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
GOOD_INERTIAL = f'<inertial><mass value="1"/>{TENSOR}</inertial>'
SHAPE = '<geometry><mesh filename="meshes/{}.obj"/></geometry>'
GOOD = (
    '<robot name="object">'
    f'<link name="base">{GOOD_INERTIAL}<visual name="v">{SHAPE.format("b")}</visual></link>'
    f'<link name="arm">{GOOD_INERTIAL}<visual name="v">{SHAPE.format("a")}</visual>'
    f'<collision name="c">{SHAPE.format("c")}</collision></link>'
    '<joint name="hinge" type="revolute"><origin xyz="1 0 0" rpy="0 0 0"/><parent link="base"/>'
    '<child link="arm"/><axis xyz="0 0 1"/><limit lower="0" upper="1" effort="2" velocity="3"/>'
    '<dynamics damping="0.1" friction="0"/></joint></robot>'
)
FILES = {"object.glb", "meshes/a.obj", "meshes/b.obj", "meshes/c.obj"}
WHOLE_LIMIT = '<limit lower="0" upper="1" effort="2" velocity="3"/>'


def test_an_object_by_the_convention_has_no_problem() -> None:
    assert check_convention(GOOD.encode(), FILES) == []
    without = GOOD.replace(GOOD_INERTIAL, "")
    assert check_convention(without.encode(), FILES, with_inertials=False) == []


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("robot", "sdf", "read"),
        ('"base"', '"body"', "'body'"),
        ('"arm"', '"Arm"', "[a-z0-9_]+"),
        ('"arm"', '"arm&#10;"', "[a-z0-9_]+"),
        ('"hinge"', '"hin ge"', "[a-z0-9_]+"),
        ('"hinge"', '"hinge&#10;"', "[a-z0-9_]+"),
        ('type="revolute"', 'type="planar"', "freedom"),
        ("meshes/a.obj", "meshes/z.obj", "does not exist"),
        ("meshes/c.obj", "meshes/c.stl", "OBJ"),
        ('<mesh filename="meshes/a.obj"/>', '<box size="1 1 1"/>', "OBJ"),
        ('filename="meshes/a.obj"', 'filename="meshes/a.obj" scale="2 2 2"', "scale"),
        (SHAPE.format("a"), f'<origin xyz="1 0 0"/>{SHAPE.format("a")}', "link frame"),
        ('rpy="0 0 0"', 'rpy="0 0 1"', "turns"),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 2"/>', "unit axis"),
        ('<axis xyz="0 0 1"/>', "", "unit axis"),
        (' effort="2"', "", "effort"),
        (' velocity="3"', "", "velocity"),
        (WHOLE_LIMIT, "", "effort"),
        (' upper="1"', ' upper="inf"', "finite"),
        (' lower="0"', "", "finite"),
        ('lower="0"', 'lower="2"', "read"),
        (WHOLE_LIMIT, f'{WHOLE_LIMIT}<mimic joint="ghost"/>', "ghost"),
        (f'<collision name="c">{SHAPE.format("c")}</collision>', "", "collision"),
        (GOOD_INERTIAL, "", "inertial"),
        ('<mass value="1"/>', '<mass value="0"/>', "positive"),
        ('ixx="1"', 'ixx="-1"', "positive"),
        ('ixx="1"', 'ixx="0"', "positive"),
        ('ixx="1"', 'ixx="3"', "triangle"),
    ],
)  # fmt: skip
def test_every_broken_rule_is_found(old: str, new: str, word: str) -> None:
    mutated = GOOD.replace(old, new)
    assert mutated != GOOD
    problems = check_convention(mutated.encode(), FILES)
    assert any(word in problem for problem in problems), problems
