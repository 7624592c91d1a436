# SPDX-License-Identifier: Apache-2.0
"""The stage: removes duplicates, so that every object is in the library once.

Two objects are duplicates

1. by content: the same URDF, meshes and textures;
2. by declaration: a source names the object of another source that it repackages (`same_as` of
   ingest). This is transitive and also holds if the named object is not in the library: two
   objects that are both declared to be PartNet's 102442 are duplicates;
3. by fingerprint: the same geometry apart from frame and unit, and the same motion (see `alike`).

Objects with the same geometry and different joints are not duplicates. A variant whose joints were
fixed or have other types is kept, with the finding `shape_shared`.

The copy from the source listed first in sources.yaml is kept; within a source, the smaller id. A
copy with a more permissive license is not preferred, because redistribution cannot change the
author's terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from scipy.cluster.hierarchy import DisjointSet

from aa_dataset.format.schema import TABLES
from pipeline.base import layout
from pipeline.base.reasons import Code, Reason, Severity
from pipeline.base.records import read_records
from pipeline.base.tables import write_table
from pipeline.engine.inventory.index import load_index
from pipeline.engine.runner import Job
from pipeline.engine.settings import DeduplicateSettings
from pipeline.handover.annotated import AnnotatedFacts, Fingerprint
from pipeline.handover.ingested import IngestedRecord
from pipeline.stages.deduplicate.alike import Gallery, same_motion

Rows = list[dict[str, Any]]
# Maximum number of names in one finding.
NAMED = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """The facts of one object that are compared; `order` is the rank of its source."""

    order: int
    object_id: str
    source: str
    content: str
    name: str
    same_as: tuple[str, ...] = ()
    fingerprint: Fingerprint | None = None


def run(job: Job[DeduplicateSettings]) -> None:
    """Compare the whole library; write rejects and findings."""
    order = {source: number for number, source in enumerate(job.settings.source_order)}
    rejects, findings = find_duplicates(_read_candidates(order))
    write_table(job.outputs["findings"], findings, TABLES["findings"])
    write_table(job.outputs["rejects"], rejects, TABLES["rejects"])


def _read_candidates(order: Mapping[str, int]) -> Iterator[Candidate]:
    for source, shards in load_index().items():
        for shard in map(layout.shard_name, range(shards)):
            ingested = read_records(layout.records("ingest", source, shard), IngestedRecord)
            made = read_records(layout.records("annotate", source, shard), AnnotatedFacts)
            for key, facts in made.items():
                raw = ingested[key]
                yield Candidate(
                    order[source],
                    key,
                    source,
                    facts.content_sha256,
                    f"{source}/{raw.source_id}",
                    raw.same_as,
                    facts.fingerprint,
                )


def find_duplicates(candidates: Iterable[Candidate]) -> tuple[Rows, Rows]:
    """Return the reject rows and the finding rows of the whole library, each sorted by object."""
    objects = sorted(candidates, key=lambda one: (one.order, one.object_id))
    names = [one.object_id for one in objects]
    groups, shared = DisjointSet(names), DisjointSet(names)
    steps: list[tuple[str, DisjointSet]] = []
    _join_by_content(objects, groups)
    steps.append(("has the same URDF, meshes and textures as", deepcopy(groups)))
    _join_by_declaration(objects, groups)
    steps.append(("is declared by its source to be the same object as", deepcopy(groups)))
    _join_by_fingerprint(objects, groups, shared)
    steps.append(("has, apart from frame and unit, the same geometry and motion as", groups))
    kept: dict[str, Candidate] = {}
    copies: dict[str, list[str]] = {}
    rejects = []
    for one in objects:
        first = kept.setdefault(groups[one.object_id], one)
        if first is not one:
            pair = (first.object_id, one.object_id)
            why = next(text for text, step in steps if step.connected(*pair))
            copies.setdefault(first.object_id, []).append(one.object_id)
            rejects.append(_reject_row(one, f"{why} {first.object_id}."))
    findings = [_finding_row(name, Code.DUPLICATE_KEPT, f"left out as copies: {', '.join(others)}.")
                for name, others in copies.items()]  # fmt: skip
    findings += _shared_findings([one.object_id for one in kept.values()], shared)
    return _sorted_rows(rejects), _sorted_rows(findings)


def _join_by_content(objects: list[Candidate], groups: DisjointSet) -> None:
    first: dict[str, str] = {}
    for one in objects:
        groups.merge(first.setdefault(one.content, one.object_id), one.object_id)


def _join_by_declaration(objects: list[Candidate], groups: DisjointSet) -> None:
    """Join objects that declare the same object, whether that one is present or not."""
    first: dict[str, str] = {}
    names = DisjointSet(name for one in objects for name in (one.name, *one.same_as))
    for one in objects:
        for other in one.same_as:
            names.merge(one.name, other)
    for one in objects:
        groups.merge(first.setdefault(names[one.name], one.object_id), one.object_id)


def _join_by_fingerprint(
    objects: list[Candidate], groups: DisjointSet, shared: DisjointSet
) -> None:
    """Join objects of equal geometry and motion; add those of equal geometry only to `shared`."""
    gallery = Gallery()
    for one in objects:
        if one.fingerprint is None:
            continue
        is_known = False
        for identifier, other in gallery.alike(one.fingerprint):
            shared.merge(identifier, one.object_id)
            if not is_known and same_motion(one.fingerprint, other):
                groups.merge(identifier, one.object_id)
                is_known = True
        if not is_known:  # a second entry of a duplicate would find nothing new
            gallery.add(one.object_id, one.fingerprint)


def _shared_findings(kept: list[str], shared: DisjointSet) -> Rows:
    clusters: dict[str, list[str]] = {}
    for identifier in kept:
        clusters.setdefault(shared[identifier], []).append(identifier)
    return [
        _finding_row(one, Code.SHAPE_SHARED, _shared_detail([x for x in cluster if x != one]))
        for cluster in clusters.values()
        if len(cluster) > 1
        for one in cluster
    ]


def _shared_detail(others: list[str]) -> str:
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    return f"has the geometry of {', '.join(others[:NAMED])}{more}, but other joints."


def _sorted_rows(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: (row["object_id"], row["code"]))


def _reject_row(one: Candidate, detail: str) -> dict[str, Any]:
    return {
        "object_id": one.object_id,
        "source": one.source,
        "stage": "deduplicate",
        "code": str(Reason.DUPLICATE),
        "detail": detail,
    }


def _finding_row(identifier: str, code: Code, detail: str) -> dict[str, Any]:
    return {
        "object_id": identifier,
        "stage": "deduplicate",
        "code": str(code),
        "severity": str(Severity.INFO),
        "detail": detail,
    }
