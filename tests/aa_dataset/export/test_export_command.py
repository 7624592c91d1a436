# SPDX-License-Identifier: Apache-2.0
"""The command and its contract: a whole folder or none, nothing outside the object, sentences."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aa_dataset.cli import main
from aa_dataset.errors import MissingExtraError
from aa_dataset.export import ExportError, export
from aa_dataset.export.parts import Parts, numbers

MODULES = {"mjcf": "mujoco", "sdf": None, "usd": "pxr"}
FILES = {"mjcf": "object.xml", "sdf": "object.sdf", "usd": "object.usda"}
URDF = """<robot name="box"><link name="base"><visual name="base_0"><geometry>
<mesh filename="{mesh}"/></geometry><material name="m"><color rgba="0.2 0.4 0.6 0.5"/></material>
</visual></link></robot>"""
OBJ = (
    "mtllib object.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl second\n"
    "f 1/1 3/2 2/3\nf 1/1 2/2 4/3\nf 2/1 3/2 4/3\nf 3/1 1/2 4/3\n"
)
MTL = (
    "newmtl first\nmap_Kd wrong.png\nnewmtl second\nKd 1 1 1\nmap_Kd right.png\n"
    "newmtl third\nmap_Kd wrong_too.png\n"
)


@pytest.fixture
def textured(tmp_path: Path) -> Path:
    """Return an object of one textured tetrahedron, whose MTL file has three materials."""
    folder = tmp_path / "textured"
    (folder / "meshes").mkdir(parents=True)
    (folder / "object.urdf").write_text(URDF.format(mesh="meshes/base.obj"))
    (folder / "meshes/base.obj").write_text(OBJ)
    (folder / "meshes/object.mtl").write_text(MTL)
    (folder / "meshes/right.png").write_bytes(b"a picture")
    return folder


def test_a_look_is_the_color_and_the_texture_of_the_used_material(textured: Path) -> None:
    parts = Parts.of(textured)
    look = parts.look(parts.files.model.links[0].visuals[0])
    assert look.rgba == (0.2, 0.4, 0.6, 0.5)
    assert look.texture == "meshes/right.png"
    names = ["meshes/base.obj", "meshes/object.mtl", "meshes/right.png"]
    assert list(parts.mesh_files()) == names


def test_a_texture_with_options_and_spaces_is_found_by_its_name(textured: Path) -> None:
    (textured / "meshes/object.mtl").write_text("newmtl second\nmap_Kd -s 2 2 1 a  picture.png\n")
    parts = Parts.of(textured)
    assert parts.look(parts.files.model.links[0].visuals[0]).texture == "meshes/a  picture.png"


def test_triangles_keep_their_texture_coordinates(textured: Path) -> None:
    mesh = Parts.of(textured).mesh("meshes/base.obj")
    assert mesh.points.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert mesh.corners.tolist() == [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    assert mesh.uv is not None
    assert mesh.uv_corners is not None
    assert mesh.uv[mesh.uv_corners[0]].tolist() == [[0, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize("format", FILES)
def test_the_command_writes_a_folder(
    format: str, library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if MODULES[format]:
        pytest.importorskip(MODULES[format])
    out = tmp_path / "out"
    words = ["export", "generated-jar", str(library), "--format", format, "--out", str(out)]
    assert main(words) == 0
    assert capsys.readouterr().out.strip() == str(out / FILES[format])
    assert (out / FILES[format]).is_file()
    assert main(words) == 2
    assert "exists. Remove it or choose another folder" in capsys.readouterr().err


def test_a_failed_export_leaves_nothing(textured: Path, tmp_path: Path) -> None:
    (textured / "meshes/right.png").unlink()
    with pytest.raises(ExportError, match=r"names meshes/right.png, which does not exist"):
        export(textured, tmp_path / "out", format="sdf")
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "aa_home") == ["textured"]


@pytest.mark.parametrize("name", ["../secret.obj", "/etc/passwd"])
def test_nothing_outside_the_object_is_read(name: str, textured: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.obj").write_text(OBJ)
    (textured / "object.urdf").write_text(URDF.format(mesh=name))
    with pytest.raises(ExportError, match="is outside the object's folder"):
        export(textured, tmp_path / "out", format="sdf")


def test_a_symlink_out_of_the_object_is_not_followed(textured: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (textured / "meshes/right.png").unlink()
    (textured / "meshes/right.png").symlink_to(tmp_path / "secret")
    with pytest.raises(ExportError, match="is outside the object's folder"):
        export(textured, tmp_path / "out", format="sdf")


def test_a_primitive_is_refused(textured: Path, tmp_path: Path) -> None:
    text = URDF.format(mesh="x").replace('<mesh filename="x"/>', '<sphere radius="1"/>')
    (textured / "object.urdf").write_text(text)
    with pytest.raises(ExportError, match="link 'base' has a sphere"):
        export(textured, tmp_path / "out", format="sdf")


@pytest.mark.parametrize(("format", "extra"), [("mjcf", "mjcf"), ("usd", "usd")])
def test_a_missing_package_is_a_pip_command(
    format: str, extra: str, textured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [m for m in sys.modules if m.split(".")[0] in ("mujoco", "pxr")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("mujoco", "pxr"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"aa-dataset\[{extra}\]"):
        export(textured, tmp_path / "out", format=format)


def test_an_unknown_format_is_a_sentence(textured: Path, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="choose one of mjcf, sdf, usd"):
        export(textured, tmp_path / "out", format="blend")


@pytest.mark.parametrize("value", [0.1, 1 / 3, -0.0, 1e-12, 123456789.123456789, 5.0])
def test_numbers_read_back_to_the_same_bits(value: float) -> Any:
    assert float(numbers(value)) == value
    assert not numbers(value).startswith("-0 ")
    assert numbers(-0.0) == "0"


def test_a_folder_below_a_file_is_a_sentence(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "out"
    words = ["export", "generated-jar", str(library), "--format", "sdf", "--out", str(out)]
    assert main(words) == 2
    assert f"a parent of {out} is a file. Choose another folder" in capsys.readouterr().err


def test_a_jpeg_reaches_mujoco_as_a_png(textured: Path, tmp_path: Path) -> None:
    """MuJoCo reads no JPEG, and most textures of PartNet-Mobility are."""
    mujoco = pytest.importorskip("mujoco")
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (8, 8), (200, 100, 50)).save(textured / "meshes/right.jpg", quality=95)
    (textured / "meshes/object.mtl").write_text(MTL.replace("right.png", "right.jpg"))
    inertial = (
        '<inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" '
        'izz="0.1"/></inertial><visual'
    )
    text = URDF.format(mesh="meshes/base.obj").replace("<visual", inertial)
    (textured / "object.urdf").write_text(text)
    path = export(textured, tmp_path / "out", format="mjcf")
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.ntex == 1
    assert model.tex_data.reshape(-1, 3) == pytest.approx(np.tile([200, 100, 50], (64, 1)), abs=3)
    assert (path.parent / "meshes/right.jpg").is_file()  # which the material file names


def test_what_mujoco_refuses_is_a_sentence(textured: Path, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    with pytest.raises(ExportError, match=r"MuJoCo cannot load .*object\.urdf"):
        export(textured, tmp_path / "out", format="mjcf")  # its picture is none
    assert not (tmp_path / "out").exists()
