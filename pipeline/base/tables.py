# SPDX-License-Identifier: Apache-2.0
"""Atomic writes of files, and Parquet tables with reproducible bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.files import replacing, write_bytes
from aa_dataset.format.schema import SCHEMA_VERSION
from pipeline.base.errors import DamagedFileError

__all__ = [
    "compact_json", "dump_json", "encodable", "put_table", "read_arrow", "read_rows",
    "record_schema", "replacing", "write_arrow", "write_bytes", "write_if_changed", "write_table",
]  # fmt: skip


def write_if_changed(path: Path, data: bytes) -> bool:
    """Write only if the content differs, so that a new time means a change; return whether."""
    if path.is_file() and path.read_bytes() == data:
        return False
    write_bytes(path, data)
    return True


def dump_json(value: object) -> bytes:
    """Return JSON with sorted keys, indented, ending in a newline.

    File names that are not UTF-8 contain lone surrogates, which `json.loads` reads back.
    """
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "surrogatepass")


def encodable(text: str) -> str:
    """Return the text with `?` for lone surrogates, which tables cannot store."""
    return text.encode("utf-8", "replace").decode()


def compact_json(value: object) -> str:
    """Return JSON on one line with sorted keys, for a table's cell."""
    return encodable(json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")))


def write_table(path: Path, rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> None:
    """Write rows to Parquet atomically; see `put_table`."""
    with replacing(path) as temporary:
        put_table(temporary, rows, schema, name=path.name)


def put_table(
    path: Path,
    rows: Iterable[Mapping[str, Any]],
    schema: pa.Schema,
    *,
    name: str,
    checksums: bool = False,
) -> None:
    """Write rows to Parquet where `path` is; a missing or surplus key is an error, not a null.

    With `checksums`, `read_rows` detects damage: for tables that no seal covers.
    """
    rows = list(rows)
    names = set(schema.names)
    for row in rows:
        if set(row) != names:
            raise KeyError(f"{name}: columns differ by {sorted(set(row) ^ names)}")
    _put_arrow(path, pa.Table.from_pylist(rows, schema=schema), checksums=checksums)


def write_arrow(path: Path, table: pa.Table) -> None:
    """Write an Arrow table to Parquet with the options that all our files share."""
    with replacing(path) as temporary:
        _put_arrow(temporary, table)


def _put_arrow(path: Path, table: pa.Table, *, checksums: bool = False) -> None:
    options = {"compression": "zstd", "version": "2.6", "store_schema": True}
    pq.write_table(table, path, write_page_checksum=checksums, **options)


def read_rows(path: Path, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Read a Parquet table, or columns of it, as a list of dictionaries; see `read_arrow`."""
    with _removing_damaged(path):
        return list(_read_table(path, columns).to_pylist())


def read_arrow(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet table, or columns of it; a file that is not a table is removed."""
    with _removing_damaged(path):
        return _read_table(path, columns)


def _read_table(path: Path, columns: Sequence[str] | None) -> pa.Table:
    names = None if columns is None else list(columns)
    # `pq.read_table` would import pyarrow's datasets and pandas, 0.2 s in each of the jobs.
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        table = file.read(columns=names)
    return table if names is None else table.select(names)


@contextmanager
def _removing_damaged(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except (pa.ArrowException, KeyError, ValueError, OSError) as error:
        if getattr(error, "errno", None):  # an error of the file system, not of the table
            raise
        path.unlink(missing_ok=True)
        raise DamagedFileError(path, str(error).splitlines()[0][:120]) from error


def record_schema(*fields: pa.Field) -> pa.Schema:
    """Return the schema of a stage's records: `object_id` first, then the given fields."""
    return pa.schema(
        [pa.field("object_id", pa.string(), nullable=False), *fields],
        metadata={"schema_version": SCHEMA_VERSION},
    )
