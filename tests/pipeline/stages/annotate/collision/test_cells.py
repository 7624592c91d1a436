# SPDX-License-Identifier: Apache-2.0
"""Cells of air against a search that asks an independent ray caster about every step."""

from __future__ import annotations

from collections import deque
from itertools import product

import numpy as np
import pytest
import trimesh

from pipeline.stages.annotate.collision.cells import Cells, cells_around

STEPS = [np.array(step) for step in [(1, 0, 0), (0, 1, 0), (0, 0, 1)]]


def bowl() -> trimesh.Trimesh:
    """Return half a hollow ball, open upwards."""
    outer, inner = trimesh.creation.icosphere(3), trimesh.creation.icosphere(3, radius=0.8)
    whole = outer.difference(inner)
    return whole.difference(trimesh.creation.box((3, 3, 3)).apply_translation([0, 0, 1.6]))


def sheets() -> trimesh.Trimesh:
    """Return a box without a lid, of walls without thickness, with a wall inside."""
    box = trimesh.creation.box((1, 0.8, 0.6))
    box.update_faces(box.face_normals[:, 2] < 0.5)
    wall = trimesh.Trimesh(
        [(0.1, -0.4, -0.3), (0.1, 0.4, -0.3), (0.1, 0.4, 0.1), (0.1, -0.4, 0.1)],
        [(0, 1, 2), (0, 2, 3)],
    )
    return trimesh.util.concatenate([box, wall])


def walked(mesh: trimesh.Trimesh, cells: Cells) -> np.ndarray:
    """Return what air reaches by single steps between centers; trimesh's rays find the walls."""
    shape = cells.air.shape
    reached = np.zeros(shape, dtype=bool)
    grid = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3)
    rays = trimesh.ray.ray_triangle.RayMeshIntersector(mesh)
    walls = {}
    for axis, step in enumerate(STEPS):
        starts = cells.to_link(grid + 0.5)
        length = np.linalg.norm(cells.to_link(step[None] * 1.0) - cells.to_link(np.zeros((1, 3))))
        direction = cells.axes[axis]
        places, number, _ = rays.intersects_location(starts, np.tile(direction, (len(grid), 1)))
        near = np.linalg.norm(places - starts[number], axis=1) <= length
        walls[axis] = {tuple(grid[n]) for n in number[near]}
    queue = deque([(0, 0, 0)])
    reached[0, 0, 0] = True
    while queue:
        here = queue.popleft()
        for axis, sign in product(range(3), (1, -1)):
            there = tuple(int(v) for v in np.array(here) + sign * STEPS[axis])
            inside = all(0 <= v < n for v, n in zip(there, shape, strict=True))
            gate = here if sign > 0 else there
            if inside and not reached[there] and gate not in walls[axis]:
                reached[there] = True
                queue.append(there)
    return reached


@pytest.mark.parametrize("make", [bowl, sheets], ids=["bowl", "sheets"])
def test_air_is_what_single_steps_reach(make: object) -> None:
    mesh = make()  # type: ignore[operator]
    cells = cells_around(np.asarray(mesh.triangles), 24)
    reached = walked(mesh, cells)
    assert np.array_equal(cells.air, reached)


def test_occupied_cells_have_surface_or_solid_in_them() -> None:
    mesh = bowl()
    cells = cells_around(np.asarray(mesh.triangles), 24)
    low, high = np.zeros(3), np.array(cells.air.shape, dtype=float)
    occupied = cells.occupied(cells.to_cells(np.asarray(mesh.triangles)), low, high)
    assert (occupied | cells.air).all()
    shared = np.argwhere(occupied & cells.air) + 0.5
    distance = trimesh.proximity.closest_point(mesh, cells.to_link(shared))[1]
    assert distance.max() <= np.linalg.norm(cells.size) / 2
    # Every point of the surface lies in an occupied cell, but for slivers that cut a cell's corner.
    points = cells.to_cells(sampled(mesh))
    assert occupied[tuple(np.floor(points).astype(int).T)].mean() > 0.9


