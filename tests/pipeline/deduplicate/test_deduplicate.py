# SPDX-License-Identifier: Apache-2.0
"""Of objects with the same content the first one stays, by the order of the sources."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import layout
from pipeline.deduplicate.stage import find_duplicates, run
from pipeline.runner import ShardJob
from pipeline.tables import dump_json, read_rows, write_bytes, write_table

OBJECTS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 99), st.sampled_from("pqrs")),
    max_size=12,
    unique_by=lambda row: row[:2],
)


@given(OBJECTS)
def test_exactly_one_object_of_every_content_stays(rows: list[tuple[int, int, str]]) -> None:
    objects = sorted((rank, f"s{rank}-{n:02d}", content, f"s{rank}") for rank, n, content in rows)
    rejects, findings = find_duplicates(objects)
    gone = {row["object_id"] for row in rejects}
    kept = [row for row in objects if row[1] not in gone]
    assert sorted({row[2] for row in kept}) == sorted(row[2] for row in kept)
    assert {row[2] for row in kept} == {row[2] for row in objects}
    for rank, key, content, _ in kept:
        assert (rank, key) == min((r, k) for r, k, c, _ in objects if c == content)
    assert len(findings) == len({row[2] for row in objects if row[1] in gone})
    for table in (rejects, findings):
        ids = [row["object_id"] for row in table]
        assert ids == sorted(ids)


@pytest.mark.parametrize(("order", "stays"), [(["one", "two"], "one-x"), (["two", "one"], "two-a")])
def test_the_source_that_stands_first_keeps_its_object(
    elsewhere: Path, order: list[str], stays: str
) -> None:
    write_bytes(layout.INDEX, dump_json({"one": 1, "two": 1}))
    schema = pa.schema([("object_id", pa.string()), ("content_sha256", pa.string())])
    for source, names in (("one", ["x", "y"]), ("two", ["a", "b"])):
        rows = [
            {"object_id": f"{source}-{name}", "content_sha256": "same" if name in "xa" else name}
            for name in names
        ]
        write_table(layout.records("annotate", source, "0000"), rows, schema)
    outputs = {name: Path(f"{name}.parquet") for name in ("rejects", "findings")}
    settings: dict[str, Any] = {"source_order": order}
    run(ShardJob("deduplicate", "", "", {}, outputs, settings))
    (reject,) = read_rows(outputs["rejects"])
    (finding,) = read_rows(outputs["findings"])
    gone = {"one-x", "two-a"} - {stays}
    assert {reject["object_id"]} == gone
    assert (reject["code"], reject["source"]) == ("duplicate", reject["object_id"].split("-")[0])
    assert stays in reject["detail"]
    assert finding["object_id"] == stays
    assert gone.pop() in finding["detail"]


def test_nothing_in_common_is_nothing_said(bench: SimpleNamespace) -> None:
    assert find_duplicates([(0, "a", "p", "s"), (0, "b", "q", "s")]) == ([], [])
