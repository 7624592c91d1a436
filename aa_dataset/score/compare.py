# SPDX-License-Identifier: Apache-2.0
"""Results of two runs side by side: read from files, and compared only if they may be."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aa_dataset.errors import ArenaError
from aa_dataset.score.results import (
    METRIC_VERSION,
    RESULT_VERSION,
    JointScore,
    ObjectScore,
    Parameters,
    Result,
)

_VERSIONS = {"result_version": RESULT_VERSION, "metric_version": METRIC_VERSION}


class IncomparableError(ArenaError):
    """Two results are not of the same objects or were not scored in the same way."""


def read_result(path: Path) -> Result:
    """Read a result that `write_result` wrote; one of another version is refused."""
    try:
        data = json.loads(path.read_bytes())
        versions = {name: str(data[name]) for name in _VERSIONS}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArenaError(
            f"{path} is not a result ({error!r}). Write one with `aa score --out`."
        ) from error
    for name, expected in _VERSIONS.items():
        if versions[name] != expected:
            raise ArenaError(
                f"{path} has {name} {versions[name]}, this package has {expected}; their numbers "
                "do not compare. Score the predictions again."
            )
    try:
        return _result(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ArenaError(
            f"{path} lacks a field or holds a wrong value ({error!r}). Score the predictions again."
        ) from error


def _result(data: dict[str, Any]) -> Result:
    dataset = dict(data["dataset"])
    missing = {"benchmark", "members"} - set(dataset)
    if missing:
        raise KeyError(*sorted(missing))
    return Result(
        dataset,
        dict(data["predictions"]),
        Parameters(**data["parameters"]),
        tuple(_object(row) for row in data["objects"]),
        tuple(_joint(row) for row in data["joints"]),
    )


def _object(row: dict[str, Any]) -> ObjectScore:
    names = {key: tuple(row[key]) for key in ("missing", "spurious")}
    return ObjectScore(
        **{**row, **names, "means": _numbers(row["means"]), "tree": _number(row["tree"])}
    )


def _joint(row: dict[str, Any]) -> JointScore:
    return JointScore(**{**row, "values": _numbers(row["values"])})


def _numbers(values: dict[str, float | None]) -> dict[str, float]:
    return {key: _number(value) for key, value in values.items()}


def _number(value: float | None) -> float:
    """Return a number; a file has null where a score is undefined."""
    return math.nan if value is None else float(value)


def require_comparable(first: Result, second: Result) -> None:
    """Raise `IncomparableError` unless both results are of the same members, scored alike.

    Libraries may differ in revision and in what else they hold. The version of the benchmark, the
    digest of the members and every parameter must be equal.
    """
    for name in ("benchmark", "members"):
        if first.dataset[name] != second.dataset[name]:
            raise IncomparableError(
                f"the results are of different objects and do not compare: {_objects(first)} and "
                f"{_objects(second)}. Score both on one version of the benchmark."
            )
    ours, theirs = asdict(first.parameters), asdict(second.parameters)
    for name, value in ours.items():
        if value != theirs[name]:
            raise IncomparableError(
                f"the results do not compare: {name} is {value} in the one and {theirs[name]} in "
                "the other. Score both with the same options."
            )


def _objects(result: Result) -> str:
    """Return what a result was scored on."""
    data = result.dataset
    version = data["benchmark"] or f"{data.get('split')} (no version of the benchmark)"
    return f"{version}, members {data['members']}"
