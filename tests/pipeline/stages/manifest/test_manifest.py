# SPDX-License-Identifier: Apache-2.0
"""The manifest keeps books over every object ever seen, and drops what is no longer there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipeline.base.errors import AccountingError
from pipeline.engine.config import load_config
from pipeline.raw.taxonomy import category_rows, load_taxonomy
from pipeline.stages.manifest.stage import run
from tests.kit import small_build


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    return pq.read_table(folder / f"{name}.parquet").to_pylist()


def ids(folder: Path, name: str) -> set[str]:
    """Return the object ids of a table."""
    return {row["object_id"] for row in table(folder, name)}


def test_every_raw_object_is_in_the_library_or_in_the_rejects(built: Path) -> None:
    library = built / "library"
    rejects = {row["object_id"]: row["code"] for row in table(library, "rejects")}
    assert rejects == {
        "generated-broken": "xml_invalid",
        "local-broken": "xml_invalid",
        "generated-twin": "duplicate",
        "local-copy": "duplicate",
    }
    kept = ids(library, "objects")
    assert not kept & set(rejects)
    raw = {f"generated-{p.name}" for p in (built / "work/raw/generated").iterdir()}
    raw |= {f"local-{p.name}" for p in (built / "raw/local").iterdir()}
    assert kept | set(rejects) == raw


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_running_again_gives_the_same_bytes_and_removes_other_files(copied: Path) -> None:
    before = contents(copied / "library")
    (copied / "library/assets/old-0000.tar").write_bytes(b"stale")
    (copied / "library/assets/generated-0000.tar.tmp12").write_bytes(b"half")
    run(small_build.library_job("manifest", load_config()))
    assert contents(copied / "library") == before


def test_an_object_that_no_stage_accounts_for_breaks_the_books(copied: Path) -> None:
    with (copied / "work/inventory/local/0000.tsv").open("a") as stream:
        stream.write(f"local-lost\tlost\t{'0' * 64}\n")
    with pytest.raises(AccountingError, match="local-lost"):
        run(small_build.library_job("manifest", load_config()))


def test_categories_count_objects_by_source(copied: Path) -> None:
    rows = [
        {"category": "door", "source": source} for source in ("local", "generated", "generated")
    ] + [{"category": "uncategorized", "source": "local"}]
    found = {
        row["category"]: row
        for row in category_rows((row["category"], row["source"]) for row in rows)
    }
    assert (found["door"]["objects"], found["door"]["by_source"]) == (
        3,
        [("generated", 2), ("local", 1)],
    )
    assert found["uncategorized"]["objects"] == 1
    assert set(found) == {*load_taxonomy().categories, "uncategorized"}
    assert sum(row["objects"] for row in found.values()) == 4
