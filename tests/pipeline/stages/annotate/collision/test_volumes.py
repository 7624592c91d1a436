# SPDX-License-Identifier: Apache-2.0
"""Volumes of hulls, against qhull and closed forms, and the cuts that they choose."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from pipeline.stages.annotate.collision import decomposition
from pipeline.stages.annotate.collision.convex import CollisionMesh
from pipeline.stages.annotate.collision.decomposition import Decomposition, quick_volume
from pipeline.stages.annotate.collision.volumes import hull_volume

BOX = np.array([[x, y, z] for x in (0.0, 20.0) for y in (0.0, 10.0) for z in (0.0, 4.0)])


def clouds(kind: str, count: int) -> list[np.ndarray]:
    """Return sets of points (n, 3): anywhere, on a coarse grid, or on a ball."""
    rng, found = np.random.default_rng(7), []
    for _ in range(count):
        n = int(rng.integers(10, 120))
        if kind == "anywhere":
            found.append(rng.random((n, 3)) * 20)
        elif kind == "grid":
            found.append(rng.integers(0, 5, (n, 3)).astype(float))
        else:
            points = rng.normal(size=(n, 3))
            found.append(points / np.linalg.norm(points, axis=1)[:, None])
    return found


@pytest.mark.parametrize("kind", ["anywhere", "grid", "ball"])
def test_volumes_are_those_of_qhull(kind: str) -> None:
    found = [hull_volume(points) for points in clouds(kind, 200)]
    expected = [ConvexHull(points).volume for points in clouds(kind, 200)]
    is_sure = ~np.isnan(found)
    assert is_sure.mean() > 0.9
    np.testing.assert_allclose(np.array(found)[is_sure], np.array(expected)[is_sure], rtol=1e-9)


def test_a_box_with_points_on_its_faces_edges_and_inside_has_its_volume() -> None:
    grid = np.stack(np.meshgrid(*(np.linspace(0, 1, 5),) * 3), axis=-1).reshape(-1, 3)
    assert hull_volume(np.concatenate([grid * [20, 10, 4], BOX, BOX])) == pytest.approx(800)


@pytest.mark.parametrize(
    "points",
    [BOX[:3], BOX * [1, 1, 0], BOX * [1, 0, 0], np.zeros((9, 3)), BOX * [1, 1, 1e-3]],
    ids=["three points", "a plane", "a line", "one place", "nearly flat"],
)
def test_flat_points_have_no_sure_volume(points: np.ndarray) -> None:
    assert math.isnan(hull_volume(points))


def test_what_is_not_sure_is_asked_of_qhull() -> None:
    assert quick_volume(BOX * [1, 1, 0]) == 0
    assert quick_volume(BOX * [1, 1, 1e-3]) == pytest.approx(0.8)


def bowl() -> CollisionMesh:
    """Return a half ball with a wall of some thickness."""
    outer = trimesh.creation.icosphere(subdivisions=3)
    inner = trimesh.creation.icosphere(subdivisions=3, radius=0.85)
    cup = trimesh.boolean.difference([outer, inner])
    cup = cup.slice_plane([0, 0, 0.1], [0, 0, -1], cap=True)
    cup.merge_vertices()
    return CollisionMesh(np.asarray(cup.vertices, float), np.asarray(cup.faces, np.int64))


@pytest.mark.parametrize("error", [-1e-5, 0.0, 1e-5, math.nan])
def test_errors_of_quick_volumes_change_no_cut(
    error: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parts() -> list[bytes]:
        one = Decomposition(bowl(), 1e-6)
        while one.can_split():
            one.split()
        return [hull.vertices.tobytes() + hull.faces.tobytes() for hull in one.hulls(9)]

    exact, rng = decomposition._exact_volume, np.random.default_rng(3)
    monkeypatch.setattr(decomposition, "quick_volume", exact)
    expected = parts()
    assert len(expected) > 4

    def disturbed(points: np.ndarray) -> float:
        return exact(points) * (1 + error * float(rng.uniform()))

    if not math.isnan(error):
        monkeypatch.setattr(decomposition, "quick_volume", disturbed)
    else:
        monkeypatch.undo()
    assert parts() == expected
