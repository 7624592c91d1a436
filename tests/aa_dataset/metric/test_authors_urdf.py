# SPDX-License-Identifier: Apache-2.0
"""The URDF reader of the authors' package against ours, on every joint of every sample."""

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace
from functools import cache

import articulatearena as authors
import numpy as np
import pytest
import trimesh
from articulatearena.read.inertia_loader import load_joint_child_inertia

from aa_dataset.errors import ArenaError, TreeError
from aa_dataset.kinematics import RigidBody
from aa_dataset.kinematics.urdf import parse_urdf, pose_matrix
from aa_dataset.kinematics.urdf_tree import read_tree, rest_frames, urdf_joint
from aa_dataset.metric import KineticNorm, joint_distance
from tests.kit.places import SAMPLES, skip_without_samples


def sample_files():
    if not SAMPLES.is_dir():
        skip_without_samples()
    return sorted(SAMPLES.rglob("*.urdf"))


def joint_names(path):
    return [joint.get("name") for joint in ElementTree.parse(path).getroot().findall("joint")]


@cache
def theirs_or_reason(path, name):
    """Return their joint, or in a few words why they refuse it."""
    try:
        return authors.load_joint(path, name)
    except ValueError as problem:
        return re.sub("'.*?'", "'...'", str(problem))


@cache
def tree_or_none(path):
    try:
        return read_tree(path, fold=False)
    except ArenaError:
        return None


def assert_same_joint(ours, theirs):
    np.testing.assert_allclose(ours.screw, theirs.xi_hat.data, rtol=0, atol=1e-12)
    assert ours.limits == (theirs.a, theirs.b)
    kind = "revolute" if ours.type == "continuous" else ours.type
    assert kind == theirs.joint_type


def test_every_joint_of_every_sample():
    seen, reasons = Counter(), Counter()
    for path in sample_files():
        tree, model = tree_or_none(path), parse_urdf(path.read_bytes())
        for name in joint_names(path):
            theirs = theirs_or_reason(path, name)
            if isinstance(theirs, str):
                reasons[theirs] += 1
                continue
            assert_same_joint(urdf_joint(model, name), theirs)
            seen["alone"] += 1
            if tree is not None:
                assert_same_joint(tree.joint(name), theirs)
                seen["in its tree"] += 1
    assert seen["alone"] >= 1_000
    assert seen["in its tree"] >= 1_000
    # What theirs cannot read: counted, so that a new sample does not pass unseen.
    known = ("missing finite <limit>", "unsupported URDF joint type")
    assert all(any(text in reason for text in known) for reason in reasons), reasons
    assert sum(reasons.values()) <= 2


def test_distances_of_samples_by_both_readers():
    """E of every joint against itself 10 % shorter, through files, both packages whole."""
    norm, compared = authors.make_split_norm(1.0), 0
    for path in sample_files():
        tree = tree_or_none(path)
        for joint in [] if tree is None else tree.movable:
            theirs = theirs_or_reason(path, joint.name)
            if isinstance(theirs, str) or not np.isfinite(joint.limits).all():
                continue
            short = replace(joint, lower=0.9 * joint.lower, upper=0.9 * joint.upper)
            ends = authors.joint_to_endpoint_pair(theirs)
            other = authors.make_endpoint_pair(theirs.xi_hat, 0.9 * theirs.a, 0.9 * theirs.b)
            twists = (ends.u.data, ends.v.data, other.u.data, other.v.data)
            expected = authors.joint_metric(*twists, norm)
            assert joint_distance(joint, short) == pytest.approx(expected, rel=1e-9, abs=1e-15)
            assert joint_distance(theirs, short) == pytest.approx(expected, rel=1e-9, abs=1e-15)
            compared += 1
    assert compared >= 500


