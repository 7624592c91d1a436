# SPDX-License-Identifier: Apache-2.0
"""Contact sheets: many small pictures with their names, for the README and for reports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from pipeline.base.errors import PipelineError

PAPER = (255, 255, 255)
INK = (60, 64, 70)
GAP = 8  # pixels between tiles and around the sheet


def contact_sheet(
    images_with_labels: Sequence[tuple[NDArray[np.uint8], str]],
    columns: int = 6,
    tile: int = 192,
    broad: int = 1,
) -> NDArray[np.uint8]:
    """Arrange pictures in rows, each with its label below.

    Parameters
    ----------
    images_with_labels : sequence of ((h, w, 3) uint8, str)
        At least one picture; other shapes than square are fitted and centered.
    columns : int
        Pictures per row; a sheet with fewer pictures is narrower.
    tile : int
        Height of a picture on the sheet in pixels.
    broad : int
        Its width is so many times its height.

    Returns
    -------
    (height, width, 3) uint8
    """
    if not images_with_labels or min(columns, broad) < 1 or tile < 16:
        raise PipelineError(
            "A contact sheet needs at least one picture, one column and tiles of 16 pixels."
        )
    columns = min(columns, len(images_with_labels))
    font = ImageFont.load_default(size=max(10, tile // 14))
    line = round(font.getbbox("Ag")[3]) + GAP
    rows = -(-len(images_with_labels) // columns)
    wide = tile * broad
    size = (GAP + columns * (wide + GAP), GAP + rows * (tile + line + GAP))
    sheet = Image.new("RGB", size, PAPER)
    for index, (image, label) in enumerate(images_with_labels):
        row, column = divmod(index, columns)
        corner = (GAP + column * (wide + GAP), GAP + row * (tile + line + GAP))
        _paste(sheet, image, corner, (wide, tile))
        _write(sheet, label, (corner[0] + wide / 2, corner[1] + tile + line / 2), font, wide)
    return np.asarray(sheet)


def _paste(
    sheet: Image.Image, image: NDArray[np.uint8], corner: tuple[int, int], room: tuple[int, int]
) -> None:
    """Put a picture, shrunk to a tile, on the sheet."""
    picture = Image.fromarray(image).convert("RGB")
    scale = min(most / size for most, size in zip(room, picture.size, strict=True))
    width, height = (max(1, round(scale * length)) for length in picture.size)
    picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    place = (corner[0] + (room[0] - width) // 2, corner[1] + (room[1] - height) // 2)
    sheet.paste(picture, place)


def _write(
    sheet: Image.Image,
    label: str,
    center: tuple[float, float],
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    width: int,
) -> None:
    """Write a label around a point, shortened with an ellipsis where it is too long."""
    draw = ImageDraw.Draw(sheet)
    text = label
    while draw.textlength(text, font=font) > width and len(text) > 1:
        text = text.removesuffix("…")[:-1] + "…"
    draw.text(center, text, fill=INK, font=font, anchor="mm")
