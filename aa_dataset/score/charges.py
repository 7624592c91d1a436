# SPDX-License-Identifier: Apache-2.0
"""Costs of joints: paired, welded or spurious.

A truth joint J without a usable partner costs as much as welding it, ``E(J, J0)`` with J0 the fixed
joint. A predicted joint without a partner costs ``E(J0, J)``, and so does a bounded partner of an
unbounded joint in the raw scores, which define no distance for that pair. The kinetic norm uses the
body of a truth joint, and for a spurious joint all moving bodies of the ground truth welded into
one, because predicted shapes never enter the norm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import NormError, SingularBodyError
from aa_dataset.kinematics.bodies import BodyError, RigidBody, merge_bodies
from aa_dataset.metric import JointArray, KineticNorm, Skeleton, SplitNorm
from aa_dataset.metric._pairs import pair_distances
from aa_dataset.metric.distance import sizes
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.results import Parameters
from aa_dataset.score.rows import SCORES

Array = NDArray[np.float64]
Values = dict[str, float]
Reasons = dict[str, str]

# Spurious joints in raw scores: an infinite end counts as half a turn, or half the diagonal.
HALF_TURN = math.pi


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The moving joints of one object, with their costs as welds.

    Attributes
    ----------
    skeleton : Skeleton
        The contracted ground truth.
    factors : (n, 6, 6) float [m]
        Factors of the kinetic norms, nan where `bodiless` gives a reason.
    bodiless : tuple of str
        ``no_body``, ``singular_body`` or empty.
    welded : tuple of dict
        ``E(J, J0)`` by `Score.key`, nan where undefined.
    undefined : tuple of dict
        The reason: ``unbounded``, ``no_body``, ``singular_body`` or ``overflow``.
    """

    skeleton: Skeleton
    factors: Array
    bodiless: tuple[str, ...]
    welded: tuple[Values, ...]
    undefined: tuple[Reasons, ...]


def price_truth(skeleton: Skeleton, parameters: Parameters) -> Truth:
    """Return an object's joints with their costs as welds."""
    pairs = [_kinetic_factor(joint.body) for joint in skeleton.joints]
    factors = np.array([factor for factor, _ in pairs]).reshape(-1, 6, 6)
    bodiless = tuple(reason for _, reason in pairs)
    unbounded = [math.inf in map(abs, j.limits) for j in skeleton.joints]
    welded: tuple[Values, ...] = tuple({} for _ in pairs)
    undefined: tuple[Reasons, ...] = tuple({} for _ in pairs)
    for key, factor, scale in _score_measures(parameters, factors):
        for k, value in enumerate(_joint_sizes(skeleton.array, factor, scale)):
            kinetic = bodiless[k] if factor is factors else ""
            welded[k][key] = value if math.isfinite(value) else math.nan
            if reason := kinetic or _why_infinite(value, unbounded[k], scale):
                undefined[k][key], welded[k][key] = reason, math.nan
    return Truth(skeleton, factors, bodiless, welded, undefined)


def price_pairs(
    truth: Truth, guess: JointArray, *, partner: dict[int, int], parameters: Parameters
) -> tuple[list[Values], list[Reasons]]:
    """Return the distances of every pair, in order, and the reason for each undefined one.

    ``unbounded_guess`` and ``overflow`` are caused by the prediction, all others by the truth.
    """
    rows, columns = list(partner), list(partner.values())
    values: list[Values] = [{score.key: math.nan for score in SCORES} for _ in rows]
    reasons: list[Reasons] = [dict(truth.undefined[row]) for row in rows]
    unbounded = np.isinf(guess.limits).sum(axis=1) > 0
    for key, factor, scale in _score_measures(parameters, truth.factors):
        good = []
        for k, row in enumerate(rows):
            if key in truth.undefined[row]:
                continue
            if scale is None and unbounded[columns[k]]:
                reasons[k][key] = "unbounded_guess"
            else:
                good.append(k)
        pairs = [rows[k] for k in good], [columns[k] for k in good]
        for k, value in zip(good, _pair_distances(truth, guess, pairs, factor, scale), strict=True):
            if math.isfinite(value):
                values[k][key] = value
            else:
                reasons[k][key] = "overflow"
    return values, reasons


