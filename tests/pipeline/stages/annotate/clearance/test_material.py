# SPDX-License-Identifier: Apache-2.0
"""Material in a region: sheets, solids, borders, and triangles against a linear program."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from pipeline.stages.annotate.clearance.material import TOUCH, Material
from pipeline.stages.annotate.clearance.parts import Part
from pipeline.stages.annotate.clearance.surfaces import clip_polygon
from tests.pipeline.stages.annotate.clearance.shapes import box, material, part, solid

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
SHEET = Material(SQUARE, np.array([[0, 1, 2], [0, 2, 3]]))
seeds = st.integers(0, 2**32 - 1)


def test_a_sheet_is_in_the_regions_that_it_crosses() -> None:
    assert SHEET.is_in(box([0.2, 0.2, -0.1], [0.4, 0.4, 0.1]))
    assert SHEET.is_in(box([-1, -1, -1], [2, 2, 2]))  # all of it inside
    assert not SHEET.is_in(box([0.2, 0.2, 0.01], [0.4, 0.4, 0.1]))
    assert not SHEET.is_in(box([1.01, 0.2, -0.1], [1.2, 0.4, 0.1]))


@pytest.mark.parametrize("touch", [TOUCH, 0.01, 0.0])
def test_surface_counts_that_is_deeper_in_a_region_than_its_border(touch: float) -> None:
    """The sheet is `depth` above the bottom of the region, or below its top."""
    for depth, expected in [(touch + 1e-5, True), (touch - 1e-5, False)]:
        above = box([0.2, 0.2, -depth], [0.4, 0.4, 0.1])
        below = box([0.2, 0.2, -0.1], [0.4, 0.4, depth])
        assert SHEET.is_in(above, touch) is SHEET.is_in(below, touch) is expected


def test_surface_on_the_border_counts_with_a_touch_below_zero() -> None:
    region = box([0.2, 0.2, 0.0], [0.4, 0.4, 0.1])
    assert not SHEET.is_in(region, 0.0)
    assert SHEET.is_in(region, -1e-5)


def test_a_region_inside_a_solid_has_material_whatever_way_it_faces() -> None:
    cube, region = solid([0, 0, 0], [1, 1, 1]), box([0.4, 0.4, 0.4], [0.6, 0.6, 0.6])
    inverted = cube.copy()
    inverted.invert()
    assert material(cube).is_in(region)
    assert material(inverted).is_in(region)
    assert not material(cube).is_in(box([1.4, 0.4, 0.4], [1.6, 0.6, 0.6]))


def test_a_cavity_has_no_material_and_its_wall_has() -> None:
    hole = solid([0.2, 0.2, 0.2], [0.8, 0.8, 0.8])
    hole.invert()
    hollow = material(solid([0, 0, 0], [1, 1, 1]), hole)
    assert not hollow.is_in(box([0.4, 0.4, 0.4], [0.6, 0.6, 0.6]))
    assert hollow.is_in(box([0.05, 0.4, 0.4], [0.15, 0.6, 0.6]))


def test_a_link_without_surface_has_no_material() -> None:
    nothing = Material(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
    assert not nothing.is_in(box([0, 0, 0], [1, 1, 1]))


def common_depth(triangle: np.ndarray, region: Part) -> float:
    """Return how deep in a region a triangle reaches, at most, by a linear program.

    The unknowns are three weights that sum to 1 and the depth.
    """
    rows = np.column_stack([region.normals @ triangle.T, np.ones(len(region.normals))])
    found = linprog([0, 0, 0, -1], rows, region.offsets, np.array([[1.0, 1, 1, 0]]), [1.0],
                    bounds=[(0, 1)] * 3 + [(None, None)])  # fmt: skip
    assert found.success, found.message
    return float(found.x[3])


@settings(max_examples=80)
@given(seeds)
def test_a_triangle_is_in_a_region_as_deep_as_a_linear_program_says(seed: int) -> None:
    source = np.random.default_rng(seed)
    region = part(source.uniform(-0.5, 0.5, (12, 3)))
    triangles = source.uniform(-0.7, 0.7, (6, 3, 3))
    for triangle in triangles:
        depth = common_depth(triangle, region)
        one = Material(triangle, np.array([[0, 1, 2]]))
        # Less than 1e-9 of area is none, so a corner must be 1e-3 deep.
        if depth > TOUCH + 1e-3:
            assert one.is_in(region)
        elif depth < TOUCH - 1e-9:
            assert not one.is_in(region)


def clipped(polygon: np.ndarray, normal: np.ndarray, offset: float) -> np.ndarray:
    """Return the corners of a convex polygon's part below a plane."""
    out = np.empty((len(polygon) + 1, 3))
    count = clip_polygon(polygon, polygon @ normal - offset, len(polygon), out)
    return out[:count]


