# SPDX-License-Identifier: Apache-2.0
"""The stage: labels of the sources become categories of the taxonomy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from pipeline.categorize.taxonomy import UNKNOWN, load_taxonomy
from pipeline.reasons import Code, Finding
from pipeline.runner import Outcome, ShardJob, Task, run_shard
from pipeline.tables import read_rows, record_schema

RECORDS = record_schema(
    *(
        pa.field(name, pa.string(), nullable=False)
        for name in ("category", "supercategory", "label_provenance")
    )
)


def run(job: ShardJob) -> None:
    """Categorize one shard."""
    load_taxonomy()  # once, before the workers fork
    tasks = [Task(row["object_id"], row["label"]) for row in read_rows(job.inputs["records"])]
    run_shard(job, tasks, process=categorize, schema=RECORDS)


def categorize(task: Task, _settings: Mapping[str, Any]) -> Outcome:
    """Look one label up; an unknown one is a finding, never a loss."""
    category, rule = load_taxonomy().find(task.data)
    if category is None:
        detail = f"the taxonomy has no category for the label {task.data!r}."
        record = {"category": UNKNOWN, "supercategory": UNKNOWN, "label_provenance": rule}
        return Outcome(record, [Finding(Code.LABEL_UNKNOWN, detail)])
    return Outcome(
        {
            "category": category.name,
            "supercategory": category.supercategory,
            "label_provenance": rule,
        }
    )
