# SPDX-License-Identifier: Apache-2.0
"""Ingest keeps the facts of the source unchanged; a broken object is a row and stops nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import Rejection
from pipeline.base.tables import read_rows
from pipeline.engine.runner import Outcome, Task
from pipeline.engine.settings import dump
from pipeline.raw.inventory import scan_source
from pipeline.raw.records import Found
from pipeline.stages.ingest.stage import IngestInput, ingest, run
from tests.kit import bench
from tests.kit.settings import SETTINGS, changed, facts_of

FACTS = {
    "adapter": "generated",
    "license": "unknown",
    "attribution": "somebody",
    "frame": {"up": "z", "front": "x"},
    "scale": "metric",
}
META = {
    "name": "Door",
    "description": "A door.",
    "category": "door",
    "license": "CC0-1.0",
    "parts": {"leaf": "door leaf"},
    "seed": 7,
}


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Return the root of a source with one good object `door`."""
    folder = tmp_path / "raw" / "door"
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text(json.dumps(META))
    (folder / "model.urdf").write_text("<robot/>")
    return tmp_path / "raw"


def ingested(raw: Path, *, budgets: dict[str, Any] | None = None, **facts: Any) -> Outcome:
    """Ingest the object `door`."""
    settings = changed(SETTINGS, budgets={"raw_bytes": 10**6, **(budgets or {})})
    described = facts_of(raw, **FACTS | facts)
    found = Found("door", ("door",))
    return ingest(Task("s-door", IngestInput("s", described, found, "d" * 64, None)), settings)


def rejected(raw: Path, **options: Any) -> str:
    """Return the reason for which `door` is rejected."""
    with pytest.raises(Rejection) as caught:
        ingested(raw, **options)
    assert caught.value.detail.endswith(".")
    return str(caught.value.reason)


def test_a_record_contains_the_facts_of_the_source(raw: Path) -> None:
    record = ingested(raw).record
    assert record.name == "Door"
    assert record.label == "door"
    assert record.model == "model.urdf"
    assert record.parts == {"leaf": "door leaf"}
    assert (record.license, record.redistribution) == ("CC0-1.0", "assets")
    assert record.attribution == "somebody"
    told = {"seed": "7", "facts_from": "meta.json", "raw_sha256": "d" * 64}
    assert record.provenance == told


def test_every_fact_of_a_source_is_kept_as_text(raw: Path) -> None:
    told = {"text": "7", "number": 7, "nothing": None, "list": ["b", 1.5], "map": {"b": {}, "a": 1}}
    (raw / "door" / "meta.json").write_text(json.dumps(META | told))
    provenance = ingested(raw).record.provenance
    assert {key: provenance[key] for key in told} == {
        "text": "7", "number": "7", "nothing": None, "list": '["b",1.5]', "map": '{"a":1,"b":{}}'
    }  # fmt: skip


@pytest.mark.parametrize(
    ("own", "source", "license_id", "allowed"),
    [
        ("", "CC0-1.0", "CC0-1.0", "assets"),
        ("", "unknown", "unknown", "none"),
        ("CC-BY-NC-4.0", "CC0-1.0", "CC-BY-NC-4.0", "annotations"),
        ("do what you like", "CC0-1.0", "do what you like", "none"),
        ("MIT", "unknown", "MIT", "assets"),
    ],
)
def test_the_objects_own_license_has_priority_and_unknown_is_not_released(
    raw: Path, own: str, source: str, license_id: str, allowed: str
) -> None:
    (raw / "door" / "meta.json").write_text(json.dumps(META | {"license": own}))
    record = ingested(raw, license=source).record
    assert (record.license, record.redistribution) == (license_id, allowed)


def test_a_license_that_requires_attribution_releases_nothing_without_it(raw: Path) -> None:
    (raw / "door" / "meta.json").write_text(json.dumps(META | {"license": "CC-BY-4.0"}))
    assert ingested(raw, attribution="somebody").record.redistribution == "assets"
    assert ingested(raw, attribution="").record.redistribution == "none"
    (raw / "door" / "meta.json").write_text(json.dumps(META | {"license": "CC0-1.0"}))
    assert ingested(raw, attribution="").record.redistribution == "assets"


