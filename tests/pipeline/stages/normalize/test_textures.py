# SPDX-License-Identifier: Apache-2.0
"""Looks: pictures keep their bytes and their place, colors their transparency, gaps are said."""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image

from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from pipeline.shapes.glb import read_links
from pipeline.shapes.materials import read_mtl
from tests.kit import bench

Make = Callable[..., Outcome]
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
TEXTURED = f"mtllib m.mtl\nusemtl m\n{SQUARE}f 1/1 2/2 3/3 4/4\n"
MTL = "newmtl m\nKd 1 1 1\nmap_Kd {}\n"
QUARTERS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)]  # by rows, from the top left


def picture(kind: str, mode: str = "RGB", size: int = 16) -> bytes:
    """Return a picture of four colored quarters."""
    image = Image.new("RGB", (size, size))
    half = size // 2
    for number, color in enumerate(QUARTERS):
        image.paste(color, (number % 2 * half, number // 2 * half, size, size))
    buffer = io.BytesIO()
    image.convert(mode).save(buffer, kind)
    return buffer.getvalue()


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize an object of one textured mesh and a box."""

    def run(
        files: Mapping[str, str | bytes], *, mesh: str = "a.obj", inner: str = "", **options: Any
    ) -> Outcome:
        urdf = bench.robot(
            bench.box_link("box", "0.1 0.1 0.1"),
            bench.mesh_link("part", mesh, inner),
            bench.joint_text("j", "revolute", "box", "part"),
        )
        return bench.normal(bench.write_object(tmp_path / "raw", urdf, files), **options)

    return run


def pictures_of(outcome: Outcome) -> dict[str, bytes]:
    """Return the picture files of an object."""
    files = outcome.files or {}
    return {name: data for name, data in files.items() if "texture_" in name}


def part_of(outcome: Outcome) -> trimesh.Trimesh:
    """Return the textured mesh as trimesh reads it from the GLB."""
    return read_links((outcome.files or {})["object.glb"], ("base", "part"))["part"][0]


def glb_json(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the document and the binary chunk of a GLB."""
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length]), data[28 + length :]


@pytest.mark.parametrize(
    ("kind", "mode", "suffix"),
    [("JPEG", "RGB", ".jpg"), ("JPEG", "L", ".jpg"), ("PNG", "RGB", ".png"),
     ("PNG", "RGBA", ".png"), ("PNG", "P", ".png"), ("PNG", "L", ".png")],
)  # fmt: skip
def test_jpeg_and_png_keep_every_byte(make: Make, kind: str, mode: str, suffix: str) -> None:
    data = picture(kind, mode)
    outcome = make({"a.obj": TEXTURED, "m.mtl": MTL.format("t.any"), "t.any": data})
    ((name, kept),) = pictures_of(outcome).items()
    assert name.endswith(suffix)
    assert kept == data
    lines = (outcome.files or {})["meshes/object.mtl"].decode().splitlines()
    assert f"map_Kd {Path(name).name}" in lines
    tree, binary = glb_json((outcome.files or {})["object.glb"])
    view = tree["bufferViews"][tree["images"][0]["bufferView"]]
    assert binary[view["byteOffset"] :][: view["byteLength"]] == data
    assert tree["images"][0]["mimeType"] == {"JPEG": "image/jpeg", "PNG": "image/png"}[kind]


def odd_png(bits: int) -> bytes:
    """Return a black square with a bright right half as a PNG of 1, 4 or 16 bits."""
    grid = np.zeros((8, 8), np.uint16 if bits == 16 else np.uint8)
    grid[:, 4:] = 51400 if bits == 16 else 1
    image = Image.fromarray(grid)
    if bits < 8:
        image = image.convert("P")
        image.putpalette([0, 0, 0, 200, 200, 200] + [0, 0, 0] * (2**bits - 2))
    buffer = io.BytesIO()
    image.save(buffer, "PNG", **({"bits": bits} if bits < 8 else {}))
    return buffer.getvalue()


