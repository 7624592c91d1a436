# SPDX-License-Identifier: Apache-2.0
"""Missing, broken or oversized pictures: a finding or a rejection, decoded within the budget."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import pytest
import trimesh

from aa_dataset.untrusted.mtl import read_mtl
from pipeline.base.errors import Rejection
from tests.kit import bench
from tests.pipeline.stages.normalize.pictures import (
    MTL,
    SQUARE,
    TEXTURED,
    Make,
    part_of,
    picture,
    pictures_of,
    textured_glb,
)


@pytest.mark.parametrize("mask", [None, b"broken"])
def test_a_missing_mask_is_a_finding(textured: Make, mask: bytes | None) -> None:
    mtl = "newmtl m\nmap_Kd t.png\nmap_d mask.png\n"
    files: dict[str, Any] = {"a.obj": TEXTURED, "m.mtl": mtl, "t.png": picture("PNG")}
    outcome = textured(files | ({} if mask is None else {"mask.png": mask}))
    assert bench.codes(outcome) == ["texture_missing"]
    assert list(pictures_of(outcome).values()) == [picture("PNG")]


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
    textured: Make, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    def decode(_: object) -> None:
        raise AssertionError("the bomb was decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decode)
    with pytest.raises(Rejection) as caught:
        textured({"a.obj": TEXTURED, "m.mtl": MTL.format("t.png"), "t.png": bomb(*size)})
    assert caught.value.reason == "too_many_pixels"
    assert "t.png" in str(caught.value)


def test_the_pictures_of_an_object_share_one_budget(textured: Make) -> None:
    text = f"mtllib m.mtl\n{SQUARE}usemtl a\nf 1/1 2/2 3/3\nusemtl b\nf 1/1 3/3 4/4\n"
    mtl = "newmtl a\nmap_Kd a.png\nnewmtl b\nmap_Kd b.png\n"
    files = {"a.obj": text, "m.mtl": mtl, "a.png": picture("PNG"), "b.png": picture("PNG", "L")}
    assert textured(files, budgets={"pixels": 512}).record.is_metric
    with pytest.raises(Rejection, match="pixels"):
        textured(files, budgets={"pixels": 511})
    # The same picture again costs nothing.
    assert textured({**files, "b.png": picture("PNG")}, budgets={"pixels": 256})


@pytest.mark.parametrize("data", [b"", b"no picture", picture("JPEG")[:200], picture("PNG")[:60]])
def test_a_picture_that_cannot_be_decoded_is_a_finding(textured: Make, data: bytes) -> None:
    mtl = "newmtl m\nKd 0.25 0.5 0.75\nd 0.5\nmap_Kd t.png\n"
    outcome = textured({"a.obj": TEXTURED, "m.mtl": mtl, "t.png": data})
    assert bench.codes(outcome) == ["texture_missing"]
    assert not pictures_of(outcome)
    assert b"Kd 0.25 0.5 0.75\nd 0.5\n" in (outcome.files or {})["meshes/object.mtl"]


def test_a_picture_without_coordinates_is_a_finding_and_a_color(textured: Make) -> None:
    text = "mtllib m.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n"
    outcome = textured({"a.obj": text, "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")})
    assert bench.codes(outcome) == ["texture_unplaced"]
    assert not pictures_of(outcome)


@pytest.mark.parametrize("number", ["nan", "inf", "1e300", "-1e38"])
def test_coordinates_that_lie_nowhere_are_a_finding(textured: Make, number: str) -> None:
    text = TEXTURED.replace("vt 1 1\n", f"vt {number} 1\n")
    outcome = textured({"a.obj": text, "m.mtl": MTL.format("t.png"), "t.png": picture("PNG")})
    assert bench.codes(outcome) == ["texture_unplaced"]


def test_a_missing_texture_of_the_urdf_is_a_finding(textured: Make) -> None:
    texture = '<material name="t"><texture filename="absent.jpg"/></material>'
    outcome = textured({"a.obj": f"{SQUARE}f 1/1 2/2 3/3\n"}, inner=texture)
    assert bench.codes(outcome) == ["texture_missing"]


def test_a_picture_inside_a_glb_keeps_its_bytes(textured: Make) -> None:
    outcome = textured({"a.glb": textured_glb(picture("JPEG"))}, mesh="a.glb")
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("JPEG")]
    uv = np.asarray(part_of(outcome).visual.uv)
    assert [one for one in sorted(uv.tolist()) if 0.5 not in one] == [[0, 0], [1, 0], [1, 1]]


def test_a_broken_picture_or_a_bomb_inside_a_glb_is_reported(textured: Make) -> None:
    assert bench.codes(textured({"a.glb": textured_glb(b"broken")}, mesh="a.glb")) == [
        "texture_missing"
    ]
    with pytest.raises(Rejection, match="pixels"):
        textured({"a.glb": textured_glb(bomb(60_000, 60_000))}, mesh="a.glb")


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


def test_a_picture_that_a_collada_file_names_keeps_its_bytes(textured: Make) -> None:
    files = {"m/a.dae": textured_dae("../t.jpg"), "t.jpg": picture("JPEG")}
    outcome = textured(files, mesh="m/a.dae")
    assert bench.codes(outcome) == []
    assert list(pictures_of(outcome).values()) == [picture("JPEG")]
    absent = textured({"a.dae": textured_dae("absent.jpg")}, mesh="a.dae")
    assert bench.codes(absent) == ["texture_missing"]


@pytest.mark.parametrize(("name", "reason"), [("../../t.png", "mesh_outside"),
                                              ("t.png", "too_many_pixels")])  # fmt: skip
def test_a_collada_file_names_nothing_dangerous(textured: Make, name: str, reason: str) -> None:
    with pytest.raises(Rejection) as caught:
        textured({"a.dae": textured_dae(name), "t.png": bomb(60_000, 60_000)}, mesh="a.dae")
    assert caught.value.reason == reason


def test_lines_of_a_material_file_that_make_no_sense_are_left_out() -> None:
    text = b"Kd 1 1 1\nnewmtl a\nKd red\nKd 1 2\nd\nd x\nTr nan\nmap_Kd\nmap_Kd -s 1 1 1\nnewmtl\n"
    materials = read_mtl(text)
    assert set(materials) == {"a", ""}
    assert materials["a"].color() is None
    assert materials["a"].picture is None
