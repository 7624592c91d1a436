# SPDX-License-Identifier: Apache-2.0
"""MJCF moves and looks as MuJoCo itself has it: the real document, compiled by MuJoCo, judges."""

from __future__ import annotations

import io
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics.urdf import UrdfModel
from aa_dataset.kinematics.urdf_tree import urdf_tree
from pipeline.raw.files import FolderFiles
from pipeline.stages.normalize.mjcf import read_mjcf
from tests.kit import bench
from tests.kit.places import SAMPLES, skip_without_samples
from tests.pipeline.stages.normalize.mjcf_documents import BUDGETS, codes, document, read

mujoco = pytest.importorskip("mujoco", reason="pip install 'aa-dataset[mjcf]'")

FURNITURE = SAMPLES / "tail/furniture_sim"


def frame(position: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = Rotation.from_quat(quaternion, scalar_first=True).as_matrix()
    out[:3, 3] = position
    return out


def body_frames(model: Any, qpos: np.ndarray) -> dict[str, np.ndarray]:
    """Return the placement of every body by MuJoCo's forward kinematics."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    names = [model.body(n).name or f"body_{n}" for n in range(model.nbody)]
    return {name: frame(data.xpos[n], data.xquat[n]) for n, name in enumerate(names)}


def random_state(model: Any, random: np.random.Generator) -> np.ndarray:
    qpos = model.qpos0 + random.uniform(-2, 2, model.nq)
    for joint in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_BALL):
        address = model.jnt_qposadr[joint]
        qpos[address : address + 4] /= np.linalg.norm(qpos[address : address + 4])
    return qpos


def assert_moves_as_mujoco(urdf: UrdfModel, model: Any, *, states: int = 20) -> None:
    """Compare every body's displacement from rest, for random joint values, to 1e-9."""
    tree = urdf_tree(urdf)
    rest = body_frames(model, model.qpos0)
    random = np.random.default_rng(3)
    for _ in range(states):
        qpos = random_state(model, random)
        names = [model.jnt(n).name or f"joint_{n}" for n in range(model.njnt)]
        moved = {
            name: float(qpos[model.jnt_qposadr[n]] - model.qpos0[model.jnt_qposadr[n]])
            for n, name in enumerate(names)
        }
        ours = tree.placements(moved)
        for name, place in body_frames(model, qpos).items():
            expected = place @ np.linalg.inv(rest[name])
            np.testing.assert_allclose(ours[name], expected, atol=1e-9, err_msg=name)


ALL_FEATURES = """
<mujoco model="features"><compiler angle="degree" eulerseq="zyx" autolimits="true"/>
<default><joint damping="1"/><default class="arm"><joint type="hinge" range="-30 60"/>
  <geom type="box" size=".1 .2 .3"/></default></default>
<worldbody>
 <geom type="plane" size="5 5 .1"/>
 <geom type="box" size=".5 .5 .05" pos="0 0 -.1"/>
 <body name="a" pos="1 2 3" euler="10 20 30" childclass="arm">
  <joint name="a1" axis="1 2 3" pos=".1 .2 .3" ref="15"/>
  <geom/>
  <frame pos="0 0 1" axisangle="0 1 0 40"><body name="b" pos=".3 0 0" quat="1 2 3 4">
   <joint name="b1" axis="0 1 0" pos="-.2 0 .1"/>
   <joint name="b2" type="slide" axis="1 1 0" range="-.5 .25" ref=".1" pos=".4 .4 .4"/>
   <joint name="b3" axis="0 0 1" limited="false" pos=".1 .1 0"/>
   <geom type="cylinder" size=".1 .4" euler="0 90 0"/>
   <body name="c" pos="0 .5 0" xyaxes="0 1 0 -1 0 0"><geom type="capsule" size=".1 .2"/>
    <body pos="0 0 .2" zaxis="1 1 1"><joint type="slide" axis="0 0 2"/><geom/></body></body>
  </body></frame>
 </body>
 <body name="second" pos="-1 0 0"><geom type="ellipsoid" size=".3 .2 .1"/>
  <body name="knob" pos="0 0 .2"><joint name="k" range="0 90"/><geom size=".05"/></body></body>
</worldbody></mujoco>
"""


def test_every_kind_of_joint_and_frame_moves_as_mujoco_moves_it() -> None:
    urdf, _, _ = read(ALL_FEATURES)
    assert_moves_as_mujoco(urdf, mujoco.MjModel.from_xml_string(ALL_FEATURES))


def test_limits_are_radians_from_the_stored_state() -> None:
    urdf, _, _ = read(ALL_FEATURES)
    joints = {joint.name: joint for joint in urdf.joints}
    rad = math.radians
    assert (joints["a1"].lower, joints["a1"].upper) == pytest.approx((rad(-45), rad(45)))
    assert (joints["b2"].type, joints["b2"].lower, joints["b2"].upper) == (
        "prismatic", pytest.approx(-0.6), pytest.approx(0.15))  # fmt: skip
    assert (joints["b1"].type, joints["b3"].type) == ("revolute", "continuous")
    assert (joints["b1"].lower, joints["b1"].upper) == pytest.approx((rad(-30), rad(60)))
    # The class of the arm gives a hinge's range, which MuJoCo takes as metres for a slide.
    assert joints["joint_4"].type == "prismatic"
    assert (joints["k"].lower, joints["k"].upper) == pytest.approx((0, rad(90)))


@pytest.mark.parametrize(
    ("limited", "kind"),
    [("", "revolute"), ('limited="false"', "continuous"), ('limited="true"', "revolute")],
)
def test_a_range_limits_unless_the_joint_is_declared_unlimited(limited: str, kind: str) -> None:
    urdf, _, _ = read(document(f'<body><joint range="0 1" {limited}/><geom size="1"/></body>'))
    assert urdf.joints[0].type == kind


def test_a_reversed_range_limits_nothing_as_in_mujoco_with_a_finding() -> None:
    urdf, _, findings = read(document('<body><joint range="1 -1"/><geom size="1"/></body>'))
    assert (urdf.joints[0].type, codes(findings)) == ("continuous", ["limit_missing"])


def test_several_joints_of_a_body_hang_on_empty_carriers() -> None:
    urdf, _, _ = read(ALL_FEATURES)
    chain = [(j.name, j.parent, j.child) for j in urdf.joints if j.name in ("b1", "b2", "b3")]
    assert chain == [
        ("b1", "a", "b_carrier"), ("b2", "b_carrier", "b_carrier_2"), ("b3", "b_carrier_2", "b"),
    ]  # fmt: skip
    empty = {link.name for link in urdf.links if not link.visuals and not link.collisions}
    assert empty == {"b_carrier", "b_carrier_2"}


def test_several_top_bodies_are_welded_to_one_root(tmp_path: Path) -> None:
    boxes = "".join(
        f'<body name="t{n}" pos="{n} 0 0"><geom type="box" size=".1 .1 .1"/>'
        f'<body pos="0 0 .3"><joint axis="0 0 1" range="0 1"/><geom size=".1"/></body></body>'
        for n in range(3)
    )
    (tmp_path / "m.xml").write_text(document(boxes))
    source = {**bench.METRIC, "format": "mjcf"}
    outcome = bench.normal(tmp_path, source, urdf="m.xml")
    tree = urdf_tree(read(document(boxes))[0])
    assert tree.root == "world"
    assert [j.type for j in tree.joints if j.parent == "world"] == ["fixed"] * 3
    np.testing.assert_allclose(outcome.record.extents, [2.2, 0.2, 0.5], atol=1e-3)
    assert {"t0", "t1", "t2"} < set(outcome.record.link_names.values())


def test_a_ball_joint_is_spherical_about_its_anchor() -> None:
    text = document(
        '<body name="a" pos="1 2 3" euler="20 0 40"><joint name="ball" type="ball" pos=".1 .2 .3"'
        ' range="0 1.5" limited="true"/><geom type="box" size=".1 .2 .3"/></body>',
        head='<compiler angle="radian"/>',
    )
    urdf, _, findings = read(text)
    (joint,) = urdf.joints
    assert (joint.type, codes(findings)) == ("spherical", ["mjcf_part_ignored"])
    model = mujoco.MjModel.from_xml_string(text)
    qpos = random_state(model, np.random.default_rng(1))
    turn = frame(np.zeros(3), qpos)
    shift = np.eye(4)
    shift[:3, 3] = [-0.1, -0.2, -0.3]  # from the anchor, where the link's frame is, to the body
    np.testing.assert_allclose(joint.pose @ turn @ shift, body_frames(model, qpos)["a"], atol=1e-12)


COUPLED = """
<body name="a"><joint name="x" axis="0 0 1" ref=".2"/><geom size="1"/></body>
<body name="b"><joint name="y" type="slide" axis="1 0 0" ref="-.1"/><geom size="1"/></body>
"""


def test_an_equality_that_is_a_line_is_a_mimic() -> None:
    tail = '<equality><joint joint1="y" joint2="x" polycoef=".3 -2 0 0 0"/></equality>'
    head = '<compiler angle="radian"/>'
    urdf, _, findings = read(document(COUPLED, head, tail))
    mimic = {joint.name: joint.mimic for joint in urdf.joints}
    assert mimic["x"] is None
    assert (mimic["y"].joint, mimic["y"].multiplier, mimic["y"].offset) == ("x", -2, 0.3)
    assert codes(findings) == []
    # MuJoCo's own residual of the constraint is zero along our coupled motion.
    model = mujoco.MjModel.from_xml_string(document(COUPLED, head, tail))
    data = mujoco.MjData(model)
    data.qpos[:] = [0.2 + 0.7, -0.1 + 0.3 - 2 * 0.7]
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos[0]) < 1e-12


