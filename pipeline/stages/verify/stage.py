# SPDX-License-Identifier: Apache-2.0
"""The stage: runs every check on every normalized object and applies human reviews."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aa_dataset.convention.document import check_convention
from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from pipeline.base.assets import AssetRange, asset_ranges, read_range
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.base.records import read_records
from pipeline.base.tables import read_rows
from pipeline.engine.runner import Job, Outcome, Task, run_shard
from pipeline.engine.settings import Verify, VerifySettings
from pipeline.handover.categorized import CategoryRecord
from pipeline.handover.collisions import names_with_collisions
from pipeline.handover.normalized import NormalRecord
from pipeline.handover.verified import VerifiedRecord
from pipeline.raw.curation.reviews import read_slice
from pipeline.raw.taxonomy import load_taxonomy
from pipeline.shapes.glb import read_links
from pipeline.stages.verify.checks import all_findings
from pipeline.stages.verify.evidence import Evidence, link_shapes
from pipeline.stages.verify.upright import load_rules

EARLIER = ("ingest_findings", "normalize_findings", "categorize_findings")


@dataclass(frozen=True, slots=True)
class VerifyInput:
    """One normalized object to check.

    Attributes
    ----------
    normal : NormalRecord
        Its record of `normalize`; its files are at `where`.
    category : str
        Its category.
    reviews : sequence of (action, why)
        Manual reviews of it.
    earlier : sequence of (code, detail)
        Findings of earlier stages that the config rejects.
    """

    normal: NormalRecord
    where: AssetRange
    category: str
    reviews: Sequence[tuple[str, str]] = ()
    earlier: Sequence[tuple[str, str]] = ()


def run(job: Job[VerifySettings]) -> None:
    """Verify one shard."""
    load_taxonomy()  # once, before the workers fork
    load_rules()
    labels = read_records(job.inputs["categories"], CategoryRecord)
    reviews = read_slice(job.inputs["reviews"])
    listed = job.settings.verify.reject
    earlier = listed_findings([job.inputs[name] for name in EARLIER], listed)
    places = asset_ranges(job.inputs["records"], job.inputs["assets"])
    tasks = []
    for key, normal in read_records(job.inputs["records"], NormalRecord).items():
        if key not in labels:  # rejected by categorize, which has its row
            continue
        remarks = (reviews.get(key, ()), earlier.get(key, ()))
        tasks.append(Task(key, VerifyInput(normal, places[key], labels[key].category, *remarks)))
    run_shard(job, tasks, process=verify, record=VerifiedRecord)


def listed_findings(
    tables: Iterable[Path], codes: Sequence[str]
) -> dict[str, list[tuple[str, str]]]:
    """Return (code, detail) of findings of earlier stages that the config rejects, by object."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in tables if codes else ():
        for row in read_rows(path):
            if row["code"] in codes:
                found.setdefault(row["object_id"], []).append((row["code"], row["detail"]))
    return found


def verify(task: Task[VerifyInput], settings: VerifySettings) -> Outcome[VerifiedRecord]:
    """Check one object: reviews first, then findings of earlier stages, then the object itself."""
    given, options = task.data, settings.verify
    for action, why in given.reviews:
        if action == "exclude":
            raise Rejection(Reason.EXCLUDED_BY_REVIEW, why)
    _refuse_listed(given.earlier, options.reject)
    notes = [why for action, why in given.reviews if action == "note"]
    findings = [Finding(Code.CAUTION, why, Severity.INFO) for why in notes]
    findings += all_findings(_read_evidence(given, options))
    _refuse_listed(((str(one.code), one.detail) for one in findings), options.reject)
    return Outcome(VerifiedRecord(len(findings)), findings)


def _read_evidence(given: VerifyInput, options: Verify) -> Evidence:
    files, normal = read_range(given.where), given.normal
    problems = check_convention(files[URDF], names_with_collisions(files), with_inertials=False)
    if problems:  # a bug of ours, which no setting accepts
        raise Rejection(Reason.CONVENTION_BROKEN, " ".join(problems[:3]))
    tree = urdf_tree(parse_urdf(files[URDF]))
    shapes, broken = link_shapes(read_links(files[GLB], tree.links, looks=False))
    extents = np.array(normal.extents)
    category = load_taxonomy().categories.get(given.category)
    invented = normal.invented_limits
    return Evidence(tree, shapes, extents, normal.is_metric, category, options, broken, invented)


def _refuse_listed(found: Iterable[tuple[str, str]], codes: Sequence[str]) -> None:
    """Raise for the first listed code; a code that is also a reason is the reason."""
    for code, detail in found:
        if code in codes:
            if code in {*Reason}:
                raise Rejection(Reason(code), detail)
            raise Rejection(Reason.FINDING_REJECTED, f"{code}: {detail}")