@pytest.mark.parametrize("bits", [1, 4, 16])
def test_a_png_of_other_than_eight_bits_is_written_anew(make: Make, bits: int) -> None:
    """Bullet warns of such files and shows no texture."""
    data = odd_png(bits)
    assert data[24] == bits
    outcome = make({"a.obj": TEXTURED, "m.mtl": MTL.format("t.png"), "t.png": data})
    ((_, kept),) = pictures_of(outcome).items()
    assert kept[24] == 8
    pixels = np.asarray(Image.open(io.BytesIO(kept)).convert("RGB"))
    assert (pixels[:, :4] == 0).all() and (pixels[:, 4:] == 200).all()


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "TGA", "GIF", "WEBP"])
def test_other_pictures_become_png(make: Make, kind: str) -> None:
    outcome = make({"a.obj": TEXTURED, "m.mtl": MTL.format("t.x"), "t.x": picture(kind)})
    ((name, kept),) = pictures_of(outcome).items()
    assert name.endswith(".png")
    found = np.asarray(Image.open(io.BytesIO(kept)).convert("RGB"))
    expected = np.asarray(Image.open(io.BytesIO(picture(kind))).convert("RGB"))
    assert np.array_equal(found, expected)


def test_a_picture_lies_the_right_way_up_in_obj_and_glb(make: Make, tmp_path: Path) -> None:
    outcome = make({"a.obj": TEXTURED, "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")})
    folder = bench.unpacked(outcome, tmp_path / "out")
    written = trimesh.load_mesh(folder / "meshes/part_0.obj", process=False)
    tree, binary = glb_json((outcome.files or {})["object.glb"])
    accessor = tree["accessors"][tree["meshes"][1]["primitives"][0]["attributes"]["TEXCOORD_0"]]
    view = tree["bufferViews"][accessor["bufferView"]]
    raw = np.frombuffer(binary, "<f4", 2 * accessor["count"], view["byteOffset"]).reshape(-1, 2)
    for mesh in (written, part_of(outcome)):
        uv = np.asarray(mesh.visual.uv)
        places = np.asarray(mesh.vertices)[:, :2]
        assert np.allclose(uv, places - places.min(axis=0))
    # The glTF file itself counts v from the top.
    assert np.allclose(raw[:, 1], 1 - np.asarray(part_of(outcome).visual.uv)[:, 1])
    image = part_of(outcome).visual.material.baseColorTexture.convert("RGB")
    assert image.getpixel((1, 1)) == QUARTERS[0]
    assert image.getpixel((14, 14)) == QUARTERS[3]


def test_coordinates_outside_the_picture_are_kept(make: Make) -> None:
    text = TEXTURED.replace("vt 1 1\n", "vt 7.5 -3.25\n")
    outcome = make({"a.obj": text, "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")})
    assert b"vt 7.500000 -3.250000\n" in (outcome.files or {})["meshes/part_0.obj"]
    assert [7.5, -3.25] in np.asarray(part_of(outcome).visual.uv).tolist()


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("map_Kd t.png", "t.png"),
        ("map_Kd -clamp on t.png", "t.png"),
        ("map_Kd -s 1 1 1 -o 0 0 0 -mm 0 1 t.png", "t.png"),
        ("map_Kd -s 1 t.png", "t.png"),
        ("map_Kd -bm 0.5 -imfchan l -texres 64 t.png", "t.png"),
        ("map_Kd my nice  picture 1.png", "my nice  picture 1.png"),
        ("map_Kd -s 1 1 1 my picture.png", "my picture.png"),
        ("map_Kd images\\t.png", "images/t.png"),
        ('map_Kd "t.png"', "t.png"),
        ("MAP_KD\tt.png  ", "t.png"),
        ("map_Kd -1.png", "-1.png"),
        ("map_Kd ./images/../t.png", "t.png"),
    ],
)
def test_the_name_of_a_picture_is_found_behind_options(make: Make, line: str, file: str) -> None:
    files = {"a.obj": TEXTURED, "m.mtl": f"newmtl m\nKd 1 1 1\n{line}\n", file: picture("PNG")}
    outcome = make(files)
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("PNG")]


def test_scale_and_offset_of_a_map_move_its_coordinates(make: Make) -> None:
    mtl = "newmtl m\nmap_Kd -s 2 3 -o 0.5 -0.25 t.png\n"
    outcome = make({"a.obj": TEXTURED, "m.mtl": mtl, "t.png": picture("PNG")})
    found = sorted(np.asarray(part_of(outcome).visual.uv).round(6).tolist())
    assert found == sorted([u * 2 + 0.5, v * 3 - 0.25] for u in (0, 1) for v in (0, 1))


