# SPDX-License-Identifier: Apache-2.0
"""The tables of a release cut by split, so that `datasets` calls every part by its true name.

`datasets` calls a table in one file `train`, whatever is in it. Here every part of the objects has
a file of its own, and the card tells which split it is. Objects that are in no split because they
are too similar to evaluation objects have a name that says so. What `datasets` cannot read becomes
what it can: maps are lists of pairs, and a table without rows is left out.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from aa_dataset.assets.packed import Asset
from aa_dataset.format.benchmark import SPLIT
from aa_dataset.format.layout import PREVIEW, LibraryLayout
from pipeline.base.tables import read_arrow, replacing

TRAIN, NEITHER = "train", "near_duplicates_in_neither"
WHOLE = "whole"  # `all` is a word that `datasets` keeps for itself
DEFAULT = "objects"
BY_OBJECT = (DEFAULT, "links", "joints", "exclusions", "findings")
UNCUT = ("categories", "splits", "rejects")
PICTURE = pa.field("preview", pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
# How `datasets` and the Hub know that the column is a picture.
PICTURE_NOTE = {"info": {"features": {PICTURE.name: {"_type": "Image"}}}}
PLACE = ["shard", "offset", "size", "object_id", "content_sha256"]
DRAWN = "preview_backend"
GROUP = 100  # rows that a reader of pictures must hold at once


@dataclass(frozen=True, slots=True)
class View:
    """One table as `datasets` sees it.

    Attributes
    ----------
    config : str
        Its name, that of the table.
    splits : mapping of str to tuple of str
        Files of every split, relative to the release. A file may belong to two evaluation splits.
    """

    config: str
    splits: Mapping[str, tuple[str, ...]]

    @property
    def files(self) -> tuple[str, ...]:
        """Every file once, sorted."""
        return tuple(sorted({file for files in self.splits.values() for file in files}))


def write_views(release: LibraryLayout) -> list[View]:
    """Write `data/` from the tables and tars of a release; return the views that have rows."""
    shutil.rmtree(release.data, ignore_errors=True)
    tables = (read_arrow(release.table(name)) for name in ("objects", "splits"))
    parts = object_parts(*tables)
    views = [_write_view(release, name, parts) for name in BY_OBJECT]
    views += [_whole_table(release, name) for name in UNCUT]
    return [view for view in views if view.splits]


def object_parts(objects: pa.Table, splits: pa.Table) -> dict[tuple[str, ...], set[str]]:
    """Return the ids of objects by the splits that they belong to, in the order of the splits.

    Every object is in exactly one part. Two evaluation splits may share objects, which are then a
    part of their own; `train` shares none with them.
    """
    members: dict[str, list[str]] = {}
    for row in splits.select(["split", "object_id"]).to_pylist():
        if row["split"] == TRAIN or is_evaluation(row["split"]):
            members.setdefault(row["object_id"], []).append(row["split"])
    found: dict[tuple[str, ...], set[str]] = {}
    for identifier in objects["object_id"].to_pylist():
        names = tuple(sorted(members.get(identifier, [NEITHER])))
        found.setdefault(names, set()).add(identifier)
    return dict(sorted(found.items(), key=lambda item: tuple(map(_split_order, item[0]))))


def is_evaluation(split: str) -> bool:
    """Return whether a split is one to evaluate on: the benchmark, or a sample with its digest."""
    return split == SPLIT or split.startswith(f"{SPLIT}_")


def _split_order(split: str) -> tuple[int, str]:
    return ((TRAIN, NEITHER).index(split) * 2 if split in (TRAIN, NEITHER) else 1, split)


def _write_view(
    release: LibraryLayout, name: str, parts: Mapping[tuple[str, ...], set[str]]
) -> View:
    """Write one table in a file per part, without the parts that have no row."""
    table = _readable(read_arrow(release.table(name)))
    splits: dict[str, tuple[str, ...]] = {}
    for names, members in parts.items():
        rows = table.filter(pc.is_in(table["object_id"], pa.array(sorted(members), pa.string())))
        if not rows.num_rows:
            continue
        path = release.view(name, "-and-".join(names))
        if name == DEFAULT:
            _write_rows(path, _with_pictures(release, rows))
        else:
            _write_rows(path, [rows])
        for split in names:
            splits[split] = (*splits.get(split, ()), path.relative_to(release.root).as_posix())
    return View(name, dict(sorted(splits.items(), key=lambda item: _split_order(item[0]))))


def _whole_table(release: LibraryLayout, name: str) -> View:
    """Write a table that is not about the objects of one split."""
    table = _readable(read_arrow(release.table(name)))
    if not table.num_rows:
        return View(name, {})
    path = release.view(name, WHOLE)
    _write_rows(path, [table])
    return View(name, {WHOLE: (path.relative_to(release.root).as_posix(),)})


def _write_rows(path: Path, tables: Iterable[pa.Table]) -> None:
    """Write tables of one schema as one file, each as a row group."""
    first, *others = tables
    with replacing(path) as temporary:
        options = {"compression": "zstd", "version": "2.6", "store_schema": True}
        with pq.ParquetWriter(temporary, first.schema, **options) as writer:
            for table in (first, *others):
                writer.write_table(table)


def _with_pictures(release: LibraryLayout, rows: pa.Table) -> Iterator[pa.Table]:
    """Yield rows of `objects` in groups, each row with its preview if the release has its files."""
    notes = {**(rows.schema.metadata or {}), b"huggingface": json.dumps(PICTURE_NOTE).encode()}
    for start in range(0, rows.num_rows, GROUP):
        group = rows.slice(start, GROUP)
        pictures = [_picture(release, row) for row in group.select([*PLACE, DRAWN]).to_pylist()]
        column = pa.array(pictures, PICTURE.type)
        yield group.add_column(1, PICTURE, column).replace_schema_metadata(notes)


def _picture(release: LibraryLayout, row: Mapping[str, Any]) -> dict[str, Any] | None:
    if row["shard"] is None or row[DRAWN] is None:
        return None
    place = {name: row[name] for name in PLACE[1:]}
    data = Asset(release.asset(row["shard"]), **place).read(PREVIEW)
    return {"bytes": data, "path": f"{row['object_id']}.png"}


def _readable(table: pa.Table) -> pa.Table:
    """Return the table with lists of pairs in place of maps, which `datasets` cannot read."""
    for place, field in enumerate(table.schema):
        if pa.types.is_map(field.type):
            pairs = _pairs(table[field.name].combine_chunks())
            table = table.set_column(place, field.with_type(pairs.type), pairs)
    return table


def _pairs(maps: pa.Array) -> pa.ListArray:
    if isinstance(maps, pa.ChunkedArray):  # of a table without rows
        maps = pa.concat_arrays(maps.chunks) if maps.num_chunks else pa.array([], maps.type)
    names = [pa.field("key", maps.type.key_type), pa.field("value", maps.type.item_type)]
    items = pa.StructArray.from_arrays([maps.keys, maps.items], fields=names)
    return pa.ListArray.from_arrays(maps.offsets, items)
