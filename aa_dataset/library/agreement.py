# SPDX-License-Identifier: Apache-2.0
"""What must agree before a library is used: counts and benchmark of the seal, places in tars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from aa_dataset.errors import LibraryError
from aa_dataset.format.seal import NEXT_STEP
from aa_dataset.format.validation import check_counts, check_objects

if TYPE_CHECKING:
    from aa_dataset.library.catalog import Catalog


def require_agreement(catalog: Catalog) -> None:
    """Raise `LibraryError` if the tables of a library contradict its seal."""
    layout, seal = catalog.layout, catalog.seal
    found = catalog.objects.num_rows
    if found != seal.objects:
        raise LibraryError(
            f"{layout.table('objects')} has {found:,} rows, but {layout.seal.name} lists "
            f"{seal.objects:,}. Run `make library` again."
        )
    _require_objects(catalog)
    if pc.count_distinct(catalog.objects["object_id"]).as_py() != found:
        raise LibraryError(
            f"{layout.table('objects')} has a duplicate object id. Run `make library` again."
        )
    if problem := _benchmark_problem(catalog):
        raise LibraryError(
            f"{layout.table('splits')} contradicts the benchmark that {layout.seal.name} names: "
            f"{problem}. Run `make library` again, or download the library again."
        )
    _require_counts(catalog)


def _require_objects(catalog: Catalog) -> None:
    """Check the form of ids and offsets, and compare them with the tars."""
    files = catalog.seal.files.items()
    tars = {Path(name).stem: mark.size for name, mark in files if name.endswith(".tar")}
    try:
        check_objects(catalog.objects, tars)
    except ValueError as error:
        path = catalog.layout.table("objects")
        raise LibraryError(f"{path}, {error}. {NEXT_STEP}") from error


def _require_counts(catalog: Catalog) -> None:
    """Compare the counts of the seal with the tables."""
    layout, seal = catalog.layout, catalog.seal
    for name, column, counted in (
        ("objects", "source", seal.sources),
        ("splits", "split", seal.splits),
    ):
        try:
            check_counts(catalog.table(name)[column], counted)
        except ValueError as error:
            raise LibraryError(
                f"{layout.table(name)} contradicts {layout.seal.name}: {column} {error}. "
                f"{NEXT_STEP}"
            ) from error


def _benchmark_problem(catalog: Catalog) -> str:
    """Return how the splits contradict the benchmark of the seal, empty if they do not."""
    held, splits = catalog.seal.benchmark, catalog.table("splits")
    if held is None:
        return _version_problem(splits, None)
    is_member = pc.equal(splits["split"], held.split)
    members, others = splits.filter(is_member), splits.filter(pc.invert(is_member))
    distinct = pc.count_distinct(members["object_id"]).as_py()
    if not distinct == members.num_rows == held.objects:
        return (
            f"the split {held.split!r} has {members.num_rows} rows of {distinct} objects, the seal "
            f"lists {held.objects} objects"
        )
    return _version_problem(members, held.version) or _version_problem(others, None)


def _version_problem(rows: pa.Table, version: str | None) -> str:
    """Describe the first row of the splits with another version, empty if there is none."""
    found = rows["version"]
    same = pc.is_null(found) if version is None else pc.fill_null(pc.equal(found, version), False)
    wrong = rows.filter(pc.invert(same))
    if not wrong.num_rows:
        return ""
    row = wrong.slice(0, 1).to_pylist()[0]
    where = f"{row['object_id']!r} in the split {row['split']!r}"
    return f"{where} has the version {row['version']!r}, not {version!r}"
