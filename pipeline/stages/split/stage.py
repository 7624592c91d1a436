# SPDX-License-Identifier: Apache-2.0
"""The stage: writes the table of splits, a report about them, and then the library's seal.

A library that contains a frozen version of `eval200` uses it. A version holds generated objects
alone, so a library with other sources samples a second split over all of them, as does a library
without the version. The name of a sampled split contains a digest, because another library gives
another sample.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aa_dataset.format.benchmark import SPLIT, Benchmark
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.format.truth import NAMES, NUMBERS
from aa_dataset.kinematics import JointType
from pipeline.base import layout
from pipeline.base.seal import read_marks, seal_folder
from pipeline.base.tables import read_rows, write_bytes, write_table
from pipeline.engine.runner import Job
from pipeline.engine.settings import Split, SplitSettings
from pipeline.stages.split.figure import coverage_figure
from pipeline.stages.split.frozen import Recognition, best_recognition
from pipeline.stages.split.near import near_duplicates, read_skeletons
from pipeline.stages.split.sample import Sample, SplitCandidate, sample_split

Rows = Sequence[Mapping[str, Any]]
GENERATED = "generated"  # the source whose objects everybody can rebuild
# The columns that determine the splits.
OBJECT_COLUMNS = (
    "object_id", "source", "category", "supercategory", "content_sha256", "is_metric", "extents",
)  # fmt: skip
JOINT_COLUMNS = ("object_id", *NAMES, *NUMBERS, "mimic", "motion_alpha")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluation split: its name, a reason per member, and remarks about its origin.

    `benchmark` is its frozen version, None for a sample.
    """

    name: str
    reasons: Mapping[str, str]
    remarks: Sequence[str]
    benchmark: Benchmark | None = None


@dataclass(frozen=True, slots=True)
class Evaluations:
    """The evaluation splits of a library, the frozen one first; none if it is too small for any.

    `remark` says why there is none, and is empty if there is one.
    """

    splits: tuple[Evaluation, ...]
    remark: str = ""

    @property
    def members(self) -> set[str]:
        """Ids of the objects of all evaluation splits, from which `train` keeps away."""
        return {identifier for one in self.splits for identifier in one.reasons}

    @property
    def benchmark(self) -> Benchmark | None:
        """The frozen version among them."""
        return next((one.benchmark for one in self.splits if one.benchmark), None)

    @property
    def remarks(self) -> list[str]:
        """Return what the report says about them, without `train`."""
        remarks = [line for one in self.splits for line in one.remarks]
        return [*remarks, *([self.remark] if self.remark else [])]


def run(job: Job[SplitSettings]) -> None:
    """Write the splits and the report, and seal the library."""
    objects = read_rows(job.inputs["objects"], OBJECT_COLUMNS)
    joints = read_rows(job.inputs["joints"], JOINT_COLUMNS)
    settings = job.settings.split
    chosen = choose_evaluations(objects, joints, settings)
    near = near_duplicates(
        chosen.members,
        {row["object_id"]: row["category"] for row in objects},
        read_skeletons(joints),
        threshold=settings.near_duplicate,
    )
    write_table(job.outputs["splits"], split_rows(objects, chosen, near), TABLES["splits"])
    report = chosen.remarks
    if chosen.splits:
        report.append(_train_remark(near, settings.near_duplicate))
    write_bytes(job.outputs["figure"], _figure(objects, chosen))
    write_bytes(job.outputs["report"], "".join(f"{line}\n" for line in report).encode())
    seal_folder(
        LibraryLayout(layout.LIBRARY),
        name=job.settings.name,
        expected=job.settings.expected_objects,
        benchmark=chosen.benchmark,
        marks=read_marks(job.inputs["marks"]),
        credits=job.settings.credits,
    )


def _figure(objects: Rows, chosen: Evaluations) -> bytes:
    splits = {one.name: one.reasons for one in chosen.splits}
    return coverage_figure(objects, splits or {"no evaluation split": {}})


