# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all, and tables that are the same bytes every time."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset.format.schema import SCHEMA_VERSION
from pipeline.base.errors import DamagedFileError
from pipeline.base.tables import (
    compact_json,
    dump_json,
    encodable,
    read_rows,
    record_schema,
    replacing,
    write_bytes,
    write_if_changed,
    write_table,
)

SCHEMA = record_schema(pa.field("size", pa.float64()), pa.field("tags", pa.list_(pa.string())))
ROWS = [{"object_id": f"o{n}", "size": n / 3, "tags": ["a", "b"] * n} for n in range(50)]


def test_a_table_is_the_same_bytes_every_time(tmp_path: Path) -> None:
    write_table(tmp_path / "one.parquet", ROWS, SCHEMA)
    write_table(tmp_path / "two.parquet", [dict(reversed(row.items())) for row in ROWS], SCHEMA)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
    assert read_rows(tmp_path / "one.parquet") == ROWS


def test_columns_are_those_that_are_asked_for_and_a_table_without_one_is_damaged(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.parquet"
    write_table(path, ROWS, SCHEMA)
    assert list(read_rows(path, ["tags", "object_id"])[1].items()) == [
        ("tags", ["a", "b"]), ("object_id", "o1"),
    ]  # fmt: skip
    with pytest.raises(DamagedFileError):
        read_rows(path, ["object_id", "color"])
    assert not path.exists()


def test_a_table_has_its_schema_version(tmp_path: Path) -> None:
    write_table(tmp_path / "t.parquet", ROWS, SCHEMA)
    metadata = pq.read_schema(tmp_path / "t.parquet").metadata
    assert metadata[b"schema_version"] == SCHEMA_VERSION.encode()


@pytest.mark.parametrize("row", [{"object_id": "x", "size": 1.0}, {**ROWS[0], "more": 1}])
def test_a_missing_or_surplus_column_is_an_error_and_no_file(tmp_path: Path, row: dict) -> None:
    with pytest.raises(KeyError, match=r"tags|more"):
        write_table(tmp_path / "t.parquet", [row], SCHEMA)
    assert list(tmp_path.iterdir()) == []


def test_a_null_in_a_required_column_is_an_error_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(pa.ArrowInvalid):
        write_table(tmp_path / "t.parquet", [ROWS[0] | {"object_id": None}], SCHEMA)
    assert list(tmp_path.iterdir()) == []


def test_an_unchanged_file_keeps_its_time(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    assert write_if_changed(path, b"one")
    os.utime(path, ns=(5, 5))
    assert not write_if_changed(path, b"one")
    assert path.stat().st_mtime_ns == 5
    assert write_if_changed(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mtime_ns != 5


def test_an_error_leaves_the_old_file_and_no_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_bytes(path, b"old")

    def fail() -> None:
        with replacing(path) as temporary:
            temporary.write_bytes(b"half of the n")
            raise RuntimeError("struck")

    with pytest.raises(RuntimeError, match="struck"):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_json_is_sorted_and_survives_names_that_are_not_utf8() -> None:
    value = {"b": 1, "a\udc80": ["é", None]}
    assert json.loads(dump_json(value)) == value
    assert list(json.loads(dump_json(value))) == ["a\udc80", "b"]


def test_text_for_a_table_can_always_be_encoded() -> None:
    assert encodable("plain é") == "plain é"
    assert encodable("bad \ud800") == "bad ?"
    assert compact_json({"b": 1, "a": "\ud800"}) == '{"a":"?","b":1}'


def test_a_table_that_was_cut_off_is_removed_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "one.parquet"
    write_table(path, ROWS, SCHEMA)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DamagedFileError, match=r"one\.parquet is damaged .* `make library`"):
        read_rows(path)
    assert not path.exists()
    with pytest.raises(FileNotFoundError):
        read_rows(path)
