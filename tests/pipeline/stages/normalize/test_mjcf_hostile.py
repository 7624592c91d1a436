# SPDX-License-Identifier: Apache-2.0
"""Untrusted MJCF: MuJoCo gets no file name, and nothing outside the object is read."""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.base.errors import MissingPackageError, Rejection
from pipeline.raw.files import FolderFiles, MemoryFiles
from pipeline.stages.normalize.mjcf import read_mjcf
from pipeline.stages.normalize.mjcf_document import read_document
from tests.kit import bench
from tests.kit import settings as kit

mujoco = pytest.importorskip("mujoco", reason="pip install 'aa-dataset[mjcf]'")

BUDGETS = replace(kit.BUDGETS, urdf_bytes=200_000, links=50, pixels=10**8)
BODY = '<body name="b"><joint range="0 1"/><geom type="box" size=".1 .1 .1"/></body>'
MESH_BODY = '<body><geom type="mesh" mesh="a"/></body>'


def document(worldbody: str = BODY, head: str = "", tail: str = "") -> str:
    return f"<mujoco>{head}<worldbody>{worldbody}</worldbody>{tail}</mujoco>"


def read(text: str | bytes, **files: bytes) -> Any:
    data = text if isinstance(text, bytes) else text.encode()
    named = {name.replace("__", "."): content for name, content in files.items()}
    return read_mjcf(MemoryFiles({"m.xml": data, **named}, most_bytes=10**6), "m.xml", BUDGETS)


def rejected(text: str | bytes, **files: bytes) -> Rejection:
    with pytest.raises(Rejection) as caught:
        read(text, **files)
    return caught.value


@pytest.mark.parametrize("place", ["/etc/passwd", "../../x.stl", "file:///etc/passwd", "C:/x.stl"])
@pytest.mark.parametrize(
    "asset",
    [
        '<mesh name="a" file="{}"/>', '<texture name="t" file="{}"/>',
        '<texture name="t" type="cube" fileright="{}"/>', '<hfield name="h" file="{}"/>',
        '<skin name="s" file="{}"/>', '<model name="m" file="{}"/>',
    ],
)  # fmt: skip
def test_a_file_outside_the_object_rejects_it_in_any_element(asset: str, place: str) -> None:
    found = rejected(document(head=f"<asset>{asset.format(place)}</asset>"))
    assert str(found.reason) == "mesh_outside"


@pytest.mark.parametrize(
    "compiler", ['meshdir="/etc"', 'assetdir="/etc"', 'meshdir="../../etc"', 'meshdir="file:/etc"']
)
def test_a_folder_elsewhere_is_refused_as_well(compiler: str) -> None:
    head = f'<compiler {compiler}/><asset><mesh name="a" file="passwd.stl"/></asset>'
    assert str(rejected(document(head=head)).reason) == "mesh_outside"


def test_includes_stay_inside(tmp_path: Path) -> None:
    inside = tmp_path / "object"
    inside.mkdir()
    (tmp_path / "x.xml").write_text("<mujoco><worldbody/></mujoco>")
    for place in ("../x.xml", str(tmp_path / "x.xml"), "link.xml"):
        (inside / "m.xml").write_text(document(head=f'<include file="{place}"/>'))
        if not (inside / "link.xml").is_symlink():
            (inside / "link.xml").symlink_to(tmp_path / "x.xml")
        with pytest.raises(Rejection) as caught:
            read_mjcf(FolderFiles(inside, most_bytes=10**6), "m.xml", BUDGETS)
        assert str(caught.value.reason) in ("mesh_outside", "mjcf_invalid"), place


def test_what_mujoco_sees_names_no_file_and_no_plugin() -> None:
    head = """<compiler meshdir="d" texturedir="d"/>
    <extension><plugin plugin="mujoco.sdf.bolt"><instance name="i"/></plugin></extension>
    <asset><mesh name="a" file="a.stl"/><texture name="t" file="t.png"/><hfield name="h"
    file="h.png" size="1 1 1 1"/><skin name="s" file="s.skn"/><mesh file="x/b.obj"/></asset>
    <size memory="100T"/><option timestep="1"/>"""
    body = f'{BODY}<body><plugin instance="i"/><geom size="1"><plugin instance="i"/></geom></body>'
    files = MemoryFiles({"m.xml": document(body, head).encode()}, most_bytes=10**6)
    made = read_document(files, "m.xml", BUDGETS)
    for word in ("file", "plugin", "dir=", "hfield", "skin", "memory", ".stl", ".png"):
        assert word not in made.text, word
    assert made.meshes["b"]["path"] == "d/x/b.obj"
    ignored = " ".join(finding.detail for finding in made.findings)
    assert all(f"<{tag}>" in ignored for tag in ("extension", "plugin", "hfield", "skin"))


