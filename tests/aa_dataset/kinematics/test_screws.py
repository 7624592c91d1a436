# SPDX-License-Identifier: Apache-2.0
"""Twists, exponentials and adjoints against scipy and against their defining laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from aa_dataset.errors import ShapeError
from aa_dataset.kinematics import adjoint, exp_twist, prismatic_screw, revolute_screw
from aa_dataset.kinematics.screws import hat, require_shape

twists = st.lists(st.floats(-4, 4), min_size=6, max_size=6).map(np.array)


def matrix(twist):
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = hat(twist[:3]), twist[3:]
    return out


@given(twists)
def test_exp_equals_the_matrix_exponential(twist):
    assert np.allclose(exp_twist(twist), expm(matrix(twist)), atol=1e-11)


@pytest.mark.parametrize(
    "angle", [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.0999, 0.1, 3.1, 2 * np.pi, 50.0]
)
def test_exp_keeps_its_digits_at_small_and_large_angles(angle):
    twist = np.array([0.6, 0.0, 0.8, 0.3, -0.2, 0.5]) * 1.0
    twist[:3] *= angle
    assert np.allclose(exp_twist(twist), expm(matrix(twist)), rtol=1e-11, atol=1e-12)


@given(twists, twists)
def test_adjoint_law(twist, frame):
    """exp(Ad_g xi) = g exp(xi) g^-1."""
    g = exp_twist(frame)
    left = exp_twist(adjoint(g) @ twist)
    assert np.allclose(left, g @ exp_twist(twist) @ np.linalg.inv(g), atol=1e-7)


@given(twists, twists)
def test_adjoint_is_a_homomorphism(a, b):
    g, h = exp_twist(a), exp_twist(b)
    assert np.allclose(adjoint(g @ h), adjoint(g) @ adjoint(h), atol=1e-9)


def test_a_hinge_leaves_its_axis_and_turns_the_rest():
    axis, origin = np.array([0, 0, 1.0]), np.array([2.0, 1.0, 0.0])
    g = exp_twist(np.pi / 2 * revolute_screw(axis, origin))
    assert np.allclose(g[:3, :3] @ origin + g[:3, 3], origin)
    assert np.allclose(g[:3, :3] @ (origin + np.eye(3)[0]) + g[:3, 3], origin + np.eye(3)[1])


def test_a_screw_advances_by_its_pitch_and_a_slide_by_its_axis():
    screw = revolute_screw([0, 0, 1], [1, 2, 3], pitch=0.01)
    g = exp_twist(2 * np.pi * screw)
    assert np.allclose(g[:3, :3], np.eye(3))
    assert np.allclose(g[:3, 3], [0, 0, 0.02 * np.pi])
    assert np.allclose(exp_twist(0.3 * prismatic_screw([0, 1, 0]))[:3, 3], [0, 0.3, 0])


def test_batches_have_the_shapes_that_are_documented():
    many = np.zeros((2, 5, 6))
    assert exp_twist(many).shape == (2, 5, 4, 4)
    assert adjoint(exp_twist(many)).shape == (2, 5, 6, 6)
    with pytest.raises(ShapeError, match=r"`x` has shape \(3,\), expected \(\*, 6\)"):
        require_shape("x", np.zeros(3), (None, 6))
