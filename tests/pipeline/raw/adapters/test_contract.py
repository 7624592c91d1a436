# SPDX-License-Identifier: Apache-2.0
"""Sources, schema, config and adapters name each other completely."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.base import layout
from pipeline.engine.config import load_access, load_config, load_sources
from pipeline.raw.inventory import adapter_module, scan_source

EXPECTED = (
    "partnet_mobility", "articraft_10k", "artiverse", "articulated_object_code", "gapartnet_akb48",
)  # fmt: skip


def adapters(repository: Path) -> set[str]:
    """Return the modules that list objects."""
    paths = (repository / "pipeline/raw/adapters").glob("*.py")
    return {path.stem for path in paths if "\ndef discover(" in path.read_text()}


def test_the_schema_lists_the_adapters_and_each_has_both_functions(bench: SimpleNamespace) -> None:
    schema = json.loads((bench.repository / layout.SOURCES_SCHEMA).read_text())
    listed = set(schema["additionalProperties"]["properties"]["adapter"]["enum"])
    assert listed == adapters(bench.repository)
    for name in listed:
        module = adapter_module(name)
        assert callable(module.discover) and callable(module.describe)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_source_has_a_folder_shards_and_a_proof(workspace: Path, name: str) -> None:
    facts, options = load_sources()[name], load_config()["sources"][name]
    assert options["folder"] == f"raw/{name}"
    assert options["shards"] >= 1
    assert load_access()[name]["proved"]["by"] in ("real_bytes", "fixture")
    assert facts["attribution"]


@pytest.mark.parametrize("name", EXPECTED)
def test_an_empty_folder_and_stray_files_are_no_objects(workspace: Path, name: str) -> None:
    adapter = load_sources()[name]["adapter"]
    root = workspace / "raw" / name
    root.mkdir(parents=True)
    assert scan_source(name, adapter, root) == []
    for stray in ("README.md", ".cache/x/mobility.urdf", "receipt.json"):
        (root / stray).parent.mkdir(parents=True, exist_ok=True)
        (root / stray).write_text("{}")
    assert scan_source(name, adapter, root) == []
