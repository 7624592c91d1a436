# SPDX-License-Identifier: Apache-2.0
"""What changed between two releases, in Croissant's meaning of major, minor and patch.

- major: data of the previous release is changed or gone, or a split that existed has more members,
  so that its old members cannot be had by its name
- minor: all old data is there under its old name, and there is more
- patch: the data is the same; files, texts or pictures differ
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.format.layout import TABLES, LibraryLayout
from aa_dataset.format.revision import PICTURE_COLUMN, PLACE_COLUMNS
from pipeline.base.errors import PipelineError
from pipeline.base.tables import compact_json
from pipeline.stages.publish.views import object_parts

# The columns that tell rows apart, by table; `splits` is compared by its members.
KEYS = {
    "objects": ("object_id",),
    "links": ("object_id", "link"),
    "joints": ("object_id", "joint"),
    "exclusions": ("object_id", "first", "second"),
    "findings": ("object_id", "stage", "code", "detail"),
    "rejects": ("object_id", "stage", "code"),
    "categories": ("category",),
}
# Where the files lie, what drew the pictures, and counts that follow from other rows.
NOT_DATA = {
    "objects": {*PLACE_COLUMNS, PICTURE_COLUMN, "rebuild"},
    "categories": {"objects", "by_source"},
}
NAMED = 3  # examples in a reason

Key = tuple[str, ...]
Rows = Mapping[Key, list[str]]


class VersionPart(IntEnum):
    """The part of a version that a change raises; the largest counts."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    @property
    def word(self) -> str:
        """Name of the part in lower case."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two releases: the part that it raises, and a sentence."""

    part: VersionPart
    reason: str


def changes(previous: LibraryLayout, release: LibraryLayout) -> list[Change]:
    """Return every difference between two releases, the largest part first."""
    old, new = _tables(previous), _tables(release)
    found = [*_table_changes(old, new)]
    if {"objects", "splits"} <= old.keys() & new.keys():
        found += [*_split_changes(old, new), *_file_changes(old["objects"], new["objects"])]
    found += _text_changes(previous, release)
    return sorted(found, key=lambda change: -change.part)


def _tables(release: LibraryLayout) -> dict[str, pa.Table]:
    """Read the tables that a release has; an older one may lack some."""
    if not release.table("objects").is_file():
        raise PipelineError(
            f"{release.root} is no release: it has no objects.parquet. Give the folder of a "
            "release, such as one that `make library` wrote or that was downloaded."
        )
    try:
        return {
            name: pq.read_table(release.table(name))
            for name in TABLES
            if release.table(name).is_file()
        }
    except (pa.ArrowException, OSError) as error:
        raise PipelineError(
            f"a table of {release.root} cannot be read ({error}). Download or build it again."
        ) from error


def _table_changes(old: Mapping[str, pa.Table], new: Mapping[str, pa.Table]) -> Iterator[Change]:
    for name in sorted({*old, *new}):
        if name not in new:
            yield Change(VersionPart.MAJOR, f"{name}: the table is gone.")
        elif name not in old:
            yield Change(VersionPart.MINOR, f"{name}: the table is new.")
        else:
            yield from _column_changes(name, old[name].schema, new[name].schema)
            if name in KEYS:
                yield from _row_changes(name, old, new)


def _column_changes(table: str, old: pa.Schema, new: pa.Schema) -> Iterator[Change]:
    for name in (name for name in old.names if name not in new.names):
        yield Change(VersionPart.MAJOR, f"{table}.{name}: the column is gone.")
    for name in (name for name in new.names if name not in old.names):
        yield Change(VersionPart.MINOR, f"{table}.{name}: the column is new.")
    for name in (name for name in old.names if name in new.names):
        before, after = old.field(name), new.field(name)
        place = f"{table}.{name}"
        if before.type != after.type:
            yield Change(
                VersionPart.MAJOR, f"{place}: the type is {after.type}, it was {before.type}."
            )
        if _note(before, "unit") != _note(after, "unit"):
            units = f"{_note(after, 'unit')!r}, it was {_note(before, 'unit')!r}"
            yield Change(VersionPart.MAJOR, f"{place}: the unit is {units}.")
        if after.nullable and not before.nullable:
            yield Change(VersionPart.MAJOR, f"{place}: a value may be missing, which was not so.")
        if _note(before, "meaning") != _note(after, "meaning"):
            yield Change(VersionPart.PATCH, f"{place}: the column is described in other words.")


def _note(field: pa.Field, key: str) -> str:
    return str((field.metadata or {}).get(key.encode(), b"").decode())


