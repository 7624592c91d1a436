# SPDX-License-Identifier: Apache-2.0
"""Parts cut side by side: closed forms, and intersections of half-spaces by qhull."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, HalfspaceIntersection

from pipeline.stages.annotate.clearance.parts import THINNEST, Part
from pipeline.stages.annotate.clearance.polytopes import CUT, NOTHING, WHOLE, cut_sides, fans
from tests.pipeline.stages.annotate.clearance.shapes import box, part

CUBE = box([0, 0, 0], [1, 1, 1])
seeds = st.integers(0, 2**32 - 1)


def cut(whole: Part, normals: np.ndarray, offsets: np.ndarray) -> tuple[int, Part, int]:
    """Return the state, what is left, and its number of sides."""
    sides = whole.sides
    assert sides is not None
    planes = np.asarray(normals, dtype=float), np.asarray(offsets, dtype=float)
    state, points, sides = cut_sides(whole.vertices, sides, planes, (1e-12, THINNEST))
    return state, Part(points, fans(sides)), len(sides[1]) - 1


def test_a_cube_has_six_sides_of_four_corners_that_face_outward() -> None:
    assert CUBE.sides is not None
    corners, starts = CUBE.sides
    assert np.diff(starts).tolist() == [4] * 6
    for side in np.split(CUBE.vertices[corners], starts[1:-1]):
        turn = np.cross(side[1] - side[0], side[2] - side[1])
        assert turn @ (side.mean(axis=0) - 0.5) == pytest.approx(0.5)


def test_corners_within_a_side_or_an_edge_of_a_part_are_no_corners_of_what_is_left() -> None:
    grid = np.array([[x, y, z] for x in (0, 0.5, 1) for y in (0, 0.5, 1) for z in (0, 1)])
    whole = Part(grid, ConvexHull(grid).simplices)
    state, left, count = cut(whole, [[0, 0, 1]], [0.5])
    assert state == CUT
    assert count == 6
    assert sorted(left.vertices.tolist()) == sorted((CUBE.vertices * [1, 1, 0.5]).tolist())


@pytest.mark.parametrize(("height", "volume"), [(1.0, 1 / 6), (2.0, 5 / 6), (1.5, 1 / 2)])
def test_a_plane_through_corners_of_a_cube_cuts_it_there(height: float, volume: float) -> None:
    """At 1 and 2 it passes three corners; in between it cuts a hexagon."""
    state, left, count = cut(CUBE, [[1, 1, 1]], [height])
    assert state == CUT
    assert left.volume == pytest.approx(volume)
    assert count == (4 if height == 1 else 7)


def test_a_plane_along_an_edge_cuts_a_prism_of_half_the_cube() -> None:
    state, left, count = cut(CUBE, [[1, -1, 0]], [0.0])
    assert (state, count, len(left.vertices)) == (CUT, 5, 6)
    assert left.volume == pytest.approx(0.5)


def test_what_no_plane_reaches_is_whole_and_what_is_above_one_is_nothing() -> None:
    assert cut(CUBE, [[1, 0, 0], [0, 1, 0]], [1.0, 2.0])[0] == WHOLE
    assert cut(CUBE, [[1, 0, 0], [0, 1, 0]], [0.5, 0.99 * THINNEST])[0] == NOTHING
    assert CUBE.region_below(np.array([[1.0, 0, 0]]), np.array([1.0]), 0.0) is CUBE
    assert CUBE.region_below(np.array([[1.0, 0, 0]]), np.array([0.0]), 0.0) is None


@settings(max_examples=80, deadline=None)
@given(seeds, st.integers(4, 80), st.booleans())
def test_what_is_left_is_the_intersection_of_all_half_spaces(
    seed: int, count: int, on_grid: bool
) -> None:
    """On a grid, many corners are coplanar and many planes pass through corners."""
    source = np.random.default_rng(seed)
    if on_grid:
        whole = part(source.integers(-2, 3, (count + 30, 3)) / 4)
        normals, offsets = source.integers(-1, 2, (4, 3)).astype(float), np.full(4, 0.25)
        offsets, normals = offsets[normals.any(axis=1)], normals[normals.any(axis=1)]
    else:
        whole = part(source.uniform(-0.5, 0.5, (count, 3)))
        normals, offsets = source.normal(size=(4, 3)), source.uniform(0.1, 0.3, 4)
    left = whole.region_below(normals, offsets, 0.0)
    if left is None:
        assert not on_grid  # whose origin is 0.14 or more within each plane
        return
    spaces = np.vstack([ConvexHull(whole.vertices).equations, np.column_stack([normals, -offsets])])
    expected = HalfspaceIntersection(spaces, left.vertices.mean(axis=0)).intersections
    assert left.volume == pytest.approx(ConvexHull(expected).volume, abs=1e-9)
    if not on_grid:  # where rounding may make two corners of one
        assert len(left.vertices) == len(np.unique(np.round(expected, 7), axis=0))
