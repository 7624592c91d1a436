# SPDX-License-Identifier: Apache-2.0
"""Gaps between convex parts against closed forms and a linear program."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from aa_dataset.metric._engine import has_numba
from pipeline.stages.annotate.clearance.carving import APART
from pipeline.stages.annotate.clearance.parts import Part
from pipeline.stages.annotate.clearance.separation import (
    compiled_gaps,
    gaps,
    images,
    numpy_gaps,
    numpy_overlap,
    overlap,
)
from tests.pipeline.stages.annotate.clearance.shapes import (
    STILL,
    box,
    part,
    separation,
    shifts,
    slide,
)

CUBE = box([-0.1, -0.1, -0.1], [0.1, 0.1, 0.1])
FAR = 10.0  # a gap that is never reached, so that all of the search is done


def tilted(rotation: Rotation) -> Part:
    return part(rotation.apply(CUBE.vertices))


@pytest.mark.parametrize("gap", [0.3, 1e-3, 0.0, -1e-3, -0.05])
@pytest.mark.parametrize("axis", range(3))
def test_the_gap_of_two_faces_is_their_distance(gap: float, axis: int) -> None:
    offset = np.eye(3)[axis] * (0.2 + gap)
    found = gaps(CUBE, CUBE, shifts(offset, -offset), FAR)
    assert found.widths == pytest.approx([gap, gap])
    assert found.directions == pytest.approx(np.eye(3)[[axis, axis]] * [[1], [-1]])


def test_edges_that_cross_are_apart_along_their_common_normal() -> None:
    """One edge along y tops the lower cube, one along x is the lowest of the upper one."""
    lower, upper = (tilted(Rotation.from_euler(a, 45, degrees=True)) for a in "yx")
    reach = 0.1 * math.sqrt(2)
    found = gaps(upper, lower, shifts([0, 0, 2 * reach + 0.01]), FAR)
    assert found.widths == pytest.approx([0.01], rel=0.02)
    assert found.widths[0] <= 0.01 + 1e-12
    assert found.directions[0] == pytest.approx([0, 0, 1], abs=0.05)


def test_corners_are_apart_along_their_diagonal() -> None:
    step = 0.02 / math.sqrt(3)
    found = gaps(CUBE, CUBE, shifts([0.2 + step] * 3), FAR)
    assert found.widths == pytest.approx([0.02], rel=0.02)
    assert found.directions[0] == pytest.approx(np.full(3, 1 / math.sqrt(3)), abs=0.05)


@pytest.mark.parametrize("depth", [k / 1000 for k in range(1, 200, 7)])
def test_boxes_in_line_overlap_by_their_depth(depth: float) -> None:
    """The search for a direction may end exactly where there is none."""
    found = gaps(CUBE, CUBE, shifts([0.2 - depth, 0, 0]), APART)
    assert found.widths == pytest.approx([-depth])
    assert found.directions == pytest.approx(np.array([[1.0, 0, 0]]))


def test_equal_parts_in_one_place_are_as_deep_as_they_are_wide() -> None:
    found = gaps(CUBE, CUBE, STILL, APART)
    assert found.widths == pytest.approx([-0.2])
    assert np.linalg.norm(found.directions) == pytest.approx(1.0)


def test_a_slide_counts_all_the_way() -> None:
    """A thin wall that is passed between both ends is hit, although it is free at both."""
    wall = box([-0.01, -1, -1], [0.01, 1, 1])
    maps = np.concatenate([slide([-0.5, 0, 0], [0.5, 0, 0]), slide([0.2, 0, 0], [0.5, 0, 0])])
    found = gaps(CUBE, wall, maps, FAR)
    assert found.widths[0] == pytest.approx(-0.61)  # to leave, it must move as far as its end is
    assert found.widths[1] == pytest.approx(0.2 - 0.1 - 0.01)


def test_no_pieces_have_no_gaps() -> None:
    found = gaps(CUBE, CUBE, STILL[:0], APART)
    assert found.widths.shape == (0,)
    assert found.directions.shape == (0, 3)


def test_many_pieces_at_once_are_each_alone() -> None:
    offsets = np.random.default_rng(5).uniform(-0.5, 0.5, (3000, 3))
    maps = shifts(*offsets)
    together = gaps(CUBE, CUBE, maps, APART)
    some = [gaps(CUBE, CUBE, maps[n : n + 1], APART) for n in range(0, 3000, 300)]
    assert together.widths[::300].tolist() == [float(one.widths[0]) for one in some]


seeds = st.integers(0, 2**32 - 1)


def polytope(source: np.random.Generator) -> Part:
    """Return a hull of 4 to 20 points, some of them long or flat."""
    size = 10.0 ** source.uniform(-1.5, -0.3, 3)
    return part(source.uniform(-0.5, 0.5, (source.integers(5, 21), 3)) * size)


def turns(source: np.random.Generator, count: int, reach: float) -> np.ndarray:
    maps = np.zeros((count, 1, 3, 4))
    maps[:, 0, :, :3] = Rotation.random(count, random_state=source).as_matrix()
    maps[:, 0, :, 3] = source.uniform(-reach, reach, (count, 3))
    return maps


@settings(max_examples=60)
@given(seeds)
def test_a_gap_is_only_claimed_for_parts_that_a_plane_separates(seed: int) -> None:
    source = np.random.default_rng(seed)
    moving, still, maps = polytope(source), polytope(source), turns(source, 6, 0.4)
    found = gaps(moving, still, maps, APART)
    for width, direction, points in zip(
        found.widths, found.directions, images(moving.vertices, maps), strict=True
    ):
        # The direction is the proof of the width.
        height = (points @ direction).min() - (still.vertices @ direction).max()
        assert height == pytest.approx(width, abs=1e-6)
        assert np.linalg.norm(direction) == pytest.approx(1.0)
        if width > 1e-9:
            assert separation(points, still.vertices) > 0


@settings(max_examples=60)
@given(seeds, st.floats(0.03, 0.2))
def test_a_gap_of_some_percent_is_found(seed: int, gap: float) -> None:
    source = np.random.default_rng(seed)
    moving, still, maps = polytope(source), polytope(source), turns(source, 4, 0.0)
    away = source.normal(size=(4, 3))
    away /= np.linalg.norm(away, axis=1)[:, None]
    lowest = np.einsum("fnk,fk->fn", images(moving.vertices, maps), away).min(axis=1)
    shift = (still.vertices @ away.T).max(axis=0) + gap - lowest
    maps[:, 0, :, 3] = shift[:, None] * away
    assert (gaps(moving, still, maps, APART).widths >= APART).all()


@settings(max_examples=40)
@given(seeds)
def test_images_are_those_of_the_matrix(seed: int) -> None:
    source = np.random.default_rng(seed)
    points, maps = source.normal(size=(7, 3)), source.normal(size=(3, 2, 3, 4))
    expected = np.einsum("fkij,nj->fkni", maps, np.column_stack([points, np.ones(7)]))
    assert images(points, maps) == pytest.approx(expected.reshape(3, 14, 3))


def ball(radius: float, *, seed: int = 0) -> Part:
    """Return a ball of 2,562 corners on the sphere; its faces are at most 0.2 % of it inside."""
    points = trimesh.creation.icosphere(subdivisions=4, radius=radius).vertices
    return part(Rotation.random(random_state=seed).apply(points))


@pytest.mark.parametrize("is_exact", [True, False])
def test_round_parts_overlap_where_their_centers_are_nearer_than_their_radii(
    is_exact: bool,
) -> None:
    moving, still = ball(0.1, seed=1), ball(0.15, seed=2)
    away = np.random.default_rng(3).normal(size=(40, 3))
    away /= np.linalg.norm(away, axis=1)[:, None]
    apart = overlap(moving, still, shifts(*(0.25 + 2 * APART) * away), APART, is_exact=is_exact)
    assert is_exact is False or not apart.any()
    assert overlap(moving, still, shifts(*0.249 * away), APART, is_exact=is_exact).all()
    assert overlap(moving, still, shifts(*0.01 * away), APART, is_exact=is_exact).all()


def test_the_depth_of_round_parts_is_found_along_some_of_their_faces() -> None:
    moving, still = ball(0.1, seed=1), ball(0.15, seed=2)
    assert len(still.directions) < len(still.normals) / 8
    away = np.random.default_rng(4).normal(size=(40, 3))
    away /= np.linalg.norm(away, axis=1)[:, None]
    found = gaps(moving, still, shifts(*0.2 * away), APART).widths
    # Never less deep than two balls; along a direction up to 10 degrees off, 1.5 % of 0.2 deeper.
    assert (found <= -0.05 + 0.002 * 0.25).all()
    assert found.min() > -0.05 - 0.015 * 0.2


@settings(max_examples=30)
@given(seeds)
def test_overlaps_of_parts_with_many_faces_agree_with_a_linear_program(seed: int) -> None:
    source = np.random.default_rng(seed)
    stretch = source.uniform(0.2, 1.0, 3)
    moving = part(ball(0.2).vertices[::8] * stretch)
    still, maps = polytope(source), turns(source, 4, 0.4)
    for met, points in zip(
        overlap(moving, still, maps, APART), images(moving.vertices, maps), strict=True
    ):
        if met:
            # Parts nearer than the limit may be called overlapping.
            assert separation(points, still.vertices) <= 2 * APART
        else:
            assert separation(points, still.vertices) > 0


def grid_box(source: np.random.Generator) -> Part:
    """Return a box on a coarse grid, so that heights and gaps are often equal."""
    return box([-0.1] * 3, source.integers(0, 4, 3) / 10)


def pieces(source: np.random.Generator, count: int) -> np.ndarray:
    """Return the maps of pieces with one, two or three of them, on a grid or anywhere."""
    maps = turns(source, 5 * count, 0.4).reshape(5, count, 3, 4)
    if source.random() < 0.4:
        maps = np.round(maps, 1)
        maps[..., :3] = np.eye(3)
    return maps


@pytest.mark.skipif(not has_numba(), reason="numba is not installed")
@settings(max_examples=150)
@given(seeds, st.sampled_from([APART, 0.05, FAR]), st.booleans())
def test_both_engines_give_the_same_digits(seed: int, enough: float, is_exact: bool) -> None:
    source = np.random.default_rng(seed)
    makers = [polytope, grid_box, lambda _: ball(0.1), lambda s: part(s.normal(size=(150, 3)) / 9)]
    moving, still = (makers[source.integers(4)](source) for _ in range(2))
    maps = pieces(source, int(source.integers(1, 4)))
    expected = numpy_gaps(moving, still, maps, enough, is_exact=is_exact)
    limits = (-math.inf, enough, math.inf)
    found = compiled_gaps(moving, still, maps, limits, is_exact=is_exact)
    assert found[:, 0].tolist() == expected.widths.tolist()
    assert found[:, 1:].tolist() == expected.directions.tolist()
    meets = numpy_overlap(moving, still, maps, enough, is_exact=is_exact)
    assert overlap(moving, still, maps, enough, is_exact=is_exact).tolist() == meets.tolist()
