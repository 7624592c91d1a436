# SPDX-License-Identifier: Apache-2.0
"""Hostile input from end to end: inventory, ingest and normalize of one untrusted object.

Every case ends as a rejection or as a finding with its own code, and no file outside the object's
folder is opened on the way. A secret that would make the object whole lies beside the folder.
"""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import os
import struct
import sys
import tarfile
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import Rejection
from pipeline.engine.runner import Task
from pipeline.raw.inventory import scan_source
from pipeline.raw.records import Frame
from pipeline.stages.ingest.stage import IngestInput, ingest
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from tests.kit import bench
from tests.kit import settings as settings_kit
from tests.kit.settings import facts_of

META = '{"name": "thing", "category": "Door", "license": "CC0-1.0"}'
FACTS = {"license": "CC0-1.0", "attribution": "", "scale": "metric", "unit": 1.0,
         "frame": Frame("z", "x")}  # fmt: skip
BOMB = (
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {b} "{10 * f"&{a};"}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]>"
)
COLLECTION = "{title: t, label: Door, license: MIT, frame: {up: z, front: x}, scale: metric}"
OPENED: list[str] = []
WATCHING: list[str] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if WATCHING and event == "open" and isinstance(arguments[0], str | bytes):
        OPENED.append(os.path.realpath(os.fsdecode(arguments[0])))


sys.addaudithook(_watch)  # cannot be taken away again, so it sleeps outside these tests


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Path]:
    """Return a folder for a source; whatever lies beside it must stay closed."""
    yield tmp_path / "raw"
    outside = [p for p in OPENED if p.startswith((str(tmp_path / "secret"), "/etc/", "/proc/"))]
    assert not outside


@pytest.fixture
def ended(elsewhere: Path) -> Callable[[Path, str], list[str]]:
    """Return a function that runs the only object of a source and returns the codes at its end."""
    # A budget of bytes that lets the long chain through to the budget of links.
    settings = settings_kit.changed(settings_kit.SETTINGS, budgets={"urdf_bytes": 10_000_000})

    def walk(root: Path, adapter: str) -> list[str]:
        OPENED.clear()
        WATCHING.append("on")
        try:
            return ends(root, adapter)
        finally:
            WATCHING.clear()

    def ends(root: Path, adapter: str) -> list[str]:
        (raw,) = scan_source("local", adapter, root)
        facts = facts_of(root, adapter=adapter, **FACTS)
        data = IngestInput("local", facts, raw.found, raw.digest, raw.mark)
        try:
            told = ingest(Task(raw.object_id, data), settings)
            given = NormalizeInput(root, told.record, raw.mark)
            made = normalize(Task(raw.object_id, given), settings)
        except Rejection as rejection:
            assert rejection.detail.endswith((".", "…")), "a sentence"
            return [str(rejection.reason)]
        return bench.codes(told) + bench.codes(made)

    return walk


def box(name: str) -> str:
    shape = '<geometry><box size="0.2 0.3 0.4"/></geometry>'
    return f'<link name="{name}"><visual>{shape}</visual></link>'


def mesh(path: str) -> str:
    shape = f'<geometry><mesh filename="{path}"/></geometry>'
    return f'<link name="b"><visual>{shape}</visual></link>'


def hinge(parent: str = "a", child: str = "b", *, name: str = "j", limit: str = "-1 1",
          axis: str = "0 0 1") -> str:  # fmt: skip
    lower, upper = limit.split()
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>'
        "</joint>"
    )


def robot(*parts: str) -> str:
    return f"<robot name='r'>{''.join(parts)}</robot>"


def with_mesh(path: str) -> str:
    return robot(box("a"), mesh(path), hinge())


def chain(links: int) -> str:
    names = [f"l{number}" for number in range(links)]
    joints = [hinge(a, b, name=f"j{b}") for a, b in itertools.pairwise(names)]
    return robot(*map(box, names), *joints)


TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
STL_1GB = b"\0" * 80 + struct.pack("<I", 20_000_000) + b"\0" * 50
PLY_HEAD = "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\n"
PLY_1GB = (
    PLY_HEAD.format(80_000_000) + "property float y\nproperty float z\nend_header\n"
).encode()
GLB_1GB = b"glTF" + struct.pack("<III4s", 2, 1_000_000_000, 900_000_000, b"JSON") + b"{}"
IHDR = b"IHDR" + struct.pack(">II", 20_000, 20_000) + b"\x08\x02\0\0\0"
PNG_1GB = (
    b"\x89PNG\r\n\x1a\n\0\0\0\r" + IHDR + struct.pack(">I", zlib.crc32(IHDR)) + b"\0\0\0\0IDAT"
)
TEXTURED = "mtllib m.mtl\nusemtl m\n" + "vt 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/1 3/1\n"


def mtl(path: str) -> dict[str, Any]:
    return {"b.obj": TEXTURED, "m.mtl": f"newmtl m\nmap_Kd {path}\n"}


def gltf(uri: str, image: str = "") -> str:
    """Return a glTF of one triangle whose bytes, or whose picture, lie in another file."""
    data = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    embedded = f"data:application/octet-stream;base64,{base64.b64encode(data).decode()}"
    document = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
        "images": [{"uri": image or "absent.png"}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"uri": uri or embedded, "byteLength": 36}],
    }
    return json.dumps(document)


DAE = '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><COLLADA>&x;</COLLADA>'
PLY_PICTURE = (
    "ply\nformat ascii 1.0\ncomment TextureFile ../../secret/s.png\nelement vertex 3\n"
    "property float x\nproperty float y\nproperty float z\nproperty float s\nproperty float t\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2\n"
)


def case(name: str, code: str, urdf: Any, files: dict[str, Any] | None = None) -> Any:
    return pytest.param(code, urdf, files or {}, id=name)


