# SPDX-License-Identifier: Apache-2.0
"""Explanations of objects, scored here or in a result."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from aa_dataset.dataset import Dataset
from aa_dataset.draw.content import tree_content
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.explain.gates import joint_gates
from aa_dataset.score.explain.page import PageText, page
from aa_dataset.score.explain.rows import read_object
from aa_dataset.score.explain.subject import Subject, make_subject
from aa_dataset.score.explain.words import script_total
from aa_dataset.score.objects import score_object
from aa_dataset.score.parameters import METRIC_VERSION, Parameters
from aa_dataset.score.readers import PredictionReader
from aa_dataset.score.result.record import Result, table_of

Tables = tuple[pa.Table, pa.Table]


def score_tables(
    item: ArticulatedObject, predictions: PredictionReader, parameters: Parameters
) -> Tables:
    """Score one object and return its rows as `per_object` and `per_joint`."""
    scored = score_object(item, predictions, parameters)
    return table_of([scored.summary], "per_object"), table_of(scored.joints, "per_joint")


def explain_object(
    item: ArticulatedObject,
    predictions: PredictionReader,
    parameters: Parameters | None = None,
) -> Subject:
    """Score one object and return its explanation.

    Parameters
    ----------
    parameters : Parameters, optional
        Norm, scale and pairing; the default is the paper's.
    """
    tables = score_tables(item, predictions, parameters or Parameters())
    return make_subject(read_object(*tables, item.object_id), item, predictions)


def object_page(
    dataset: Dataset, object_id: str, predictions: PredictionReader, parameters: Parameters
) -> str:
    """Return a page about one object, in the form of the page about all."""
    tables = score_tables(dataset[object_id], predictions, parameters)
    text = PageText(object_id, run_context(dataset, predictions.label, parameters))
    return page(text, tables, dataset, predictions)


def result_page(result: Result, dataset: Dataset, predictions: PredictionReader) -> str:
    """Return the page about all objects of a result."""
    label = result.predictions.label
    context = run_context(dataset, label, result.parameters)
    text = PageText(f"Scores of {result.method.name}", context)
    return page(text, (result.per_object, result.per_joint), dataset, predictions)


def run_context(
    dataset: Dataset, label: str, parameters: Parameters
) -> tuple[tuple[str, str], ...]:
    """Return what was compared under which parameters, as named lines."""
    kappa = "pi" if parameters.kappa == math.pi else f"{parameters.kappa:g}"
    pairing = f"{parameters.pairing}, search of {parameters.budget:,} steps per tree distance"
    if parameters.time_limit_s is not None:
        pairing += f" and {parameters.time_limit_s:g} s: scores depend on this machine"
    if parameters.impute_limits != "none":
        pairing += f"; absent limits are taken from the {parameters.impute_limits} (dagger)"
    return (
        ("predictions", label),
        ("dataset", f"{dataset.name} revision {dataset.revision}, {dataset.label}"),
        ("metric", f"version {METRIC_VERSION}, alpha = {parameters.alpha:g} /m, kappa = {kappa}"),
        ("pairing", pairing),
        ("registration", parameters.registration),
    )


def subject_json(subject: Subject) -> dict[str, Any]:
    """Return an explanation as JSON types; an undefined number is None."""
    rows = asdict(subject.rows)
    counts = zip(("joints", "predicted", "matched", "spurious"), rows.pop("counts"), strict=True)
    for row, found in zip(rows["joints"], subject.rows.joints, strict=True):
        gates = joint_gates(found).items()
        row["gates"] = {name: [asdict(g) | {"excess": g.excess} for g in of] for name, of in gates}
    trees = {
        "truth": tree_content(subject.truth, subject.marks[0]),
        "prediction": None
        if subject.guess is None
        else tree_content(subject.guess, subject.marks[1]),
    }
    content = {**rows, "counts": dict(counts), "sum": script_total(subject.rows), "trees": trees}
    return dict(_without_nan(content))


def _without_nan(value: Any) -> Any:
    """Replace nan by None; infinite limits stay, a joint may have them."""
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list | tuple) else value
