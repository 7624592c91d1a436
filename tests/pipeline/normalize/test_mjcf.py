# SPDX-License-Identifier: Apache-2.0
"""MJCF moves and looks as MuJoCo itself has it: the real document, compiled by MuJoCo, judges."""

from __future__ import annotations

import io
import json
import math
import shutil
import struct
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics.urdf import UrdfModel
from aa_dataset.kinematics.urdf_tree import rest_frames, urdf_tree
from pipeline.normalize.meshes import MeshReader
from pipeline.normalize.mjcf import read_mjcf
from pipeline.rawfiles import FolderFiles, MemoryFiles, RawFiles
from pipeline.reasons import Finding

mujoco = pytest.importorskip("mujoco", reason="pip install 'articulatearena[mjcf]'")

SAMPLES = Path("../shared/samples/tail/furniture_sim")
BUDGETS = {"urdf_bytes": 1_000_000, "links": 1000, "faces": 100_000, "pixels": 10**8}


def document(worldbody: str, head: str = "", tail: str = "") -> str:
    return f'<mujoco model="m">{head}<worldbody>{worldbody}</worldbody>{tail}</mujoco>'


def read(
    text: str, files: Mapping[str, bytes] | None = None
) -> tuple[UrdfModel, RawFiles, list[Finding]]:
    raw = MemoryFiles({"m.xml": text.encode(), **(files or {})}, most_bytes=10_000_000)
    return read_mjcf(raw, "m.xml", BUDGETS)


def codes(findings: list[Finding]) -> list[str]:
    return sorted(str(finding.code) for finding in findings)


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
def test_a_range_limits_unless_the_joint_says_otherwise(limited: str, kind: str) -> None:
    urdf, _, _ = read(document(f'<body><joint range="0 1" {limited}/><geom size="1"/></body>'))
    assert urdf.joints[0].type == kind


def test_a_reversed_range_limits_nothing_as_in_mujoco_and_is_said() -> None:
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


def test_several_top_bodies_are_welded_to_one_root(bench: SimpleNamespace, tmp_path: Path) -> None:
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
    np.testing.assert_allclose(outcome.record["extents"], [2.2, 0.2, 0.5], atol=1e-3)
    assert {"t0", "t1", "t2"} < set(json.loads(outcome.record["link_names"]).values())


@pytest.mark.parametrize("top", ["<freejoint/>", '<joint type="free" pos="1 2 3"/>'])
def test_a_free_joint_of_the_whole_object_is_a_weld_and_another_floats(top: str) -> None:
    body = f'<body name="a">{top}<geom size="1"/></body>'
    urdf, _, findings = read(document(f'<geom type="plane" size="1 1 1"/>{body}'))
    assert [joint.type for joint in urdf.joints] == ["fixed"]
    assert "free_root" in codes(findings)
    urdf, _, findings = read(document(body + '<body name="b"><geom size="1"/></body>'))
    assert sorted(joint.type for joint in urdf.joints) == ["fixed", "floating"]
    assert "free_root" not in codes(findings)


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


def test_an_inactive_equality_says_nothing_and_a_loop_is_refused() -> None:
    off = '<equality><joint joint1="y" joint2="x" active="false"/></equality>'
    urdf, _, findings = read(document(COUPLED, "", off))
    assert (codes(findings), [j.mimic for j in urdf.joints]) == ([], [None, None])
    loop = '<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>'
    with pytest.raises(Exception, match=r"joint_cycle: m\.xml: <connect>"):
        read(document(COUPLED, "", loop))


def placed_points(urdf: UrdfModel, files: RawFiles) -> dict[str, np.ndarray]:
    """Return the visual vertices of every link in the world, by our own mesh reader."""
    geometry = MeshReader(files, "m.xml", BUDGETS).link_geometry(urdf, rest_frames(urdf))
    pieces = {name: link.visuals for name, link in geometry.items()}
    return {name: np.concatenate([p.vertices for p in ps]) for name, ps in pieces.items() if ps}


def bumpy() -> trimesh.Trimesh:
    mesh = trimesh.creation.icosphere(subdivisions=1)
    mesh.vertices *= np.random.default_rng(0).uniform(0.5, 1.5, (len(mesh.vertices), 3))
    return mesh


