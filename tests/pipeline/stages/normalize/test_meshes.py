# SPDX-License-Identifier: Apache-2.0
"""Untrusted geometry: read inside the object's folder only, broken files are reported."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import trimesh
from PIL import Image

from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from tests.kit import bench

Make = Callable[..., Outcome]
COLORED = "mtllib m.mtl\nusemtl m\n"


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize an object of one mesh file and a box."""

    def run(name: str, files: Mapping[str, str | bytes], **options: Any) -> Outcome:
        urdf = bench.robot(
            bench.box_link("box"),
            bench.mesh_link("part", name),
            bench.joint_text("j", "revolute", "box", "part"),
        )
        return bench.normal(bench.write_object(tmp_path / "raw", urdf, files), **options)

    return run


def rejected(make: Make, name: str, files: Mapping[str, str | bytes], **options: Any) -> str:
    """Return the reason of the rejection."""
    with pytest.raises(Rejection) as caught:
        make(name, files, **options)
    return str(caught.value.reason)


@pytest.mark.parametrize(
    "name",
    [
        "../secret.obj",
        "meshes/../../secret.obj",
        "/secret.obj",
        "..\\secret.obj",
        "C:\\secret.obj",
        "file:///secret.obj",
        "http://localhost/secret.obj",
        "https://localhost/secret.obj",
        "package://robot/../secret.obj",
        "model://secret.obj",
        "link.obj",
        "folder/secret.obj",
    ],
)
def test_nothing_outside_the_objects_folder_is_read(make: Make, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.obj").write_text(bench.box_text((1, 1, 1)))
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "link.obj").symlink_to(tmp_path / "secret.obj")
    (tmp_path / "raw" / "folder").symlink_to(tmp_path)
    assert rejected(make, name, {}) == "mesh_outside"


def test_a_link_inside_the_folder_and_a_backslash_are_fine(make: Make, tmp_path: Path) -> None:
    (tmp_path / "raw" / "meshes").mkdir(parents=True)
    (tmp_path / "raw" / "alias.obj").symlink_to("meshes/real.obj")
    files = {"meshes/real.obj": bench.box_text((1, 1, 1))}
    for name in ("alias.obj", "meshes\\real.obj", "meshes/../alias.obj", "./meshes//real.obj"):
        assert make(name, files).record.extents == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("name", ["absent.obj", "folder.obj", "pipe.obj", "loop.obj", "x" * 5000])
def test_a_mesh_that_is_no_file_is_missing(make: Make, tmp_path: Path, name: str) -> None:
    (tmp_path / "raw" / "folder.obj").mkdir(parents=True)
    os.mkfifo(tmp_path / "raw" / "pipe.obj")
    (tmp_path / "raw" / "loop.obj").symlink_to("loop.obj")
    assert rejected(make, name if "." in name else f"{name}.obj", {}) == "mesh_missing"


TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("a.obj", "v inf 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("a.obj", "v 1e300 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("a.obj", TRIANGLE + "f 1 2 9\n"),
        ("a.obj", TRIANGLE + "f 1 2 -9\n"),
        ("a.glb", "glTF"),
        ("a.glb", b"glTF\x02\0\0\0\xff\xff\xff\x7f" + b"\xff" * 40),
        ("a.ply", "ply\nnonsense"),
        ("a.step", "ISO-10303-21;"),
        ("a", "no suffix"),
    ],
)
def test_an_unreadable_mesh_is_a_rejection(make: Make, name: str, content: str | bytes) -> None:
    assert rejected(make, name, {name: content}) == "mesh_invalid"


@pytest.mark.parametrize("shape", ['cylinder radius="0" length="1"', 'box size="0 0 0"',
                                   'sphere radius="0"', 'cylinder radius="1" length="0"',
                                   'capsule radius="0" length="1"'])  # fmt: skip
def test_a_shape_without_a_size_breaks_nothing(tmp_path: Path, shape: str) -> None:
    link = f'<link name="b"><visual><geometry><{shape}/></geometry></visual></link>'
    urdf = bench.robot(bench.box_link("a"), link, bench.joint_text("j", "revolute", "a", "b"))
    outcome = bench.normal(bench.write_object(tmp_path / "raw", urdf))
    assert len(outcome.record.extents) == 3
    if 'radius="0"' in shape:  # of which not one triangle is left
        assert bench.codes(outcome) == ["mesh_empty"]
        assert outcome.record.extents == (0.2, 0.3, 0.4)


@pytest.mark.parametrize("content", ["", "# nothing\n", "v 0 0 0\n", "nonsense\n", TRIANGLE])
def test_a_mesh_without_a_triangle_is_a_finding(make: Make, content: str) -> None:
    outcome = make("a.obj", {"a.obj": content})
    assert "mesh_empty" in bench.codes(outcome)
    assert outcome.record.extents == (0.2, 0.3, 0.4)


