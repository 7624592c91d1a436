# SPDX-License-Identifier: Apache-2.0
"""Grids, welding, edges, hulls and collision shapes against plain loops and independent tools."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.triangles import Edges, cells, connected_faces, is_closed, unique_places
from aa_dataset.untrusted.obj import read_obj
from pipeline.handover.collisions import COLLISIONS, CollisionShapes, names_with_collisions
from pipeline.shapes.grid import on_grid
from pipeline.shapes.hulls import SCALED, hull_of, outward_faces
from pipeline.shapes.obj_text import obj_bytes
from pipeline.shapes.pieces import Piece

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(0, 15), st.integers(-9, 9))
def test_points_on_the_grid_are_those_of_the_text(seed: int, decimals: int, power: int) -> None:
    points = np.random.default_rng(seed).normal(size=(9, 3)) * 10.0**power
    points[0] = -0.0
    text = read_obj(obj_bytes(Piece(points, np.arange(9).reshape(3, 3)), None, decimals))
    assert text.points.tobytes() == on_grid(points, decimals).tobytes()


@given(seeds, st.integers(0, 4))
def test_collision_shapes_come_back_to_the_last_bit(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    pieces = {}
    for number in range(count):
        size = int(random.integers(3, 9))
        faces = random.integers(0, size, (int(random.integers(1, 9)), 3))
        pieces[f"meshes/{number}.obj"] = Piece(random.normal(size=(size, 3)), faces)
    data = CollisionShapes(pieces).to_bytes()
    found = CollisionShapes.from_bytes(data).pieces
    assert list(found) == list(pieces)
    for name, piece in pieces.items():
        assert found[name].vertices.tobytes() == piece.vertices.tobytes()
        assert found[name].faces.dtype == np.int64
        assert np.array_equal(found[name].faces, piece.faces)
    assert data == CollisionShapes(found).to_bytes()
    assert names_with_collisions({"a": b"", COLLISIONS: data}) == {"a", *pieces}


@given(seeds, st.booleans())
def test_edges_are_those_of_a_loop(seed: int, by_face: bool) -> None:
    faces = np.random.default_rng(seed).integers(0, 6, (int(seed % 12) + 1, 3))
    rows = [(n, k) for n in range(len(faces)) for k in range(3)]
    rows = rows if by_face else sorted(rows, key=lambda row: row[1])
    steps = [(int(faces[n, k]), int(faces[n, (k + 1) % 3]), n) for n, k in rows]
    steps = sorted(steps, key=lambda step: (min(step[:2]), max(step[:2])))
    ends = [tuple(sorted(step[:2])) for step in steps]
    edges = Edges.of(faces, by_face=by_face)
    assert list(zip(edges.tails, edges.heads, edges.faces, strict=True)) == steps
    assert edges.shared.tolist() == [ends.count(end) for end in ends]
    assert edges.number.tolist() == [sorted(set(ends)).index(end) for end in ends]
    assert edges.uses.tolist() == [ends.count(end) for end in sorted(set(ends))]


def test_cells_join_what_lies_closer_than_a_step() -> None:
    points = np.array([[0, 0, 0], [1, 1, 1], [1 - 1e-9, 1, 1], [0, 1, 0], [0, 0, 1e-3]])
    found = cells(points, low=0.0, width=1.0, steps=2**20)
    assert found[1] == found[2]
    assert len(set(found.tolist())) == 4


def test_equal_places_of_two_owners_stay_apart() -> None:
    vertices = np.array([[1.0, 0, 0], [0, 0, 0], [1.0, 0, 0], [1.0, 0, 0]])
    places, inverse = unique_places(vertices, np.array([0, 0, 0, 1]))
    assert places.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert inverse.tolist() == [1, 0, 1, 2]


def test_parts_are_numbered_by_their_first_vertex() -> None:
    faces = np.array([[5, 4, 3], [0, 2, 6]])
    assert connected_faces(7, faces).tolist() == [0, 1, 0, 2, 2, 2, 0]


@pytest.mark.parametrize("options", [None, SCALED])
@pytest.mark.parametrize("thickness", [1.0, 1e-3])
def test_hulls_are_closed_and_seen_from_outside(options: str | None, thickness: float) -> None:
    points = np.random.default_rng(1).normal(size=(200, 3)) * [1, 1, thickness]
    hull = hull_of(points, options=options)
    assert hull is not None
    faces = outward_faces(hull)
    assert is_closed(faces)
    expected = trimesh.convex.convex_hull(points).volume
    assert trimesh.Trimesh(points, faces, process=False).volume == pytest.approx(expected)


def test_flat_points_and_too_few_have_no_hull() -> None:
    points = np.random.default_rng(1).normal(size=(20, 3)) * [1, 1, 0]
    assert hull_of(points) is None
    assert hull_of(points[:3]) is None
    assert hull_of(points[:, :2]) is not None
