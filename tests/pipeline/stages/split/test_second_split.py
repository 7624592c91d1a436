# SPDX-License-Identifier: Apache-2.0
"""A library with the frozen list and with other sources has a second split over all of them."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.format.truth import read_truths
from pipeline.base import layout
from pipeline.base.tables import write_bytes
from pipeline.engine.config import load_config
from pipeline.engine.settings import Config
from pipeline.stages.publish.stage import run as publish
from pipeline.stages.split import frozen as lists
from pipeline.stages.split.stage import choose_evaluations, split_name, split_rows
from pipeline.stages.split.stage import run as choose_split
from pipeline.tools.freeze import frozen_from
from tests.kit import small_build
from tests.kit.places import REPOSITORY
from tests.kit.settings import changed

Row = dict[str, Any]
REAL = "partnet_mobility"


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.chdir(REPOSITORY)
    return load_config()


def library_rows(generated: int, real: int) -> tuple[list[Row], list[Row]]:
    """Return objects with one hinge each: all sources have the same 40 categories of four kinds."""
    groups = ("Electronics", "Containers", "Tools", "Lighting")
    objects, joints = [], []
    for source, count in (("generated", generated), (REAL, real)):
        for n in range(count):
            key, lengths = f"{source}-{n}", {"extents": [1.0, 1.0, 1.0], "is_metric": True}
            content = hashlib.sha256(key.encode()).hexdigest()
            labels = {"category": f"c{n % 40}", "supercategory": groups[n % 4], "source": source}
            objects.append({"object_id": key, "content_sha256": content, **labels, **lengths})
            vectors = {"axis": [0.0, 0.0, 1.0], "origin": [0.0, 0.0, 0.1]}
            body = {"body_mass": None, "body_com": None, "body_inertia": None}
            names = {"joint": "hinge", "type": "revolute", "parent": "base", "child": "lid"}
            numbers = {"lower": 0.0, "upper": 1.0 + 0.001 * n, "pitch": 0.0, "motion_alpha": 1.0}
            joints.append({"object_id": key, **names, **vectors, **body, **numbers, "mimic": None})
    return objects, joints


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Freeze every fifth generated object of `library_rows`; return the members."""
    objects, joints = library_rows(500, 0)
    members = {row["object_id"] for row in objects[::5]}
    truths = read_truths(objects, joints)
    contents = {r["object_id"]: r["content_sha256"] for r in objects if r["object_id"] in members}
    frozen = lists.FrozenList("eval200-v7", contents, {key: truths[key] for key in members})
    for name, data in lists.list_files(frozen).items():
        write_bytes(lists.list_paths("eval200-v7", tmp_path)[name], data)
    monkeypatch.setattr("pipeline.stages.split.frozen.FOLDER", tmp_path)
    return members


def test_other_sources_bring_a_second_split_beside_the_frozen_one(
    config: Config, frozen: set[str]
) -> None:
    objects, joints = library_rows(500, 1500)
    chosen = choose_evaluations(objects, joints, config.split)
    first, second = chosen.splits
    assert (first.name, set(first.reasons)) == ("eval200", frozen)
    assert chosen.benchmark is not None and first.benchmark == chosen.benchmark
    contents = {row["object_id"]: row["content_sha256"] for row in objects}
    assert second.name == split_name({key: contents[key] for key in second.reasons})
    assert (second.benchmark, len(second.reasons)) == (None, config.split.size)
    assert chosen.members == {*first.reasons, *second.reasons}


