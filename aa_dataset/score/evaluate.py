# SPDX-License-Identifier: Apache-2.0
"""From predictions to errors: per joint, per object, over the split."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArenaError, NormError, SingularBodyError
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric import KineticNorm, Norm, SplitNorm, contract, joint_distance
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.pairing import Pairing, pair_joints
from aa_dataset.score.readers import PredictionError, PredictionReader
from aa_dataset.score.results import (
    SCORES,
    JointScore,
    ObjectScore,
    Parameters,
    Result,
    mean_of_defined,
)

Array = NDArray[np.float64]
LARGEST = 1e100  # beyond any mechanism, and its square is still a number
MOST_JOINTS = 1000  # ten times the largest object of the library
Pairs = Sequence[tuple[Joint, Joint]]


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
        What `readers.open_predictions` returns. Trees are taken in the ground truth's object
        frame as they are; nothing is registered here.
    parameters : Parameters, optional
        Norm, scale and pairing; the paper's by default.
    progress : bool
        Show a bar on stderr.

    Returns
    -------
    Result
        A missing or unreadable prediction is a row of it, never an exception.

    Raises
    ------
    PredictionError
        If there is no prediction for any object, which is a wrong folder rather than a score.
    """
    parameters = parameters or Parameters()
    _require_any(dataset, predictions)
    objects: list[ObjectScore] = []
    joints: list[JointScore] = []
    for item in _bar(dataset, show=progress):
        summary, rows = score_object(item, predictions, parameters)
        objects.append(summary)
        joints += rows
    surplus = predictions.surplus(set(dataset.object_ids))
    described = {"label": predictions.label, "surplus": list(surplus)}
    return Result(_identity(dataset), described, parameters, tuple(objects), tuple(joints))


def _require_any(dataset: Dataset, predictions: PredictionReader) -> None:
    ids = dataset.object_ids
    if ids and not any(predictions.has(object_id) for object_id in ids):
        raise PredictionError(
            f"{predictions.label} has no prediction for any of the {len(ids)} objects "
            f"({dataset.label}). Expected `{ids[0]}/object.urdf` or `{ids[0]}.urdf` and so on."
        )


def _identity(dataset: Dataset) -> dict[str, object]:
    seal, benchmark = dataset.catalog.seal, dataset.benchmark
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
        "by_bytes": None if benchmark is None else benchmark.by_bytes,
        "by_numbers": None if benchmark is None else benchmark.by_numbers,
    }


def _bar(dataset: Dataset, *, show: bool) -> Iterable[ArticulatedObject]:
    if not (show and sys.stderr.isatty()):
        return dataset
    from tqdm import tqdm

    bar: Iterable[ArticulatedObject] = tqdm(dataset, unit="object", leave=False)
    return bar


def score_object(
    item: ArticulatedObject, predictions: PredictionReader, parameters: Parameters
) -> tuple[ObjectScore, list[JointScore]]:
    """Score one object; a prediction that is absent or broken gives a row without numbers."""
    truth = contract(item.tree)
    if not predictions.has(item.object_id):
        return _unscored(item, "missing", "", len(truth)), []
    try:
        tree = predictions.tree(item.object_id)
        _require_sane(tree)
        pairing = pair_joints(truth, contract(tree), parameters)
        rows = _joint_rows(item, pairing, parameters)
    except ArenaError as error:
        return _unscored(item, "unreadable", str(error), len(truth)), []
    distance = pairing.distance
    means = {score.key: mean_of_defined(row.values[score.key] for row in rows) for score in SCORES}
    summary = ObjectScore(
        item.object_id,
        item.category,
        item.is_metric,
        "scored",
        "",
        len(truth),
        len(pairing.pairs),
        tuple(joint.name for joint in pairing.missing),
        tuple(joint.name for joint in pairing.spurious),
        means,
        math.nan if distance is None else distance.value,
        None if distance is None else distance.exact,
        None if distance is None else distance.work,
        None if distance is None else distance.timed_out,
    )
    return summary, rows


