# SPDX-License-Identifier: Apache-2.0
"""What a shard writes: sorted tables, byte ranges, and nothing if it fails."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path
from typing import Any

import pytest

from pipeline.base import layout
from pipeline.base.errors import (
    AccountingError,
)
from pipeline.base.tables import read_rows
from pipeline.engine.runner import Task, run_shard
from tests.pipeline.engine.obedient_stage import Value, files_below, job_in, obey, records, run


def test_findings_are_sorted_within_an_object_and_always_writable(elsewhere: Path) -> None:
    job = job_in(Path("out"))
    assert run(job, {"b": "notes", "a": 1}) == {}
    rows = read_rows(job.outputs["findings"])
    assert [(row["code"], row["detail"]) for row in rows] == [
        ("limit_zero", "z"),
        ("mesh_open", "a ?"),
        ("mesh_open", "b"),
    ]
    assert {row["object_id"] for row in rows} == {"b"}


def test_output_has_the_same_bytes_for_any_order_and_number_of_workers(elsewhere: Path) -> None:
    orders: dict[str, Any] = {f"o{n:02d}": "file" for n in range(20)}
    orders |= {"o21": "reject", "o22": "exit"}
    made = []
    for folder, workers, keys in (
        ("one", 1, list(orders)),
        ("two", 1, list(orders)),
        ("three", 2, list(reversed(orders))),
    ):
        job = job_in(Path(folder), workers=workers, assets=True)
        run(job, {key: orders[key] for key in keys})
        made.append({name: path.read_bytes() for name, path in job.outputs.items()})
    assert made[0] == made[1] == made[2]
    assert records(job) == [f"o{n:02d}" for n in range(20)]


def test_the_records_have_the_byte_range_of_each_object(elsewhere: Path) -> None:
    job = job_in(Path("out"), assets=True)
    run(job, {"b": "file", "a": "file", "x": "reject"})
    data = job.outputs["assets"].read_bytes()
    with tarfile.open(job.outputs["assets"]) as tar:
        assert tar.getnames() == ["a/a/c.txt", "a/b.bin", "b/a/c.txt", "b/b.bin"]
    rows = read_rows(job.outputs["records"])
    assert rows[0]["asset_offset"] == 0
    assert rows[1]["asset_offset"] == rows[0]["asset_size"]
    assert len(data) == sum(row["asset_size"] for row in rows) + 1024
    assert hashlib.sha256(b"b").digest() * 9 in data[rows[1]["asset_offset"] :]


def test_an_empty_shard_writes_empty_tables_and_an_empty_tar(elsewhere: Path) -> None:
    job = job_in(Path("out"), assets=True)
    assert run(job, {}) == {}
    assert records(job) == []
    with tarfile.open(job.outputs["assets"]) as tar:
        assert tar.getnames() == []


def test_a_failed_shard_leaves_no_file(elsewhere: Path) -> None:
    job = job_in(Path("out"), assets=True)
    with pytest.raises(KeyError, match="surplus"):
        run(job, {"a": "file", "b": "surplus"})
    assert files_below(Path("out")) == set()


def test_a_failed_shard_keeps_the_output_of_the_last_good_one(elsewhere: Path) -> None:
    job = job_in(Path("out"))
    run(job, {"a": 1})
    before = {name: path.read_bytes() for name, path in job.outputs.items()}
    with pytest.raises(KeyError):
        run(job, {"a": 2, "b": "surplus"})
    assert {name: path.read_bytes() for name, path in job.outputs.items()} == before
    assert len(files_below(Path("out"))) == len(before)


def test_a_duplicate_id_is_an_accounting_error(elsewhere: Path) -> None:
    job = job_in(Path("out"))
    with pytest.raises(AccountingError):
        run_shard(job, [Task("a", 1), Task("a", 2)], process=obey, record=Value)
    assert files_below(Path("out")) == set()


def test_the_counter_ends_at_the_whole_shard(elsewhere: Path) -> None:
    job = job_in(Path("out"))
    run(job, {"a": 1, "b": "reject", "c": 3})
    assert layout.counter("stage", "test", "0000").read_text() == "3 1 3\n"
