# SPDX-License-Identifier: Apache-2.0
"""The files of a library: the seal that vouches for them, the tables, the asset tars.

A library is written table by table and sealed last (`library.json`: sizes and digests of every
file), so a folder without a seal, or one whose files differ from it, is half built or mixed and is
refused.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.benchmark import Benchmark, read_benchmark
from aa_dataset.errors import ArenaError
from aa_dataset.layout import LibraryLayout
from aa_dataset.schema import SCHEMA_VERSION, TABLES

_NEXT_STEP = "Run `make library` to build it again, or download it again."


class LibraryError(ArenaError):
    """A library folder is missing, half built, mixed or of another schema."""


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
        data = json.loads(path.read_bytes())
        version = str(data["schema_version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LibraryError(f"{path} is not readable ({error}). {_NEXT_STEP}") from error
    if version != SCHEMA_VERSION:
        raise LibraryError(
            f"{path} has schema version {version}, this package reads {SCHEMA_VERSION}. "
            "Install the version of aa-dataset that wrote the library, or build it again "
            "with `make library`."
        )
    return _seal(data, path)


def _seal(data: dict[str, Any], path: Path) -> Seal:
    try:
        return Seal(
            name=str(data["name"]),
            revision=str(data["revision"]),
            schema_version=str(data["schema_version"]),
            expected_objects=int(data["expected_objects"]),
            objects=int(data["objects"]),
            sources={str(key): int(n) for key, n in data["sources"].items()},
            splits={str(key): int(n) for key, n in data["splits"].items()},
            benchmark=_benchmark(data["benchmark"], data["splits"]),
            files={
                str(key): FileSeal(str(row["sha256"]), int(row["size"]))
                for key, row in data["files"].items()
            },
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LibraryError(
            f"{path} lacks a field or holds a wrong value ({error!r}). {_NEXT_STEP}"
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
        path = _sealed_path(layout, name)
        try:
            size = path.stat().st_size
        except OSError:
            raise LibraryError(
                f"{path} is missing although {layout.seal.name} names it. {_NEXT_STEP}"
            ) from None
        if size != expected.size:
            raise LibraryError(
                f"{path} has {size:,} bytes, {layout.seal.name} says {expected.size:,}: files of "
                f"two builds are mixed, or a copy broke off. {_NEXT_STEP}"
            )


def _sealed_path(layout: LibraryLayout, name: str) -> Path:
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts:
        raise LibraryError(f"{layout.seal} names {name!r}, a file outside the library.")
    return layout.root.joinpath(*relative.parts)


def read_table(layout: LibraryLayout, seal: Seal, name: str) -> pa.Table:
    """Read one table whole, its digest compared with the seal and its columns with the schema."""
    path = layout.table(name)
    expected = seal.files.get(path.name)
    if expected is None:
        raise LibraryError(f"{layout.seal} does not name {path.name}. {_NEXT_STEP}")
    if file_sha256(path) != expected.sha256:
        raise LibraryError(
            f"the contents of {path} are not those that {layout.seal.name} vouches for: files of "
            f"two builds are mixed. {_NEXT_STEP}"
        )
    try:
        with pq.ParquetFile(path, memory_map=True) as file:
            table = file.read()
    except (pa.ArrowException, OSError) as error:
        raise LibraryError(f"{path} is not readable ({error}). {_NEXT_STEP}") from error
    _require_columns(table, name, path)
    return table.combine_chunks()


def _require_columns(table: pa.Table, name: str, path: Path) -> None:
    for field in TABLES[name]:
        index = table.schema.get_field_index(field.name)
        found = None if index < 0 else table.schema.field(index).type
        if found != field.type:
            raise LibraryError(
                f"{path}, column {field.name!r}: found {found or 'nothing'}, schema version "
                f"{SCHEMA_VERSION} has {field.type}. {_NEXT_STEP}"
            )


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise LibraryError(f"{path} is not readable ({error.strerror}). {_NEXT_STEP}") from error


@dataclass(frozen=True, slots=True)
class Asset:
    """The byte range of one object in an asset tar: a tar fragment without an end mark.

    Attributes
    ----------
    path : Path
        The tar.
    offset, size : int [B]
        Where the object's members begin, and how long they are together.
    object_id : str
        The folder that every member lies in.
    """

    path: Path
    offset: int
    size: int
    object_id: str

    def names(self) -> tuple[str, ...]:
        """Return the object's files, relative to its folder, in the order of the tar."""
        with self._open() as stream:
            return tuple(name for name, _ in self._members(stream))

    def read(self, name: str) -> bytes:
        """Return the contents of one file."""
        with self._open() as stream:
            for found, member in self._members(stream):
                if found == name:
                    return self._contents(stream, member)
        raise LibraryError(
            f"object {self.object_id!r} has no file {name!r}; `files()` lists what it has."
        )

    def extract(self, folder: Path) -> None:
        """Write every file into `folder`; nothing is written outside it."""
        with self._open() as stream:
            for name, member in tuple(self._members(stream)):
                path = folder.joinpath(*PurePosixPath(name).parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(self._contents(stream, member))

    def _open(self) -> BinaryIO:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise self._broken(f"is not readable ({error.strerror})") from error

    def _members(self, stream: BinaryIO) -> Iterator[tuple[str, tarfile.TarInfo]]:
        """Walk the headers of the range and yield each file with its checked relative name."""
        end = self.offset + self.size
        stream.seek(self.offset)
        try:
            with tarfile.open(fileobj=stream, mode="r:") as tar:
                while (member := tar.next()) is not None and member.offset < end:
                    if member.offset_data + member.size > end:
                        raise self._broken(f"ends in the middle of {member.name!r}")
                    if not member.isdir():
                        yield self._checked_name(member), member
        except tarfile.TarError as error:
            raise self._broken(f"is not a tar there ({error})") from error

    def _checked_name(self, member: tarfile.TarInfo) -> str:
        """Return the name inside the object's folder; refuse links and ways out of it."""
        path = PurePosixPath(member.name)
        if not member.isreg() or member.issparse():
            raise self._broken(f"holds {member.name!r}, which is not a plain file")
        inside = len(path.parts) > 1 and path.parts[0] == self.object_id
        if not inside or ".." in path.parts or "\\" in member.name:
            raise self._broken(f"holds {member.name!r}, which lies outside the object's folder")
        return str(PurePosixPath(*path.parts[1:]))

    def _contents(self, stream: BinaryIO, member: tarfile.TarInfo) -> bytes:
        stream.seek(member.offset_data)
        data = stream.read(member.size)
        if len(data) != member.size:
            raise self._broken(f"ends in the middle of {member.name!r}")
        return data

    def _broken(self, problem: str) -> LibraryError:
        return LibraryError(
            f"{self.path} at byte {self.offset} (object {self.object_id!r}) {problem}. {_NEXT_STEP}"
        )