def sampled(mesh: trimesh.Trimesh) -> np.ndarray:
    """Return random points (n, 3) of a surface."""
    return np.asarray(trimesh.sample.sample_surface(mesh, 2000, seed=4)[0])


def test_a_leg_between_the_lines_is_occupied_all_along() -> None:
    top = trimesh.creation.box((1, 0.7, 0.02)).apply_translation([0, 0, 0.69])
    leg = trimesh.creation.box((0.004, 0.004, 0.7)).apply_translation([0.3, 0.2, 0.35])
    mesh = top.union(leg)
    triangles = np.asarray(mesh.triangles)
    cells = cells_around(triangles, 24)
    occupied = cells.occupied(
        cells.to_cells(triangles), np.zeros(3), np.array(cells.air.shape) * 1.0
    )
    heights = np.linspace(0.01, 0.68, 50)
    places = np.stack([np.full(50, 0.3), np.full(50, 0.2), heights], axis=1)
    assert occupied[tuple(np.floor(cells.to_cells(places)).astype(int).T)].all()


def test_a_cavity_without_an_opening_is_solid() -> None:
    outer, inner = trimesh.creation.icosphere(3), trimesh.creation.icosphere(3, radius=0.8)
    cells = cells_around(np.asarray(outer.difference(inner).triangles), 24)
    middle = tuple(n // 2 for n in cells.air.shape)
    assert not cells.air[middle]


@pytest.mark.parametrize("turn", [0.0, 0.4, 1.3])
def test_a_hull_holds_the_cells_whose_centers_it_contains(turn: float) -> None:
    mesh = sheets()
    mesh.apply_transform(trimesh.transformations.rotation_matrix(turn, (1, 2, 3)))
    cells = cells_around(np.asarray(mesh.triangles), 24)
    points = np.random.default_rng(3).uniform(2, 8, size=(40, 3))
    hull = trimesh.convex.convex_hull(points)
    centers = np.stack(np.meshgrid(*(np.arange(n) + 0.5 for n in cells.air.shape), indexing="ij"))
    centers = centers.reshape(3, -1).T
    normals, origins = hull.face_normals, hull.triangles[:, 0]
    beyond = centers @ normals.T - np.einsum("ij,ij->i", normals, origins)
    held = (beyond.max(axis=1) <= 0).reshape(cells.air.shape)
    assert cells.inside(np.asarray(hull.triangles)) == ((held & cells.air).sum(), held.sum())


@pytest.mark.parametrize("turn", [0.3, 0.7, 2.0])
def test_the_grid_is_aligned_with_a_rotated_box(turn: float) -> None:
    box = trimesh.creation.box((1, 0.7, 0.4))
    matrix = trimesh.transformations.rotation_matrix(turn, (1, -2, 0.5))
    box.apply_transform(matrix)
    cells = cells_around(np.asarray(box.triangles), 24)
    # Every axis of the grid is one of the box, up to its sign.
    assert np.sort(np.abs(cells.axes @ matrix[:3, :3]), axis=1)[:, 2] == pytest.approx(1, abs=1e-9)
    assert np.sort(cells.size * (np.array(cells.air.shape) - 2.02)) == pytest.approx([0.4, 0.7, 1])


def test_the_air_around_a_point_is_that_of_27_cells_the_outermost_ones_repeated() -> None:
    cells = cells_around(np.asarray(bowl().triangles), 24)
    size = np.array(cells.air.shape)
    points = np.random.default_rng(1).uniform(0, size, (200, 3))
    points = np.concatenate([points, [[0, 0, 0], size - 1e-9]])
    padded = np.pad(cells.air, 1, mode="edge")
    expected = [
        padded[i : i + 3, j : j + 3, k : k + 3].mean()
        for i, j, k in np.floor(points).astype(int).tolist()
    ]
    assert cells.air_around(points).tolist() == expected
