# SPDX-License-Identifier: Apache-2.0
"""Floors stay in one part: what a part contains is asked of the planes of its triangles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from pipeline.shapes.pieces import Piece
from pipeline.stages.annotate.collision import slabs
from pipeline.stages.annotate.collision.cells import cells_around
from pipeline.stages.annotate.collision.cuts import Cut, Part
from pipeline.stages.annotate.collision.links import link_parts
from pipeline.stages.annotate.collision.slabs import slab_cut

TURNS = [0.0, 0.35, 1.1]


def turned(points: np.ndarray, turn: float) -> np.ndarray:
    """Return points (n, 3), turned about an oblique axis."""
    matrix = trimesh.transformations.rotation_matrix(turn, (1, 2, 3))
    return trimesh.transform_points(points, matrix)


def vessel(*profile: tuple[float, float]) -> trimesh.Trimesh:
    """Return a profile of (radius, height), up outside and down inside, turned about z."""
    found = trimesh.creation.revolve(np.array(profile), sections=32)
    assert found.is_volume
    return found


def pail(foot: float) -> trimesh.Trimesh:
    """Return a tapered pail of 0.2 m with a floor of 4 mm, on a foot ring of a height."""
    under = [(0, foot), (0.07, foot), (0.07, 0)] if foot else [(0, 0)]
    floor = foot + 0.004
    return vessel(*under, (0.08, 0), (0.1, 0.2), (0.0975, 0.2), (0.0775, floor), (0, floor))


def tapered_bin() -> trimesh.Trimesh:
    """Return a rectangular bin of 0.4 x 0.5 x 0.9 m at its rim; its floor is 15 mm thick."""
    levels = ((0.3, 0.4, 0.0), (0.4, 0.5, 0.9), (0.38, 0.48, 0.9), (0.28, 0.38, 0.015))
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
    points = [(a * x, b * y, z) for a, b, z in levels for x, y in corners]
    faces = [(0, 2, 1), (0, 3, 2), (12, 13, 14), (12, 14, 15)]
    for low in (0, 4, 8):
        for k in range(4):
            a, b = low + k, low + (k + 1) % 4
            faces += [(a, b, b + 4), (a, b + 4, a + 4)]
    found = trimesh.Trimesh(points, faces, process=False)
    assert found.is_volume
    return found


def parts_of(mesh: trimesh.Trimesh, turn: float = 0.0) -> list[trimesh.Trimesh]:
    """Return the convex parts of a turned mesh, turned back."""
    piece = Piece(np.round(turned(mesh.vertices, turn), 9) + 0.0, np.asarray(mesh.faces))
    found = link_parts([piece], most=64, smallest=1e-6)
    assert found.filled == 0
    return [trimesh.Trimesh(turned(h.vertices, -turn), h.faces, process=False) for h in found.hulls]


def holds(hull: trimesh.Trimesh, points: np.ndarray, slack: float = 1e-6) -> np.ndarray:
    """Tell which points (n, 3) lie in a convex part, or within `slack` [m] of it."""
    normals, origins = hull.face_normals, hull.triangles[:, 0]
    beyond = points @ normals.T - np.einsum("ij,ij->i", normals, origins)
    return np.asarray(beyond.max(axis=1) <= slack)


def disk(radius: float, height: float) -> np.ndarray:
    """Return points (n, 3) all over a level disk."""
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rings = [np.stack([r * np.cos(angles), r * np.sin(angles)], axis=1) for r in (0, 0.5, 1)]
    flat = radius * np.concatenate(rings)
    return np.column_stack([flat, np.full(len(flat), height)])


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("foot", [0.0, 0.003, 0.02])
def test_a_round_floor_stays_in_one_part(foot: float, turn: float) -> None:
    hulls = parts_of(pail(foot), turn)
    floor = np.concatenate([disk(0.076, foot), disk(0.076, foot + 0.004)])
    assert sum(holds(hull, floor).all() for hull in hulls) == 1
    # No other part reaches into the middle, and nothing stands on the floor.
    middle = disk(0.05, foot + 0.002)
    assert sum(holds(hull, middle).any() for hull in hulls) == 1
    above = disk(0.06, foot + 0.006)
    assert not any(holds(hull, above).any() for hull in hulls)


def test_a_floor_that_slopes_to_its_middle_is_filled_to_its_rim() -> None:
    # A bottle: its floor falls by 4 mm from the wall to the middle, where wedges would meet.
    bottle = vessel(
        (0, 0), (0.033, 0), (0.036, 0.006), (0.036, 0.2), (0.033, 0.2), (0.033, 0.01), (0, 0.006)
    )
    hulls = parts_of(bottle)
    floor = np.concatenate([disk(0.03, 0.001), disk(0.03, 0.0095)])
    assert sum(holds(hull, floor).all() for hull in hulls) == 1
    assert not any(holds(hull, disk(0.025, 0.0115)).any() for hull in hulls)


def test_a_bin_with_slanted_walls_keeps_its_floor_and_its_hollow() -> None:
    mesh = tapered_bin()
    assert np.array_equal(cells_around(np.asarray(mesh.triangles), 24).axes, np.eye(3))
    hulls = parts_of(mesh)
    x, y = np.meshgrid((-0.13, 0, 0.13), (-0.18, 0, 0.18))
    floor, inside = (np.stack([x, y, np.full(x.shape, z)], -1).reshape(-1, 3) for z in (0.008, 0.1))
    assert sum(holds(hull, floor).all() for hull in hulls) == 1
    assert not any(holds(hull, 0.9 * inside).any() for hull in hulls)


def test_a_tapered_ring_is_cut_along_its_axis_only() -> None:
    ring = vessel((0.08, 0), (0.1, 0.05), (0.095, 0.05), (0.075, 0), (0.08, 0))
    hulls = parts_of(ring)
    assert len(hulls) > 1
    assert all(np.allclose(hull.bounds[:, 2], (0, 0.05), atol=1e-6) for hull in hulls)


def part_of(mesh: trimesh.Trimesh) -> Part:
    """Return a mesh as a part in a box that is not cut, in cells of 1 m."""
    points = np.asarray(mesh.vertices) - mesh.bounds[0] + 1
    return Part(points, np.asarray(mesh.faces), np.zeros(3), points.max(axis=0) + 1)


def test_the_solid_is_a_slab_and_not_the_gap_between_two() -> None:
    # Two boards that a wall joins, 1 m thick, with a gap of 8 m: a letter C.
    gap = trimesh.creation.box((10, 10, 8)).apply_translation((1, 0, 0))
    shape = trimesh.creation.box((10, 10, 10)).difference(gap)
    part = part_of(shape)
    assert slab_cut(part, 1) in (Cut(0, 2.0), Cut(2, 2.0), Cut(2, 10.0, is_below=False))
    # Of a shape that faces inward, the same. Read the wrong way, nothing is solid.
    inward = Part(part.points, part.faces[:, ::-1], part.low, part.high)
    assert slab_cut(inward, -1) == slab_cut(part, 1)
    assert slab_cut(inward, 1) is None


def test_a_ring_and_a_solid_have_no_slab() -> None:
    assert slab_cut(part_of(trimesh.creation.annulus(8, 10, 4)), 1) is None
    assert slab_cut(part_of(trimesh.creation.box((4, 5, 6))), 1) is None


def test_planes_that_differ_by_rounding_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = trimesh.creation.cylinder(5, 8, sections=24)
    part = part_of(mesh)
    # Corners that are rounded up or down, so that triangles of one end are a millionth apart.
    noise = np.random.default_rng(3).uniform(1e-7, 9e-7, size=part.points.shape)
    part = replace(part, points=part.points + noise)
    assert slab_cut(part, 1) is None
    monkeypatch.setattr(slabs, "_THINNEST", 1e-9)
    assert slab_cut(part, 1) is not None
