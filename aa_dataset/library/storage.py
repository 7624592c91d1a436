# SPDX-License-Identifier: Apache-2.0
"""The files of a sealed library: checked for presence and size; tables are checked by digest."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.errors import LibraryError
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.format.seal import NEXT_STEP, Seal
from aa_dataset.format.validation import brief, check_cells
from aa_dataset.untrusted.parquet_pages import page_sizes

# The widest row of the library has some kilobytes; a table that unpacks to more is an attack. A few
# bytes of a file may encode a long text in every row, so only a few rows are unpacked at a time.
_TABLE_BYTES = 1 << 31
_START_BYTES, _ROW_BYTES = 1 << 26, 1 << 16
_BATCH_ROWS = 2048
# Limit of a batch if every text in it were the longest that its dictionary can hold. Texts of a
# build are short, and the writer ends a dictionary at 1 MiB; a few long texts make a larger one.
_BATCH_BYTES, _STRANGE_BATCH_BYTES, _DICTIONARY_BYTES = 1 << 33, 1 << 28, 1 << 22


def verify_files(layout: LibraryLayout, seal: Seal) -> None:
    """Raise `LibraryError` unless every file that the seal names exists with the listed size.

    The digest of a table is checked when it is read (`read_table`). Asset tars are not hashed at
    opening, because they are as large as the library.
    """
    for name, expected in seal.files.items():
        path = layout.root / name  # a plain name, see `check_seal`
        try:
            status = path.stat()
        except OSError:
            raise LibraryError(
                f"{path} is missing, but {layout.seal.name} lists it. {NEXT_STEP}"
            ) from None
        if not stat.S_ISREG(status.st_mode):
            raise LibraryError(f"{path} is not a regular file. {NEXT_STEP}")
        if status.st_size != expected.size:
            raise LibraryError(
                f"{path} has {status.st_size:,} bytes, but {layout.seal.name} lists "
                f"{expected.size:,}: files of two builds are mixed, or a copy is incomplete. "
                f"{NEXT_STEP}"
            )


def read_table(layout: LibraryLayout, seal: Seal, name: str) -> pa.Table:
    """Read one table; check its digest against the seal and its columns against the schema."""
    path = layout.table(name)
    expected = seal.files.get(path.name)
    if expected is None:
        raise LibraryError(f"{layout.seal} does not list {path.name}. {NEXT_STEP}")
    data = _table_bytes(path)
    if hashlib.sha256(data).hexdigest() != expected.sha256:
        raise LibraryError(
            f"the contents of {path} do not match the digest in {layout.seal.name}: files of "
            f"two builds are mixed. {NEXT_STEP}"
        )
    try:
        table = _read_batches(data).combine_chunks()
    except (pa.ArrowException, OSError, ValueError) as error:  # includes names that are not UTF-8
        raise LibraryError(f"{path} is not readable ({brief(str(error))}). {NEXT_STEP}") from error
    try:
        check_cells(table, TABLES[name])
    except ValueError as error:
        raise LibraryError(f"{path}, {error}. {NEXT_STEP}") from error
    return table


def _table_bytes(path: Path) -> bytes:
    """Read a file once, so that the unpacked bytes are the ones compared with the seal."""
    try:
        with path.open("rb") as stream:
            # Python allocates the requested size at once, so request only the actual size.
            size = os.fstat(stream.fileno()).st_size
            data = stream.read(min(size, _TABLE_BYTES) + 1)
    except OSError as error:
        raise LibraryError(f"{path} is not readable ({error.strerror}). {NEXT_STEP}") from error
    if len(data) > _TABLE_BYTES:
        raise LibraryError(f"{path} has more than {_TABLE_BYTES:,} bytes. {NEXT_STEP}")
    return data


def _read_batches(data: bytes) -> pa.Table:
    """Read a table in batches, so that a decompression bomb is detected before memory is full."""
    batches, rows, total = [], 0, 0
    with pq.ParquetFile(pa.BufferReader(data), pre_buffer=False) as file:
        schema, step = file.schema_arrow, _batch_rows(data, file.metadata)
        for batch in file.iter_batches(batch_size=step, use_threads=False):
            rows, total = rows + batch.num_rows, total + batch.nbytes
            most = _most_bytes(rows)
            if total > most:
                raise ValueError(f"its first {rows:,} rows unpack to more than {most:,} bytes")
            batches.append(batch)
    return pa.Table.from_batches(batches, schema)


def _batch_rows(data: bytes, metadata: pq.FileMetaData) -> int:
    """Return the number of rows per batch; raise if the pages alone are too large."""
    if not (metadata.created_by or "").startswith("parquet-cpp-arrow"):
        raise ValueError("it was not written by Arrow, unlike every table of a library")
    sizes, most = page_sizes(data, metadata), _most_bytes(metadata.num_rows)
    if sizes.total > most:
        raise ValueError(f"its pages unpack to more than {most:,} bytes")
    row = sum(sizes.dictionaries)
    is_strange = max(sizes.dictionaries, default=0) > _DICTIONARY_BYTES
    batch = _STRANGE_BATCH_BYTES if is_strange else _BATCH_BYTES
    return max(1, min(_BATCH_ROWS, batch // max(row, 1)))


def _most_bytes(rows: int) -> int:
    return min(_TABLE_BYTES, _START_BYTES + rows * _ROW_BYTES)
