# SPDX-License-Identifier: Apache-2.0
"""Whatever picture is written, viewers show it with the colors that the source means."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pipeline.base.errors import Rejection
from pipeline.shapes.jpeg import MOST_SCANS
from pipeline.shapes.pictures import (
    Picture,
    PictureBudget,
    named_formats,
    read_picture,
    with_mask,
)
from pipeline.stages.normalize.mjcf_shapes import _picture_average

RAMP = np.arange(64, dtype=np.uint8).reshape(8, 8) * 4
COLORS = np.stack([RAMP, 255 - RAMP, RAMP // 2, 255 - RAMP // 3], axis=-1)
COLORED = Image.fromarray(COLORS)
GRAY = Image.fromarray(RAMP)
# By name: the picture, its file format, and whether the file keeps its bytes.
FORMATS = {
    "gray JPEG": (GRAY, "JPEG", True),
    "color JPEG": (COLORED.convert("RGB"), "JPEG", True),
    "inks JPEG": (COLORED.convert("RGB").convert("CMYK"), "JPEG", False),
    "gray PNG": (GRAY, "PNG", True),
    "gray PNG with alpha": (Image.merge("LA", (GRAY, COLORED.getchannel("A"))), "PNG", False),
    "gray PNG of 16 bits": (Image.fromarray(RAMP.astype(np.uint16) * 257), "PNG", False),
    "PNG of two levels": (GRAY.convert("1"), "PNG", False),
    "PNG with a palette": (Image.fromarray(COLORS[..., :3]).quantize(64), "PNG", True),
    "color PNG": (COLORED.convert("RGB"), "PNG", True),
    "color PNG with alpha": (COLORED, "PNG", True),
}


def encoded(image: Image.Image, kind: str) -> bytes:
    options = {"quality": 100} if kind == "JPEG" else {}
    image.save(buffer := io.BytesIO(), kind, **options)
    return buffer.getvalue()


def kept(data: bytes) -> Picture:
    return read_picture(data, "t", PictureBudget(1000))


@pytest.mark.parametrize("name", FORMATS)
def test_a_picture_is_shown_with_its_colors(name: str) -> None:
    """By pyrender, which takes it as Pillow reads it, with trimesh between them.

    Browsers, and three.js with them, decode to 8 bits of red, green, blue and alpha, as Pillow's
    own conversion does, but for 16 bits, which it cuts.
    """
    pyrender = pytest.importorskip("pyrender", reason="`make test` installs pyrender")
    image, kind, keeps = FORMATS[name]
    data = encoded(image, kind)
    picture, read = kept(data), Image.open(io.BytesIO(data))
    assert (picture.data == data) == keeps
    assert kept(data) == picture  # the same bytes every time
    expected = np.asarray((GRAY if read.mode == "I;16" else read).convert("RGBA"))
    shown = Image.open(io.BytesIO(picture.data))
    assert np.array_equal(np.asarray(shown.convert("RGBA")), expected)
    drawn = pyrender.MetallicRoughnessMaterial(baseColorTexture=shown).baseColorTexture.source
    assert np.array_equal(np.asarray(drawn), expected)
    assert picture.is_translucent == bool((expected[..., 3] < 255).any())


def test_the_inks_of_a_printer_become_light() -> None:
    """Every ink takes its share of its light, and black of all."""
    inks = (51, 102, 0, 64)
    picture = kept(encoded(Image.new("CMYK", (8, 8), inks), "JPEG"))
    light = [(255 - ink) * (255 - inks[3]) / 255 for ink in inks[:3]]
    assert picture.name.endswith(".png")
    assert Image.open(io.BytesIO(picture.data)).getpixel((3, 3)) == pytest.approx(light, abs=2)


def scanned(more: int, before: bytes = b"") -> bytes:
    """Return a JPEG that appears step by step, with its last scan so many times again."""
    COLORED.convert("RGB").save(buffer := io.BytesIO(), "JPEG", progressive=True)
    data = buffer.getvalue()
    last = data.rindex(b"\xff\xda")
    head = data[last : last + 2 + int.from_bytes(data[last + 2 : last + 4], "big")]
    return data[:-2] + (before + head) * more + b"\xff\xd9"


SCANS = scanned(0).count(b"\xff\xda")
# What may stand before a scan: nothing, filling, a restart, damage that libjpeg skips, a comment.
BEFORE = [b"", b"\xff\xff", b"\xff\xd0", b"\xff\x02\xff\xff", b"\xff\xfe\x00\x04\xff\xd9"]


@pytest.mark.parametrize("before", BEFORE)
def test_a_jpeg_with_too_many_scans_is_refused(before: bytes) -> None:
    for data in (scanned(MOST_SCANS - SCANS + 1, before), scanned(5000, before)):
        with pytest.raises(Rejection, match=r"t: a JPEG of more than 100 scans.*save it anew\."):
            kept(data)
        with named_formats(), pytest.raises(Rejection, match="more than 100 scans"):
            Image.open(io.BytesIO(data))  # as trimesh does
        with pytest.raises(Rejection, match="mask: a JPEG of more than 100 scans"):
            with_mask(kept(scanned(0)), data, "mask", PictureBudget(1000))
        assert _picture_average(data) is None


def test_a_jpeg_of_some_scans_becomes_a_png_of_the_same_pixels() -> None:
    """Bullet reads no progressive JPEG."""
    assert SCANS == 10
    # Neither a preview within the file nor what follows its end is a scan of it.
    inner = b"\xff\xda" * 1000
    preview = b"\xff\xe1" + (len(inner) + 2).to_bytes(2, "big") + inner
    held = scanned(3).replace(b"\xff\xd8", b"\xff\xd8" + preview, 1) + inner
    for data in (scanned(0), scanned(MOST_SCANS - SCANS), held):
        made = kept(data)
        assert made.name.endswith(".png")
        assert np.array_equal(pixels(made.data), pixels(data))


def pixels(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def jpeg(**options: Any) -> bytes:
    COLORED.convert("RGB").save(buffer := io.BytesIO(), "JPEG", **options)
    return buffer.getvalue()


def adobe(transform: int) -> bytes:
    """Return the segment by which Adobe states whether colors are YCbCr (1) or RGB (0)."""
    body = b"Adobe" + bytes([0, 100, 0, 0, 0, 0, transform])
    return b"\xff\xee" + (len(body) + 2).to_bytes(2, "big") + body


@pytest.mark.parametrize("options", [{}, {"subsampling": 0}, {"optimize": True},
                                     {"restart_marker_rows": 1}])  # fmt: skip
def test_a_sequential_jpeg_keeps_its_bytes(options: dict[str, Any]) -> None:
    data = jpeg(**options)
    for whole in (data, data.replace(b"\xff\xd8", b"\xff\xd8" + adobe(1), 1)):
        assert kept(whole).data == whole


def test_a_jpeg_without_ycbcr_becomes_a_png_of_the_same_pixels() -> None:
    stated = jpeg().replace(b"\xff\xd8", b"\xff\xd8" + adobe(0), 1)
    for data in (jpeg(keep_rgb=True), stated):
        made = kept(data)
        assert made.name.endswith(".png")
        assert np.array_equal(pixels(made.data), pixels(data))


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"keep_rgb": True}])
def test_bullet_reads_every_picture_that_is_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: dict[str, Any]
) -> None:
    pybullet = pytest.importorskip("pybullet", reason="a judge that need not be installed")
    made = kept(jpeg(**options))
    (tmp_path / made.name).write_bytes(made.data)
    (tmp_path / "m.mtl").write_text(f"newmtl a\nmap_Kd {made.name}\n")
    (tmp_path / "m.obj").write_text(
        "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\n"
    )
    shape = '<visual><geometry><mesh filename="m.obj"/></geometry></visual>'
    (tmp_path / "m.urdf").write_text(f'<robot name="r"><link name="a">{shape}</link></robot>')
    client = pybullet.connect(pybullet.DIRECT)
    try:
        pybullet.loadURDF(str(tmp_path / "m.urdf"), physicsClientId=client)
    finally:
        pybullet.disconnect(client)
    assert "texture" not in "".join(capfd.readouterr())
