# SPDX-License-Identifier: Apache-2.0
"""The rows of `per_joint`, see `result.tables`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aa_dataset.kinematics.joints import Joint
from aa_dataset.metric import Skeleton, component_errors
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.charges import (
    Reasons,
    Truth,
    Values,
    price_bounded,
    price_pairs,
    price_spurious,
)
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.result.scores import COMPONENTS, SCORES, SPURIOUS, TRUTH, VARIANTS

Row = dict[str, object]
Offset = Callable[[str, str], float | None]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One object of the split, with what its rows repeat.

    Attributes
    ----------
    facts : dict of str to object
        The object's id, category, supercategory, source and `is_metric`.
    truth : Truth
        Its moving joints with their costs as welds.
    main : int or None
        The joint of `one-joint`; None if nothing moves.
    half : float [m]
        Half the diagonal of its box.
    """

    facts: Row
    truth: Truth
    main: int | None
    half: float

    @classmethod
    def of(cls, item: ArticulatedObject, truth: Truth) -> Case:
        """Return the case of an object."""
        facts: Row = {
            "object_id": item.object_id,
            "category": item.category,
            "supercategory": item.supercategory,
            "source": item.source,
            "is_metric": item.is_metric,
        }
        x, y, z = item.extents.tolist()
        return cls(facts, truth, main_joint(truth), math.sqrt(x * x + y * y + z * z) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """A usable prediction of a case.

    Attributes
    ----------
    skeleton : Skeleton
        Its moving joints.
    offset : function of two joint names
        Distance of the centers of what both move [m], None if unknown.
    """

    skeleton: Skeleton
    offset: Offset


def main_joint(truth: Truth) -> int | None:
    """Return the truth's joint with the largest E_alpha^phi(J, J0), ties by name."""
    joints = truth.skeleton.joints
    if not joints:
        return None
    return min(range(len(joints)), key=lambda k: (-truth.welded[k]["e_alpha_phi"], joints[k].name))


def failed_rows(case: Case, rows: Sequence[int], *, protocol: str, why: str) -> list[Row]:
    """Return truth joints without a partner, each charged as a weld."""
    return [_single_row(case, k, protocol=protocol, why=why) for k in rows]


def paired_rows(
    case: Case,
    guess: Guess,
    rows: Sequence[int],
    *,
    partner: Mapping[int, int],
    protocol: str,
    parameters: Parameters,
) -> list[Row]:
    """Return one row per truth joint of `rows`, with its partner if it has one."""
    kept = {k: partner[k] for k in rows if k in partner}
    how = {"partner": kept, "parameters": parameters}
    values, reasons = price_pairs(case.truth, guess.skeleton, **how)  # type: ignore[arg-type]
    extra = price_bounded(case.truth, guess.skeleton.array, half=case.half, **how)  # type: ignore[arg-type]
    priced = dict(zip(kept, zip(values, reasons, strict=True), strict=True))
    return [
        _pair_row(case, guess, (k, kept[k]), priced[k], extra.get(k, {}), protocol)
        if k in kept
        else _single_row(case, k, protocol=protocol, why="unmatched")
        for k in rows
    ]


def spurious_rows(
    case: Case, guess: Guess, columns: Sequence[int], *, protocol: str, parameters: Parameters
) -> list[Row]:
    """Return one row per predicted joint without a partner."""
    if not columns:
        return []
    costs, reasons = price_spurious(
        case.truth, guess.skeleton.array, columns=columns, half=case.half, parameters=parameters
    )
    return [
        _spurious_row(case, guess.skeleton.joints[j], cost, reason, protocol)
        for j, cost, reason in zip(columns, costs, reasons, strict=True)
    ]


def _single_row(case: Case, k: int, *, protocol: str, why: str) -> Row:
    row = _truth_facts(case, k, protocol) | _no_partner() | {"why": why}
    for score in SCORES:
        weld = or_none(case.truth.welded[k][score.key])
        reason = case.truth.undefined[k].get(score.key)
        row |= _score_columns(score.key, None, weld, weld, 0.0, reason)
    return row | _no_components(success=False) | {"rest_offset": None}


def _pair_row(
    case: Case,
    guess: Guess,
    pair: tuple[int, int],
    priced: tuple[Values, Reasons],
    extra: Values,
    protocol: str,
) -> Row:
    k, joint = pair[0], guess.skeleton.joints[pair[1]]
    values, reasons = priced
    broken = reasons.keys() - case.truth.undefined[k].keys()
    row = _truth_facts(case, k, protocol) | _partner_facts(joint)
    row["why"] = "nonfinite" if broken else "matched"
    for score in SCORES:
        value, weld = (or_none(side[score.key]) for side in (values, case.truth.welded[k]))
        cost = weld if value is None else value
        charge = extra.get(score.key, 0.0)
        row |= _score_columns(score.key, value, weld, cost, charge, reasons.get(score.key))
    truth = case.truth.skeleton.joints[k]
    row |= _components(joint, truth)
    return row | {"rest_offset": guess.offset(truth.name, joint.name)}


def _spurious_row(case: Case, joint: Joint, cost: Values, reason: Reasons, protocol: str) -> Row:
    row: Row = {"protocol": protocol, "role": SPURIOUS, "joint": None, "type": None}
    row |= case.facts | _partner_facts(joint)
    row |= {"is_mimic": False, "is_main": False, "why": "spurious", "rest_offset": None}
    for score in SCORES:
        why = reason.get(score.key)
        price = None if why else cost[score.key]
        row |= _score_columns(score.key, None, None, price, 0.0, why)
    return row | _no_components(success=None)


def _truth_facts(case: Case, k: int, protocol: str) -> Row:
    joint = case.truth.skeleton.joints[k]
    return case.facts | {
        "protocol": protocol,
        "role": TRUTH,
        "joint": joint.name,
        "type": joint.type.value,
        "is_mimic": joint.mimic is not None,
        "is_main": k == case.main,
    }


def _partner_facts(joint: Joint) -> Row:
    return {
        "predicted": joint.name,
        "predicted_type": joint.type.value,
        "predicted_limits": joint.limit_source.value,
    }


def _no_partner() -> Row:
    return {"predicted": None, "predicted_type": None, "predicted_limits": None}


def _score_columns(
    key: str,
    value: float | None,
    weld: float | None,
    cost: float | None,
    extra: float,
    reason: str | None,
) -> Row:
    return {
        key: value,
        f"{key}_weld": weld,
        f"{key}_cost": cost,
        f"{key}_extra": extra,
        f"{key}_undefined": reason,
    }


def _components(predicted: Joint, truth: Joint) -> Row:
    row: Row = {}
    for name, variant in VARIANTS.items():
        errors = component_errors(predicted, truth, variant=variant)
        for component in COMPONENTS:
            value = or_none(getattr(errors, component.key))
            # Rounding may leave one minus a cosine below 0.
            row[f"{name}_{component.key}"] = None if value is None else max(value, 0.0)
        row[f"{name}_success"] = errors.success
    return row


def _no_components(*, success: bool | None) -> Row:
    row: Row = {f"{name}_{one.key}": None for name in VARIANTS for one in COMPONENTS}
    return row | {f"{name}_success": success for name in VARIANTS}


def or_none(value: float) -> float | None:
    """Return a finite number, None for any other."""
    return value if math.isfinite(value) else None