B = with_mesh("b.obj")
CASES = [
    case("entity bomb", "xml_entity", BOMB + robot(box("&i;"))),
    case("external entity", "xml_entity", '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
         + robot(box("a"), "&x;")),
    case("external document type", "xml_entity", '<!DOCTYPE r SYSTEM "http://localhost/x.dtd">'
         + robot(box("a"))),
    case("climbs out", "mesh_outside", with_mesh("../../secret/s.obj")),
    case("climbs out, backslashes", "mesh_outside", with_mesh("..\\..\\secret\\s.obj")),
    case("climbs out of a package", "mesh_outside", with_mesh("package://x/../../secret/s.obj")),
    case("absolute", "mesh_outside", with_mesh("{outside}/s.obj")),
    case("http", "mesh_outside", with_mesh("http://127.0.0.1:9/s.obj")),
    case("file", "mesh_outside", with_mesh("file://{outside}/s.obj")),
    case("package", "mesh_missing", with_mesh("package://other/s.obj")),
    case("drive letter", "mesh_outside", with_mesh("C:/s.obj")),
    case("materials climb out", "mesh_outside", B, {
        "b.obj": "mtllib ../../secret/s.mtl\nusemtl m\n" + TRIANGLE}),
    case("texture climbs out", "mesh_outside", B, mtl("../../secret/s.png")),
    case("texture absolute", "mesh_outside", B, mtl("/etc/passwd")),
    case("texture http", "mesh_outside", B, mtl("http://127.0.0.1:9/t.png")),
    case("glTF bytes climb out", "mesh_outside", with_mesh("b.gltf"), {
        "b.gltf": gltf("../../secret/s.obj")}),
    case("glTF bytes of a file address", "mesh_outside", with_mesh("b.gltf"), {
        "b.gltf": gltf("file:///etc/passwd")}),
    case("glTF picture climbs out", "mesh_outside", with_mesh("b.gltf"), {
        "b.gltf": gltf("", "../../secret/s.png")}),
    case("PLY picture climbs out", "mesh_outside", with_mesh("b.ply"), {"b.ply": PLY_PICTURE}),
    case("COLLADA external entity", "xml_entity", with_mesh("b.dae"), {"b.dae": DAE}),
    case("NaN axis", "number_invalid", robot(box("a"), box("b"), hinge(axis="nan 0 1"))),
    case("infinite axis", "number_invalid", robot(box("a"), box("b"), hinge(axis="0 inf 1"))),
    case("NaN limit", "number_invalid", robot(box("a"), box("b"), hinge(limit="0 NaN"))),
    case("infinite limit", "limit_missing", robot(box("a"), box("b"), hinge(limit="-inf inf"))),
    case("NaN vertex", "mesh_invalid", B, {"b.obj": TRIANGLE.replace("1 0 0", "nan 0 0")}),
    case("infinite vertex", "mesh_invalid", B, {"b.obj": TRIANGLE.replace("1 0 0", "1e999 0 0")}),
    case("reversed limits", "limits_reversed", robot(box("a"), box("b"), hinge(limit="1 -1"))),
    case("several roots", "root_several", robot(box("a"), box("b"), box("c"), hinge())),
    case("cycle", "joint_cycle", robot(*map(box, "abc"), hinge("a", "b"),
         hinge("b", "c", name="k"), hinge("c", "a", name="l"))),
    case("its own parent", "joint_cycle", robot(box("a"), box("b"), hinge(),
         hinge("a", "a", name="k"))),
    case("two parents", "link_two_parents", robot(*map(box, "abc"), hinge("a", "b"),
         hinge("a", "c", name="k"), hinge("c", "b", name="l"))),
    case("duplicate link", "link_duplicate", robot(box("a"), box("b"), box("b"), hinge())),
    case("duplicate joint", "joint_duplicate", robot(*map(box, "abc"), hinge("a", "b"),
         hinge("a", "c"))),
    case("10,000 links", "too_many_links", "chain"),
    case("STL of 1 GB", "mesh_invalid", with_mesh("b.stl"), {"b.stl": STL_1GB}),
    case("PLY of 1 GB", "mesh_invalid", with_mesh("b.ply"), {"b.ply": PLY_1GB}),
    case("GLB of 1 GB", "mesh_invalid", with_mesh("b.glb"), {"b.glb": GLB_1GB}),
    case("PNG of 1 GB", "too_many_pixels", B, {**mtl("t.png"), "t.png": PNG_1GB}),
    case("empty URDF", "xml_invalid", ""),
    case("unexpanded macro", "urdf_invalid", robot(box("a"), box("b"), hinge(),
         '<xacro:include filename="../../secret/s.urdf"/>')),
    case("empty metadata", "metadata_invalid", B, {"b.obj": TRIANGLE, "meta.json": ""}),
    case("empty OBJ", "mesh_empty", B, {"b.obj": ""}),
    case("empty STL", "mesh_invalid", with_mesh("b.stl"), {"b.stl": b""}),
    case("empty texture", "texture_missing", B, {**mtl("t.png"), "t.png": b""}),
    case("URDF in latin-1", "xml_invalid", robot(box("é"), box("b"), hinge("é")).encode("latin-1")),
    case("URDF in no encoding", "xml_invalid", b"<?xml version='1.0' encoding='x-none'?>"
         + robot(box("a")).encode()),
    case("URDF in UTF-7", "xml_invalid", b"<?xml version='1.0' encoding='utf-7'?>"
         b"+ADwAIQ-DOCTYPE r>"),
    case("metadata in latin-1", "metadata_invalid", B, {
        "b.obj": TRIANGLE, "meta.json": '{"name": "é"}'.encode("latin-1")}),
    case("OBJ in UTF-16, no mark", "mesh_empty", B, {"b.obj": TRIANGLE.encode("utf-16-be")}),
]  # fmt: skip


def put(root: Path, urdf: str | bytes, files: dict[str, Any]) -> Path:
    """Write the object, and beside the source a secret that would make it whole."""
    secret = root.parent / "secret"
    for path, content in {"s.obj": TRIANGLE, "s.mtl": "newmtl m\nKd 1 0 0\n", "s.png": ""}.items():
        secret.mkdir(exist_ok=True)
        (secret / path).write_text(content)
    if isinstance(urdf, str):
        urdf = (
            (chain(10_000) if urdf == "chain" else urdf).replace("{outside}", str(secret)).encode()
        )
    for name, content in {"model.urdf": urdf, "meta.json": META, **files}.items():
        path = root / "thing" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root / "thing"


@pytest.mark.parametrize("adapter", ["generated", "urdf_folder"])
@pytest.mark.parametrize(("code", "urdf", "files"), CASES)
def test_a_hostile_object_ends_with_the_code_of_its_fault(
    code: str, urdf: Any, files: dict[str, Any], adapter: str, guarded: Path, ended: Any
) -> None:
    """As one of the user's own objects, and as one of a collection of the tail."""
    folder = put(guarded, urdf, files)
    if adapter == "urdf_folder":
        (folder / "source.yaml").write_text(COLLECTION)
    if adapter == "urdf_folder" and "meta.json" in files:
        assert code not in ended(guarded, adapter)  # a collection has no such file
    else:
        assert code in ended(guarded, adapter)


