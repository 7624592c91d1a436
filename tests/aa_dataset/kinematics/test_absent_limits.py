# SPDX-License-Identifier: Apache-2.0
"""Limits that a file does not state: said by the joint, and kept by everything done to it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from aa_dataset.errors import JointError
from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import AbsentLimits, read_tree, urdf_tree
from aa_dataset.metric import contract

INF = math.inf
EFFORT = '<limit effort="1" velocity="1"/>'
LOWER, UPPER = '<limit lower="-1"/>', '<limit upper="2"/>'
INFINITE = '<limit lower="-inf" upper="inf"/>'


def one_joint(kind: str, limit: str, absent: AbsentLimits) -> Joint:
    document = (
        f'<robot><link name="a"/><link name="b"/><joint name="j" type="{kind}"><parent link="a"/>'
        f'<child link="b"/><axis xyz="0 0 1"/>{limit}</joint></robot>'
    )
    return urdf_tree(parse_urdf(document.encode()), absent=absent).joint("j")


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize(
    ("limit", "limits", "source"),
    [
        ("", (-INF, INF), "absent"),
        (EFFORT, (-INF, INF), "absent"),
        ("<limit/>", (-INF, INF), "absent"),
        (LOWER, (-1, 0), "given"),
        (UPPER, (0, 2), "given"),
        ('<limit lower="0" upper="0"/>', (0, 0), "given"),
        (INFINITE, (-INF, INF), "given"),
        ('<limit lower="0" upper="inf"/>', (0, INF), "given"),
    ],
)
def test_a_prediction_without_limits_keeps_its_type_and_says_so(kind, limit, limits, source):
    joint = one_joint(kind, limit, "unbounded")
    assert (joint.type, joint.limits, joint.limit_source) == (kind, limits, source)


@pytest.mark.parametrize(
    ("kind", "limit", "found", "limits"),
    [
        ("revolute", "", "continuous", (-INF, INF)),
        ("revolute", EFFORT, "revolute", (0, 0)),
        ("prismatic", "", "prismatic", (-INF, INF)),
        ("prismatic", EFFORT, "prismatic", (0, 0)),
        ("revolute", UPPER, "revolute", (0, 2)),
    ],
)
def test_by_default_the_rules_of_urdf_hold(kind, limit, found, limits):
    joint = one_joint(kind, limit, "urdf")
    assert (joint.type, joint.limits, joint.limit_source) == (found, limits, "given")


@pytest.mark.parametrize("kind", ["continuous", "fixed"])
@pytest.mark.parametrize("limit", ["", EFFORT, '<limit lower="-1" upper="1"/>'])
def test_a_type_that_needs_no_limits_has_given_ones(kind, limit):
    joint = one_joint(kind, limit, "unbounded")
    assert (joint.type, joint.limit_source) == (kind, "given")


def test_reading_a_file_passes_the_rule_on(tmp_path):
    path = tmp_path / "one.urdf"
    path.write_text(
        '<robot><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
        '<child link="b"/></joint></robot>'
    )
    assert read_tree(path).joint("j").type is JointType.CONTINUOUS
    assert read_tree(path, absent="unbounded").joint("j").limit_source is LimitSource.ABSENT


def screw(
    turn: str, turn_limit: str, slide_limit: str, absent: AbsentLimits = "unbounded"
) -> Joint:
    document = (
        '<robot><link name="a"/><link name="c"/><link name="b"/>'
        f'<joint name="turn" type="{turn}"><parent link="a"/><child link="c"/><axis xyz="0 0 1"/>'
        f'{turn_limit}</joint><joint name="slide" type="prismatic"><parent link="c"/>'
        f'<child link="b"/><axis xyz="0 0 1"/>{slide_limit}'
        '<mimic joint="turn" multiplier="-0.5"/></joint></robot>'
    )
    return urdf_tree(parse_urdf(document.encode()), absent=absent).joint("turn")


BOUNDED = '<limit lower="-1" upper="4"/>'


@pytest.mark.parametrize(
    ("turn", "turn_limit", "slide_limit", "limits", "source"),
    [
        ("revolute", EFFORT, EFFORT, (-INF, INF), "absent"),
        ("revolute", "", "", (-INF, INF), "absent"),
        ("revolute", "", BOUNDED, (-8, 2), "given"),  # the slide states it: q = end / -0.5
        ("revolute", BOUNDED, "", (-1, 4), "given"),
        ("continuous", "", "", (-INF, INF), "given"),
        ("continuous", "", EFFORT, (-INF, INF), "given"),
        ("continuous", "", BOUNDED, (-8, 2), "given"),
    ],
)
def test_a_helical_joint_lacks_limits_if_nothing_of_the_pair_states_one(
    turn, turn_limit, slide_limit, limits, source
):
    joint = screw(turn, turn_limit, slide_limit)
    assert joint.type is JointType.HELICAL
    assert (joint.limits, joint.limit_source) == (limits, source)


def absent_joint(**changes: object) -> Joint:
    joint = Joint("j", "revolute", [0, 0, 1], [1, 0, 0], -INF, INF, parent="a", child="b")
    return replace(joint, **{"limit_source": LimitSource.ABSENT, **changes})


@pytest.mark.parametrize("source", ["absent", "imputed"])
def test_a_joint_keeps_where_its_limits_come_from(source):
    ends = (-INF, INF) if source == "absent" else (0.0, 1.0)
    joint = replace(absent_joint(), limit_source=source, lower=ends[0], upper=ends[1])
    tree = KinematicTree("t", ("a", "b"), (joint,))
    kept = [
        joint.reversed(),
        joint.reanchored(0.5),
        joint.with_body(None),
        tree.reanchored({"j": 0.25}).joint("j"),
        contract(tree).joints[0],
    ]
    assert [one.limit_source for one in kept] == [source] * len(kept)


def test_a_bounded_joint_cannot_claim_that_its_limits_are_absent():
    with pytest.raises(JointError, match=r"joint 'j', field `limit_source`: absent limits are inf"):
        absent_joint(lower=0.0)
    with pytest.raises(
        JointError, match=r"'guessed' is not one of given, absent, imputed, table\."
    ):
        absent_joint(limit_source="guessed")


@pytest.mark.parametrize("kind", ["continuous", "fixed"])
def test_a_joint_that_becomes_fixed_or_continuous_has_given_limits(kind):
    assert absent_joint(type=kind).limit_source is LimitSource.GIVEN
