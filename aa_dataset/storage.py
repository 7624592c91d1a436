# SPDX-License-Identifier: Apache-2.0
"""The files of a library: the seal that vouches for them, and the tables.

A library is written table by table and sealed last (`library.json`: sizes and digests of every
file), so a folder without a seal, or one whose files differ from it, is half built or mixed and is
refused.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.benchmark import Benchmark, read_benchmark
from aa_dataset.errors import LibraryError
from aa_dataset.layout import LibraryLayout
from aa_dataset.schema import SCHEMA_VERSION, TABLES
from aa_dataset.trust import SEAL_BYTES, brief, check_cells, check_seal, parse_seal

NEXT_STEP = "Run `make library` to build it again, or download it again; `aa verify` checks all."
# The widest row of the library has some kilobytes; a table that unpacks to more is a trap. A few
# bytes of a file may stand for a long text in every row, so that few rows are unpacked at a time.
_TABLE_BYTES = 1 << 31
_START_BYTES, _ROW_BYTES = 1 << 26, 1 << 16
_BATCH_ROWS = 2048


@dataclass(frozen=True, slots=True)
class FileSeal:
    """What the seal says of one file: `sha256` in hex, `size` in bytes."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Seal:
    """The contents of `library.json`.

    Attributes
    ----------
    name, revision, schema_version : str
        Name of the dataset, digest of its contents, version of its tables.
    expected_objects, objects : int
        Objects of the whole dataset, and of this library.
    sources, splits : dict of str to int
        Objects per source and per split.
    benchmark : Benchmark or None
        The version of the benchmark that the library holds.
    files : dict of str to FileSeal
        Every file of the library by its path relative to the folder.
    sha256 : str
        Digest of `library.json` itself, in hex.
    """

    name: str
    revision: str
    schema_version: str
    expected_objects: int
    objects: int
    sources: dict[str, int]
    splits: dict[str, int]
    benchmark: Benchmark | None
    files: dict[str, FileSeal]
    sha256: str

    @property
    def edition(self) -> str:
        """Name of the library's folder in the cache.

        A revision is a claim, and leaves pictures out. The digest of the seal, which names that of
        every tar, keeps apart libraries that claim the same one.
        """
        return f"{self.revision}-{self.sha256[:32]}"


def read_seal(layout: LibraryLayout) -> Seal:
    """Read the seal of a library and check its form, not yet the files."""
    path = layout.seal
    if not layout.root.is_dir():
        raise LibraryError(f"the folder {layout.root} does not exist. Run `make library`.")
    if not path.is_file():
        raise LibraryError(
            f"{layout.root} has no {path.name}: it is not a library, or its build did not finish. "
            "Run `make library`."
        )
    try:
        with path.open("rb") as stream:
            text = stream.read(SEAL_BYTES + 1)
        data = parse_seal(text)
        version = data["schema_version"]
    except (OSError, ValueError, KeyError) as error:
        raise LibraryError(f"{path} is not readable ({error}). {NEXT_STEP}") from error
    if version != SCHEMA_VERSION:
        found = brief(version).strip("'")
        raise LibraryError(
            f"{path} has schema version {found}, this package reads {SCHEMA_VERSION}. "
            "Install the version of aa-dataset that wrote the library, or build it again "
            "with `make library`, or download one of this version."
        )
    return _seal(data, path, hashlib.sha256(text).hexdigest())


def _seal(data: dict[str, Any], path: Path, sha256: str) -> Seal:
    try:
        check_seal(data)
        return Seal(
            name=data["name"],
            revision=data["revision"],
            schema_version=data["schema_version"],
            expected_objects=data["expected_objects"],
            objects=data["objects"],
            sources=dict(data["sources"]),
            splits=dict(data["splits"]),
            benchmark=_benchmark(data["benchmark"], data["splits"]),
            files={
                name: FileSeal(mark["sha256"], mark["size"]) for name, mark in data["files"].items()
            },
            sha256=sha256,
        )
    except KeyError as error:
        raise LibraryError(f"{path} lacks the field {error}. {NEXT_STEP}") from error
    except ValueError as error:
        raise LibraryError(
            f"{path} lacks a field or holds a wrong value ({error}). {NEXT_STEP}"
        ) from error


