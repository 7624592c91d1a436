# SPDX-License-Identifier: Apache-2.0
"""Objects of a small true library: their joints, and the files that a build writes of them."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass, field, replace
from typing import Any

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Part:
    """A joint and the box-shaped link that hangs on it; `xyz` and `rpy` place it in its parent."""

    name: str
    type: str
    parent: str = "base"
    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    lower: float = 0.0
    upper: float = 1.0
    pitch: float = 0.0
    mass: float = 0.8

    @property
    def joint(self) -> str:
        return f"{self.name}_joint"


@dataclass(frozen=True)
class ObjectSpec:
    """An object of the test library."""

    object_id: str
    category: str
    parts: tuple[Part, ...]
    supercategory: str = "furniture"
    license: str = "CC0-1.0"
    is_metric: bool = True
    splits: tuple[str, ...] = ("library", "train")
    extra_files: dict[str, bytes | None] = field(default_factory=dict)  # None: is missing

    @property
    def source(self) -> str:
        return self.object_id.split("-", 1)[0]


JAR, SHARD = "generated-jar", "generated-0000"  # an object and the tar that it lies in
DOOR = Part("door", "revolute", xyz=(0.3, -0.2, 0.1), upper=1.6)
LIBRARY_OBJECTS = (
    ObjectSpec(
        "generated-cabinet",
        "cabinet",
        (
            DOOR,
            Part("knob", "fixed", parent="door", xyz=(0.05, 0.3, 0.0)),
            Part("drawer", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.35),
            Part("tray", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.35, xyz=(0.0, 0.0, -0.2)),
        ),
        splits=("library", "eval200_1a2b3c4d"),
    ),
    ObjectSpec(
        "generated-lamp",
        "lamp",
        (
            Part("arm", "continuous", xyz=(0.0, 0.1, 0.2), rpy=(0.1, 0.2, 0.3)),
            Part("elbow", "revolute", parent="arm", xyz=(0.2, 0.0, 0.1), lower=-1.0, upper=0.5),
            Part("head", "revolute", parent="elbow", axis=(1.0, 2.0, 0.5), lower=-0.4, upper=0.4),
        ),
        supercategory="lighting",
        splits=("library", "eval200_1a2b3c4d"),
    ),
    ObjectSpec(
        "generated-jar",
        "jar",
        (Part("lid", "helical", xyz=(0.0, 0.0, 0.1), upper=6.0, pitch=0.0008, mass=0.05),),
        supercategory="kitchen",
    ),
    ObjectSpec(
        "local-stool",
        "stool",
        (
            Part("column", "prismatic", upper=0.15),
            Part("seat", "continuous", parent="column", xyz=(0.0, 0.0, 0.4)),
        ),
        license="CC-BY-NC-4.0",
        is_metric=False,
        splits=("library", "eval200_1a2b3c4d"),
    ),
    ObjectSpec("local-plain", "cabinet", (replace(DOOR, name="flap"),), license="CC-BY-4.0"),
)


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def _link(name: str, mass: float, *, shape: bool = True) -> str:
    box = f'<visual><geometry><mesh filename="meshes/{name}.obj"/></geometry></visual>'
    return (
        f'<link name="{name}"><inertial><origin xyz="0.02 0.1 0.03"/><mass value="{mass}"/>'
        '<inertia ixx="0.011" ixy="0.001" ixz="0" iyy="0.012" iyz="0" izz="0.009"/></inertial>'
        f"{box if shape else ''}</link>"
    )


def _joint(name: str, kind: str, ends: tuple[str, str], part: Part, *, extra: str = "") -> str:
    limit = (
        ""
        if kind in ("fixed", "continuous")
        else (f'<limit lower="{part.lower!r}" upper="{part.upper!r}" effort="10" velocity="1"/>')
    )
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{ends[0]}"/><child link="{ends[1]}"/>'
        f'<origin xyz="{_numbers(part.xyz)}" rpy="{_numbers(part.rpy)}"/>'
        f'<axis xyz="{_numbers(part.axis)}"/>{limit}{extra}</joint>'
    )


def write_urdf(name: str, parts: tuple[Part, ...]) -> bytes:
    """Return the URDF of an object, helical joints as rotation, carrier and coupled slide."""
    body = [_link("base", 5.0)]
    for part in parts:
        body.append(_link(part.name, part.mass))
        if part.type != "helical":
            body.append(_joint(part.joint, part.type, (part.parent, part.name), part))
            continue
        carrier = f"{part.name}_carrier"
        body.append(_link(carrier, 1e-9, shape=False))
        body.append(_joint(part.joint, "revolute", (part.parent, carrier), part))
        slide = Part("", "prismatic", axis=part.axis, upper=part.upper * part.pitch)
        mimic = f'<mimic joint="{part.joint}" multiplier="{part.pitch!r}"/>'
        ends = (carrier, part.name)
        body.append(_joint(f"{part.name}_slide", "prismatic", ends, slide, extra=mimic))
    return f'<?xml version="1.0"?>\n<robot name="{name}">{"".join(body)}</robot>\n'.encode()


def _png() -> bytes:
    def chunk(tag: bytes, data: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(tag + data))
        return struct.pack(">I", len(data)) + tag + data + crc

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\x00\x80\x90\xa0")
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _webp() -> bytes:
    chunk = b"junk" + struct.pack("<I", 2) + b"ab"
    chunk += b"aCRC" + struct.pack("<II", 4, zlib.crc32(chunk))
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def _glb() -> bytes:
    text = json.dumps({"asset": {"version": "2.0"}}).encode()
    text += b" " * (-len(text) % 4)
    chunk = struct.pack("<I4s", len(text), b"JSON") + text
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunk)) + chunk


def object_files(spec: ObjectSpec) -> dict[str, bytes]:
    links = ["base", *(part.name for part in spec.parts)]
    mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    files = {
        "object.urdf": write_urdf(spec.object_id, spec.parts),
        "object.glb": _glb(),
        **{f"meshes/{name}.obj": mesh for name in links},
        "preview.png": _png(),
        "preview_open.png": _png(),
        "preview_parts.png": _png(),
        "strip.webp": _webp(),
        **spec.extra_files,
    }
    return {name: data for name, data in files.items() if data is not None}