def _require_sane(tree: KinematicTree) -> None:
    """Refuse what would exhaust the machine, and numbers whose squares overflow to inf and nan."""
    if len(tree.movable) > MOST_JOINTS:
        raise PredictionError(
            f"it has {len(tree.movable):,} movable joints; at most {MOST_JOINTS:,} are scored."
        )
    for joint in tree.movable:
        limits = [limit for limit in joint.limits if math.isfinite(limit)]
        if max(map(abs, (*joint.screw, *limits))) > LARGEST:
            raise PredictionError(
                f"joint {joint.name!r}: an origin or limit is beyond {LARGEST:g} m or rad."
            )


def _unscored(item: ArticulatedObject, status: str, detail: str, joints: int) -> ObjectScore:
    empty = {score.key: math.nan for score in SCORES}
    facts = (item.object_id, item.category, item.is_metric)
    return ObjectScore(*facts, status, detail, joints, 0, (), (), empty)


def _joint_rows(
    item: ArticulatedObject, pairing: Pairing, parameters: Parameters
) -> list[JointScore]:
    values, reasons = pair_scores(pairing.pairs, parameters)
    matched = [
        _joint_row(item, truth, other, values=value, undefined=reason)
        for (truth, other), value, reason in zip(pairing.pairs, values, reasons, strict=True)
    ]
    nothing = {score.key: math.nan for score in SCORES}
    missing = [_joint_row(item, truth, None, values=nothing) for truth in pairing.missing]
    return matched + missing


def _joint_row(
    item: ArticulatedObject,
    truth: Joint,
    other: Joint | None,
    *,
    values: dict[str, float],
    undefined: dict[str, str] | None = None,
) -> JointScore:
    return JointScore(
        item.object_id,
        truth.name,
        truth.type.value,
        None if other is None else other.name,
        None if other is None else other.type.value,
        item.is_metric,
        truth.mimic is not None,
        values,
        undefined or {},
    )


def pair_scores(
    pairs: Pairs, parameters: Parameters
) -> tuple[list[dict[str, float]], list[dict[str, str]]]:
    """Return the four distances of every pair, and why one of them is undefined where it is."""
    values: list[dict[str, float]] = [{} for _ in pairs]
    reasons: list[dict[str, str]] = [{} for _ in pairs]
    split: list[Norm | str] = [SplitNorm(parameters.alpha) for _ in pairs]
    kinetic: list[Norm | str] = [_kinetic_norm(truth) for truth, _ in pairs]
    for key, norms, scale in (
        ("e_alpha", split, None),
        ("e_alpha_phi", split, parameters.kappa),
        ("e_b", kinetic, None),
        ("e_b_phi", kinetic, parameters.kappa),
    ):
        problems = [_problem(pair, norm, scale) for pair, norm in zip(pairs, norms, strict=True)]
        found = _distances(pairs, norms, problems, scale)
        for index, (value, problem) in enumerate(zip(found, problems, strict=True)):
            values[index][key] = float(value)
            if problem:
                reasons[index][key] = problem
    return values, reasons


def _kinetic_norm(truth: Joint) -> Norm | str:
    """Return the norm of the moving body, or the word for why there is none."""
    if truth.body is None:
        return "no_body"
    try:
        return KineticNorm(truth.body)
    except SingularBodyError:
        return "singular_body"
    except NormError:
        return "no_body"


def _problem(pair: tuple[Joint, Joint], norm: Norm | str, scale: float | None) -> str:
    """Return why a distance is undefined, empty if it is defined."""
    if isinstance(norm, str):
        return norm
    bounded = all(math.isfinite(limit) for joint in pair for limit in joint.limits)
    return "" if bounded or scale is not None else "unbounded"


def _distances(
    pairs: Pairs, norms: Sequence[Norm | str], problems: Sequence[str], scale: float | None
) -> Array:
    """Return the distances of the pairs without a problem, nan for the others."""
    out = np.full(len(pairs), math.nan)
    good = [index for index, problem in enumerate(problems) if not problem]
    usable = [norm for index in good if not isinstance(norm := norms[index], str)]
    if good:
        truth, other = ([pairs[index][side] for index in good] for side in (0, 1))
        out[good] = joint_distance(truth, other, norm=usable, compactify=scale)
    return out