@pytest.mark.parametrize(
    "inner",
    [
        '<joint joint1="y" joint2="x" polycoef="0 1 .5 0 0"/>',
        '<joint joint1="y" joint2="x" polycoef=".1 0 0 0 0"/>',
        '<joint joint1="y" polycoef="0 0 0 0 0"/>',
    ],
)
def test_an_equality_that_is_no_line_is_a_finding(inner: str) -> None:
    urdf, _, findings = read(document(COUPLED, "", f"<equality>{inner}</equality>"))
    assert codes(findings) == ["coupling_ignored"]
    assert all(joint.mimic is None for joint in urdf.joints)


def test_an_inactive_equality_is_ignored_and_a_loop_is_refused() -> None:
    off = '<equality><joint joint1="y" joint2="x" active="false"/></equality>'
    urdf, _, findings = read(document(COUPLED, "", off))
    assert (codes(findings), [j.mimic for j in urdf.joints]) == ([], [None, None])
    loop = '<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>'
    with pytest.raises(Exception, match=r"joint_cycle: m\.xml: <connect>"):
        read(document(COUPLED, "", loop))


def test_the_documents_own_masses_are_kept_beside_ours() -> None:
    text = document('<body name="b"><joint pos="1 0 0"/><geom size="1"/><inertial pos=".1 .2 .3" '
                    'mass="5" diaginertia="1 2 2.5" quat="0 1 0 0"/></body>')  # fmt: skip
    urdf, _, _ = read(text)
    inertial = urdf.links[1].inertial
    assert inertial is not None and inertial.mass == 5
    np.testing.assert_allclose(inertial.pose[:3, 3], [0.1 - 1, 0.2, 0.3])
    np.testing.assert_allclose(inertial.pose[:3, :3], np.diag([1, -1, -1]), atol=1e-12)
    np.testing.assert_allclose(inertial.inertia, np.diag([1, 2, 2.5]))
    assert read(document("<body><geom size='1'/></body>"))[0].links[1].inertial is None


