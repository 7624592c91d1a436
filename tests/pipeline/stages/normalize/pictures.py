# SPDX-License-Identifier: Apache-2.0
"""Pictures and the textured square of the tests."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import trimesh
from PIL import Image

from pipeline.engine.runner import Outcome
from pipeline.shapes.glb import read_links

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
