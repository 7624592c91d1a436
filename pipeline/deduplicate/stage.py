# SPDX-License-Identifier: Apache-2.0
"""The stage: of objects with the same URDF, meshes and textures, the first one stays.

First means: the source that stands first in config.yaml, then the smaller id.
"""

from __future__ import annotations

from typing import Any

from aa_dataset.schema import TABLES
from pipeline import layout
from pipeline.inventory.refresh import load_index
from pipeline.reasons import Code, Reason, Severity
from pipeline.runner import ShardJob
from pipeline.tables import read_rows, write_table


def run(job: ShardJob) -> None:
    """Compare the whole library; write rejects and findings."""
    order = {source: number for number, source in enumerate(job.settings["source_order"])}
    objects = [
        (order[source], row["object_id"], row["content_sha256"], source)
        for source, shards in load_index().items()
        for shard in map(layout.shard_name, range(shards))
        for row in read_rows(layout.records("annotate", source, shard))
    ]
    rejects, findings = find_duplicates(sorted(objects))
    write_table(job.outputs["findings"], findings, TABLES["findings"])
    write_table(job.outputs["rejects"], rejects, TABLES["rejects"])


def find_duplicates(
    objects: list[tuple[int, str, str, str]],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return reject rows and finding rows of (rank, object id, content, source), in that order."""
    first: dict[str, str] = {}
    copies: dict[str, list[str]] = {}
    rejects = []
    for _, identifier, content, source in objects:
        kept = first.setdefault(content, identifier)
        if kept == identifier:
            continue
        copies.setdefault(kept, []).append(identifier)
        detail = f"has the same URDF, meshes and textures as {kept}."
        rejects.append(_reject(identifier, source, detail))
    findings = [_finding(kept, others) for kept, others in copies.items()]
    return _sorted(rejects), _sorted(findings)


def _sorted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row["object_id"])


def _reject(identifier: str, source: str, detail: str) -> dict[str, Any]:
    return {
        "object_id": identifier,
        "source": source,
        "stage": "deduplicate",
        "code": str(Reason.DUPLICATE),
        "detail": detail,
    }


def _finding(kept: str, others: list[str]) -> dict[str, Any]:
    return {
        "object_id": kept,
        "stage": "deduplicate",
        "code": str(Code.DUPLICATE_KEPT),
        "severity": str(Severity.INFO),
        "detail": f"left out as copies: {', '.join(others)}.",
    }
