# SPDX-License-Identifier: Apache-2.0
"""From predictions to a result: every object of a split is scored, by one or more processes."""

from __future__ import annotations

from collections.abc import Sequence

from aa_dataset.dataset import Dataset
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.method import Method
from aa_dataset.score.objects import ScoredObject, score_object
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import PredictionReader
from aa_dataset.score.results import Result, table_of


def evaluate(
    dataset: Dataset,
    predictions: PredictionReader,
    *,
    parameters: Parameters | None = None,
    method: Method | None = None,
    by: Sequence[str] = (),
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
    method : Method, optional
        The name in tables; the default is the label of the predictions.
    by : sequence of str
        Breakdowns for the summary, see `groups.BREAKDOWNS`.

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
    require_any(dataset, predictions)
    scored = [score_object(item, predictions, parameters) for item in dataset]
    return make_result(dataset, predictions, scored, parameters, method, by)


def make_result(
    dataset: Dataset,
    predictions: PredictionReader,
    scored: Sequence[ScoredObject],
    parameters: Parameters,
    method: Method | None,
    by: Sequence[str],
) -> Result:
    """Return the result of scored objects."""
    method = method or Method(predictions.label)
    if parameters.impute_limits == "truth":
        method = method.with_truths_limits()
    surplus = predictions.surplus(set(dataset.object_ids))
    return Result(
        dataset_identity(dataset),
        {"label": predictions.label, "surplus": list(surplus)},
        parameters,
        method,
        table_of([row for one in scored for row in one.joints], "per_joint"),
        table_of([one.summary for one in scored], "per_object"),
        by=tuple(by),
        seconds={str(one.summary["object_id"]): one.seconds for one in scored},
    )


def require_any(dataset: Dataset, predictions: PredictionReader) -> None:
    """Raise unless there is a prediction for some object."""
    ids = dataset.object_ids
    if ids and not any(predictions.has(object_id) for object_id in ids):
        raise PredictionError(
            f"{predictions.label} has no prediction for any of the {len(ids)} objects "
            f"({dataset.label}). Expected `{ids[0]}/object.urdf` or `{ids[0]}.urdf` and so on."
        )


def dataset_identity(dataset: Dataset) -> dict[str, object]:
    """Return what a result says about the objects that it was scored on."""
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