def test_a_picture_beside_the_meshes_folder_of_partnet_is_kept(make: Make) -> None:
    files = {
        "textured_objs/original-1.obj": TEXTURED,
        "textured_objs/m.mtl": MTL.format("../images/texture_0.jpg"),
        "images/texture_0.jpg": picture("JPEG"),
    }
    outcome = make(files, mesh="textured_objs/original-1.obj")
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("JPEG")]


def test_several_materials_of_one_file_stay_apart(make: Make) -> None:
    text = (
        f"mtllib m.mtl\n{SQUARE}usemtl red\nf 1/1 2/2 3/3\nusemtl one\nf 1/1 3/3 4/4\n"
        "usemtl two\nf 1/4 2/3 3/2\nusemtl red\nf 4/1 3/2 2/3\n"
    )
    mtl = (
        "newmtl red\nKd 1 0 0\nd 0.4\nnewmtl one\nmap_Kd 1.jpg\nnewmtl two\nKd 0 0 0\n"
        "map_Kd 2.png\n"
    )
    files = {"a.obj": text, "m.mtl": mtl, "1.jpg": picture("JPEG"), "2.png": picture("PNG")}
    outcome = make(files)
    parts = read_links((outcome.files or {})["object.glb"], ("base", "part"))["part"]
    assert sorted(len(part.faces) for part in parts) == [1, 1, 2]
    by_faces = {len(part.faces): part.visual.material for part in parts}
    assert by_faces[2].baseColorFactor.tolist() == [255, 0, 0, 102]
    assert by_faces[2].alphaMode == "BLEND"
    kinds = sorted(
        part.visual.material.baseColorTexture.format for part in parts if len(part.faces) == 1
    )
    assert kinds == ["JPEG", "PNG"]
    # A black color beside a picture is an exporter's habit, not a black picture.
    assert b"Kd 0 0 0" not in (outcome.files or {})["meshes/object.mtl"]


def test_the_color_of_a_material_multiplies_its_picture(make: Make) -> None:
    mtl = "newmtl m\nKd 0.5 1 0.25\nd 0.75\nmap_Kd t.png\n"
    outcome = make({"a.obj": TEXTURED, "m.mtl": mtl, "t.png": picture("PNG")})
    tree, _ = glb_json((outcome.files or {})["object.glb"])
    factors = [m["pbrMetallicRoughness"]["baseColorFactor"] for m in tree["materials"]]
    assert factors[1] == [0.5, 1.0, 0.25, 0.75]
    assert b"Kd 0.5 1 0.25\nd 0.75\nmap_Kd" in (outcome.files or {})["meshes/object.mtl"]


def test_a_mask_becomes_the_alpha_of_its_picture(make: Make) -> None:
    mask = io.BytesIO()
    Image.linear_gradient("L").resize((8, 8)).save(mask, "PNG")
    mtl = "newmtl m\nmap_Kd t.jpg\nmap_d mask.png\n"
    files = {"a.obj": TEXTURED, "m.mtl": mtl, "t.jpg": picture("JPEG")}
    outcome = make({**files, "mask.png": mask.getvalue()})
    ((_, kept),) = pictures_of(outcome).items()
    image = Image.open(io.BytesIO(kept))
    assert image.mode == "RGBA"
    expected = Image.open(io.BytesIO(mask.getvalue())).resize((16, 16))
    assert np.array_equal(np.asarray(image.getchannel("A")), np.asarray(expected))
    color = Image.open(io.BytesIO(picture("JPEG"))).convert("RGB")
    assert np.array_equal(np.asarray(image.convert("RGB")), np.asarray(color))
    assert part_of(outcome).visual.material.alphaMode == "BLEND"


