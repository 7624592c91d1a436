# SPDX-License-Identifier: Apache-2.0
"""The compiled numbers of a convex part are those of numpy, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from pipeline.stages.annotate.clearance.facets import (
    area_vectors,
    bounds,
    directions,
    farthest_plane,
    mapped,
    own_faces,
    points_below,
    spans,
)

seeds = st.integers(0, 2**32 - 1)


def cloud(seed: int) -> np.ndarray:
    """Return points (n, 3) that are not flat: scattered, or on a grid, where many are in planes."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(int(random.integers(4, 60)), 3))
    if seed % 2:
        points = random.integers(-3, 4, points.shape) * 0.1
    return np.concatenate([points, np.eye(3), np.zeros((1, 3))])


def heights(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return the place (n, k) of points along normals, added up from first to last."""
    x, y, z = (points[:, None, i] * normals[None, :, i] for i in range(3))
    return np.asarray(x + y + z)


@settings(max_examples=40)
@given(seeds)
def test_the_faces_of_a_hull_are_its_own_and_face_outward(seed: int) -> None:
    points = cloud(seed)
    hull = ConvexHull(points)
    vertices, given_faces, faces = own_faces(points, hull.simplices)
    assert (vertices == points[np.unique(hull.simplices)]).all()
    assert (vertices[given_faces] == points[hull.simplices]).all()
    assert (np.sort(faces, axis=1) == np.sort(given_faces, axis=1)).all()
    corners = vertices[faces]
    vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((corners[:, 0] - vertices.mean(axis=0)) * vectors).sum(axis=1).min() > 0
    (ux, uy, uz), (vx, vy, vz) = ((corners[:, k] - corners[:, 0]).T for k in (1, 2))
    expected = np.stack([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], axis=1)
    assert area_vectors(vertices, faces).tobytes() == expected.tobytes()


@settings(max_examples=40)
@given(seeds)
def test_directions_are_rounded_sorted_and_each_once(seed: int) -> None:
    vectors = np.repeat(cloud(seed), 2, axis=0) * 3.0
    x, y, z = vectors.T
    lengths = np.sqrt(x * x + y * y + z * z)
    kept = lengths > 0.3
    rows = np.unique(np.round(vectors[kept] / lengths[kept, None], 6) + 0.0, axis=0)
    x, y, z = rows.T
    expected = rows / np.sqrt(x * x + y * y + z * z)[:, None]
    assert directions(vectors, 0.3, 1e6).tobytes() == np.ascontiguousarray(expected).tobytes()


@settings(max_examples=40)
@given(seeds)
def test_places_along_normals_are_sums_from_first_to_last(seed: int) -> None:
    points, normals = cloud(seed), cloud(seed + 1)
    expected = heights(points, normals)
    assert (spans(points, normals) == [expected.min(axis=0), expected.max(axis=0)]).all()
    assert (bounds(points) == [points.min(axis=0), points.max(axis=0)]).all()
    maps = np.random.default_rng(seed).normal(size=(3, 2, 3, 4))
    images = mapped(points, maps).reshape(6, 3, -1)
    for image, matrix in zip(images, maps.reshape(6, 3, 4), strict=True):
        placed = heights(points, matrix[:, :3]) + matrix[:, 3]
        assert (placed == image.T).all()


@settings(max_examples=40)
@given(seeds)
def test_the_farthest_plane_is_the_first_of_those_that_are_rounded_alike(seed: int) -> None:
    points, normals = cloud(seed), np.repeat(cloud(seed + 1), 2, axis=0)
    offsets = np.full(len(normals), 0.2)
    is_left = np.ones(len(normals), dtype=bool)
    is_left[::5] = False
    above = heights(points, normals) - offsets
    beyond = np.where(is_left, above.max(axis=0), -np.inf)
    first = int(np.round(beyond, 9).argmax())
    left = is_left.copy()
    plane, lowest = farthest_plane(points, (normals, offsets), left, 0.1)
    if beyond[first] <= 0.1:
        assert plane == -1
        return
    assert (plane, lowest) == (first, above[:, first].min())
    expected = is_left & (beyond > 0.1)
    expected[first] = False
    assert (left == expected).all()


def test_a_plane_crosses_each_edge_that_goes_up_once() -> None:
    """Every edge is in two triangles, in one of them upward; a corner in the plane is below it."""
    hull = ConvexHull(np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1.0)]))
    vertices, _, faces = own_faces(hull.points, hull.simplices)
    found = points_below(vertices, faces, np.array([0, 0, 2.0]), 0.5)
    assert found[:4].tolist() == vertices[vertices[:, 2] == 0].tolist()
    # Four upright edges, and the diagonals of four sides.
    assert len(found) == 4 + 4 + 4
    assert found[4:, 2] == pytest.approx(np.full(8, 0.25))
    assert len(points_below(vertices, faces, np.array([0, 0, 1.0]), 1.0)) == 8
