# SPDX-License-Identifier: Apache-2.0
"""The camera sees every point, from the front, the right and above."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aa_dataset.errors import RenderError
from aa_dataset.render.camera import look_at

COORDINATE = st.floats(-50, 50, allow_subnormal=False)


@given(arrays(np.float64, (7, 3), elements=COORDINATE))
def test_every_point_is_inside_the_frustum(points: np.ndarray) -> None:
    camera = look_at(points)
    local = (points - camera.pose[:3, 3]) @ camera.pose[:3, :3]
    depth = -local[:, 2]
    assert (depth > camera.near).all() and (depth < camera.far).all()
    assert (np.abs(local[:, :2]) < np.tan(camera.yfov_rad / 2) * depth[:, None]).all()


@given(arrays(np.float64, (5, 3), elements=COORDINATE), st.floats(0.01, 100))
def test_framing_scales_and_moves_with_the_object(points: np.ndarray, scale: float) -> None:
    points = np.concatenate([points, [[-60.0, 0.0, 0.0], [60.0, 0.0, 0.0]]])  # never one point
    step = np.array([1.0, -2.0, 3.0])
    before, after = look_at(points), look_at(points * scale + step)
    size = 1 + np.abs(before.pose[:3, 3]).max() * scale
    expected = before.pose[:3, 3] * scale + step
    np.testing.assert_allclose(after.pose[:3, 3], expected, atol=1e-9 * size)


def test_the_camera_is_a_rotation_in_front_right_and_above() -> None:
    pose = look_at(np.eye(3) * 0.1).pose
    np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)
    x, y, z = pose[:3, 2]
    assert x > y > 0 and x > z > 0
    assert pose[2, 0] == 0.0 and pose[2, 1] > 0  # the horizon is level and z points up


@pytest.mark.parametrize("points", [np.zeros((0, 3)), [[0.0, np.nan, 0.0]]])
def test_points_that_cannot_be_framed_are_named(points: np.ndarray) -> None:
    with pytest.raises(RenderError, match=r"points"):
        look_at(points)