def price_spurious(
    truth: Truth, guess: JointArray, *, columns: Sequence[int], half: float, parameters: Parameters
) -> tuple[list[Values], list[Reasons]]:
    """Return ``E(J0, J)`` of predicted joints without a partner, and reasons for undefined ones.

    Raw distances of an unbounded joint are infinite, so an infinite end counts as half a turn, or
    for a slide as `half` [m], half of the object's diagonal. E^phi needs no such rule.
    """
    joints = guess.take(list(columns))
    bounded = _with_finite_ranges(joints, half)
    factor, reason = _whole_factor(truth)
    costs: list[Values] = [{} for _ in columns]
    reasons: list[Reasons] = [{} for _ in columns]
    for key, one, scale in _score_measures(parameters, factor):
        for k, value in enumerate(_joint_sizes(bounded if scale is None else joints, one, scale)):
            costs[k][key] = value
            if reason and one is factor:
                reasons[k][key] = reason
            elif not math.isfinite(value):  # it would cost nothing if it were only undefined
                raise PredictionError(f"joint {joints.names[k]!r}: its motion is not a number.")
    return costs, reasons


def price_bounded(
    truth: Truth, guess: JointArray, *, partner: dict[int, int], half: float, parameters: Parameters
) -> dict[int, Values]:
    """Return the costs of bounded partners of unbounded truth joints, by truth joint index.

    Raw scores exclude such a truth joint, and its partner costs ``E(J0, J')`` like a spurious
    joint. An unbounded partner costs nothing: raw scores define no size for it.
    """
    rows = [
        k
        for k, j in partner.items()
        if np.isfinite(guess.limits[j]).all() and "unbounded" in truth.undefined[k].values()
    ]
    columns = [partner[k] for k in rows]
    if not rows:
        return {}
    costs, reasons = price_spurious(truth, guess, columns=columns, half=half, parameters=parameters)
    return {
        k: {
            key: cost[key]
            for key, why in truth.undefined[k].items()
            if why == "unbounded" and key not in reason
        }
        for k, cost, reason in zip(rows, costs, reasons, strict=True)
    }


def _score_measures(
    parameters: Parameters, kinetic: Array
) -> tuple[tuple[str, Array, float | None], ...]:
    """Return key, factor of the norm and kappa of every score, in the order of `SCORES`."""
    split = SplitNorm(parameters.alpha).factor
    return (
        ("e_alpha", split, None),
        ("e_alpha_phi", split, parameters.kappa),
        ("e_b", kinetic, None),
        ("e_b_phi", kinetic, parameters.kappa),
    )


def _why_infinite(value: float, is_unbounded: bool, scale: float | None) -> str:
    """Return why a size is not finite, empty if it is."""
    if is_unbounded and scale is None:
        return "unbounded"
    return "" if math.isfinite(value) else "overflow"


def _joint_sizes(joints: JointArray, factor: Array, scale: float | None) -> list[float]:
    with np.errstate(over="ignore", invalid="ignore"):
        values: list[float] = sizes(joints, factor, scale).tolist()
    return values


def _pair_distances(
    truth: Truth,
    guess: JointArray,
    pairs: tuple[list[int], list[int]],
    factor: Array,
    scale: float | None,
) -> list[float]:
    rows, columns = pairs
    if not rows:
        return []
    own = truth.skeleton.array
    screws = own.screws[rows], guess.screws[columns]
    limits = own.limits[rows], guess.limits[columns]
    chosen = factor if factor.ndim == 2 else factor[rows]
    with np.errstate(over="ignore", invalid="ignore"):
        distances = pair_distances(screws, limits, factor=chosen, scale=scale)
    return [float(value) for value in distances]


def _kinetic_factor(body: RigidBody | None) -> tuple[Array, str]:
    """Return the factor of the moving body's norm, or nan and the reason."""
    nothing = np.full((6, 6), math.nan)
    if body is None:
        return nothing, "no_body"
    try:
        return KineticNorm(body).factor, ""
    except SingularBodyError:
        return nothing, "singular_body"
    except NormError:
        return nothing, "no_body"


def _whole_factor(truth: Truth) -> tuple[Array, str]:
    """Return the factor for spurious joints: all moving bodies of the ground truth as one."""
    bodies = [joint.body for joint in truth.skeleton.joints if joint.body is not None]
    try:
        return _kinetic_factor(merge_bodies(bodies) if bodies else None)
    except BodyError:
        return _kinetic_factor(None)


def _with_finite_ranges(joints: JointArray, half: float) -> JointArray:
    """Return the joints with finite ranges, see `price_spurious`."""
    turns = joints.screws[:, :3].any(axis=1)
    ends = np.where(turns, HALF_TURN, half)
    lower, upper = joints.limits.T
    low = np.where(np.isinf(lower), np.minimum(-ends, np.where(np.isinf(upper), 0, upper)), lower)
    high = np.where(np.isinf(upper), np.maximum(ends, low), upper)
    return JointArray.ready(joints.screws, np.stack([low, high], axis=1), joints.names)
