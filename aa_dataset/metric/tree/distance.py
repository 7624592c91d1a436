# SPDX-License-Identifier: Apache-2.0
"""E^tree and its relatives (paper section 4.3, appendix B.5, Algorithm 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import JointError, NormError
from aa_dataset.kinematics.bodies import merge_bodies
from aa_dataset.metric._engine import compiled_kernels
from aa_dataset.metric.distance import (
    DEFAULT_NORM,
    checked_factor,
    checked_scale,
    joint_distance,
    sizes,
)
from aa_dataset.metric.endpoints import Joints, as_joint_array, require_bounded
from aa_dataset.metric.norms import AnyNorm, KineticNorm, Norm, Norms, as_norm, one_norm
from aa_dataset.metric.pairwise import Engine
from aa_dataset.metric.tree.prices import Measure, Prices, Terms, column_prices, pair_prices
from aa_dataset.metric.tree.problem import Problem, State, assign
from aa_dataset.metric.tree.result import Edit, Normalization, TreeDistance
from aa_dataset.metric.tree.search import heaviest_matching
from aa_dataset.metric.tree.skeleton import Skeleton, Tree, contract
from aa_dataset.metric.tree.work import DEFAULT_BUDGET, checked_budget

Array = NDArray[np.float64]

COMPILE_ABOVE = 400


@dataclass(frozen=True, slots=True)
class BodyNorms:
    """Measure every pair by the ground-truth joint's own body (the second tree's).

    A joint of the first tree that stays unmatched is priced by the ground truth's moving bodies
    welded into one, because predicted shapes never enter the norm. Substituting may then cost
    more than contracting and expanding; the cheaper of the two is taken, and the result is a
    score without the metric axioms (paper Remark Weighted variant).

    Attributes
    ----------
    regularize : float [m] or None
        Passed to every `KineticNorm`.
    """

    regularize: float | None = None


def norm_for_all(norm: AnyNorm | BodyNorms | Sequence[AnyNorm]) -> Norm:
    """Return the one norm of many trees in our form, which can be sent to another process."""
    if isinstance(norm, BodyNorms | Sequence) and not isinstance(norm, str):
        raise NormError(
            "`norm` must be one norm for all joints of all trees, such as `SplitNorm()`; "
            "for `BodyNorms` call `tree_distance` pair by pair."
        )
    return as_norm(norm)


def tree_distance(
    first: Tree,
    second: Tree,
    *,
    norm: AnyNorm | BodyNorms = DEFAULT_NORM,
    compactify: float | None = None,
    normalize: Normalization = "raw",
    budget: int = DEFAULT_BUDGET,
    time_limit: float | None = None,
    engine: Engine = "auto",
) -> TreeDistance:
    """Return the cheapest edit script between two kinematic trees (paper eq. 9).

    Parameters
    ----------
    first, second : KinematicTree or Skeleton
        In one frame; for `BodyNorms` and ``per-truth-joint`` the second is the ground truth.
        Links are unlabeled and the base does not matter.
    norm : SplitNorm, KineticNorm, RiemannianNorm or BodyNorms
        One inner product for all joints, or the ground truth's bodies.
    compactify : float [unit of the norm] or None
        Scale kappa of E^phi; None prices by raw E and refuses infinite ranges.
    normalize : {"raw", "per-truth-joint", "per-max-joints"}
        Raw is the metric; the others divide by a count of joints and lose the axioms.
    budget : int
        Search steps, counted alike on every machine; the default takes a slow one about 20 s. When
        it is exhausted, the result has ``exact=False`` and certified bounds. The relaxation and a
        first repair are always done, so `work` may exceed a tiny budget.
    time_limit : float [s] or None
        An additional wall-clock limit. The result then depends on the machine; it records the
        limit and whether it was reached.
    engine : {"auto", "numpy", "numba"}
        "auto" uses numba for trees of about twenty joints or more if it is installed; value,
        matching, proof and work are the same.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint, KinematicTree
    >>> def drawer(travel):
    ...     slide = Joint("slide", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, travel, 0.0, "a", "b")
    ...     return KinematicTree("drawer", ("a", "b"), (slide,))
    >>> found = tree_distance(drawer(0.5), drawer(0.25))
    >>> found.value, found.exact, found.matching
    (0.25, True, (('slide', 'slide'),))
    """
    limits = (checked_budget(budget), time_limit)
    one, two = contract(first), contract(second)
    large = len(one) * len(two) >= COMPILE_ABOVE
    chosen = ("numba" if large else "numpy") if engine == "auto" else engine
    kernels = compiled_kernels(chosen, required=engine == "numba", module="_compiled_trees")
    prices = _edit_prices(one, two, norm, checked_scale(compactify), kernels)
    return _solve_distance(one, two, prices, kernels, normalize=normalize, limits=limits)


def relaxed_tree_distance(
    first: Tree,
    second: Tree,
    *,
    norm: AnyNorm | BodyNorms = DEFAULT_NORM,
    compactify: float | None = None,
) -> float:
    """Return the assignment relaxation, a lower bound of the raw distance in polynomial time.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint, KinematicTree
    >>> def drawer(travel):
    ...     slide = Joint("slide", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, travel, 0.0, "a", "b")
    ...     return KinematicTree("drawer", ("a", "b"), (slide,))
    >>> relaxed_tree_distance(drawer(0.5), drawer(0.25))
    0.25
    """
    one, two = contract(first), contract(second)
    prices = _edit_prices(one, two, norm, checked_scale(compactify))
    _, pairs = assign(prices.saved)
    return prices.of_matching(pairs)


def constant_penalty_distance(
    first: Tree,
    second: Tree,
    *,
    penalty: float,
    norm: AnyNorm = DEFAULT_NORM,
    compactify: float | None = None,
    realizable: bool = True,
    budget: int = DEFAULT_BUDGET,
    time_limit: float | None = None,
) -> TreeDistance:
    """Return ``D_lambda``: every unmatched joint costs the same (paper section 5.2, figure 5).

    For comparison only: it jumps when a range crosses zero and stops growing at twice the
    penalty. With ``realizable=False`` the matching need not respect the trees.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint, KinematicTree
    >>> def drawer(travel):
    ...     slide = Joint("slide", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, travel, 0.0, "a", "b")
    ...     return KinematicTree("drawer", ("a", "b"), (slide,))
    >>> constant_penalty_distance(drawer(9.0), drawer(0.25), penalty=0.5).value
    1.0
    """
    if not (math.isfinite(penalty) and penalty > 0):
        raise NormError(f"`penalty` is {penalty}; it must be a positive number.")
    limits = (checked_budget(budget), time_limit)
    one, two = contract(first), contract(second)
    prices = _edit_prices(one, two, norm, checked_scale(compactify))
    flat = Prices(
        prices.substitute, np.full(len(one), float(penalty)), np.full(len(two), float(penalty))
    )
    if realizable:
        return _solve_distance(one, two, flat, None, normalize="raw", limits=limits)
    stars = _as_star(one), _as_star(two)
    return _solve_distance(*stars, flat, None, normalize="raw", limits=limits)


def fixed_skeleton_distance(
    first: Joints, second: Joints, *, norms: Norms, compactify: float | None = None
) -> float:
    """Return the root of summed squares over corresponding joints (paper Theorem fixed-skeleton).

    Parameters
    ----------
    first, second : n joints each
        Two candidates for the ground truth's joints, in the ground truth's order.
    norms : norm or n norms
        The ground truth's bodies, one per joint.
    compactify : float or None
        Scale kappa of E^phi; None gives raw E.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint
    >>> truth = [Joint(f"{k}", "prismatic", [1, 0, 0], [0, 0, 0], 0, 1) for k in range(2)]
    >>> found = [Joint(f"{k}", "prismatic", [1, 0, 0], [0, 0, 0], 0, 1.5) for k in range(2)]
    >>> round(fixed_skeleton_distance(found, truth, norms=DEFAULT_NORM), 6)  # sqrt(2) / 2
    0.707107
    """
    one, two = as_joint_array(first), as_joint_array(second)
    distances = joint_distance(one, two, norm=norms, compactify=compactify)
    return math.sqrt(math.fsum(distance * distance for distance in distances.tolist()))


def _edit_prices(
    one: Skeleton,
    two: Skeleton,
    norm: AnyNorm | BodyNorms,
    scale: float | None,
    kernels: ModuleType | None = None,
) -> Prices:
    if scale is None:
        require_bounded(one.array)
        require_bounded(two.array)
    if isinstance(norm, BodyNorms) and (len(one) or len(two)):
        return _body_prices(one, two, norm, scale)
    # If nothing moves on either side, no norm is needed, not even of bodies.
    fixed = DEFAULT_NORM if isinstance(norm, BodyNorms) else one_norm(norm)
    measure = Measure(checked_factor(fixed, count=1), scale, kernels)
    first, second = (Terms.of(side.array, measure.factor, scale) for side in (one, two))
    return Prices(pair_prices(first, second, measure), first.motion, second.motion)


def _body_prices(one: Skeleton, two: Skeleton, norm: BodyNorms, scale: float | None) -> Prices:
    own, spare = _body_norms(two, norm.regularize)
    factors = checked_factor(own, count=len(two))
    return Prices(
        column_prices(one.array, two.array, factors, scale),
        sizes(one.array, checked_factor(spare, count=len(one)), scale),
        sizes(two.array, factors, scale),
    )


def _body_norms(truth: Skeleton, regularize: float | None) -> tuple[list[Norm], Norm]:
    bodies = []
    for joint in truth.joints:
        if joint.body is None:
            raise JointError(joint.name, "body", "the kinetic norm needs the moving link's body.")
        bodies.append(joint.body)
    own: list[Norm] = [KineticNorm(body, regularize) for body in bodies]
    if not bodies:
        raise NormError(
            f"the ground truth {truth.name!r} has no moving joint, so it has no body to measure "
            "by; use a fixed norm for such objects."
        )
    return own, KineticNorm(merge_bodies(bodies), regularize)


def _solve_distance(
    one: Skeleton,
    two: Skeleton,
    prices: Prices,
    kernels: ModuleType | None,
    *,
    normalize: Normalization,
    limits: tuple[int, float | None],
) -> TreeDistance:
    divisor = _divisor(normalize, len(one), len(two))
    problem = Problem(prices.saved, one.below, two.below, one.parents, two.parents, kernels)
    if kernels is not None and limits[1] is not None:
        kernels.warm_up()  # the time limit excludes compilation
    state = heaviest_matching(problem, budget=limits[0], time_limit=limits[1])
    script = _edit_script(one, two, prices, state)
    upper = prices.of_matching(state.pairs)
    lower = upper if state.closed else max(0.0, min(upper, prices.total - state.bound))
    relaxed = upper if state.certified else max(0.0, min(lower, prices.total - state.relaxed))
    return TreeDistance(
        value=upper / divisor,
        lower=lower / divisor,
        upper=upper / divisor,
        exact=state.closed,
        relaxed=relaxed / divisor,
        certified=state.certified,
        matching=tuple(
            (e.first, e.second) for e in script if e.first is not None and e.second is not None
        ),
        script=script,
        normalization=normalize,
        counts=(len(one), len(two)),
        stage=state.stage,
        budget=limits[0],
        work=state.meter.work,
        time_limit=limits[1],
        timed_out=state.meter.timed_out,
    )


def _divisor(normalize: Normalization, first: int, second: int) -> float:
    counts = {"raw": 1, "per-truth-joint": second, "per-max-joints": max(first, second)}
    if normalize not in counts:
        choices = ", ".join(counts)
        raise ValueError(f"`normalize` is {normalize!r}; choose one of {choices}.")
    return float(counts[normalize]) or math.nan


def _edit_script(one: Skeleton, two: Skeleton, prices: Prices, state: State) -> tuple[Edit, ...]:
    """Return the matching as edits: substitutions, contractions, then expansions."""
    pairs = sorted(zip(state.pairs[0].tolist(), state.pairs[1].tolist(), strict=True))
    matched1, matched2 = {i for i, _ in pairs}, {j for _, j in pairs}
    edits = [
        Edit("substitute", one.names[i], two.names[j], float(prices.substitute[i, j]))
        for i, j in pairs
    ]
    edits += [
        Edit("contract", name, None, float(prices.contract[i]))
        for i, name in enumerate(one.names)
        if i not in matched1
    ]
    edits += [
        Edit("expand", None, name, float(prices.expand[j]))
        for j, name in enumerate(two.names)
        if j not in matched2
    ]
    return tuple(edits)


def _as_star(skeleton: Skeleton) -> Skeleton:
    """Return the same joints on a star, where every matching is realizable."""
    count = len(skeleton)
    return Skeleton(
        skeleton.name,
        skeleton.joints,
        skeleton.array,
        (-1,) * count,
        np.zeros((count, count), dtype=bool),
    )
