# SPDX-License-Identifier: Apache-2.0
"""Writes a merged mesh as OBJ and GLB, points as PLY: no clock, no version, no name of a part."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.inputs.meshes import MergedMesh

TEXTURE = "texture.png"


def write_obj(mesh: MergedMesh) -> bytes:
    """Return an OBJ: one object without groups, z up, with `material_file` beside it."""
    points, uv = mesh.points.astype(float).ravel(), mesh.uv.astype(float).ravel()
    corners = np.repeat(mesh.faces.ravel() + 1, 2)
    lines = [
        "mtllib mesh.mtl\n",
        ("v %.9g %.9g %.9g\n" * len(mesh.points)) % tuple(points.tolist()),
        ("vt %.9g %.9g\n" * len(mesh.uv)) % tuple(uv.tolist()),
        "usemtl surface\n",
        ("f %d/%d %d/%d %d/%d\n" * len(mesh.faces)) % tuple(corners.tolist()),
    ]
    return "".join(lines).encode()


def material_file() -> bytes:
    """Return the MTL of `write_obj`: one material, whose picture is the atlas."""
    return f"newmtl surface\nKd 1 1 1\nmap_Kd {TEXTURE}\n".encode()


def write_glb(mesh: MergedMesh, texture: bytes, *, translucent: bool) -> bytes:
    """Return a GLB: one mesh on one node without a transform, y up and z front, as glTF wants.

    The turn is in the vertices, because some readers ignore nodes.
    """
    arrays = [
        mesh.points[:, [1, 2, 0]].astype("<f4"),
        np.column_stack([mesh.uv[:, 0], np.float32(1) - mesh.uv[:, 1]]).astype("<f4"),
        mesh.faces.astype("<u4").ravel(),
    ]
    chunks = [*(array.tobytes() for array in arrays), texture + b"\0" * (-len(texture) % 4)]
    starts = np.cumsum([0, *map(len, chunks)]).tolist()
    views = [
        {"buffer": 0, "byteOffset": start, "byteLength": len(chunk)}
        for start, chunk in zip(starts, chunks, strict=False)
    ]
    text = json.dumps(_gltf(arrays, views, starts[-1], translucent), separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary = b"".join(chunks)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    body += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def _gltf(
    arrays: list[NDArray[Any]], views: list[dict[str, int]], size: int, translucent: bool
) -> dict[str, Any]:
    points, uv, corners = arrays
    kinds = ((points, 5126, "VEC3"), (uv, 5126, "VEC2"), (corners, 5125, "SCALAR"))
    accessors: list[dict[str, Any]] = [
        {"bufferView": k, "componentType": component, "count": len(array), "type": kind}
        for k, (array, component, kind) in enumerate(kinds)
    ]
    accessors[0] |= {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
    surface = {"baseColorTexture": {"index": 0}, "metallicFactor": 0.0, "roughnessFactor": 0.8}
    return {
        "asset": {"version": "2.0", "generator": "aa-dataset"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [
            {
                "primitives": [
                    {
                        "attributes": {"POSITION": 0, "TEXCOORD_0": 1},
                        "indices": 2,
                        "material": 0,
                    }
                ]
            }
        ],
        "materials": [
            {
                "pbrMetallicRoughness": surface,
                "alphaMode": "BLEND" if translucent else "OPAQUE",
                "doubleSided": True,
            }
        ],
        "textures": [{"source": 0}],
        "images": [{"bufferView": 3, "mimeType": "image/png"}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": size}],
    }


def write_ply(points: NDArray[np.float32], colors: NDArray[np.uint8]) -> bytes:
    """Return a binary PLY of points (n, 3) [m] and display colors (n, 3)."""
    names = ("x", "y", "z", "red", "green", "blue")
    kinds = ("<f4",) * 3 + ("u1",) * 3
    rows = np.empty(len(points), dtype=list(zip(names, kinds, strict=True)))
    for k, name in enumerate(names):
        rows[name] = points[:, k] if k < 3 else colors[:, k - 3]
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(points)}"]
    head += [f"property {'float' if k < 3 else 'uchar'} {name}" for k, name in enumerate(names)]
    return "\n".join([*head, "end_header\n"]).encode() + rows.tobytes()
