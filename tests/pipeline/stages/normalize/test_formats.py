# SPDX-License-Identifier: Apache-2.0
"""Mesh files of every format that sources use, honest and dishonest ones."""

from __future__ import annotations

import json
import resource
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from pipeline.shapes.glb import read_links
from tests.kit import bench
from tests.kit.places import SAMPLES, skip_without_samples
from tests.kit.settings import BUDGETS

Make = Callable[..., Outcome]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize an object that shows one mesh file; `scale` is an attribute of its <mesh>."""

    def run(
        name: str, files: Mapping[str, str | bytes], scale: str = "", **options: Any
    ) -> Outcome:
        attribute = f' scale="{scale}"' if scale else ""
        shape = f'<geometry><mesh filename="{name}"{attribute}/></geometry>'
        urdf = bench.robot(f'<link name="part"><visual>{shape}</visual></link>')
        return bench.normal(bench.write_object(tmp_path / "raw", urdf, files), **options)

    return run


def wedge() -> trimesh.Trimesh:
    """Return a closed shape without any symmetry, its coordinates exact in single precision."""
    points = [(0, 0, 0), (4, 0, 0), (0, 2, 0), (0, 0, 1)]
    return trimesh.Trimesh(points, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], process=False)


def shown(outcome: Outcome) -> trimesh.Trimesh:
    """Return the normalized geometry, moved so that its lower corner is the origin."""
    mesh = read_links((outcome.files or {})["object.glb"], ("base",))["base"][0]
    mesh.apply_translation(-mesh.bounds[0])
    return mesh


def ascii_stl(mesh: trimesh.Trimesh) -> bytes:
    """Return a mesh as an STL file in text."""
    return trimesh.exchange.stl.export_stl_ascii(mesh).encode()


def gltf_file(mesh: trimesh.Trimesh) -> dict[str, bytes]:
    """Return a mesh as a glTF document with its buffers beside it."""
    files = trimesh.exchange.gltf.export_gltf(trimesh.Scene(mesh))
    return {name.replace("model.gltf", "a.gltf"): data for name, data in files.items()}


@pytest.mark.parametrize(
    "kind", ["obj", "stl", "stl text", "ply", "ply text", "glb", "gltf", "dae"]
)
def test_every_format_gives_the_same_closed_shape(make: Make, kind: str) -> None:
    mesh = wedge()
    if kind == "gltf":
        files = gltf_file(mesh)
    elif kind == "stl text":
        files = {"a.stl": ascii_stl(mesh)}
    elif kind == "ply text":
        files = {"a.ply": trimesh.exchange.ply.export_ply(mesh, encoding="ascii")}
    else:
        files = {f"a.{kind}": mesh.export(file_type=kind)}
    name = next(name for name in files if name.startswith("a."))
    found = shown(make(name, files))
    found.merge_vertices()
    assert found.is_volume
    assert found.volume == pytest.approx(8 / 6)
    assert np.sort(found.extents) == pytest.approx([1, 2, 4])
    assert found.center_mass == pytest.approx([1, 0.5, 0.25])


def test_millimeters_by_the_scale_of_the_urdf(make: Make) -> None:
    outcome = make("a.stl", {"a.stl": wedge().export(file_type="stl")}, "0.001 0.001 0.001")
    assert outcome.record.extents == pytest.approx((0.004, 0.002, 0.001))


@pytest.mark.parametrize("scale", ["-1 1 1", "-1 -1 -1", "1 -2 1", "-1 -1 1"])
def test_a_mirroring_scale_keeps_the_outside_outside(make: Make, scale: str) -> None:
    found = shown(make("a.obj", {"a.obj": wedge().export(file_type="obj")}, scale))
    factors = np.array([float(word) for word in scale.split()])
    assert found.volume == pytest.approx(8 / 6 * abs(np.prod(factors)))  # inside out is negative


def test_a_real_stl_in_millimeters_is_read() -> None:
    folder = SAMPLES / "tail/doorgym_leverknobs"
    files = sorted(folder.rglob("*.stl")) + sorted(folder.rglob("*.STL"))
    if not files:
        skip_without_samples()
    from pipeline.raw.files import FolderFiles
    from pipeline.stages.normalize.meshes import MeshReader

    budgets = replace(BUDGETS, faces=10**7, pixels=10**7)
    for path in files[:6]:
        reader = MeshReader(FolderFiles(path.parent, most_bytes=10**8), "x.urdf", budgets)
        pieces = reader._load(path.name)
        expected = trimesh.load_mesh(path, process=False)
        assert sum(len(piece.faces) for piece in pieces) == len(expected.faces)
        assert np.allclose(pieces[0].vertices, expected.vertices)


def test_a_unit_of_a_collada_file_is_applied(make: Make) -> None:
    data = wedge().export(file_type="dae")
    assert b"<asset>" in data
    inches = data.replace(b"<asset>", b'<asset><unit name="inch" meter="0.0254"/>', 1)
    inches = inches.replace(b'<unit name="meter" meter="1.0" />', b"")
    extents = make("a.dae", {"a.dae": inches}).record.extents
    assert extents == pytest.approx((4 * 0.0254, 2 * 0.0254, 0.0254))


def rejected(make: Make, name: str, content: str | bytes, **options: Any) -> Rejection:
    """Return the rejection of an object with one bad file."""
    with pytest.raises(Rejection) as caught:
        make(name, {name: content}, **options)
    return caught.value


PLY = "ply\nformat {} 1.0\nelement vertex {}\n{}element face {}\n{}end_header\n"
XYZ = "property float x\nproperty float y\nproperty float z\n"
LIST = "property list uchar int vertex_indices\n"
BINARY = "binary_little_endian"


def glb_bytes(tree: Mapping[str, Any], binary: bytes = b"\0" * 48) -> bytes:
    """Return a GLB of a document and a binary chunk."""
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    body += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def claiming_glb(count: int) -> bytes:
    """Return a GLB whose accessors claim so many elements, without a buffer behind them."""
    accessor = {"componentType": 5126, "count": count, "type": "VEC3"}
    tree = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [accessor],
    }  # fmt: skip
    return glb_bytes(tree)


CLAIMS = {
    "stl": b"\0" * 80 + struct.pack("<I", 2**32 - 1) + b"\0" * 50,
    "ply binary": PLY.format(BINARY, 10**9, XYZ, 1, LIST).encode() + b"\0" * 100,
    "ply text": PLY.format("ascii", 10**9, XYZ, 10**9, LIST).encode() + b"0 0 0\n" * 9,
    "ply faces": PLY.format(BINARY, 3, XYZ, 10**9, LIST).encode() + b"\0" * 100,
    "ply long list": PLY.format(BINARY, 3, XYZ, 1, LIST.replace("uchar", "uint")).encode()
    + b"\0" * 36 + struct.pack("<I", 2**31),
    "ply negative": PLY.format(BINARY, -1, XYZ, 1, LIST).encode() + b"\0" * 100,
    "ply huge word": PLY.format(BINARY, "9" * 5000, XYZ, 1, LIST).encode(),
    "glb accessor": claiming_glb(10**9),
    "glb chunk": b"glTF" + struct.pack("<IIII", 2, 2**31, 2**31, 0x4E4F534A) + b"{}",
    "glb negative": claiming_glb(-1),
}  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_header_that_claims_a_gigabyte_costs_nothing(make: Make, claim: str) -> None:
    name = f"a.{claim.split()[0]}"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = rejected(make, name, CLAIMS[claim])
    assert found.reason in ("mesh_invalid", "too_many_faces")
    assert name in str(found)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KiB
    assert grown < 100_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.stl", b""),
        ("a.ply", b""),
        ("a.glb", b""),
        ("a.gltf", b""),
        ("a.dae", b""),
        ("a.gltf", b"[]"),
        ("a.gltf", b'{"asset": {"version": "1.0"}}'),
        ("a.dae", b"<COLLADA></COLLADA>"),
        ("a.ply", PLY.format("ascii", 1, XYZ, 0, LIST).encode() + b"nan 0 0\n"),
        ("a.stl", "solid é\nfacet".encode("utf-16")),
    ],
)
def test_empty_and_broken_files_are_reported(make: Make, name: str, content: bytes) -> None:
    """They end as a rejection that names the file, or as a mesh without triangles."""
    try:
        make(name, {name: content})
    except Rejection as rejection:
        assert rejection.reason in ("mesh_invalid", "geometry_none", "xml_invalid")
        assert name in str(rejection) or rejection.reason == "geometry_none"
    else:
        pytest.fail("nothing was said")


@pytest.mark.parametrize("kind", ["stl", "ply", "glb", "obj", "dae"])
def test_numbers_that_are_none_reject_the_object(make: Make, kind: str) -> None:
    for value in (np.nan, np.inf):
        mesh = wedge()
        vertices = np.asarray(mesh.vertices).copy()
        vertices[1, 0] = value
        broken = trimesh.Trimesh(vertices, mesh.faces, process=False)
        found = rejected(make, f"a.{kind}", broken.export(file_type=kind))
        assert found.reason == "mesh_invalid"


ENTITIES = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "{}"><!ENTITY b "&a;&a;&a;&a;">]>'
    "<COLLADA>&b;</COLLADA>"
)


def test_entities_in_a_collada_file_are_refused_unread(make: Make, tmp_path: Path) -> None:
    assert rejected(make, "a.dae", ENTITIES.format("x" * 1000)).reason == "xml_entity"
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    external = f'<!DOCTYPE l [<!ENTITY a SYSTEM "file://{secret}">]><COLLADA>&a;</COLLADA>'
    assert rejected(make, "a.dae", external).reason == "xml_entity"


@pytest.mark.parametrize("uri", ["../x.bin", "/etc/hostname", "http://localhost/x.bin"])
def test_a_gltf_reads_nothing_outside_the_object(make: Make, tmp_path: Path, uri: str) -> None:
    (tmp_path / "x.bin").write_bytes(b"\0" * 100)
    tree = json.loads(gltf_file(wedge())["a.gltf"])
    for buffer in tree["buffers"]:
        buffer["uri"] = uri
    assert rejected(make, "a.gltf", json.dumps(tree)).reason == "mesh_outside"


@pytest.mark.parametrize("name", ["KHR_draco_mesh_compression", "EXT_meshopt_compression"])
def test_the_error_for_a_compressed_glb_names_the_extension(make: Make, name: str) -> None:
    tree = {"asset": {"version": "2.0"}, "extensionsRequired": [name]}
    found = rejected(make, "a.glb", glb_bytes(tree))
    assert found.reason == "mesh_invalid"
    assert name in str(found)


def test_a_face_without_area_is_kept(make: Make) -> None:
    text = wedge().export(file_type="obj") + "\nf 1 2 2\n"
    found = shown(make("a.obj", {"a.obj": text}))
    assert len(found.faces) == 5
    assert sorted(np.round(found.area_faces, 6))[0] == 0


def test_collada_without_its_package_is_an_error_message(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    import builtins

    real = builtins.__import__

    def blocked(name: str, *rest: Any, **more: Any) -> Any:
        if name == "collada":
            raise ImportError("No module named 'collada'")
        return real(name, *rest, **more)

    data = wedge().export(file_type="dae")
    monkeypatch.setattr(builtins, "__import__", blocked)
    found = rejected(make, "a.dae", data)
    assert found.reason == "mesh_invalid"
    assert "needs a package" in str(found)
