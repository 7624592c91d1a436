# SPDX-License-Identifier: Apache-2.0
"""Looks: pictures keep their bytes and their place, colors their transparency."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

from pipeline.shapes.glb import read_links
from tests.kit import bench
from tests.pipeline.stages.normalize.pictures import (
    MTL,
    QUARTERS,
    SQUARE,
    TEXTURED,
    Make,
    glb_json,
    part_of,
    picture,
    pictures_of,
    textured_glb,
)


@pytest.mark.parametrize(
    ("kind", "mode", "suffix"),
    [("JPEG", "RGB", ".jpg"), ("JPEG", "L", ".jpg"), ("PNG", "RGB", ".png"),
     ("PNG", "RGBA", ".png"), ("PNG", "P", ".png"), ("PNG", "L", ".png")],
)  # fmt: skip
def test_jpeg_and_png_keep_every_byte(textured: Make, kind: str, mode: str, suffix: str) -> None:
    data = picture(kind, mode)
    outcome = textured({"a.obj": TEXTURED, "m.mtl": MTL.format("t.any"), "t.any": data})
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
def test_a_png_of_other_than_eight_bits_is_rewritten(textured: Make, bits: int) -> None:
    """Bullet warns of such files and shows no texture."""
    data = odd_png(bits)
    assert data[24] == bits
    outcome = textured({"a.obj": TEXTURED, "m.mtl": MTL.format("t.png"), "t.png": data})
    ((_, kept),) = pictures_of(outcome).items()
    assert kept[24] == 8
    pixels = np.asarray(Image.open(io.BytesIO(kept)).convert("RGB"))
    assert (pixels[:, :4] == 0).all() and (pixels[:, 4:] == 200).all()


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "TGA", "GIF", "WEBP"])
def test_other_pictures_become_png(textured: Make, kind: str) -> None:
    outcome = textured({"a.obj": TEXTURED, "m.mtl": MTL.format("t.x"), "t.x": picture(kind)})
    ((name, kept),) = pictures_of(outcome).items()
    assert name.endswith(".png")
    found = np.asarray(Image.open(io.BytesIO(kept)).convert("RGB"))
    expected = np.asarray(Image.open(io.BytesIO(picture(kind))).convert("RGB"))
    assert np.array_equal(found, expected)


def test_a_picture_lies_the_right_way_up_in_obj_and_glb(textured: Make, tmp_path: Path) -> None:
    outcome = textured({"a.obj": TEXTURED, "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")})
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


def test_coordinates_outside_the_picture_are_kept(textured: Make) -> None:
    text = TEXTURED.replace("vt 1 1\n", "vt 7.5 -3.25\n")
    outcome = textured({"a.obj": text, "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")})
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
def test_the_name_of_a_picture_is_found_behind_options(
    textured: Make, line: str, file: str
) -> None:
    files = {"a.obj": TEXTURED, "m.mtl": f"newmtl m\nKd 1 1 1\n{line}\n", file: picture("PNG")}
    outcome = textured(files)
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("PNG")]


def test_scale_and_offset_of_a_map_move_its_coordinates(textured: Make) -> None:
    mtl = "newmtl m\nmap_Kd -s 2 3 -o 0.5 -0.25 t.png\n"
    outcome = textured({"a.obj": TEXTURED, "m.mtl": mtl, "t.png": picture("PNG")})
    found = sorted(np.asarray(part_of(outcome).visual.uv).round(6).tolist())
    assert found == sorted([u * 2 + 0.5, v * 3 - 0.25] for u in (0, 1) for v in (0, 1))


def test_a_picture_beside_the_meshes_folder_of_partnet_is_kept(textured: Make) -> None:
    files = {
        "textured_objs/original-1.obj": TEXTURED,
        "textured_objs/m.mtl": MTL.format("../images/texture_0.jpg"),
        "images/texture_0.jpg": picture("JPEG"),
    }
    outcome = textured(files, mesh="textured_objs/original-1.obj")
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("JPEG")]


def test_several_materials_of_one_file_stay_apart(textured: Make) -> None:
    text = (
        f"mtllib m.mtl\n{SQUARE}usemtl red\nf 1/1 2/2 3/3\nusemtl one\nf 1/1 3/3 4/4\n"
        "usemtl two\nf 1/4 2/3 3/2\nusemtl red\nf 4/1 3/2 2/3\n"
    )
    mtl = (
        "newmtl red\nKd 1 0 0\nd 0.4\nnewmtl one\nmap_Kd 1.jpg\nnewmtl two\nKd 0 0 0\n"
        "map_Kd 2.png\n"
    )
    files = {"a.obj": text, "m.mtl": mtl, "1.jpg": picture("JPEG"), "2.png": picture("PNG")}
    outcome = textured(files)
    parts = read_links((outcome.files or {})["object.glb"], ("base", "part"))["part"]
    assert [len(part.faces) for part in parts] == [2, 2, 2]  # two were single triangles
    materials = [part.visual.material for part in parts]
    (plain,) = [one for one in materials if one.baseColorTexture is None]
    assert plain.baseColorFactor.tolist() == [255, 0, 0, 102]
    assert plain.alphaMode == "BLEND"
    kinds = sorted(one.baseColorTexture.format for one in materials if one is not plain)
    assert kinds == ["JPEG", "PNG"]
    # A black color beside a picture is an exporter's habit, not a black picture.
    assert b"Kd 0 0 0" not in (outcome.files or {})["meshes/object.mtl"]


def test_the_color_of_a_material_multiplies_its_picture(textured: Make) -> None:
    mtl = "newmtl m\nKd 0.5 1 0.25\nd 0.75\nmap_Kd t.png\n"
    outcome = textured({"a.obj": TEXTURED, "m.mtl": mtl, "t.png": picture("PNG")})
    tree, _ = glb_json((outcome.files or {})["object.glb"])
    factors = [m["pbrMetallicRoughness"]["baseColorFactor"] for m in tree["materials"]]
    assert factors[1] == [0.5, 1.0, 0.25, 0.75]
    assert b"Kd 0.5 1 0.25\nd 0.75\nmap_Kd" in (outcome.files or {})["meshes/object.mtl"]


def test_a_mask_becomes_the_alpha_of_its_picture(textured: Make) -> None:
    mask = io.BytesIO()
    Image.linear_gradient("L").resize((8, 8)).save(mask, "PNG")
    mtl = "newmtl m\nmap_Kd t.jpg\nmap_d mask.png\n"
    files = {"a.obj": TEXTURED, "m.mtl": mtl, "t.jpg": picture("JPEG")}
    outcome = textured({**files, "mask.png": mask.getvalue()})
    ((_, kept),) = pictures_of(outcome).items()
    image = Image.open(io.BytesIO(kept))
    assert image.mode == "RGBA"
    expected = Image.open(io.BytesIO(mask.getvalue())).resize((16, 16))
    assert np.array_equal(np.asarray(image.getchannel("A")), np.asarray(expected))
    color = Image.open(io.BytesIO(picture("JPEG"))).convert("RGB")
    assert np.array_equal(np.asarray(image.convert("RGB")), np.asarray(color))
    assert part_of(outcome).visual.material.alphaMode == "BLEND"


def test_a_mask_that_is_the_picture_itself_changes_nothing(textured: Make) -> None:
    data = io.BytesIO()
    Image.new("RGBA", (4, 4), (9, 8, 7, 100)).save(data, "PNG")
    mtl = "newmtl m\nmap_Kd t.png\nmap_d t.png\n"
    outcome = textured({"a.obj": TEXTURED, "m.mtl": mtl, "t.png": data.getvalue()})
    assert list(pictures_of(outcome).values()) == [data.getvalue()]
    assert part_of(outcome).visual.material.alphaMode == "BLEND"


def test_an_opaque_alpha_channel_stays_opaque(textured: Make) -> None:
    outcome = textured({"a.obj": TEXTURED, "m.mtl": MTL.format("t.png"),
                    "t.png": picture("PNG", "RGBA")})  # fmt: skip
    assert part_of(outcome).visual.material.alphaMode == "OPAQUE"


def test_sixteen_bits_of_gray_keep_their_brightness(textured: Make) -> None:
    """As a picture that becomes a PNG, and as a mask; 25,700 of 65,535 is 100 of 255."""
    gray = Image.fromarray(np.full((4, 4), 25_700, dtype=np.uint16))
    files = {}
    for name in ("TIFF", "PNG"):
        gray.save(buffer := io.BytesIO(), name)
        files[f"t.{name}"] = buffer.getvalue()
    mtl = "newmtl m\nKd 1 1 1\nmap_Kd t.TIFF\nmap_d t.PNG\n"
    outcome = textured({"a.obj": TEXTURED, "m.mtl": mtl, **files})
    assert bench.codes(outcome) == []
    (data,) = pictures_of(outcome).values()
    assert Image.open(io.BytesIO(data)).getpixel((1, 1)) == (100, 100, 100, 100)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_names_with_accents_are_found(textured: Make, encoding: str) -> None:
    text = TEXTURED.replace("usemtl m", "usemtl möbel")
    mtl = "newmtl möbel\nmap_Kd tür 1.png\n"
    files = {"a.obj": text.encode(encoding), "m.mtl": mtl.encode(encoding)}
    outcome = textured({**files, "tür 1.png": picture("PNG")})
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("PNG")]


def test_a_material_library_may_have_blanks_in_its_name_or_be_several(textured: Make) -> None:
    files = {"my file.mtl": MTL.format("t.png"), "t.png": picture("PNG")}
    assert pictures_of(textured({"a.obj": TEXTURED.replace("m.mtl", "my file.mtl"), **files}))
    both = {"n.mtl": "newmtl n\nKd 1 0 0\n", "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")}
    assert pictures_of(textured({"a.obj": TEXTURED.replace("m.mtl", "n.mtl m.mtl"), **both}))


def test_a_texture_of_the_urdf_paints_a_mesh_that_has_coordinates(textured: Make) -> None:
    texture = '<material name="t"><color rgba="1 1 1 0.4"/><texture filename="i/t.jpg"/></material>'
    plain = f"{SQUARE}f 1/1 2/2 3/3 4/4\n"
    files = {"a.obj": plain, "i/t.jpg": picture("JPEG")}
    outcome = textured(files, inner=texture)
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("JPEG")]
    assert part_of(outcome).visual.material.baseColorFactor.tolist() == [255, 255, 255, 102]
    without = plain.replace("/", " ").replace("f 1 1 2 2 3 3 4 4", "f 1 2 3")
    bare = textured({**files, "a.obj": without}, inner=texture)
    assert bench.codes(bare) == ["texture_unplaced"]


@pytest.mark.parametrize("kind", ["ply", "glb", "obj"])
def test_colors_of_vertices_become_their_mean(textured: Make, kind: str) -> None:
    box = trimesh.creation.box((1, 1, 1))
    colors = np.tile([[255, 0, 0, 255], [0, 0, 255, 255]], (4, 1)).astype(np.uint8)
    box.visual.vertex_colors = colors
    data = box.export(file_type=kind)
    outcome = textured({f"a.{kind}": data}, mesh=f"a.{kind}")
    assert bench.codes(outcome) == ["colors_averaged"]
    # The mean over the corners of all faces.
    expected = colors[np.asarray(box.faces)].reshape(-1, 4).mean(axis=0) / 255
    tree, _ = glb_json((outcome.files or {})["object.glb"])
    factor = tree["materials"][1]["pbrMetallicRoughness"]["baseColorFactor"]
    assert factor == pytest.approx(expected.tolist(), abs=0.01)


@pytest.mark.parametrize(("mode", "expected"), [("OPAQUE", "OPAQUE"), ("BLEND", "BLEND")])
def test_a_glb_is_transparent_only_where_declared(textured: Make, mode: str, expected: str) -> None:
    data = io.BytesIO()
    Image.new("RGBA", (4, 4), (9, 8, 7, 100)).save(data, "PNG")
    outcome = textured({"a.glb": textured_glb(data.getvalue(), alphaMode=mode)}, mesh="a.glb")
    material = part_of(outcome).visual.material
    assert material.alphaMode == expected
    assert material.baseColorTexture.convert("RGB").getpixel((0, 0)) == (9, 8, 7)