def _benchmark(facts: Any, splits: dict[str, int]) -> Benchmark | None:
    if facts is None:
        return None
    found = read_benchmark(facts)
    if splits.get(found.split) != found.objects:
        raise ValueError(
            f"benchmark.objects is {found.objects}, splits.{found.split} is "
            f"{splits.get(found.split)}"
        )
    return found


def verify_files(layout: LibraryLayout, seal: Seal) -> None:
    """Raise `LibraryError` unless every file that the seal names is there with its size.

    The digests of the tables are checked when each is read (`read_table`); those of the asset
    tars never at opening, because they are as large as the library.
    """
    for name, expected in seal.files.items():
        path = layout.root / name  # a plain name: `check_seal`
        try:
            status = path.stat()
        except OSError:
            raise LibraryError(
                f"{path} is missing although {layout.seal.name} names it. {NEXT_STEP}"
            ) from None
        if not stat.S_ISREG(status.st_mode):
            raise LibraryError(f"{path} is not a plain file. {NEXT_STEP}")
        if status.st_size != expected.size:
            raise LibraryError(
                f"{path} has {status.st_size:,} bytes, {layout.seal.name} says {expected.size:,}: "
                f"files of two builds are mixed, or a copy broke off. {NEXT_STEP}"
            )


def read_table(layout: LibraryLayout, seal: Seal, name: str) -> pa.Table:
    """Read one table whole, its digest compared with the seal and its columns with the schema."""
    path = layout.table(name)
    expected = seal.files.get(path.name)
    if expected is None:
        raise LibraryError(f"{layout.seal} does not name {path.name}. {NEXT_STEP}")
    data = _table_bytes(path)
    if hashlib.sha256(data).hexdigest() != expected.sha256:
        raise LibraryError(
            f"the contents of {path} are not those that {layout.seal.name} vouches for: files of "
            f"two builds are mixed. {NEXT_STEP}"
        )
    try:
        table = _read_batches(data).combine_chunks()
    except (pa.ArrowException, OSError, ValueError) as error:  # also a name that is not UTF-8
        raise LibraryError(f"{path} is not readable ({brief(str(error))}). {NEXT_STEP}") from error
    try:
        check_cells(table, TABLES[name])
    except ValueError as error:
        raise LibraryError(f"{path}, {error}. {NEXT_STEP}") from error
    return table


def _table_bytes(path: Path) -> bytes:
    """Read a file once, so that what is unpacked is what was compared with the seal."""
    try:
        with path.open("rb") as stream:
            # Python sets aside as much memory as is asked for, so ask for what is there.
            size = os.fstat(stream.fileno()).st_size
            data = stream.read(min(size, _TABLE_BYTES) + 1)
    except OSError as error:
        raise LibraryError(f"{path} is not readable ({error.strerror}). {NEXT_STEP}") from error
    if len(data) > _TABLE_BYTES:
        raise LibraryError(f"{path} has more than {_TABLE_BYTES:,} bytes. {NEXT_STEP}")
    return data


def _read_batches(data: bytes) -> pa.Table:
    """Read a table piece by piece, so that one which unpacks to more than memory holds is seen."""
    batches, rows, total = [], 0, 0
    with pq.ParquetFile(pa.BufferReader(data), pre_buffer=False) as file:
        schema = file.schema_arrow
        for batch in file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False):
            rows, total = rows + batch.num_rows, total + batch.nbytes
            most = min(_TABLE_BYTES, _START_BYTES + rows * _ROW_BYTES)
            if total > most:
                raise ValueError(f"its first {rows:,} rows unpack to more than {most:,} bytes")
            batches.append(batch)
    return pa.Table.from_batches(batches, schema)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise LibraryError(f"{path} is not readable ({error.strerror}). {NEXT_STEP}") from error
