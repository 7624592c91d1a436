# SPDX-License-Identifier: Apache-2.0
"""Law: textures are small, repeat without a seam, and reach the normalized object."""

import hashlib
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pipeline.generate.materials import PALETTE, texture
from pipeline.generate.shapes import box, cylinder
from pipeline.generate.textures import PATTERNS, SIZE, Texture, png, shades
from pipeline.generate.unwrap import unwrap
from tests.kit import bench

TEXTURED = [name for name in PALETTE if texture(name)]


@pytest.mark.parametrize("name", TEXTURED)
def test_pictures_are_small_pngs_of_two_colors(name: str) -> None:
    look = texture(name)
    assert look is not None
    data = png(look)
    image = Image.open(io.BytesIO(data))
    assert image.size == (SIZE, SIZE) and not image.info.keys() & {"Software", "date:create"}
    assert data[24] == 8  # bits: Bullet warns of a PNG of any other depth
    assert len(data) < SIZE * SIZE + 600  # a byte per pixel, little more
    pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    low, high = np.minimum(look.dark, look.light), np.maximum(look.dark, look.light)
    assert (pixels >= low).all() and (pixels <= high).all()


def test_picture_bytes_are_pinned() -> None:
    """Whole-number arithmetic and stored blocks: the same bytes on any machine."""
    data = b"".join(png(Texture(name, (0, 0, 0), (255, 255, 255), 1.0)) for name in PATTERNS)
    assert hashlib.sha256(data).hexdigest()[:16] == "2708227ec04398b6"


@pytest.mark.parametrize("pattern", ["wood", "weave"])
def test_patterns_repeat_without_a_seam(pattern: str) -> None:
    grid = shades(pattern)
    inner = np.abs(np.diff(grid, axis=1)).mean()
    seam = np.abs(grid[:, 0] - grid[:, -1]).mean()
    assert seam <= 3 * inner + 1


def test_grain_runs_along_the_longest_extent() -> None:
    coordinates = unwrap(box((0.1, 2.0, 0.3), "oak"), 1.0)
    spans = np.ptp(coordinates.reshape(-1, 2), axis=0)
    assert spans[0] == pytest.approx(2.0, abs=0.2) and spans[1] < 1


def test_a_label_wraps_around_without_a_seam() -> None:
    coordinates = unwrap(cylinder((0.03, 0.1), "red_label"), 0.0)
    sides = coordinates[np.ptp(coordinates[..., 1], axis=1) > 0.5]
    assert np.ptp(sides[..., 0], axis=1).max() < 0.2


def test_textures_survive_normalization(collection: Path) -> None:
    outcome = bench.normal(collection / "nightstand_00000")
    assert any(name.endswith(".png") for name in outcome.files)
    assert not outcome.findings
