# SPDX-License-Identifier: Apache-2.0
"""Rows and numbers of a result, as tests ask for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from aa_dataset.score.result.record import Result
from aa_dataset.score.result.resampling import Aggregate
from aa_dataset.score.result.scores import SCORES

ALL = "all-joints"


def rows(result: Result, role: str, protocol: str = ALL) -> list[Any]:
    """Return the rows of one role in one protocol; every column is an attribute.

    `values`, `welded`, `costs` and `undefined` hold the columns of all distances by key.
    """
    found = []
    for row in result.rows(protocol):
        if row["role"] == role:
            keys = [score.key for score in SCORES]
            groups = {
                "values": {key: row[key] for key in keys},
                "welded": {key: row[f"{key}_weld"] for key in keys},
                "costs": {key: row[f"{key}_cost"] for key in keys},
                "extra": {key: row[f"{key}_extra"] for key in keys},
                "undefined": {key: word for key in keys if (word := row[f"{key}_undefined"])},
            }
            found.append(SimpleNamespace(**row, **groups))
    return found


def joints(result: Result, protocol: str = ALL) -> list[Any]:
    """Return the truth joints of a result."""
    return rows(result, "truth", protocol)


def spurious(result: Result) -> list[Any]:
    """Return the predicted joints without a partner."""
    return rows(result, "spurious")


def objects(result: Result) -> list[Any]:
    """Return the rows of objects."""
    return [SimpleNamespace(**row) for row in result.per_object.to_pylist()]


def object_row(result: Result, object_id: str) -> Any:
    """Return the row of one object."""
    return next(item for item in objects(result) if item.object_id == object_id)


def values(result: Result, protocol: str = ALL) -> list[float]:
    """Return every defined distance of a result."""
    every = (value for joint in joints(result, protocol) for value in joint.values.values())
    return [value for value in every if value is not None]


def mean(
    result: Result,
    score: str,
    statistic: str = "mean_over_joints",
    *,
    protocol: str = ALL,
    scale: str | None = None,
) -> Aggregate:
    """Return one aggregate, which must be there."""
    found = result.summary.find(score, statistic, protocol=protocol, scale=scale)
    assert found is not None, (score, statistic, protocol, scale)
    return found


def object_cost(result: Result, object_id: str, key: str) -> float:
    """Return the costs of one object per truth joint, computed row by row."""
    ours = [joint for joint in joints(result) if joint.object_id == object_id]
    added = [one.costs[key] for one in spurious(result) if one.object_id == object_id]
    added += [joint.extra[key] for joint in ours]
    own = [joint.costs[key] for joint in ours if joint.costs[key] is not None]
    return (sum(own) + sum(value for value in added if value is not None)) / len(own)
