# SPDX-License-Identifier: Apache-2.0
"""Matrices of distances: engines, tiles, norms per column, memory."""

import math
import sys
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aa_dataset import metric
from aa_dataset.errors import MissingExtraError, NormError, ShapeError, UnboundedRangeError
from aa_dataset.kinematics import Joint, RigidBody
from aa_dataset.metric import (
    JointArray,
    KineticNorm,
    SplitNorm,
    _engine,
    joint_distance,
    pairwise_distance,
)
from aa_dataset.metric._engine import has_numba
from tests.kit.metric_strategies import bounded_joints, joints, norms, scales

NEEDS_NUMBA = pytest.mark.skipif(not has_numba(), reason="numba is an optional extra")
ENGINES = ["numpy", pytest.param("numba", marks=NEEDS_NUMBA)]


def random_array(count, seed, *, infinite=0.0, still=0.0):
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(count, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    screws = np.concatenate([axes, np.cross(rng.normal(size=(count, 3)), axes)], axis=1)
    slides = rng.random(count) < 0.3
    screws[slides] = np.concatenate([np.zeros((count, 3)), axes], axis=1)[slides]
    screws[rng.random(count) < still] = 0.0
    limits = np.sort(rng.normal(size=(count, 2)), axis=1)
    limits[rng.random(count) < infinite, 1] = np.inf
    limits[rng.random(count) < infinite, 0] = -np.inf
    return JointArray(screws, limits)


def aligned_matrix(one, two, norm, scale):
    """Return the matrix by the accurate aligned distance, row by row."""
    rows = []
    for i in range(len(one)):
        copies = one.take([i] * len(two))
        rows.append(joint_distance(copies, two, norm=norm, compactify=scale))
    return np.array(rows)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", [(1, 1), (70, 40), (131, 517), (3, 1100)])
@pytest.mark.parametrize("scale", [None, 2.0])
def test_matrix_equals_aligned_pairs_across_tile_borders(engine, shape, scale):
    infinite = 0.0 if scale is None else 0.2
    one = random_array(shape[0], 1, infinite=infinite, still=0.1)
    two = random_array(shape[1], 2, infinite=infinite, still=0.1)
    found = pairwise_distance(one, two, norm=SplitNorm(1.5), compactify=scale, engine=engine)
    expected = aligned_matrix(one, two, SplitNorm(1.5), scale)
    assert np.allclose(found, expected, rtol=1e-10, atol=1e-14)


def random_bodies(count, seed, *, away=1.0):
    """Return norms of real bodies: any positive second moments, centers about `away` off."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        points = rng.normal(size=(3, 3))
        spread = points @ points.T + 0.01 * np.eye(3)
        inertia = np.trace(spread) * np.eye(3) - spread
        found.append(KineticNorm(RigidBody(1.0, away * rng.normal(size=3), inertia)))
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", [(90, 45), (3, 300), (40, 128), (20, 129)])
@pytest.mark.parametrize("scale", [None, 2.0])
def test_one_body_per_ground_truth_column(engine, shape, scale):
    infinite = 0.0 if scale is None else 0.2
    one = random_array(shape[0], 5, infinite=infinite, still=0.1)
    two = random_array(shape[1], 6, infinite=infinite, still=0.1)
    kinetic = random_bodies(shape[1], 4)
    found = pairwise_distance(one, two, norm=kinetic, compactify=scale, engine=engine)
    assert np.allclose(found, aligned_matrix(one, two, kinetic, scale), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scale", [None, 2.0])
def test_bodies_far_from_the_origin_lose_no_more_than_their_digits(engine, scale):
    """At 1,000 m the whitened screws have three digits less; the square of that would show."""
    one, two = random_array(60, 7), random_array(60, 8)
    one.screws[:, 3:] += np.cross(np.full(3, 1000.0), one.screws[:, :3])
    two.screws[:, 3:] += np.cross(np.full(3, 1000.0), two.screws[:, :3])
    kinetic = random_bodies(60, 9, away=1000.0)
    found = pairwise_distance(one, two, norm=kinetic, compactify=scale, engine=engine)
    assert np.allclose(found, aligned_matrix(one, two, kinetic, scale), rtol=1e-9, atol=0)


@NEEDS_NUMBA
def test_the_vector_tanh_has_fifteen_digits():
    from aa_dataset.metric._compiled_columns import _radii

    lengths = np.concatenate([np.logspace(-9, 1.5, 500), np.linspace(0, 25, 500)])
    out = np.empty_like(lengths)
    for end in (1.0, -1.0, 0.3, 1e-200, np.inf, -np.inf):
        _radii(lengths, end, out)
        with np.errstate(invalid="ignore"):
            exact = [float(mpmath.tanh(x)) if x == x else 0.0 for x in end * lengths]
        assert np.allclose(out, exact, rtol=2e-15, atol=0)


@settings(max_examples=15)
@given(st.lists(joints(), min_size=1, max_size=5), norms, scales)
def test_diagonal_is_zero_and_matrix_symmetric(some, norm, scale):
    for engine in ("numpy", "numba") if has_numba() else ("numpy",):
        matrix = pairwise_distance(some, some, norm=norm, compactify=scale, engine=engine)
        assert (np.diag(matrix) == 0).all()
        assert np.allclose(matrix, matrix.T, rtol=1e-12, atol=1e-15)


@settings(max_examples=15)
@given(st.lists(bounded_joints(), min_size=2, max_size=4), norms)
def test_reversal_of_a_whole_side_changes_nothing(some, norm):
    turned = [joint.reversed() for joint in some]
    straight = pairwise_distance(some, some, norm=norm)
    assert np.allclose(pairwise_distance(some, turned, norm=norm), straight, rtol=1e-9, atol=1e-12)


def test_identical_joints_by_the_thousand_are_exactly_zero():
    """A library full of the same drawer: every pair takes the careful path."""
    drawer = Joint("d", "prismatic", [1, 2, 3], [0, 0, 0], 0.0, 0.4)
    array = JointArray.of([drawer] * 300)
    for engine in ("numpy", "numba") if has_numba() else ("numpy",):
        assert not pairwise_distance(array, array, engine=engine).any()


def test_scratch_memory_is_bounded():
    one, two = random_array(4000, 7), random_array(3000, 8)
    out = np.empty((4000, 3000))
    tracemalloc.start()
    pairwise_distance(one, two, engine="numpy", out=out)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8e6 < out.nbytes


def test_out_is_filled_and_checked():
    one, two = random_array(3, 1), random_array(4, 2)
    out = np.full((3, 4), np.nan)
    assert pairwise_distance(one, two, out=out) is out
    assert np.isfinite(out).all()
    with pytest.raises(ShapeError, match="out"):
        pairwise_distance(one, two, out=np.empty((4, 3)))


def test_empty_sets_give_empty_matrices():
    none, some = JointArray(np.zeros((0, 6)), np.zeros((0, 2))), random_array(3, 1)
    assert pairwise_distance(none, some).shape == (0, 3)
    assert pairwise_distance(some, none).shape == (3, 0)
    assert pairwise_distance(some, none, norm=[]).shape == (3, 0)


def test_infinite_limits_wrong_counts_and_unknown_engines_raise():
    wheel = Joint("wheel", "continuous", [0, 0, 1], [0, 0, 0])
    some = random_array(3, 1)
    with pytest.raises(UnboundedRangeError, match="wheel"):
        pairwise_distance(some, [wheel])
    with pytest.raises(NormError, match="2 norms for 3 joints"):
        pairwise_distance(some, some, norm=[SplitNorm(), SplitNorm()])
    with pytest.raises(ValueError, match="engine"):
        pairwise_distance(some, some, engine="fortran")
    with pytest.raises(ShapeError, match="second"):
        joint_distance(some, random_array(2, 1))


def test_missing_numba_is_a_sentence_with_the_command(monkeypatch):
    monkeypatch.delattr(metric, "_compiled", raising=False)
    monkeypatch.setitem(sys.modules, "aa_dataset.metric._compiled", None)
    some = random_array(2, 1)
    with pytest.raises(MissingExtraError, match=r"pip install 'aa-dataset\[fast\]'"):
        pairwise_distance(some, some, engine="numba")
    monkeypatch.setattr(_engine, "has_numba", lambda: False)
    big = random_array(1100, 2)
    assert math.isfinite(pairwise_distance(big, big, engine="auto")[0, 1])
