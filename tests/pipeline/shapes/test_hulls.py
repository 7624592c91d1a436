# SPDX-License-Identifier: Apache-2.0
"""Hulls that are kept are the same as new ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from pipeline.shapes import hulls
from pipeline.shapes.hulls import SCALED, hull_of

POINTS = np.random.default_rng(3).normal(size=(30, 3))


def test_equal_points_have_one_hull_and_options_are_not_mixed() -> None:
    first = hull_of(POINTS)
    assert hull_of(POINTS.copy()) is first
    for options in (None, SCALED):
        found, expected = hull_of(POINTS, options=options), ConvexHull(POINTS, options)
        assert found is not None
        assert (found.simplices == ConvexHull(POINTS, qhull_options=options).simplices).all()
        assert found.volume == ConvexHull(POINTS, qhull_options=options).volume
        assert expected is not found
    # The same numbers in another shape.
    assert hull_of(POINTS.reshape(-1, 2)).ndim == 2  # type: ignore[union-attr]


def test_flat_points_have_none_however_often() -> None:
    flat = POINTS * [1, 1, 0]
    assert hull_of(flat) is None
    assert hull_of(flat) is None


def test_few_hulls_are_kept_and_none_of_many_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hulls, "_MOST_KEPT", 2)
    first = hull_of(POINTS)
    for seed in range(3):
        hull_of(np.random.default_rng(seed).normal(size=(20, 3)))
    assert hull_of(POINTS) is not first
    many = np.random.default_rng(0).normal(size=(3000, 3))
    assert hull_of(many) is not hull_of(many)