@pytest.mark.parametrize(
    "placing",
    [
        'scale=".5 2 -.7"',
        'scale=".3 .4 .5" refpos=".1 -.2 .3"',
        'scale=".3 .3 .3" refpos=".1 -.2 .3" refquat="1 2 -3 4"',
        'class="small"',
    ],
)
@pytest.mark.parametrize("kind", ["stl", "obj", "msh", "text"])
def test_meshes_lie_where_mujoco_puts_them(placing: str, kind: str) -> None:
    mesh = bumpy()
    corners = np.asarray(mesh.vertices, dtype=np.float32)
    head = struct.pack("<4i", len(corners), 0, 0, len(mesh.faces))
    files = {
        "stl": mesh.export(file_type="stl"),
        "obj": mesh.export(file_type="obj").encode(),
        "msh": head + corners.tobytes() + np.asarray(mesh.faces, dtype="<i4").tobytes(),
    }
    numbers = " ".join(map(str, corners.ravel())), " ".join(map(str, mesh.faces.ravel()))
    written = f'file="a.{kind}"'
    if kind == "text":
        written = f'vertex="{numbers[0]}" face="{numbers[1]}"'
    text = document(
        '<body name="b" pos="1 2 3" euler="10 20 30"><joint pos=".3 .2 .1"/>'
        '<geom type="mesh" mesh="a" pos=".5 0 0" quat="1 1 0 2"/></body>',
        head='<default><default class="small"><mesh scale=".1 .2 .3"/></default></default>'
        f'<asset><mesh name="a" {written} {placing}/></asset>',
    )
    assets = {f"a.{kind}": files[kind]} if kind in files else {}
    urdf, overlay, _ = read(text, assets)
    model = mujoco.MjModel.from_xml_string(text, assets)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    theirs = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    ours = placed_points(urdf, overlay)["b"]
    for one, two in ((ours, theirs), (theirs, ours)):
        assert cKDTree(two).query(one)[0].max() < 2e-6  # MuJoCo keeps vertices in single precision


def test_vertices_without_faces_are_their_hull_turned_outward() -> None:
    cube = " ".join(f"{x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    text = document('<body><geom type="mesh" mesh="a"/></body>',
                    head=f'<asset><mesh name="a" vertex="{cube} .5 .5 .5"/></asset>')  # fmt: skip
    urdf, files, _ = read(text)
    geometry = MeshReader(files, "m.xml", BUDGETS).link_geometry(urdf, rest_frames(urdf))
    pieces = geometry["body_1"].visuals
    hull = trimesh.Trimesh(pieces[0].vertices, pieces[0].faces)
    assert hull.volume == pytest.approx(1.0)


def test_uneven_scale_of_a_turned_mesh_is_refused() -> None:
    corners = "0 0 0 1 0 0 0 1 0 0 0 1"
    placing = 'scale="1 2 1" refquat="1 1 0 0"'
    head = f'<asset><mesh name="a" vertex="{corners}" {placing}/></asset>'
    with pytest.raises(Exception, match="mjcf_invalid: mesh 'a' is turned by refquat"):
        read(document('<body><geom type="mesh" mesh="a"/></body>', head=head))


@pytest.mark.parametrize(
    ("geom", "extents"),
    [
        ('type="box" size=".1 .2 .3"', (0.2, 0.4, 0.6)),
        ('type="sphere" size=".5"', (1, 1, 1)),
        ('type="cylinder" size=".5 .2"', (1, 1, 0.4)),
        ('type="capsule" size=".1 .5"', (0.2, 0.2, 1.2)),
        ('type="capsule" size=".1" fromto="0 0 0 0 0 2"', (0.2, 0.2, 2.2)),
        ('type="ellipsoid" size=".1 .2 .3"', (0.2, 0.4, 0.6)),
        ('type="plane" size="1 2 .1"', (2, 4, 0)),
    ],
)
def test_primitives_have_mujocos_sizes(geom: str, extents: tuple[float, ...]) -> None:
    urdf, files, _ = read(document(f'<body name="b"><geom {geom}/></body>'))
    points = placed_points(urdf, files)["b"]
    np.testing.assert_allclose(np.ptp(points, axis=0), extents, atol=0.01)


def test_planes_of_the_world_and_endless_ones_are_the_floor() -> None:
    body = '<body name="b"><geom size=".1"/><geom type="plane" size="0 0 1"/></body>'
    urdf, _, findings = read(document(f'<geom type="plane" size="3 3 1"/>{body}'))
    assert {link.name: len(link.visuals) for link in urdf.links} == {"world": 0, "b": 1}
    assert codes(findings) == ["mjcf_part_ignored"] * 2


def seen(geoms: str, head: str = "") -> tuple[list[str], list[str]]:
    """Return the names of the visuals and of the collisions of one body."""
    urdf, _, _ = read(document(f'<body name="b">{geoms}</body>', head=head))
    (link,) = (link for link in urdf.links if link.name == "b")
    return [s.name for s in link.visuals], [s.name for s in link.collisions]


@pytest.mark.parametrize(
    ("geoms", "visuals", "collisions"),
    [
        # furniture_sim: visuals in group 1 without contact, twins in the hidden group 4
        ([("v", 1, 0, 0, 1), ("c", 4, 0, 1, 1)], ["v"], ["c"]),
        # RoboCasa: visuals in group 1, twins in group 0, which a plain viewer shows
        ([("v", 1, 0, 0, 1), ("c", 0, 1, 1, 1), ("region", 1, 0, 0, 0)], ["v"], ["c"]),
        # Nothing but shapes that touch: they are what one sees.
        ([("c", 0, 1, 1, 1), ("d", 2, 1, 1, 1)], ["c", "d"], ["c", "d"]),
        # A label without contact in the group of its box hides nothing.
        ([("c", 0, 1, 1, 1), ("label", 0, 0, 0, 1)], ["c", "label"], ["c"]),
        # Everything in hidden groups: better than nothing.
        ([("c", 3, 1, 1, 1)], ["c"], ["c"]),
    ],
)
def test_what_is_seen_and_what_touches(
    geoms: list[tuple[str, int, int, int, int]], visuals: list[str], collisions: list[str]
) -> None:
    text = "".join(
        f'<geom name="{name}" group="{group}" contype="{con}" conaffinity="{aff}" size=".1" '
        f'rgba="1 0 0 {alpha}"/>'
        for name, group, con, aff, alpha in geoms
    )
    assert seen(text) == (visuals, collisions)


