# SPDX-License-Identifier: Apache-2.0
"""Convex parts: volumes, widths and cuts against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from pipeline.stages.annotate.clearance.parts import THINNEST, Part, part_of
from tests.pipeline.stages.annotate.clearance.shapes import box, part

CUBE = box([0, 0, 0], [1, 1, 1])
# A triangle of legs 1 and 1, two high.
PRISM = part(np.array([[x, y, z] for x, y in ((0, 0), (1, 0), (0, 1)) for z in (0, 2)]))


def left(whole: Part, normal: list[float], offset: float) -> Part:
    found = whole.below(np.array(normal), offset)
    assert found is not None
    return found


def test_a_cube_has_six_directions_its_volume_and_its_width() -> None:
    assert CUBE.volume == pytest.approx(1.0)
    assert CUBE.width == pytest.approx(1.0)
    assert sorted(CUBE.normals.tolist()) == sorted([*np.eye(3).tolist(), *(-np.eye(3)).tolist()])
    for normal, offset in zip(CUBE.normals, CUBE.offsets, strict=True):
        assert offset == (1.0 if normal.sum() > 0 else 0.0)


@pytest.mark.parametrize("share", [0.001, 0.25, 0.5, 0.999])
def test_a_cube_is_cut_across_at_any_height(share: float) -> None:
    lower = left(CUBE, [0, 0, 2], 2 * share)  # a normal of any length
    upper = left(CUBE, [0, 0, -1], -share)
    assert lower.volume == pytest.approx(share)
    assert upper.volume == pytest.approx(1 - share)
    assert lower.box.tolist() == [[0, 0, 0], [1, 1, share]]


@pytest.mark.parametrize("t", [0.1, 0.5, 1.0])
def test_the_corner_of_a_cube_is_a_tetrahedron(t: float) -> None:
    corner = left(CUBE, [1, 1, 1], t)
    assert corner.volume == pytest.approx(t**3 / 6)
    assert left(CUBE, [-1, -1, -1], -t).volume == pytest.approx(1 - t**3 / 6)
    assert len(corner.vertices) == 4


def test_a_prism_is_cut_across_and_along() -> None:
    assert PRISM.volume == pytest.approx(1.0)
    assert left(PRISM, [0, 0, 1], 0.5).volume == pytest.approx(0.25)
    # The triangle's tip beyond x = 1/2 has legs of 1/2.
    assert left(PRISM, [-1, 0, 0], -0.5).volume == pytest.approx(2 * 0.5**2 / 2)


def test_a_thin_sheet_is_cut_and_keeps_its_thickness() -> None:
    sheet = box([0, 0, 0], [1, 1, 1e-5])
    half = left(sheet, [1, 1, 0], 1.0)
    assert half.volume == pytest.approx(1e-5 / 2)
    assert half.width == pytest.approx(1e-5)


def test_a_part_that_is_not_cut_is_itself_and_one_beyond_the_plane_is_nothing() -> None:
    for offset in (1.0, 1.5):
        assert CUBE.below(np.array([1.0, 0, 0]), offset) is CUBE
    for offset in (0.0, -0.5):
        assert CUBE.below(np.array([1.0, 0, 0]), offset) is None


def test_slivers_are_nothing() -> None:
    up = np.array([0, 0, 1.0])
    assert CUBE.below(up, 0.99 * THINNEST) is None
    assert left(CUBE, [0, 0, 1], 1.01 * THINNEST).width == pytest.approx(1.01 * THINNEST)
    sheet = box([0, 0, 0], [1, 1, 1e-5])
    assert sheet.below(up, 0.4e-5) is None  # less than half as thin as it was
    assert left(sheet, [0, 0, 1], 0.6e-5).volume == pytest.approx(0.6e-5)


def test_flat_points_are_no_part() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
    assert part_of(square) is None
    assert part_of(square[:3]) is None
    assert part_of(np.zeros((0, 3))) is None


points = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).uniform(-0.5, 0.5, (12, 3))
)
directions = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda n: float(np.linalg.norm(n)) > 0.1)


@given(points, directions, st.floats(-0.4, 0.4))
def test_both_sides_of_a_cut_are_the_whole(
    corners: np.ndarray, direction: tuple[float, ...], offset: float
) -> None:
    whole, normal = part(corners), np.array(direction)
    sides = [whole.below(normal, offset), whole.below(-normal, -offset)]
    assert whole.volume == pytest.approx(ConvexHull(corners).volume)
    # A sliver is at most as wide as the thinnest part, over a square of side sqrt(3).
    volume = sum(side.volume for side in sides if side is not None)
    assert volume == pytest.approx(whole.volume, abs=3 * THINNEST if None in sides else 1e-9)
    for side, sign in zip(sides, (1, -1), strict=True):
        if side is not None:
            assert (sign * (side.vertices @ normal - offset)).max() <= 1e-9
