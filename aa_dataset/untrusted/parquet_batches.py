# SPDX-License-Identifier: Apache-2.0
"""A Parquet file in bounded memory, read in batches so that a bomb is found before memory is full.

Only files that Arrow wrote are read: tables of a library and of a result.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.untrusted.parquet_pages import page_sizes

# A row of the library has some kilobytes at most; a table that unpacks to more is an attack. A few
# bytes of a file may encode a long text in every row, so only a few rows are unpacked at a time.
MOST_BYTES = 1 << 31
_START_BYTES, ROW_BYTES = 1 << 26, 1 << 16
BATCH_ROWS = 2048
# Limit of a batch if every text in it were the longest that its dictionary can hold. Texts of a
# build are short, and the writer ends a dictionary at 1 MiB; a few long texts make a larger one.
BATCH_BYTES, STRANGE_BATCH_BYTES, _DICTIONARY_BYTES = 1 << 33, 1 << 28, 1 << 22


def read_batches(
    data: bytes, *, row_bytes: int = ROW_BYTES, columns: Sequence[str] | None = None
) -> pa.Table:
    """Read a table whose rows have `row_bytes` at most on average, or raise `ValueError`.

    With `columns`, only those are unpacked; left out is one that is not there, or there twice.
    """
    batches, rows, total = [], 0, 0
    with pq.ParquetFile(pa.BufferReader(data), pre_buffer=False) as file:
        schema, step = file.schema_arrow, batch_rows(data, file.metadata, row_bytes=row_bytes)
        if columns is not None:
            columns = [name for name in columns if schema.get_field_index(name) >= 0]
            schema = pa.schema([schema.field(name) for name in columns], schema.metadata)
        for batch in file.iter_batches(batch_size=step, use_threads=False, columns=columns):
            rows, total = rows + batch.num_rows, total + batch.nbytes
            most = _most_bytes(rows, row_bytes)
            if total > most:
                raise ValueError(f"its first {rows:,} rows unpack to more than {most:,} bytes")
            batches.append(batch if columns is None else batch.select(columns))
    return pa.Table.from_batches(batches, schema)


def batch_rows(data: bytes, metadata: pq.FileMetaData, *, row_bytes: int = ROW_BYTES) -> int:
    """Return the number of rows per batch; raise if the pages alone are too large."""
    if not (metadata.created_by or "").startswith("parquet-cpp-arrow"):
        raise ValueError("it was not written by Arrow, unlike every table of this project")
    sizes, most = page_sizes(data, metadata), _most_bytes(metadata.num_rows, row_bytes)
    if sizes.total > most:
        raise ValueError(f"its pages unpack to more than {most:,} bytes")
    row = sum(sizes.dictionaries)
    is_strange = max(sizes.dictionaries, default=0) > _DICTIONARY_BYTES
    batch = STRANGE_BATCH_BYTES if is_strange else BATCH_BYTES
    return max(1, min(BATCH_ROWS, batch // max(row, 1)))


def _most_bytes(rows: int, row_bytes: int) -> int:
    return min(MOST_BYTES, _START_BYTES + rows * row_bytes)
