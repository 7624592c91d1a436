# SPDX-License-Identifier: Apache-2.0
"""A contact sheet shows every picture in its place with its label."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.base.errors import PipelineError
from pipeline.stages.render.sheet import GAP, PAPER, contact_sheet


def test_pictures_are_in_rows_with_captions_below() -> None:
    shades = [20, 90, 160]
    images = [(np.full((64, 64, 3), shade, dtype=np.uint8), f"item {shade}") for shade in shades]
    tile = 48
    sheet = contact_sheet(images, columns=2, tile=tile)
    line = (sheet.shape[0] - GAP) // 2 - tile - GAP  # two rows share the height
    assert sheet.shape[1] == GAP + 2 * (tile + GAP)
    for index, shade in enumerate(shades):
        row, column = divmod(index, 2)
        top, left = GAP + row * (tile + line + GAP), GAP + column * (tile + GAP)
        assert (sheet[top : top + tile, left : left + tile] == shade).all()
        assert (sheet[top + tile : top + tile + line, left : left + tile] < 128).any()
    assert (sheet[-1, -1] == PAPER).all()


def test_a_long_label_stays_under_its_tile() -> None:
    image = np.full((32, 32, 3), 200, dtype=np.uint8)
    sheet = contact_sheet([(image, "a name that never ends " * 9), (image, "")], tile=96)
    second = sheet[GAP + 96 :, 2 * GAP + 96 :]
    assert (second == PAPER).all()


def test_an_empty_sheet_is_a_sentence() -> None:
    with pytest.raises(PipelineError, match=r"at least one picture"):
        contact_sheet([])
