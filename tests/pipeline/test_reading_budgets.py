# SPDX-License-Identifier: Apache-2.0
"""One raw object costs what its files hold: copies, groups, triangles and numbers are counted."""

from __future__ import annotations

import base64
import io
import json
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
import trimesh

from aa_dataset.errors import CrowdedError
from aa_dataset.render.backend import render_views
from aa_dataset.render.camera import look_at
from aa_dataset.render.prepared import prepare
from aa_dataset.render.surface import read_surface
from aa_dataset.untrusted.mtl import MapLine, read_mtl
from aa_dataset.untrusted.obj import ObjError, read_obj
from aa_dataset.untrusted.safe_json import MOST_DEPTH, JsonError, parse_json
from pipeline.base.errors import Rejection
from pipeline.engine.runner import Task
from pipeline.raw.adapters import partnet_mobility
from pipeline.raw.files import MemoryFiles
from pipeline.raw.records import Found
from pipeline.shapes.pieces import compacted
from pipeline.stages.normalize import meshes as meshes_module
from pipeline.stages.normalize.meshes import MeshReader
from pipeline.stages.verify import structure
from pipeline.stages.verify.stage import VerifyInput, verify
from tests.fuzz import corpus
from tests.kit import bench, settings
from tests.kit import settings as settings_kit

BUDGETS = replace(settings.BUDGETS, pixels=1_000_000)


def reader(**files: bytes) -> MeshReader:
    named = {name.replace("__", "."): data for name, data in files.items()}
    return MeshReader(MemoryFiles(named, most_bytes=10**9), "m.urdf", BUDGETS)


def loaded(name: str, data: bytes) -> int:
    """Return the number of triangles of a mesh file."""
    pieces = MeshReader(MemoryFiles({name: data}, most_bytes=10**9), "m.urdf", BUDGETS)._load(name)
    return sum(len(piece.faces) for piece in pieces)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("levels", [9, 40])
def test_instances_in_instances_are_counted_before_they_are_made(levels: int) -> None:
    assert loaded("m.dae", corpus.dae(2, 10)) == 100
    with pytest.raises(
        Rejection, match=r"instances become 2.*nodes and 1e.*triangles; .* are allowed\."
    ):
        loaded("m.dae", corpus.dae(levels, 10))


def test_nodes_that_hold_themselves_and_endless_chains_are_refused() -> None:
    ring = corpus.dae(1, 1).replace(b'<instance_geometry url="#g"/>', b'<instance_node url="#n1"/>')
    for text in (ring, corpus.dae(300, 1)):
        with pytest.raises(Rejection, match="nest deeper than 64 levels"):
            loaded("m.dae", text)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("place", ["<library_nodes>{}", "{}</library_nodes>"])
def test_a_decoy_of_the_same_id_hides_no_nodes(place: str) -> None:
    """A node with one triangle, before or behind one of its id with 111,111 empty nodes."""
    text = corpus.dae(5, 10).decode().replace('<instance_geometry url="#g"/>', "")
    decoy = '<node id="n5"><instance_geometry url="#g"/></node>'
    both = text.replace(place.format(""), place.format(decoy))
    with pytest.raises(Rejection, match=r"become 1\.11e\+05 nodes and 1 triangles"):
        loaded("m.dae", both.encode())


def test_a_collada_file_that_is_an_archive_as_well_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("other.dae", corpus.dae())
    with pytest.raises(Rejection, match="is an archive; unpack it"):
        loaded("m.dae", corpus.dae() + stream.getvalue())


def test_one_list_of_triangles_drawn_often_is_counted() -> None:
    tree = json.loads(corpus.gltf()[0])
    assert loaded("m.gltf", corpus.gltf()[0]) == 2
    tree["meshes"][0]["primitives"] *= 100_001
    with pytest.raises(Rejection, match="draw 100001 triangles"):
        loaded("m.gltf", json.dumps(tree).encode())
    tree = json.loads(corpus.gltf()[0])
    tree["nodes"] = [{"mesh": 0} for _ in range(100_001)]
    tree["scenes"] = [{"nodes": list(range(100_001))}]
    with pytest.raises(Rejection, match="100001 triangles with all copies"):
        loaded("m.gltf", json.dumps(tree).encode())


def grouped(count: int) -> bytes:
    return "".join(
        f"v {n} 0 0\nv {n} 1 0\nv {n} 0 1\nusemtl m{n}\nf -3 -2 -1\n" for n in range(count)
    ).encode()


