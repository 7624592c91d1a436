# SPDX-License-Identifier: Apache-2.0
"""The files of a sealed library: checked for presence and size; tables are checked by digest."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.errors import LibraryError
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.format.seal import NEXT_STEP, Seal
from aa_dataset.format.validation import brief, check_cells, require_no_other_column
from aa_dataset.untrusted.parquet_batches import MOST_BYTES, read_batches


def verify_files(layout: LibraryLayout, seal: Seal, *, tables_only: bool = False) -> None:
    """Raise `LibraryError` unless every file that the seal names exists with the listed size.

    The digest of a table is checked when it is read (`read_table`). Asset tars are not hashed at
    opening, because they are as large as the library. A folder without any tar is a download of the
    tables alone.

    Parameters
    ----------
    layout : LibraryLayout
        The folder.
    seal : Seal
        Its seal.
    tables_only : bool
        Allow that tars are absent.
    """
    tables_only = tables_only or not layout.assets.exists()
    for name, expected in seal.files.items():
        path = layout.root / name  # a plain name, see `check_seal`
        if tables_only and path.parent == layout.assets and not path.exists():
            continue
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


def require_tar(path: Path) -> None:
    """Raise `LibraryError` if the folder holds the tables of a library but not this tar."""
    if not path.parent.exists():
        raise LibraryError(
            f"{path} is missing: this folder has the tables alone. Download that file too, or pass "
            "`repo_id='owner/name'` to `load_dataset`, which gets every object when it is used."
        )


def read_table(
    layout: LibraryLayout, seal: Seal, name: str, columns: Sequence[str] | None = None
) -> pa.Table:
    """Read one table, or some columns; check its digest and the columns against the schema."""
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
        names = pq.read_schema(pa.BufferReader(data)).names
        table = read_batches(data, columns=columns)
        del data
        table = table.combine_chunks()
        pa.default_memory_pool().release_unused()  # pages and batches took more than the table
    except (pa.ArrowException, OSError, ValueError) as error:  # includes names that are not UTF-8
        raise LibraryError(f"{path} is not readable ({brief(str(error))}). {NEXT_STEP}") from error
    try:
        require_no_other_column(names, TABLES[name])
        check_cells(table, _chosen(TABLES[name], columns))
    except ValueError as error:
        raise LibraryError(f"{path}, {error}. {NEXT_STEP}") from error
    return table


def _chosen(schema: pa.Schema, columns: Sequence[str] | None) -> pa.Schema:
    return schema if columns is None else pa.schema([schema.field(name) for name in columns])


def _table_bytes(path: Path) -> bytes:
    """Read a file once, so that the unpacked bytes are the ones compared with the seal."""
    try:
        with path.open("rb") as stream:
            # Python allocates the requested size at once, so request only the actual size.
            size = os.fstat(stream.fileno()).st_size
            data = stream.read(min(size, MOST_BYTES) + 1)
    except OSError as error:
        raise LibraryError(f"{path} is not readable ({error.strerror}). {NEXT_STEP}") from error
    if len(data) > MOST_BYTES:
        raise LibraryError(f"{path} has more than {MOST_BYTES:,} bytes. {NEXT_STEP}")
    return data