def test_the_second_split_is_the_one_that_the_library_would_have_without_a_list(
    config: Config, frozen: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects, joints = library_rows(500, 1500)
    second = choose_evaluations(objects, joints, config.split).splits[1]
    assert frozen & set(second.reasons)  # both may hold an object
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr("pipeline.stages.split.frozen.FOLDER", tmp_path / "empty")
    (alone,) = choose_evaluations(objects, joints, config.split).splits
    assert (alone.name, alone.reasons) == (second.name, second.reasons)


def test_sources_of_the_same_categories_are_in_the_second_split_in_proportion(
    config: Config, frozen: set[str]
) -> None:
    """The sources are ranked by hashes: a share has the standard error of independent draws."""
    objects, joints = library_rows(500, 1500)
    second = choose_evaluations(objects, joints, config.split).splits[1]
    sources = Counter(key.split("-")[0] for key in second.reasons)
    share, error = 0.75, (0.75 * 0.25 / 200) ** 0.5
    assert abs(sources[REAL] / 200 - share) < 4 * error
    said = f"generated {sources['generated']} of 500, {REAL} {sources[REAL]} of 1,500."
    assert any(line.endswith(said) for line in second.remarks)
    assert second.remarks[0] == (
        f"{second.name} was sampled from this library and is no version: eval200-v7 holds "
        "generated objects alone."
    )


def test_a_generated_library_has_the_frozen_split_alone(config: Config, frozen: set[str]) -> None:
    objects, joints = library_rows(500, 0)
    chosen = choose_evaluations(objects, joints, config.split)
    assert [one.name for one in chosen.splits] == ["eval200"]
    rows = split_rows(objects, chosen, {})
    # What the stage wrote before there were second splits, row by row.
    versions = {"eval200": "eval200-v7", "library": None, "train": None}
    reasons = {
        "eval200": "frozen list eval200-v7",
        "library": "all objects",
        "train": "neither in eval200 nor a near-duplicate of it",
    }
    every = {row["object_id"] for row in objects}
    members = {"eval200": frozen, "library": every, "train": every - frozen}
    contents = {row["object_id"]: row["content_sha256"] for row in objects}
    assert rows == [
        {
            "split": split,
            "version": versions[split],
            "object_id": key,
            "content_sha256": contents[key],
            "reason": reasons[split],
        }
        for split in ("eval200", "library", "train")
        for key in sorted(members[split])
    ]


@pytest.fixture
def mixed(copied: Path, monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """Freeze two generated objects of the little build, choose its splits again and publish it.

    The sampled split takes half of the objects, so that it holds some of both sources.
    """
    monkeypatch.setattr("pipeline.stages.split.frozen.FOLDER", copied / "frozen")
    library = LibraryLayout(Path("library"))
    frozen = frozen_from(library, "eval200-v4", ["generated-o1", "generated-o3"])
    for name, data in lists.list_files(frozen).items():
        write_bytes(lists.list_paths("eval200-v4", copied / "frozen")[name], data)
    config = changed(load_config(), split={"share": 0.6})
    choose_split(small_build.library_job("split", config))
    publish(small_build.library_job("publish", config))
    rows: list[Row] = pq.read_table(library.table("splits"), schema=TABLES["splits"]).to_pylist()
    return rows


def members(rows: list[Row], split: str) -> set[str]:
    return {row["object_id"] for row in rows if row["split"] == split}


def sampled_name(rows: list[Row]) -> str:
    (name,) = {row["split"] for row in rows if row["split"].startswith("eval200_")}
    return str(name)


def test_train_keeps_away_from_both(mixed: list[Row]) -> None:
    name = sampled_name(mixed)
    held = members(mixed, "eval200") | members(mixed, name)
    assert members(mixed, "eval200") == {"generated-o1", "generated-o3"}
    assert {key.split("-")[0] for key in members(mixed, name)} == {"generated", "local"}
    assert not members(mixed, "train") & held
    for row in mixed:
        if row["split"] == "train":
            assert row["reason"] == f"neither in eval200 or {name} nor a near-duplicate of them"


def test_near_duplicates_of_either_split_are_not_in_train(mixed: list[Row]) -> None:
    """All objects of the little build are doors with the same hinge, so none is left to train."""
    assert members(mixed, "train") == set()
    report = layout.SPLIT_REPORT.read_text()
    rest = len(members(mixed, "library")) - len(
        members(mixed, "eval200") | members(mixed, sampled_name(mixed))
    )
    assert f"train leaves out {rest} near-duplicates" in report


def test_near_duplicates_are_sought_of_the_members_of_both(
    mixed: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[set[str]] = []

    def none_is_near(chosen: Any, *_: Any, **__: Any) -> dict[str, tuple[str, float]]:
        asked.append(set(chosen))
        return {}

    monkeypatch.setattr("pipeline.stages.split.stage.near_duplicates", none_is_near)
    config = changed(load_config(), split={"share": 0.3})
    choose_split(small_build.library_job("split", config))
    rows = pq.read_table("library/splits.parquet", schema=TABLES["splits"]).to_pylist()
    held = members(rows, "eval200") | members(rows, sampled_name(rows))
    assert asked == [held]
    assert members(rows, "train") == members(rows, "library") - held != set()


def test_report_figure_seal_and_command_show_both(
    mixed: list[Row], capsys: pytest.CaptureFixture[str]
) -> None:
    name = sampled_name(mixed)
    report = layout.SPLIT_REPORT.read_text()
    assert "eval200 is the benchmark eval200-v4" in report
    assert f"{name} was sampled from this library" in report
    with Image.open(io.BytesIO(Path("work/split/coverage.png").read_bytes())) as figure:
        groups = len({"Architectural Fixtures"})  # of doors alone
        assert figure.height == 2 * (84 + 30 * groups + 20)
    sealed = json.loads(Path("library/library.json").read_bytes())["splits"]
    assert sealed["eval200"] == 2 and sealed[name] == len(members(mixed, name))
    assert main(["info", "library"]) == 0
    said = capsys.readouterr().out
    assert name in said and "eval200 2" in said


def test_the_plain_name_is_the_benchmark_and_the_digest_names_the_sample(mixed: list[Row]) -> None:
    name = sampled_name(mixed)
    for asked in ("eval200", "eval200-v4"):
        dataset = load_dataset("library", split=asked, verbose=False)
        assert dataset.benchmark is not None and set(dataset.object_ids) == {
            "generated-o1", "generated-o3",
        }  # fmt: skip
    dataset = load_dataset("library", split=name, verbose=False)
    assert dataset.benchmark is None and set(dataset.object_ids) == members(mixed, name)


def test_the_release_has_a_tar_of_each_split_without_what_may_not_be_passed_on(
    mixed: list[Row],
) -> None:
    name = sampled_name(mixed)
    release = load_dataset("release", verbose=False)
    shards = {row["object_id"]: row["shard"] for row in release.table("objects").to_pylist()}
    first, second = members(mixed, "eval200"), members(mixed, name)
    assert {key for key, shard in shards.items() if shard == "eval200"} == first
    assert {key for key, shard in shards.items() if shard == name} == (
        (second - first) & {key for key, shard in shards.items() if shard}
    )  # of `generated-closed` the release has the annotations alone
    assert second - shards.keys()  # some are of `local` and not released
    card = Path("release/README.md").read_text()
    held = len(second & shards.keys())
    assert f"`{name}` was sampled" in card
    assert f"{held} of its {len(second)} objects are here" in card
    assert "`eval200` is the benchmark eval200-v4" in card
