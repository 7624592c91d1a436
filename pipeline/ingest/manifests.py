# SPDX-License-Identifier: Apache-2.0
"""Reads the index file of a whole source: CSV or Parquet, as rows of texts."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.errors import PipelineError
from pipeline.tables import encodable

Row = dict[str, str]
# Characters of one cell at most; a cell without an end would otherwise swallow the file.
CELL = 1_000_000


def read_manifest(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of a manifest in its order, those of `columns` that have a value, as texts.

    Raises
    ------
    PipelineError
        The file as a whole cannot be read. That is no object's fault: without its index the source
        would silently become another one.
    """
    rows = _parquet_rows(path, columns) if path.suffix == ".parquet" else _csv_rows(path, columns)
    try:
        for row in rows:
            yield {
                key: encodable(str(row[key])) for key in columns if row.get(key) not in (None, "")
            }
    except (OSError, ValueError, csv.Error) as error:  # Arrow's errors are ValueErrors
        raise PipelineError(
            f"{path} cannot be read: {error}. Fetch it again, or remove it to take every folder."
        ) from None


def _csv_rows(path: Path, columns: Sequence[str]) -> Iterator[dict[str, object]]:
    csv.field_size_limit(CELL)
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        reader = csv.DictReader(stream)
        _require_columns(reader.fieldnames or (), columns)
        yield from reader


def _parquet_rows(path: Path, columns: Sequence[str]) -> Iterator[dict[str, object]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as table:
        names = table.schema_arrow.names
        _require_columns(names, columns)
        for batch in table.iter_batches(columns=[name for name in columns if name in names]):
            yield from batch.to_pylist()


def _require_columns(found: Sequence[str], columns: Sequence[str]) -> None:
    if not set(columns) & set(found):
        raise ValueError(f"it has none of the columns {', '.join(columns)}")
