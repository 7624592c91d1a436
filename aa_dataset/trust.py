# SPDX-License-Identifier: Apache-2.0
"""What a library from elsewhere may say: every name, number and text is checked here, once.

A library may come from anyone. Its names become paths, folders and words in a terminal, its numbers
places in a file. Each is held against the form that a build writes, and the numbers against the
files, before anything else looks at them; a `ValueError` says in words what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from aa_dataset.layout import TABLES
from aa_dataset.safe_json import parse_json

BLOCK = 512  # [B] what a tar is counted in
SEAL_BYTES = 1 << 26  # a seal of a thousand tars has 200 kB
MEMBERS = 20_000  # files of one object, of which the library's have 75 on average
FOLDERS = 8  # that a file of an object may lie deep

_REVISION = re.compile(r"[0-9a-f]{16}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_SOURCE = re.compile(r"[a-z][a-z0-9_]{0,99}")
_SPLIT = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_SHARD = re.compile(r"[a-z0-9][a-z0-9_-]{0,119}")
_FILE = re.compile(rf"(?:{'|'.join(TABLES)})\.parquet|assets/{_SHARD.pattern}\.tar")
# A source, a dash, an id: no path, no option, no hidden file, no module that Python could import.
_OBJECT = r"[a-z][a-z0-9_]*-(?:[a-z0-9_.-]*[a-z0-9_-])?"
_OBJECT_LENGTH = 200
_PART = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
# Windows opens these as devices, in any folder and with any ending.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def parse_seal(data: bytes) -> dict[str, Any]:
    """Return the table that a seal is; raise `ValueError` for anything else."""
    if len(data) > SEAL_BYTES:
        raise ValueError(f"it has more than {SEAL_BYTES:,} bytes")
    found = parse_json(data)
    if not isinstance(found, dict):
        raise ValueError("it is not a table")
    return found


def check_seal(data: Mapping[str, Any]) -> None:
    """Raise `ValueError` unless every name and number of a seal is one that a build writes."""
    _require_text(data["name"], _NAME, "name")
    _require_text(data["revision"], _REVISION, "revision")
    for field in ("objects", "expected_objects"):
        _require_count(data[field], field)
    for field, form in (("sources", _SOURCE), ("splits", _SPLIT)):
        for name, count in _table(data[field], field).items():
            _require_text(name, form, field)
            _require_count(count, f"{field}.{name}")
    for name, mark in _table(data["files"], "files").items():
        _require_text(name, _FILE, "files")
        _require_text(_table(mark, f"files.{name}")["sha256"], _SHA256, f"files.{name}.sha256")
        _require_count(mark["size"], f"files.{name}.size")
    for name in TABLES:
        if f"{name}.parquet" not in data["files"]:
            raise ValueError(f"files does not name {name}.parquet")


def _table(value: Any, field: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{field} is {brief(value)}, not a table")
    return value


def _require_text(value: Any, form: re.Pattern[str], field: str) -> None:
    if not isinstance(value, str) or not form.fullmatch(value):
        raise ValueError(f"{field} is {brief(value)}, which no build writes")


def _require_count(value: Any, field: str) -> None:
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ValueError(f"{field} is {brief(value)}, not a whole number >= 0")


def brief(value: object) -> str:
    """Return a foreign value for a message: short, and harmless in a terminal."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def check_cells(table: pa.Table, schema: pa.Schema) -> None:
    """Raise `ValueError` for a column of another type, a null where none may be, broken text."""
    for field in schema:
        index = table.schema.get_field_index(field.name)
        found = None if index < 0 else table.schema.field(index).type
        if found != field.type:
            raise ValueError(
                f"column {field.name!r}: found {found or 'nothing'}, the schema has {field.type}"
            )
        try:
            table[field.name].validate(full=True)  # also that text is UTF-8
        except pa.ArrowException as error:
            raise ValueError(f"column {field.name!r}: {brief(str(error))}") from None
        for chunk in table[field.name].chunks:
            _require_filled(chunk, field, field.name)


def _require_filled(values: pa.Array, field: pa.Field, name: str) -> None:
    """Raise `ValueError` for a null where none may be, also inside of structs and maps."""
    if not field.nullable and values.null_count:
        raise ValueError(f"column {name!r}: a row has no value")
    if pa.types.is_struct(field.type):
        present = values.drop_null()
        for number, inner in enumerate(field.type):
            _require_filled(present.field(number), inner, f"{name}.{inner.name}")
    elif pa.types.is_map(field.type):
        present = values.drop_null()
        _require_filled(present.keys, field.type.key_field, f"{name}.key")
        _require_filled(present.items, field.type.item_field, f"{name}.value")