@pytest.mark.timeout(120)
def test_many_groups_with_indices_from_the_end_are_read_once() -> None:
    pieces = reader(m__obj=grouped(90_000))._load("m.obj")  # the square of it takes minutes
    assert len(pieces) == 90_000
    assert pieces[-1].vertices[:, 0].tolist() == [89_999] * 3


def test_a_small_group_is_compacted_as_a_large_one_is() -> None:
    points = np.arange(3000.0).reshape(-1, 3)
    corners = np.array([[7, 3, 900], [3, 7, 8]])
    vertices, faces, _ = compacted(points, corners, None, None)
    assert np.array_equal(vertices[faces], points[corners])
    assert len(vertices) == 4
    uv, places = np.arange(8.0).reshape(-1, 2), np.array([[0, -1, 3], [1, 2, 3]])
    vertices, faces, spots = compacted(points, corners, uv, places)
    assert np.array_equal(vertices[faces], points[corners])
    assert spots is not None
    assert np.array_equal(spots[faces], np.vstack([uv, [[0, 0]]])[places])


def test_a_library_of_materials_is_read_once_however_often_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = b"mtllib a.mtl\nmtllib b.mtl\n" * 500 + corpus.obj()[1].replace(b"mtllib m.mtl\n", b"")
    made = reader(m__obj=text, a__mtl=b"newmtl m\nKd 1 0 0\n", b__mtl=b"newmtl m\nKd 0 1 0\n")
    names = []
    original = MemoryFiles._read
    monkeypatch.setattr(
        MemoryFiles, "_read", lambda s, name, most: names.append(name) or original(s, name, most)
    )
    (piece,) = made._load("m.obj")
    assert piece.look.rgba[:3] == (0.0, 1.0, 0.0)
    assert sorted(names) == ["a.mtl", "b.mtl", "m.obj"]


def test_a_library_of_materials_is_parsed_once_for_all_meshes_that_name_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meshes = {f"{n}/m.obj": b"mtllib ../all.mtl ./../all.mtl\n" + grouped(2) for n in range(30)}
    library = b"".join(b"newmtl m%d\nKd 0 %d 1\n" % (n, n) for n in range(1000))
    made = MeshReader(MemoryFiles({**meshes, "all.mtl": library}, most_bytes=10**9), "m", BUDGETS)
    parsed = []
    monkeypatch.setattr(meshes_module, "read_mtl", lambda d: parsed.append(len(d)) or read_mtl(d))
    for name in meshes:
        looks = [piece.look.rgba[:3] for piece in made._load_once(name)]
        assert looks == [(0.0, 0.0, 1.0), (0.0, 1.0, 1.0)]
    assert parsed == [len(library)]


@pytest.mark.parametrize("name", ["no.mtl", "package://p/no.mtl"])
def test_an_absent_library_of_materials_is_a_finding_for_every_mesh(name: str) -> None:
    text = f"mtllib {name}\n".encode() + grouped(1)
    made = reader(a__obj=text, b__obj=text)
    assert [len(made._load_once(mesh)) for mesh in ("a.obj", "b.obj")] == [1, 1]
    said = [f"{name} is named by {mesh} but absent." for mesh in ("a.obj", "b.obj")]
    assert [finding.detail for finding in made.findings] == said


def test_findings_of_one_code_are_listed_so_far_and_then_counted(tmp_path: Path) -> None:
    lines = f"mtllib {'x' * 10**6}\n" + "".join(f"mtllib {n}.mtl\n" for n in range(40_000))
    colors = "".join(
        f"v {n} 0 0 1 0 0\nv {n} 1 0 0 1 0\nv {n} 0 1 0 0 1\nusemtl m{n}\nf -3 -2 -1\n"
        for n in range(1_500)
    )
    links = bench.mesh_link("a", "m.obj") + bench.mesh_link("b", "n.obj")
    urdf = bench.robot(links, bench.joint_text("j", "revolute", "a", "b"))
    meshes = {"m.obj": lines.encode() + grouped(1), "n.obj": colors.encode()}
    findings = bench.normal(bench.write_object(tmp_path / "a", urdf, meshes)).findings
    for code, more in (("texture_missing", 39_001), ("colors_averaged", 500)):
        said = [finding.detail for finding in findings if finding.code == code]
        assert len(said) == 1_001
        assert said[-1] == f"{more} more of these are not listed."
        assert max(map(len, said)) < 1_100


