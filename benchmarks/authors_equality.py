# SPDX-License-Identifier: Apache-2.0
"""Every quantity that this package and the authors' `articulatearena` both have, side by side.

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
from authors_cases import (
    NORMS,
    Pair,
    TreePair,
    authors_distance,
    authors_edges,
    authors_ends,
    authors_inertia,
    authors_joint,
    authors_tuple,
    joint_pairs,
    norm_pair,
    random_body,
    tree_pairs,
)

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

SEED = 20260911
KAPPA = math.pi
# Their arc cosine has half the digits near 0: an error of the cosine of 1e-16 is one of 1.5e-8 rad.
SMALL_ANGLE = 1e-6


@dataclass(frozen=True)
class Equality:
    """What was compared: the largest difference relative to their value, over `count` values."""

    quantity: str
    theirs: str
    count: int
    largest: float


def equalities(pairs: int = 10_000, trees: int = 500, most: int = 5) -> Iterator[Equality]:
    """Compare every common quantity on random joints and trees."""
    rng = np.random.default_rng(SEED)
    yield from joint_equalities(rng, joint_pairs(rng, pairs))
    yield from component_equalities(joint_pairs(rng, pairs))
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


def _equality(quantity: str, theirs: str, values: Iterator[tuple[object, object]]) -> Equality:
    gaps = [difference(one, two) for one, two in values]
    return Equality(quantity, theirs, len(gaps), max(gaps, default=0.0))


def joint_equalities(rng: np.random.Generator, pairs: list[Pair]) -> Iterator[Equality]:
    """Compare screws, endpoints, distances, sizes, losses and finite motions."""
    joints = [pair.first for pair in pairs]
    yield _equality(
        "screw", "screw_twist", ((j.screw, authors_joint(j).xi_hat.data) for j in joints)
    )
    bounded = [pair for pair in pairs if pair.bounded]
    yield _equality("endpoint pair", "make_endpoint_pair", _endpoints(bounded))
    for kind in NORMS:
        for name, kappa, some in (("E", None, bounded), ("E^phi", KAPPA, pairs)):
            label = "joint_metric" if kappa is None else "joint_metric of radial_compactify"
            values = _distances(rng, some, kind, kappa)
            yield _equality(f"{name}, {kind} norm", label, values)
    yield _equality("E, wrapped limits", "joint_to_endpoint_pair(wrap_revolute=True)", _wraps(bounded))
    yield _equality("E to the fixed joint", "cost_to_fixed", _sizes(rng, bounded))
    yield _equality("E^2, smoothed", "training_loss", _losses(rng, bounded))
    yield _equality("rigid displacement", "exp_map", _displacements(bounded))
    yield _equality("d of two placements", "config_discrepancy", _placements(rng, bounded))
    yield _equality("d^2 times mass", "configuration_difference", _squares(rng, bounded))
    yield _equality("material motion", "finite_joint_discrepancy", _motions(rng, bounded))


def _endpoints(pairs: list[Pair]) -> Iterator[tuple[object, object]]:
    for pair in pairs:
        theirs = authors.make_endpoint_pair(pair.first.screw, *pair.first.limits)
        yield endpoint_twists(pair.first)[0], (theirs.u.data, theirs.v.data)


def _distances(
    rng: np.random.Generator, pairs: list[Pair], kind: str, kappa: float | None
) -> Iterator[tuple[object, object]]:
    norms = [norm_pair(rng, kind, pair.scale) for pair in pairs]
    ours = joint_distance(
        [pair.first for pair in pairs],
        [pair.second for pair in pairs],
        norm=[norm for norm, _ in norms],
        compactify=kappa,
    )
    for value, pair, (_, norm) in zip(ours, pairs, norms, strict=True):
        yield value, authors_distance(pair, norm, kappa)


def _wraps(pairs: list[Pair]) -> Iterator[tuple[object, object]]:
    norm = authors.make_split_norm(1.0)
    for pair in pairs:
        ends = []
        for joint in pair.both:
            own = authors.joint_to_endpoint_pair(authors_joint(joint), wrap_revolute=True)
            ends += [own.u.data, own.v.data]
        yield joint_distance(*pair.both, wrap_turns="authors"), authors.joint_metric(*ends, norm)


def _sizes(rng: np.random.Generator, pairs: list[Pair]) -> Iterator[tuple[object, object]]:
    for k, pair in enumerate(pairs):
        norm, theirs = norm_pair(rng, NORMS[k % 3], pair.scale)
        ends = authors_ends(pair.first, theirs, None)
        yield motion_size([pair.first], norm=norm)[0], authors.cost_to_fixed(ends, theirs)


def _losses(rng: np.random.Generator, pairs: list[Pair]) -> Iterator[tuple[object, object]]:
    for k, pair in enumerate(pairs):
        norm, theirs = norm_pair(rng, NORMS[k % 3], pair.scale)
        epsilon = 10 ** rng.uniform(-9, 0)
        ours = smooth_loss(
            *((j.screw, np.array(j.limits)) for j in pair.both), epsilon=epsilon, norm=norm
        )
        ends = [z for joint in pair.both for z in authors_ends(joint, theirs, None)]
        # The loss is a difference of squares of the motions: rounding is a share of those.
        size = sum(theirs(z) for z in ends)
        yield ours + size, authors.training_loss(*ends, theirs, epsilon) + size


def _displacements(pairs: list[Pair]) -> Iterator[tuple[object, object]]:
    for pair in pairs:
        joint = pair.first
        yield exp_twist(joint.upper * joint.screw), authors.exp_map(joint.screw, joint.upper)


def _placements(rng: np.random.Generator, pairs: list[Pair]) -> Iterator[tuple[object, object]]:
    for pair in pairs:
        body = random_body(rng, pair.scale)
        one, two = (exp_twist(joint.upper * joint.screw) for joint in pair.both)
        split = [(g[:3, :3], g[:3, 3]) for g in (one, two)]
        ours = placement_discrepancy(one, two, body=body)
        yield ours, config_discrepancy(*split, authors_inertia(body))


def _squares(rng: np.random.Generator, pairs: list[Pair]) -> Iterator[tuple[object, object]]:
    for pair in pairs:
        body = random_body(rng, pair.scale)
        one, two = (exp_twist(joint.upper * joint.screw) for joint in pair.both)
        ours = body.mass * placement_discrepancy(one, two, body=body) ** 2
        yield ours, configuration_difference(one, two, authors_inertia(body))


def _motions(rng: np.random.Generator, pairs: list[Pair]) -> Iterator[tuple[object, object]]:
    for pair in pairs:
        body = random_body(rng, pair.scale)
        own = [authors_joint(joint) for joint in pair.both]
        ours = material_motion([pair.first], [pair.second], body=body)[0]
        yield ours, finite_joint_discrepancy(*own, authors_inertia(body))


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
        values = [
            (getattr(o, field), function(*t)) for o, t in zip(own, tuples, strict=True)
        ]
        if field == "axis_error":
            values = [(_steady(o), _steady(t)) for o, t in values]
        yield _equality(label, function.__name__, iter(values))


def _steady(angle: float) -> float:
    """Return an angle, or its cosine where the arc cosine has lost its digits."""
    return angle if angle > SMALL_ANGLE else math.cos(angle)


def tree_equalities(rng: np.random.Generator, pairs: list[TreePair]) -> Iterator[Equality]:
    """Compare tree distances, certificates, penalties and realizability."""
    cases = [_TreeCase(rng, pair, NORMS[k % 3]) for k, pair in enumerate(pairs)]
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
    # With equal joints the cheapest assignment is not one, and chance decides the certificate.
    untied = (case.certificate() for case in cases if not case.pair.tied)
    yield _equality("certificate", "exact_tree_distance", untied)


class _TreeCase:
    """One pair of trees under one norm, in both forms."""

    def __init__(self, rng: np.random.Generator, pair: TreePair, kind: str):
        self.rng, self.pair = rng, pair
        self.norm, self.theirs = norm_pair(rng, kind, 1.0)
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
        return relaxed_tree_distance(*self.trees, **self.options), theirs

    def exact(self) -> tuple[object, object]:
        self.value, self.certified = authors.exact_tree_distance(*self.edges, self.theirs)
        self.own = tree_distance(*self.trees, **self.options)
        return self.own.value, self.value

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
