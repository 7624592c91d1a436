# SPDX-License-Identifier: Apache-2.0
"""Section 4.1: both inner products, their kinship, and bodies that cannot carry one."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.errors import ArenaError, NormError, SingularBodyError
from aa_dataset.kinematics import RigidBody, adjoint, exp_twist
from aa_dataset.metric import KineticNorm, SplitNorm, joint_distance, twist_norm
from tests.kit.metric_references import gram, size
from tests.kit.metric_strategies import bodies, bounded_joints, norms, numbers, vectors


@given(norms, vectors, vectors)
def test_factor_reproduces_equations_6_and_7(norm, omega, v):
    z = np.concatenate([omega, v])
    assert twist_norm(z, norm) == pytest.approx(size(z, norm), rel=1e-12, abs=1e-15)
    assert np.allclose(norm.factor.T @ norm.factor, gram(norm), atol=1e-9)


@given(bounded_joints(), bounded_joints(), numbers(0.1, 2.0))
def test_isotropic_centered_body_is_the_split_norm(first, second, radius):
    """E_B = r E_alpha at alpha = 1/r for I = m r^2 and c = 0 (section 4.1)."""
    body = RigidBody(3.0, np.zeros(3), 3.0 * radius**2 * np.eye(3))
    kinetic = joint_distance(first, second, norm=KineticNorm(body))
    split = joint_distance(first, second, norm=SplitNorm(1 / radius))
    assert kinetic == pytest.approx(radius * split, rel=1e-9, abs=1e-12)


@given(bounded_joints(), bounded_joints(), bodies(), vectors, vectors)
def test_kinetic_distance_does_not_depend_on_the_frame(first, second, body, omega, v):
    """Moving joints and body together changes nothing; E_alpha has no such invariance."""
    placement = exp_twist(np.concatenate([omega, v]))
    before = joint_distance(first, second, norm=KineticNorm(body))
    ad = adjoint(placement)

    def moved(joint):
        from aa_dataset.metric import JointArray

        return JointArray((ad @ joint.screw)[None], [joint.limits])

    after = joint_distance(moved(first), moved(second), norm=KineticNorm(body.moved(placement)))
    assert after[0] == pytest.approx(before, rel=1e-8, abs=1e-8)


@given(bodies(), bounded_joints(), bounded_joints(), numbers(0.5, 2.0))
def test_kinetic_distance_does_not_depend_on_density(body, first, second, factor):
    denser = RigidBody(body.mass * factor, body.center, body.inertia * factor)
    one = joint_distance(first, second, norm=KineticNorm(body))
    two = joint_distance(first, second, norm=KineticNorm(denser))
    assert two == pytest.approx(one, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("inertia", [np.zeros((3, 3)), np.diag([1.0, 1.0, 0.0])])
def test_points_and_rods_raise(inertia):
    with pytest.raises(SingularBodyError, match="regularize"):
        KineticNorm(RigidBody(1.0, np.zeros(3), inertia))


def test_a_rod_is_regularized_on_request_only():
    rod = RigidBody(2.0, np.zeros(3), np.diag([1.0, 1.0, 0.0]))
    norm = KineticNorm(rod, regularize=0.1)
    spin = np.array([0, 0, 1, 0, 0, 0])
    assert twist_norm(spin, norm) == pytest.approx(0.1)
    for length in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(NormError, match="positive length"):
            KineticNorm(rod, regularize=length)


def test_an_inertia_that_is_not_symmetric_raises():
    """Nothing is measured by half of a tensor; the body refuses it before the norm is made."""
    skew = np.eye(3) + np.triu(np.full((3, 3), 0.1), 1)
    theirs = SimpleNamespace(mass=1.0, com=np.zeros(3), inertia=skew)
    with pytest.raises(ArenaError, match="symmetric"):
        KineticNorm(theirs)


@pytest.mark.parametrize("alpha", [0.0, -1.0, math.nan, math.inf])
def test_bad_alpha_is_refused(alpha):
    with pytest.raises(NormError, match="alpha"):
        SplitNorm(alpha)
