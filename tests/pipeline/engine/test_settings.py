# SPDX-License-Identifier: Apache-2.0
"""Settings are types: they agree with file and schema, and survive the way to a stage."""

from __future__ import annotations

import dataclasses
import json
import pickle
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from pipeline.base import layout
from pipeline.engine.checked_yaml import read_yaml
from pipeline.engine.config import load_config, stage_settings
from pipeline.engine.settings import Config, DeduplicateSettings, dump, read, select
from pipeline.engine.sources import Description
from pipeline.engine.stages import STAGES
from tests.kit.places import REPOSITORY

JSON_TYPES = {int: "integer", float: "number", str: "string"}


def compare(kind: Any, schema: dict[str, Any], where: str, whole: dict[str, Any]) -> None:
    """Hold a type against the part of the schema about it."""
    schema = whole["$defs"][schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
    if dataclasses.is_dataclass(kind):
        names = {field.name for field in fields(kind)}
        nothing = dataclasses.MISSING
        needed = {f.name for f in fields(kind) if {f.default, f.default_factory} == {nothing}}
        assert set(schema["properties"]) == names, where
        assert set(schema.get("required", ())) == needed, where
        assert schema["additionalProperties"] is False, where
        for name, inner in get_type_hints(kind).items():
            if where != "config" or name != "sources":  # said in one form, meant in another
                compare(inner, schema["properties"][name], f"{where}.{name}", whole)
    elif get_origin(kind) is Mapping:
        assert schema["type"] == "object", where
        if "properties" not in schema:
            compare(get_args(kind)[1], schema["additionalProperties"], where, whole)
    elif get_origin(kind) is tuple:
        assert schema["type"] == "array", where
    elif kind in JSON_TYPES and "enum" not in schema:
        assert schema["type"] == JSON_TYPES[kind], where


@pytest.mark.parametrize(
    ("kind", "path", "where"),
    [(Config, layout.CONFIG_SCHEMA, "config"), (Description, layout.SOURCES_SCHEMA, "sources")],
)
def test_types_and_schema_agree(kind: type, path: Path, where: str) -> None:
    schema = json.loads((REPOSITORY / path).read_text())
    compare(kind, schema if where == "config" else schema["additionalProperties"], where, schema)


def test_every_default_is_in_the_file() -> None:
    said = read_yaml(REPOSITORY / layout.CONFIG)
    assert list(said) == [field.name for field in fields(Config)]
    for name, kind in get_type_hints(Config).items():
        if dataclasses.is_dataclass(kind):
            assert set(said[name]) == {field.name for field in fields(kind)}, name


@pytest.mark.parametrize("stage", STAGES)
def test_settings_survive_the_way_to_the_stage(workspace: Path, stage: str) -> None:
    settings = stage_settings(load_config(), stage)
    path = Path("settings.json")
    path.write_bytes(dump(settings))
    assert read(path, STAGES[stage].settings) == settings
    assert dump(read(path, STAGES[stage].settings)) == path.read_bytes()
    assert pickle.loads(pickle.dumps(settings)) == settings


@pytest.mark.parametrize("stage", STAGES)
def test_settings_are_frozen(workspace: Path, stage: str) -> None:
    settings = stage_settings(load_config(), stage)
    for field in fields(settings):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(settings, field.name, None)


def test_the_facts_of_a_source_survive_the_way_to_the_stage(workspace: Path) -> None:
    for source in load_config().sources.values():
        Path("facts.json").write_bytes(dump(source.facts))
        assert read(Path("facts.json"), type(source.facts)) == source.facts


def test_the_order_of_the_sources_survives_the_way_to_the_stage(workspace: Path) -> None:
    config = load_config()
    config = replace(config, sources=dict(sorted(config.sources.items(), reverse=True)))
    Path("settings.json").write_bytes(dump(select(config, DeduplicateSettings)))
    assert read(Path("settings.json"), DeduplicateSettings).source_order == tuple(config.sources)


def test_the_file_does_not_depend_on_the_order_in_the_config(workspace: Path) -> None:
    config = load_config()
    turned = dict(reversed(config.split.quotas.items()))
    other = replace(config, split=replace(config.split, quotas=turned))
    assert dump(stage_settings(config, "split")) == dump(stage_settings(other, "split"))


def test_no_setting_is_looked_up_by_its_name() -> None:
    asked = re.compile(r"\b(settings|budgets|config)\[[\"\']|settings: (Mapping|dict)\[str, Any")
    for path in sorted((REPOSITORY / "pipeline").rglob("*.py")):
        assert not asked.search(path.read_text()), path
