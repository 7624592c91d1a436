# SPDX-License-Identifier: Apache-2.0
"""Which pixels a change can reach, and that a state after another one looks as if drawn alone."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from aa_dataset.render import windows
from aa_dataset.render.backend import available, open_scene
from aa_dataset.render.camera import Camera, look_at
from aa_dataset.render.look import pixel_rays
from aa_dataset.render.surface import read_surface
from tests.kit import scenes


def test_the_ray_of_a_pixel_is_projected_to_its_center() -> None:
    camera = Camera(np.eye(4), 0.7, near=1.0, far=3.0)
    spots = windows.project(pixel_rays(camera, 6) * 2.5, float(np.tan(0.35)), 6)
    rows, columns = np.mgrid[:6, :6]
    np.testing.assert_allclose(spots, np.stack([columns, rows], axis=2), atol=1e-12)


def test_what_is_touched_holds_every_box_and_no_far_pixel() -> None:
    triangles = np.array([[[5.0, 9.0], [12.0, 9.0], [5.0, 17.0]], [[-9.0, 30.0]] * 3])
    found = windows.touched(triangles, 37)
    rows, columns = np.mgrid[:37, :37]
    near = np.zeros((2, 37, 37), dtype=bool)
    for number, reach in enumerate((windows.PAD, windows.PAD + windows.CELL)):
        for low, high in zip(triangles.min(axis=1), triangles.max(axis=1), strict=True):
            inside = (columns >= low[0] - reach) & (columns <= high[0] + reach)
            near[number] |= inside & (rows >= low[1] - reach) & (rows <= high[1] + reach)
    assert found.shape == (37, 37)
    assert found[near[0]].all() and not found[~near[1]].any()


def test_the_inner_pixels_are_those_without_a_neighbor_outside() -> None:
    region = np.zeros((5, 6), dtype=bool)
    region[1:4, 2:] = True  # reaches the window's border, where nothing is missing
    assert np.argwhere(windows.inner(region)).tolist() == [[2, 3], [2, 4], [2, 5]]


@pytest.mark.skipif(not available("embree"), reason="embreex is not installed")
@pytest.mark.parametrize("opacity", [1.0, 0.5])
def test_a_state_looks_the_same_whatever_was_drawn_before(opacity: float) -> None:
    ball = scenes.colored(trimesh.creation.icosphere(), (0.2, 0.5, 0.8, opacity))
    surface = read_surface([trimesh.creation.box((3, 3, 0.5)), ball])
    camera = look_at(surface.corners.reshape(-1, 3) * 2)
    poses = np.tile(np.eye(4), (3, 2, 1, 1))
    poses[1, 1, :3, 3], poses[2, 0, 2, 3] = (0.3, 1.1, 0.9), -0.4
    paints = np.array([[0.9, 0.1, 0.1], [0.1, 0.1, 0.9]])
    with open_scene(surface, backend="embree") as scene:
        drawn = [scene.draw(poses[k], camera, size=96) for k in (0, 1, 2, 0, 1)]
        painted = scene.draw(poses[1], camera, size=96, paints=paints)
    for number, picture in zip((0, 1, 2, 0, 1), drawn, strict=True):
        with open_scene(surface, backend="embree") as scene:
            alone = scene.draw(poses[number], camera, size=96)
        np.testing.assert_array_equal(picture, alone)
    assert (drawn[0] != drawn[1]).any() and (drawn[1] != drawn[2]).any()
    with open_scene(surface, backend="embree") as scene:
        alone = scene.draw(poses[1], camera, size=96, paints=paints)
    np.testing.assert_array_equal(painted, alone)