@pytest.mark.parametrize("name", ["b.obj", "meshes"])
def test_a_link_of_the_file_system_leads_nowhere(name: str, guarded: Path, ended: Any) -> None:
    folder = put(guarded, with_mesh("b.obj" if name == "b.obj" else "meshes/s.obj"), {})
    target = guarded.parent / "secret"
    (folder / name).symlink_to(target / "s.obj" if name == "b.obj" else target)
    assert ended(guarded, "generated") == ["mesh_outside"]


@pytest.mark.parametrize("name", ["model.urdf", "meta.json"])
def test_a_linked_description_is_not_read(name: str, guarded: Path, ended: Any) -> None:
    folder = put(guarded, robot(box("a"), box("b"), hinge()), {})
    (guarded.parent / "secret" / name).write_bytes((folder / name).read_bytes())
    (folder / name).unlink()
    (folder / name).symlink_to(guarded.parent / "secret" / name)
    assert ended(guarded, "generated") in (["urdf_missing"], ["metadata_missing"])


def test_a_linked_object_is_not_read(guarded: Path, ended: Any) -> None:
    folder = put(guarded, robot(box("a"), box("b"), hinge()), {})
    folder.rename(guarded.parent / "secret" / "thing")
    (guarded / "thing").symlink_to(guarded.parent / "secret" / "thing")
    assert ended(guarded, "generated") == ["folder_invalid"]


def test_a_pipe_does_not_hang(guarded: Path, ended: Any) -> None:
    folder = put(guarded, with_mesh("b.obj"), {})
    os.mkfifo(folder / "b.obj")
    assert ended(guarded, "generated") == ["mesh_missing"]


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, size
    return info.tobuf()


@pytest.mark.parametrize(
    ("code", "evil"),
    [
        ("archive_invalid", member("../secret/x.obj")),
        ("archive_invalid", member("/etc/x.obj")),
        ("archive_invalid", member("rec/link.obj", tarfile.SYMTYPE, "/etc/passwd")),
        ("archive_invalid", member("rec/link.obj", tarfile.LNKTYPE, "../../secret/s.obj")),
        ("archive_invalid", member("rec/null", tarfile.CHRTYPE)),
        ("archive_invalid", member("rec/pipe", tarfile.FIFOTYPE)),
        ("too_many_bytes", member("rec/big.bin", size=1_000_000_000)),
        ("archive_invalid", member("rec/cut.bin", size=1_000_000)),
        ("archive_invalid", b"no tar at all" * 100),
    ],
)
def test_a_member_of_an_archive_cannot_lead_out(
    code: str, evil: bytes, guarded: Path, ended: Any
) -> None:
    guarded.mkdir()
    with gzip.open(guarded / f"rec_door_{32 * '0'}.tar.gz", "wb") as stream:
        stream.write(evil + bytes(1024))
    assert ended(guarded, "articraft") == [code]


def test_a_bomb_of_zeros_stops_at_the_budget(guarded: Path, ended: Any) -> None:
    guarded.mkdir()
    with gzip.open(guarded / f"rec_door_{32 * '0'}.tar.gz", "wb") as stream:
        stream.write(member("rec/zeros", size=60_000_000) + bytes(60_000_000))
    assert ended(guarded, "articraft") == ["too_many_bytes"]


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_without_an_end_stops_at_the_budget(
    kind: bytes, guarded: Path, ended: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a header describes the next member, so it is read before any member is seen."""
    monkeypatch.setattr("pipeline.raw.files.MEMBERS", 1000)
    guarded.mkdir()
    with gzip.open(guarded / f"rec_door_{32 * '0'}.tar.gz", "wb") as stream:
        stream.write(member("rec/header", kind, size=300_000_000))
        for _ in range(300):
            stream.write(bytes(1_000_000))
    tracemalloc.start()
    assert ended(guarded, "articraft") == ["too_many_bytes"]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200_000_000
