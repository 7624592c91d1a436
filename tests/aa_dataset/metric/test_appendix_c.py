# SPDX-License-Identifier: Apache-2.0
"""Appendix C: the closed forms behind the paper's sweeps."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.kinematics import Joint, RigidBody
from aa_dataset.metric import KineticNorm, SplitNorm, joint_distance
from tests.kit.metric_references import size
from tests.kit.metric_strategies import (
    bounded_joints,
    directions,
    norms,
    numbers,
    ranges,
    scales,
    vectors,
)


@given(ranges, numbers(0, math.pi / 2), numbers(0.1, 5))
def test_c1_prismatic_axis_error_is_the_chord(limits, angle, alpha):
    """E = alpha sqrt(l-^2 + l+^2) 2 sin(theta / 2)."""
    one = Joint("a", "prismatic", [1, 0, 0], [0, 0, 0], *limits)
    two = replace(one, axis=[math.cos(angle), math.sin(angle), 0])
    expected = alpha * math.hypot(*limits) * 2 * math.sin(angle / 2)
    assert joint_distance(one, two, norm=SplitNorm(alpha)) == pytest.approx(expected, abs=1e-12)


def test_c1_hinge_tilted_by_ten_degrees():
    """About an axis through the origin, only omega turns: 2 sin(5 deg) sqrt(l-^2 + l+^2)."""
    one = Joint("a", "revolute", [0, 0, 1], [0, 0, 0], 0.0, math.pi / 2)
    tilt = math.radians(10)
    two = replace(one, axis=[0, math.sin(tilt), math.cos(tilt)])
    assert joint_distance(one, two) == pytest.approx(math.pi / 2 * 2 * math.sin(tilt / 2))


@given(directions, vectors, ranges, numbers(-0.5, 0.5), numbers(-0.5, 0.5), numbers(0.1, 5))
def test_c1_pitch_error(axis, origin, limits, h1, h2, alpha):
    """E = alpha |h1 - h2| sqrt(l-^2 + l+^2): linear in the pitch, where components read 0."""
    one = Joint("a", "helical", axis, origin, *limits, h1)
    two = replace(one, pitch=h2)
    expected = alpha * abs(h1 - h2) * math.hypot(*limits)
    assert joint_distance(one, two, norm=SplitNorm(alpha)) == pytest.approx(expected, abs=1e-12)


@given(directions, vectors, ranges, st.sampled_from([0.1, 1.0, 5.0]))
def test_c2_prismatic_errors_are_linear_in_alpha_and_blind_to_origin(axis, origin, limits, alpha):
    one = Joint("a", "prismatic", axis, [0, 0, 0], *limits)
    two = replace(one, lower=limits[0] - 0.5, upper=limits[1] + 0.25, origin=origin)
    unit = joint_distance(one, two, norm=SplitNorm(1.0))
    assert joint_distance(one, two, norm=SplitNorm(alpha)) == pytest.approx(alpha * unit)


@given(bounded_joints(kinds=("prismatic",)), bounded_joints(kinds=("prismatic",)), vectors)
def test_c3_both_norms_agree_on_translations(first, second, center):
    body = RigidBody(1.0, center, np.diag([1.0, 2.0, 2.5]))
    kinetic = joint_distance(first, second, norm=KineticNorm(body))
    assert kinetic == pytest.approx(joint_distance(first, second), rel=1e-9, abs=1e-12)


@given(numbers(0.1, 10))
def test_c4_split_norm_is_not_scale_covariant_but_kinetic_is(factor):
    body = RigidBody(1.0, np.array([0.5, 0, 0]), np.diag([0.1, 0.2, 0.25]))
    one = Joint("a", "revolute", [0, 0, 1], [0.2, 0, 0], 0.0, 1.0)
    two = replace(one, axis=[0, math.sin(0.26), math.cos(0.26)])
    big1, big2 = (replace(j, origin=j.origin * factor) for j in (one, two))
    kinetic = joint_distance(one, two, norm=KineticNorm(body))
    assert joint_distance(big1, big2, norm=KineticNorm(body.scaled(factor))) == pytest.approx(
        factor * kinetic
    )
    if abs(factor - 1) > 0.1:
        covariant = factor * joint_distance(one, two)
        assert joint_distance(big1, big2) != pytest.approx(covariant, rel=1e-3)


@given(
    directions, vectors, numbers(0, 6), scales, norms, st.sampled_from(["revolute", "prismatic"])
)
def test_c5_growing_range_against_fixed_and_unbounded(axis, origin, reach, kappa, norm, kind):
    """tanh(theta |xi| / kappa) at one boundary, sqrt(2) (1 - tanh(L |xi| / kappa)) at the other."""
    joint = Joint("a", kind, axis, origin, 0.0, reach)
    x = reach * size(joint.screw, norm) / kappa
    weld = Joint("w", "fixed", [0, 0, 1], [0, 0, 0])
    found = joint_distance(joint, weld, norm=norm, compactify=kappa)
    assert found == pytest.approx(math.tanh(x), rel=1e-9, abs=1e-12)
    both = replace(joint, lower=-reach)
    endless = replace(joint, lower=-math.inf, upper=math.inf)
    found = joint_distance(both, endless, norm=norm, compactify=kappa)
    assert found == pytest.approx(math.sqrt(2) * (1 - math.tanh(x)), rel=1e-6, abs=1e-12)


def test_c5_half_decay_near_0_55_kappa():
    kappa = math.pi
    endless = Joint("a", "continuous", [0, 0, 1], [0, 0, 0])
    reach = kappa * math.atanh(0.5)
    half = Joint("b", "revolute", [0, 0, 1], [0, 0, 0], -reach, reach)
    assert math.atanh(0.5) == pytest.approx(0.5493, abs=1e-4)
    assert joint_distance(half, endless, compactify=kappa) == pytest.approx(math.sqrt(2) / 2)


@given(numbers(0.1, 3), numbers(0.1, 3), scales)
def test_c5_kappa_is_a_horizontal_dilation(reach, stretch, kappa):
    endless = Joint("a", "continuous", [0, 0, 1], [0, 0, 0])

    def curve(length, scale):
        finite = Joint("b", "revolute", [0, 0, 1], [0, 0, 0], -length, length)
        return joint_distance(finite, endless, compactify=scale)

    assert curve(reach, kappa) == pytest.approx(curve(reach * stretch, kappa * stretch), rel=1e-9)
