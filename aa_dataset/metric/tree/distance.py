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
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric._engine import compiled_kernels
from aa_dataset.metric.distance import (
    DEFAULT_NORM,
    checked_factor,
    checked_scale,
    joint_distance,
    sizes,
)
from aa_dataset.metric.endpoints import Joints, as_joint_array, require_bounded
from aa_dataset.metric.foreign import LabeledEdge
from aa_dataset.metric.norms import KineticNorm, Norm, Norms, as_norm
from aa_dataset.metric.pairwise import Engine, pairwise_distance
from aa_dataset.metric.tree.problem import Problem, State, assign
from aa_dataset.metric.tree.result import Edit, Normalization, TreeDistance
from aa_dataset.metric.tree.search import heaviest_matching
from aa_dataset.metric.tree.skeleton import Skeleton, contract

Array = NDArray[np.float64]
Tree = KinematicTree | Skeleton | Sequence[LabeledEdge]

DEFAULT_TIME_LIMIT = 10.0
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


@dataclass(frozen=True, slots=True, eq=False)
class _Prices:
    """Costs of substituting, contracting and expanding."""

    substitute: Array
    contract: Array
    expand: Array

    @property
    def saved(self) -> Array:
        """What matching two joints saves over contracting one and expanding the other."""
        return np.maximum(self.contract[:, None] + self.expand - self.substitute, 0.0)


def tree_distance(
    first: Tree,
    second: Tree,
    *,
    norm: Norm | BodyNorms = DEFAULT_NORM,
    compactify: float | None = None,
    normalize: Normalization = "raw",
    time_limit: float = DEFAULT_TIME_LIMIT,
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
    time_limit : float [s]
        When it strikes, the result has ``exact=False`` and certified bounds.
    engine : {"auto", "numpy", "numba"}
        "auto" takes numba for trees of about twenty joints or more where it is installed; the
        results agree to rounding.
    """
    one, two = contract(first), contract(second)
    large = len(one) * len(two) >= COMPILE_ABOVE
    chosen = ("numba" if large else "numpy") if engine == "auto" else engine
    kernels = compiled_kernels(chosen, required=engine == "numba")
    prices = _prices(one, two, norm, checked_scale(compactify), kernels)
    return _solve(one, two, prices, kernels, normalize=normalize, time_limit=time_limit)


def relaxed_tree_distance(
    first: Tree,
    second: Tree,
    *,
    norm: Norm | BodyNorms = DEFAULT_NORM,
    compactify: float | None = None,
) -> float:
    """Return the assignment relaxation, a lower bound of the raw distance in polynomial time."""
    one, two = contract(first), contract(second)
    prices = _prices(one, two, norm, checked_scale(compactify), None)
    saved, _ = assign(prices.saved)
    return max(0.0, float(prices.contract.sum() + prices.expand.sum()) - saved)


def constant_penalty_distance(
    first: Tree,
    second: Tree,
    *,
    penalty: float,
    norm: Norm = DEFAULT_NORM,
    compactify: float | None = None,
    realizable: bool = True,
    time_limit: float = DEFAULT_TIME_LIMIT,
) -> TreeDistance:
    """Return ``D_lambda``: every unmatched joint costs the same (paper section 5.2, figure 5).

    For comparison only: it jumps when a range crosses zero and stops growing at twice the
    penalty. With ``realizable=False`` the matching need not respect the trees.
    """
    if not (math.isfinite(penalty) and penalty > 0):
        raise NormError(f"`penalty` is {penalty}; give a positive number.")
    one, two = contract(first), contract(second)
    prices = _prices(one, two, norm, checked_scale(compactify), None)
    flat = _Prices(
        prices.substitute, np.full(len(one), float(penalty)), np.full(len(two), float(penalty))
    )
    if realizable:
        return _solve(one, two, flat, None, normalize="raw", time_limit=time_limit)
    stars = _flattened(one), _flattened(two)
    return _solve(*stars, flat, None, normalize="raw", time_limit=time_limit)


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
    """
    one, two = as_joint_array(first), as_joint_array(second)
    distances = joint_distance(one, two, norm=norms, compactify=compactify)
    return float(np.linalg.norm(distances))


def _prices(
    one: Skeleton,
    two: Skeleton,
    norm: Norm | BodyNorms,
    scale: float | None,
    kernels: ModuleType | None,
) -> _Prices:
    if scale is None:
        require_bounded(one.array)
        require_bounded(two.array)
    own: Norms
    if isinstance(norm, BodyNorms) and (len(one) or len(two)):
        own, spare = _body_norms(two, norm.regularize)
    elif isinstance(norm, BodyNorms):
        own = spare = DEFAULT_NORM  # nothing moves on either side, so nothing is measured
    else:
        own = spare = _one_norm(norm)
    engine: Engine = "numpy" if kernels is None else "numba"
    substitute = pairwise_distance(one.array, two.array, norm=own, compactify=scale, engine=engine)
    loose = sizes(one.array, checked_factor(spare, count=len(one)), scale)
    return _Prices(substitute, loose, sizes(two.array, checked_factor(own, count=len(two)), scale))


def _one_norm(norm: Norm) -> Norm:
    """Return the norm of all joints; a list would price joints by where they stand in it."""
    if isinstance(norm, Sequence) and not isinstance(norm, str):
        raise NormError(
            f"`norm` is a list of {len(norm)}; a tree is measured by one norm, or by the ground "
            "truth's bodies with `BodyNorms()`."
        )
    return as_norm(norm)


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


def _solve(
    one: Skeleton,
    two: Skeleton,
    prices: _Prices,
    kernels: ModuleType | None,
    *,
    normalize: Normalization,
    time_limit: float,
) -> TreeDistance:
    divisor = _divisor(normalize, len(one), len(two))
    problem = Problem(prices.saved, one.below, two.below, one.parents, two.parents, kernels)
    state = heaviest_matching(problem, time_limit=time_limit)
    script = _script(one, two, prices, state)
    upper = math.fsum(edit.cost for edit in script)
    price = float(prices.contract.sum() + prices.expand.sum())
    lower = upper if state.closed else max(0.0, min(upper, price - state.bound))
    relaxed = upper if state.certified else max(0.0, min(lower, price - state.relaxed))
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
    )


def _divisor(normalize: Normalization, first: int, second: int) -> float:
    counts = {"raw": 1, "per-truth-joint": second, "per-max-joints": max(first, second)}
    if normalize not in counts:
        known = ", ".join(counts)
        raise ValueError(f"`normalize` is {normalize!r}; choose one of {known}.")
    return float(counts[normalize]) or math.nan


def _script(one: Skeleton, two: Skeleton, prices: _Prices, state: State) -> tuple[Edit, ...]:
    """Write the matching as edits: substitutions, contractions, then expansions."""
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


def _flattened(skeleton: Skeleton) -> Skeleton:
    """Return the same joints on a star, where every matching is realizable."""
    count = len(skeleton)
    return Skeleton(
        skeleton.name,
        skeleton.joints,
        skeleton.array,
        (-1,) * count,
        np.zeros((count, count), dtype=bool),
    )
