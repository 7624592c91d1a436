# SPDX-License-Identifier: Apache-2.0
"""Functions with one result on every machine are right, to a few units of the last place."""

import math

import mpmath
import numpy as np
import pytest

from aa_dataset.metric._arithmetic import exp_negative, expm1_negative, ordered_sum, tanh

ULP = 2.0**-52


def arguments():
    rng = np.random.default_rng(0)
    spread = 10.0 ** rng.uniform(-12, 2.5, 800)
    return np.concatenate([spread, rng.uniform(0, 3, 800), [1e-300, 5e-324, 0.34657, 20.0, 300.0]])


@pytest.mark.parametrize(
    ("function", "exact", "sign"),
    [
        (tanh, mpmath.tanh, 1),
        (tanh, mpmath.tanh, -1),
        (exp_negative, mpmath.exp, -1),
        (expm1_negative, mpmath.expm1, -1),
    ],
)
def test_against_forty_digits(function, exact, sign):
    x = sign * arguments()
    with mpmath.workdps(40):
        for value, found in zip(x.tolist(), function(x).tolist(), strict=True):
            expected = exact(mpmath.mpf(value))
            assert abs(found - expected) <= 2 * ULP * abs(expected)


def test_ends_and_oddness():
    ends = np.array([np.inf, -np.inf, 0.0, 1e3])
    assert tanh(ends).tolist() == [1.0, -1.0, 0.0, 1.0]
    assert exp_negative(np.array([-np.inf, -1e4, 0.0])).tolist() == [0.0, 0.0, 1.0]
    assert expm1_negative(np.array([-np.inf, -1e4, 0.0])).tolist() == [-1.0, -1.0, 0.0]
    x = arguments()
    assert (tanh(-x) == -tanh(x)).all()
    assert (np.abs(tanh(x)) <= 1).all()


def test_sums_are_added_from_left_to_right():
    values = np.random.default_rng(1).normal(size=1000)
    total = 0.0
    for value in values.tolist():
        total += value
    assert ordered_sum(values) == total
    assert ordered_sum(np.zeros(0)) == 0.0
    assert math.isclose(total, math.fsum(values), rel_tol=1e-9)
