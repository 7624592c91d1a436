# SPDX-License-Identifier: Apache-2.0
"""Validation of untrusted libraries: every name, number and text is checked here, once.

A library may come from anyone. Its names become paths, folders and terminal output, its numbers
offsets in a file. Each must have the form that a build writes, and offsets must lie inside the
files, before anything else uses them. A `ValueError` describes the problem.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from aa_dataset.format.layout import TABLES
from aa_dataset.format.licenses import Redistribution
from aa_dataset.untrusted.safe_json import parse_json

BLOCK = 512  # [B] block size of a tar
SEAL_BYTES = 1 << 26  # the seal of a library with a thousand tars has 200 kB
MEMBERS = 20_000  # files of one object; the average in the library is 75
FOLDERS = 8  # depth of an object's files

_REVISION = re.compile(r"[0-9a-f]{16}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_SOURCE = re.compile(r"[a-z][a-z0-9_]{0,99}")
_SPLIT = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_SHARD = re.compile(r"[a-z0-9][a-z0-9_-]{0,119}")
_FILE = re.compile(rf"(?:{'|'.join(TABLES)})\.parquet|assets/{_SHARD.pattern}\.tar")
# Source, dash, id: not a path, an option, a hidden file or an importable Python module.
_OBJECT = r"[a-z][a-z0-9_]*-(?:[a-z0-9_.-]*[a-z0-9_-])?"
_OBJECT_LENGTH = 200
_COMMAND = r"[A-Za-z0-9_./& -]{1,200}"  # people paste it into a shell
_PART = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
# Windows opens these as devices, in any folder and with any extension.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def parse_seal(data: bytes) -> dict[str, Any]:
    """Parse a seal; raise `ValueError` if it is not a JSON object."""
    if len(data) > SEAL_BYTES:
        raise ValueError(f"it has more than {SEAL_BYTES:,} bytes")
    content = parse_json(data)
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    return content


def check_seal(data: Mapping[str, Any]) -> None:
    """Raise `ValueError` unless every name and number of a seal is valid."""
    _require_text(data["name"], _NAME, "name")
    _require_text(data["revision"], _REVISION, "revision")
    for field in ("objects", "expected_objects"):
        _require_count(data[field], field)
    for field, form in (("sources", _SOURCE), ("splits", _SPLIT)):
        for name, count in _require_object(data[field], field).items():
            _require_text(name, form, field)
            _require_count(count, f"{field}.{name}")
    for name, mark in _require_object(data["files"], "files").items():
        _require_text(name, _FILE, "files")
        _require_text(
            _require_object(mark, f"files.{name}")["sha256"], _SHA256, f"files.{name}.sha256"
        )
        _require_count(mark["size"], f"files.{name}.size")
    for name in TABLES:
        if f"{name}.parquet" not in data["files"]:
            raise ValueError(f"files does not list {name}.parquet")


def _require_object(value: Any, field: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{field} is {brief(value)}, not an object")
    return value


def _require_text(value: Any, form: re.Pattern[str], field: str) -> None:
    if not isinstance(value, str) or not form.fullmatch(value):
        raise ValueError(f"{field} is {brief(value)}, which is not valid")


def _require_count(value: Any, field: str) -> None:
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ValueError(f"{field} is {brief(value)}, not a non-negative integer")


def brief(value: object) -> str:
    """Format an untrusted value for a message: short and safe for a terminal."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def is_object_id(text: str) -> bool:
    """Return whether a text is an id as every object of a library has it."""
    return len(text) <= _OBJECT_LENGTH and re.fullmatch(_OBJECT, text) is not None


def is_split_name(text: str) -> bool:
    """Return whether a split of a library may have this name."""
    return _SPLIT.fullmatch(text) is not None


def require_no_other_column(names: Sequence[str], schema: pa.Schema) -> None:
    """Raise `ValueError` if a table has a column that the schema does not have."""
    other = [name for name in names if name not in schema.names]
    if other:
        raise ValueError(f"column {brief(other[0])}: the schema has no such column")


def check_cells(table: pa.Table, schema: pa.Schema) -> None:
    """Raise `ValueError` for a wrong column type, an unexpected null or invalid text."""
    for field in schema:
        index = table.schema.get_field_index(field.name)
        actual = None if index < 0 else table.schema.field(index).type
        if actual != field.type:
            raise ValueError(
                f"column {field.name!r}: found {actual or 'nothing'}, the schema has {field.type}"
            )
        try:
            table[field.name].validate(full=True)  # includes that text is UTF-8
        except pa.ArrowException as error:
            raise ValueError(f"column {field.name!r}: {brief(str(error))}") from None
        for chunk in table[field.name].chunks:
            _require_filled(chunk, field, field.name)


def _require_filled(values: pa.Array, field: pa.Field, name: str) -> None:
    """Raise `ValueError` for an unexpected null, also inside structs, maps and lists."""
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
    elif pa.types.is_list(field.type):
        _require_filled(values.flatten(), field.type.value_field, f"{name}[]")