def test_a_line_of_many_options_is_cut_once() -> None:
    options, split = 2_000, 0

    def profile(frame: FrameType, event: str, called: object) -> None:
        nonlocal split
        if event == "c_call" and getattr(called, "__name__", "") == "split":
            split += len(called.__self__)

    text = b"newmtl a\nmap_Kd " + b"-s 2 3 -mm 0 1 " * options + b'-o .5 " a  b.png"\n'
    sys.setprofile(profile)
    try:
        material = read_mtl(text)["a"]
    finally:
        sys.setprofile(None)
    assert material.picture == MapLine(" a  b.png", (2.0, 3.0), (0.5, 0.0))
    assert split < 10 * len(text)  # by cutting again for every option it is 2,000 times as much


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("  a  b.png ", "a  b.png"), ("-s 1 a.png", "a.png"), ("-s a.png", "a.png"),
        ("-mm 0 1", None), ("-mm 0", None), ("-clamp on  -S 1 2 3 4 x", "4 x"),
        ("-o", None), ("-bm", None),
    ],
)  # fmt: skip
def test_the_name_of_a_picture_follows_its_options(line: str, name: str | None) -> None:
    picture = read_mtl(f"newmtl a\nmap_Kd {line}\n".encode())["a"].picture
    assert (picture.name if picture else None) == name


def test_an_object_of_too_many_pieces_is_refused(tmp_path: Path) -> None:
    shapes = "".join(bench.mesh_link(f"l{n}", "m.obj") for n in range(3))
    joints = "".join(bench.joint_text(f"j{n}", "fixed", "l0", f"l{n}") for n in (1, 2))
    urdf = bench.robot(shapes, joints)
    folder = bench.write_object(tmp_path / "a", urdf, {"m.obj": grouped(40_000)})
    with pytest.raises(Rejection, match="more than 100000 pieces"):
        bench.normal(folder, budgets={"faces": 10**6})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\\", ""),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nmtllib \\", ""),
        (b"v \nv  \n", "fewer than 3 numbers"),
        (b"v 1 2 3\nv \n", "fewer than 3 numbers"),
        (b"v 0 0 0\nf 1 2 " + b"9" * 400 + b"/1\nf -1 -1 -1\n", "vertices that the file does not"),
        (b"v 0 0 0\nf 1/" + b"9" * 30 + b" 1 1\nf -1 -1 -1\n", "vertices that the file does not"),
    ],
)
def test_unusual_obj_text_is_read_or_is_an_error_message(text: bytes, words: str) -> None:
    if not words:
        assert len(read_obj(text).groups[0].corners) == 1
        return
    with pytest.raises(ObjError, match=words):
        read_obj(text)


def test_one_long_line_does_not_widen_every_row() -> None:
    text = b"v 1 2 3\n" * 20_000 + b"v" + b" 1" * 200_000 + b"\n"  # 32 GB as a full table
    assert read_obj(text).points.shape == (20_001, 3)


def described(**more: object) -> object:
    limit = {"a": 0, "b": 90, "rotationLimit": 30, "rotates": True, "noLimit": False}
    entry = {"id": 1, "parent": 0, "joint": "slider", "jointData": {"limit": limit | more}}
    entry |= {key: value for key, value in more.items() if key in entry}
    files = {"mobility.urdf": corpus.urdf(), "mobility_v2.json": json.dumps([entry]).encode()}
    return partnet_mobility.describe(MemoryFiles(files, most_bytes=10**6), Found("1", ("1",)))


@pytest.mark.parametrize("field", ["id", "parent", "a", "b", "rotationLimit"])
@pytest.mark.parametrize("digits", [20, 39, 400, 5000])
def test_long_integers_of_partnet_are_a_sentence(field: str, digits: int) -> None:
    sys.set_int_max_str_digits(10_000)
    try:
        with pytest.raises(Rejection, match=r"mobility_v2.json.*(no usable number|39 digits)\."):
            described(**{field: int("9" * digits)})
    finally:
        sys.set_int_max_str_digits(4300)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b'{"a": {"b": 1, "b": 2}}', "the name 'b' twice"),
        (b'{"a": 1, "\\u0061": 2}', "the name 'a' twice"),
        (b"[1e999]", "not a finite number"),
        (b"[NaN]", "has NaN, which is not JSON"),
        (b"[" + b"9" * 40 + b"]", "more than 39 digits"),
        (b"[" * (MOST_DEPTH + 1) + b"]" * (MOST_DEPTH + 1), "nested too deeply"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"", "Expecting value"),
    ],
)
def test_json_with_two_meanings_or_none_is_refused(text: bytes, words: str) -> None:
    with pytest.raises(JsonError, match=words):
        parse_json(text)


