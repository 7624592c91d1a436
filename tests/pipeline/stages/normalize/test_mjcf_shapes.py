# SPDX-License-Identifier: Apache-2.0
"""Geoms of MJCF: where MuJoCo puts them, which of them are seen, and in which color."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
import trimesh
from PIL import Image
from scipy.spatial import cKDTree

from aa_dataset.kinematics.urdf import UrdfModel
from aa_dataset.kinematics.urdf_tree import rest_frames
from aa_dataset.untrusted.obj import ObjText, read_obj
from pipeline.base.errors import Rejection
from pipeline.stages.normalize import meshes
from pipeline.stages.normalize.meshes import MeshReader
from tests.pipeline.stages.normalize.mjcf_documents import codes, document, read

mujoco = pytest.importorskip("mujoco", reason="pip install 'aa-dataset[mjcf]'")


def placed_points(urdf: UrdfModel, reader: MeshReader) -> dict[str, np.ndarray]:
    """Return the visual vertices of every link in the world, by our own mesh reader."""
    geometry = reader.link_geometry(urdf, rest_frames(urdf))
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
    urdf, reader, _ = read(text, assets)
    model = mujoco.MjModel.from_xml_string(text, assets)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    theirs = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    ours = placed_points(urdf, reader)["b"]
    for one, two in ((ours, theirs), (theirs, ours)):
        assert cKDTree(two).query(one)[0].max() < 2e-6  # MuJoCo keeps vertices in single precision


def test_vertices_without_faces_are_their_hull_turned_outward() -> None:
    cube = " ".join(f"{x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    text = document('<body><geom type="mesh" mesh="a"/></body>',
                    head=f'<asset><mesh name="a" vertex="{cube} .5 .5 .5"/></asset>')  # fmt: skip
    urdf, reader, _ = read(text)
    geometry = reader.link_geometry(urdf, rest_frames(urdf))
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
    urdf, reader, findings = read(text, files)
    (piece,) = reader.link_geometry(urdf, rest_frames(urdf))["b"].visuals
    assert piece.look.texture is not None
    with Image.open(io.BytesIO(piece.look.texture.data)) as image:
        assert image.getpixel((0, 0))[:3] == (51, 102, 153)
    assert piece.uv is not None
    np.testing.assert_allclose(piece.uv[:3], [[0, 0], [1, 0], [0, 1]])
    assert codes([*findings, *reader.findings]) == []


def test_meshes_in_numbers_never_become_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """They used to be written as OBJ text, and read back."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    msh = struct.pack("<4i", 4, 0, 0, 0) + corners.tobytes()
    obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n"
    head = '<mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="e" file="e.msh"/>'
    geoms = "".join(f'<geom type="mesh" mesh="{name}"/>' for name in "te")
    geoms += '<geom type="ellipsoid" size=".1 .2 .3"/><geom type="mesh" mesh="a"/>'
    geoms += '<geom type="mesh" mesh="a" material="wooden"/>'
    read_texts = []

    def counted(data: bytes) -> ObjText:
        read_texts.append(data)
        return read_obj(data)

    monkeypatch.setattr(meshes, "read_obj", counted)
    text = document(f'<body name="b">{geoms}</body>', LOOKS.replace("</asset>", f"{head}</asset>"))
    files = {"wood.png": png((51, 102, 153)), "a.obj": obj, "e.msh": msh}
    urdf, reader, _ = read(text, files)
    pieces = reader.link_geometry(urdf, rest_frames(urdf))["b"].visuals
    assert [len(piece.faces) for piece in pieces] == [4, 1280, 1, 1]  # `e` has no face
    assert read_texts == [obj]  # the only OBJ, once for both looks


def test_sentences_name_the_mesh_and_the_picture_as_the_document_does() -> None:
    """They used to name files that only existed in memory, and an address in it."""
    obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n"
    text = document('<body name="b"><geom type="mesh" mesh="a" material="wooden"/></body>', LOOKS)
    urdf, reader, _ = read(text, {"wood.png": b"no picture", "a.obj": obj})
    reader.link_geometry(urdf, rest_frames(urdf))
    (finding,) = reader.findings
    assert finding.detail.startswith(
        "wood.png is named by m.xml but not a readable picture: it has"
    )
    assert "0x" not in finding.detail
    urdf, reader, _ = read(text, {"wood.png": png((1, 2, 3)), "a.obj": obj + b"f 1 2 9\n"})
    with pytest.raises(Rejection, match=r"mesh_invalid: m\.xml//'a' 'wood' cannot be read: a face"):
        reader.link_geometry(urdf, rest_frames(urdf))
