# SPDX-License-Identifier: Apache-2.0
"""Cuts of triangles in numba against masks in numpy, to the last bit and in the same order."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.stages.annotate.collision.planes import column_ends, cut_faces, points_beside

NEAR = 1e-6
seeds = st.integers(0, 2**32 - 1)
Soup = tuple[np.ndarray, np.ndarray]


def soup(seed: int) -> Soup:
    """Return points (n, 3), many of them in whole planes, and faces (m, 3) that use all of them."""
    random = np.random.default_rng(seed)
    count = int(random.integers(4, 40))
    points = random.integers(0, 6, (count, 3)) + random.choice([0.0, 1e-7, 1e-5, 0.3], (count, 3))
    used, faces = np.unique(random.integers(0, count, (30, 3)), return_inverse=True)
    return points[used], faces.reshape(-1, 3)


def by_masks(points: np.ndarray, faces: np.ndarray, cut: tuple[int, float, bool]) -> list[Soup]:
    """Return points and faces of both sides, or nothing if all is on one side."""
    axis, place, is_below = cut
    height = points[:, axis] - place
    height[np.abs(height) < NEAR] = 0.0
    at = height[faces]
    across = (at.min(axis=1) < 0) & (at.max(axis=1) > 0)
    above = (at.max(axis=1) > 0 if is_below else at.min(axis=1) >= 0) & ~across
    below = ~above & ~across
    if not (below | across).any() or not (above | across).any():
        return []
    every, down, up = points.tolist(), [], []
    for face in faces[across]:
        # In each order of the corners with its first one alone.
        ups = height[face] > 0
        first = int(np.flatnonzero(ups if ups.sum() == 1 else ~ups & (height[face] < 0))[0])
        if ups.sum() != 1:
            first = int(np.argmin(height[face]))
        corner, left, right = np.roll(face, -first)
        for other in (left, right):
            share = height[corner] / (height[corner] - height[other])
            every.append((points[corner] + share * (points[other] - points[corner])).tolist())
        new = len(every) - 2
        tip, stumps = [corner, new, new + 1], [[new, left, right], [new, right, new + 1]]
        is_up = ups.sum() == 1
        (up if is_up else down).append((0, tip))
        (down if is_up else up).extend((1, stump) for stump in stumps)
    sides = []
    for whole, made in ((faces[below], down), (faces[above], up)):
        added = [face for _, face in sorted(made, key=lambda one: one[0])]
        rows = np.array([*whole.tolist(), *added], dtype=np.int64)
        used, local = np.unique(rows, return_inverse=True)
        sides.append((np.array(every)[used], local.reshape(-1, 3)))
    return sides


@settings(max_examples=60)
@given(seeds)
def test_both_sides_of_a_cut_are_those_of_masks(seed: int) -> None:
    points, faces = soup(seed)
    for cut in product(range(3), (-1.0, 2.0, 2.5), (False, True)):
        is_cut, below, above = cut_faces(points, faces, cut, NEAR)
        expected = by_masks(points, faces, cut)
        assert is_cut == bool(expected)
        for found, (vertices, rows) in zip((below, above), expected, strict=False):
            assert found[0].tobytes() == vertices.tobytes()
            assert (found[1] == rows).all()


@settings(max_examples=60)
@given(seeds)
def test_points_beside_a_plane_are_corners_and_crossings(seed: int) -> None:
    """Corners within `NEAR` of the plane and crossings, which come last, belong to both sides."""
    points, faces = soup(seed)
    for cut in product(range(3), (2.0, 2.5), (False, True)):
        is_cut, *found = points_beside(points, faces, cut, NEAR)
        expected = by_masks(points, faces, cut)
        assert is_cut == bool(expected)
        if not is_cut:
            continue
        height = points[:, cut[0]] - cut[1]
        at = height[faces]
        across = (at.min(axis=1) <= -NEAR) & (at.max(axis=1) >= NEAR)
        for some, (vertices, _), side in zip(found, expected, (-1, 1), strict=True):
            corners = len(some) - 2 * int(across.sum())
            assert (side * (points[:, cut[0]] - cut[1]) > -NEAR).sum() >= corners
            assert set(map(tuple, some[:corners])) <= set(map(tuple, points))
            assert set(map(tuple, vertices)) <= set(map(tuple, some))
        crossings = [some[len(some) - 2 * int(across.sum()) :] for some in found]
        assert (crossings[0] == crossings[1]).all()
        assert (np.abs(crossings[0][:, cut[0]] - cut[1]) < 2 * NEAR).all()


@settings(max_examples=60)
@given(seeds)
def test_a_column_has_its_first_and_its_last_point(seed: int) -> None:
    points, _ = soup(seed)
    for steps in (1, 4):
        u, v = np.rint(points[:, :2].T * steps).astype(np.int64)
        order = np.lexsort((points[:, 2], u * (1 << 16) + v))
        ends = np.flatnonzero(np.diff((u * (1 << 16) + v)[order], prepend=-1, append=-1))
        kept = sorted({*ends[:-1].tolist(), *(ends[1:] - 1).tolist()})
        assert column_ends(points, steps).tobytes() == points[order[kept]].tobytes()