def test_json_of_every_kind_is_read() -> None:
    deepest = b"[" * MOST_DEPTH + b"]" * MOST_DEPTH
    assert parse_json(b"\xef\xbb\xbf" + deepest) == json.loads(deepest)
    value = {"a": [1, -2.5, 10**38, True, None, "\u20ac"], "b": {}}
    assert parse_json(json.dumps(value).encode()) == value


def test_two_names_in_a_gltf_file_are_refused() -> None:
    with pytest.raises(Rejection, match="the name 'scene' twice"):
        loaded("m.gltf", corpus.gltf()[1])


def test_nearly_a_thousand_mimics_in_a_row_are_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Leaves first in the document's order: the chain is followed from its far end.
    links = [bench.box_link(f"l{n}") for n in range(992)]
    joints = [
        bench.joint_text(
            f"j{n}", "revolute", "l0", f"l{n + 1}",
            more=f'<mimic joint="j{n + 1}" multiplier="1" offset="0"/>' if n < 990 else "",
        )
        for n in range(991)
    ]  # fmt: skip
    folder = bench.write_object(tmp_path / "a", bench.robot(*links, *joints))
    normal = bench.normal(folder)
    record, where = bench.stored(tmp_path / "a.tar", normal)
    monkeypatch.setattr(structure, "MOST_PAIRS", 100)
    quick = settings_kit.changed(settings_kit.SETTINGS, verify={"sweep_steps": 1000})
    assert verify(Task("a", VerifyInput(record, where, "box")), quick).record is not None


def triangles(count: int) -> trimesh.Trimesh:
    corners = np.tile([[0.0, 0, 0], [1, 0, 0], [0, 1, 1]], (count, 1))
    return trimesh.Trimesh(corners, np.arange(3 * count).reshape(-1, 3), process=False)


def test_equal_triangles_are_drawn_once_and_look_the_same() -> None:
    one, many = triangles(1), triangles(200_000)
    camera = look_at(np.asarray(one.vertices))
    assert len(prepare(read_surface([many])).hidden) == 1
    pictures = [
        render_views([[(mesh, np.eye(4))]], camera, size=64, backend="embree", ground=False)[0]
        for mesh in (one, many)
    ]
    assert np.array_equal(*pictures)


def test_triangles_that_differ_by_a_hair_are_counted_before_they_are_drawn() -> None:
    many = triangles(100_000)
    many.vertices += np.linspace(0, 1e-6, 300_000)[:, None]
    camera = look_at(np.asarray(many.vertices))
    with pytest.raises(CrowdedError, match=r"cover a preview \d+ times, more than 1000"):
        render_views([[(many, np.eye(4))]], camera, size=64, backend="embree")


@pytest.fixture
def ghostscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program of Ghostscript's name on the path; return the file that it leaves behind."""
    trace = tmp_path / "started"
    program = tmp_path / "bin" / "gs"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {trace}\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr("PIL.EpsImagePlugin.gs_binary", str(program))
    return trace


def test_an_eps_called_png_starts_no_program(ghostscript: Path) -> None:
    for name in ("t.png", "t.dat"):
        mtl = f"newmtl m\nKd 1 0 0\nmap_Kd {name}\n".encode()
        made = reader(m__obj=corpus.obj()[1], m__mtl=mtl, t__png=corpus.EPS, t__dat=corpus.EPS)
        made._load("m.obj")
        assert "not a readable picture" in made.findings[0].detail
    assert not ghostscript.exists()


@pytest.mark.parametrize("name", ["data", "t.png", "t.dat"])
def test_an_eps_in_a_gltf_file_starts_no_program(ghostscript: Path, name: str) -> None:
    tree = json.loads(corpus.gltf()[0])
    tree["images"] = [{"uri": name}]
    if name == "data":
        uri = "data:image/png;base64," + base64.b64encode(corpus.EPS).decode()
        tree["images"] = [{"uri": uri}]
    files = {"m.gltf": json.dumps(tree).encode(), "t.png": corpus.EPS, "t.dat": corpus.EPS}
    made = MeshReader(MemoryFiles(files, most_bytes=10**6), "m.urdf", BUDGETS)
    assert [piece.look.texture for piece in made._load("m.gltf")] == [None, None]
    assert not ghostscript.exists()


@pytest.mark.parametrize("number", range(8))
def test_pictures_of_the_named_formats_are_read(number: int) -> None:
    made = reader(m__obj=corpus.obj()[1], m__mtl=corpus.mtl()[0], t__png=corpus.pictures()[number])
    (piece,) = made._load("m.obj")
    assert piece.look.texture is not None