@pytest.mark.parametrize("word", ["annotations", "none"])
def test_the_source_lowers_what_a_release_may_contain(raw: Path, word: str) -> None:
    assert ingested(raw, redistribution=word).record.redistribution == word


def test_the_source_cannot_forge_its_provenance(raw: Path) -> None:
    forged = META | {"raw_sha256": "0" * 64, "facts_from": "heaven"}
    (raw / "door" / "meta.json").write_text(json.dumps(forged))
    provenance = ingested(raw).record.provenance
    assert provenance["raw_sha256"] == "d" * 64
    assert provenance["facts_from"] == "meta.json"


def test_an_object_without_a_name_is_called_like_its_folder(raw: Path) -> None:
    (raw / "door" / "meta.json").write_text("{}")
    record = ingested(raw).record
    assert (record.name, record.label, record.description) == ("door", "", "")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"5", b'"text"', b"\xff\xfe", b'{"seed": NaN}',
        b'{"seed": Infinity}', b'{"name": 5}', b'{"name": null}', b'{"license": ["MIT"]}',
        b'{"parts": []}', b'{"parts": {"a": 1}}', b"[" * 100_000, b'{"a":' * 100_000,
        b'{"n": ' + b"9" * 5000 + b"}", b'{"n": 1e999}',
    ],
)  # fmt: skip
def test_unexpected_metadata_of_a_source_are_a_rejection(raw: Path, content: bytes) -> None:
    (raw / "door" / "meta.json").write_bytes(content)
    assert rejected(raw) == "metadata_invalid"


def test_missing_files_are_rejections(raw: Path) -> None:
    (raw / "door" / "model.urdf").unlink()
    assert rejected(raw) == "urdf_missing"
    (raw / "door" / "meta.json").unlink()
    assert rejected(raw) == "metadata_missing"


def test_metadata_elsewhere_are_not_read_and_a_pipe_is_not_opened(raw: Path) -> None:
    meta = raw / "door" / "meta.json"
    meta.rename(raw / "elsewhere.json")
    meta.symlink_to(raw / "elsewhere.json")
    assert rejected(raw) == "metadata_missing"
    meta.unlink()
    os.mkfifo(meta)
    assert rejected(raw) == "metadata_missing"


def test_an_object_beyond_its_budget_is_a_rejection(raw: Path) -> None:
    total = sum(path.stat().st_size for path in (raw / "door").iterdir())
    assert ingested(raw, budgets={"raw_bytes": total}).record.name == "Door"
    assert rejected(raw, budgets={"raw_bytes": total - 1}) == "too_many_bytes"


def test_text_that_no_table_holds_does_not_stop_the_shard(workspace: Path, raw: Path) -> None:
    odd = {"name": "\ud800", "parts": {"\ud800": "\udfff"}, "note": "\ud800", "category": "\ud800"}
    (raw / "odd").mkdir()
    (raw / "odd" / "meta.json").write_text(json.dumps(odd))
    (raw / "odd" / "model.urdf").write_text("<robot/>")
    (raw / "empty").mkdir()
    objects = scan_source("local", "generated", raw)
    Path("inventory.tsv").write_text("".join(one.row() for one in objects))
    Path("facts.json").write_bytes(dump(facts_of(raw, **FACTS)))
    inputs = {"inventory": Path("inventory.tsv"), "facts": Path("facts.json")}
    job = bench.shard_job(Path("out"), "ingest", source="local", inputs=inputs)
    run(job)
    records = {row["object_id"]: row for row in read_rows(job.outputs["records"])}
    assert set(records) == {"local-door", "local-odd"}
    assert records["local-odd"]["name"] == "?"
    assert dict(records["local-odd"]["parts"]) == {"?": "?"}
    rejects = read_rows(job.outputs["rejects"])
    assert [(row["object_id"], row["code"]) for row in rejects] == [
        ("local-empty", "metadata_missing")
    ]
