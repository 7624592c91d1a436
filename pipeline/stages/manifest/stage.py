# SPDX-License-Identifier: Apache-2.0
"""The stage: writes the tables and asset tars of the library, and accounts for every object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from aa_dataset.files import FileSeal
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.kinematics import JointType
from pipeline.base import layout
from pipeline.base.assets import (
    AssetRange,
    AssetWriter,
    asset_ranges,
    read_fragment,
    require_content,
)
from pipeline.base.errors import AccountingError
from pipeline.base.seal import write_marks
from pipeline.base.tables import (
    read_arrow,
    read_rows,
    replacing,
    write_arrow,
    write_table,
)
from pipeline.engine.inventory.index import load_index
from pipeline.engine.runner import Job
from pipeline.engine.settings import ManifestSettings
from pipeline.engine.stages import SHARD_STAGES
from pipeline.raw.taxonomy import category_rows

Rows = list[dict[str, Any]]
Marks = dict[str, FileSeal]
LIBRARY = LibraryLayout(layout.LIBRARY)
# Tables whose rows are in the records of `annotate`.
NESTED = ("links", "joints", "exclusions")
# Columns of `objects` by the stage whose record has a field of the same name.
COPIED = {
    "ingest": (
        "source", "source_id", "name", "description", "license", "attribution", "redistribution",
        "provenance",
    ),
    "normalize": (
        "extents", "floor_z", "front", "scale_factor", "rotation", "center", "is_metric",
    ),
    "categorize": ("category", "supercategory", "label_provenance"),
    "annotate": ("depth", "content_sha256"),
    "render": ("preview_backend",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shard:
    """One shard of one source."""

    source: str
    name: str

    @property
    def asset(self) -> str:
        """Name of the shard's tar in the library."""
        return f"{self.source}-{self.name}"

    def path(self, stage: str, suffix: str = ".parquet") -> Path:
        """Return one of the shard's files of one stage."""
        return layout.records(stage, self.source, self.name).with_suffix(suffix)

    def copied(self) -> dict[str, dict[str, Any]]:
        """Return the columns of `objects` that the stages wrote, by object."""
        found: dict[str, dict[str, Any]] = {}
        for stage, columns in COPIED.items():
            for row in read_rows(self.path(stage), columns=["object_id", *columns]):
                found.setdefault(row["object_id"], {}).update(row)
        return found

    def places(self, stage: str) -> dict[str, AssetRange]:
        """Return the ranges of the objects in the shard's tar of one stage."""
        return asset_ranges(self.path(stage), self.path(stage, ".tar"))


def run(job: Job[ManifestSettings]) -> None:
    """Write `library/` except for the splits and the seal."""
    shards = list(all_shards())
    duplicates = read_rows(job.inputs["duplicates"])
    rejects = [row for shard in shards for row in _shard_rows(shard, "rejects")] + duplicates
    left_out = {row["object_id"] for row in rejects}
    marks: Marks = {}
    nested = {name: _rows_of_kept_objects(shards, name, left_out) for name in NESTED}
    counts = _link_and_joint_counts(nested)
    objects = [row for shard in shards for row in _pack_shard(shard, left_out, marks, counts)]
    _require_all_accounted_for(shards, objects, left_out)
    kept = {row["object_id"] for row in objects}
    findings = [row for shard in shards for row in _shard_rows(shard, "findings")]
    findings += read_rows(job.inputs["findings"])
    tables = {
        "objects": objects,
        "findings": [row for row in findings if row["object_id"] in kept],
        "rejects": rejects,
        "categories": category_rows((row["category"], row["source"]) for row in objects),
    }
    _remove_old_assets(shards)
    for name, rows in tables.items():
        rows.sort(key=lambda row: row["category" if name == "categories" else "object_id"])
        write_table(job.outputs[name], rows, TABLES[name])
    for name, table in nested.items():
        write_arrow(job.outputs[name], table)
    for name in (*tables, *nested):
        marks[job.outputs[name].name] = FileSeal.of(job.outputs[name])
    write_marks(job.outputs["marks"], marks)


def all_shards() -> Iterator[Shard]:
    """Yield every shard of every source that has objects."""
    for source, count in load_index().items():
        for number in range(count):
            yield Shard(source, layout.shard_name(number))


