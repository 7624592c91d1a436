# SPDX-License-Identifier: Apache-2.0
"""The stage: the raw objects of one shard become records with one set of columns."""

from __future__ import annotations

import dataclasses
import os
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from aa_dataset.licenses import is_redistributable, needs_attribution
from pipeline.base import layout
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.base.tables import compact_json, encodable, record_schema
from pipeline.engine.runner import Outcome, ShardJob, Task, run_shard
from pipeline.engine.settings import IngestSettings, SourceFacts, read
from pipeline.raw.files import Sizes, open_raw, shared_sizes, total_bytes
from pipeline.raw.inventory import adapter_module, read_inventory, read_marks
from pipeline.raw.records import Found, RawRecord
from pipeline.raw.untouched import untouched, watch
from pipeline.stages.ingest.filters import require_wanted

# `paths`, `parts`, `frame`, `screws`, `same_as`, `substitutes` and `provenance` are JSON.
_TEXTS = (
    "source", "source_id", "paths", "model", "format", "name", "description", "label", "parts",
    "frame", "scale", "screws", "same_as", "substitutes", "license", "attribution",
)  # fmt: skip
# Characters of a text at most.
LONGEST = {"name": 2_000, "label": 2_000, "license": 2_000, "attribution": 2_000,
           "description": 100_000}  # fmt: skip
RECORDS = record_schema(
    *(pa.field(name, pa.string(), nullable=False) for name in _TEXTS),
    pa.field("unit", pa.float64(), nullable=False, metadata={"unit": "m per source length"}),
    pa.field("redistribution", pa.bool_(), nullable=False),
    pa.field("provenance", pa.string(), nullable=False),
)


def run(job: ShardJob[IngestSettings]) -> None:
    """Ingest one shard."""
    facts = read(job.inputs["facts"], SourceFacts)
    root, listed = Path(facts.folder), read_inventory(job.inputs["inventory"])
    paths = {raw.object_id: raw.found.paths for raw in listed}
    watched = watch(root, paths, read_marks(layout.marks(job.source, job.shard)))
    tasks = [
        Task(key, (job.source, facts, raw.found, raw.digest, watched.early.get(key)))
        for raw in listed
        for key in (raw.object_id,)
    ]
    process = partial(ingest, sizes=shared_sizes(root, paths.values()))
    run_shard(job, tasks, process=process, schema=RECORDS, check=watched.check)


def ingest(task: Task, settings: IngestSettings, sizes: Sizes | None = None) -> Outcome:
    """Read one raw object through its source's adapter; `sizes` are of paths that it shares."""
    source, facts, found, digest, mark = task.data
    root = Path(facts.folder)
    most = settings.budgets.raw_bytes
    _require_plain(root, found)
    _require_size(root, found, most, sizes)
    with untouched(task.object_id, root, found.paths, mark):
        files = open_raw(root, found.paths, most_bytes=most)
        adapter = adapter_module(facts.adapter)
        raw = adapter.describe(files, found)
    _require_short(raw)
    _require_declared(raw, adapter.FIELDS)
    require_wanted(raw.provenance, settings.filters.get(source, {}))
    return Outcome(_record(source, found, raw, facts=facts, digest=digest), raw.findings)


def _record(
    source: str, found: Found, raw: RawRecord, *, facts: SourceFacts, digest: str
) -> dict[str, Any]:
    license_id = raw.license or facts.license
    attribution = raw.attribution or facts.attribution
    return {
        "source": source,
        "source_id": found.name,
        "paths": compact_json(found.paths),
        "model": raw.model,
        "format": raw.format,
        "name": raw.name,
        "description": raw.description,
        "label": raw.label,
        "parts": compact_json(raw.parts),
        "frame": compact_json(raw.frame or facts.frame),
        "scale": raw.scale or facts.scale,
        "unit": raw.unit or facts.unit,
        "screws": compact_json([dataclasses.asdict(screw) for screw in raw.screws]),
        "same_as": compact_json(raw.same_as),
        "substitutes": compact_json(raw.substitutes),
        "license": license_id,
        "attribution": attribution,
        # A license that asks for the author's name cannot be kept without one.
        "redistribution": is_redistributable(license_id)
        and bool(attribution or not needs_attribution(license_id)),
        "provenance": compact_json({**raw.provenance, "raw_sha256": digest}),
    }


def _require_short(raw: RawRecord) -> None:
    """Refuse texts that no person wrote; later stages search them."""
    for field, most in LONGEST.items():
        if len(getattr(raw, field)) > most:
            detail = f"its {field} has more than {most} characters; shorten it in the source."
            raise Rejection(Reason.METADATA_INVALID, detail)


def _require_declared(raw: RawRecord, fields: frozenset[str] | None) -> None:
    """Refuse a field that the adapter does not list: config.yaml could not filter by it."""
    strange = sorted(set(raw.provenance).difference(fields)) if fields is not None else []
    if strange:
        raise ValueError(f"FIELDS of the adapter does not list {', '.join(strange)}.")


def _require_plain(root: Path, found: Found) -> None:
    for path in (root / part for part in found.paths):
        for step in (path, *(above for above in path.parents if above.is_relative_to(root))):
            if step != root and step.is_symlink():
                detail = f"{step.name} is a symbolic link; copy the object."
                raise Rejection(Reason.FOLDER_INVALID, detail)
        if not os.path.lexists(path):
            raise Rejection(Reason.FOLDER_INVALID, f"{path.name} does not exist.")
        if encodable(path.name) != path.name:
            raise Rejection(Reason.FOLDER_INVALID, "its folder's name is not UTF-8; rename it.")


def _require_size(root: Path, found: Found, most: int, sizes: Sizes | None) -> None:
    total = total_bytes(root, found.paths, sizes)
    if total > most:
        raise Rejection(
            Reason.TOO_MANY_BYTES, f"the raw object has {total} bytes, more than {most}."
        )
