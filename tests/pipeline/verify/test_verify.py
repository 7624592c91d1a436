# SPDX-License-Identifier: Apache-2.0
"""Verify: each check speaks when it must and only then; reviews and the config decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from pipeline.categorize.taxonomy import load_taxonomy
from pipeline.errors import PipelineError, Rejection
from pipeline.normalize.stage import RECORDS as NORMAL
from pipeline.runner import Outcome, Task
from pipeline.tables import read_rows, write_table
from pipeline.verify.stage import read_reviews, run, verify


@pytest.fixture(autouse=True)
def shipped(workspace: Path) -> Iterator[None]:
    """Work with the repository's taxonomy."""
    load_taxonomy.cache_clear()
    yield
    load_taxonomy.cache_clear()


@pytest.fixture
def check(bench: SimpleNamespace, tmp_path: Path) -> Callable[..., Outcome]:
    """Normalize and verify an object given by its URDF parts."""

    def run_one(
        *parts: str,
        files: dict[str, str] | None = None,
        label: str = "uncategorized",
        reviews: tuple[tuple[str, str], ...] = (),
        change: Callable[[dict[str, Any]], None] = lambda row: None,
        **options: Any,
    ) -> Outcome:
        raw = bench.write_object(tmp_path / "raw", bench.robot(*parts), files)
        row, where = bench.stored(tmp_path / "object.tar", bench.normal(raw))
        change(row)
        settings = bench.SETTINGS | {"verify": bench.SETTINGS["verify"] | options}
        return verify(Task("test-object", (row, where, label, reviews)), settings)

    return run_one


def pair(bench: SimpleNamespace, limit: str, kind: str = "revolute") -> list[str]:
    """Return two boxes and a joint."""
    return [
        bench.box_link("a"),
        bench.box_link("b"),
        bench.joint_text("j", kind, "a", "b", limit=limit),
    ]


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "expected"),
    [
        ("revolute", "-1", "1", []),
        ("revolute", "0", "1", []),
        ("revolute", "-1", "0", []),
        ("revolute", "0.1", "1", ["rest_outside_limits"]),
        ("prismatic", "-2", "-1", ["rest_outside_limits"]),
        ("revolute", "0", "0", ["limit_zero"]),
        ("prismatic", "0.5", "0.5", ["limit_zero", "rest_outside_limits"]),
        ("continuous", "1", "2", []),
    ],
)
def test_ranges_that_cannot_move_or_leave_out_the_rest_state_are_found(
    bench: SimpleNamespace,
    check: Callable[..., Outcome],
    kind: str,
    lower: str,
    upper: str,
    expected: list[str],
) -> None:
    limit = f'lower="{lower}" upper="{upper}" effort="1" velocity="1"'
    outcome = check(*pair(bench, limit, kind))
    assert bench.codes(outcome) == expected
    assert outcome.record["findings"] == len(expected)


GOOD = 'lower="-1" upper="1" effort="1" velocity="1"'


@pytest.mark.parametrize(
    ("diagonal", "is_metric", "expected"),
    [
        (2.2, True, []),
        (2.2 * 4.9, True, []),
        (2.2 / 4.9, True, []),
        (2.2 * 5.1, True, ["size_unusual"]),
        (2.2 / 5.1, True, ["size_unusual"]),
        (2.2 * 50, False, []),
    ],
)
def test_a_size_beyond_the_factor_is_found_for_metric_objects(
    bench: SimpleNamespace,
    check: Callable[..., Outcome],
    diagonal: float,
    is_metric: bool,
    expected: list[str],
) -> None:
    usual = load_taxonomy().categories["door"].usual_size
    assert usual is not None
    scaled = diagonal / 2.2 * usual

    def change(row: dict[str, Any]) -> None:
        row["extents"], row["is_metric"] = [0.0, scaled, 0.0], is_metric

    outcome = check(*pair(bench, GOOD), label="door", change=change)
    assert bench.codes(outcome) == expected


