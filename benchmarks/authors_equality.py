# SPDX-License-Identifier: Apache-2.0
"""Compares every quantity that this package and the authors' `articulatearena` both have.

Used by ``tests/aa_dataset/metric/test_authors_package.py`` and ``benchmarks/authors.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import articulatearena as authors
import numpy as np
from articulatearena.general_equation.configuration import configuration_difference
from articulatearena.new_equation.material_motion import (
    config_discrepancy,
    finite_joint_discrepancy,
)
from articulatearena.new_equation.tree import contract_small_edges, matching_realizable
from articulatearena.previous_metrics import component_scores as scores

from aa_dataset.kinematics import exp_twist
from aa_dataset.metric import (
    component_errors,
    constant_penalty_distance,
    contract,
    endpoint_twists,
    joint_distance,
    material_motion,
    motion_size,
    placement_discrepancy,
    relaxed_tree_distance,
    skeleton_distance,
    tree_distance,
)
from aa_dataset.metric.losses import smooth_loss
from aa_dataset.metric.tree.problem import Problem, is_admissible
from benchmarks.authors_cases import (
    NORMS,
    Pair,
    TreePair,
    authors_distance,
    authors_edges,
    authors_ends,
    authors_tuple,
    joint_pairs,
    tree_pairs,
)

Values = Iterator[tuple[object, object]]

SEED = 20260911
KAPPA = math.pi
# Their arc cosine has half the digits near 0: an error of the cosine of 1e-16 is one of 1.5e-8 rad.
SMALL_ANGLE = 1e-3


@dataclass(frozen=True)
class Equality:
    """Result of a comparison: the largest relative difference over `count` values."""

    quantity: str
    theirs: str
    count: int
    largest: float


def equalities(pairs: int = 10_000, trees: int = 500, most: int = 6) -> Iterator[Equality]:
    """Compare every common quantity on random joints and trees."""
    rng = np.random.default_rng(SEED)
    joints = joint_pairs(rng, pairs)
    yield from joint_equalities(rng, joints)
    yield from component_equalities(joints)
    yield from tree_equalities(rng, tree_pairs(rng, trees, most=most))


def difference(ours: object, theirs: object) -> float:
    """Return the largest entry of ``|ours - theirs|`` relative to the largest of ``|theirs|``.

    Two nans and two equal infinities agree; one alone is an infinite difference.
    """
    one, two = np.atleast_1d(np.asarray(ours, float)), np.atleast_1d(np.asarray(theirs, float))
    same = (one == two) | (np.isnan(one) & np.isnan(two))
    if same.all():
        return 0.0
    if not (np.isfinite(one[~same]).all() and np.isfinite(two[~same]).all()):
        return math.inf
    size = np.abs(two[np.isfinite(two)]).max()
    gap = float(np.abs(one[~same] - two[~same]).max())
    return gap / size if size > 0 else math.inf


def _equality(quantity: str, theirs: str, values: Values) -> Equality:
    gaps = [difference(one, two) for one, two in values]
    return Equality(quantity, theirs, len(gaps), max(gaps, default=0.0))


def joint_equalities(rng: np.random.Generator, pairs: list[Pair]) -> Iterator[Equality]:
    """Compare screws, endpoints, distances, sizes, losses and finite motions."""
    bounded = [pair for pair in pairs if pair.bounded]
    screws = (
        (j.screw, t.xi_hat.data) for p in pairs for j, t in zip(p.both, p.theirs, strict=True)
    )
    yield _equality("screw", "screw_twist", screws)
    yield _equality("endpoint pair", "make_endpoint_pair", _endpoints(bounded))
    for kind in NORMS:
        yield _equality(f"E, {kind} norm", "joint_metric", _distances(bounded, kind, None))
        phi = _distances(pairs, kind, KAPPA)
        yield _equality(f"E^phi, {kind} norm", "radial_compactify, joint_metric", phi)
    yield _equality("E, limits wrapped", "joint_to_endpoint_pair(wrap)", _wraps(bounded))
    yield _equality("E to the fixed joint", "cost_to_fixed", _sizes(bounded))
    yield _equality("E^2, smoothed", "training_loss", _losses(rng, bounded))
    yield _equality("rigid displacement", "exp_map", _displacements(bounded))
    yield _equality("d of two placements", "config_discrepancy", _placements(bounded))
    yield _equality("d^2 times mass", "configuration_difference", _squares(bounded))
    yield _equality("material motion", "finite_joint_discrepancy", _motions(bounded))


def _endpoints(pairs: list[Pair]) -> Values:
    ours = endpoint_twists([pair.first for pair in pairs])
    for value, pair in zip(ours, pairs, strict=True):
        theirs = authors.make_endpoint_pair(pair.first.screw, *pair.first.limits)
        yield value, (theirs.u.data, theirs.v.data)


def _distances(pairs: list[Pair], kind: str, kappa: float | None) -> Values:
    first, second = [pair.first for pair in pairs], [pair.second for pair in pairs]
    norms = [pair.norms[kind][0] for pair in pairs]
    ours = joint_distance(first, second, norm=norms, compactify=kappa)
    for value, pair in zip(ours, pairs, strict=True):
        yield value, authors_distance(pair, pair.norms[kind][1], kappa)


def _wraps(pairs: list[Pair]) -> Values:
    first, second = [pair.first for pair in pairs], [pair.second for pair in pairs]
    ours = joint_distance(first, second, wrap_turns="authors")
    norm = authors.make_split_norm(1.0)
    for value, pair in zip(ours, pairs, strict=True):
        ends = [authors.joint_to_endpoint_pair(own, wrap_revolute=True) for own in pair.theirs]
        yield value, authors.joint_metric(*(z.data for p in ends for z in (p.u, p.v)), norm)


def _sizes(pairs: list[Pair]) -> Values:
    norms = [pair.norms[NORMS[k % 3]] for k, pair in enumerate(pairs)]
    ours = motion_size([pair.first for pair in pairs], norm=[norm for norm, _ in norms])
    for value, pair, (_, norm) in zip(ours, pairs, norms, strict=True):
        yield value, authors.cost_to_fixed(authors_ends(pair.theirs[0], norm, None), norm)


def _losses(rng: np.random.Generator, pairs: list[Pair]) -> Values:
    norms = [pair.norms[NORMS[k % 3]] for k, pair in enumerate(pairs)]
    epsilon = float(10 ** rng.uniform(-9, 0))
    sides = [
        (np.array([j.screw for j in side]), np.array([j.limits for j in side]))
        for side in zip(*(pair.both for pair in pairs), strict=True)
    ]
    ours = smooth_loss(*sides, epsilon=epsilon, norm=[norm for norm, _ in norms])
    for value, pair, (_, norm) in zip(ours, pairs, norms, strict=True):
        ends = [z for own in pair.theirs for z in authors_ends(own, norm, None)]
        # A difference of squares of the motions, so rounding is a share of those.
        size = sum(norm(z) for z in ends)
        yield value + size, authors.training_loss(*ends, norm, epsilon) + size


def _displacements(pairs: list[Pair]) -> Values:
    ours = exp_twist(endpoint_twists([pair.first for pair in pairs])[:, 1])
    for value, pair in zip(ours, pairs, strict=True):
        yield value, authors.exp_map(pair.first.screw, pair.first.upper)


def _placements(pairs: list[Pair]) -> Values:
    for pair, one, two in _placed(pairs):
        split = [(g[:3, :3], g[:3, 3]) for g in (one, two)]
        ours = placement_discrepancy(one, two, body=pair.body)
        yield ours, config_discrepancy(*split, pair.inertia)


def _squares(pairs: list[Pair]) -> Values:
    for pair, one, two in _placed(pairs):
        ours = pair.body.mass * placement_discrepancy(one, two, body=pair.body) ** 2
        yield ours, configuration_difference(one, two, pair.inertia)


def _placed(pairs: list[Pair]) -> Iterator[tuple[Pair, np.ndarray, np.ndarray]]:
    """Yield the upper ends of both joints as displacements."""
    sides = [
        exp_twist(endpoint_twists(list(side))[:, 1])
        for side in zip(*(pair.both for pair in pairs), strict=True)
    ]
    yield from zip(pairs, *sides, strict=True)


def _motions(pairs: list[Pair]) -> Values:
    for pair in pairs:
        ours = material_motion([pair.first], [pair.second], body=pair.body)[0]
        yield ours, finite_joint_discrepancy(*pair.theirs, pair.inertia)


def component_equalities(pairs: list[Pair]) -> Iterator[Equality]:
    """Compare the six component scores, under our variant ``authors``."""
    own = [component_errors(*pair.both, variant="authors") for pair in pairs]
    tuples = [[authors_tuple(joint) for joint in pair.both] for pair in pairs]
    functions: dict[str, tuple[str, Callable[..., float]]] = {
        "type_error": ("type error", scores.type_error),
        "axis_error": ("axis error", scores.axis_error),
        "origin_error": ("origin error", scores.origin_error),
        "range_error": ("limit magnitude", scores.limit_error_magnitude),
        "direction_error": ("limit direction", scores.limit_error_direction),
        "success": ("success", scores.joint_success),
    }
    for field, (label, function) in functions.items():
        values = [(getattr(o, field), function(*t)) for o, t in zip(own, tuples, strict=True)]
        if field in STEADY:
            values = [(STEADY[field](o), STEADY[field](t)) for o, t in values]
        yield _equality(label, function.__name__, iter(values))


def _angle(angle: float) -> float:
    """Return an angle, or its cosine where the arc cosine has lost its digits."""
    return angle if angle > SMALL_ANGLE else math.cos(angle)


# Both formulas round a cosine near 1, so the cosines are what can agree.
STEADY = {"axis_error": _angle, "direction_error": lambda value: 1 - value}


def tree_equalities(rng: np.random.Generator, pairs: list[TreePair]) -> Iterator[Equality]:
    """Compare tree distances, certificates, penalties and realizability."""
    cases = [_TreeCase(rng, pair) for pair in pairs]
    rows: tuple[tuple[str, str, Callable[[_TreeCase], tuple[object, object]]], ...] = (
        ("moving joints", "contract_small_edges", _TreeCase.counts),
        ("relaxed tree distance", "assignment_tree_distance", _TreeCase.relaxed),
        ("exact tree distance", "exact_tree_distance", _TreeCase.exact),
        ("constant penalty", "assignment_tree_distance(unmatched_cost=)", _TreeCase.penalty),
        ("skeleton distance", "skeleton_distance", _TreeCase.skeleton),
        ("realizable matching", "matching_realizable", _TreeCase.realizable),
    )
    for label, theirs, compare in rows:
        yield _equality(label, theirs, (compare(case) for case in cases))
    # With equal joints the cheapest assignment is not unique, and the certificate is arbitrary.
    untied = (case.certificate() for case in cases if not case.pair.tied)
    yield _equality("certificate", "exact_tree_distance", untied)


class _TreeCase:
    """One pair of trees under one norm, in both forms."""

    def __init__(self, rng: np.random.Generator, pair: TreePair):
        self.rng, self.pair = rng, pair
        self.norm, self.theirs = pair.norms
        self.edges = [
            contract_small_edges(authors_edges(tree, self.theirs, pair.kappa), self.theirs)
            for tree in (pair.first, pair.second)
        ]
        self.labels = [[edge[2] for edge in edges] for edges in self.edges]
        self.trees = (contract(pair.first), contract(pair.second))
        self.options = {"norm": self.norm, "compactify": pair.kappa}
        self.lam = float(rng.uniform(0.05, 2.0))

    def counts(self) -> tuple[object, object]:
        return [len(tree) for tree in self.trees], [len(edges) for edges in self.edges]

    def relaxed(self) -> tuple[object, object]:
        theirs = authors.assignment_tree_distance(*self.labels, self.theirs)
        # Ours is the price of all joints less what matching saves, so rounding is a share of it.
        price = sum(authors.cost_to_fixed(z, self.theirs) for side in self.labels for z in side)
        return relaxed_tree_distance(*self.trees, **self.options) + price, theirs + price

    def exact(self) -> tuple[object, object]:
        self.value, self.certified = authors.exact_tree_distance(*self.edges, self.theirs)
        self.own = tree_distance(*self.trees, **self.options)
        return (self.own.value if self.own.exact else math.nan), self.value

    def certificate(self) -> tuple[object, object]:
        return self.own.certified, self.certified

    def penalty(self) -> tuple[object, object]:
        theirs = authors.assignment_tree_distance(*self.labels, self.theirs, lambda _: self.lam)
        ours = constant_penalty_distance(
            *self.trees, penalty=self.lam, realizable=False, **self.options
        )
        return ours.value, theirs

    def skeleton(self) -> tuple[object, object]:
        arrays = [tree.array for tree in self.trees]
        one, two = self.labels
        costs = [[authors.joint_metric(*a, *b, self.theirs) for b in two] for a in one]
        costs = np.reshape(costs, (len(one), len(two)))
        wrong = int(self.rng.integers(0, 3))
        theirs = authors.skeleton_distance(costs, self.lam, wrong)[2]
        ours = skeleton_distance(*arrays, penalty=self.lam, mismatches=wrong, **self.options)
        return ours, theirs

    def realizable(self) -> tuple[object, object]:
        """Compare the verdict on a random matching."""
        one, two = self.trees
        count = int(self.rng.integers(0, min(len(one), len(two)) + 1))
        rows = self.rng.permutation(len(one))[:count]
        columns = self.rng.permutation(len(two))[:count]
        matching = list(zip(rows.tolist(), columns.tolist(), strict=True))
        problem = Problem(
            np.ones((len(one), len(two))), one.below, two.below, one.parents, two.parents
        )
        ours = is_admissible(problem, (rows, columns))
        return ours, matching_realizable(*self.edges, matching)
