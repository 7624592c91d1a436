# SPDX-License-Identifier: Apache-2.0
"""Articraft-10K: archives, folders and records with their output are the same objects."""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from pipeline.raw.records import RawRecord
from pipeline.stages.categorize.rules import decide
from tests.kit import raw_sources
from tests.kit.places import sample_folder

ADAPTER = "articraft"
FREE = "rec_create-a-realistic-articulated-desk-lamp-with-a-_20260514_221150_836652_f0074cc6"


def packed(top: str, files: dict[str, Any]) -> bytes:
    """Return the files as a released archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            data = content.encode()
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def test_an_archive_a_folder_and_a_checkout_are_the_same_object(tmp_path: Path) -> None:
    name, model = raw_sources.RECORD_ID, raw_sources.articraft_model()
    notes = {"record.json": raw_sources.articraft_record(), "prompt.txt": "A bell tower."}
    raw_sources.write(tmp_path / "tar", {f"{name}.tar.gz": packed(name, model)})
    raw_sources.write(tmp_path / "nested" / "archives", {f"{name}.tar.gz": packed(name, model)})
    raw_sources.write(tmp_path / "plain" / name, model)
    raw_sources.write(tmp_path / "one" / name, {**model, **notes})
    raw_sources.write(tmp_path / "two" / "data/records" / name, notes)
    raw_sources.write(tmp_path / "two" / "data/cache/record_materialization" / name, model)
    said = {
        form: raw_sources.read(ADAPTER, tmp_path / form)[name]
        for form in ("tar", "nested", "plain", "one", "two")
    }
    assert {record.name for record in said.values()} == {"Bell tower with swinging bell"}
    for form in ("tar", "nested", "plain"):
        assert (said[form].model, said[form].label) == ("model.urdf", "")
        assert "rating" not in said[form].provenance
    for form in ("one", "two"):
        assert said[form].label == "bell_tower"
        assert said[form].description == "A bell tower."
        assert said[form].provenance["rating"] == 5
    assert said["two"].model == f"data/cache/record_materialization/{name}/model.urdf"


def test_each_record_is_listed_once_and_the_compiled_one_wins(tmp_path: Path) -> None:
    name, model = raw_sources.RECORD_ID, raw_sources.articraft_model()
    raw_sources.write(tmp_path, {f"{name}.tar.gz": packed(name, model)})
    raw_sources.write(
        tmp_path / "data/records" / name, {"record.json": raw_sources.articraft_record()}
    )
    assert raw_sources.read(ADAPTER, tmp_path)[name].label == ""  # the archive: the record is bare
    raw_sources.write(tmp_path / "data/cache/record_materialization" / name, model)
    assert raw_sources.read(ADAPTER, tmp_path)[name].label == "bell_tower"


def test_a_record_that_was_not_compiled_is_a_reject_with_the_next_step(tmp_path: Path) -> None:
    raw_sources.write(
        tmp_path / "data/records" / "rec_a_0001", {"record.json": raw_sources.articraft_record()}
    )
    raw_sources.write(tmp_path / "rec_b_0002", {"record.json": raw_sources.articraft_record()})
    (tmp_path / "data" / "categories").mkdir()
    (tmp_path / "INDEX.csv").write_text("")
    said = raw_sources.read(ADAPTER, tmp_path)
    assert set(said) == {"rec_a_0001", "rec_b_0002"}
    for rejection in said.values():
        assert str(rejection.reason) == "urdf_missing"
        assert "compile" in rejection.detail


def test_a_record_of_schema_3_keeps_its_prompt_in_a_revision(tmp_path: Path) -> None:
    record = raw_sources.articraft_record(
        schema_version=3,
        record_id=FREE,
        active_revision_id="rev_000001",
        category_slug="articulated_task_lamp",
        artifacts={"prompt_txt": "revisions/rev_000001/prompt.txt"},
        display={"title": "Create a realistic articulated desk lamp."},
    )
    notes = {
        "record.json": record,
        "revisions/rev_000001/prompt.txt": "Create a lamp\n  with a base.\n\nMore.",
        "collections/dataset.json": "{}",
    }
    raw_sources.write(tmp_path / "data/records" / FREE, notes)
    raw_sources.write(
        tmp_path / "data/cache/record_materialization" / FREE, raw_sources.articraft_model()
    )
    said = raw_sources.read(ADAPTER, tmp_path)[FREE]
    assert said.description == "Create a lamp with a base."
    assert said.name == "Create a realistic articulated desk lamp."
    assert said.provenance["active_revision_id"] == "rev_000001"
    assert said.provenance["record_schema"] == 3


@pytest.mark.parametrize(
    ("first", "second", "lowest"), [(5, 3, 3), (4, None, 4), (None, None, None), (2, 5, 2)]
)
def test_both_ratings_are_recorded(
    tmp_path: Path, first: object, second: object, lowest: object
) -> None:
    record = raw_sources.articraft_record(rating=first, secondary_rating=second)
    raw_sources.write(
        tmp_path / raw_sources.RECORD_ID, {**raw_sources.articraft(), "record.json": record}
    )
    told = raw_sources.read(ADAPTER, tmp_path)[raw_sources.RECORD_ID].provenance
    assert (told["rating"], told["secondary_rating"], told["lowest_rating"]) == (
        first, second, lowest,
    )  # fmt: skip
    assert told["model_id"] == "gpt-5.4"
    assert told["compile_status"] == "success"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[]", "metadata_invalid"),
        ('{"rating": "5"}', "metadata_invalid"),
        ('{"rating": true}', "metadata_invalid"),
        ('{"model_id": 5}', "metadata_invalid"),
        ('{"artifacts": []}', "metadata_invalid"),
        ('{"artifacts": {"prompt_txt": "../../../../etc/passwd"}}', "mesh_outside"),
        ('{"artifacts": {"prompt_txt": "/etc/passwd"}}', "mesh_outside"),
        ('{"category_slug": ["a"]}', "metadata_invalid"),
    ],
)
def test_a_record_of_another_layout_is_a_rejection(
    tmp_path: Path, content: str, reason: str
) -> None:
    raw_sources.write(tmp_path / "rec_a_0001", {**raw_sources.articraft(), "record.json": content})
    assert str(raw_sources.read(ADAPTER, tmp_path)["rec_a_0001"].reason) == reason


def test_a_record_about_another_object_is_a_finding(tmp_path: Path) -> None:
    raw_sources.write(tmp_path / "rec_a_0001", raw_sources.articraft())
    (finding,) = raw_sources.read(ADAPTER, tmp_path)["rec_a_0001"].findings
    assert str(finding.code) == "source_disagrees"
    assert raw_sources.RECORD_ID in finding.detail


def test_a_long_prompt_ends_at_a_word(tmp_path: Path) -> None:
    raw_sources.write(
        tmp_path / "rec_a_0001", {**raw_sources.articraft_model(), "prompt.txt": "lamp " * 200}
    )
    said = raw_sources.read(ADAPTER, tmp_path)["rec_a_0001"].description
    assert re.fullmatch(r"(lamp )+\.\.\.", said)
    assert 390 <= len(said) <= 410


def test_a_cut_archive_is_a_rejection(tmp_path: Path) -> None:
    data = packed("rec_a_0001", raw_sources.articraft_model())
    raw_sources.write(
        tmp_path, {"rec_a_0001.tar.gz": data[: len(data) // 2], "rec_b_0001.tar.gz": b""}
    )
    said = raw_sources.read(ADAPTER, tmp_path)
    assert {str(rejection.reason) for rejection in said.values()} == {"archive_invalid"}


def test_real_records_agree_with_their_files() -> None:
    root = sample_folder("articraft")
    said = raw_sources.read(ADAPTER, root)
    assert set(said) == {path.parent.name for path in root.glob("*/model.urdf")}
    for name, record in said.items():
        assert isinstance(record, RawRecord), record
        written = json.loads((root / name / "record.json").read_text())
        assert record.label == written["category_slug"]
        assert record.provenance["rating"] == written["rating"]
        assert record.provenance["model_id"] == written["model_id"]
        words = (root / name / "prompt.txt").read_text().split()
        start = record.description.removesuffix(" ...").split()
        assert start == words[: len(start)]
        assert record.findings == ()


def test_real_records_get_a_category_by_their_id() -> None:
    for name, record in raw_sources.read(ADAPTER, sample_folder("articraft")).items():
        decision = decide(record.label, source="articraft_10k", source_id=name, name=record.name)
        assert decision.category is not None, (name, decision.steps)
