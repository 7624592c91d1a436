# SPDX-License-Identifier: Apache-2.0
"""A raw file that is changed during a build and changed back leaves nothing that looks fresh."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import ChangedDuringBuildError, Rejection
from pipeline.base.tables import read_rows
from pipeline.engine.config import load_config
from pipeline.engine.inventory.refresh import refresh
from pipeline.raw.adapters import urdf_folder
from pipeline.raw.files import RawFiles, shared_sizes, total_bytes
from pipeline.raw.records import Found, RawRecord
from tests.kit import bench, small_build
from tests.kit.places import REPOSITORY
from tests.kit.settings import with_shards

RAW = Path("raw/local/door")
DOORS = Path("raw/tail/doors")
COLLECTION = """
title: Some doors
label: Door
license: MIT
attribution: Somebody
frame: {up: y, front: null}
scale: metric
"""


@pytest.fixture
def planned(workspace: Path) -> Callable[[str], Any]:
    """Return what runs a stage on one raw object whose inventory is complete."""
    for name in ("pipeline", "aa_dataset"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, name, ignore=ignore, dirs_exist_ok=True)
    urdf = bench.robot(
        bench.box_link("a"), bench.box_link("b"), bench.joint_text("j", "revolute", "a", "b")
    )
    bench.write_object(RAW, urdf, {"meta.json": "{}"})
    config = load_config()
    refresh(config)

    def run(stage: str) -> Any:
        job = small_build.stage_job(stage, "local", "0000", config)
        importlib.import_module(f"pipeline.stages.{stage}.stage").run(job)
        return job

    return run


def edit_and_revert(name: str) -> None:
    path = RAW / name
    before = path.read_bytes()
    path.write_bytes(before + b" ")
    path.write_bytes(before)


@pytest.mark.parametrize("name", ["meta.json", "model.urdf"])
def test_ingest_fails_and_writes_nothing(planned: Callable[[str], Any], name: str) -> None:
    edit_and_revert(name)
    with pytest.raises(ChangedDuringBuildError, match=r"local-door changed while the build ran"):
        planned("ingest")
    assert not list(Path("work/ingest").rglob("*.parquet"))
    refresh(load_config())
    assert len(read_rows(planned("ingest").outputs["records"])) == 1


def test_normalize_fails_and_writes_nothing(planned: Callable[[str], Any]) -> None:
    planned("ingest")
    edit_and_revert("model.urdf")
    with pytest.raises(ChangedDuringBuildError):
        planned("normalize")
    assert not list(Path("work/normalize").rglob("*.tar"))
    refresh(load_config())
    assert len(read_rows(planned("normalize").outputs["records"])) == 1


def test_a_broken_object_that_was_touched_is_not_a_reject_either(
    planned: Callable[[str], Any],
) -> None:
    (RAW / "meta.json").write_text("{")
    with pytest.raises(ChangedDuringBuildError):
        planned("ingest")


@pytest.fixture
def crowded(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], dict[str, int]]:
    """Return what ingests and normalizes models that lie in one folder, and counts its walks."""
    for name in ("pipeline", "aa_dataset"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, name, ignore=ignore, dirs_exist_ok=True)
    config = with_shards(load_config(), tail=1)
    urdf = bench.robot(
        bench.box_link("a"), bench.box_link("b"), bench.joint_text("j", "revolute", "a", "b")
    )
    looks = multiprocessing.Value("i")  # workers count too
    scandir = os.scandir

    def counted(folder: Any) -> Any:
        with looks.get_lock():
            looks.value += "doors" in str(folder)
        return scandir(folder)

    def run(models: int) -> dict[str, int]:
        DOORS.mkdir(parents=True, exist_ok=True)
        (DOORS / "source.yaml").write_text(COLLECTION)
        for number in range(models):
            (DOORS / f"{number:04d}.urdf").write_text(urdf)
        refresh(config)
        monkeypatch.setattr(os, "scandir", counted)
        found = {}
        for stage in ("ingest", "normalize"):
            looks.value = 0
            job = small_build.stage_job(stage, "tail", "0000", config)
            importlib.import_module(f"pipeline.stages.{stage}.stage").run(job)
            assert len(read_rows(job.outputs["records"])) == models
            found[stage] = looks.value
        monkeypatch.setattr(os, "scandir", scandir)
        return found

    return run


def test_a_folder_of_many_models_is_walked_as_often_as_one_of_few(
    crowded: Callable[[int], dict[str, int]],
) -> None:
    few, many = crowded(4), crowded(8)
    assert few == many == {"ingest": 2, "normalize": 1}


def test_a_touch_in_a_folder_that_models_share_fails_the_shard(
    crowded: Callable[[int], dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of them touches what the first has read, and turns it back."""

    def describe(files: RawFiles, found: Found) -> RawRecord:
        if found.name.endswith("0003.urdf"):
            first = DOORS / "0000.urdf"
            before = first.read_bytes()
            first.write_bytes(before + b" ")
            first.write_bytes(before)
        return sound(files, found)

    sound = urdf_folder.describe
    monkeypatch.setattr(urdf_folder, "describe", describe)
    with pytest.raises(ChangedDuringBuildError, match=r"tail-doors_0000\.urdf\S* changed"):
        crowded(4)
    assert not list(Path("work/ingest").rglob("*.parquet"))


def test_a_shared_folder_that_holds_too_much_is_walked_once_and_refuses_all(
    crowded: Callable[[int], dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.raw.walk.MOST_ENTRIES", 4)
    sizes = shared_sizes(Path("raw"), [("tail/doors", "x"), ("tail/doors",)])
    assert sizes == {"tail/doors": 0}
    DOORS.mkdir(parents=True)
    for number in range(5):
        (DOORS / f"{number}.urdf").touch()
    sizes = shared_sizes(Path("raw"), [("tail/doors", "x"), ("tail/doors",)])
    monkeypatch.setattr("pipeline.raw.files.walk_files", None)  # nobody walks again
    with pytest.raises(Rejection, match="holds too much"):
        total_bytes(Path("raw"), ("tail/doors",), sizes)
