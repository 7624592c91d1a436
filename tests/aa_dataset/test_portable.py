# SPDX-License-Identifier: Apache-2.0
"""The small linear algebra against numpy's, which it must equal up to rounding."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aa_dataset import portable

number = st.floats(-1e3, 1e3)


@given(arrays(float, (5, 3), elements=number), arrays(float, (5, 3), elements=number))
def test_inner_products_are_summed_from_left_to_right(a: np.ndarray, b: np.ndarray) -> None:
    expected = [x[0] * y[0] + x[1] * y[1] + x[2] * y[2] for x, y in zip(a, b, strict=True)]
    assert portable.dot(a, b).tolist() == expected  # the same bits: plain numbers in the same order


@given(arrays(float, (3, 3), elements=number), arrays(float, (7, 3), elements=number))
def test_a_matrix_on_many_vectors(matrix: np.ndarray, vectors: np.ndarray) -> None:
    found = portable.applied(matrix, vectors)
    np.testing.assert_allclose(found, vectors @ matrix.T, atol=1e-9)
    assert portable.applied(matrix, vectors[0]).tolist() == found[0].tolist()
    assert found.flags["C_CONTIGUOUS"]


def test_one_matrix_for_each_vector() -> None:
    rng = np.random.default_rng(1)
    matrices, vectors = rng.normal(size=(4, 5, 6, 3)), rng.normal(size=(4, 5, 3))
    expected = (matrices @ vectors[..., None])[..., 0]
    np.testing.assert_allclose(portable.applied(matrices, vectors), expected, atol=1e-14)


def test_products_of_matrices() -> None:
    rng = np.random.default_rng(2)
    one, many = rng.normal(size=(4, 3)), rng.normal(size=(7, 3, 2))
    np.testing.assert_allclose(portable.product(one, many), one @ many, atol=1e-14)


def test_sums_over_points() -> None:
    rng = np.random.default_rng(3)
    points, weights = rng.normal(size=(50, 3)), rng.random(50)
    np.testing.assert_allclose(portable.weighted_sum(weights, points), weights @ points)
    expected = (points * weights[:, None]).T @ points
    np.testing.assert_allclose(portable.second_moments(points, weights), expected, atol=1e-13)
    np.testing.assert_allclose(portable.second_moments(points), points.T @ points, atol=1e-13)


def test_determinant_and_inverse() -> None:
    rng = np.random.default_rng(4)
    matrices = rng.normal(size=(20, 3, 3))
    np.testing.assert_allclose(portable.determinant(matrices), np.linalg.det(matrices), atol=1e-13)
    placement = np.eye(4)
    placement[:3] = rng.normal(size=(3, 4))
    np.testing.assert_allclose(portable.inverse(placement) @ placement, np.eye(4), atol=1e-13)


SYMMETRIC = {
    "diagonal": np.diag([3.0, 1.0, 2.0]),
    "equal": np.eye(3) * 5,
    "zero": np.zeros((3, 3)),
    "two equal": np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]),
    "rank one": np.ones((3, 3)),
    "tiny": np.array([[1.0, 1e-200, 0.0], [1e-200, 1.0, 1e-9], [0.0, 1e-9, 1.0]]),
    "all tiny": np.full((3, 3), 1.4e-301),
    "subnormal": np.diag([5e-324, 0.0, 0.0]) + np.full((3, 3), 5e-324),
    "no diagonal": np.array([[0.0, 1e-300, 0.0], [1e-300, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "all huge": np.full((3, 3), 1e307) + np.diag([1e307, 0.0, 0.0]),
    "far apart": np.array([[1e12, 1.0, 1e-6], [1.0, 1.0, 1e-6], [1e-6, 1e-6, 1e-12]]),
}


@pytest.mark.parametrize("matrix", SYMMETRIC.values(), ids=SYMMETRIC.keys())
def test_eigenvectors_of_special_matrices(matrix: np.ndarray) -> None:
    check_eigen(matrix)


@given(arrays(float, (3, 3), elements=number), st.integers(-8, 8))
def test_eigenvectors(matrix: np.ndarray, power: int) -> None:
    check_eigen((matrix + matrix.T) * 10.0**power)


def check_eigen(matrix: np.ndarray) -> None:
    values, vectors = portable.symmetric_eigen(matrix)
    size = np.abs(matrix).max()
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-14)
    scale = 1.0 if 1e-150 < size < 1e150 else 2.0 ** (500 if size < 1 else -500)
    scaled, error = matrix * scale, 1e-14 * size * scale + 5e-324 * scale
    np.testing.assert_allclose(vectors * (values * scale) @ vectors.T, scaled, atol=error)
    np.testing.assert_allclose(values * scale, np.linalg.eigvalsh(scaled), atol=error)
    assert (np.diff(values) >= 0).all()


@given(st.integers(-(10**7), 10**7), st.integers(0, 6))
def test_halves_and_their_neighbors_round_alike(half_steps: int, decimals: int) -> None:
    """A number that is a half step exactly, and the doubles next to it, give one result."""
    value = float(Fraction(half_steps, 2 * 10**decimals))
    around = [math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)]
    settled = portable.settled(around, decimals).tolist()
    assert len(set(settled)) == 1
    assert abs(settled[0] - value) <= 0.500001 * 10.0**-decimals


def test_rounding_at_once_would_not_do() -> None:
    around = [math.nextafter(0.00625, 0), math.nextafter(0.00625, 1)]
    assert len(set(np.round(around, 4).tolist())) == 2


def test_one_matrix_each_means_as_many_matrices_as_vectors() -> None:
    with pytest.raises(ValueError, match="not one each"):
        portable.applied(np.zeros((3, 3, 3)), np.zeros((3, 3, 3)))


def test_what_is_not_finite_has_no_sine() -> None:
    assert np.isnan(portable.sin([math.inf, math.nan, -math.inf])).all()


def test_powers() -> None:
    values = np.array([[0.0, 0.25], [1.0, 7.0]])
    np.testing.assert_allclose(portable.power(values, 1.1), values**1.1, rtol=1e-15)


def test_no_negative_zero() -> None:
    assert math.copysign(1, float(portable.settled(-1e-9, 4))) == 1


def test_functions_of_angles() -> None:
    angles = np.linspace(-7, 7, 41).reshape(41, 1)
    np.testing.assert_allclose(portable.sin(angles), np.sin(angles), atol=1e-15)
    np.testing.assert_allclose(portable.cos(angles), np.cos(angles), atol=1e-15)
    found = portable.arctan2(np.sin(angles), np.cos(angles))
    np.testing.assert_allclose(found, np.arctan2(np.sin(angles), np.cos(angles)), atol=1e-15)


def test_sines_and_cosines_of_whole_arrays_are_exact_to_the_last_place() -> None:
    rng = np.random.default_rng(0)
    near = np.arange(-40, 41) * (math.pi / 4)
    far = rng.uniform(-1e6, 1e6, 300)
    angles = np.concatenate([near, far, rng.normal(size=300), [0.0, -0.0, 1e-300]])
    sines, cosines = portable.sine_cosine(angles)
    with mpmath.workdps(50):
        for angle, sine, cosine in zip(angles.tolist(), sines, cosines, strict=True):
            assert abs(mpmath.sin(angle) - mpmath.mpf(float(sine))) < 4e-16
            assert abs(mpmath.cos(angle) - mpmath.mpf(float(cosine))) < 4e-16
    assert sines[-1] == 1e-300
