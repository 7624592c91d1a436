# SPDX-License-Identifier: Apache-2.0
"""Every object stays once: the first one by the order of the sources, whatever makes them one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base import layout
from pipeline.base.tables import dump_json, read_rows, write_bytes, write_table
from pipeline.engine.runner import ShardJob
from pipeline.engine.settings import DeduplicateSettings
from pipeline.stages.deduplicate.stage import Candidate, find_duplicates, run

OBJECTS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 99), st.sampled_from("pqrs")),
    max_size=12,
    unique_by=lambda row: row[:2],
)


def candidate(name: str, content: str = "", **more: Any) -> Candidate:
    """Return an object of the source `s<rank>` from `<rank>/<id>`."""
    rank, _, identifier = name.partition("/")
    source = f"s{rank}"
    own = {"name": f"{source}/{identifier}", **more}
    return Candidate(int(rank), f"{source}-{identifier}", source, content or name, **own)


def fingerprint(shape: float = 0.5, joint: float = 1.0, **more: Any) -> dict[str, Any]:
    base = {"faces": 12, "radius": 1.0, "metric": True}
    return {**base, "shape": [shape] * 8, "joints": [[0.0, joint] + [0.5] * 7], **more}


def gone(candidates: list[Candidate]) -> dict[str, str]:
    """Return the sentence of every object that was left out."""
    rejects, _ = find_duplicates(candidates)
    return {row["object_id"]: row["detail"] for row in rejects}


@given(OBJECTS)
def test_exactly_one_object_of_every_content_stays(rows: list[tuple[int, int, str]]) -> None:
    objects = [candidate(f"{rank}/{n:02d}", content) for rank, n, content in rows]
    rejects, findings = find_duplicates(objects)
    left_out = {row["object_id"] for row in rejects}
    kept = [one for one in objects if one.object_id not in left_out]
    assert sorted({one.content for one in kept}) == sorted(one.content for one in kept)
    assert {one.content for one in kept} == {one.content for one in objects}
    for one in kept:
        same = [(x.order, x.object_id) for x in objects if x.content == one.content]
        assert (one.order, one.object_id) == min(same)
    assert len(findings) == len({one.content for one in objects if one.object_id in left_out})
    for table in (rejects, findings):
        ids = [row["object_id"] for row in table]
        assert ids == sorted(ids)


def write_source(source: str, rows: list[dict[str, Any]]) -> None:
    """Write what the stages before say about the objects of a source."""
    texts = ("object_id", "content_sha256", "fingerprint", "source_id", "same_as")
    for stage, names in (("annotate", texts[:3]), ("ingest", (texts[0], *texts[3:]))):
        schema = pa.schema([(name, pa.string()) for name in names])
        table = [{name: row[name] for name in names} for row in rows]
        write_table(layout.records(stage, source, "0000"), table, schema)


def record(source: str, name: str, content: str, **more: Any) -> dict[str, Any]:
    base = {"object_id": f"{source}-{name}", "content_sha256": content, "fingerprint": "{}"}
    return {**base, "source_id": name, "same_as": "[]", **more}


def run_stage(order: list[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    outputs = {name: Path(f"{name}.parquet") for name in ("rejects", "findings")}
    settings = DeduplicateSettings(tuple(order))
    run(ShardJob("deduplicate", "", "", {}, outputs, settings))
    return read_rows(outputs["rejects"]), read_rows(outputs["findings"])


@pytest.mark.parametrize(("order", "stays"), [(["one", "two"], "one-x"), (["two", "one"], "two-a")])
@pytest.mark.parametrize("way", ["content", "declaration", "fingerprint"])
def test_the_source_that_stands_first_keeps_its_object(
    elsewhere: Path, order: list[str], stays: str, way: str
) -> None:
    write_bytes(layout.INDEX, dump_json({"one": 1, "two": 1}))
    seen = json.dumps(fingerprint())
    more: dict[str, dict[str, Any]] = {
        "content": {}, "declaration": {"same_as": '["one/x"]'}, "fingerprint": {"fingerprint": seen}
    }  # fmt: skip
    same = way == "content"
    first = {"fingerprint": seen} if way == "fingerprint" else {}
    write_source("one", [record("one", "x", "same", **first), record("one", "y", "y")])
    twin = record("two", "a", "same" if same else "other", **more[way])
    write_source("two", [twin, record("two", "b", "b")])
    (reject,), (finding,) = run_stage(order)
    left_out = {"one-x", "two-a"} - {stays}
    assert {reject["object_id"]} == left_out
    assert (reject["code"], reject["source"]) == ("duplicate", reject["object_id"].split("-")[0])
    assert stays in reject["detail"]
    assert (finding["object_id"], finding["code"]) == (stays, "duplicate_kept")
    assert left_out.pop() in finding["detail"]


def test_nothing_in_common_is_nothing_said() -> None:
    assert find_duplicates([candidate("0/a"), candidate("0/b", seen=fingerprint())]) == ([], [])


def test_a_declared_copy_is_left_out_where_the_original_is_there() -> None:
    original, copy = candidate("0/7"), candidate("1/7", same_as=("s0/7",))
    assert gone([copy, original]) == {
        "s1-7": "is declared by its source to be the same object as s0-7."
    }
    assert gone([copy]) == {}
    assert gone([candidate("0/8"), copy]) == {}


def test_declarations_hold_transitively_and_through_absent_objects() -> None:
    chain = [
        candidate("0/a"),
        candidate("1/b", same_as=("s0/a",)),
        candidate("2/c", same_as=("s1/b",)),
        candidate("3/d", same_as=("s9/x",)),
        candidate("4/e", same_as=("s9/x",)),
    ]
    for objects in (chain, chain[::-1]):
        assert set(gone(objects)) == {"s1-b", "s2-c", "s4-e"}


def test_declarations_in_a_circle_keep_one() -> None:
    circle = [candidate("1/b", same_as=("s2/c",)), candidate("2/c", same_as=("s1/b",))]
    assert set(gone(circle)) == {"s2-c"}
    assert gone([candidate("1/b", same_as=("s1/b",))]) == {}


def test_the_reason_is_the_strongest_one() -> None:
    seen = fingerprint()
    objects = [
        candidate("0/a", "p", seen=seen),
        candidate("1/content", "p", seen=seen, same_as=("s0/a",)),
        candidate("1/declared", "q", seen=seen, same_as=("s0/a",)),
        candidate("1/shape", "r", seen=seen),
    ]
    sentences = gone(objects)
    assert sentences["s1-content"].startswith("has the same URDF, meshes and textures as s0-a")
    assert sentences["s1-declared"].startswith("is declared by its source")
    assert sentences["s1-shape"].startswith("has, apart from frame and unit, the same geometry")


def test_a_copy_of_a_copy_that_was_left_out_is_left_out_too() -> None:
    other = fingerprint(shape=0.9)
    objects = [
        candidate("0/a", seen=fingerprint()),
        candidate("1/b", same_as=("s0/a",), seen=other),
        candidate("2/c", seen=other),
    ]
    assert set(gone(objects)) == {"s1-b", "s2-c"}


def test_other_joints_are_a_finding_on_both_and_no_reject() -> None:
    objects = [
        candidate("0/a", seen=fingerprint(joint=1.0)),
        candidate("1/b", seen=fingerprint(joint=2.0)),
        candidate("1/c", seen=fingerprint(joints=[])),
        candidate("2/d", seen=fingerprint(joint=2.0)),
    ]
    rejects, findings = find_duplicates(objects)
    assert [row["object_id"] for row in rejects] == ["s2-d"]
    assert [(row["object_id"], row["code"]) for row in findings] == [
        ("s0-a", "shape_shared"), ("s1-b", "duplicate_kept"), ("s1-b", "shape_shared"),
        ("s1-c", "shape_shared"),
    ]  # fmt: skip
    assert findings[0]["detail"] == "has the geometry of s1-b, s1-c, but other joints."


@pytest.mark.parametrize(
    ("other", "is_one"),
    [
        (fingerprint(shape=0.5 + 4e-6), True),
        (fingerprint(shape=0.5 + 4e-5), False),
        (fingerprint(joint=1.0 + 4e-6), True),
        (fingerprint(faces=13), False),
        (fingerprint(radius=2.0), False),
        (fingerprint(radius=2.0, metric=False), True),
        ({}, False),
    ],
)
def test_what_counts_as_the_same(other: dict[str, Any], is_one: bool) -> None:
    found = gone([candidate("0/a", seen=fingerprint()), candidate("1/b", seen=other)])
    assert bool(found) == is_one


@given(st.integers(-5, 5), st.floats(-9e-6, 9e-6), st.floats(-9e-6, 9e-6))
def test_neighbors_are_found_across_the_cells(step: int, first: float, second: float) -> None:
    near = [0.5 + step * 1e-5 + first, 0.5 + second, *[0.5] * 6]
    here = [0.5 + step * 1e-5, *[0.5] * 7]
    objects = [
        candidate("0/a", seen=fingerprint(shape=0.5) | {"shape": here}),
        candidate("1/b", seen=fingerprint(shape=0.5) | {"shape": near}),
    ]
    assert set(gone(objects)) == {"s1-b"}


def test_joints_are_paired_whatever_their_order() -> None:
    joints = [[0.0, 1.0] + [0.5] * 7, [0.0, 1.0 + 4e-6] + [0.7] * 7, [2.0, 1.0] + [0.1] * 7]
    one, two = fingerprint(joints=joints), fingerprint(joints=joints[::-1])
    assert set(gone([candidate("0/a", seen=one), candidate("1/b", seen=two)])) == {"s1-b"}
    twice = fingerprint(joints=[joints[0], joints[0], joints[2]])
    assert gone([candidate("0/a", seen=one), candidate("1/b", seen=twice)]) == {}


def test_thousands_of_copies_cost_one_comparison_each() -> None:
    objects = [candidate(f"0/{n:05d}", seen=fingerprint()) for n in range(5000)]
    assert len(gone(objects)) == 4999
