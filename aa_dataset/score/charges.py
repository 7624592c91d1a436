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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import NormError, SingularBodyError
from aa_dataset.kinematics.bodies import BodyError, RigidBody, merge_bodies
from aa_dataset.kinematics.joints import Joint, LimitSource
from aa_dataset.metric import JointArray, KineticNorm, Skeleton, SplitNorm
from aa_dataset.metric._pairs import dot, pair_distances, pair_gaps
from aa_dataset.metric.distance import sizes
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.result.scores import SCORES

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

    def __len__(self) -> int:
        return len(self.skeleton)


def price_truth(skeleton: Skeleton, parameters: Parameters) -> Truth:
    """Return an object's joints with their costs as welds."""
    pairs = [_kinetic_factor(joint.body) for joint in skeleton.joints]
    factors = np.array([factor for factor, _ in pairs]).reshape(-1, 6, 6)
    bodiless = tuple(reason for _, reason in pairs)
    unbounded = [math.inf in map(abs, j.limits) for j in skeleton.joints]
    welded: tuple[Values, ...] = tuple({} for _ in pairs)
    undefined: tuple[Reasons, ...] = tuple({} for _ in pairs)
    for one in _measures(parameters, factors):
        for k, value in enumerate(one.sizes(skeleton.array)):
            kinetic = bodiless[k] if one.is_kinetic else ""
            welded[k][one.key] = value if math.isfinite(value) else math.nan
            if reason := kinetic or _why_infinite(value, unbounded[k], one.scale):
                undefined[k][one.key], welded[k][one.key] = reason, math.nan
    return Truth(skeleton, factors, bodiless, welded, undefined)


def price_pairs(
    truth: Truth, guess: Skeleton, *, partner: Mapping[int, int], parameters: Parameters
) -> tuple[list[Values], list[Reasons]]:
    """Return the distances of every pair, in order, and the reason for each undefined one.

    ``unbounded_guess``, ``limits_absent`` and ``overflow`` are caused by the prediction, all others
    by the truth.
    """
    rows, columns = list(partner), list(partner.values())
    values: list[Values] = [{score.key: math.nan for score in SCORES} for _ in rows]
    reasons: list[Reasons] = [dict(truth.undefined[row]) for row in rows]
    open_ended = [_why_unbounded(guess.joints[column]) for column in columns]
    for one in _measures(parameters, truth.factors):
        good = []
        for k, row in enumerate(rows):
            if one.key in truth.undefined[row]:
                continue
            if one.scale is None and open_ended[k]:
                reasons[k][one.key] = open_ended[k]
            else:
                good.append(k)
        ours, theirs = [rows[k] for k in good], [columns[k] for k in good]
        pairs = truth.skeleton.array.take(ours), guess.array.take(theirs)
        for k, value in zip(good, one.distances(*pairs, ours), strict=True):
            if math.isfinite(value):
                values[k][one.key] = value
            else:
                reasons[k][one.key] = "overflow"
    return values, reasons


def _why_unbounded(joint: Joint) -> str:
    """Return why a predicted joint has an infinite end, empty if it has none."""
    if all(map(math.isfinite, joint.limits)):
        return ""
    return "limits_absent" if joint.limit_source is LimitSource.ABSENT else "unbounded_guess"


def price_spurious(
    truth: Truth, guess: JointArray, *, columns: Sequence[int], half: float, parameters: Parameters
) -> tuple[list[Values], list[Reasons]]:
    """Return ``E(J0, J)`` of predicted joints without a partner, and reasons for undefined ones.

    Raw distances of an unbounded joint are infinite, so an infinite end counts as half a turn, or
    for a slide as `half` [m], half of the object's diagonal. E^phi needs no such rule.
    """
    joints = guess.take(list(columns))
    bounded = _with_finite_ranges(joints, half)
    factor, reason = whole_factor(truth)
    costs: list[Values] = [{} for _ in columns]
    reasons: list[Reasons] = [{} for _ in columns]
    for one in _measures(parameters, factor):
        for k, value in enumerate(one.sizes(bounded if one.scale is None else joints)):
            costs[k][one.key] = value
            if reason and one.is_kinetic:
                reasons[k][one.key] = reason
            elif not math.isfinite(value):  # it would cost nothing if it were only undefined
                raise PredictionError(f"joint {joints.names[k]!r}: its motion is not a number.")
    return costs, reasons


def price_bounded(
    truth: Truth,
    guess: JointArray,
    *,
    partner: Mapping[int, int],
    half: float,
    parameters: Parameters,
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


@dataclass(frozen=True, slots=True, eq=False)
class _Measure:
    """How one score measures: its key, the factors of its norm, kappa or None for raw distances.

    `is_kinetic` says that the factors are those of bodies, `is_path` that the distance is D_path
    instead of E.
    """

    key: str
    factor: Array
    scale: float | None
    is_kinetic: bool = False
    is_path: bool = False

    def sizes(self, joints: JointArray) -> list[float]:
        """Return the distances of joints to the fixed joint."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self.is_path:
                length = sizes(_unit_ranges(joints), self.factor, None)
                return _path_means(*(joints.limits[:, [end]] * length[:, None] for end in (0, 1)))
            values: list[float] = sizes(joints, self.factor, self.scale).tolist()
        return values

    def distances(self, truth: JointArray, guess: JointArray, rows: Sequence[int]) -> list[float]:
        """Return the distances of aligned joints; `rows` picks the truth joints' own factors."""
        if not len(truth):
            return []
        screws, limits = (truth.screws, guess.screws), (truth.limits, guess.limits)
        factor = self.factor if self.factor.ndim == 2 else self.factor[list(rows)]
        with np.errstate(over="ignore", invalid="ignore"):
            if self.is_path:
                return _path_means(*pair_gaps(screws, limits, factor=factor))
            return [
                float(x) for x in pair_distances(screws, limits, factor=factor, scale=self.scale)
            ]


def _measures(parameters: Parameters, kinetic: Array) -> tuple[_Measure, ...]:
    """Return the measure of every score, in the order of `SCORES`."""
    split = SplitNorm(parameters.alpha).factor
    return (
        _Measure("e_alpha", split, None),
        _Measure("e_alpha_phi", split, parameters.kappa),
        _Measure("e_b", kinetic, None, is_kinetic=True),
        _Measure("e_b_phi", kinetic, parameters.kappa, is_kinetic=True),
        _Measure("d_path", split, None, is_path=True),
    )


def _path_means(low: Array, high: Array) -> list[float]:
    """Return D_path from the gaps at both ends, (n, k) each (paper eq. 20)."""
    total = dot(low, low) + dot(high, high) + dot(low, high)
    # Rounding may leave a negative sum of terms that cancel.
    return [float(x) for x in np.sqrt(np.maximum(total, 0.0) / 3)]


def _unit_ranges(joints: JointArray) -> JointArray:
    """Return joints whose size is the norm of their screw: the range is [0, 1]."""
    ranges = np.zeros_like(joints.limits)
    ranges[:, 1] = 1.0
    return JointArray.ready(joints.screws, ranges, joints.names)


def _why_infinite(value: float, is_unbounded: bool, scale: float | None) -> str:
    """Return why a size is not finite, empty if it is."""
    if is_unbounded and scale is None:
        return "unbounded"
    return "" if math.isfinite(value) else "overflow"


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


def whole_factor(truth: Truth) -> tuple[Array, str]:
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