@pytest.mark.parametrize("kind", ["obj", "stl", "ply", "glb"])
def test_every_supported_format_gives_the_same_geometry(make: Make, kind: str) -> None:
    box = trimesh.creation.box(extents=(1.0, 2.0, 0.5))
    data = box.export(file_type=kind)
    outcome = make(f"a.{kind.upper()}", {f"a.{kind.upper()}": data})
    assert outcome.record.extents == pytest.approx((1.0, 2.0, 0.5))


def test_a_mesh_file_has_a_budget(make: Make) -> None:
    text = bench.box_text((1, 1, 1))
    files = {"a.obj": text}
    assert make("a.obj", files, budgets={"raw_bytes": len(text)}).record.is_metric
    assert rejected(make, "a.obj", files, budgets={"raw_bytes": len(text) - 1}) == "too_many_bytes"


def test_vertices_that_no_triangle_uses_do_not_count(make: Make) -> None:
    outcome = make("a.obj", {"a.obj": bench.box_text((1, 1, 1)) + "v 100 100 100\n"})
    assert outcome.record.extents == (1.0, 1.0, 1.0)


def png(color: tuple[int, ...] = (255, 0, 0), size: int = 4) -> bytes:
    """Return a picture of one color."""
    buffer = io.BytesIO()
    Image.new("RGB", (size, size), color).save(buffer, "PNG")
    return buffer.getvalue()


UV = "vt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n"


def mtl_of(outcome: Outcome) -> list[list[str]]:
    """Return the lines of the material file, split."""
    assert outcome.files is not None
    return [line.split() for line in outcome.files["meshes/object.mtl"].decode().splitlines()]


def test_a_missing_material_file_is_a_finding(make: Make) -> None:
    outcome = make("a.obj", {"a.obj": COLORED + bench.box_text((1, 1, 1))})
    assert bench.codes(outcome) == ["texture_missing"]


@pytest.mark.parametrize("picture", [None, b"no picture", png(size=64)[:70], b""])
def test_a_missing_or_broken_picture_is_a_finding_and_the_color_stays(
    make: Make, picture: bytes | None
) -> None:
    files: dict[str, Any] = {"a.obj": COLORED + TRIANGLE + UV}
    files["m.mtl"] = "newmtl m\nKd 0.25 0.5 0.75\nmap_Kd t.png\n"
    if picture is not None:
        files["t.png"] = picture
    outcome = make("a.obj", files)
    assert bench.codes(outcome) == ["texture_missing"]
    assert ["Kd", "0.25", "0.5", "0.75"] in mtl_of(outcome)
    assert not any(name.endswith(".png") for name in outcome.files or {})


def test_a_texture_beside_the_meshes_folder_is_kept(make: Make) -> None:
    files = {
        "textured_objs/a.obj": COLORED + TRIANGLE + UV,
        "textured_objs/m.mtl": "newmtl m\nKd 1 1 1\nmap_Kd ../images/t.png\n",
        "images/t.png": png((10, 20, 30)),
    }
    outcome = make("textured_objs/a.obj", files)
    assert bench.codes(outcome) == []
    assert outcome.files is not None
    pictures = [data for name, data in outcome.files.items() if name.endswith(".png")]
    assert len(pictures) == 1
    assert Image.open(io.BytesIO(pictures[0])).getpixel((0, 0)) == (10, 20, 30)
    scene = trimesh.load_scene(io.BytesIO(outcome.files["object.glb"]), file_type="glb")
    images = [m.visual.material.baseColorTexture for m in scene.geometry.values()]
    assert any(i is not None and i.getpixel((0, 0))[:3] == (10, 20, 30) for i in images)


@pytest.mark.parametrize(
    "files",
    [
        {"a.obj": "mtllib ../m.mtl\nusemtl m\n" + TRIANGLE + UV},
        {"a.obj": "mtllib /etc/hostname\nusemtl m\n" + TRIANGLE + UV},
        {"a.obj": COLORED + TRIANGLE + UV, "m.mtl": "newmtl m\nmap_Kd ../t.png\n"},
        {"a.obj": COLORED + TRIANGLE + UV, "m.mtl": "newmtl m\nmap_Kd file:///t.png\n"},
    ],
)
def test_side_files_outside_the_folder_reject_the_object(
    make: Make, tmp_path: Path, files: dict[str, str]
) -> None:
    (tmp_path / "m.mtl").write_text("newmtl m\nKd 1 0 0\n")
    (tmp_path / "t.png").write_bytes(png())
    assert rejected(make, "a.obj", files) == "mesh_outside"


