# SPDX-License-Identifier: Apache-2.0
"""The stage: labels of the sources become categories of the taxonomy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from aa_dataset.labels import format_trace, parse_trace
from pipeline.base.reasons import Code, Finding
from pipeline.base.tables import read_rows, record_schema, write_bytes
from pipeline.engine.runner import Outcome, ShardJob, Task, run_shard
from pipeline.engine.settings import CategorizeSettings
from pipeline.raw.proposals import Proposal, proposal_text
from pipeline.raw.taxonomy import UNKNOWN, load_taxonomy
from pipeline.stages.categorize.rules import Decision, decide, supercategory_of

RECORDS = record_schema(
    *(
        pa.field(name, pa.string(), nullable=False)
        for name in ("category", "supercategory", "label_provenance")
    )
)
READ = ("label", "source", "source_id", "name")
PROPOSER = "rules"


def run(job: ShardJob[CategorizeSettings]) -> None:
    """Categorize one shard, and write what the rules would propose for its unknown labels."""
    load_taxonomy()  # once, before the workers fork
    rows = read_rows(job.inputs["records"])
    tasks = [Task(row["object_id"], {key: row[key] for key in READ}) for row in rows]
    run_shard(job, tasks, process=categorize, schema=RECORDS)
    labels = {row["object_id"]: row["label"] for row in rows}
    records = job.outputs["records"]
    path = job.outputs.get("proposals", records.with_suffix(".proposals.tsv"))
    write_bytes(path, proposal_text(proposals(read_rows(records), labels)).encode())


def categorize(task: Task, _settings: CategorizeSettings) -> Outcome:
    """Decide on one object; an unknown label is a finding, never a loss."""
    decision = decide(**task.data, object_id=task.object_id)
    record = {
        "category": decision.category.name if decision.category else UNKNOWN,
        "supercategory": supercategory_of(decision),
        "label_provenance": format_trace(decision.steps),
    }
    return Outcome(record, _findings(decision, task.data["label"]))


def _findings(decision: Decision, label: str) -> list[Finding]:
    if decision.category is not None:
        return []
    detail = (
        f"the taxonomy has no category for the label {label!r}, which the rules read as "
        f"{decision.label!r}; taxonomy/README.md tells how to add one."
    )
    return [Finding(Code.LABEL_UNKNOWN, detail)]


def proposals(records: list[dict[str, Any]], labels: Mapping[str, str]) -> list[Proposal]:
    """Return a proposal for every object without a category: what its label was reduced to."""
    found = []
    for row in records:
        if row["category"] == UNKNOWN:
            reduced = parse_trace(row["label_provenance"])[-1].label
            found.append(Proposal(row["object_id"], labels[row["object_id"]], reduced, "", PROPOSER,
                                  row["label_provenance"]))  # fmt: skip
    return found
