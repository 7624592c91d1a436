# SPDX-License-Identifier: Apache-2.0
"""Reads `object.glb` of a library into arrays: numpy and Pillow, no trimesh.

Below the root node coordinates are those of the object frame (z up, x front), and every node there
is a link at rest. The file may be hostile: whatever does not fit raises `RenderError`.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from aa_dataset.errors import RenderError
from aa_dataset.render.surface import TEXTURE_PIXELS as SHOWN_PIXELS
from aa_dataset.render.surface import Surface, corner_normals
from aa_dataset.untrusted.safe_json import JsonError, parse_json

Array = NDArray[np.float64]

MOST_PIXELS = 2**26  # of all textures together, before they are decoded
MOST_FACES = 10**7  # of all pieces together
TEXTURE_PIXELS = 1024  # width and height of a decoded texture at most
_WRONG_UV = "texture coordinates do not fit the vertices"
_KINDS = {("SCALAR", 5125): ("<u4", 1), ("VEC2", 5126): ("<f4", 2), ("VEC3", 5126): ("<f4", 3)}


@dataclass(frozen=True, slots=True, eq=False)
class GlbLook:
    """Display color and opacity in [0, 1], and the (h, w, 4) uint8 image that they multiply."""

    rgba: tuple[float, float, float, float]
    image: NDArray[np.uint8] | None


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Triangles of one link and one look.

    Attributes
    ----------
    link : str
    points : (n, 3) float [m]
        Object frame at rest.
    faces : (m, 3) int
    uv : (n, 2) float or None
        Origin at the lower left of the image.
    look : int
        Index into the looks of the model.
    """

    link: str
    points: Array
    faces: NDArray[np.int64]
    uv: Array | None
    look: int


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The visual geometry of one object at rest.

    Attributes
    ----------
    pieces : tuple of Piece
    looks : tuple of GlbLook
    points : (n, 3) float [m]
        Of all pieces, of which theirs are parts.
    faces : (m, 3) int
        The triangles of all pieces, in their order, as rows of `points`.
    """

    pieces: tuple[Piece, ...]
    looks: tuple[GlbLook, ...]
    points: Array
    faces: NDArray[np.int64]

    def surface(self) -> Surface:
        """Return all triangles at rest; `part` is the index of the piece."""
        columns = list(zip(*(self._rows(k) for k in range(len(self.pieces))), strict=True))
        if not columns:
            raise RenderError("There is nothing to draw: no link has a triangle.")
        corners, colors, uv, look, part = (np.concatenate(column) for column in columns)
        pictured = np.array([one.image is not None for one in self.looks])
        number = np.where(pictured, np.cumsum(pictured) - 1, -1)
        images = tuple(_shown(one.image) for one in self.looks if one.image is not None)
        return Surface(
            corners, corner_normals(corners, part), colors, uv, number[look], part, images
        )

    def _rows(self, part: int) -> tuple[NDArray[Any], ...]:
        piece = self.pieces[part]
        count = len(piece.faces)
        uv = np.zeros((count, 3, 2)) if piece.uv is None else piece.uv[piece.faces]
        return (
            piece.points[piece.faces],
            np.broadcast_to(np.array(self.looks[piece.look].rgba), (count, 3, 4)),
            uv,
            np.full(count, piece.look),
            np.full(count, part),
        )


def _shown(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a texture shrunk to what a picture can show; finer ones would flicker."""
    factor = max(1, -(-max(image.shape[:2]) // SHOWN_PIXELS))
    return image if factor == 1 else np.array(Image.fromarray(image).reduce(factor))


def read_glb(data: bytes, *, textures: bool = True) -> Model:
    """Return the pieces of every link, in the order of the file.

    Without `textures` no picture is decoded, which is several times as fast; looks have colors.

    Raises
    ------
    RenderError
        If the bytes are not a GLB as libraries have them.
    """
    try:
        return _Reader(data, textures=textures).model()
    except (JsonError, struct.error, KeyError, IndexError, TypeError, ValueError) as error:
        if isinstance(error, RenderError):
            raise
        problem = f"{type(error).__name__}: {error}"
        raise RenderError(f"object.glb is not usable ({problem}); run `aa verify`.") from error


class _Stored(NamedTuple):
    """A piece as the file has it: points from the origin of the link on, in single precision."""

    link: str
    origin: Array
    points: NDArray[Any]
    faces: NDArray[Any]
    uv: NDArray[Any] | None
    look: int


def _model(found: list[_Stored], looks: tuple[GlbLook, ...]) -> Model:
    """Convert and check all pieces at once, which is faster than one by one."""
    sizes, counts = [len(one.points) for one in found], [len(one.faces) for one in found]
    points = _joined([one.points for one in found], 3, np.float64)
    points += np.repeat(_joined([one.origin[None] for one in found], 3, np.float64), sizes, axis=0)
    faces = _joined([one.faces for one in found], 3, np.int64)
    own = _parts(faces, counts)
    if not np.isfinite(points).all() or not _inside(faces, counts, sizes):
        raise ValueError("a vertex is not finite, or a face names one that does not exist")
    parts = zip(found, _parts(points, sizes), own, _corners(found), strict=True)
    pieces = tuple(Piece(one.link, p, f, uv, one.look) for one, p, f, uv in parts if len(f))
    starts = accumulate(sizes, initial=0)
    moved = [f + start for f, start in zip(own, starts, strict=False)]
    return Model(pieces, looks, points, _joined(moved, 3, np.int64))


def _inside(faces: NDArray[np.int64], counts: list[int], sizes: list[int]) -> bool:
    """Return whether the triangles of every piece name points that it has."""
    some = [(count, size) for count, size in zip(counts, sizes, strict=True) if count]
    starts = [3 * end for end in accumulate((count for count, _ in some[:-1]), initial=0)]
    if not some:
        return True
    largest = np.maximum.reduceat(faces.reshape(-1), starts)
    return bool((largest < [size for _, size in some]).all())


def _corners(found: list[_Stored]) -> list[Array | None]:
    """Return the texture coordinates (n, 2) of every piece, with the origin at the lower left."""
    known = [one.uv for one in found if one.uv is not None]
    uv = _joined(known, 2, np.float64)
    if not np.isfinite(uv).all():
        raise ValueError(_WRONG_UV)
    uv[:, 1] = 1.0 - uv[:, 1]
    parts = iter(_parts(uv, [len(one) for one in known]))
    return [None if one.uv is None else next(parts) for one in found]


def _joined(arrays: list[NDArray[Any]], width: int, kind: type) -> NDArray[Any]:
    """Return arrays (n, width) as one of another type; there may be none."""
    return np.concatenate([np.zeros((0, width), kind), *arrays], dtype=kind, casting="same_kind")


def _parts(rows: NDArray[Any], sizes: list[int]) -> list[NDArray[Any]]:
    """Return the parts of an array that have these numbers of rows."""
    ends = list(accumulate(sizes))
    return [rows[end - size : end] for size, end in zip(sizes, ends, strict=True)]


class _Reader:
    """The two chunks of a GLB."""

    def __init__(self, data: bytes, *, textures: bool) -> None:
        self._textures = textures
        magic, version, _ = struct.unpack_from("<4sII", data)
        if magic != b"glTF" or version != 2:
            raise ValueError("it is not a binary glTF 2.0")
        length, _ = struct.unpack_from("<II", data, 12)
        self._tree = parse_json(data[20 : 20 + length])
        self._binary = memoryview(data)[28 + length :]
        self._faces = self._pixels = 0
        self._decoded: dict[tuple[int, bool], NDArray[np.uint8]] = {}

    def model(self) -> Model:
        nodes = self._tree["nodes"]
        found = [
            one for child in nodes[0].get("children", ()) for one in self._link(nodes, nodes[child])
        ]
        looks = tuple(self._look(one) for one in self._tree.get("materials", ()))
        if any(not 0 <= one.look < len(looks) for one in found):
            raise ValueError("a mesh has a material that does not exist")
        return _model(found, looks)

    def _link(self, nodes: list[Any], node: dict[str, Any]) -> list[_Stored]:
        origin = np.array(node["translation"], dtype=np.float64).reshape(3)
        meshes = [nodes[child]["mesh"] for child in node.get("children", ())]
        return [
            self._stored(str(node["name"]), origin, primitive)
            for mesh in meshes
            for primitive in self._tree["meshes"][mesh]["primitives"]
        ]

    def _stored(self, link: str, origin: Array, primitive: dict[str, Any]) -> _Stored:
        attributes = primitive["attributes"]
        points = self._values(attributes["POSITION"]).reshape(-1, 3)
        faces = self._values(primitive["indices"]).reshape(-1, 3)
        self._faces += len(faces)
        if self._faces > MOST_FACES:
            raise ValueError(f"it has more than {MOST_FACES:,} triangles")
        uv = None
        if "TEXCOORD_0" in attributes:
            uv = self._values(attributes["TEXCOORD_0"]).reshape(-1, 2)
            if len(uv) != len(points):
                raise ValueError(_WRONG_UV)
        return _Stored(link, origin, points, faces, uv, int(primitive["material"]))

    def _values(self, index: int) -> NDArray[Any]:
        accessor = self._tree["accessors"][index]
        kind, width = _KINDS[accessor["type"], accessor["componentType"]]
        view = self._tree["bufferViews"][accessor["bufferView"]]
        return np.frombuffer(
            self._binary, kind, int(accessor["count"]) * width, int(view["byteOffset"])
        )

    def _look(self, material: dict[str, Any]) -> GlbLook:
        surface = material["pbrMetallicRoughness"]
        rgba = tuple(min(max(float(value), 0.0), 1.0) for value in surface["baseColorFactor"])
        red, green, blue, opacity = rgba
        opaque = material.get("alphaMode") == "OPAQUE"
        color = (red, green, blue, 1.0 if opaque else opacity)
        if "baseColorTexture" not in surface or not self._textures:
            return GlbLook(color, None)
        texture = self._tree["textures"][surface["baseColorTexture"]["index"]]
        key = (int(texture["source"]), opaque)
        if key not in self._decoded:
            self._decoded[key] = self._image(self._tree["images"][key[0]], opaque=opaque)
        return GlbLook(color, self._decoded[key])

    def _image(self, image: dict[str, Any], *, opaque: bool) -> NDArray[np.uint8]:
        view = self._tree["bufferViews"][image["bufferView"]]
        start = int(view["byteOffset"])
        data = bytes(self._binary[start : start + int(view["byteLength"])])
        try:
            picture = Image.open(io.BytesIO(data), formats=("PNG", "JPEG"))
            self._pixels += picture.width * picture.height
            if self._pixels > MOST_PIXELS:
                raise ValueError(f"its textures have more than {MOST_PIXELS:,} pixels")
            factor = max(1, -(-max(picture.size) // TEXTURE_PIXELS))
            pixels = np.array(picture.convert("RGBA").reduce(factor))
        except (OSError, SyntaxError, Image.DecompressionBombError) as error:
            raise ValueError(f"a texture cannot be decoded: {error}") from error
        if opaque:
            pixels[..., 3] = 255
        return pixels
