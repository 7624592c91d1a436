# SPDX-License-Identifier: Apache-2.0
"""What rules depend on: files that change exactly when their content does."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline import layout
from pipeline.config import load_config
from pipeline.errors import ConfigError
from pipeline.inventory.raw import shard_of
from pipeline.inventory.refresh import LOCK_HELD, build_lock, load_index, refresh
from pipeline.verify.stage import read_reviews

SHARDS = 4
RAW = Path("work/raw/generated")


@pytest.fixture
def config(bench: SimpleNamespace, workspace: Path) -> dict[str, Any]:
    """Return a config in a folder with the code and twenty raw objects."""
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("pipeline", "aa_dataset"):
        shutil.copytree(bench.repository / name, name, ignore=ignore, dirs_exist_ok=True)
    for number in range(20):
        (RAW / f"o{number}").mkdir(parents=True)
        (RAW / f"o{number}" / "model.urdf").write_text(f"<robot name='{number}'/>")
    config = load_config()
    config["sources"]["generated"]["shards"] = SHARDS
    return config


def changed_by(config: dict[str, Any], change: Callable[[], None]) -> set[str]:
    """Return the files that a refresh after the change writes anew."""
    refresh(config)
    inputs = [p for kind in ("inventory", "curation", "code", "settings")
              for p in (layout.WORK / kind).rglob("*") if p.is_file()]  # fmt: skip
    for path in inputs:
        os.utime(path, ns=(5, 5))
    change()
    refresh(config)
    return {
        path.relative_to(layout.WORK).as_posix()
        for kind in ("inventory", "curation", "code", "settings")
        for path in (layout.WORK / kind).rglob("*")
        if path.is_file() and path.stat().st_mtime_ns != 5 and path.name != "digests.json"
    }


def shard_file(name: str) -> str:
    """Return the inventory file of an object."""
    return f"inventory/generated/{shard_of(f'generated-{name}', SHARDS):04d}.tsv"


def test_every_object_is_in_the_inventory_of_its_shard_once(config: dict[str, Any]) -> None:
    assert refresh(config) == {"generated": SHARDS} == load_index()
    seen = []
    for number in range(SHARDS):
        rows = layout.inventory("generated", f"{number:04d}").read_text().splitlines()
        ids = [row.split("\t")[0] for row in rows]
        assert ids == sorted(ids)
        assert all(shard_of(identifier, SHARDS) == number for identifier in ids)
        seen += ids
    assert sorted(seen) == sorted(f"generated-o{number}" for number in range(20))


def test_nothing_changed_writes_nothing(config: dict[str, Any]) -> None:
    assert changed_by(config, lambda: None) == set()


def test_changing_adding_or_removing_an_object_touches_its_shard_alone(
    config: dict[str, Any],
) -> None:
    def add() -> None:
        (RAW / "new").mkdir()

    assert changed_by(config, lambda: (RAW / "o3/model.urdf").write_text("x")) == {shard_file("o3")}
    assert changed_by(config, add) == {shard_file("new")}
    assert changed_by(config, lambda: shutil.rmtree(RAW / "o5")) == {shard_file("o5")}


def test_a_review_touches_the_curation_file_of_its_shard_alone(config: dict[str, Any]) -> None:
    def review() -> None:
        with layout.REVIEWS.open("a") as stream:
            stream.write("generated-o7\texclude\tbroken")

    expected = shard_file("o7").replace("inventory", "curation")
    assert changed_by(config, review) == {expected}


def test_a_last_review_without_a_line_end_does_not_run_into_the_next(
    config: dict[str, Any],
) -> None:
    config["sources"]["generated"]["shards"] = 1
    head = "object_id\taction\twhy\n"
    layout.REVIEWS.write_text(f"{head}generated-o7\tnote\tlate\n\ngenerated-o1\texclude\tearly")
    refresh(config)
    reviews = read_reviews(layout.curation("generated", "0000"))
    assert reviews == {"generated-o7": [("note", "late")], "generated-o1": [("exclude", "early")]}


def test_a_setting_touches_the_stages_that_read_it_alone(config: dict[str, Any]) -> None:
    def change() -> None:
        config["annotate"]["density"] = 700.0

    assert changed_by(config, change) == {"settings/annotate.json"}
    written = json.loads(layout.settings("annotate").read_bytes())
    assert written["annotate"]["density"] == 700.0


def test_a_source_without_a_folder_or_objects_is_left_out(config: dict[str, Any]) -> None:
    assert "local" in config["sources"]
    assert "local" not in refresh(config)
    Path(config["sources"]["local"]["folder"]).mkdir(parents=True)
    assert "local" not in refresh(config)


def test_a_bad_config_stops_before_anything_is_written(config: dict[str, Any]) -> None:
    config["surprise"] = 1
    with pytest.raises(ConfigError, match="surprise"):
        refresh(config)
    assert not layout.INDEX.exists()


def test_one_folder_has_one_build_at_a_time(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(LOCK_HELD, raising=False)
    with build_lock(wait=False) as first:
        with build_lock(wait=False) as second:
            assert (first, second) == (True, False)
        monkeypatch.setenv(LOCK_HELD, "1")
        with build_lock(wait=False) as child:
            assert child
        monkeypatch.delenv(LOCK_HELD)
    with build_lock(wait=False) as later:
        assert later
