# SPDX-License-Identifier: Apache-2.0
"""The stage: maps the labels of sources to categories of the taxonomy."""

from __future__ import annotations

from collections.abc import Mapping

from aa_dataset.format.labels import format_trace, parse_trace
from pipeline.base.reasons import Code, Finding
from pipeline.base.records import read_records
from pipeline.base.tables import write_bytes
from pipeline.engine.runner import Job, Outcome, Task, run_shard
from pipeline.engine.settings import CategorizeSettings
from pipeline.handover.categorized import CategoryRecord
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.proposals import Proposal, proposal_text
from pipeline.raw.taxonomy import UNKNOWN, load_taxonomy
from pipeline.stages.categorize.rules import Decision, decide, supercategory_of

PROPOSER = "rules"


def run(job: Job[CategorizeSettings]) -> None:
    """Categorize one shard, and write proposals for its unknown labels."""
    load_taxonomy()  # once, before the workers fork
    ingested = read_records(job.inputs["records"], IngestedRecord)
    tasks = [Task(key, record) for key, record in ingested.items()]
    run_shard(job, tasks, process=categorize, record=CategoryRecord)
    labels = {key: record.label for key, record in ingested.items()}
    made = job.outputs["records"]
    path = job.outputs.get("proposals", made.with_suffix(".proposals.tsv"))
    found = proposals(read_records(made, CategoryRecord), labels)
    write_bytes(path, proposal_text(found).encode())


def categorize(
    task: Task[IngestedRecord], _settings: CategorizeSettings
) -> Outcome[CategoryRecord]:
    """Categorize one object; an unknown label is a finding and never rejects the object."""
    raw = task.data
    decision = decide(
        label=raw.label,
        source=raw.source,
        source_id=raw.source_id,
        name=raw.name,
        object_id=task.object_id,
    )
    usual = decision.category.usual_mass if decision.category else None
    lightest, heaviest = usual or (None, None)
    record = CategoryRecord(
        category=decision.category.name if decision.category else UNKNOWN,
        supercategory=supercategory_of(decision),
        label_provenance=format_trace(decision.steps),
        lightest=lightest,
        heaviest=heaviest,
    )
    return Outcome(record, _label_findings(decision, raw.label))


def _label_findings(decision: Decision, label: str) -> list[Finding]:
    if decision.category is not None:
        return []
    detail = (
        f"the taxonomy has no category for the label {label!r}, which the rules read as "
        f"{decision.label!r}; taxonomy/README.md explains how to add one."
    )
    return [Finding(Code.LABEL_UNKNOWN, detail)]


def proposals(records: Mapping[str, CategoryRecord], labels: Mapping[str, str]) -> list[Proposal]:
    """Return a proposal for every object without a category: its label as reduced by the rules."""
    found = []
    for key, record in records.items():
        if record.category == UNKNOWN:
            trace = record.label_provenance
            reduced = parse_trace(trace)[-1].label
            found.append(Proposal(key, labels[key], reduced, "", PROPOSER, trace))
    return found