def _row_changes(
    table: str, old: Mapping[str, pa.Table], new: Mapping[str, pa.Table]
) -> Iterator[Change]:
    """Compare the rows of one table, in the columns that both have with one type."""
    shared = [field.name for field in old[table].schema if _is_shared(field, new[table].schema)]
    columns = [name for name in shared if name not in NOT_DATA.get(table, ())]
    if not set(KEYS[table]) <= set(columns):
        return
    before, after = (_rows(table, tables[table], columns) for tables in (old, new))
    gone = [key for key in before if key not in after]
    edited = [key for key in before if key in after and before[key] != after[key]]
    if gone:
        yield Change(VersionPart.MAJOR, f"{table}: {_examples(gone)} gone.")
    if edited:
        yield Change(VersionPart.MAJOR, f"{table}: {_examples(edited)} changed.")
    yield from _added_rows(table, [key for key in after if key not in before], old)


def _added_rows(table: str, added: list[Key], old: Mapping[str, pa.Table]) -> Iterator[Change]:
    """Judge new rows; those of new objects are judged by the splits of the objects."""
    if table in ("rejects", "categories"):
        if added:
            yield Change(VersionPart.MINOR, f"{table}: {_examples(added)} new.")
        return
    known = set(old["objects"]["object_id"].to_pylist())
    of_known = [key for key in added if key[0] in known]
    if of_known:
        yield Change(
            VersionPart.MAJOR, f"{table}: {_examples(of_known)} new in objects that were here."
        )


def _is_shared(field: pa.Field, other: pa.Schema) -> bool:
    return field.name in other.names and other.field(field.name).type == field.type


def _rows(table: str, found: pa.Table, columns: list[str]) -> Rows:
    """Return the rows as texts by key; several rows may have one key."""
    rows: dict[Key, list[str]] = {}
    for row in found.select(columns).to_pylist():
        key = tuple(str(row[name]) for name in KEYS[table])
        rows.setdefault(key, []).append(compact_json(row))
    return {key: sorted(texts) for key, texts in rows.items()}


def _examples(keys: Iterable[Key]) -> str:
    named = sorted(" ".join(key[:2]) for key in keys)
    more = ", ..." if len(named) > NAMED else ""
    verb = "rows are" if len(named) > 1 else "row is"
    return f"{len(named):,} {verb} ({', '.join(named[:NAMED])}{more})"


def _split_changes(old: Mapping[str, pa.Table], new: Mapping[str, pa.Table]) -> Iterator[Change]:
    """Compare the splits as the card maps them, near-duplicates included."""
    before, after = (_members(tables) for tables in (old, new))
    for name in sorted({*before, *after}):
        lost, gained = (
            one.get(name, set()) - other.get(name, set())
            for one, other in ((before, after), (after, before))
        )
        if lost:
            yield Change(
                VersionPart.MAJOR, f"split {name}: {_examples((i,) for i in lost)} out of it."
            )
        if gained and name in before:
            why = "so its old members cannot be had by its name"
            yield Change(
                VersionPart.MAJOR,
                f"split {name}: {_examples((i,) for i in gained)} new in it, {why}.",
            )
        elif gained:
            yield Change(VersionPart.MINOR, f"split {name}: the split is new.")


def _members(tables: Mapping[str, pa.Table]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for names, members in object_parts(tables["objects"], tables["splits"]).items():
        for name in names:
            found.setdefault(name, set()).update(members)
    return found


def _file_changes(old: pa.Table, new: pa.Table) -> Iterator[Change]:
    """Compare which objects have files; their contents are the column `content_sha256`."""
    before, after = (_with_files(table) for table in (old, new))
    known = set(old["object_id"].to_pylist()) & set(new["object_id"].to_pylist())
    lost, gained = (before - after) & known, (after - before) & known
    if lost:
        yield Change(
            VersionPart.MAJOR, f"assets: the files of {_examples((i,) for i in lost)} gone."
        )
    if gained:
        yield Change(
            VersionPart.MINOR, f"assets: the files of {_examples((i,) for i in gained)} new."
        )


def _with_files(objects: pa.Table) -> set[str]:
    rows: list[dict[str, Any]] = objects.select(["object_id", "shard"]).to_pylist()
    return {row["object_id"] for row in rows if row["shard"] is not None}


def _text_changes(previous: LibraryLayout, release: LibraryLayout) -> Iterator[Change]:
    """Compare the digests of all files: card, pictures, packing."""
    before, after = (_checksums(one) for one in (previous, release))
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    if names:
        some = f"{', '.join(names[:NAMED])}{', ...' if len(names) > NAMED else ''}"
        yield Change(VersionPart.PATCH, f"{len(names):,} files differ in their bytes ({some}).")


def _checksums(release: LibraryLayout) -> dict[str, str]:
    if not release.checksums.is_file():
        return {}
    lines = release.checksums.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
