# SPDX-License-Identifier: Apache-2.0
"""Corners, areas and volumes of triangles: the bits of their formulas in numpy."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from aa_dataset.portable import dot, length
from pipeline.shapes.hulls import outward_faces
from pipeline.stages.annotate.collision.faces import double_areas, own_corners, six_volumes

RNG = np.random.default_rng(11)
POINTS, FACES = RNG.normal(size=(80, 3)), RNG.integers(0, 80, size=(300, 3))


def test_areas_and_volumes_have_the_bits_of_numpy() -> None:
    a, b, c = POINTS[FACES.T]
    vectors = np.cross(b - a, c - a)
    np.testing.assert_array_equal(double_areas(POINTS, FACES), length(vectors))
    np.testing.assert_array_equal(six_volumes(POINTS, FACES), dot(a - POINTS[0], vectors))


def test_corners_and_faces_of_a_hull_are_those_that_numpy_finds() -> None:
    hull = ConvexHull(POINTS)
    used, faces = np.unique(outward_faces(hull), return_inverse=True)
    assert 4 < len(used) < len(POINTS)
    corners, found = own_corners(hull.points, hull.simplices, hull.equations)
    np.testing.assert_array_equal(corners, hull.points[used])
    np.testing.assert_array_equal(found, faces.reshape(-1, 3))
