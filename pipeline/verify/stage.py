# SPDX-License-Identifier: Apache-2.0
"""The stage: runs every check on every normalized object and applies human reviews."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from aa_dataset.convention import check_convention
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.layout import GLB, URDF
from pipeline.assets import AssetRange, read_range
from pipeline.categorize.taxonomy import load_taxonomy
from pipeline.errors import PipelineError, Rejection
from pipeline.glb import read_links
from pipeline.reasons import Code, Finding, Reason, Severity
from pipeline.runner import Outcome, ShardJob, Task, run_shard
from pipeline.tables import read_rows, record_schema
from pipeline.verify.checks import CHECKS, Evidence

RECORDS = record_schema(pa.field("findings", pa.int32(), nullable=False))


def run(job: ShardJob) -> None:
    """Verify one shard."""
    load_taxonomy()
    labels = {row["object_id"]: row["category"] for row in read_rows(job.inputs["categories"])}
    reviews = read_reviews(job.inputs["reviews"])
    tasks = []
    for row in read_rows(job.inputs["records"]):
        key = row["object_id"]
        if key not in labels:  # rejected by categorize, where its row stands
            continue
        where = AssetRange(job.inputs["assets"], row["asset_offset"], row["asset_size"])
        tasks.append(Task(key, (row, where, labels[key], reviews.get(key, ()))))
    run_shard(job, tasks, process=verify, schema=RECORDS)


def read_reviews(path: Path) -> dict[str, list[tuple[str, str]]]:
    """Return (action, why) rows of the curation file by object."""
    reviews: dict[str, list[tuple[str, str]]] = {}
    for line in path.read_text().splitlines():
        fields = line.split("\t")
        if len(fields) != 3 or fields[1] not in ("exclude", "note"):
            raise PipelineError(
                f"pipeline/curation/issues.tsv: {line!r} is not `object_id, exclude|note, why`."
            )
        reviews.setdefault(fields[0], []).append((fields[1], fields[2]))
    return reviews


def verify(task: Task, settings: Mapping[str, Any]) -> Outcome:
    """Check one object; reviews first, then structure, then geometry and ranges."""
    row, where, label, reviews = task.data
    options = settings["verify"]
    findings = [Finding(Code.CAUTION, why, Severity.INFO) for act, why in reviews if act == "note"]
    for action, why in reviews:
        if action == "exclude":
            raise Rejection(Reason.EXCLUDED_BY_REVIEW, why)
    files = read_range(where)
    problems = check_convention(files[URDF], files, with_inertials=False)
    if problems:
        raise Rejection(Reason.CONVENTION_BROKEN, " ".join(problems[:3]))
    tree = urdf_tree(parse_urdf(files[URDF]))
    if not tree.movable and Reason.MOVABLE_NONE in options["reject"]:
        raise Rejection(Reason.MOVABLE_NONE, "every joint of the object is fixed.")
    evidence = Evidence(
        tree,
        read_links(files[GLB], tree.links),
        np.array(row["extents"]),
        row["is_metric"],
        load_taxonomy().categories.get(label),
        options["size_factor"],
    )
    findings += [finding for check in CHECKS for finding in check(evidence)]
    _refuse_listed(findings, options["reject"])
    return Outcome({"findings": len(findings)}, findings)


def _refuse_listed(findings: list[Finding], codes: list[str]) -> None:
    for finding in findings:
        if finding.code in codes:
            raise Rejection(Reason.FINDING_REJECTED, f"{finding.code}: {finding.detail}")
