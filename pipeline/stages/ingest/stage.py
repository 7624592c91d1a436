# SPDX-License-Identifier: Apache-2.0
"""The stage: converts the raw objects of one shard to records with the same columns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aa_dataset.format.licenses import Redistribution, allowed
from pipeline.base import layout
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.base.tables import compact_json, encodable
from pipeline.engine.runner import Job, Outcome, Task, run_shard
from pipeline.engine.settings import IngestSettings, SourceFacts, read
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.files import Sizes, open_raw, shared_sizes, total_bytes
from pipeline.raw.inventory import adapter_module, read_inventory, read_marks
from pipeline.raw.records import Found, RawRecord
from pipeline.raw.untouched import untouched, watch
from pipeline.stages.ingest.filters import require_wanted

# Maximum number of characters of a text.
LONGEST = {"name": 2_000, "label": 2_000, "license": 2_000, "attribution": 2_000,
           "description": 100_000}  # fmt: skip


@dataclass(frozen=True, slots=True)
class IngestInput:
    """One raw object to read.

    Attributes
    ----------
    source : str
        Its source; `facts` are the facts of sources.yaml about it.
    found : Found
        The object as the adapter listed it.
    digest : str
        SHA-256 of its raw files.
    mark : str or None
        State of the files when they were digested, None if unknown.
    """

    source: str
    facts: SourceFacts
    found: Found
    digest: str
    mark: str | None


def run(job: Job[IngestSettings]) -> None:
    """Ingest one shard."""
    facts = read(job.inputs["facts"], SourceFacts)
    root, listed = Path(facts.folder), read_inventory(job.inputs["inventory"])
    paths = {raw.object_id: raw.found.paths for raw in listed}
    watched = watch(root, paths, read_marks(layout.marks(job.source, job.shard)))
    tasks = [
        Task(key, IngestInput(job.source, facts, raw.found, raw.digest, watched.early.get(key)))
        for raw in listed
        for key in (raw.object_id,)
    ]
    process = partial(ingest, sizes=shared_sizes(root, paths.values()))
    run_shard(job, tasks, process=process, record=IngestedRecord, check=watched.check)


def ingest(
    task: Task[IngestInput], settings: IngestSettings, sizes: Sizes | None = None
) -> Outcome[IngestedRecord]:
    """Read one raw object through its source's adapter; `sizes` are those of shared paths."""
    given, facts, found = task.data, task.data.facts, task.data.found
    root = Path(facts.folder)
    most = settings.budgets.raw_bytes
    _require_plain(root, found)
    _require_size(root, found, most, sizes)
    with untouched(task.object_id, root, found.paths, given.mark):
        files = open_raw(root, found.paths, most_bytes=most)
        adapter = adapter_module(facts.adapter)
        raw = adapter.describe(files, found)
    _require_short(raw)
    _require_declared(raw, adapter.FIELDS)
    require_wanted(raw.provenance, settings.filters.get(given.source, {}))
    return Outcome(_ingested_record(given, raw), raw.findings)


def _ingested_record(given: IngestInput, raw: RawRecord) -> IngestedRecord:
    facts = given.facts
    license_id = raw.license or facts.license
    attribution = raw.attribution or facts.attribution
    return IngestedRecord(
        source=given.source,
        source_id=given.found.name,
        paths=given.found.paths,
        model=raw.model,
        format=raw.format,
        frame=raw.frame or facts.frame,
        scale=raw.scale or facts.scale,
        unit=raw.unit or facts.unit,
        gltf_up=raw.gltf_up,
        body=raw.body,
        name=raw.name,
        description=raw.description,
        label=raw.label,
        parts=raw.parts,
        screws=raw.screws,
        same_as=raw.same_as,
        substitutes=raw.substitutes,
        license=license_id,
        attribution=attribution,
        redistribution=allowed(
            license_id,
            attribution,
            at_most=Redistribution(facts.redistribution),
            of_source=facts.license,
        ),
        provenance={**_provenance_texts(raw.provenance), "raw_sha256": given.digest},
    )


def _provenance_texts(provenance: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the provenance as texts, because its values may have any type."""
    return {
        key: value if value is None or isinstance(value, str) else compact_json(value)
        for key, value in provenance.items()
    }


def _require_short(raw: RawRecord) -> None:
    """Reject texts that are too long to be written by a person; later stages search them."""
    for field, most in LONGEST.items():
        if len(getattr(raw, field)) > most:
            detail = f"its {field} has more than {most} characters; shorten it in the source."
            raise Rejection(Reason.METADATA_INVALID, detail)


def _require_declared(raw: RawRecord, fields: frozenset[str] | None) -> None:
    """Refuse a field that the adapter does not list, because filters could not name it."""
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
