# SPDX-License-Identifier: Apache-2.0
"""A library too small for an evaluation split names none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aa_dataset import load_dataset
from pipeline.engine.config import load_config
from pipeline.stages.split.stage import choose_evaluations, split_rows
from tests.kit.places import REPOSITORY

Rows = tuple[list[dict[str, Any]], list[dict[str, Any]]]


@pytest.fixture
def small(rows: Rows) -> Rows:
    """Return two objects with the columns that the sampling rule reads."""
    objects, joints = rows
    kept = [row | {"category": "door", "supercategory": "Doors"} for row in objects[:2]]
    return kept, [row | {"motion_alpha": 1.0} for row in joints]


def test_two_objects_have_no_evaluation_split(small: Rows, workspace: Path) -> None:
    chosen = choose_evaluations(*small, load_config().split)
    assert (chosen.splits, chosen.members, chosen.benchmark) == ((), set(), None)
    (remark,) = chosen.remarks
    assert remark.startswith("This library has no evaluation split: ")
    assert "split.share, 0.2 of 2 objects, is less than one object" in remark
    written = split_rows(small[0], chosen, {})
    assert sorted({row["split"] for row in written}) == ["library", "train"]
    assert not [row for row in written if "eval200" in row["reason"]]


def test_two_objects_with_a_large_share_have_one(small: Rows, workspace: Path) -> None:
    settings = replace(load_config().split, share=0.5)
    (evaluation,) = choose_evaluations(*small, settings).splits
    assert evaluation.name.startswith("eval200_") and len(evaluation.reasons) == 1


@pytest.mark.slow
def test_a_build_of_two_objects_reports_that_it_has_no_split(tmp_path: Path) -> None:
    for name in ("aa_dataset", "pipeline", "taxonomy", "profiles"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=ignore)
    for name in ("Snakefile", "config.yaml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, tmp_path / name)
    done = subprocess.run(
        [sys.executable, "-m", "pipeline", "build", "--count", "2"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "This library has no evaluation split" in done.stdout
    assert "eval200_" not in done.stdout + done.stderr
    assert {*load_dataset(tmp_path / "library", verbose=False).catalog.seal.splits} == {
        "library", "train",
    }  # fmt: skip
