# SPDX-License-Identifier: Apache-2.0
"""Winding numbers of closed surfaces, against closed forms and libigl."""

from __future__ import annotations

import igl
import numpy as np
import pytest
import trimesh

from pipeline.stages.annotate.collision.solid import Solid

BOX = trimesh.creation.box((2, 2, 2))
SHAPES = {
    "box": BOX,
    "ball": trimesh.creation.icosphere(2),
    "ring": trimesh.creation.annulus(0.4, 1.0, 0.6),
    "two that overlap": trimesh.util.concatenate([BOX, BOX.copy().apply_translation([0.7, 0, 0])]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_winding_numbers_are_those_of_libigl(name: str) -> None:
    mesh = SHAPES[name]
    solid = Solid(np.asarray(mesh.triangles))
    points = np.random.default_rng(5).uniform(-1.2, 1.8, size=(300, 3))
    expected = np.ravel(igl.winding_number(mesh.vertices, np.asarray(mesh.faces), points))
    found = [solid.winding_number(point) for point in points]
    assert found == np.rint(expected).astype(int).tolist()
    assert {0, 1} <= {*found}


@pytest.mark.parametrize("x", np.linspace(-1.25, 1.25, 11))
@pytest.mark.parametrize("y", [-1.5, -0.5, 0.0, 0.5])
def test_a_line_through_edges_and_corners_counts_once(x: float, y: float) -> None:
    # On the borders of its triangles, too, a box of edge 2 holds a point once.
    solid = Solid(np.asarray(BOX.subdivide().triangles))
    held = -1 <= x < 1 and -1 <= y < 1
    assert solid.winding_number(np.array([x, y, 0.25])) == int(held)
    assert solid.winding_number(np.array([x, y, -1.5])) == 0


def test_a_surface_that_faces_inward_winds_the_other_way() -> None:
    solid = Solid(np.asarray(BOX.triangles)[:, ::-1])
    assert solid.winding_number(np.array([0.1, 0.2, 0.3])) == -1
