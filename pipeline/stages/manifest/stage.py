# SPDX-License-Identifier: Apache-2.0
"""The stage: tables and asset tars of the whole library, with books over every object ever seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aa_dataset.files import FileSeal
from aa_dataset.kinematics import JointType
from aa_dataset.layout import LibraryLayout
from aa_dataset.schema import TABLES
from pipeline.base import layout
from pipeline.base.assets import AssetRange, AssetWriter, read_fragment, require_content
from pipeline.base.errors import BooksError
from pipeline.base.seal import write_marks
from pipeline.base.tables import (
    read_rows,
    replacing,
    write_table,
)
from pipeline.engine.inventory.index import load_index
from pipeline.engine.runner import ShardJob
from pipeline.engine.settings import ManifestSettings
from pipeline.engine.stages import SHARD_STAGES
from pipeline.raw.taxonomy import category_rows

Rows = list[dict[str, Any]]
Marks = dict[str, FileSeal]
LIBRARY = LibraryLayout(layout.LIBRARY)
# Columns of `objects` that one of the stages wrote under the same name.
COPIED = (
    "object_id", "source", "source_id", "name", "description", "category", "supercategory",
    "label_provenance", "license", "attribution", "redistribution", "depth", "extents", "floor_z",
    "front", "scale_factor", "rotation", "center", "is_metric", "content_sha256", "provenance",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shard:
    """One shard of one source."""

    source: str
    name: str

    @property
    def asset(self) -> str:
        """Name of the shard's tar in the library."""
        return f"{self.source}-{self.name}"

    def rows(self, stage: str, table: str = "records") -> Rows:
        """Read one of the shard's tables of one stage."""
        path = layout.records(stage, self.source, self.name)
        return read_rows(path if table == "records" else path.with_suffix(f".{table}.parquet"))

    def by_id(self, stage: str) -> dict[str, dict[str, Any]]:
        """Return the shard's records of one stage by object."""
        return {row["object_id"]: row for row in self.rows(stage)}


def run(job: ShardJob[ManifestSettings]) -> None:
    """Write `library/` but for the splits and the seal."""
    shards = list(all_shards())
    duplicates = read_rows(job.inputs["duplicates"])
    rejects = [row for shard in shards for row in _shard_rows(shard, "rejects")] + duplicates
    left_out = {row["object_id"] for row in rejects}
    marks: Marks = {}
    objects = [row for shard in shards for row in _pack_shard(shard, left_out, marks)]
    _check_books(shards, objects, left_out)
    kept = {row["object_id"] for row in objects}
    findings = [row for shard in shards for row in _shard_rows(shard, "findings")]
    findings += read_rows(job.inputs["findings"])
    tables = {
        "objects": objects,
        "links": list(_nested(shards, "links", kept)),
        "joints": list(_nested(shards, "joints", kept)),
        "findings": [row for row in findings if row["object_id"] in kept],
        "rejects": rejects,
        "categories": category_rows(objects),
    }
    _remove_old_assets(shards)
    for name, rows in tables.items():
        # The sort is stable: within an object, links and joints keep the tree's order.
        rows.sort(key=lambda row: row["category" if name == "categories" else "object_id"])
        write_table(job.outputs[name], rows, TABLES[name])
        marks[job.outputs[name].name] = FileSeal.of(job.outputs[name])
    write_marks(job.outputs["marks"], marks)


def all_shards() -> Iterator[Shard]:
    """Yield every shard of every source that has objects."""
    for source, count in load_index().items():
        for number in range(count):
            yield Shard(source, layout.shard_name(number))


def _shard_rows(shard: Shard, table: str) -> Iterator[dict[str, Any]]:
    for stage in SHARD_STAGES:
        yield from shard.rows(stage, table)


def _pack_shard(shard: Shard, left_out: set[str], marks: Marks) -> Rows:
    """Write the shard's tar, pictures beside the object's files, and return its object rows.

    The mark of the tar, which the seal compares with, is that of the bytes that were written.
    """
    made = {stage: shard.by_id(stage) for stage in SHARD_STAGES}
    pictures = layout.records("render", shard.source, shard.name).with_suffix(".tar")
    assets = layout.records("annotate", shard.source, shard.name).with_suffix(".tar")
    rows = []
    with replacing(LIBRARY.asset(shard.asset)) as temporary, temporary.open("wb") as stream:
        writer = AssetWriter(stream)
        for identifier in sorted(set(made["render"]) - left_out):
            fragment = _fragment(identifier, made, assets=assets, pictures=pictures)
            offset, size, _ = writer.append(fragment)
            place = {"shard": shard.asset, "offset": offset, "size": size}
            rows.append(object_row(identifier, made, place))
        writer.close()
        marks[LIBRARY.asset(shard.asset).relative_to(LIBRARY.root).as_posix()] = writer.mark
    return rows


def _fragment(
    identifier: str, made: Mapping[str, Mapping[str, Any]], *, assets: Path, pictures: Path
) -> bytes:
    """Return an object's files as the stages wrote them: proven, or an error."""
    row = made["annotate"][identifier]
    where = AssetRange.of(assets, row)
    files = read_fragment(where)
    require_content(where, files, row["content_sha256"])
    return files + read_fragment(AssetRange.of(pictures, made["render"][identifier]))


def object_row(
    identifier: str,
    made: Mapping[str, Mapping[str, Mapping[str, Any]]],
    place: Mapping[str, Any],
) -> dict[str, Any]:
    """Return one row of `objects` from the records of every stage."""
    raw, normal = made["ingest"][identifier], made["normalize"][identifier]
    label, facts = made["categorize"][identifier], made["annotate"][identifier]
    counts = Counter(joint["type"] for joint in facts["joints"])
    everything = {**facts, **label, **normal, **raw}
    return {
        **{column: everything[column] for column in COPIED},
        **{f"joints_{kind}": counts[kind] for kind in JointType},
        "joints_movable": sum(counts.values()) - counts[JointType.FIXED],
        "links": len(facts["links"]),
        **place,
    }


def _nested(shards: list[Shard], column: str, kept: set[str]) -> Iterator[dict[str, Any]]:
    for shard in shards:
        for row in shard.rows("annotate"):
            if row["object_id"] in kept:
                for inner in row[column]:
                    yield {"object_id": row["object_id"], **inner}


def _check_books(shards: list[Shard], objects: Rows, left_out: set[str]) -> None:
    """Raise unless every object of the inventories is in the library or in the rejects."""
    seen = {
        line.split("\t", 1)[0]
        for shard in shards
        for line in layout.inventory(shard.source, shard.name).read_text().splitlines()
    }
    out = {row["object_id"] for row in objects}
    if out | left_out != seen or out & left_out:
        lost = sorted(seen ^ (out | left_out))[:3]
        raise BooksError(f"the library's books do not balance; look at {', '.join(lost)}.")


def _remove_old_assets(shards: list[Shard]) -> None:
    current = {LIBRARY.asset(shard.asset) for shard in shards}
    for path in LIBRARY.assets.iterdir():
        if path not in current:
            path.unlink()
