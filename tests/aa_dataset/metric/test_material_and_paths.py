# SPDX-License-Identifier: Apache-2.0
"""Appendix B.4 and C.6: what the distance measures, and what sampling adds to it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aa_dataset.kinematics import Joint, RigidBody, exp_twist
from aa_dataset.metric import (
    KineticNorm,
    SplitNorm,
    joint_distance,
    material_motion,
    motion_size,
    path_distance,
    placement_discrepancy,
    sampled_distance,
    twist_norm,
)
from tests.kit.metric_references import size
from tests.kit.metric_strategies import bounded_joints, norms, numbers, vectors


def point_body(points, masses):
    """Return the moments of point masses straight from their definitions."""
    mass = masses.sum()
    center = masses @ points / mass
    inertia = np.zeros((3, 3))
    for m, y in zip(masses, points - center, strict=True):
        inertia += m * (y @ y * np.eye(3) - np.outer(y, y))
    return RigidBody(mass, center, inertia)


clouds = st.integers(0, 2**32 - 1).map(
    lambda seed: (
        np.random.default_rng(seed).normal(size=(12, 3)) + 0.3,
        np.random.default_rng(seed + 1).uniform(0.1, 2.0, 12),
    )
)


@given(clouds, vectors, vectors)
def test_theorem_material_motion(cloud, omega, v):
    """|z|_B is the RMS of the field omega x x + v over the body's points (eq. 17)."""
    points, masses = cloud
    field = np.cross(omega, points) + v
    rms = math.sqrt(masses @ (field**2).sum(axis=1) / masses.sum())
    norm = KineticNorm(point_body(points, masses))
    assert twist_norm(np.concatenate([omega, v]), norm) == pytest.approx(rms, rel=1e-9, abs=1e-12)


def test_theorem_material_motion_monte_carlo_box():
    """A solid box: moments in closed form, the field by sampling."""
    rng = np.random.default_rng(0)
    sides, center = np.array([0.8, 0.5, 0.03]), np.array([0.4, 0.1, -0.2])
    square = sides**2
    body = RigidBody(2.0, center, 2.0 * np.diag(square.sum() - square) / 12)
    points = center + (rng.random((200_000, 3)) - 0.5) * sides
    z = rng.normal(size=6)
    field = np.cross(z[:3], points) + z[3:]
    rms = math.sqrt((field**2).sum(axis=1).mean())
    assert twist_norm(z, KineticNorm(body)) == pytest.approx(rms, rel=5e-3)


@given(clouds, vectors, vectors, vectors, vectors)
def test_placement_discrepancy_depends_on_moments_alone(cloud, w1, v1, w2, v2):
    points, masses = cloud
    g1, g2 = exp_twist(np.concatenate([w1, v1])), exp_twist(np.concatenate([w2, v2]))
    gap = points @ (g1 - g2)[:3, :3].T + (g1 - g2)[:3, 3]
    rms = math.sqrt(masses @ (gap**2).sum(axis=1) / masses.sum())
    found = placement_discrepancy(g1, g2, body=point_body(points, masses))
    assert found == pytest.approx(rms, rel=1e-9, abs=1e-9)


@given(clouds, bounded_joints(), bounded_joints())
def test_linearization_is_exact_for_small_motions(cloud, first, second):
    """E_B tends to the true material motion as ranges shrink, and never claims to equal it."""
    body = point_body(*cloud)

    def small(joint):
        return replace(joint, lower=joint.lower * 1e-5, upper=joint.upper * 1e-5)

    one, two = small(first), small(second)
    linear = joint_distance(one, two, norm=KineticNorm(body))
    assert material_motion(one, two, body=body) == pytest.approx(linear, rel=1e-3, abs=1e-9)


@given(numbers(0.05, 3.1), vectors, clouds)
def test_origin_errors_have_a_closed_form_gap(angle, offset, cloud):
    """E_B / d = (q/2) / sin(q/2): the departures from the identity are not only axis errors."""
    one = Joint("a", "revolute", [0, 0, 1], [0, 0, 0], 0.0, angle)
    two = replace(one, origin=offset)
    body = point_body(*cloud)
    true = material_motion(one, two, body=body)
    assume(true > 1e-6)
    ratio = joint_distance(one, two, norm=KineticNorm(body)) / true
    assert ratio == pytest.approx((angle / 2) / math.sin(angle / 2), rel=1e-6)


@given(bounded_joints(), bounded_joints(), norms)
def test_theorem_endpoint_path(first, second, norm):
    whole = path_distance(first, second, norm=norm)
    ends = joint_distance(first, second, norm=norm)
    assert ends / math.sqrt(6) <= whole * (1 + 1e-9) + 1e-12
    assert whole <= ends / math.sqrt(2) * (1 + 1e-9) + 1e-12


def test_theorem_endpoint_path_bounds_are_attained():
    slide = Joint("a", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 1.0)
    shifted = replace(slide, lower=0.5, upper=1.5)  # both ends move alike
    wider = replace(slide, lower=-0.5, upper=1.5)  # both ends move apart
    for other, factor in ((shifted, 2), (wider, 6)):
        expected = joint_distance(slide, other) / math.sqrt(factor)
        assert path_distance(slide, other) == pytest.approx(expected)


