# SPDX-License-Identifier: Apache-2.0
"""From predictions to errors: per joint, per object, over the split.

Every truth joint of the split gets a row, also without a usable prediction, and so does every
predicted joint without a partner. `accounting` computes the means.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArenaError
from aa_dataset.metric import Skeleton, contract
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.accounting import object_costs
from aa_dataset.score.budgets import PredictionError, require_sane, shortened
from aa_dataset.score.charges import (
    Truth,
    price_bounded,
    price_pairs,
    price_spurious,
    price_truth,
)
from aa_dataset.score.pairing import Pairing, pair_joints
from aa_dataset.score.readers import PredictionReader
from aa_dataset.score.results import Parameters, Result
from aa_dataset.score.rows import SCORES, JointScore, ObjectScore, SpuriousScore


@dataclass(frozen=True, slots=True)
class Scored:
    """The rows of one object: the object, its joints, and spurious joints."""

    summary: ObjectScore
    joints: tuple[JointScore, ...]
    spurious: tuple[SpuriousScore, ...] = ()


def evaluate(
    dataset: Dataset,
    predictions: PredictionReader,
    *,
    parameters: Parameters | None = None,
    progress: bool = False,
) -> Result:
    """Score predictions against a split.

    Parameters
    ----------
    dataset : Dataset
        The objects to score, ``load_dataset(..., split="eval200")``.
    predictions : PredictionReader
        The reader that `readers.open_predictions` returns. Trees must be in the object frame of
        the ground truth; no registration is done.
    parameters : Parameters, optional
        Norm, scale and pairing; the default is the paper's.
    progress : bool
        Show a progress bar on stderr.

    Returns
    -------
    Result
        A missing or unreadable prediction gets a row instead of an exception, and its joints are
        charged as welded.

    Raises
    ------
    PredictionError
        If there is no prediction for any object: probably the wrong folder.
    """
    parameters = parameters or Parameters()
    _require_any(dataset, predictions)
    scored = [
        score_object(item, predictions, parameters)
        for item in _progress_bar(dataset, show=progress)
    ]
    surplus = predictions.surplus(set(dataset.object_ids))
    return Result(
        _dataset_identity(dataset),
        {"label": predictions.label, "surplus": list(surplus)},
        parameters,
        tuple(one.summary for one in scored),
        tuple(joint for one in scored for joint in one.joints),
        tuple(joint for one in scored for joint in one.spurious),
    )


def _require_any(dataset: Dataset, predictions: PredictionReader) -> None:
    ids = dataset.object_ids
    if ids and not any(predictions.has(object_id) for object_id in ids):
        raise PredictionError(
            f"{predictions.label} has no prediction for any of the {len(ids)} objects "
            f"({dataset.label}). Expected `{ids[0]}/object.urdf` or `{ids[0]}.urdf` and so on."
        )


def _dataset_identity(dataset: Dataset) -> dict[str, object]:
    seal, benchmark = dataset.catalog.seal, dataset.benchmark
    by_bytes, by_numbers = dataset.agreement or (None, None)
    return {
        "name": seal.name,
        "revision": seal.revision,
        "objects": seal.objects,
        "expected_objects": seal.expected_objects,
        "split": dataset.label.removeprefix("split "),
        "benchmark": None if benchmark is None else benchmark.version,
        "list": None if benchmark is None else benchmark.digest,
        "members": dataset.members,
        "member_count": len(dataset),
        "by_bytes": by_bytes,
        "by_numbers": by_numbers,
    }


def _progress_bar(dataset: Dataset, *, show: bool) -> Iterable[ArticulatedObject]:
    if not (show and sys.stderr.isatty()):
        return dataset
    from tqdm import tqdm

    bar: Iterable[ArticulatedObject] = tqdm(dataset, unit="object", leave=False)
    return bar


def score_object(
    item: ArticulatedObject, predictions: PredictionReader, parameters: Parameters
) -> Scored:
    """Score one object; an absent or broken prediction costs as much as a welded one."""
    truth = price_truth(contract(item.tree), parameters)
    if not predictions.has(item.object_id):
        return _failed_rows(item, truth, status="missing")
    try:
        guess = _read_prediction(item.object_id, predictions)
        pairing = pair_joints(truth.skeleton, guess, parameters)
        spurious = _spurious_rows(item, truth, guess=guess, pairing=pairing, parameters=parameters)
        charged = price_bounded(
            truth,
            guess.array,
            partner=pairing.partner,
            half=_half_diagonal(item),
            parameters=parameters,
        )
    except (ArenaError, ArithmeticError) as error:  # untrusted numbers must not end the run
        return _failed_rows(item, truth, status="unreadable", detail=shortened(error))
    joints = _paired_rows(
        item, truth, guess=guess, pairing=pairing, charged=charged, parameters=parameters
    )
    summary = _object_summary(
        item, truth, guess=guess, pairing=pairing, joints=joints, spurious=spurious
    )
    return Scored(summary, joints, spurious)


def _read_prediction(object_id: str, predictions: PredictionReader) -> Skeleton:
    """Return the moving joints of a prediction that is within the limits."""
    with np.errstate(over="ignore", invalid="ignore"):  # reported as errors of the prediction
        tree = predictions.tree(object_id)
        require_sane(tree)
        return contract(tree)


def _failed_rows(item: ArticulatedObject, truth: Truth, *, status: str, detail: str = "") -> Scored:
    """Return the rows of an object without a usable prediction: every joint is welded."""
    why = "absent" if status == "missing" else status
    joints = tuple(_joint_row(item, truth, k, why=why) for k in range(len(truth.skeleton)))
    facts = (item.object_id, item.category, item.is_metric, status, detail)
    counts = (len(joints), 0, 0, (), ())
    costs = object_costs(joints, ())
    return Scored(ObjectScore(*facts, *counts, costs, _welded_tree(truth)), joints)


def _welded_tree(truth: Truth) -> float:
    """Return the tree distance to a prediction that never moves."""
    return math.fsum(prices["e_alpha_phi"] for prices in truth.welded)


def _object_summary(
    item: ArticulatedObject,
    truth: Truth,
    *,
    guess: Skeleton,
    pairing: Pairing,
    joints: tuple[JointScore, ...],
    spurious: tuple[SpuriousScore, ...],
) -> ObjectScore:
    distance = pairing.distance
    still = len(guess) == 0 and len(joints) > 0
    return ObjectScore(
        item.object_id,
        item.category,
        item.is_metric,
        "motionless" if still else "scored",
        "",
        len(joints),
        len(guess),
        len(pairing.pairs),
        tuple(joint.name for joint in pairing.missing),
        tuple(joint.name for joint in pairing.spurious),
        object_costs(joints, spurious),
        _welded_tree(truth),
        math.nan if distance is None else distance.value,
        None if distance is None else distance.exact,
        None if distance is None else distance.work,
        None if distance is None else distance.timed_out,
    )


def _paired_rows(
    item: ArticulatedObject,
    truth: Truth,
    *,
    guess: Skeleton,
    pairing: Pairing,
    charged: Mapping[int, dict[str, float]],
    parameters: Parameters,
) -> tuple[JointScore, ...]:
    """Return one row per truth joint: first those with a partner, then the others."""
    values, reasons = price_pairs(
        truth, guess.array, partner=pairing.partner, parameters=parameters
    )
    rows = []
    for (k, j), value, reason in zip(pairing.partner.items(), values, reasons, strict=True):
        broken = reason.keys() - truth.undefined[k].keys()
        why = "nonfinite" if broken else "matched"
        partner = (guess.joints[j].name, guess.joints[j].type.value)
        row = _joint_row(item, truth, k, why=why, partner=partner, values=value, undefined=reason)
        rows.append(replace(row, charged=charged.get(k, {})))
    left = (k for k in range(len(truth.skeleton)) if k not in pairing.partner)
    return (*rows, *(_joint_row(item, truth, k, why="unmatched") for k in left))


def _joint_row(
    item: ArticulatedObject,
    truth: Truth,
    k: int,
    *,
    why: str,
    partner: tuple[str | None, str | None] = (None, None),
    values: dict[str, float] | None = None,
    undefined: dict[str, str] | None = None,
) -> JointScore:
    joint = truth.skeleton.joints[k]
    return JointScore(
        item.object_id,
        joint.name,
        joint.type.value,
        *partner,
        item.is_metric,
        joint.mimic is not None,
        why,
        values or {score.key: math.nan for score in SCORES},
        truth.welded[k],
        truth.undefined[k] if undefined is None else undefined,
    )


def _spurious_rows(
    item: ArticulatedObject,
    truth: Truth,
    *,
    guess: Skeleton,
    pairing: Pairing,
    parameters: Parameters,
) -> tuple[SpuriousScore, ...]:
    taken = set(pairing.partner.values())
    columns = [j for j in range(len(guess)) if j not in taken]
    if not columns:
        return ()
    costs, reasons = price_spurious(
        truth, guess.array, columns=columns, half=_half_diagonal(item), parameters=parameters
    )
    joints = [guess.joints[j] for j in columns]
    return tuple(
        SpuriousScore(
            item.object_id,
            joint.name,
            joint.type.value,
            item.is_metric,
            not all(map(math.isfinite, joint.limits)),
            cost,
            reason,
        )
        for joint, cost, reason in zip(joints, costs, reasons, strict=True)
    )


def _half_diagonal(item: ArticulatedObject) -> float:
    """Return half the diagonal of an object [m]."""
    return float(np.sqrt(np.square(item.extents).sum())) / 2
