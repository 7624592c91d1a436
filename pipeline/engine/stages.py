# SPDX-License-Identifier: Apache-2.0
"""The list of stages: which part of the config each one reads, and which data files it obeys.

A stage's word is its package in `pipeline.stages`, subcommand, rule, work folder and test folder.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage depends on beyond its input files and its code."""

    reads: tuple[str, ...] = ()
    data: tuple[str, ...] = ()


# Proposals of the taxonomy count only after a review, so they rebuild nothing.
SHARD_STAGES: dict[str, Stage] = {
    "ingest": Stage(reads=("budgets", "filters")),
    "normalize": Stage(reads=("budgets", "normalize")),
    "categorize": Stage(reads=("budgets",), data=("taxonomy/[!p]*.tsv",)),
    "verify": Stage(
        reads=("budgets", "verify"),
        data=("taxonomy/[!p]*.tsv", "pipeline/stages/verify/upright.tsv"),
    ),
    "annotate": Stage(reads=("budgets", "annotate")),
    "render": Stage(reads=("budgets", "render")),
}

LIBRARY_STAGES: dict[str, Stage] = {
    "deduplicate": Stage(reads=("source_order",)),
    "manifest": Stage(data=("taxonomy/[!p]*.tsv",)),
    "split": Stage(
        reads=("name", "expected_objects", "split"), data=("pipeline/stages/split/frozen/*.tsv",)
    ),
    "publish": Stage(reads=("name", "publish"), data=("pipeline/raw/sources.yaml",)),
}

STAGES = SHARD_STAGES | LIBRARY_STAGES
