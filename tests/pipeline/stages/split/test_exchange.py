# SPDX-License-Identifier: Apache-2.0
"""A split of one build is found in a second build from the same raw objects, or what lacks there.

Both are real builds of generated and other objects, from the raw files to the seal.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.comparable import require_comparable
from aa_dataset.score.result.record import Result
from pipeline.base import layout
from pipeline.engine.config import load_config
from pipeline.stages.split.stage import run as choose_split
from tests.kit import small_build
from tests.kit.settings import changed


@pytest.fixture
def mine(copied: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Return a build whose sampled split holds objects of both sources, and its file."""
    config = changed(load_config(), split={"share": 0.6})
    choose_split(small_build.library_job("split", config))
    library, file = copied / "library", tmp_path / "split.json"
    words = ["split", "export", "eval200", "--out", str(file), "--library", str(library)]
    assert main(words) == 0
    sources = {row["source"] for row in json.loads(file.read_bytes())["objects"]}
    assert sources == {"generated", "local"}
    return library, file


def scored(library: Path, split: str | Path, predictions: Path) -> Result:
    dataset = load_dataset(library, split=split, verbose=False)
    return evaluate(dataset, open_predictions(predictions))


def facts(capsys: pytest.CaptureFixture[str], file: Path, library: Path) -> tuple[int, Any]:
    capsys.readouterr()
    status = main(["split", "import", str(file), "--library", str(library), "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_second_build_of_the_same_raw_objects_has_every_member(
    mine: tuple[Path, Path], built_elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library, file = mine
    theirs = built_elsewhere / "library"
    status, found = facts(capsys, file, theirs)
    count = found["member_count"]
    assert (status, found["complete"], found["by_bytes"]) == (0, True, count)
    ours, others = scored(library, "eval200", library), scored(theirs, file, library)
    require_comparable(ours, others)
    assert ours.dataset.members == others.dataset.members == found["members"]


def test_a_build_without_a_source_lacks_exactly_its_members(
    mine: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The same build again, but its manifest has no object of the other source."""
    _, file = mine
    for name in ("objects", "links", "joints", "exclusions", "findings"):
        path = layout.LIBRARY / f"{name}.parquet"
        table = pq.read_table(path)
        keep = pc.starts_with(table["object_id"], "generated-")
        pq.write_table(table.filter(keep), path)
    small_build.MARKS.write_text("{}")
    choose_split(small_build.library_job("split", load_config()))
    members = json.loads(file.read_bytes())["objects"]
    absent = {row["object_id"] for row in members if row["source"] == "local"}
    status, found = facts(capsys, file, Path("library"))
    assert (status, found["complete"]) == (1, False)
    assert {row["object_id"] for row in found["missing"]} == absent
    assert found["by_bytes"] == len(members) - len(absent)


def test_a_build_with_another_limit_names_object_and_field(
    mine: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, file = mine
    first = json.loads(file.read_bytes())["objects"][0]["object_id"]
    path = layout.LIBRARY / "joints.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    for row in rows:
        row["upper"] += 0.25 if row["object_id"] == first else 0.0
    pq.write_table(table.from_pylist(rows, schema=table.schema), path)
    small_build.MARKS.write_text("{}")
    choose_split(small_build.library_job("split", load_config()))
    status, found = facts(capsys, file, Path("library"))
    assert status == 1 and found["missing"] == []
    assert list(found["different"]) == [first]
    assert ", upper: " in found["different"][first]
