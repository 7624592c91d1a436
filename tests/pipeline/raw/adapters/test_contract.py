# SPDX-License-Identifier: Apache-2.0
"""Sources, config and adapters name each other completely."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from pipeline.engine.config import load_config
from pipeline.engine.sources import load_sources
from pipeline.raw.inventory import adapter_module, scan_source
from tests.kit.places import REPOSITORY

EXPECTED = (
    "partnet_mobility", "articraft_10k", "artiverse", "articulated_object_code", "gapartnet_akb48",
)  # fmt: skip


def adapters(repository: Path) -> set[str]:
    """Return the modules that list objects."""
    paths = (repository / "pipeline/raw/adapters").glob("*.py")
    return {path.stem for path in paths if "\ndef discover(" in path.read_text()}


def test_every_adapter_has_a_source_both_functions_and_its_fields() -> None:
    with contextlib.chdir(REPOSITORY):
        named = {source.adapter for source in load_sources().values()}
    assert named == adapters(REPOSITORY)
    for name in named:
        module = adapter_module(name)
        assert callable(module.discover) and callable(module.describe)
        assert module.FIELDS is None or "facts_from" in module.FIELDS


@pytest.mark.parametrize("name", EXPECTED)
def test_a_source_has_a_folder_shards_and_a_proof(workspace: Path, name: str) -> None:
    source, described = load_config().sources[name], load_sources()[name]
    assert source.facts.folder == f"raw/{name}"
    assert source.shards >= 1
    assert described.proved["by"] in ("real_bytes", "fixture")
    assert source.facts.attribution


@pytest.mark.parametrize("name", EXPECTED)
def test_an_empty_folder_and_stray_files_are_no_objects(workspace: Path, name: str) -> None:
    adapter = load_sources()[name].adapter
    root = workspace / "raw" / name
    root.mkdir(parents=True)
    assert scan_source(name, adapter, root) == []
    for stray in ("README.md", ".cache/x/mobility.urdf", "receipt.json"):
        (root / stray).parent.mkdir(parents=True, exist_ok=True)
        (root / stray).write_text("{}")
    assert scan_source(name, adapter, root) == []
