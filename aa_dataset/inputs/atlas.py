# SPDX-License-Identifier: Apache-2.0
"""All looks of an object on one picture, so that one mesh with one material shows them.

A picture that repeats over a surface is repeated in its cell, as often as the triangle needs that
sees most of it. A color without a picture has a cell of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from aa_dataset.render.glb import GlbLook

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

CELL = 1024  # pixels along a side of a cell at most
WIDTH = 4096  # pixels along a side of the atlas at most; cells are halved until they fit
PLAIN = 4  # pixels along a side of a color's cell
GUTTER = 2  # pixels around a cell that repeat its border, so that no neighbor shines in
NO_PICTURE = (PLAIN, PLAIN)


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """One picture, (h, w, 4) uint8, and the texture coordinates (f, 3, 2) of all triangles on it.

    The origin of the coordinates is at the lower left of the picture.
    """

    picture: Pixels
    uv: Array


def pack(looks: Sequence[GlbLook], look: NDArray[np.int64], uv: Array) -> Atlas:
    """Put the looks of triangles on one picture.

    Parameters
    ----------
    looks : sequence of GlbLook
    look : (f,) int
        The look of every triangle.
    uv : (f, 3, 2) float
        Texture coordinates on the look's own picture, which repeats.
    """
    # Whole turns do not show: every triangle begins in the first tile.
    local = uv - np.floor(uv.min(axis=1, keepdims=True))
    used = np.unique(look)
    tiles = {k: _tiles(looks[k], local[look == k]) for k in used.tolist()}
    limit = CELL
    while True:
        shown = {k: _fitting(looks[k], tiles[k], limit) for k in tiles}
        cells = {k: _cell(shown[k], tiles[k], limit) for k in tiles}
        places, height, width = _places(cells)
        if max(height, width) <= WIDTH or limit <= 1:
            break
        limit //= 2
    picture = np.zeros((height, width, 4), np.uint8)
    placed = np.zeros_like(local)
    for k, (top, left) in places.items():
        cell, rows = cells[k], look == k
        framed = np.pad(cell, ((GUTTER, GUTTER), (GUTTER, GUTTER), (0, 0)), mode="edge")
        picture[top : top + len(framed), left : left + len(framed[0])] = framed
        inner = _inner(shown[k], local[rows], tiles[k]) * cell.shape[1::-1]
        placed[rows, :, 0] = (left + GUTTER + inner[..., 0]) / width
        placed[rows, :, 1] = 1 - (top + GUTTER + cell.shape[0] - inner[..., 1]) / height
    return Atlas(picture, placed)


def _tiles(look: GlbLook, uv: Array) -> tuple[int, int]:
    """Return how often a picture repeats along each side, for triangles (f, 3, 2)."""
    if look.image is None:
        return 1, 1
    across, up = np.maximum(np.ceil(uv.max(axis=(0, 1)) - 1e-9), 1).astype(int).tolist()
    return across, up


def _fitting(look: GlbLook, tiles: tuple[int, int], limit: int) -> GlbLook:
    """Return the look, or its mean color if it repeats more often than a cell has pixels."""
    if look.image is None or max(tiles) <= limit:
        return look
    mean = look.image.reshape(-1, 4).mean(axis=0) / 255 * look.rgba
    red, green, blue, opacity = mean.tolist()
    return GlbLook((red, green, blue, opacity), None)


def _inner(look: GlbLook, uv: Array, tiles: tuple[int, int]) -> Array:
    """Return coordinates (f, 3, 2) in [0, 1] of a cell; a plain color is seen at its center."""
    return np.full_like(uv, 0.5) if look.image is None else uv / tiles


def _cell(look: GlbLook, tiles: tuple[int, int], limit: int) -> Pixels:
    """Return the pixels of a look, repeated and multiplied by its color."""
    color = np.array(look.rgba)
    if look.image is None:
        return np.full((*NO_PICTURE, 4), np.rint(255 * color), np.uint8)
    height, width = look.image.shape[:2]
    size = tuple(
        max(1, min(side, limit // count))
        for side, count in zip((width, height), tiles, strict=True)
    )
    tile = Image.fromarray(look.image).resize(size, Image.Resampling.BOX)
    shaded = np.rint(np.asarray(tile) * color).astype(np.uint8)
    return np.tile(shaded, (tiles[1], tiles[0], 1))


def _places(cells: dict[int, Pixels]) -> tuple[dict[int, tuple[int, int]], int, int]:
    """Return the upper left corner of every cell, and height and width of the whole.

    Cells are in rows, by their height and then by their content: the order of links must not show.
    """
    found: dict[int, tuple[int, int]] = {}
    top = left = row = width = 0
    for k in sorted(cells, key=lambda k: (-len(cells[k]), -cells[k].size, _digest(cells[k]))):
        high, wide = (side + 2 * GUTTER for side in cells[k].shape[:2])
        if left and left + wide > WIDTH // 2:
            top, left, row = top + row, 0, 0
        found[k] = (top, left)
        left, row = left + wide, max(row, high)
        width = max(width, left)
    return found, top + row, width


def _digest(cell: Pixels) -> bytes:
    return hashlib.sha256(cell.tobytes()).digest()
