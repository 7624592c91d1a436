# SPDX-License-Identifier: Apache-2.0
"""Displacements by turns on both sides of the angle up to which sines need no C library."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from aa_dataset.kinematics.screws import exp_twist


@pytest.mark.parametrize("angle", [1e-9, 0.05, 3.0, 400.0, 999_999.5, 1_000_000.5, 3e9])
def test_a_turn_about_z_is_that_of_exact_sines(angle: float) -> None:
    with mpmath.workdps(40):
        sine, cosine = float(mpmath.sin(angle)), float(mpmath.cos(angle))
    expected = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    found = exp_twist(np.array([0, 0, angle, 0, 0, 0]))
    assert found[:3, :3] == pytest.approx(expected, abs=1e-15)
    assert not found[:3, 3].any()


def test_both_kinds_of_angle_in_one_call() -> None:
    angles = np.array([2.0, 5e6])
    both = exp_twist(angles[:, None] * np.array([0, 0, 1.0, 1, 0, 0])[None])
    for one, angle in zip(both, angles, strict=True):
        assert np.array_equal(one, exp_twist(angle * np.array([0, 0, 1.0, 1, 0, 0])))
