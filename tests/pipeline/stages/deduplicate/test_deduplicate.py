# SPDX-License-Identifier: Apache-2.0
"""Every object stays once: the first one by the order of the sources, whatever makes them one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base import layout
from pipeline.base.tables import dump_json, read_rows, write_bytes, write_table
from pipeline.engine.runner import Job
from pipeline.engine.settings import DeduplicateSettings
from pipeline.handover.annotated import (
    MOTION_NUMBERS,
    SHAPE_NUMBERS,
    AnnotatedFacts,
    Fingerprint,
)
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.records import Frame
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


def motion(kind: float, *first: float, rest: float = 0.5) -> tuple[float, ...]:
    """Return the numbers of a joint."""
    return (kind, *first, *[rest] * (MOTION_NUMBERS - 1 - len(first)))


def fingerprint(shape: float = 0.5, joint: float = 1.0, **more: Any) -> Fingerprint:
    base = {"faces": 12, "radius": 1.0, "is_metric": True, "shape": (shape,) * SHAPE_NUMBERS}
    return Fingerprint(**{**base, "joints": (motion(0.0, joint),), **more})


def test_a_fingerprint_of_other_lengths_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="a shape has 16 numbers, not 8"):
        replace(fingerprint(), shape=(0.5,) * 8)
    with pytest.raises(ValueError, match="a motion has 12 numbers, not 9"):
        replace(fingerprint(), joints=((0.5,) * 9,))


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
    """Write the records of the stages before for the objects of a source."""
    for stage, kind in (("annotate", AnnotatedFacts), ("ingest", IngestedRecord)):
        table = [{name: row[name] for name in kind.schema().names} for row in rows]
        write_table(layout.records(stage, source, "0000"), table, kind.schema())


def record(
    source: str,
    name: str,
    content: str,
    *,
    fingerprint: Fingerprint | None = None,
    same_as: tuple[str, ...] = (),
) -> dict[str, Any]:
    raw = IngestedRecord(
        source, name, ("x",), "x.urdf", "urdf", Frame("z"), "metric", 1.0, same_as=same_as
    )
    facts = AnnotatedFacts(content, fingerprint, depth=1)
    return {"object_id": f"{source}-{name}", **raw.to_row(), **facts.to_row()}


def run_stage(order: list[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    outputs = {name: Path(f"{name}.parquet") for name in ("rejects", "findings")}
    settings = DeduplicateSettings(tuple(order))
    run(Job("deduplicate", "", "", {}, outputs, settings))
    return read_rows(outputs["rejects"]), read_rows(outputs["findings"])


@pytest.mark.parametrize(("order", "stays"), [(["one", "two"], "one-x"), (["two", "one"], "two-a")])
@pytest.mark.parametrize("way", ["content", "declaration", "fingerprint"])
def test_the_source_listed_first_keeps_its_object(
    elsewhere: Path, order: list[str], stays: str, way: str
) -> None:
    write_bytes(layout.INDEX, dump_json({"one": 1, "two": 1}))
    seen = fingerprint()
    more: dict[str, dict[str, Any]] = {
        "content": {}, "declaration": {"same_as": ("one/x",)}, "fingerprint": {"fingerprint": seen}
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


def test_objects_with_nothing_in_common_have_no_finding() -> None:
    assert find_duplicates([candidate("0/a"), candidate("0/b", fingerprint=fingerprint())]) == (
        [],
        [],
    )


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
        candidate("0/a", "p", fingerprint=seen),
        candidate("1/content", "p", fingerprint=seen, same_as=("s0/a",)),
        candidate("1/declared", "q", fingerprint=seen, same_as=("s0/a",)),
        candidate("1/shape", "r", fingerprint=seen),
    ]
    sentences = gone(objects)
    assert sentences["s1-content"].startswith("has the same URDF, meshes and textures as s0-a")
    assert sentences["s1-declared"].startswith("is declared by its source")
    assert sentences["s1-shape"].startswith("has, apart from frame and unit, the same geometry")


def test_a_copy_of_a_copy_that_was_left_out_is_left_out_too() -> None:
    other = fingerprint(shape=0.9)
    objects = [
        candidate("0/a", fingerprint=fingerprint()),
        candidate("1/b", same_as=("s0/a",), fingerprint=other),
        candidate("2/c", fingerprint=other),
    ]
    assert set(gone(objects)) == {"s1-b", "s2-c"}


def test_other_joints_are_a_finding_on_both_and_no_reject() -> None:
    objects = [
        candidate("0/a", fingerprint=fingerprint(joint=1.0)),
        candidate("1/b", fingerprint=fingerprint(joint=2.0)),
        candidate("1/c", fingerprint=fingerprint(joints=())),
        candidate("2/d", fingerprint=fingerprint(joint=2.0)),
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
        (fingerprint(radius=2.0, is_metric=False), True),
        (None, False),
    ],
)
def test_what_counts_as_the_same(other: Fingerprint | None, is_one: bool) -> None:
    found = gone([candidate("0/a", fingerprint=fingerprint()), candidate("1/b", fingerprint=other)])
    assert bool(found) == is_one


@given(st.integers(-5, 5), st.floats(-9e-6, 9e-6), st.floats(-9e-6, 9e-6))
def test_neighbors_are_found_across_the_cells(step: int, first: float, second: float) -> None:
    rest = (0.5,) * (SHAPE_NUMBERS - 2)
    near = (0.5 + step * 1e-5 + first, 0.5 + second, *rest)
    here = (0.5 + step * 1e-5, 0.5, *rest)
    objects = [
        candidate("0/a", fingerprint=replace(fingerprint(), shape=here)),
        candidate("1/b", fingerprint=replace(fingerprint(), shape=near)),
    ]
    assert set(gone(objects)) == {"s1-b"}


def test_joints_are_paired_in_any_order() -> None:
    joints = (
        motion(0.0, 1.0),
        motion(0.0, 1.0 + 4e-6, rest=0.7),
        motion(2.0, 1.0, rest=0.1),
    )
    one, two = fingerprint(joints=joints), fingerprint(joints=joints[::-1])
    assert set(gone([candidate("0/a", fingerprint=one), candidate("1/b", fingerprint=two)])) == {
        "s1-b"
    }
    twice = fingerprint(joints=(joints[0], joints[0], joints[2]))
    assert gone([candidate("0/a", fingerprint=one), candidate("1/b", fingerprint=twice)]) == {}


def test_thousands_of_copies_cost_one_comparison_each() -> None:
    objects = [candidate(f"0/{n:05d}", fingerprint=fingerprint()) for n in range(5000)]
    assert len(gone(objects)) == 4999
