# SPDX-License-Identifier: Apache-2.0
"""Procedural textures: small pictures that repeat, made by whole-number arithmetic alone.

A picture has 128 x 128 pixels and 16 shades between two colors. It is written as a PNG with stored
(uncompressed) blocks, because what a compressor writes depends on its version and its machine.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

SIZE = 128
SHADES = 16

Grid = NDArray[np.int64]
RGB = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Texture:
    """How a material is patterned.

    Attributes
    ----------
    pattern : str
        A name of `PATTERNS`.
    dark, light : (3,) int in 0..255
        Colors of the first and the last shade.
    tile : float [m]
        Length of surface that one picture covers; 0 wraps it once around a turned solid.
    """

    pattern: str
    dark: RGB
    light: RGB
    tile: float


def _pseudo_random(*values: Grid | int) -> Grid:
    """Mix whole numbers to pseudo-random ones in 0..255."""
    mixed: Grid = np.zeros(1, dtype=np.int64)
    for k, value in enumerate(values):
        mixed = (mixed * 31 + np.asarray(value) * (2654435761 + 40503 * k)) & 0xFFFFFFFF
        mixed = ((mixed ^ (mixed >> 15)) * 2246822519) & 0xFFFFFFFF
        mixed = mixed ^ (mixed >> 13)
    return (mixed >> 8) & 255


def _triangle_wave(values: Grid, period: int, height: int) -> Grid:
    """Go up and down between 0 and `height` once per period."""
    place = values % period
    return np.minimum(place, period - place) * 2 * height // period


def _row_shades(values: Grid, salt: int) -> Grid:
    """Give each row a shade of its own, smoothed over five rows."""
    near = [_pseudo_random((values + d) % SIZE, salt) for d in (-2, -1, 0, 1, 2)]
    return (near[0] + 2 * near[1] + 3 * near[2] + 2 * near[3] + near[4]) // 9


def _wood(u: Grid, v: Grid) -> Grid:
    bent = v + _triangle_wave(u, 128, 9) + _triangle_wave(u + 40, 64, 4)
    return (
        5 * _row_shades(bent, 1) + 2 * _row_shades(bent * 3, 2) + _pseudo_random(u >> 4, v, 3)
    ) // 8


def _brushed(u: Grid, v: Grid) -> Grid:
    return (3 * _row_shades(v, 4) + _pseudo_random(u >> 5, v, 5)) // 4


def _weave(u: Grid, v: Grid) -> Grid:
    over = ((u >> 3) + (v >> 3)) & 1
    across = np.where(over == 1, _triangle_wave(u, 8, 255), _triangle_wave(v, 8, 255))
    return np.asarray((3 * across + 60 * over + _pseudo_random(u >> 1, v >> 1, 6) // 4) // 5)


def _checker(u: Grid, v: Grid) -> Grid:
    return 255 * (((u >> 5) + (v >> 5)) & 1) + 0 * u


def _bricks(u: Grid, v: Grid) -> Grid:
    row = v >> 4
    shifted = (u + 16 * (row & 1)) % SIZE
    mortar = ((v & 15) < 2) | ((shifted & 31) < 2)
    return np.where(mortar, 255, _pseudo_random(shifted >> 5, row, 7) // 3)


def _tiles(u: Grid, v: Grid) -> Grid:
    gap = ((u & 31) < 2) | ((v & 31) < 2)
    return np.where(gap, 0, 190 + _pseudo_random(u >> 5, v >> 5, 8) // 4)


def _speckle(u: Grid, v: Grid) -> Grid:
    return (_pseudo_random(u >> 1, v >> 1, 9) + _pseudo_random(u >> 3, v >> 3, 10) + 256) // 3


def _label(u: Grid, v: Grid) -> Grid:
    """Draw a band with a disk and lines of writing, four times around, as on a bottle."""
    x = u & 63
    edge = (v < 12) | (v >= 116)
    disk = (x - 32) ** 2 + (v - 80) ** 2 < 18**2
    words = (
        (v >= 26)
        & (v < 52)
        & ((v & 7) < 4)
        & (x >= 12)
        & (x < 52)
        & (_pseudo_random(x >> 2, v >> 3) > 60)
    )
    return np.where(edge | disk | words, 0, 255)


def _stripes(u: Grid, v: Grid) -> Grid:
    return 255 * ((u >> 4) & 1) + 0 * v


PATTERNS: dict[str, Callable[[Grid, Grid], Grid]] = {
    "wood": _wood,
    "brushed": _brushed,
    "weave": _weave,
    "checker": _checker,
    "bricks": _bricks,
    "tiles": _tiles,
    "speckle": _speckle,
    "label": _label,
    "stripes": _stripes,
}


def shades(pattern: str) -> Grid:
    """Return the (128, 128) shades 0..15 of a pattern, row 0 on top."""
    v, u = np.mgrid[0:SIZE, 0:SIZE].astype(np.int64)
    return np.clip(PATTERNS[pattern](u, v[::-1]), 0, 255) * SHADES >> 8


@cache
def png(texture: Texture) -> bytes:
    """Return a texture as a PNG with a palette, 8 bits per pixel and no metadata.

    Four bits would do for the shades, but Bullet reads no PNG of less than eight.
    """
    steps = np.arange(SHADES)[:, None]
    dark, light = np.array(texture.dark), np.array(texture.light)
    palette = ((dark * (SHADES - 1 - steps) + light * steps) // (SHADES - 1)).astype(np.uint8)
    grid = shades(texture.pattern).astype(np.uint8)
    rows = np.hstack((np.zeros((SIZE, 1), np.uint8), grid)).tobytes()
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", palette.tobytes()), (b"IDAT", _stored_zlib(rows)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(*c) for c in (*chunks, (b"IEND", b"")))


def _stored_zlib(data: bytes) -> bytes:
    """Wrap up to 65535 bytes as a zlib stream of one stored block."""
    block = struct.pack("<BHH", 1, len(data), 0xFFFF - len(data))
    return b"\x78\x01" + block + data + struct.pack(">I", zlib.adler32(data))


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