def test_a_mask_that_is_the_picture_itself_changes_nothing(make: Make) -> None:
    data = io.BytesIO()
    Image.new("RGBA", (4, 4), (9, 8, 7, 100)).save(data, "PNG")
    mtl = "newmtl m\nmap_Kd t.png\nmap_d t.png\n"
    outcome = make({"a.obj": TEXTURED, "m.mtl": mtl, "t.png": data.getvalue()})
    assert list(pictures_of(outcome).values()) == [data.getvalue()]
    assert part_of(outcome).visual.material.alphaMode == "BLEND"


@pytest.mark.parametrize("mask", [None, b"broken"])
def test_a_missing_mask_is_a_finding(make: Make, mask: bytes | None) -> None:
    mtl = "newmtl m\nmap_Kd t.png\nmap_d mask.png\n"
    files: dict[str, Any] = {"a.obj": TEXTURED, "m.mtl": mtl, "t.png": picture("PNG")}
    outcome = make(files | ({} if mask is None else {"mask.png": mask}))
    assert bench.codes(outcome) == ["texture_missing"]
    assert list(pictures_of(outcome).values()) == [picture("PNG")]


def test_an_opaque_alpha_channel_stays_opaque(make: Make) -> None:
    outcome = make({"a.obj": TEXTURED, "m.mtl": MTL.format("t.png"),
                    "t.png": picture("PNG", "RGBA")})  # fmt: skip
    assert part_of(outcome).visual.material.alphaMode == "OPAQUE"


