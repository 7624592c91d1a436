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
) -> NDArray[np.uint8]:
    """Arrange pictures in rows, each with its label below.

    Parameters
    ----------
    images_with_labels : sequence of ((h, w, 3) uint8, str)
        At least one picture; other shapes than square are fitted and centered.
    columns : int
        Pictures per row; a sheet with fewer pictures is narrower.
    tile : int
        Width and height of a picture on the sheet in pixels.

    Returns
    -------
    (height, width, 3) uint8
    """
    if not images_with_labels or columns < 1 or tile < 16:
        raise PipelineError(
            "A contact sheet needs at least one picture, one column and tiles of 16 pixels."
        )
    columns = min(columns, len(images_with_labels))
    font = ImageFont.load_default(size=max(10, tile // 14))
    line = round(font.getbbox("Ag")[3]) + GAP
    rows = -(-len(images_with_labels) // columns)
    size = (GAP + columns * (tile + GAP), GAP + rows * (tile + line + GAP))
    sheet = Image.new("RGB", size, PAPER)
    for index, (image, label) in enumerate(images_with_labels):
        row, column = divmod(index, columns)
        corner = (GAP + column * (tile + GAP), GAP + row * (tile + line + GAP))
        _paste(sheet, image, corner, tile)
        _write(sheet, label, (corner[0] + tile / 2, corner[1] + tile + line / 2), font, tile)
    return np.asarray(sheet)


def _paste(
    sheet: Image.Image, image: NDArray[np.uint8], corner: tuple[int, int], tile: int
) -> None:
    """Put a picture, shrunk to a tile, on the sheet."""
    picture = Image.fromarray(image).convert("RGB")
    scale = tile / max(picture.size)
    width, height = (max(1, round(scale * length)) for length in picture.size)
    picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    sheet.paste(picture, (corner[0] + (tile - width) // 2, corner[1] + (tile - height) // 2))


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