@given(bounded_joints(), bounded_joints(), norms)
def test_path_distance_is_the_integral(first, second, norm):
    """Integrate the squared gap of eq. 20 by Gauss quadrature over the better assignment."""
    nodes, weights = np.polynomial.legendre.leggauss(4)
    best = []
    for order in ((0, 1), (1, 0)):
        z1 = [q * first.screw for q in first.limits]
        z2 = [second.limits[k] * second.screw for k in order]
        gaps = [a - b for a, b in zip(z1, z2, strict=True)]
        ends = sum(size(g, norm) ** 2 for g in gaps)
        path = sum(
            w / 2 * size((1 - t) * gaps[0] + t * gaps[1], norm) ** 2
            for t, w in zip((nodes + 1) / 2, weights, strict=True)
        )
        best.append((ends, path))
    expected = math.sqrt(min(best)[1])
    found = path_distance(first, second, norm=norm)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)


@given(bounded_joints(), bounded_joints(), norms, st.integers(3, 12))
def test_sampling_with_simpson_adds_nothing(first, second, norm, samples):
    found = sampled_distance(first, second, samples=samples, norm=norm)
    assert found == pytest.approx(path_distance(first, second, norm=norm), rel=1e-9, abs=1e-12)


@given(bounded_joints(), bounded_joints(), norms)
def test_two_samples_are_the_endpoint_metric(first, second, norm):
    expected = joint_distance(first, second, norm=norm) / math.sqrt(2)
    for rule in ("simpson", "mean"):
        found = sampled_distance(first, second, samples=2, rule=rule, norm=norm)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_plain_mean_does_not_coincide_with_the_limit():
    """The paper's claim "every n >= 3 coincides" is false for a plain mean, by up to sqrt(2)."""
    slide = Joint("a", "prismatic", [1, 0, 0], [0, 0, 0], -1.0, 1.0)
    wider = replace(slide, lower=-2.0, upper=2.0)
    limit = path_distance(slide, wider)
    means = [sampled_distance(slide, wider, samples=n, rule="mean") for n in (3, 9, 33, 3001)]
    assert means[0] / limit == pytest.approx(math.sqrt(2))
    assert means == sorted(means, reverse=True)
    assert means[-1] == pytest.approx(limit, rel=1e-3)


@given(bounded_joints(), bounded_joints(), st.integers(2, 40))
def test_plain_mean_closed_form(first, second, n):
    """E_n^2 = A (|D-|^2 + |D+|^2) + 2 B <D-, D+> with A and B of the notes."""
    ends = joint_distance(first, second) ** 2
    cross = 3 * path_distance(first, second) ** 2 - ends
    a, b = (2 * n - 1) / (6 * (n - 1)), (n - 2) / (6 * (n - 1))
    found = sampled_distance(first, second, samples=n, rule="mean")
    assert found**2 == pytest.approx(a * ends + 2 * b * cross, rel=1e-9, abs=1e-10)


def test_appendix_sampling_ranks_alike():
    """Rank correlation of E_n and D_path with E_2 over sweeps is close to 1."""
    rng = np.random.default_rng(0)
    ends, paths = [], []
    for _ in range(40):
        joint = Joint(
            "a", "revolute", rng.normal(size=3), rng.normal(size=3), 0.0, rng.uniform(1, 3)
        )
        for t in np.linspace(0.05, 1, 8):
            for other in (
                replace(joint, axis=joint.axis + t * np.array([0.3, -0.2, 0.5])),
                replace(joint, origin=joint.origin + t),
                replace(joint, upper=joint.upper * (1 + t)),
            ):
                ends.append(joint_distance(joint, other))
                paths.append(path_distance(joint, other))
    from scipy.stats import spearmanr

    assert spearmanr(ends, paths).statistic > 0.98


def test_bad_arguments_raise():
    door = Joint("a", "revolute", [0, 0, 1], [0, 0, 0], 0, 1)
    with pytest.raises(ValueError, match="samples"):
        sampled_distance(door, door, samples=1)
    with pytest.raises(ValueError, match="rule"):
        sampled_distance(door, door, samples=3, rule="gauss")
    assert sampled_distance([door], [door], samples=5, norm=SplitNorm())[0] == 0


def test_one_joint_gives_a_number_and_a_list_an_array():
    body = RigidBody(1.0, np.zeros(3), np.eye(3))
    one = Joint("a", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.4)
    two = Joint("b", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.7)
    for measure in (
        joint_distance,
        path_distance,
        lambda a, b: sampled_distance(a, b, samples=3),
        lambda a, b: material_motion(a, b, body=body),
        lambda a, b: motion_size(a),
    ):
        number, array = measure(one, two), measure([one], [two])
        assert type(number) is float
        assert array.shape == (1,)
        assert array[0] == number
    assert isinstance(twist_norm(one.screw, SplitNorm()), float)
    assert isinstance(placement_discrepancy(np.eye(4), np.eye(4), body=body), float)