def png(color: tuple[int, ...], size: int = 4) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (size, size), color).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def furniture(tmp_path: Path) -> Path:
    """Return a copy of the samples with pictures where theirs are absent, so that MuJoCo loads."""
    if not FURNITURE.is_dir():
        skip_without_samples()
    folder = tmp_path / "furniture_sim"
    shutil.copytree(FURNITURE, folder)
    (folder / "common/textures").mkdir(parents=True)
    for name in ("wood1.png", "metal0.png"):
        (folder / "common/textures" / name).write_bytes(png((90, 90, 90)))
    return folder


@pytest.mark.parametrize("name", ["hingecabinet", "slidecabinet", "microwave"])
def test_furniture_moves_as_mujoco_moves_it(furniture: Path, name: str) -> None:
    files = FolderFiles(FURNITURE.parent, (FURNITURE.name,), most_bytes=50_000_000)
    urdf, _, findings = read_mjcf(files, f"furniture_sim/{name}.xml", BUDGETS)
    assert set(codes(findings)) == {"texture_missing"}
    model = mujoco.MjModel.from_xml_path(str(furniture / f"{name}.xml"))
    assert_moves_as_mujoco(urdf, model)
    movable = [joint for joint in urdf.joints if joint.type != "fixed"]
    expected = {"hingecabinet": 2, "slidecabinet": 1, "microwave": 1}[name]
    assert len(movable) == expected
    assert all(joint.has_limit for joint in movable)


def test_furniture_shows_its_visuals_alone(furniture: Path) -> None:
    files = FolderFiles(furniture.parent, ("furniture_sim",), most_bytes=50_000_000)
    for name in ("hingecabinet", "slidecabinet", "microwave"):
        urdf, _, _ = read_mjcf(files, f"furniture_sim/{name}.xml", BUDGETS)
        model = mujoco.MjModel.from_xml_path(str(furniture / f"{name}.xml"))
        assert sum(len(link.visuals) for link in urdf.links) == (model.geom_group == 1).sum()
        assert sum(len(link.collisions) for link in urdf.links) == (model.geom_group == 4).sum()
