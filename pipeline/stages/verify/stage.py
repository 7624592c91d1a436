# SPDX-License-Identifier: Apache-2.0
"""The stage: runs every check on every normalized object and applies human reviews."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from aa_dataset.convention import check_convention
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.layout import GLB, URDF
from pipeline.base.assets import AssetRange, read_range
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.base.tables import read_rows, record_schema
from pipeline.engine.runner import Outcome, ShardJob, Task, run_shard
from pipeline.engine.settings import Verify, VerifySettings
from pipeline.raw.curation.reviews import read_slice
from pipeline.raw.taxonomy import load_taxonomy
from pipeline.shapes.glb import read_links
from pipeline.stages.verify.checks import all_findings
from pipeline.stages.verify.evidence import Evidence, link_shapes
from pipeline.stages.verify.upright import load_rules

RECORDS = record_schema(pa.field("findings", pa.int32(), nullable=False))
EARLIER = ("ingest_findings", "normalize_findings", "categorize_findings")


def run(job: ShardJob[VerifySettings]) -> None:
    """Verify one shard."""
    load_taxonomy()  # once, before the workers fork
    load_rules()
    labels = {row["object_id"]: row["category"] for row in read_rows(job.inputs["categories"])}
    reviews = read_slice(job.inputs["reviews"])
    listed = job.settings.verify.reject
    earlier = listed_findings([job.inputs[name] for name in EARLIER], listed)
    tasks = []
    for row in read_rows(job.inputs["records"]):
        key = row["object_id"]
        if key not in labels:  # rejected by categorize, where its row stands
            continue
        where = AssetRange.of(job.inputs["assets"], row)
        told = (reviews.get(key, ()), earlier.get(key, ()))
        tasks.append(Task(key, (row, where, labels[key], told)))
    run_shard(job, tasks, process=verify, schema=RECORDS)


def listed_findings(
    tables: Iterable[Path], codes: Sequence[str]
) -> dict[str, list[tuple[str, str]]]:
    """Return (code, detail) of what earlier stages found and the config rejects, by object."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in tables if codes else ():
        for row in read_rows(path):
            if row["code"] in codes:
                found.setdefault(row["object_id"], []).append((row["code"], row["detail"]))
    return found


def verify(task: Task, settings: VerifySettings) -> Outcome:
    """Check one object; reviews first, then what earlier stages found, then the object itself."""
    row, where, label, (reviews, earlier) = task.data
    options = settings.verify
    for action, why in reviews:
        if action == "exclude":
            raise Rejection(Reason.EXCLUDED_BY_REVIEW, why)
    _refuse_listed(earlier, options.reject)
    findings = [Finding(Code.CAUTION, why, Severity.INFO) for act, why in reviews if act == "note"]
    findings += all_findings(_evidence(row, read_range(where), label, options))
    _refuse_listed(((str(one.code), one.detail) for one in findings), options.reject)
    return Outcome({"findings": len(findings)}, findings)


def _evidence(
    row: Mapping[str, Any], files: Mapping[str, bytes], label: str, options: Verify
) -> Evidence:
    problems = check_convention(files[URDF], files, with_inertials=False)
    if problems:  # our own mistake: no list makes this pass
        raise Rejection(Reason.CONVENTION_BROKEN, " ".join(problems[:3]))
    tree = urdf_tree(parse_urdf(files[URDF]))
    shapes, broken = link_shapes(read_links(files[GLB], tree.links, looks=False))
    extents, category = np.array(row["extents"]), load_taxonomy().categories.get(label)
    invented = tuple(json.loads(row["invented_limits"]))
    return Evidence(tree, shapes, extents, row["is_metric"], category, options, broken, invented)


def _refuse_listed(found: Iterable[tuple[str, str]], codes: Sequence[str]) -> None:
    """Raise for the first listed code; a code that is also a reason is the reason."""
    for code, detail in found:
        if code in codes:
            if code in {*Reason}:
                raise Rejection(Reason(code), detail)
            raise Rejection(Reason.FINDING_REJECTED, f"{code}: {detail}")
