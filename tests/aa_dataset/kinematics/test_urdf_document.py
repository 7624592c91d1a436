# SPDX-License-Identifier: Apache-2.0
"""The URDF reader: what the file says, or an error that names the element."""

from __future__ import annotations

import math
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from aa_dataset.errors import ArenaError, JointError, TreeError, UrdfError
from aa_dataset.kinematics.urdf import CODES, parse_urdf, pose_matrix
from aa_dataset.kinematics.urdf_tree import rest_frames, urdf_tree
from tests.kit.places import SAMPLES, skip_without_samples

ANGLE = st.floats(-10, 10)
LINKS = '<link name="a"/><link name="b"/>'
ENDS = '<parent link="a"/><child link="b"/>'


def joint(
    inner: str = "", *, kind: str = "revolute", ends: str = ENDS, links: str = LINKS
) -> bytes:
    """Return a document with one joint `j`."""
    text = f'<joint name="j" type="{kind}">{ends}{inner}</joint>'
    return f'<robot name="r">{links}{text}</robot>'.encode()


def visual(inner: str) -> bytes:
    """Return a document with one link that has one visual."""
    return f'<robot><link name="a"><visual>{inner}</visual></link></robot>'.encode()


@given(st.tuples(ANGLE, ANGLE, ANGLE), st.tuples(ANGLE, ANGLE, ANGLE))
def test_a_pose_is_roll_pitch_yaw_about_fixed_axes(
    xyz: tuple[float, ...], rpy: tuple[float, ...]
) -> None:
    expected = np.eye(4)
    expected[:3, :3] = Rotation.from_euler("xyz", rpy).as_matrix()
    expected[:3, 3] = xyz
    assert pose_matrix(xyz, rpy) == pytest.approx(expected, abs=1e-14)


def test_everything_written_about_a_joint_is_read() -> None:
    inner = (
        '<origin xyz="1 2 3" rpy="0 0 1.5"/><axis xyz="0 2 0"/>'
        '<limit lower="-0.5" upper="2.5" effort="7" velocity="8"/>'
        '<mimic joint="k" multiplier="-2" offset="0.25"/>'
    )
    found = parse_urdf(joint(inner)).joints[0]
    assert (found.name, found.type, found.parent, found.child) == ("j", "revolute", "a", "b")
    assert (found.lower, found.upper, found.effort, found.velocity) == (-0.5, 2.5, 7.0, 8.0)
    assert found.axis is not None
    assert found.axis.tolist() == [0, 2, 0]
    assert found.pose[:3, 3].tolist() == [1, 2, 3]
    assert found.mimic is not None
    assert (found.mimic.joint, found.mimic.multiplier, found.mimic.offset) == ("k", -2.0, 0.25)


def test_attributes_that_a_joint_omits_are_none() -> None:
    found = parse_urdf(joint()).joints[0]
    assert found.axis is found.lower is found.upper is found.effort is found.mimic is None
    assert not found.has_limit
    assert np.array_equal(found.pose, np.eye(4))


def test_an_inline_material_is_filled_from_the_robot_level() -> None:
    box = '<geometry><box size="1 2 3"/></geometry><material name="red"/>'
    document = (
        '<robot><material name="red"><color rgba="2 0.5 -1 0.25"/></material>'
        f'<link name="a"><visual>{box}</visual></link></robot>'
    )
    shape = parse_urdf(document.encode()).links[0].visuals[0]
    assert shape.material is not None
    assert shape.material.rgba == (1.0, 0.5, 0.0, 0.25)
    assert shape.geometry.size == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ('<cylinder radius="1" length="2"/>', (1.0, 2.0)),
        ('<sphere radius="3"/>', (3.0,)),
        ('<capsule radius="1" length="2"/>', (1.0, 2.0)),
    ],
)
def test_primitives_keep_their_sizes(text: str, size: tuple[float, ...]) -> None:
    found = parse_urdf(visual(f"<geometry>{text}</geometry>")).links[0].visuals[0]
    assert found.geometry.size == size


def test_one_scale_counts_for_all_three_axes() -> None:
    mesh = '<geometry><mesh filename="a.obj" scale="{}"/></geometry>'
    one = parse_urdf(visual(mesh.format("0.5"))).links[0].visuals[0].geometry
    three = parse_urdf(visual(mesh.format("1 -2 3"))).links[0].visuals[0].geometry
    assert one.scale == (0.5, 0.5, 0.5)
    assert three.scale == (1.0, -2.0, 3.0)


