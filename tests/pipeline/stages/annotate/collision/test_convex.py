# SPDX-License-Identifier: Apache-2.0
"""Components and their hulls: closed, convex, with a volume, and the same a second time."""

from __future__ import annotations

import resource

import numpy as np
import pytest
import trimesh

from pipeline.shapes.pieces import Piece
from pipeline.stages.annotate.collision.convex import FLATNESS
from pipeline.stages.annotate.collision.links import link_parts


def hulls_of(mesh: trimesh.Trimesh, most: int = 64) -> list[trimesh.Trimesh]:
    """Return the collision hulls of a mesh."""
    shape = Piece(np.asarray(mesh.vertices), np.asarray(mesh.faces))
    found = link_parts([shape], most=most)
    return [trimesh.Trimesh(hull.vertices, hull.faces) for hull in found.hulls]


def assert_good_hull(hull: trimesh.Trimesh, points: np.ndarray) -> None:
    """Assert that a hull is closed, convex, has volume and holds the points."""
    assert hull.is_volume
    assert hull.is_convex
    assert hull.volume > 0
    normals, origins = hull.face_normals, hull.triangles[:, 0]
    distances = points @ normals.T - np.einsum("ij,ij->i", normals, origins)
    assert distances.max() <= 1e-9 * np.ptp(points, axis=0).max() + 1e-12


def test_every_component_gets_its_own_convex_hull() -> None:
    parts = [
        trimesh.creation.icosphere(subdivisions=2, radius=0.3),
        trimesh.creation.box((1, 1, 1)),
        trimesh.creation.cone(0.3, 0.5),
    ]
    for number, part in enumerate(parts):
        part.apply_translation([3 * number, 0, 0])
    found = hulls_of(trimesh.util.concatenate(parts))
    assert len(found) == 3
    expected = sorted(part.convex_hull.volume for part in parts)
    assert sorted(hull.volume for hull in found) == pytest.approx(expected)
    for hull in found:
        part = min(parts, key=lambda p: float(np.linalg.norm(p.centroid - hull.centroid)))
        assert_good_hull(hull, np.asarray(part.vertices))


def test_only_the_largest_components_get_a_hull() -> None:
    sizes = [0.1, 1.0, 0.5, 0.2]
    boxes = [trimesh.creation.box((size, size, size)) for size in sizes]
    for number, box in enumerate(boxes):
        box.apply_translation([3 * number, 0, 0])
    found = hulls_of(trimesh.util.concatenate(boxes), most=2)
    assert [hull.volume for hull in found] == pytest.approx([1.0, 0.125])


@pytest.mark.parametrize(
    "points",
    [
        [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)],
        [(0, 0, 0), (2, 0, 1), (2, 1, 1), (0, 1, 0)],
        [(0, 0, 0), (1, 2, 3), (3, 2, 1), (1, 1, 1)],
        [(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3)],
        [(1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1)],
        [(0, 0, 0), (1, 0, 0), (1, 1, 1e-6), (0, 1, -1e-6)],
    ],
)
def test_a_flat_part_becomes_a_thin_box(points: list[tuple[float, ...]]) -> None:
    array = np.array(points, dtype=float)
    faces = np.array([(0, 1, 2), (0, 2, 3)])
    hulls = link_parts([Piece(array, faces)], most=4).hulls
    found = [trimesh.Trimesh(hull.vertices, hull.faces) for hull in hulls]
    assert len(found) == 1
    assert len(found[0].faces) == 12
    assert_good_hull(found[0], array)


def test_a_large_part_needs_no_square_of_memory() -> None:
    sphere = trimesh.creation.icosphere(subdivisions=6)
    count = len(sphere.vertices)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = hulls_of(sphere)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KiB
    assert len(found) == 1
    assert count**2 * 8 > 10**10
    assert grown < 2 * 10**6


def test_an_inverted_shape_gets_a_hull_that_faces_outward() -> None:
    box = trimesh.creation.box((1, 2, 3))
    found = hulls_of(trimesh.Trimesh(box.vertices, box.faces[:, ::-1], process=False))
    assert found[0].volume == pytest.approx(6)


@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 4])
def test_the_box_around_a_flat_square_is_aligned_with_it(turn: float) -> None:
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float)
    matrix = trimesh.transformations.rotation_matrix(turn, (1, 2, 3))[:3, :3]
    faces = np.array([(0, 1, 2), (0, 2, 3)])
    hulls = link_parts([Piece(square @ matrix.T, faces)], most=1).hulls
    volume = trimesh.Trimesh(hulls[0].vertices, hulls[0].faces).volume
    assert volume == pytest.approx(1 * 1 * 10 * FLATNESS, rel=1e-3)


def test_hulls_are_the_same_a_second_time() -> None:
    random = np.random.default_rng(5)
    shapes = []
    for number in range(12):
        points = random.normal(size=(40, 3)) * [1, 1, [1, 1e-2, 0][number % 3]]
        shapes.append(Piece(np.round(points + 5 * number, 9) + 0.0,
                            np.arange(39).reshape(-1, 3)))  # fmt: skip
        shapes[-1].faces[:, 0] = 0  # one component
    found = link_parts(shapes, most=99, smallest=np.inf)
    first = found.hulls
    again = link_parts([Piece(hull.vertices, hull.faces) for hull in first], most=99).hulls
    assert found.left_out == 0
    assert len(first) == len(again) == 12
    for one, two in zip(first, again, strict=True):
        assert np.array_equal(one.vertices, two.vertices)
        assert np.array_equal(one.faces, two.faces)


def test_a_ring_whose_inner_wall_faces_the_wrong_way_is_not_convex() -> None:
    ring = trimesh.creation.annulus(0.3, 0.5, 0.2)
    inner = np.linalg.norm(ring.triangles_center[:, :2], axis=1) < 0.31
    caps = np.abs(ring.face_normals[:, 2]) > 0.5
    faces = np.array(ring.faces)
    faces[inner & ~caps] = faces[inner & ~caps][:, ::-1]
    # Its signed volume is that of the disk and once more that of the hole, above its hull's.
    assert trimesh.Trimesh(ring.vertices, faces, process=False).volume > ring.convex_hull.volume
    for hull in hulls_of(trimesh.Trimesh(ring.vertices, faces, process=False)):
        assert hull.is_convex
        assert not hull.contains([[0.0, 0.0, 0.0]])[0]
