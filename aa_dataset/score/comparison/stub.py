# SPDX-License-Identifier: Apache-2.0
"""TEMPORARY stand-in until the folder format is merged."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.errors import ArenaError
from aa_dataset.score.results import Parameters


@dataclass(frozen=True)
class Method:
    name: str
    reference: str | None = None
    inputs: tuple[str, ...] = ()
    imputed: bool = False
    uses_truth: bool = False
    dagger: bool = False


@dataclass(frozen=True)
class Result:
    method: Method
    summary: dict[str, Any]
    parameters: Parameters
    dataset: dict[str, Any]
    per_joint: pa.Table
    per_object: pa.Table


def read_result(folder: Path) -> Result:
    summary = json.loads((folder / "summary.json").read_text())
    return Result(
        Method(**json.loads((folder / "method.json").read_text())),
        summary,
        Parameters(**summary["parameters"]),
        summary["dataset"],
        pq.read_table(folder / "per_joint.parquet"),
        pq.read_table(folder / "per_object.parquet"),
    )


def require_comparable(first: Result, second: Result) -> None:
    if first.dataset["members"] != second.dataset["members"]:
        raise ArenaError("the results have different objects")
    if first.parameters != second.parameters:
        raise ArenaError("the results are not comparable: parameters")
