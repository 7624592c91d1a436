# SPDX-License-Identifier: Apache-2.0
"""What `datasets` makes of a release, offline: splits by their names, disjoint and complete."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from aa_dataset.format.schema import TABLES
from tests.kit import releases
from tests.kit.releases import EVAL, SAMPLE, TRAIN

NEITHER = "near_duplicates_in_neither"
EXPECTED = {
    TRAIN: {"generated-a", "generated-b", "local-g"},
    EVAL: {"generated-c", "generated-d", "generated-e"},
    SAMPLE: {"generated-d", "generated-e", "local-h"},
    NEITHER: {"generated-f", "local-i"},
}
READ = """
import json, sys
import datasets
root = sys.argv[1]
found = {"": {"configs": datasets.get_dataset_config_names(root)}}
for name in (None, *found[""]["configs"]):
    held = datasets.load_dataset(root, name)
    parts = {}
    for split, table in held.items():
        rows = table.select_columns([c for c in ("object_id", "joint", "link") if c in
                                     table.column_names]).to_list()
        pictures = [row is not None and row.size for row in table["preview"]] \\
            if "preview" in table.column_names else []
        parts[split] = {"rows": rows, "count": table.num_rows, "pictures": pictures}
    found[name or "default"] = parts
print(json.dumps(found))
"""


def opened(release: Path, home: Path) -> dict[str, Any]:
    """Return what `datasets` finds in a folder, without a network."""
    if importlib.util.find_spec("datasets") is None:
        pytest.skip("`datasets` is not installed; `make test` installs it")
    environment = {
        **os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1", "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    command = [sys.executable, "-c", READ, str(release.absolute())]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture
def release(shipped: None) -> Path:
    """Return a release with two evaluation splits that share objects, and objects in no split."""
    releases.write_library(releases.specs())
    return releases.publish()


def ids(part: dict[str, Any]) -> list[str]:
    """Return the objects of the rows of one split."""
    return [row["object_id"] for row in part["rows"]]


def test_every_config_opens_and_its_splits_are_named_disjoint_and_complete(
    release: Path, tmp_path: Path
) -> None:
    found = opened(release, tmp_path / "hf")
    assert found[""]["configs"] == ["objects", "links", "joints", "categories", "splits", "rejects"]
    assert found["default"] == found["objects"]
    for name in ("objects", "links", "joints"):
        held = {split: set(ids(part)) for split, part in found[name].items()}
        assert held == EXPECTED
        rows = releases.rows(release, name)
        keys = [key for key in ("object_id", "joint", "link") if key in rows[0]]
        for split, part in found[name].items():
            mine = [{key: row[key] for key in keys} for row in rows
                    if row["object_id"] in EXPECTED[split]]  # fmt: skip
            assert sorted(map(str, part["rows"])) == sorted(map(str, mine))
    disjoint = [EXPECTED[TRAIN], EXPECTED[EVAL] | EXPECTED[SAMPLE], EXPECTED[NEITHER]]
    every = {row["object_id"] for row in releases.rows(release, "objects")}
    assert sum(map(len, disjoint)) == len(set.union(*disjoint)) == len(every)
    for name in ("categories", "splits", "rejects"):
        (split,) = found[name]
        assert split == "whole"
        assert found[name][split]["count"] == len(releases.rows(release, name))


def test_the_default_config_shows_the_preview_of_every_object_with_files(
    release: Path, tmp_path: Path
) -> None:
    found = opened(release, tmp_path / "hf")["default"]
    for part in found.values():
        for key, picture in zip(ids(part), part["pictures"], strict=True):
            assert picture == (False if key.startswith("local") else [1, 1])


def test_the_card_agrees_with_the_table_of_splits(release: Path) -> None:
    members: dict[str, set[str]] = {}
    for row in releases.rows(release, "splits"):
        members.setdefault(row["split"], set()).add(row["object_id"])
    (config,) = [c for c in releases.front_matter_configs(release) if c.get("default")]
    for entry in config["data_files"]:
        held = {
            row["object_id"]
            for path in entry["path"]
            for row in pq.read_table(release / path, columns=["object_id"]).to_pylist()
        }
        if entry["split"] != NEITHER:
            assert held == members[entry["split"]]
    named = {path for c in releases.front_matter_configs(release)
             for entry in c["data_files"] for path in entry["path"]}  # fmt: skip
    there = {p.relative_to(release).as_posix() for p in (release / "data").rglob("*.parquet")}
    assert named == there


def test_a_table_without_rows_has_no_config_and_old_views_are_removed(shipped: None) -> None:
    library = releases.write_library(releases.specs())
    release = releases.publish()
    assert (release / "data/rejects/whole.parquet").is_file()
    pq.write_table(TABLES["rejects"].empty_table(), library / "rejects.parquet")
    releases.change_rows(library, "splits", lambda row: row if row["split"] != TRAIN else None)
    again = releases.publish()
    assert not (again / "data/rejects").exists()
    assert not (again / "data/objects/train.parquet").exists()
    names = [config["config_name"] for config in releases.front_matter_configs(again)]
    assert "rejects" not in names and "exclusions" not in names
    lines = (again / "SHA256SUMS").read_text()
    assert "data/rejects" not in lines and "data/objects/near" in lines


def test_a_release_without_objects_has_a_card_without_configs(shipped: None) -> None:
    releases.write_library(releases.specs(), dict.fromkeys(releases.ALLOWED, "none"))
    release = releases.publish()
    names = [config["config_name"] for config in releases.front_matter_configs(release)]
    assert names == ["categories", "rejects"]
    assert (release / "croissant.json").is_file()


def test_two_runs_write_the_same_bytes(shipped: None) -> None:
    releases.write_library(releases.specs())
    first = {p: p.read_bytes() for p in releases.publish().rglob("*") if p.is_file()}
    second = {p: p.read_bytes() for p in releases.publish().rglob("*") if p.is_file()}
    assert first == second