@pytest.mark.parametrize(
    ("document", "code", "names"),
    [
        (b"<sdf/>", "urdf_invalid", "sdf"),
        (b"<robot><link/></robot>", "urdf_invalid", "name"),
        (b'<robot><link name=""/></robot>', "urdf_invalid", "name"),
        (visual(""), "urdf_invalid", "'a'"),
        (visual("<geometry/>"), "urdf_invalid", "'a'"),
        (visual("<geometry><mesh/></geometry>"), "urdf_invalid", "filename"),
        (visual("<geometry><cone/></geometry>"), "urdf_invalid", "cone"),
        (visual('<geometry><box size="1 2"/></geometry>'), "number_invalid", "size"),
        (visual('<geometry><box size="1 2 -3"/></geometry>'), "number_invalid", "negative"),
        (visual('<geometry><sphere radius="nan"/></geometry>'), "number_invalid", "radius"),
        (visual('<geometry><sphere radius="inf"/></geometry>'), "number_invalid", "radius"),
        (visual('<geometry><sphere radius="one"/></geometry>'), "number_invalid", "one"),
        (visual('<geometry><sphere radius="1_0"/></geometry>'), "number_invalid", "1_0"),
        (visual('<geometry><sphere radius="\u0663"/></geometry>'), "number_invalid", "radius"),
        (joint(kind="wobbly"), "joint_type_unknown", "wobbly"),
        (joint(kind=""), "urdf_invalid", "type"),
        (joint(ends='<parent link="a"/>'), "urdf_invalid", "child"),
        (joint(ends='<child link="a"/>'), "urdf_invalid", "parent"),
        (joint(ends='<parent/><child link="a"/>'), "urdf_invalid", "link"),
        (joint('<axis xyz="0 0"/>'), "number_invalid", "axis"),
        (joint("<axis/>"), "urdf_invalid", "xyz"),
        (joint('<axis xyz="nan 0 0"/>'), "number_invalid", "axis"),
        (joint('<origin xyz="inf 0 0"/>'), "number_invalid", "origin xyz"),
        (joint('<origin rpy="0 0 x"/>'), "number_invalid", "origin rpy"),
        (joint('<limit lower="nan" upper="1"/>'), "number_invalid", "lower"),
        (joint('<limit lower="0" upper="one"/>'), "number_invalid", "upper"),
        (joint("<mimic/>"), "urdf_invalid", "joint"),
        (joint('<mimic joint="k" multiplier="inf"/>'), "number_invalid", "multiplier"),
        (b'<robot><link name="a"><inertial/></link></robot>', "urdf_invalid", "inertial"),
    ],
)  # fmt: skip
def test_a_broken_document_is_an_error_that_names_the_element(
    document: bytes, code: str, names: str
) -> None:
    with pytest.raises(UrdfError) as caught:
        parse_urdf(document)
    assert caught.value.code == code
    assert code in CODES
    assert names in caught.value.detail


SPACE = "http://www.ros.org/wiki/xacro"


@pytest.mark.parametrize(
    ("attributes", "inner", "named"),
    [
        (f'xmlns:xacro="{SPACE}"', '<xacro:include filename="b.xacro"/>', "<xacro:include>"),
        (f'xmlns:xacro="{SPACE}"', '<link name="b"><xacro:box/></link>', "<xacro:box>"),
        ("", "<xacro:leg/>", "<xacro:leg>"),  # the namespace is not declared
        (f'xmlns:x="{SPACE}"', '<x:property name="a" value="1"/>', "<x:property>"),
        ("", f'<m:leg xmlns:m="{SPACE}/"/>', "<m:leg>"),
        ("", f'<include xmlns="{SPACE}" filename="b.xacro"/>', "<include>"),
        (f'xmlns:xacro="{SPACE}"', "", None),  # expanded, as files of real collections are
        ('xmlns:g="http://gazebosim.org"', "<g:plugin/>", None),
        (f'xmlns="{SPACE}"', '<link name="b"/>', None),
    ],
)
def test_a_document_that_xacro_has_not_expanded_is_an_error(
    attributes: str, inner: str, named: str | None
) -> None:
    document = f'<robot name="r" {attributes}><link name="a"/>{inner}</robot>'.encode()
    if named is None:
        assert parse_urdf(document).links[0].name == "a"
        return
    with pytest.raises(UrdfError) as caught:
        parse_urdf(document)
    assert caught.value.code == "urdf_invalid"
    assert caught.value.detail.startswith(f"{named} is a macro of xacro")
    assert "`xacro model.xacro > model.urdf`" in caught.value.detail


