# SPDX-License-Identifier: Apache-2.0
"""The stage: reviews, findings of earlier stages and the config decide; the books are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aa_dataset.format.schema import TABLES
from pipeline.base.assets import COLUMNS
from pipeline.base.errors import Rejection
from pipeline.base.tables import read_rows, write_table
from pipeline.engine.runner import Outcome
from pipeline.handover.categorized import CategoryRecord
from pipeline.handover.normalized import NormalRecord
from pipeline.handover.verified import VerifiedRecord
from pipeline.raw.taxonomy import load_taxonomy
from pipeline.stages.verify.stage import EARLIER, run
from tests.kit import bench
from tests.kit import settings as settings_kit

GOOD = 'lower="-1" upper="1" effort="1" velocity="1"'


def pair(limit: str = GOOD, kind: str = "revolute") -> list[str]:
    """Return two boxes on a common axis, and a joint about it."""
    place = '<origin xyz="0 0 0.4"/>'
    return [
        bench.box_link("a"),
        bench.box_link("b", inner=place),
        bench.joint_text("j", kind, "a", "b", limit=limit),
    ]


def rejected(check: Callable[..., Outcome], *parts: str, **options: Any) -> tuple[str, str]:
    """Return reason and detail of the rejection."""
    with pytest.raises(Rejection) as caught:
        check(*parts, **options)
    return str(caught.value.reason), caught.value.detail


def test_a_sound_object_has_no_finding(check: Callable[..., Outcome]) -> None:
    outcome = check(*pair())
    assert bench.codes(outcome) == []
    assert outcome.record == VerifiedRecord(0)


def test_findings_are_counted(check: Callable[..., Outcome]) -> None:
    outcome = check(*pair('lower="0.1" upper="1" effort="1" velocity="1"'))
    assert bench.codes(outcome) == ["rest_outside_limits"]
    assert outcome.record == VerifiedRecord(1)


def test_a_size_is_compared_with_the_category(check: Callable[..., Outcome]) -> None:
    usual = load_taxonomy().categories["door"].usual_size
    assert usual is not None

    def resize(normal: NormalRecord) -> NormalRecord:
        return replace(normal, extents=(0.0, 1000 * usual, 0.0))

    outcome = check(*pair(), label="door", change=resize)
    assert "unit_suspected" in bench.codes(outcome)


def test_an_object_that_never_moves_is_rejected_if_configured(
    check: Callable[..., Outcome],
) -> None:
    assert rejected(check, bench.box_link("a")) == ("movable_none", "every joint is fixed.")
    assert bench.codes(check(bench.box_link("a"), reject=[])) == ["movable_none"]


def test_a_finding_rejects_where_the_config_lists_its_code(check: Callable[..., Outcome]) -> None:
    outside = 'lower="0.5" upper="1" effort="1" velocity="1"'
    reason, detail = rejected(check, *pair(outside), reject=["rest_outside_limits"])
    assert reason == "finding_rejected"
    assert detail.startswith("rest_outside_limits: joint j")


def test_a_finding_of_an_earlier_stage_rejects_where_the_config_lists_its_code(
    check: Callable[..., Outcome],
) -> None:
    told = (("texture_missing", "wood.png is absent."),)
    assert bench.codes(check(*pair(), earlier=told)) == []
    reason = rejected(check, *pair(), earlier=told, reject=["texture_missing"])
    assert reason == ("finding_rejected", "texture_missing: wood.png is absent.")


def test_a_person_may_exclude_or_remark(check: Callable[..., Outcome]) -> None:
    noted = check(*pair(), reviews=(("note", "odd color"),))
    assert [(str(f.code), f.detail) for f in noted.findings] == [("review_note", "odd color")]
    both = (("note", "odd"), ("exclude", "broken hinge"))
    assert rejected(check, *pair(), reviews=both) == ("excluded_by_review", "broken hinge")


def finding_row(object_id: str, stage: str, code: str, detail: str) -> dict[str, str]:
    return {"object_id": object_id, "stage": stage, "code": code, "severity": "warning",
            "detail": detail}  # fmt: skip


def test_a_shard_accounts_for_every_object_and_applies_reviews_and_earlier_findings(
    door: Path, shipped: None
) -> None:
    row, where = bench.stored(Path("0000.tar"), bench.normal(door))
    place = {"asset_offset": where.offset, "asset_size": where.size, "asset_sha256": where.sha256}
    schema = NormalRecord.schema()
    for column in COLUMNS:
        schema = schema.append(column)
    rows = [{"object_id": name, **row.to_row(), **place} for name in "abcdef"]
    write_table(Path("records.parquet"), rows, schema)
    door_row = CategoryRecord("door", "Doors", "metadata: door").to_row()
    named = [{"object_id": n, **door_row} for n in "abdef"]  # categorize lost c
    write_table(Path("categories.parquet"), named, CategoryRecord.schema())
    Path("reviews.tsv").write_text("b\texclude\tugly\nz\tnote\tgone\n")
    told = {
        "ingest_findings": [finding_row("d", "ingest", "limit_missing", "no limit.")],
        "normalize_findings": [finding_row("e", "normalize", "texture_missing", "no picture.")],
        "categorize_findings": [finding_row("f", "categorize", "label_unknown", "no label.")],
    }
    for name, found in told.items():
        write_table(Path(f"{name}.parquet"), found, TABLES["findings"])
    inputs = {name: Path(f"{name}.parquet") for name in ("records", "categories", *EARLIER)}
    inputs |= {"reviews": Path("reviews.tsv"), "assets": Path("0000.tar")}
    listed = {"reject": ["limit_missing", "texture_missing"]}
    settings = settings_kit.changed(settings_kit.SETTINGS, verify=listed)
    job = bench.shard_job(Path("out"), "verify", inputs=inputs, settings=settings)
    run(job)
    assert [r["object_id"] for r in read_rows(job.outputs["records"])] == ["a", "f"]
    assert [
        (r["object_id"], r["code"], r["detail"]) for r in read_rows(job.outputs["rejects"])
    ] == [
        ("b", "excluded_by_review", "ugly"),
        ("d", "finding_rejected", "limit_missing: no limit."),
        ("e", "finding_rejected", "texture_missing: no picture."),
    ]


def test_verifying_twice_gives_the_same_bytes(check: Callable[..., Outcome]) -> None:
    limit = 'lower="-2" upper="2" effort="1" velocity="1"'
    parts = [*pair(limit), bench.box_link("c", inner='<origin xyz="0.05 0 0.8"/>'),
             bench.joint_text("k", "prismatic", "b", "c", axis="0 0 -1", limit=limit)]  # fmt: skip
    first, second = check(*parts), check(*parts)
    assert first.findings
    assert list(first.findings) == list(second.findings)