def test_a_body_with_contact_shapes_alone_stays_visible() -> None:
    text = document(
        '<body name="a"><geom group="1" contype="0" conaffinity="0" size="1"/></body>'
        '<body name="b"><geom name="only" group="0" size="1"/></body>'
    )
    urdf, _, _ = read(text)
    assert {link.name: len(link.visuals) for link in urdf.links} == {"world": 0, "a": 1, "b": 1}


def png(color: tuple[int, ...], size: int = 4) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (size, size), color).save(buffer, "PNG")
    return buffer.getvalue()


LOOKS = """<asset>
<texture name="wood" type="2d" file="wood.png"/><texture name="sky" type="cube" file="wood.png"/>
<texture name="gone" type="2d" file="gone.png"/>
<texture name="check" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="8" height="8"/>
<material name="flat" rgba=".1 .2 .3 .4"/><material name="wooden" texture="wood"/>
<material name="skyish" texture="sky" rgba="1 .5 1 1"/><material name="lost" texture="gone"/>
<material name="checked" texture="check"/>
<mesh name="a" file="a.obj"/></asset>"""


@pytest.mark.parametrize(
    ("look", "color", "said"),
    [
        ("", (0.5, 0.5, 0.5, 1.0), []),
        ('rgba="1 0 0 .5"', (1.0, 0.0, 0.0, 0.5), []),
        ('material="flat"', (0.1, 0.2, 0.3, 0.4), []),
        ('material="flat" rgba="1 0 0 1"', (1.0, 0.0, 0.0, 1.0), []),
        ('material="wooden"', (0.2, 0.4, 0.6, 1.0), ["texture_averaged"]),
        ('material="skyish"', (0.2, 0.2, 0.6, 1.0), ["texture_averaged"]),
        ('material="lost"', (1.0, 1.0, 1.0, 1.0), ["texture_missing"]),
        ('material="checked"', (0.5, 0.0, 0.5, 1.0), []),
    ],
)
def test_colors_of_primitives(look: str, color: tuple[float, ...], said: list[str]) -> None:
    files = {"wood.png": png((51, 102, 153)), "a.obj": b"v 0 0 0\n"}
    text = document(f'<body name="b"><geom size="1" {look}/></body>', head=LOOKS)
    urdf, _, findings = read(text, files)
    (shape,) = urdf.links[1].visuals
    assert shape.material is not None
    assert shape.material.rgba == pytest.approx(color, abs=1e-4)
    assert codes(findings) == said


def test_a_texture_with_coordinates_is_kept_and_the_objs_own_material_is_not() -> None:
    obj = b"mtllib own.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n"
    obj += b"usemtl x\nf 1/1 2/2 3/3\n"
    files = {"wood.png": png((51, 102, 153)), "a.obj": obj}
    text = document('<body name="b"><geom type="mesh" mesh="a" material="wooden"/></body>', LOOKS)
    urdf, overlay, findings = read(text, files)
    reader = MeshReader(overlay, "m.xml", BUDGETS)
    (piece,) = reader.link_geometry(urdf, rest_frames(urdf))["b"].visuals
    assert piece.look.texture is not None
    with Image.open(io.BytesIO(piece.look.texture.data)) as image:
        assert image.getpixel((0, 0))[:3] == (51, 102, 153)
    assert piece.uv is not None
    np.testing.assert_allclose(piece.uv[:3], [[0, 0], [1, 0], [0, 1]])
    assert codes([*findings, *reader.findings]) == []


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


@pytest.fixture
def furniture(tmp_path: Path) -> Path:
    """Return a copy of the samples with pictures where theirs are absent, so that MuJoCo loads."""
    if not SAMPLES.is_dir():
        pytest.skip(f"{SAMPLES} is absent")
    folder = tmp_path / "furniture_sim"
    shutil.copytree(SAMPLES, folder)
    (folder / "common/textures").mkdir(parents=True)
    for name in ("wood1.png", "metal0.png"):
        (folder / "common/textures" / name).write_bytes(png((90, 90, 90)))
    return folder


@pytest.mark.parametrize("name", ["hingecabinet", "slidecabinet", "microwave"])
def test_furniture_moves_as_mujoco_moves_it(furniture: Path, name: str) -> None:
    files = FolderFiles(SAMPLES.parent, (SAMPLES.name,), most_bytes=50_000_000)
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
