# SPDX-License-Identifier: Apache-2.0
"""Reads the index file of a whole source: CSV or Parquet, as rows of texts."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pipeline.base.errors import PipelineError
from pipeline.base.tables import encodable

Row = dict[str, str]
# Maximum characters of one cell; an unterminated cell would contain the rest of the file.
CELL = 1_000_000
# Maximum bytes of the file, and characters of all cells that are read; rows, one per object.
MANIFEST_BYTES = 256_000_000
MOST_ROWS = 200_000
# Parquet can repeat one long cell in a few bytes, so only this many rows are decoded at a time.
ROWS_AT_ONCE = 64


def read_manifest(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of a manifest in its order, those of `columns` that have a value, as texts.

    Raises
    ------
    PipelineError
        If the file cannot be read. No object is rejected for it: without its index the source
        would silently have other objects.
    """
    rows = _parquet_rows(path, columns) if path.suffix == ".parquet" else _csv_rows(path, columns)
    try:
        yield from _rows_within_limits(
            {k: str(row[k]) for k in columns if _is_given(row, k)} for row in rows
        )
    except (OSError, ValueError, csv.Error) as error:  # Arrow's errors are ValueErrors
        raise PipelineError(
            f"{path} cannot be read: {error}. Fetch it again, or remove it to take every folder."
        ) from None


def _is_given(row: dict[str, object], column: str) -> bool:
    return row.get(column) not in (None, "")


def _rows_within_limits(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows that a table can store; raise if there are too many."""
    left = MANIFEST_BYTES
    for number, row in enumerate(rows, 1):
        left -= sum(map(len, row.values()))
        if number > MOST_ROWS or left < 0:
            raise ValueError(f"it has over {MOST_ROWS} rows or over {MANIFEST_BYTES} characters")
        if any(len(cell) > CELL for cell in row.values()):
            raise ValueError(f"row {number} has a cell of more than {CELL} characters")
        yield {key: encodable(cell) for key, cell in row.items()}


def _csv_rows(path: Path, columns: Sequence[str]) -> Iterator[dict[str, object]]:
    csv.field_size_limit(CELL)
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        reader = csv.DictReader(stream)
        _require_columns(reader.fieldnames or (), columns)
        yield from reader


def _parquet_rows(path: Path, columns: Sequence[str]) -> Iterator[dict[str, object]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as table:
        schema = table.schema_arrow
        wanted = [name for name in columns if name in schema.names]
        _require_columns(wanted, columns)
        _require_plain(schema, wanted)
        _require_small(table.metadata)
        for batch in table.iter_batches(ROWS_AT_ONCE, columns=wanted):
            yield from batch.to_pylist()


def _require_plain(schema: Any, columns: Sequence[str]) -> None:
    """Refuse nested columns: a list in one cell may contain any number of values."""
    import pyarrow as pa

    for name in columns:
        if schema.names.count(name) > 1 or pa.types.is_nested(schema.field(name).type):
            raise ValueError(
                f"its column {name!r} is a duplicate or does not contain single values"
            )


def _require_small(metadata: Any) -> None:
    """Refuse a file that is too large by its own metadata, before decoding a page."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    size = sum(group.total_byte_size for group in groups)
    if metadata.num_rows > MOST_ROWS or size > MANIFEST_BYTES:
        raise ValueError(
            f"it has {metadata.num_rows} rows and {size} bytes, where {MOST_ROWS} rows and "
            f"{MANIFEST_BYTES} bytes are allowed"
        )


def _require_columns(found: Sequence[str], columns: Sequence[str]) -> None:
    if not set(columns) & set(found):
        raise ValueError(f"it has none of the columns {', '.join(columns)}")