def area(polygon: np.ndarray) -> float:
    """Return the area of a flat polygon, by Newell's formula."""
    return float(np.linalg.norm(np.cross(polygon, np.roll(polygon, -1, axis=0)).sum(axis=0)) / 2)


@settings(max_examples=60)
@given(seeds)
def test_the_two_sides_of_a_plane_are_all_of_a_triangle(seed: int) -> None:
    source = np.random.default_rng(seed)
    triangle, normal = source.normal(size=(3, 3)), source.normal(size=3)
    offset = float(source.normal())
    below, above = clipped(triangle, normal, offset), clipped(triangle, -normal, -offset)
    whole = trimesh.triangles.area(triangle[None]).sum()
    assert area(below) + area(above) == pytest.approx(whole)
    assert (below @ normal).max(initial=-np.inf) <= offset + 1e-9
    assert (above @ normal).min(initial=np.inf) >= offset - 1e-9


def test_a_corner_that_is_cut_off_has_the_area_of_similar_triangles() -> None:
    triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    across = np.array([1.0, 0, 0])
    assert area(clipped(triangle, across, 0.3)) == pytest.approx(0.5 - 0.7**2 / 2)
    assert area(clipped(triangle, -across, -0.3)) == pytest.approx(0.7**2 / 2)


def test_areas_of_many_triangles_add_up_and_slivers_are_nothing() -> None:
    """Each triangle has 2e-11 in the region, of which 500 are enough and 40 are not."""
    region = box([0, 0, 0], [1, 1, 1])
    triangle = np.array([[-1, 0.5, 0.5], [2e-5, 0.5, 0.5 - 5e-7], [2e-5, 0.5, 0.5 + 5e-7]])
    for count, expected in ((500, True), (40, False)):
        corners = np.tile(triangle, (count, 1)) + np.repeat(
            np.linspace(0, 0.1, count)[:, None] * [0, 1, 0], 3, axis=0
        )
        many = Material(corners, np.arange(3 * count).reshape(-1, 3))
        assert many.is_in(region, 0.0) is expected


def wheel(sides: int) -> Part:
    """Return a disk of radius 0.1 and thickness 0.1."""
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = 0.1 * np.column_stack([np.cos(angles), np.sin(angles)])
    return part(np.array([[x, y, z] for x, y in ring for z in (-0.05, 0.05)]))


def test_many_planes_that_are_almost_one_do_not_multiply_the_triangles() -> None:
    """Each of 3,000 sides of a wheel cuts its disk a little, and each cut leaves two triangles."""
    region, touch = wheel(3000), 1e-3
    assert len(region.normals) > 2900
    fan = trimesh.creation.icosphere(subdivisions=3, radius=1.0)
    flat = fan.vertices * [1, 1, 0] + [0.37, 0.21, 0.0]  # many triangles across the rim
    assert Material(flat, fan.faces).is_in(region, touch)
    # A strip beside the rim, inside the region but for the touch.
    strip = np.array([[0.0995, -0.2, -0.2], [0.0995, 0.2, -0.2], [0.0995, 0.2, 0.2]])
    assert not Material(strip, np.array([[0, 1, 2]])).is_in(region, touch)
    assert Material(strip, np.array([[0, 1, 2]])).is_in(region, 1e-4)