def choose_evaluations(objects: Rows, joints: Rows, settings: Split) -> Evaluations:
    """Return the frozen version if the library contains it, and a sample unless that is all.

    The second split of a library with the version is the one that it would have without: both are
    drawn from all objects, so a new version changes no sampled split, and members of the version
    may be in it.
    """
    found = best_recognition(objects, joints)
    if found is None or found.problem:
        problem = f"this repository has no frozen {SPLIT}" if found is None else found.problem
        sample = _sampled_evaluation(objects, joints, settings, f"is no version: {problem}")
        if sample is not None:
            return Evaluations((sample,))
        return Evaluations((), _no_split_remark(len(objects), settings.share, problem))
    frozen = _frozen_evaluation(found)
    if all(row["source"] == GENERATED for row in objects):
        return Evaluations((frozen,))
    why = f"is no version: {found.frozen.version} holds generated objects alone"
    sample = _sampled_evaluation(objects, joints, settings, why)
    return Evaluations((frozen, sample) if sample else (frozen,))


def _frozen_evaluation(found: Recognition) -> Evaluation:
    reasons = dict.fromkeys(found.frozen.contents, f"frozen list {found.frozen.version}")
    remark = f"{SPLIT} is the benchmark {found.benchmark}."
    return Evaluation(SPLIT, reasons, [remark], found.benchmark)


def _sampled_evaluation(
    objects: Rows, joints: Rows, settings: Split, why: str
) -> Evaluation | None:
    """Return a split sampled from all objects, None if the library is too small for one."""
    count = min(settings.size, int(settings.share * len(objects)))
    if not count:
        return None
    sample = sample_split(
        candidates(objects, joints),
        seed=settings.seed,
        count=count,
        quotas=settings.quotas,
        continuous_share=settings.continuous_share,
    )
    contents = {row["object_id"]: row["content_sha256"] for row in objects}
    name = split_name({i: contents[i] for i in sample.reasons})
    return Evaluation(name, sample.reasons, _sample_remarks(name, why, sample, objects))


def candidates(objects: Rows, joints: Rows) -> list[SplitCandidate]:
    """Return what the sampling rule reads: categories, joint types, main joints."""
    by_object: dict[str, list[Mapping[str, Any]]] = {}
    for row in joints:
        by_object.setdefault(row["object_id"], []).append(row)
    return [
        SplitCandidate(
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
    objects: Rows, chosen: Evaluations, near: Mapping[str, tuple[str, float]]
) -> list[dict[str, Any]]:
    """Return the memberships: `library`, the evaluation splits, and `train`."""
    taken, kept = {*chosen.members, *near}, _train_reason(chosen)
    members: dict[str, Mapping[str, str]] = {
        **{one.name: one.reasons for one in chosen.splits},
        "library": {row["object_id"]: "all objects" for row in objects},
        "train": {row["object_id"]: kept for row in objects if row["object_id"] not in taken},
    }
    contents = {row["object_id"]: row["content_sha256"] for row in objects}
    versions = {one.name: one.benchmark.version for one in chosen.splits if one.benchmark}
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


def _train_reason(chosen: Evaluations) -> str:
    names = [one.name for one in chosen.splits]
    if not names:
        return "there is no evaluation split"
    if len(names) == 1:
        return f"neither in {names[0]} nor a near-duplicate of it"
    return f"neither in {' or '.join(names)} nor a near-duplicate of them"


def split_name(contents: Mapping[str, str]) -> str:
    """Return `eval200_<digest>` of the members' ids and contents; such a split is not a version."""
    lines = sorted(f"{identifier} {content}" for identifier, content in contents.items())
    return f"{SPLIT}_{hashlib.sha256(chr(10).join(lines).encode()).hexdigest()[:8]}"


def _sample_remarks(name: str, why: str, sample: Sample, objects: Rows) -> list[str]:
    remarks = [f"{name} was sampled from this library and {why}."]
    for group, missing in sorted(sample.shortfalls.items()):
        remarks.append(
            f"{group} is {missing} short of its quota; the places went to other supercategories."
        )
    every = Counter(row["source"] for row in objects)
    taken = Counter(row["source"] for row in objects if row["object_id"] in sample.reasons)
    if len(every) > 1:
        shares = (f"{source} {taken[source]:,} of {every[source]:,}" for source in sorted(every))
        remarks.append(f"{name} holds objects of these sources: {', '.join(shares)}.")
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