def bomb(width: int, height: int) -> bytes:
    """Return a PNG whose header claims a size; its body is a few bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(4000, 4000), (60_000, 60_000), (2**31 - 1, 2**31 - 1)])
def test_a_bomb_is_refused_before_it_is_decoded(
    make: Make, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    def decode(_: object) -> None:
        raise AssertionError("the bomb was decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decode)
    with pytest.raises(Rejection) as caught:
        make({"a.obj": TEXTURED, "m.mtl": MTL.format("t.png"), "t.png": bomb(*size)})
    assert caught.value.reason == "too_many_pixels"
    assert "t.png" in str(caught.value)


def test_the_pictures_of_an_object_share_one_budget(make: Make) -> None:
    text = f"mtllib m.mtl\n{SQUARE}usemtl a\nf 1/1 2/2 3/3\nusemtl b\nf 1/1 3/3 4/4\n"
    mtl = "newmtl a\nmap_Kd a.png\nnewmtl b\nmap_Kd b.png\n"
    files = {"a.obj": text, "m.mtl": mtl, "a.png": picture("PNG"), "b.png": picture("PNG", "L")}
    assert make(files, budgets={"pixels": 512}).record.is_metric
    with pytest.raises(Rejection, match="pixels"):
        make(files, budgets={"pixels": 511})
    # The same picture again costs nothing.
    assert make({**files, "b.png": picture("PNG")}, budgets={"pixels": 256})


@pytest.mark.parametrize("data", [b"", b"no picture", picture("JPEG")[:200], picture("PNG")[:60]])
def test_a_picture_that_cannot_be_decoded_is_a_finding(make: Make, data: bytes) -> None:
    mtl = "newmtl m\nKd 0.25 0.5 0.75\nd 0.5\nmap_Kd t.png\n"
    outcome = make({"a.obj": TEXTURED, "m.mtl": mtl, "t.png": data})
    assert bench.codes(outcome) == ["texture_missing"]
    assert not pictures_of(outcome)
    assert b"Kd 0.25 0.5 0.75\nd 0.5\n" in (outcome.files or {})["meshes/object.mtl"]


def test_a_picture_without_coordinates_is_a_finding_and_a_color(make: Make) -> None:
    text = "mtllib m.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n"
    outcome = make({"a.obj": text, "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")})
    assert bench.codes(outcome) == ["texture_unplaced"]
    assert not pictures_of(outcome)


@pytest.mark.parametrize("number", ["nan", "inf", "1e300", "-1e38"])
def test_coordinates_that_lie_nowhere_are_a_finding(make: Make, number: str) -> None:
    text = TEXTURED.replace("vt 1 1\n", f"vt {number} 1\n")
    outcome = make({"a.obj": text, "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")})
    assert bench.codes(outcome) == ["texture_unplaced"]


def test_sixteen_bits_of_gray_keep_their_brightness(make: Make) -> None:
    """As a picture that becomes a PNG, and as a mask; 25,700 of 65,535 is 100 of 255."""
    gray = Image.fromarray(np.full((4, 4), 25_700, dtype=np.uint16))
    files = {}
    for name in ("TIFF", "PNG"):
        gray.save(buffer := io.BytesIO(), name)
        files[f"t.{name}"] = buffer.getvalue()
    mtl = "newmtl m\nKd 1 1 1\nmap_Kd t.TIFF\nmap_d t.PNG\n"
    outcome = make({"a.obj": TEXTURED, "m.mtl": mtl, **files})
    assert bench.codes(outcome) == []
    (data,) = pictures_of(outcome).values()
    assert Image.open(io.BytesIO(data)).getpixel((1, 1)) == (100, 100, 100, 100)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_names_with_accents_are_found(make: Make, encoding: str) -> None:
    text = TEXTURED.replace("usemtl m", "usemtl möbel")
    mtl = "newmtl möbel\nmap_Kd tür 1.png\n"
    files = {"a.obj": text.encode(encoding), "m.mtl": mtl.encode(encoding)}
    outcome = make({**files, "tür 1.png": picture("PNG")})
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("PNG")]


def test_a_material_library_may_have_blanks_in_its_name_or_be_several(make: Make) -> None:
    files = {"my file.mtl": MTL.format("t.png"), "t.png": picture("PNG")}
    assert pictures_of(make({"a.obj": TEXTURED.replace("m.mtl", "my file.mtl"), **files}))
    both = {"n.mtl": "newmtl n\nKd 1 0 0\n", "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")}
    assert pictures_of(make({"a.obj": TEXTURED.replace("m.mtl", "n.mtl m.mtl"), **both}))


def test_a_texture_of_the_urdf_paints_a_mesh_that_has_coordinates(make: Make) -> None:
    texture = '<material name="t"><color rgba="1 1 1 0.4"/><texture filename="i/t.jpg"/></material>'
    plain = f"{SQUARE}f 1/1 2/2 3/3 4/4\n"
    files = {"a.obj": plain, "i/t.jpg": picture("JPEG")}
    outcome = make(files, inner=texture)
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("JPEG")]
    assert part_of(outcome).visual.material.baseColorFactor.tolist() == [255, 255, 255, 102]
    bare = make({**files, "a.obj": plain.replace("/", " ").replace("f 1 1 2 2 3 3 4 4", "f 1 2 3")},
                inner=texture)  # fmt: skip
    assert bench.codes(bare) == ["texture_unplaced"]


def test_a_missing_texture_of_the_urdf_is_a_finding(make: Make) -> None:
    texture = '<material name="t"><texture filename="absent.jpg"/></material>'
    outcome = make({"a.obj": f"{SQUARE}f 1/1 2/2 3/3\n"}, inner=texture)
    assert bench.codes(outcome) == ["texture_missing"]


@pytest.mark.parametrize("kind", ["ply", "glb", "obj"])
def test_colors_of_vertices_become_their_mean(make: Make, kind: str) -> None:
    box = trimesh.creation.box((1, 1, 1))
    colors = np.tile([[255, 0, 0, 255], [0, 0, 255, 255]], (4, 1)).astype(np.uint8)
    box.visual.vertex_colors = colors
    data = box.export(file_type=kind)
    outcome = make({f"a.{kind}": data}, mesh=f"a.{kind}")
    assert bench.codes(outcome) == ["colors_averaged"]
    # The mean over the corners of all faces.
    expected = colors[np.asarray(box.faces)].reshape(-1, 4).mean(axis=0) / 255
    tree, _ = glb_json((outcome.files or {})["object.glb"])
    factor = tree["materials"][1]["pbrMetallicRoughness"]["baseColorFactor"]
    assert factor == pytest.approx(expected.tolist(), abs=0.01)


def textured_glb(data: bytes, **material: Any) -> bytes:
    """Return a GLB by trimesh whose picture is exchanged for the given bytes."""
    square = trimesh.Trimesh([(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1, 2)], process=False)
    square.visual = trimesh.visual.TextureVisuals(
        uv=np.array([(0, 0), (1, 0), (1, 1)]),
        material=trimesh.visual.material.PBRMaterial(
            baseColorTexture=Image.open(io.BytesIO(picture("PNG"))), **material
        ),
    )
    tree, binary = glb_json(square.export(file_type="glb"))
    view = tree["bufferViews"][tree["images"][0]["bufferView"]]
    view["byteOffset"], view["byteLength"] = len(binary), len(data)
    binary += data + b"\0" * (-len(data) % 4)
    tree["buffers"][0]["byteLength"] = len(binary)
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    body += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def test_a_picture_inside_a_glb_keeps_its_bytes(make: Make) -> None:
    outcome = make({"a.glb": textured_glb(picture("JPEG"))}, mesh="a.glb")
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("JPEG")]
    uv = np.asarray(part_of(outcome).visual.uv)
    assert sorted(uv.tolist()) == [[0, 0], [1, 0], [1, 1]]


def test_a_broken_picture_or_a_bomb_inside_a_glb_is_said(make: Make) -> None:
    assert bench.codes(make({"a.glb": textured_glb(b"broken")}, mesh="a.glb")) == [
        "texture_missing"
    ]
    with pytest.raises(Rejection, match="pixels"):
        make({"a.glb": textured_glb(bomb(60_000, 60_000))}, mesh="a.glb")


def textured_dae(name: str) -> bytes:
    """Return a COLLADA square that names a picture."""
    square = trimesh.Trimesh([(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1, 2)], process=False)
    square.visual = trimesh.visual.TextureVisuals(uv=np.array([(0, 0), (1, 0), (1, 1)]))
    data = square.export(file_type="dae").decode()
    start, end = data.index("<diffuse>"), data.index("</diffuse>")
    data = data[:start] + '<diffuse><texture texture="s" texcoord="UV"/>' + data[end:]
    image = f'<library_images><image id="i"><init_from>{name}</init_from></image></library_images>'
    surface = (
        '<newparam sid="f"><surface type="2D"><init_from>i</init_from></surface></newparam>'
        '<newparam sid="s"><sampler2D><source>f</source></sampler2D></newparam>'
    )
    data = data.replace("<profile_COMMON>", f"<profile_COMMON>{surface}", 1)
    return data.replace("<library_effects>", f"{image}<library_effects>", 1).encode()


def test_a_picture_that_a_collada_file_names_keeps_its_bytes(make: Make) -> None:
    files = {"m/a.dae": textured_dae("../t.jpg"), "t.jpg": picture("JPEG")}
    outcome = make(files, mesh="m/a.dae")
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("JPEG")]
    absent = make({"a.dae": textured_dae("absent.jpg")}, mesh="a.dae")
    assert bench.codes(absent) == ["texture_missing"]


@pytest.mark.parametrize(("name", "reason"), [("../../t.png", "mesh_outside"),
                                              ("t.png", "too_many_pixels")])  # fmt: skip
def test_a_collada_file_names_nothing_dangerous(make: Make, name: str, reason: str) -> None:
    with pytest.raises(Rejection) as caught:
        make({"a.dae": textured_dae(name), "t.png": bomb(60_000, 60_000)}, mesh="a.dae")
    assert caught.value.reason == reason


@pytest.mark.parametrize(("mode", "expected"), [("OPAQUE", "OPAQUE"), ("BLEND", "BLEND")])
def test_a_glb_shows_through_only_where_it_says_so(make: Make, mode: str, expected: str) -> None:
    data = io.BytesIO()
    Image.new("RGBA", (4, 4), (9, 8, 7, 100)).save(data, "PNG")
    outcome = make({"a.glb": textured_glb(data.getvalue(), alphaMode=mode)}, mesh="a.glb")
    material = part_of(outcome).visual.material
    assert material.alphaMode == expected
    assert material.baseColorTexture.convert("RGB").getpixel((0, 0)) == (9, 8, 7)


def test_lines_of_a_material_file_that_make_no_sense_are_left_out() -> None:
    text = b"Kd 1 1 1\nnewmtl a\nKd red\nKd 1 2\nd\nd x\nTr nan\nmap_Kd\nmap_Kd -s 1 1 1\nnewmtl\n"
    materials = read_mtl(text)
    assert set(materials) == {"a", ""}
    assert materials["a"].color() is None
    assert materials["a"].picture is None
