# SPDX-License-Identifier: Apache-2.0
"""A shape that was moved, turned and scaled comes back, or is marked; never wrong and unmarked."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from aa_dataset import load_dataset
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.portable import quaternion_rotation
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.registration import icp
from aa_dataset.score.registration.bbox import estimate_box
from aa_dataset.score.registration.solve import solve_damped
from aa_dataset.score.registration.surface import closest_on, surface_of
from aa_dataset.score.registration.turns import axis_turns, turn_grid
from aa_dataset.score.truth_shape import object_triangles

EXACT = 1e-4  # of the size


def box(extents, center=(0.0, 0.0, 0.0)) -> np.ndarray:
    return np.array(trimesh.creation.box(extents=extents).triangles) + np.array(center)


def table(knob: float = 0.0) -> np.ndarray:
    """Return a square table with four legs, and a knob of a given size on one side."""
    parts = [box((1.0, 1.0, 0.05), (0, 0, 0.7))]
    parts += [box((0.06, 0.06, 0.7), (x, y, 0.35)) for x in (-0.45, 0.45) for y in (-0.45, 0.45)]
    if knob:
        parts.append(box((knob, knob, knob), (0.5 + knob / 2, 0.1, 0.7)))
    return np.concatenate(parts)


def cylinder(sides: int = 48) -> np.ndarray:
    return np.array(trimesh.creation.cylinder(radius=0.2, height=0.9, sections=sides).triangles)


def bottle() -> np.ndarray:
    """Return a shape of revolution whose ends differ."""
    return np.concatenate([cylinder(), cylinder() * 0.4 + [0.0, 0.0, 0.6]])


def chair() -> np.ndarray:
    """Return a shape without any symmetry but a mirror."""
    back = box((0.04, 0.5, 0.6), (-0.23, 0.0, 0.7))
    return np.concatenate([box((0.5, 0.5, 0.05), (0, 0, 0.4)), back, box((0.05, 0.05, 0.4))])


def asymmetric() -> np.ndarray:
    return np.concatenate([box((0.5, 0.3, 0.2)), box((0.2, 0.1, 0.3), (0.2, 0.15, 0.1))])


# Proper rotations onto itself: a mirror is none.
SHAPES = {
    "box": (box((0.5, 0.3, 0.2)), True),
    "cube": (box((0.4, 0.4, 0.4)), True),
    "table": (table(), True),
    "table_with_knob": (table(0.1), False),
    "cylinder": (cylinder(), True),
    "prism": (cylinder(6), True),
    "bottle": (bottle(), True),
    "chair": (chair(), False),
    "asymmetric": (asymmetric(), False),
}


def random_similarity(generator: np.random.Generator) -> Similarity:
    turn = quaternion_rotation(generator.normal(size=4))
    return Similarity(math.exp(generator.normal()), turn, generator.normal(size=3))


def brought_back(triangles: np.ndarray, away: Similarity) -> tuple[icp.Estimate, float]:
    """Return the estimate for a moved shape, and by how much of its size it is off."""
    diagonal = float(np.linalg.norm(np.ptp(triangles.reshape(-1, 3), axis=0)))
    moved = away.points(triangles)
    found = icp.estimate(surface_of(moved), surface_of(triangles), diagonal)
    off = np.abs(found.similarity.points(moved) - triangles).max()
    return found, float(off) / diagonal


@pytest.mark.parametrize("name", SHAPES)
def test_a_moved_shape_comes_back_or_is_marked(name):
    triangles, is_symmetric = SHAPES[name]
    generator = np.random.default_rng(sum(map(ord, name)))
    found, off = brought_back(triangles, random_similarity(generator))
    assert found.is_ambiguous or off < EXACT
    assert found.is_ambiguous == is_symmetric


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_a_hundred_similarities_of_one_shape(name):
    triangles, is_symmetric = SHAPES[name]
    generator = np.random.default_rng(100 + sum(map(ord, name)))
    for _ in range(100):
        found, off = brought_back(triangles, random_similarity(generator))
        assert found.is_ambiguous or off < EXACT
        assert found.is_ambiguous == is_symmetric


def test_objects_of_a_library_come_back_or_are_marked(pristine_library):
    """These are boxes that overlap, so most of them look alike from several sides."""
    generator = np.random.default_rng(1)
    for item in load_dataset(pristine_library, verbose=False):
        triangles = np.concatenate(list(object_triangles(item).values()))
        found, off = brought_back(triangles, random_similarity(generator))
        assert found.is_ambiguous or off < EXACT, item.object_id


def test_the_residual_is_that_of_the_shapes():
    """A shape without one of its parts leaves a residual; the whole one leaves nearly none."""
    whole = table(0.1)
    diagonal = float(np.linalg.norm(np.ptp(whole.reshape(-1, 3), axis=0)))
    same = icp.estimate(surface_of(whole), surface_of(whole), diagonal)
    assert same.residual < 1e-3 * diagonal
    part = icp.estimate(surface_of(whole[:36]), surface_of(whole), diagonal)
    assert part.residual > 0.01 * diagonal


def test_the_mark_is_about_the_residual_that_is_reported(monkeypatch):
    """The last steps leave out the worst tenth, so the residual of all can grow by them."""
    refined, measured = icp._Pair.refined, icp._Pair.residual
    stages, values = [], []

    def noted(pair, pose, stage):
        stages.append(stage)
        return refined(pair, pose, stage)

    def grown(pair, pose):
        """The pose that is refined last is hardly better than the worst candidate."""
        is_last = stages[-1] is icp.LAST
        values.append(max(values) / 1.04 if is_last else measured(pair, pose))
        return values[-1]

    whole = table(0.1)
    monkeypatch.setattr(icp._Pair, "refined", noted)
    monkeypatch.setattr(icp._Pair, "residual", grown)
    found = icp.estimate(surface_of(whole), surface_of(whole), 1.0)
    assert found.runner_up < 1.05 * found.residual and found.is_ambiguous


def test_two_estimates_are_the_same_to_the_last_bit():
    moved = Similarity(2.0, quaternion_rotation((1.0, 0.2, 0.1, 0.4))).points(chair())
    ones = [icp.estimate(surface_of(moved), surface_of(chair()), 1.0) for _ in range(2)]
    assert (ones[0].similarity.matrix == ones[1].similarity.matrix).all()
    assert ones[0].residual == ones[1].residual


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_the_closest_point_is_that_of_trimesh(seed):
    generator = np.random.default_rng(seed)
    triangles, points = generator.normal(size=(20, 3, 3)), generator.normal(size=(20, 3)) * 2
    expected = trimesh.triangles.closest_point(triangles, points)
    assert np.allclose(closest_on(triangles, points), expected, atol=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_a_step_is_the_least_squares_solution(seed):
    generator = np.random.default_rng(seed)
    rows, gaps = generator.normal(size=(30, 7)), generator.normal(size=30)
    expected = np.linalg.lstsq(rows, -gaps, rcond=None)[0]
    assert np.allclose(solve_damped(rows, gaps, 0.0), expected, atol=1e-8)


def test_moments_are_those_of_many_samples():
    surface = surface_of(chair())
    points, owner = surface.samples(200_000, 7)
    assert np.allclose(points.mean(axis=0), surface.center, atol=2e-3)
    spread = points - surface.center
    assert np.allclose(spread.T @ spread / len(points), surface.moments, atol=2e-3)
    share = np.bincount(owner, minlength=len(surface.areas)) / len(owner)
    assert np.allclose(share, surface.areas / surface.areas.sum(), atol=1e-4)


def test_the_turns_are_the_group_of_the_cube():
    turns = axis_turns()
    products = {tuple((a @ b).ravel().tolist()) for a in turns for b in turns}
    assert len(turns) == len(products) == 24
    assert products == {tuple(turn.ravel().tolist()) for turn in turns + 0.0}
    assert (turns[0] == np.eye(3)).all()


def test_every_rotation_is_near_one_of_the_grid():
    generator = np.random.default_rng(3)
    farthest = 0.0
    for _ in range(500):
        turn = quaternion_rotation(generator.normal(size=4))
        cosine = ((turn_grid() * turn).sum(axis=(1, 2)).max() - 1) / 2
        farthest = max(farthest, math.acos(min(1.0, cosine)))
    assert farthest < math.radians(30)


@pytest.mark.parametrize("turn", range(24))
def test_a_turned_box_fits_and_is_marked(turn):
    """A box of three lengths: the extents agree, but four rotations fit alike."""
    truth = np.array([-0.5, -0.3, -0.2]), np.array([0.5, 0.3, 0.2])
    away = Similarity(0.7, axis_turns()[turn], np.array([1.0, 2.0, 3.0]))
    corners = away.points(np.array(truth))
    found = estimate_box((corners.min(axis=0), corners.max(axis=0)), truth)
    assert found.residual < 1e-12 and found.is_ambiguous
    assert math.isclose(found.similarity.scale, 1 / 0.7, rel_tol=1e-12)
    lower, upper = np.sort(found.similarity.points(corners), axis=0)
    assert np.allclose(lower, truth[0]) and np.allclose(upper, truth[1])


def test_a_box_that_needs_no_turn_is_not_turned():
    truth = np.array([-0.5, -0.3, -0.2]), np.array([0.5, 0.3, 0.2])
    found = estimate_box((truth[0] * 3 + 1, truth[1] * 3 + 1), truth)
    assert (found.similarity.rotation == np.eye(3)).all()
    assert math.isclose(found.similarity.scale, 1 / 3)


@pytest.mark.parametrize("off", [-0.01, 0.0, 0.01])
def test_a_cube_is_not_laid_on_its_side_for_a_hundredth(off):
    """A cabinet nearly as wide as high fits in any turn nearly alike; the conventions decide."""
    truth = np.array([-0.2, -0.3, -0.9]), np.array([0.2, 0.3, 0.9])
    extents = np.array([1.0, 1.0 - off, 1.0 + off])
    found = estimate_box((np.zeros(3), extents), truth)
    assert (found.similarity.rotation == np.eye(3)).all() and found.is_ambiguous
    # The residual is that of the turn that is taken: the best scale, by hand.
    wanted = truth[1] - truth[0]
    scale = (extents * wanted).sum() / (extents**2).sum()
    assert math.isclose(found.residual, np.linalg.norm(scale * extents - wanted))


def test_the_extents_decide_the_axes_and_the_residual():
    """Extents (2, 1, 1) to (1, 2, 1.5): y is longest. Scale s = (2*2 + 1 + 1.5) / 6, by hand."""
    truth = np.array([-0.5, -1.0, -0.75]), np.array([0.5, 1.0, 0.75])
    given_box = np.array([0.0, 0.0, 0.0]), np.array([2.0, 1.0, 1.0])
    found = estimate_box(given_box, truth)
    scale = (2 * 2 + 1 * 1 + 1 * 1.5) / 6
    assert math.isclose(found.similarity.scale, scale)
    assert abs(found.similarity.rotation[1, 0]) == 1
    left = (2 * scale - 2, scale - 1, scale - 1.5)
    assert math.isclose(found.residual, math.hypot(*left))


@pytest.mark.parametrize("broken", [
    np.full((1, 3, 3), np.nan), np.zeros((4, 3, 3)), np.full((1, 3, 3), 1e200), np.zeros((0, 3, 3)),
])  # fmt: skip
def test_a_shape_that_cannot_be_registered_is_a_sentence(broken):
    with pytest.raises(PredictionError, match=r"shape.*\.$"):
        surface_of(broken)
