# SPDX-License-Identifier: Apache-2.0
"""A PNG shows the shapes of the SVG at their places and in their colors."""

from __future__ import annotations

import io
import math
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from aa_dataset.draw import Color, Drawing, Marks, tree_drawing
from aa_dataset.draw.glyphs import GLYPHS
from aa_dataset.draw.palette import light_shade
from aa_dataset.draw.paths import corners
from aa_dataset.draw.png import SCALE, png
from aa_dataset.draw.shapes import Box, Disk, Group, Stroke, Words
from aa_dataset.kinematics import Joint, KinematicTree

pytest.importorskip("matplotlib")


def pixels(drawing: Drawing) -> np.ndarray:
    """Return the picture, (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(png(drawing))).convert("RGB"))


def color(shade: Color) -> list[int]:
    code = light_shade(shade)
    return [int(code[k : k + 2], 16) for k in (1, 3, 5)]


def test_a_box_a_disk_and_a_line_are_where_the_drawing_says() -> None:
    shapes = (
        Box(10, 20, 30, 10, "fill-blue"),
        Group((Disk(0, 0, 8, "fill-green"), Stroke("M0 20H40", "edge orange")), x=60, y=30),
    )
    found = pixels(Drawing(120, 80, shapes))
    assert found.shape == (80 * SCALE, 120 * SCALE, 3)
    at = {
        (25, 25): color(Color.BLUE),
        (11, 21): color(Color.BLUE),
        (38, 28): color(Color.BLUE),
        (60, 30): color(Color.GREEN),
        (80, 50): color(Color.ORANGE),
        (5, 5): [255] * 3,
        (60, 42): [255] * 3,
    }
    for (x, y), expected in at.items():
        assert found[y * SCALE, x * SCALE].tolist() == expected, (x, y)


def test_words_stand_between_their_ends() -> None:
    found = pixels(Drawing(200, 40, (Words(100, 20, "middle", "", "middle"),)))
    dark = np.argwhere(found.sum(axis=2) < 300) / SCALE
    assert 100 - 26 < dark[:, 1].min() < 100 - 14 and 100 + 14 < dark[:, 1].max() < 100 + 26
    assert dark[:, 0].min() > 8 and dark[:, 0].max() < 25


def test_the_bytes_are_the_same_and_hostile_names_are_drawn() -> None:
    name = "$\\frac{1}{<b>\u202e漢字\x00"
    lid = Joint(name, "revolute", [1, 0, 0], [0, 0, 0], 0, 1.5, parent="base", child="lid")
    drawing = tree_drawing(KinematicTree("t", ("base", "lid"), (lid,)), Marks({}, {name: name}))
    assert png(drawing) == png(drawing)


@pytest.mark.parametrize("path", [*GLYPHS.values(), "M0 0C0 10 10 10 10 0", "M1 2L3 4V6H8"])
def test_corners_of_a_path_stay_within_its_size(path: str) -> None:
    points = [point for line in corners(path) for point in line]
    assert len(points) >= 2 and all(math.hypot(*point) <= 13 for point in points)


def test_an_arc_is_a_part_of_its_circle() -> None:
    line = corners("M-6 6A8.5 8.5 0 1 1 6 6")[0]
    center = (0, 6 - math.sqrt(8.5**2 - 6**2))  # three quarters lie above the chord
    for x, y in line:
        assert math.hypot(x - center[0], y - center[1]) == pytest.approx(8.5)
    assert line[-1] == pytest.approx((6, 6))
    assert min(y for _, y in line) == pytest.approx(center[1] - 8.5, abs=0.2)


def test_svg_needs_no_matplotlib() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from aa_dataset.kinematics import KinematicTree\n"
        "from aa_dataset.draw import draw_tree, tree_drawing\n"
        "from aa_dataset.draw.png import png\n"
        "tree = KinematicTree('t', ('base',), ())\n"
        "assert draw_tree(tree).startswith('<svg')\n"
        "try:\n    png(tree_drawing(tree))\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "pip install 'aa-dataset[figures]'" in done.stdout