def test_an_open_mesh_is_found(bench: SimpleNamespace, check: Callable[..., Outcome]) -> None:
    opened = "\n".join(bench.box_text((1, 1, 1)).splitlines()[:-1])
    joint = bench.joint_text("j", "revolute", "a", "b")
    parts = [bench.box_link("a"), bench.mesh_link("b", "b.obj"), joint]
    outcome = check(*parts, files={"b.obj": opened})
    assert bench.codes(outcome) == ["mesh_open"]
    assert "link b: 1 of 1" in outcome.findings[0].detail


def rejected(check: Callable[..., Outcome], *parts: str, **options: Any) -> tuple[str, str]:
    """Return reason and detail of the rejection."""
    with pytest.raises(Rejection) as caught:
        check(*parts, **options)
    return str(caught.value.reason), caught.value.detail


def test_an_object_that_never_moves_is_rejected_where_the_config_says_so(
    bench: SimpleNamespace, check: Callable[..., Outcome]
) -> None:
    assert rejected(check, bench.box_link("a"))[0] == "movable_none"
    assert bench.codes(check(bench.box_link("a"), reject=[])) == []


def test_a_finding_rejects_where_the_config_lists_its_code(
    bench: SimpleNamespace, check: Callable[..., Outcome]
) -> None:
    zero = 'lower="0" upper="0" effort="1" velocity="1"'
    reason, detail = rejected(check, *pair(bench, zero), reject=["limit_zero"])
    assert reason == "finding_rejected"
    assert detail.startswith("limit_zero: joint j")


def test_a_person_may_exclude_or_remark(
    bench: SimpleNamespace, check: Callable[..., Outcome]
) -> None:
    parts = pair(bench, GOOD)
    noted = check(*parts, reviews=(("note", "odd color"),))
    assert [(str(f.code), f.detail) for f in noted.findings] == [("review_note", "odd color")]
    both = (("note", "odd"), ("exclude", "broken hinge"))
    assert rejected(check, *parts, reviews=both) == ("excluded_by_review", "broken hinge")


def test_reviews_are_rows_of_three_fields(tmp_path: Path) -> None:
    path = tmp_path / "reviews.tsv"
    path.write_text("s-a\tnote\tone\ns-b\texclude\ttwo\ns-a\tnote\tthree\n")
    assert read_reviews(path) == {
        "s-a": [("note", "one"), ("note", "three")],
        "s-b": [("exclude", "two")],
    }


@pytest.mark.parametrize(
    "line", ["s-a", "s-a\tnote", "s-a exclude why", "s-a\tdelete\twhy", "s-a\tnote\tx\ty", "\t\t"]
)
def test_a_malformed_review_stops_the_shard_with_the_row(tmp_path: Path, line: str) -> None:
    path = tmp_path / "reviews.tsv"
    path.write_text(f"s-b\tnote\tfine\n{line}\n")
    with pytest.raises(PipelineError) as caught:
        read_reviews(path)
    assert repr(line) in str(caught.value)
    assert "issues.tsv" in str(caught.value)


def test_a_shard_keeps_its_books_also_when_categorize_lost_an_object(
    bench: SimpleNamespace, door: Path
) -> None:
    row, where = bench.stored(Path("0000.tar"), bench.normal(door))
    place = {"asset_offset": where.offset, "asset_size": where.size}
    schema = NORMAL
    for name in place:
        schema = schema.append(pa.field(name, pa.int64(), nullable=False))
    rows = [row | place | {"object_id": name} for name in ("a", "b", "c")]
    write_table(Path("records.parquet"), rows, schema)
    labels = pa.schema([("object_id", pa.string()), ("category", pa.string())])
    write_table(
        Path("categories.parquet"), [{"object_id": n, "category": "door"} for n in "ab"], labels
    )
    Path("reviews.tsv").write_text("b\texclude\tugly\nz\tnote\tgone\n")
    inputs = {"records": Path("records.parquet"), "categories": Path("categories.parquet"),
              "reviews": Path("reviews.tsv"), "assets": Path("0000.tar")}  # fmt: skip
    job = bench.shard_job(Path("out"), "verify", inputs=inputs)
    run(job)
    assert [r["object_id"] for r in read_rows(job.outputs["records"])] == ["a"]
    assert [
        (r["object_id"], r["code"], r["detail"]) for r in read_rows(job.outputs["rejects"])
    ] == [("b", "excluded_by_review", "ugly")]
