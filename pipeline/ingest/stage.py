# SPDX-License-Identifier: Apache-2.0
"""The stage: the raw objects of one shard become records with one set of columns."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from aa_dataset.licenses import is_redistributable, needs_attribution
from pipeline.config import load_sources
from pipeline.errors import Rejection
from pipeline.inventory.raw import read_inventory
from pipeline.reasons import Reason
from pipeline.runner import Outcome, ShardJob, Task, run_shard
from pipeline.tables import compact_json, encodable, record_schema

_TEXT = pa.string()
RECORDS = record_schema(
    *(
        pa.field(name, _TEXT, nullable=False)
        for name in ("source", "source_id", "folder", "urdf", "name", "description", "label",
                     "parts", "license", "attribution")
    ),
    pa.field("redistribution", pa.bool_(), nullable=False),
    pa.field("provenance", _TEXT, nullable=False),
)  # fmt: skip


def run(job: ShardJob) -> None:
    """Ingest one shard."""
    facts = load_sources()[job.source]
    root = Path(job.settings["sources"][job.source]["folder"])
    tasks = [
        Task(raw.object_id, (job.source, root, raw.folder, raw.digest, facts))
        for raw in read_inventory(job.inputs["inventory"])
    ]
    run_shard(job, tasks, process=ingest, schema=RECORDS)


def ingest(task: Task, settings: Mapping[str, Any]) -> Outcome:
    """Read one raw object through its source's adapter."""
    source, root, folder, digest, facts = task.data
    _require_plain(root / folder)
    _require_size(root / folder, settings["budgets"]["raw_bytes"])
    adapter = importlib.import_module(f"pipeline.ingest.{facts['adapter']}")
    raw = adapter.describe(root / folder)
    license_id = raw.license or facts["license"]
    return Outcome(
        {
            "source": source,
            "source_id": folder,
            "folder": folder,
            "urdf": raw.urdf,
            "name": raw.name,
            "description": raw.description,
            "label": raw.label,
            "parts": compact_json(raw.parts),
            "license": license_id,
            "attribution": facts["attribution"],
            # A license that asks for the author's name cannot be kept without one.
            "redistribution": is_redistributable(license_id)
            and bool(facts["attribution"] or not needs_attribution(license_id)),
            "provenance": compact_json({**raw.provenance, "raw_sha256": digest}),
        }
    )


def _require_plain(folder: Path) -> None:
    if folder.is_symlink():
        raise Rejection(Reason.FOLDER_INVALID, "its folder is a symbolic link; copy the object.")
    if encodable(folder.name) != folder.name:
        raise Rejection(Reason.FOLDER_INVALID, "its folder's name is not UTF-8; rename it.")


def _require_size(folder: Path, most: int) -> None:
    total = sum(
        Path(parent, name).lstat().st_size for parent, _, names in os.walk(folder) for name in names
    )
    if total > most:
        raise Rejection(
            Reason.TOO_MANY_BYTES, f"the raw object has {total} bytes, more than {most}."
        )
