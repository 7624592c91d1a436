# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline demo`: what the wheel contains is what the workflow writes today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.assets.contents import PICTURES
from aa_dataset.format.layout import TABLES, LibraryLayout, demo_folder
from pipeline.__main__ import main
from pipeline.base.errors import PipelineError
from pipeline.base.tables import read_rows
from pipeline.stages.split.frozen import frozen_members
from pipeline.tools import demo
from tests.kit.places import REPOSITORY

PLACES = ("shard", "offset", "size")  # they depend on the sizes of pictures


@pytest.mark.slow
def test_building_it_again_gives_the_same_library(tmp_path: Path) -> None:
    """`make demo` refreshes it; no digest covers pictures, which another renderer may change."""
    command = [sys.executable, "-m", "pipeline", "demo", "--out", str(tmp_path / "again")]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    held, made = LibraryLayout(demo_folder()), LibraryLayout(tmp_path / "again")
    for name in TABLES:
        rows = [read_rows(folder.table(name)) for folder in (held, made)]
        for row in (*rows[0], *rows[1]):
            for place in PLACES:
                row.pop(place, None)
        assert rows[0] == rows[1], f"{name} is out of date: run `make demo`"
    first, second = (load_dataset(folder.root, verbose=False) for folder in (held, made))
    assert first.revision == second.revision
    for item, other in zip(first, second, strict=True):
        assert item.files() == other.files()
        for name in {*item.files()} - {*PICTURES}:
            assert item.read(name) == other.read(name), (item.object_id, name)


def test_a_folder_with_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").touch()
    assert main(["demo", "--out", str(tmp_path)]) == 2
    assert f"{tmp_path} is not empty" in capsys.readouterr().err


def test_an_object_of_the_benchmark_cannot_be_one_to_train_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(demo, "TRAIN", (*demo.TRAIN, ("bottle", 4)))
    with pytest.raises(PipelineError, match=r"generated-bottle_00004 is a member of eval200"):
        demo.build(tmp_path / "checkout", 1)
    assert not (tmp_path / "checkout").exists()


def test_an_object_that_is_not_that_of_the_benchmark_is_refused() -> None:
    names = [f"generated-{demo.object_name(*one)}" for one in (*demo.EVALUATION, *demo.TRAIN)]
    contents = {name: "0" * 64 for name in names} | frozen_members()
    rows = [{"object_id": name, "content_sha256": contents[name]} for name in names]
    evaluation = {f"generated-{demo.object_name(*one)}" for one in demo.EVALUATION}
    demo.require_frozen(rows, evaluation)
    rows[0]["content_sha256"] = "0" * 64
    with pytest.raises(PipelineError, match="is not the object of the frozen eval200"):
        demo.require_frozen(rows, evaluation)
    with pytest.raises(PipelineError, match="did not come through the workflow"):
        demo.require_frozen(rows[1:], evaluation)
