# SPDX-License-Identifier: Apache-2.0
"""Filters of the config: what is left out is a row with a sentence, and nothing else is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pipeline.base import layout
from pipeline.base.errors import ConfigError, Rejection
from pipeline.base.tables import read_rows
from pipeline.engine.checked_yaml import read_yaml
from pipeline.engine.config import load_config, parse_config
from pipeline.engine.runner import Task
from pipeline.engine.settings import Filter, IngestSettings, dump, select, structured
from pipeline.engine.sources import load_sources
from pipeline.raw.inventory import adapter_module, scan_source
from pipeline.stages.ingest.filters import require_wanted
from pipeline.stages.ingest.stage import IngestInput, ingest, run
from tests.kit import bench, raw_sources
from tests.kit.places import sample_folder


@pytest.mark.parametrize(
    ("told", "rules", "passes"),
    [
        ({"rating": 4}, {"rating": {"at_least": 4}}, True),
        ({"rating": 3.5}, {"rating": {"at_least": 4}}, False),
        ({"rating": None}, {"rating": {"at_least": 4}}, False),
        ({"rating": "5"}, {"rating": {"at_least": 4}}, False),
        ({}, {"rating": {"at_least": 4}}, True),
        ({"tier": "viable"}, {"tier": {"one_of": ["viable"]}}, True),
        ({"tier": "broken"}, {"tier": {"one_of": ["viable"]}}, False),
        ({"tier": None}, {"tier": {"none_of": ["broken"]}}, False),
        ({"tier": "broken"}, {"tier": {"none_of": ["broken"]}}, False),
        ({"tier": "viable"}, {"tier": {"none_of": ["broken"]}}, True),
        (
            {"rating": 5, "model": "a"},
            {"rating": {"at_least": 4}, "model": {"none_of": ["a"]}},
            False,
        ),
        ({"rating": 1}, {}, True),
    ],
)
def test_a_filter_reads_a_field_of_the_provenance(
    told: dict[str, Any], rules: dict[str, Any], passes: bool
) -> None:
    wanted = structured(Mapping[str, Filter], rules)
    if passes:
        require_wanted(told, wanted)
        return
    with pytest.raises(Rejection) as caught:
        require_wanted(told, wanted)
    assert str(caught.value.reason) == "filtered_by_config"
    assert caught.value.detail.endswith(".")


def test_a_filtered_record_is_a_row_and_the_books_balance(workspace: Path) -> None:
    raw = Path("raw")
    for name, change in {"rec_a_0001": {}, "rec_b_0001": {"rating": 3}}.items():
        record = raw_sources.articraft_record(record_id=name, **change)
        raw_sources.write(raw / name, {**raw_sources.articraft(), "record.json": record})
    raw_sources.write(
        raw / "rec_c_0001", raw_sources.articraft_model()
    )  # a release without ratings
    facts = load_sources()["articraft_10k"].facts(str(raw))
    objects = scan_source("articraft_10k", "articraft", raw)
    Path("inventory.tsv").write_text("".join(one.row() for one in objects))
    Path("facts.json").write_bytes(dump(facts))
    inputs = {"inventory": Path("inventory.tsv"), "facts": Path("facts.json")}
    settings = select(load_config(), IngestSettings)
    job = bench.shard_job(
        Path("out"), "ingest", source="articraft_10k", inputs=inputs, settings=settings
    )
    run(job)
    kept = [row["source_id"] for row in read_rows(job.outputs["records"])]
    left = [(row["object_id"], row["code"]) for row in read_rows(job.outputs["rejects"])]
    assert kept == ["rec_a_0001", "rec_c_0001"]
    assert left == [("articraft_10k-rec_b_0001", "filtered_by_config")]


def test_real_records_are_kept_by_rating_and_model(workspace: Path) -> None:
    root = sample_folder("articraft")
    settings = select(load_config(), IngestSettings)
    facts = load_sources()["articraft_10k"].facts(str(root))
    kept = set()
    for found in adapter_module("articraft").discover(root):
        try:
            ingest(Task("x", IngestInput("articraft_10k", facts, found, "d" * 64, None)), settings)
            kept.add(found.name)
        except Rejection as rejection:
            assert str(rejection.reason) == "filtered_by_config"
    records = [json.loads(path.read_text()) for path in root.glob("*/record.json")]
    assert kept == {
        r["record_id"] for r in records if r["rating"] >= 4 and "hy3" not in r["model_id"]
    }
    assert kept != {r["record_id"] for r in records}


@pytest.mark.parametrize(
    ("filters", "word"),
    [
        ({"articraft_10k": {"rating": {"more_than": 4}}}, "more_than"),
        ({"articraft_10k": {"rating": {"at_least": "4"}}}, "rating"),
        ({"nobody": {"rating": {"at_least": 4}}}, "filters.nobody"),
        ({"articraft_10k": {"rating": {}}}, "rating"),
        ({"articraft_10k": {"rating": {"one_of": [None]}}}, "rating"),  # nothing passes by null
        ({"articraft_10k": {"ratings": {"at_least": 4}}}, r"filters.articraft_10k.ratings: no rec"),
        ({"partnet_mobility": {"rating": {"at_least": 4}}}, r"there are absent, anno_id"),
    ],
)
def test_a_mistake_in_the_filters_is_a_sentence(
    workspace: Path, filters: dict[str, Any], word: str
) -> None:
    with pytest.raises(ConfigError, match=word):
        parse_config(read_yaml(layout.CONFIG) | {"filters": filters})


def test_the_own_fields_of_an_object_may_be_filtered_by(workspace: Path) -> None:
    filters = {"local": {"whatever": {"one_of": [1]}}}
    assert parse_config(read_yaml(layout.CONFIG) | {"filters": filters}).filters["local"]