def test_mujoco_opens_nothing_that_the_document_names(tmp_path: Path) -> None:
    """The process may not open any file while MuJoCo compiles, and still the model is read."""
    program = """
import sys, resource
from pathlib import Path
import mujoco, trimesh, PIL.PngImagePlugin
from pipeline.stages.normalize import mjcf
from pipeline.engine.settings import Budgets
from pipeline.raw.files import MemoryFiles
stl = b"solid\\nendsolid\\n"
files = MemoryFiles({"m.xml": Path("m.xml").read_bytes(), "a.stl": stl}, most_bytes=10**6)
budgets = Budgets(10**6, 10**6, 50, 10**6, 10**6, 8, 60)
inner = mujoco.MjSpec.from_string
taken = []
def watched(text):
    taken.append(text)
    return inner(text)
mujoco.MjSpec.from_string = watched
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))  # stdin, stdout, stderr: no further file opens
try:
    open("m.xml")
except OSError:
    pass
else:
    sys.exit("a file could still be opened")
urdf, _, findings = mjcf.read_mjcf(files, "m.xml", budgets)
print(len(taken), len(urdf.links), urdf.links[1].visuals[0].geometry.filename)
"""
    asset = '<asset><mesh name="a" file="a.stl"/><texture name="t" file="t.png"/></asset>'
    extension = '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>'
    body = f"<body name='x'>{MESH_BODY[6:-7]}</body>"
    (tmp_path / "m.xml").write_text(document(body, asset + extension))
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "2", "a.stl"]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"a__xml": b'<mujoco><include file="a.xml"/></mujoco>'}, "mjcf_invalid"),
        ({"a__xml": b'<mujoco><include file="m.xml"/></mujoco>'}, "mjcf_invalid"),
        ({}, "mjcf_invalid"),
        ({"a__xml": b"<mujoco>"}, "xml_invalid"),
        ({"a__xml": b'<!DOCTYPE x [<!ENTITY e "x">]><mujoco>&e;</mujoco>'}, "xml_entity"),
        ({"a__xml": b"<mujoco>" + b"<x/>" * 60_000 + b"</mujoco>"}, "too_many_bytes"),
        ({"a__xml": b"<a>" * 300 + b"</a>" * 300}, "xml_too_deep"),
    ],
)
def test_bad_includes_are_rejections(files: dict[str, bytes], code: str) -> None:
    found = rejected(document(head='<include file="a.xml"/>'), **files)
    assert str(found.reason) == code
    assert "a.xml" in found.detail or "m.xml" in found.detail


def test_includes_do_not_multiply() -> None:
    """Ten files that each include the next one twice would be a thousand copies."""
    twice = '<a><include file="f{0}.xml"/><include file="f{0}.xml"/></a>'
    files = {f"f{n}__xml": twice.format(n + 1).encode() for n in range(10)}
    found = rejected(document(head='<include file="f0.xml"/>'), f10__xml=b"<a/>", **files)
    assert "included twice" in found.detail


