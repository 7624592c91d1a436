# SPDX-License-Identifier: Apache-2.0
"""The stage: writes the table of splits, a report about them, and then the library's seal.

A library that contains a frozen version of `eval200` uses it. Any other samples its own split,
whose name contains a digest, because another library gives another sample.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aa_dataset.format.benchmark import SPLIT, Benchmark
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.kinematics import JointType
from pipeline.base import layout
from pipeline.base.seal import read_marks, seal_folder
from pipeline.base.tables import read_rows, write_bytes, write_table
from pipeline.engine.runner import ShardJob
from pipeline.engine.settings import Split, SplitSettings
from pipeline.stages.split.figure import coverage_figure
from pipeline.stages.split.frozen import best_recognition
from pipeline.stages.split.near import near_duplicates, read_skeletons
from pipeline.stages.split.sample import Candidate, Sample, sample_split
from pipeline.stages.split.truth import NAMES, NUMBERS

Rows = Sequence[Mapping[str, Any]]
# The columns that determine the split.
OBJECT_COLUMNS = (
    "object_id", "category", "supercategory", "content_sha256", "is_metric", "extents",
)  # fmt: skip
JOINT_COLUMNS = ("object_id", *NAMES, *NUMBERS, "mimic", "motion_alpha")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The evaluation split: its name, a reason per member, and remarks about its origin.

    `benchmark` is its frozen version, None for a sample. A library that is too small for a sample
    has no evaluation split: no name and no members.
    """

    name: str
    reasons: Mapping[str, str]
    remarks: Sequence[str]
    benchmark: Benchmark | None = None


def run(job: ShardJob[SplitSettings]) -> None:
    """Write the splits and the report, and seal the library."""
    objects = read_rows(job.inputs["objects"], OBJECT_COLUMNS)
    joints = read_rows(job.inputs["joints"], JOINT_COLUMNS)
    settings = job.settings.split
    evaluation = choose_evaluation(objects, joints, settings)
    categories = {row["object_id"]: row["category"] for row in objects}
    near = near_duplicates(
        evaluation.reasons,
        categories,
        read_skeletons(joints),
        threshold=settings.near_duplicate,
    )
    rows = split_rows(objects, evaluation, near)
    write_table(job.outputs["splits"], rows, TABLES["splits"])
    report = list(evaluation.remarks)
    if evaluation.name:
        report.append(_train_remark(near, settings.near_duplicate))
    title = evaluation.name or "no evaluation split"
    figure = coverage_figure(objects, evaluation.reasons, title)
    write_bytes(job.outputs["figure"], figure)
    write_bytes(job.outputs["report"], "".join(f"{line}\n" for line in report).encode())
    seal_folder(
        LibraryLayout(layout.LIBRARY),
        name=job.settings.name,
        expected=job.settings.expected_objects,
        benchmark=evaluation.benchmark,
        marks=read_marks(job.inputs["marks"]),
    )


def choose_evaluation(objects: Rows, joints: Rows, settings: Split) -> Evaluation:
    """Return the frozen version that the library contains, else a sampled split."""
    found = best_recognition(objects, joints)
    if found is not None and not found.problem:
        reasons = dict.fromkeys(found.frozen.contents, f"frozen list {found.frozen.version}")
        remark = f"{SPLIT} is the benchmark {found.benchmark}."
        return Evaluation(SPLIT, reasons, [remark], found.benchmark)
    problem = f"this repository has no frozen {SPLIT}" if found is None else found.problem
    count = min(settings.size, int(settings.share * len(objects)))
    if not count:
        return Evaluation("", {}, [_no_split_remark(len(objects), settings.share, problem)])
    sample = sample_split(
        candidates(objects, joints),
        seed=settings.seed,
        count=count,
        quotas=settings.quotas,
        continuous_share=settings.continuous_share,
    )
    contents = {row["object_id"]: row["content_sha256"] for row in objects}
    name = split_name({i: contents[i] for i in sample.reasons})
    return Evaluation(name, sample.reasons, [*_sample_remarks(name, problem, sample)])


def candidates(objects: Rows, joints: Rows) -> list[Candidate]:
    """Return what the sampling rule reads: categories, joint types, main joints."""
    by_object: dict[str, list[Mapping[str, Any]]] = {}
    for row in joints:
        by_object.setdefault(row["object_id"], []).append(row)
    return [
        Candidate(
            row["object_id"],
            row["category"],
            row["supercategory"],
            frozenset(joint["type"] for joint in by_object.get(row["object_id"], [])),
            main_joint(by_object.get(row["object_id"], [])),
        )
        for row in objects
    ]


def main_joint(joints: Rows) -> str:
    """Return the type of the joint that moves most by E_alpha^phi, ties by name."""
    if not joints:
        return JointType.FIXED
    best = min(joints, key=lambda joint: (-joint["motion_alpha"], joint["joint"]))
    return str(best["type"])


def split_rows(
    objects: Rows, evaluation: Evaluation, near: Mapping[str, tuple[str, float]]
) -> list[dict[str, Any]]:
    """Return the memberships: `library`, the evaluation split, and `train`."""
    kept = f"neither in {evaluation.name} nor a near-duplicate of it"
    members: dict[str, dict[str, str]] = {
        evaluation.name: dict(evaluation.reasons),
        "library": {row["object_id"]: "all objects" for row in objects},
        "train": {
            row["object_id"]: kept if evaluation.name else "there is no evaluation split"
            for row in objects
            if row["object_id"] not in evaluation.reasons and row["object_id"] not in near
        },
    }
    contents = {row["object_id"]: row["content_sha256"] for row in objects}
    versions = {evaluation.name: evaluation.benchmark.version} if evaluation.benchmark else {}
    return [
        {
            "split": split,
            "version": versions.get(split),
            "object_id": identifier,
            "content_sha256": contents[identifier],
            "reason": members[split][identifier],
        }
        for split in sorted(members)
        for identifier in sorted(members[split])
    ]


def split_name(contents: Mapping[str, str]) -> str:
    """Return `eval200_<digest>` of the members' ids and contents; such a split is not a version."""
    lines = sorted(f"{identifier} {content}" for identifier, content in contents.items())
    return f"{SPLIT}_{hashlib.sha256(chr(10).join(lines).encode()).hexdigest()[:8]}"


def _sample_remarks(name: str, problem: str, sample: Sample) -> list[str]:
    remarks = [f"{name} was sampled from this library and is no version: {problem}."]
    for group, missing in sorted(sample.shortfalls.items()):
        remarks.append(
            f"{group} is {missing} short of its quota; the places went to other supercategories."
        )
    return remarks


def _no_split_remark(objects: int, share: float, problem: str) -> str:
    return (
        f"This library has no evaluation split: {problem}, and split.share, {share:g} of "
        f"{objects:,} objects, is less than one object. Build more objects to evaluate on them."
    )


def _train_remark(near: Mapping[str, tuple[str, float]], threshold: float) -> str:
    return (
        f"train leaves out {len(near)} near-duplicates of evaluation objects (same category, "
        f"relaxed tree distance at most {threshold:g})."
    )
