# SPDX-License-Identifier: Apache-2.0
"""A raw file that is changed during a build and changed back leaves nothing that looks fresh."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.base.errors import ChangedDuringBuildError
from pipeline.base.tables import read_rows
from pipeline.engine.config import load_config
from pipeline.engine.inventory.refresh import refresh

RAW = Path("raw/local/door")


@pytest.fixture
def planned(bench: SimpleNamespace, workspace: Path) -> Callable[[str], Any]:
    """Return what runs a stage on one raw object whose inventory stands."""
    for name in ("pipeline", "aa_dataset"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(bench.repository / name, name, ignore=ignore, dirs_exist_ok=True)
    urdf = bench.robot(
        bench.box_link("a"), bench.box_link("b"), bench.joint_text("j", "revolute", "a", "b")
    )
    bench.write_object(RAW, urdf, {"meta.json": "{}"})
    config = load_config()
    refresh(config)

    def run(stage: str) -> Any:
        job = bench.stage_job(stage, "local", "0000", config)
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