def test_nesting_by_includes_is_bounded() -> None:
    deep = {
        f"f{n}__xml": b"<r>"
        + b"<body>" * 90
        + f'<include file="f{n + 1}.xml"/>'.encode()
        + b"</body>" * 90
        + b"</r>"
        for n in range(3)
    }
    found = rejected(document('<include file="f0.xml"/>'), f3__xml=b"<r/>", **deep)
    assert str(found.reason) == "xml_too_deep"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "xml_invalid"),
        ("<robot/>", "mjcf_invalid"),
        ("<mujocoinclude/>", "mjcf_invalid"),
        (document('<body pos="nan 0 0"><geom size="1"/></body>'), "number_invalid"),
        (document('<body pos="inf 0 0"><geom size="1"/></body>'), "number_invalid"),
        (document('<body><joint axis="0 0 0"/><geom size="1"/></body>'), "mjcf_invalid"),
        (document('<body><joint range="1 -1" limited="true"/><geom size="1"/></body>'),
         "mjcf_invalid"),
        (document('<body><geom size="-1"/></body>'), "mjcf_invalid"),
        (document('<body><geom size="1" material="none"/></body>'), "mjcf_invalid"),
        (document('<body name="x"/><body name="x"/>'), "mjcf_invalid"),
        (document("<body/>" * 51), "too_many_links"),
        (document("<body>" + "<joint/>" * 60 + '<geom size="1"/></body>'), "mjcf_invalid"),
        (document('<replicate count="1000000"><body/></replicate>'), "mjcf_invalid"),
        (document('<body><flexcomp name="f" type="grid" count="9 9 9"/></body>'), "mjcf_invalid"),
        (document('<body><composite type="cable" count="9 1 1"/></body>'), "mjcf_invalid"),
        (document('<attach model="x" prefix="p"/>'), "mjcf_invalid"),
        (document('<body><geom type="box" mesh="a"/></body>',
                  '<asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'),
         "mjcf_invalid"),
        (document(MESH_BODY, '<asset><mesh name="a" file="a.stl"/></asset>'), "mesh_missing"),
        (document(MESH_BODY, '<asset><mesh name="a" builtin="torus"/></asset>'), "mesh_invalid"),
        (document(MESH_BODY, '<asset><mesh name="a" vertex="0 0 0 1"/></asset>'), "mesh_invalid"),
        (document(MESH_BODY, '<asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0" face="0 1 9"/>'
                  "</asset>"), "mesh_invalid"),
        (document(MESH_BODY, '<asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0"/></asset>'),
         "mesh_invalid"),
    ],
)  # fmt: skip
def test_what_is_no_usable_model_is_a_rejection(text: str, code: str) -> None:
    found = rejected(text)
    assert (str(found.reason), found.detail[-1]) == (code, ".")


@pytest.mark.parametrize(
    "data",
    [b"", b"\1\0\0\0", b"\xff" * 16, b"\xff\xff\xff\x7f" * 4, b"\1\0\0\0" * 4 + b"\0" * 43,
     b"\1\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0" + b"\0" * 12 + b"\5\0\0\0" * 3],
)  # fmt: skip
def test_a_binary_mesh_that_is_not_one_is_a_rejection(data: bytes) -> None:
    text = document(MESH_BODY, '<asset><mesh name="a" file="a.msh"/></asset>')
    assert str(rejected(text, a__msh=data).reason) == "mesh_invalid"


def test_mujoco_writes_no_log_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rejected(document('<body pos="nan 0 0"><geom size="1"/></body>'))
    assert list(tmp_path.iterdir()) == []


def test_without_mujoco_the_error_names_the_package_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = builtins.__import__

    def blocked(name: str, *rest: Any, **more: Any) -> Any:
        if name == "mujoco":
            raise ImportError(name)
        return inner(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", blocked)
    (tmp_path / "m.xml").write_text(document())
    with pytest.raises(MissingPackageError, match=r"pip install 'aa-dataset\[mjcf\]'"):
        bench.normal(tmp_path, {**bench.METRIC, "format": "mjcf"}, urdf="m.xml")


TAGS = st.sampled_from(
    [
        "mujoco",
        "worldbody",
        "body",
        "geom",
        "joint",
        "freejoint",
        "include",
        "compiler",
        "default",
        "asset",
        "mesh",
        "texture",
        "material",
        "equality",
        "frame",
        "inertial",
        "site",
        "extension",
        "plugin",
    ]
)
WORDS = st.sampled_from(
    ["1", "0 0 1", "-1 nan", "a", "", "1e999", "../x", "mesh", "box", "true", "m.xml", "0 1 0 0"]
)
NAMES = st.sampled_from(
    [
        "name",
        "pos",
        "quat",
        "size",
        "type",
        "file",
        "range",
        "axis",
        "class",
        "childclass",
        "mesh",
        "material",
        "limited",
    ]
)


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> str:
    tag = draw(TAGS)
    attributes = draw(st.dictionaries(NAMES, WORDS, max_size=3))
    inner = [] if depth > 3 else draw(st.lists(elements(depth + 1), max_size=3))
    words = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{tag}{words}>{''.join(inner)}</{tag}>"


@settings(deadline=None)
@given(st.lists(elements(), max_size=4))
def test_no_document_does_more_than_be_rejected(parts: list[str]) -> None:
    try:
        read(f"<mujoco>{''.join(parts)}</mujoco>")
    except Rejection as rejection:
        assert rejection.detail