def check_objects(table: pa.Table, sizes: Mapping[str, int]) -> None:
    """Raise `ValueError` unless every object has a safe id and lies inside a tar of the library.

    Parameters
    ----------
    table : Table
        The objects table, of the right columns.
    sizes : mapping of str to int
        Bytes of every asset tar, by shard.
    """
    ids = table["object_id"]
    short = pc.less_equal(pc.binary_length(ids), _OBJECT_LENGTH)
    named = pc.match_substring_regex(ids, rf"\A{_OBJECT}\z")
    _require_all(table, "object_id", pc.and_(short, named), "no build makes such an id")
    # A digest is compared and never a path: its length is enough, and a regular expression slow.
    digests = pc.equal(pc.binary_length(table["content_sha256"]), 64)
    _require_all(table, "content_sha256", digests, "that is no digest")
    for field in table.schema:
        if field.type == pa.int32():
            _require_all(table, field.name, pc.greater_equal(table[field.name], 0), "below zero")
    _check_places(table, sizes)


def _check_places(table: pa.Table, sizes: Mapping[str, int]) -> None:
    shards = pa.array(list(sizes), pa.string())
    place = pc.index_in(table["shard"], value_set=shards)
    _require_all(table, "shard", pc.is_valid(place), "the library has no such tar")
    room = pc.take(pa.array(list(sizes.values()), pa.int64()), place)
    offset, size = table["offset"], table["size"]
    for column in (offset, size):
        name = "offset" if column is offset else "size"
        whole = pc.equal(pc.bit_wise_and(column, BLOCK - 1), 0)
        inside = pc.and_(pc.greater_equal(column, 0), pc.less_equal(column, room))
        _require_all(table, name, pc.and_(whole, inside), f"the tar has no such {name}")
    _require_all(table, "size", pc.greater(size, 0), "an object has files")
    # Both are within the file here, so that their sum does not overflow.
    fits = pc.less_equal(pc.add(offset, size), room)
    _require_all(table, "size", fits, "the tar ends before the object does")


def _require_all(table: pa.Table, column: str, good: pa.ChunkedArray, problem: str) -> None:
    wrong = pc.index(pc.fill_null(good, False), False).as_py()
    if wrong >= 0:
        value = brief(table[column][wrong].as_py())
        raise ValueError(f"column {column!r}, row {wrong}: {value}; {problem}")


def check_counts(column: pa.ChunkedArray, counted: Mapping[str, int]) -> None:
    """Raise `ValueError` unless a text column has each value as often as a seal says."""
    rows = pc.value_counts(column.combine_chunks()).to_pylist()
    found = {row["values"]: row["counts"] for row in rows}
    for name in sorted({*found, *counted}):
        if found.get(name, 0) != counted.get(name, 0):
            raise ValueError(
                f"{brief(name)} has {found.get(name, 0):,} rows, not {counted.get(name, 0):,}"
            )


def member_name(text: str, object_id: str) -> str:
    """Return the name of a tar's member inside the object's folder, or raise `ValueError`.

    Files of the library have plain names on every file system: letters, digits, ``_``, ``-`` and
    dots inside. Nothing else can be a way out, a device, a hidden file or a trick of a terminal.
    """
    first, *parts = text.split("/")
    if first != object_id or not parts or {"", ".", ".."} & {*parts} or "\\" in text:
        raise ValueError(f"holds {brief(text)}, which lies outside the object's folder")
    if len(parts) > FOLDERS:
        raise ValueError(f"holds {brief(text)}, more than {FOLDERS} folders deep")
    for part in parts:
        if not _PART.fullmatch(part) or _DEVICES.fullmatch(part):
            raise ValueError(f"holds {brief(text)}, a name that no build writes")
    return "/".join(parts)


class MemberNames:
    """The names of one object so far: each a file once, none a file and a folder."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, name: str) -> None:
        """Take one more name, or raise `ValueError`; capitals do not make another file."""
        plain = name.lower()
        parts = plain.split("/")
        above = {"/".join(parts[:count]) for count in range(1, len(parts))}
        if plain in self._files:
            raise ValueError(f"holds {brief(name)} twice")
        if plain in self._folders or above & self._files:
            raise ValueError(f"holds {brief(name)}, and a file and a folder have one name")
        self._files.add(plain)
        self._folders |= above