def _shard_rows(shard: Shard, table: str) -> Iterator[dict[str, Any]]:
    for stage in SHARD_STAGES:
        yield from read_rows(shard.path(stage, f".{table}.parquet"))


def _pack_shard(
    shard: Shard, left_out: set[str], marks: Marks, counts: Mapping[str, Counter[str]]
) -> Rows:
    """Write the shard's tar with files and previews, and return its object rows.

    The mark of the tar, which the seal checks later, is computed from the bytes as written.
    """
    made, assets, pictures = shard.copied(), shard.places("annotate"), shard.places("render")
    rows = []
    with replacing(LIBRARY.asset(shard.asset)) as temporary, temporary.open("wb") as stream:
        writer = AssetWriter(stream)
        for identifier in sorted(set(pictures) - left_out):
            facts = made[identifier]
            files = _checked_files(assets[identifier], facts["content_sha256"])
            offset, size, _ = writer.append(files + read_fragment(pictures[identifier]))
            place = {"shard": shard.asset, "offset": offset, "size": size, "rebuild": None}
            rows.append({**facts, **_count_columns(counts[identifier]), **place})
        writer.close()
        marks[LIBRARY.asset(shard.asset).relative_to(LIBRARY.root).as_posix()] = writer.mark
    return rows


def _checked_files(where: AssetRange, content_sha256: str) -> bytes:
    """Return an object's files as `annotate` wrote them; raise if their digest differs."""
    files = read_fragment(where)
    require_content(where, files, content_sha256)
    return files


def _link_and_joint_counts(nested: Mapping[str, pa.Table]) -> dict[str, Counter[str]]:
    """Return the number of links, and of joints by type, of every object."""
    found: dict[str, Counter[str]] = {}
    for identifier in nested["links"]["object_id"].to_pylist():
        found.setdefault(identifier, Counter())["links"] += 1
    joints = nested["joints"]
    pairs = zip(joints["object_id"].to_pylist(), joints["type"].to_pylist(), strict=True)
    for identifier, kind in pairs:
        found[identifier][kind] += 1
    return found


def _count_columns(counts: Counter[str]) -> dict[str, int]:
    by_type = {kind: counts[kind] for kind in JointType}
    return {
        **{f"joints_{kind}": count for kind, count in by_type.items()},
        "joints_movable": sum(by_type.values()) - by_type[JointType.FIXED],
        "links": counts["links"],
    }


def _rows_of_kept_objects(shards: list[Shard], column: str, left_out: set[str]) -> pa.Table:
    """Return the rows of one nested table of every object that is kept, sorted by object."""
    schema = TABLES[column]
    tables = [_unnested_column(shard.path("annotate"), column, schema) for shard in shards]
    table = pa.concat_tables([schema.empty_table(), *tables]).combine_chunks()
    is_out = pc.is_in(table["object_id"], pa.array(sorted(left_out), pa.string()))
    table = table.filter(pc.invert(is_out))
    # The sort is stable: within an object, links and joints keep the tree's order.
    return table.take(pc.sort_indices(table["object_id"]))


def _unnested_column(path: Path, column: str, schema: pa.Schema) -> pa.Table:
    """Return a column of lists of structs as a table, each row with the id of its object."""
    table = read_arrow(path, ["object_id", column]).combine_chunks()
    rows, ids = table[column].combine_chunks(), table["object_id"].combine_chunks()
    owners = ids.take(pc.list_parent_indices(rows))
    return pa.Table.from_arrays([owners, *rows.flatten().flatten()], schema=schema)


def _require_all_accounted_for(shards: list[Shard], objects: Rows, left_out: set[str]) -> None:
    """Raise unless every object of the inventories is in the library or in the rejects."""
    expected = {
        line.split("\t", 1)[0]
        for shard in shards
        for line in layout.inventory(shard.source, shard.name).read_text().splitlines()
    }
    out = {row["object_id"] for row in objects}
    if out | left_out != expected or out & left_out:
        lost = sorted(expected ^ (out | left_out))[:3]
        raise AccountingError(
            "Objects of the inventory are not exactly those of the library and its rejects, "
            f"such as {', '.join(lost)}."
        )


def _remove_old_assets(shards: list[Shard]) -> None:
    current = {LIBRARY.asset(shard.asset) for shard in shards}
    for path in LIBRARY.assets.iterdir():
        if path not in current:
            path.unlink()