THREE = '<link name="a"/><link name="b"/><link name="c"/>'


def edge(name: str, parent: str, child: str, kind: str = "fixed") -> str:
    """Return one joint between two links."""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}</joint>'


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "link_none"),
        ('<link name="a"/><link name="a"/>', "link_duplicate"),
        (THREE + edge("j", "a", "b") + edge("j", "a", "c"), "joint_duplicate"),
        (THREE + edge("j", "a", "b"), "root_several"),
        (THREE + edge("j", "a", "nowhere"), "link_unknown"),
        (THREE + edge("j", "a", "c") + edge("k", "b", "c"), "link_two_parents"),
        (THREE + edge("j", "b", "c") + edge("k", "c", "b"), "joint_cycle"),
        (THREE + edge("j", "a", "b") + edge("k", "b", "c") + edge("l", "c", "a"), "joint_cycle"),
        ('<link name="a"/>' + edge("j", "a", "a"), "joint_cycle"),
    ],
)
def test_the_error_for_links_that_form_no_tree_names_the_broken_rule(body: str, code: str) -> None:
    model = parse_urdf(f"<robot>{body}</robot>".encode())
    with pytest.raises(TreeError) as caught:
        urdf_tree(model)
    assert caught.value.code == code


@pytest.mark.parametrize("kind", ["floating", "planar", "spherical"])
def test_a_joint_with_several_freedoms_is_read_but_makes_no_tree(kind: str) -> None:
    model = parse_urdf(joint(kind=kind))
    with pytest.raises(UrdfError) as caught:
        urdf_tree(model)
    assert caught.value.code == "joint_type_unknown"


@pytest.mark.parametrize(
    "inner",
    ['<axis xyz="0 0 0"/>', '<limit lower="1" upper="-1"/>', '<limit lower="inf" upper="inf"/>'],
)
def test_a_joint_that_cannot_move_as_written_is_an_error(inner: str) -> None:
    with pytest.raises(JointError):
        urdf_tree(parse_urdf(joint(inner)))


def test_a_hinge_without_limit_is_continuous_and_a_slider_endless() -> None:
    hinge = urdf_tree(parse_urdf(joint(kind="revolute"))).joints[0]
    slider = urdf_tree(parse_urdf(joint(kind="prismatic"))).joints[0]
    assert str(hinge.type) == "continuous"
    assert slider.limits == (-math.inf, math.inf)


def test_an_absent_bound_of_a_limit_is_zero() -> None:
    tree = urdf_tree(parse_urdf(joint('<limit upper="2" effort="1" velocity="1"/>')))
    assert tree.joints[0].limits == (0.0, 2.0)


def test_a_chain_of_ten_thousand_links_is_read_quickly() -> None:
    count, step = 10_000, 0.001
    links = "".join(f'<link name="l{n}"/>' for n in range(count))
    joints = "".join(
        f'<joint name="j{n}" type="revolute"><parent link="l{n}"/><child link="l{n + 1}"/>'
        f'<origin xyz="{step} 0 0"/><axis xyz="0 0 1"/><limit lower="0" upper="1"/></joint>'
        for n in range(count - 1)
    )
    start = time.process_time()
    model = parse_urdf(f"<robot>{links}{joints}</robot>".encode())
    tree = urdf_tree(model)
    assert time.process_time() - start < 10
    assert tree.depth == count - 1
    assert rest_frames(model)[f"l{count - 1}"][0, 3] == pytest.approx(step * (count - 1))


def test_every_real_urdf_is_read_or_refused_with_a_known_error() -> None:
    if not SAMPLES.is_dir():
        skip_without_samples()
    outcomes: Counter[str] = Counter()
    for path in sorted(SAMPLES.rglob("*.urdf")):
        try:
            tree = urdf_tree(parse_urdf(path.read_bytes()))
            tree.placements({joint.name: 0.1 for joint in tree.movable})
            outcomes["read"] += 1
        except ArenaError as error:
            outcomes[getattr(error, "code", type(error).__name__)] += 1
    assert outcomes["read"] > 0.5 * outcomes.total()
