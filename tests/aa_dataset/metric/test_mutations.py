# SPDX-License-Identifier: Apache-2.0
"""The mutation check: wrong implementations, each killed by the laws named beside it."""

import numpy as np
import pytest

from aa_dataset.metric import _pairs, bootstrap, components, losses, norms, pairwise, paths
from aa_dataset.metric import distance as metric_distance
from aa_dataset.metric.tree import bounds, distance, problem, search, skeleton
from tests.kit.metric_laws import LAWS


def no_swap(patch):
    original = _pairs.pair_distances

    def straight(screws, limits, *, factor, scale):
        if scale is not None:
            return original(screws, limits, factor=factor, scale=scale)
        y1, y2 = (_pairs.apply(factor, s) for s in screws)
        a, b = limits
        low = a[..., :1] * y1 - b[..., :1] * y2
        high = a[..., 1:] * y1 - b[..., 1:] * y2
        return np.sqrt(np.vecdot(low, low) + np.vecdot(high, high))

    patch.setattr(metric_distance, "pair_distances", straight)


def swap_without_exchanging_limits(patch):
    patch.setattr(_pairs, "reversed_where", lambda flip, x: np.where(flip[..., None], -x, x))


def with_factor(patch, kind, wrong):
    """Let the constructor of a norm replace its factor by a wrong one."""
    original = kind.__post_init__

    def changed(self):
        original(self)
        object.__setattr__(self, "factor", wrong(self, self.factor.copy()))

    patch.setattr(kind, "__post_init__", changed)


def squared_alpha(patch):
    with_factor(patch, norms.SplitNorm, lambda norm, factor: factor @ factor)


def center_with_the_wrong_sign(patch):
    signs = np.block([[np.ones((3, 6))], [-np.ones((3, 3)), np.ones((3, 3))]])
    with_factor(patch, norms.KineticNorm, lambda norm, factor: factor * signs)


def inertia_not_divided_by_mass(patch):
    def heavy(norm, factor):
        factor[:3, :3] *= np.sqrt(norm.body.mass)
        return factor

    with_factor(patch, norms.KineticNorm, heavy)


def compactify_the_limit_not_the_twist(patch):
    patch.setattr(_pairs, "radius", lambda limits, size, scale: np.tanh(limits / scale))


def infinite_range_as_a_large_one(patch):
    original = _pairs.radius
    patch.setattr(_pairs, "radius", lambda x, size, k: original(np.clip(x, -3.14, 3.14), size, k))


def no_care_near_zero(patch):
    patch.setattr(_pairs, "NEAR", 0.0)


def no_recomputing_in_matrices(patch):
    patch.setattr(pairwise, "RECOMPUTE", 0.0)


def relaxation_returned_as_exact(patch):
    for module in (search, bounds, problem):
        patch.setattr(module, "is_admissible", lambda *_: True)


def rooted_trees_only(patch):
    """Hang both trees on one more edge that must be matched, so that their bases correspond."""

    def hung(below, parents):
        grown = np.zeros((len(below) + 1,) * 2, dtype=bool)
        grown[1:, 1:] = below
        grown[0, 1:] = True
        return grown, (-1, *(parent + 1 for parent in parents))

    def rooted(task, **limits):
        (below1, parents1), (below2, parents2) = (
            hung(task.below1, task.parents1),
            hung(task.below2, task.parents2),
        )
        weights = np.zeros((len(below1), len(below2)))
        weights[1:, 1:] = task.weights
        weights[0, 0] = 1e3
        grown = problem.Problem(weights, below1, below2, parents1, parents2)
        state = search.heaviest_matching(grown, **limits)
        kept = state.pairs[0] > 0
        state.pairs = state.pairs[0][kept] - 1, state.pairs[1][kept] - 1
        return state

    patch.setattr(distance, "heaviest_matching", rooted)


def bound_that_cuts_too_much(patch):
    original = bounds.block_bounds

    def low(*args):
        below, rest = original(*args)
        return 0.5 * below, 0.5 * rest

    patch.setattr(bounds, "block_bounds", low)


def time_out_called_exact(patch):
    patch.setattr(problem.State, "closed", property(lambda self: True))


def silent_normalization(patch):
    patch.setattr(distance, "_divisor", lambda normalize, n, m: float(max(n, m)))


def welded_bodies_forgotten(patch):
    patch.setattr(skeleton, "merge_bodies", lambda bodies: bodies[0])


def parallel_axes_score_zero(patch):
    original = components._origin_error

    def zero(*args, **options):
        found = original(*args, **options)
        return 0.0 if np.isnan(found) else found

    patch.setattr(components, "_origin_error", zero)


def joints_resampled_instead_of_objects(patch):
    original = bootstrap._totals
    patch.setattr(
        bootstrap,
        "_totals",
        lambda groups, how: original([np.array([x]) for g in groups for x in g], how),
    )


def soft_max_instead_of_soft_min(patch):
    original = losses.namespace

    class Wrong:
        def __init__(self, xp):
            self._xp = xp

        def __getattr__(self, name):
            if name == "logaddexp":  # of the arguments' opposites, so that the larger term wins
                return lambda a, b: -self._xp.logaddexp(-a, -b)
            return getattr(self._xp, name)

    patch.setattr(losses, "namespace", lambda array: Wrong(original(array)))


def path_as_mean_of_the_ends(patch):
    def halves(first, second):
        low, high = paths._gaps(first, second, norms.SplitNorm())
        return float(np.sqrt(((low**2).sum() + (high**2).sum()) / 2))

    patch.setattr("aa_dataset.metric.path_distance", halves)


MUTATIONS = {
    no_swap: ("orientation_invariance", "definition"),
    swap_without_exchanging_limits: ("orientation_invariance", "definition"),
    squared_alpha: ("split_norm", "definition"),
    center_with_the_wrong_sign: ("material_motion", "definition"),
    inertia_not_divided_by_mass: ("material_motion", "definition"),
    compactify_the_limit_not_the_twist: ("continuous_limit", "compactified_definition"),
    infinite_range_as_a_large_one: ("continuous_limit", "compactified_definition"),
    no_care_near_zero: ("accuracy_near_zero",),
    no_recomputing_in_matrices: ("accuracy_of_matrices",),
    relaxation_returned_as_exact: ("brute_force_trees", "knobs"),
    rooted_trees_only: ("base_choice",),
    bound_that_cuts_too_much: ("brute_force_trees",),
    time_out_called_exact: ("honest_budget",),
    silent_normalization: ("raw_sum_of_prices",),
    welded_bodies_forgotten: ("welded_bodies",),
    parallel_axes_score_zero: ("undefined_is_nan",),
    joints_resampled_instead_of_objects: ("bootstrap_unit",),
    soft_max_instead_of_soft_min: ("soft_min",),
    path_as_mean_of_the_ends: ("path",),
}


@pytest.mark.parametrize("name", sorted(LAWS))
def test_law_holds(name):
    LAWS[name]()


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda f: f.__name__)
def test_mutation_is_killed(mutate, monkeypatch):
    mutate(monkeypatch)
    for name in MUTATIONS[mutate]:
        with pytest.raises(AssertionError):
            LAWS[name]()


def test_every_law_kills_a_mutation():
    assert {law for laws in MUTATIONS.values() for law in laws} == set(LAWS)