CHAIN = """<robot name="chain">
<link name="base"/><link name="arm">{arm}</link><link name="hand">{hand}</link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
<origin xyz="0.3 -0.2 0.5" rpy="0.4 -0.3 1.1"/>
<axis xyz="0 2 1"/><limit lower="-1" upper="1.5"/></joint>
<joint name="wrist" type="prismatic"><parent link="arm"/><child link="hand"/>
<origin xyz="0.1 0.6 -0.1" rpy="-0.2 0.9 0.3"/>
<axis xyz="1 0 1"/><limit lower="0" upper="0.2"/></joint>
</robot>"""
LINK = """<visual><origin xyz="{xyz}" rpy="{rpy}"/><geometry><mesh filename="{file}"/></geometry>
</visual><inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>
<inertia ixx="{i[0]}" iyy="{i[1]}" izz="{i[2]}"/></inertial>"""


def box_link(folder, name, size, xyz, rpy):
    """Return a link with a box mesh and, in closed form, the moments of that box."""
    trimesh.creation.box(size).export(folder / f"{name}.obj")
    mass = float(np.prod(size))
    square = np.square(size)
    moments = mass / 12 * (square.sum() - square)
    return LINK.format(xyz=xyz, rpy=rpy, file=f"{name}.obj", mass=mass, i=moments.tolist())


@pytest.fixture
def chain(tmp_path):
    arm = box_link(tmp_path, "arm", [0.6, 0.1, 0.2], "0.3 0 0.1", "0.1 0.2 0.3")
    hand = box_link(tmp_path, "hand", [0.1, 0.2, 0.3], "0 0.1 0", "0 -0.4 0.2")
    path = tmp_path / "chain.urdf"
    path.write_text(CHAIN.format(arm=arm, hand=hand))
    return path


@pytest.mark.parametrize("name", ["shoulder", "wrist"])
def test_inertia_of_a_chain_in_the_root_frame(chain, name):
    """Theirs, from the mesh in the link's frame, moved to the root, is ours from `<inertial>`."""
    joint = read_tree(chain).joint(name)
    found = load_joint_child_inertia(chain, name)
    frame = rest_frames(parse_urdf(chain.read_bytes()))[joint.child]
    theirs = RigidBody(found.mass, found.com, found.inertia).moved(frame)
    assert joint.body.mass == pytest.approx(theirs.mass, rel=1e-9)
    np.testing.assert_allclose(joint.body.center, theirs.center, atol=1e-9)
    np.testing.assert_allclose(joint.body.inertia, theirs.inertia, atol=1e-9 * theirs.mass)
    # E_B of a joint 0.1 rad or 0.1 m too short is 0.1 times the norm of its screw.
    moved = authors.LinkInertia(theirs.mass, theirs.center, theirs.inertia)
    norm = authors.make_kinetic_energy_norm(moved)
    expected = 0.1 * norm(authors.load_joint(chain, name).xi_hat.data) ** 0.5
    short = replace(joint, upper=joint.upper - 0.1)
    found = joint_distance(joint, short, norm=KineticNorm(joint.body))
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_joint_alone_needs_no_tree():
    text = CHAIN.format(arm="", hand="")
    extra = '<link name="x"/><link name="y"/><joint name="far" type="planar"><parent link="x"/>'
    text = text.replace("</robot>", extra + '<child link="y"/></joint></robot>')
    model = parse_urdf(text.encode())
    with pytest.raises(TreeError):
        rest_frames(model)
    joint = urdf_joint(model, "wrist")
    above = pose_matrix((0.3, -0.2, 0.5), (0.4, -0.3, 1.1))
    own = pose_matrix((0.1, 0.6, -0.1), (-0.2, 0.9, 0.3))
    frame = above @ own
    np.testing.assert_allclose(joint.origin, frame[:3, 3], atol=1e-14)
    np.testing.assert_allclose(joint.axis, frame[:3, :3] @ [1, 0, 1] / np.sqrt(2), atol=1e-14)
    with pytest.raises(ArenaError, match="0 joints of that name"):
        urdf_joint(model, "nobody")


def test_a_cycle_above_a_joint_is_refused():
    text = CHAIN.format(arm="", hand="").replace('<parent link="base"/>', '<parent link="hand"/>')
    with pytest.raises(TreeError):
        urdf_joint(parse_urdf(text.encode()), "wrist")
