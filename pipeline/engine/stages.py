# SPDX-License-Identifier: Apache-2.0
"""The list of stages: which settings and data files each one reads.

A stage's name is its package in `pipeline.stages`, subcommand, rule, work folder and test folder.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.engine.settings import (
    AnnotateSettings,
    CategorizeSettings,
    DeduplicateSettings,
    IngestSettings,
    ManifestSettings,
    NormalizeSettings,
    PublishSettings,
    RenderSettings,
    ReportSettings,
    SplitSettings,
    VerifySettings,
)


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage depends on beyond its input files and its code."""

    settings: type
    data: tuple[str, ...] = ()


# Proposals of the taxonomy count only after a review, so they rebuild nothing.
SHARD_STAGES: dict[str, Stage] = {
    "ingest": Stage(IngestSettings),
    "normalize": Stage(NormalizeSettings),
    "categorize": Stage(CategorizeSettings, data=("taxonomy/[!p]*.tsv",)),
    "verify": Stage(
        VerifySettings,
        data=("taxonomy/[!p]*.tsv", "pipeline/stages/verify/upright.tsv"),
    ),
    "annotate": Stage(AnnotateSettings),
    "render": Stage(RenderSettings),
}

LIBRARY_STAGES: dict[str, Stage] = {
    "deduplicate": Stage(DeduplicateSettings),
    "manifest": Stage(ManifestSettings, data=("taxonomy/[!p]*.tsv",)),
    "split": Stage(SplitSettings, data=("pipeline/stages/split/frozen/*.tsv",)),
    "publish": Stage(PublishSettings),
    "report": Stage(ReportSettings, data=("pipeline/stages/report/page/*.[cj]s*",)),
}

STAGES = SHARD_STAGES | LIBRARY_STAGES
