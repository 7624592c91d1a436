# SPDX-License-Identifier: Apache-2.0
"""Every digit: against 60-digit arithmetic on the same screws and limits."""

import math
from dataclasses import replace

import numpy as np
import pytest

from aa_dataset.kinematics import Joint, RigidBody
from aa_dataset.metric import KineticNorm, SplitNorm, joint_distance, pairwise_distance
from aa_dataset.metric._engine import has_numba
from tests.kit.metric_references import precise_distance

NEEDS_NUMBA = pytest.mark.skipif(not has_numba(), reason="numba is an optional extra")
ENGINES = ["numpy", pytest.param("numba", marks=NEEDS_NUMBA)]
# Raw E needs finite ranges; E^phi takes all.
CASES = [("finite", None), ("finite", 3.0), ("one-sided", 3.0), ("infinite", 3.0)]


def near_pairs(count, seed, span):
    """Return joints and copies that differ by 1e-1 to 1e-12 in some fields, some reversed."""
    rng = np.random.default_rng(seed)
    first, second = [], []
    for k in range(count):
        kind = ("revolute", "prismatic", "helical")[k % 3]
        lower, upper = sorted(rng.normal(scale=2, size=2))
        upper = math.inf if span != "finite" else upper
        lower = -math.inf if span == "infinite" else lower
        pitch = rng.normal() * 0.1 if kind == "helical" else 0.0
        one = Joint(f"{k}", kind, rng.normal(size=3), rng.normal(size=3), lower, upper, pitch)
        step = 10.0 ** -rng.integers(1, 13)
        which = rng.integers(0, 2, size=4)
        ends = np.sort(np.array(one.limits) + which[2] * step * rng.normal(size=2))
        two = replace(
            one,
            axis=one.axis + which[0] * step * rng.normal(size=3),
            origin=one.origin + which[1] * step * rng.normal(size=3),
            lower=ends[0],
            upper=ends[1],
            pitch=one.pitch + (which[3] * step if kind == "helical" else 0.0),
        )
        first.append(one)
        second.append(two.reversed() if k % 2 else two)
    return first, second


def norm_cases():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(3, 3))
    body = RigidBody(2.0, rng.normal(size=3), points @ points.T + 0.1 * np.eye(3))
    return [SplitNorm(2.0), KineticNorm(body)]


def relative_error(found, expected):
    if expected < 1e-40:  # the same encoding: 60-digit rounding only
        return 0.0 if found == 0 else math.inf
    return float(abs(found - expected) / expected)


@pytest.mark.parametrize(("span", "scale"), CASES)
@pytest.mark.parametrize("norm", norm_cases(), ids=["split", "kinetic"])
def test_single_pairs_have_1e_12(span, norm, scale):
    for one, two in zip(*near_pairs(90, 1, span), strict=True):
        expected = precise_distance(one, two, norm, scale)
        assert (
            relative_error(joint_distance(one, two, norm=norm, compactify=scale), expected) < 1e-12
        )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("span", "scale"), CASES)
@pytest.mark.parametrize("norm", norm_cases(), ids=["split", "kinetic"])
def test_fast_matrices_have_1e_9_near_zero(engine, span, norm, scale):
    """The diagonal holds pairs that differ by as little as 1e-12."""
    first, second = near_pairs(60, 2, span)
    found = pairwise_distance(first, second, norm=norm, compactify=scale, engine=engine)
    each = pairwise_distance(
        first, second, norm=[norm] * len(second), compactify=scale, engine=engine
    )
    for k, (one, two) in enumerate(zip(first, second, strict=True)):
        expected = precise_distance(one, two, norm, scale)
        assert relative_error(found[k, k], expected) < 1e-9
        assert relative_error(each[k, k], expected) < 1e-9


def test_closed_form_without_recomputing_would_lose_every_digit():
    """Why the fast form is guarded: at 1e-9 the plain closed form is off by more than 10 %."""
    one = Joint("a", "revolute", [0.3, 0.5, 0.8], [1.0, 2.0, 3.0], -0.7, 1.9)
    two = replace(one, origin=one.origin + np.array([1e-9, 0, 0]))
    g = one.screw @ two.screw
    (a, b), (c, d) = one.limits, two.limits
    square = (a * a + b * b) * (one.screw @ one.screw) + (c * c + d * d) * (two.screw @ two.screw)
    plain = math.sqrt(abs(square - (a + b) * (c + d) * g - (b - a) * (d - c) * abs(g)))
    exact = precise_distance(one, two, SplitNorm())
    assert relative_error(plain, exact) > 0.1
    assert relative_error(joint_distance(one, two), exact) < 1e-12


@pytest.mark.parametrize("magnitude", [1e-60, 1e-30, 1e30, 1e60])
def test_huge_and_small_ranges_keep_their_digits(magnitude):
    slide = Joint("a", "prismatic", [1, 2, 3], [0, 0, 0], 0.0, magnitude)
    other = replace(slide, upper=magnitude * (1 + 1e-10))
    expected = precise_distance(slide, other, SplitNorm())
    assert float(abs(joint_distance(slide, other) - expected) / expected) < 1e-9


def test_ranges_beyond_any_exponent_do_not_overflow_when_compactified():
    one = Joint("a", "revolute", [0, 0, 1], [1, 0, 0], -1e300, 1e300)
    two = Joint("b", "continuous", [0, 0, 1], [1, 0, 0])
    assert joint_distance(one, two, compactify=math.pi) == 0
    assert joint_distance(one, replace(one, upper=800.0), compactify=1.0) == 0