def check_objects(table: pa.Table, sizes: Mapping[str, int]) -> None:
    """Raise `ValueError` unless every object has a safe id and lies inside a tar of the library.

    An object whose files are not here has no place at all, and a command that makes them.

    Parameters
    ----------
    table : Table
        The objects table, with columns already checked.
    sizes : mapping of str to int
        Size of every asset tar [B], by shard.
    """
    ids = table["object_id"]
    short = pc.less_equal(pc.binary_length(ids), _OBJECT_LENGTH)
    named = pc.match_substring_regex(ids, rf"\A{_OBJECT}\z")
    _require_all(table, "object_id", pc.and_(short, named), "the id is not valid")
    # A digest is only compared, never used as a path: checking its length is enough, and faster.
    digests = pc.equal(pc.binary_length(table["content_sha256"]), 64)
    _require_all(table, "content_sha256", digests, "it is not a digest")
    words = pc.is_in(table["redistribution"], pa.array(list(Redistribution), pa.string()))
    _require_all(table, "redistribution", words, "it is none of the words of the schema")
    for field in table.schema:
        if field.type == pa.int32():
            _require_all(
                table, field.name, pc.greater_equal(table[field.name], 0), "it is negative"
            )
    _check_places(table, sizes)


def _check_places(table: pa.Table, sizes: Mapping[str, int]) -> None:
    absent = pc.is_null(table["shard"])
    explained = pc.or_(pc.invert(absent), pc.is_valid(table["rebuild"]))
    _require_all(table, "shard", explained, "no tar, and no command that makes the files")
    for column in ("offset", "size"):
        agree = pc.equal(pc.is_null(table[column]), absent)
        _require_all(table, column, agree, f"shard and {column} must both have a value or none")
    commands = pc.match_substring_regex(pc.fill_null(table["rebuild"], "-"), rf"\A{_COMMAND}\z")
    agree = pc.equal(pc.is_valid(table["rebuild"]), absent)
    problem = "it is no command, or not where the files are absent"
    _require_all(table, "rebuild", pc.and_(agree, commands), problem)
    _check_ranges(table.filter(pc.invert(absent)), sizes)


def _check_ranges(table: pa.Table, sizes: Mapping[str, int]) -> None:
    """Check the objects that have files; rows are counted among these."""
    shards = pa.array(list(sizes), pa.string())
    place = pc.index_in(table["shard"], value_set=shards)
    _require_all(table, "shard", pc.is_valid(place), "the library has no such tar")
    room = pc.take(pa.array(list(sizes.values()), pa.int64()), place)
    offset, size = table["offset"], table["size"]
    for column in (offset, size):
        name = "offset" if column is offset else "size"
        whole = pc.equal(pc.bit_wise_and(column, BLOCK - 1), 0)
        inside = pc.and_(pc.greater_equal(column, 0), pc.less_equal(column, room))
        _require_all(table, name, pc.and_(whole, inside), f"the {name} is not valid for the tar")
    _require_all(table, "size", pc.greater(size, 0), "an object must have files")
    # Both are within the file here, so their sum cannot overflow.
    fits = pc.less_equal(pc.add(offset, size), room)
    _require_all(table, "size", fits, "the tar ends before the object does")


def _require_all(table: pa.Table, column: str, good: pa.ChunkedArray, problem: str) -> None:
    wrong = pc.index(pc.fill_null(good, False), False).as_py()
    if wrong >= 0:
        value = brief(table[column][wrong].as_py())
        raise ValueError(f"column {column!r}, row {wrong}: {value}; {problem}")


def check_counts(column: pa.ChunkedArray, counted: Mapping[str, int]) -> None:
    """Raise `ValueError` unless a text column has each value as often as the seal states."""
    rows = pc.value_counts(column.combine_chunks()).to_pylist()
    actual = {row["values"]: row["counts"] for row in rows}
    for name in sorted({*actual, *counted}):
        if actual.get(name, 0) != counted.get(name, 0):
            raise ValueError(
                f"{brief(name)} has {actual.get(name, 0):,} rows, not {counted.get(name, 0):,}"
            )


def member_name(text: str, object_id: str) -> str:
    """Return the name of a tar's member inside the object's folder, or raise `ValueError`.

    Files of the library have names that are safe on every file system: letters, digits, ``_``,
    ``-`` and inner dots. This excludes path traversal, devices, hidden files and escape sequences.
    """
    first, *parts = text.split("/")
    is_inside = first == object_id and 0 < len(parts) <= FOLDERS and "\\" not in text
    if is_inside and all(map(_is_file_name, parts)):
        return "/".join(parts)
    if first != object_id or not parts or {"", ".", ".."} & {*parts} or "\\" in text:
        raise ValueError(f"contains {brief(text)}, which is outside the object's folder")
    if len(parts) > FOLDERS:
        raise ValueError(f"contains {brief(text)}, more than {FOLDERS} folders deep")
    raise ValueError(f"contains {brief(text)}, which is not a valid name")


@lru_cache(maxsize=1 << 14)  # many objects have files of the same names; a name has 255 bytes
def _is_file_name(part: str) -> bool:
    """Return whether a file or folder of an object may have this name."""
    return bool(_PART.fullmatch(part)) and not _DEVICES.fullmatch(part)


class MemberNames:
    """The file names of one object: unique, and none both a file and a folder."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, name: str) -> None:
        """Add a name, or raise `ValueError`; names are compared without case."""
        plain = name.lower()
        folder = plain.rpartition("/")[0]
        if folder in self._folders and plain not in self._files and plain not in self._folders:
            self._files.add(plain)  # a known folder and those above it are no files
            return
        parts = plain.split("/")
        above = {"/".join(parts[:count]) for count in range(1, len(parts))}
        if plain in self._files:
            raise ValueError(f"contains {brief(name)} twice")
        if plain in self._folders or above & self._files:
            raise ValueError(f"contains {brief(name)}, and a file and a folder share a name")
        self._files.add(plain)
        self._folders |= above