@pytest.mark.parametrize("path", ["/home/me/arm/t.png", r"D:\arm\t.png", "D:/arm/t.png"])
def test_a_picture_by_its_path_on_the_authors_machine_is_the_one_beside_the_file(
    make: Make, path: str
) -> None:
    files = {"a.obj": COLORED + TRIANGLE + UV, "m.mtl": f"newmtl m\nmap_Kd {path}\n"}
    assert rejected(make, "a.obj", files) == "mesh_outside"
    outcome = make("a.obj", {**files, "t.png": png()})
    assert png() in (outcome.files or {}).values()


def test_a_picture_of_the_authors_machine_may_be_in_another_folder_of_the_object(
    make: Make,
) -> None:
    files = {
        "m/solid/a.obj": COLORED + TRIANGLE + UV,
        "m/solid/m.mtl": "newmtl m\nmap_Kd D:\\arm\\m\\shown\\t.png\n",
    }
    # The last name alone is not enough, in another folder.
    other = {**files, "m/other/t.png": png()}
    assert rejected(make, "m/solid/a.obj", other) == "mesh_outside"
    outcome = make("m/solid/a.obj", {**files, "m/shown/t.png": png((0, 0, 255))})
    assert png((0, 0, 255)) in (outcome.files or {}).values()


@pytest.mark.parametrize(
    ("line", "alpha"),
    [("", 1.0), ("d 1", 1.0), ("d 0.25", 0.25), ("Tr 0.25", 0.75), ("Tr 1", 1.0), ("d 0", 1.0),
     ("d 0.5\nTr 0.1", 0.5), ("d x", None)],
)  # fmt: skip
def test_the_transparency_of_a_material_is_kept(make: Make, line: str, alpha: float | None) -> None:
    files = {
        "a.obj": COLORED + bench.box_text((1, 1, 1)),
        "m.mtl": f"newmtl m\nKd 0.2 0.4 0.6\n{line}\n",
    }
    lines = mtl_of(make("a.obj", files))
    assert ["Kd", "0.2", "0.4", "0.6"] in lines
    if alpha is not None:
        start = lines.index(["Kd", "0.2", "0.4", "0.6"])
        assert float(lines[start + 1][1]) == alpha


def test_a_color_of_the_urdf_paints_what_has_no_color(tmp_path: Path) -> None:
    paint = '<material name="glass"><color rgba="0.1 0.2 0.3 0.4"/></material>'
    urdf = bench.robot(
        bench.mesh_link("plain", "plain.obj", paint),
        bench.mesh_link("own", "own.obj", paint),
        bench.joint_text("j", "revolute", "plain", "own"),
    )
    files = {
        "plain.obj": bench.box_text((1, 1, 1)),
        "own.obj": COLORED + bench.box_text((2, 1, 1)),
        "m.mtl": "newmtl m\nKd 1 0 0\n",
    }
    outcome = bench.normal(bench.write_object(tmp_path / "raw", urdf, files))
    robot = bench.judge(bench.unpacked(outcome, tmp_path / "out") / "object.urdf")
    colors = {
        name: link.visuals[0].material.color.rgba.tolist() for name, link in robot.link_map.items()
    }
    assert colors == {"base": [0.1, 0.2, 0.3, 0.4], "own": [1.0, 0.0, 0.0, 1.0]}
    scene = trimesh.load_scene(io.BytesIO(outcome.files["object.glb"]), file_type="glb")
    material = scene.geometry["base_0"].visual.material
    assert material.baseColorFactor.tolist() == [26, 51, 76, 102]  # 255 times the color
    assert material.alphaMode == "BLEND"


def test_one_link_has_one_mesh_per_look(tmp_path: Path) -> None:
    def box(color: str, x: int) -> str:
        look = f'<material name="m"><color rgba="{color}"/></material>'
        shape = '<geometry><box size="1 1 1"/></geometry>'
        return f'<visual><origin xyz="{x} 0 0"/>{shape}{look}</visual>'

    red, blue = "1 0 0 1", "0 0 1 1"
    link = f'<link name="a">{box(red, 0)}{box(blue, 2)}{box(red, 4)}</link>'
    outcome = bench.normal(bench.write_object(tmp_path / "raw", bench.robot(link)))
    folder = bench.unpacked(outcome, tmp_path / "out") / "meshes"
    meshes = [trimesh.load_mesh(folder / f"base_{n}.obj") for n in range(2)]
    assert [mesh.volume for mesh in meshes] == pytest.approx([2.0, 1.0])
    assert not (folder / "base_2.obj").exists()
