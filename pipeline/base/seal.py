# SPDX-License-Identifier: Apache-2.0
"""The seal of a library or release: the digests of its files, written last."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq

from aa_dataset.errors import LibraryError
from aa_dataset.files import FileSeal
from aa_dataset.format.benchmark import Benchmark
from aa_dataset.format.credits import Credit
from aa_dataset.format.layout import TABLES, LibraryLayout
from aa_dataset.format.revision import tables_revision
from aa_dataset.format.schema import SCHEMA_VERSION
from aa_dataset.format.seal import Seal, read_seal, write_seal
from pipeline.base.errors import DamagedFileError
from pipeline.base.tables import dump_json, read_rows, write_bytes


def seal_folder(
    folder: LibraryLayout,
    *,
    name: str,
    expected: int,
    benchmark: Benchmark | None,
    marks: Mapping[str, FileSeal],
    credits: Mapping[str, Credit] | None = None,
) -> Seal:
    """Write `library.json` for the current tables and assets; return its content.

    `marks` are the digests of the files when they were made. A file that changed since is removed
    and an error is raised, so that no seal ever covers a damaged file. Of `credits` those of
    sources with objects here are kept.
    """
    credits = credits or {}
    files = {_relative_name(folder, path): FileSeal.of(path) for path in sealed_files(folder)}
    for file, mark in files.items():
        if mark != marks.get(file, mark):
            raise _damage_error(folder.root / file)
    objects = pq.read_table(folder.table("objects"), columns=["source"]).to_pylist()
    sources = Counter(row["source"] for row in objects)
    splits = Counter(row["split"] for row in read_rows(folder.table("splits")))
    seal = Seal(
        name=name,
        revision=revision(folder),
        schema_version=SCHEMA_VERSION,
        expected_objects=expected,
        objects=len(objects),
        sources=dict(sources),
        splits=dict(splits),
        benchmark=benchmark,
        files=files,
        credits={source: credits[source] for source in sorted(sources) if source in credits},
    )
    return write_seal(folder, seal)


def revision(folder: LibraryLayout) -> str:
    """Return 16 hex digits that depend on every value in the tables, and on nothing else."""
    return tables_revision({name: pq.read_table(folder.table(name)) for name in TABLES})


def sealed_files(folder: LibraryLayout) -> list[Path]:
    """Return the tables and asset tars that a seal covers."""
    return [*(folder.table(name) for name in TABLES), *sorted(folder.assets.glob("*.tar"))]


def require_sealed(folder: LibraryLayout) -> Seal:
    """Return the seal of a folder; a file that does not match it is removed."""
    seal = usable_seal(folder)
    if seal is None:
        raise _damage_error(folder.seal)
    for path in sealed_files(folder):
        if FileSeal.of(path) != seal.files.get(_relative_name(folder, path)):
            raise _damage_error(path)
    return seal


def usable_seal(folder: LibraryLayout) -> Seal | None:
    """Return the seal of a folder, None if any field of it is invalid."""
    try:
        return read_seal(folder)
    except LibraryError as error:
        if isinstance(error.__cause__, OSError):  # a system error, so the seal may be valid
            raise error.__cause__ from None
        return None


def write_marks(path: Path, marks: Mapping[str, FileSeal]) -> None:
    """Write the digests of files when they were made."""
    write_bytes(path, dump_json({name: asdict(mark) for name, mark in marks.items()}))


def read_marks(path: Path) -> dict[str, FileSeal]:
    """Read the digests of files when they were made; a damaged list is removed."""
    try:
        found = json.loads(path.read_bytes())
        return {name: FileSeal(**mark) for name, mark in found.items()}
    except (ValueError, TypeError, AttributeError):
        raise _damage_error(path) from None


def _damage_error(path: Path) -> DamagedFileError:
    path.unlink(missing_ok=True)
    return DamagedFileError(path, "it is not what the build wrote")


def _relative_name(folder: LibraryLayout, path: Path) -> str:
    return path.relative_to(folder.root).as_posix()
