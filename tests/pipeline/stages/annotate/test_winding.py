# SPDX-License-Identifier: Apache-2.0
"""Winding numbers by rays and by bounds, against the sum of all solid angles."""

from __future__ import annotations

import igl
import numpy as np
import pytest
import trimesh

from pipeline.stages.annotate import winding as module
from pipeline.stages.annotate.crossings import fill_covers
from pipeline.stages.annotate.shells import caps_of
from pipeline.stages.annotate.surface import Surface, clean_surface
from pipeline.stages.annotate.winding import Open, turns


def points_around(count: int = 4000) -> np.ndarray:
    """Return points (n, 3) in and around the box of a clean surface."""
    return np.random.default_rng(1).uniform(-0.6, 0.6, (count, 3))


def clean(*meshes: trimesh.Trimesh) -> Surface:
    surface = clean_surface(meshes)
    assert surface is not None
    return surface


def torn() -> trimesh.Trimesh:
    """Return a ball without a side, in which a smaller whole one faces inward, and a tall box."""
    ball = trimesh.creation.icosphere(subdivisions=3)
    ball = trimesh.Trimesh(ball.vertices, ball.faces[ball.triangles_center[:, 1] < 0.6])
    inner = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    inner.invert()
    return trimesh.util.concatenate([ball, inner, trimesh.creation.box((0.3, 0.3, 4.0))])


def test_turns_are_those_of_all_solid_angles() -> None:
    inner = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    inner.invert()
    boxes = [trimesh.creation.box(size) for size in ((1, 1, 3), (0.6, 0.6, 2), (0.2, 3, 0.2))]
    surface, points = clean(*boxes, inner), points_around()
    exact = igl.winding_number(surface.vertices, surface.faces, points)
    found = turns(surface.vertices, surface.faces, points)
    assert {0.0, 1.0, 2.0} <= set(found.tolist())
    np.testing.assert_array_equal(found, np.round(exact))


def test_points_on_the_surface_are_left_to_the_winding_number() -> None:
    surface = clean(trimesh.creation.box((1, 1, 1)))
    points = np.repeat(surface.corners.mean(axis=1), 100, axis=0)
    assert not module._counted(surface.corners, points)[1].any()


@pytest.mark.parametrize("least", [0.2, 0.5])
def test_open_shells_are_around_what_winds_often_enough(least: float) -> None:
    surface, points = clean(torn()), points_around()
    caps = caps_of(surface)
    assert len(caps)
    exact = igl.winding_number(surface.vertices, surface.faces, points)
    faces = np.arange(3 * len(caps)).reshape(-1, 3)
    whole = exact + igl.winding_number(caps.reshape(-1, 3), faces, points)
    one = Open(surface.vertices, surface.faces, caps, surface.rims.loops)
    count, inside = one.around(points, least)
    np.testing.assert_array_equal(count, np.round(whole))
    clear = np.abs(np.abs(exact) - least) > 0.01  # by so much libigl's tree may err
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(inside[clear], (np.abs(exact) > least)[clear])


def test_without_numba_the_answers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    surface, points = clean(torn()), points_around()
    one = Open(surface.vertices, surface.faces, caps_of(surface), surface.rims.loops)
    by_rays = one.around(points)
    monkeypatch.setattr(module, "_has_kernels", lambda: False)
    for first, second in zip(by_rays, one.around(points), strict=True):
        np.testing.assert_array_equal(first, second)


def test_solid_angles_in_few_digits_are_those_of_libigl() -> None:
    caps = caps_of(clean(torn()))
    points, found = points_around(), np.empty(4000)
    fill_covers(caps, points, found)
    exact = igl.winding_number(
        np.reshape(caps, (-1, 3)), np.arange(3 * len(caps)).reshape(-1, 3), points
    )
    assert np.ptp(exact) > 0.5
    # 2e-5 rad for half the solid angle of every triangle.
    np.testing.assert_allclose(found, exact, atol=len(caps) * 2e-5 / (2 * np.pi) + 1e-9)
