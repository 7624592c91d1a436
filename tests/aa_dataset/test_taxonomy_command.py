# SPDX-License-Identifier: Apache-2.0
"""`aa taxonomy`: the tree, and why a label; the language model is no part of the wheel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aa_dataset.cli import main
from tests.kit.labeled_library import write_labeled_library


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("AA_LIBRARY", raising=False)
    monkeypatch.chdir(tmp_path)
    return write_labeled_library(tmp_path / "library")


def run(capsys: Any, *words: str) -> tuple[int, str, str]:
    status = main(["taxonomy", *words])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_tree(library: Path, capsys: Any) -> None:
    status, out, _ = run(capsys)
    lines = out.splitlines()
    assert status == 0 and lines[0].split() == ["Lighting", "2"]
    assert lines[1].split() == ["task_lamp", "2"]
    assert "grill" not in out and lines[-1].startswith("4 objects in 2 of 3 categories")
    assert "grill" in run(capsys, str(library), "--all")[1]
    tree = json.loads(run(capsys, "library", "--json")[1])
    assert tree["supercategories"]["Kitchen & Cooking"] == {"grill": 0}


def test_why_lists_every_step(library: Path, capsys: Any) -> None:
    status, out, _ = run(capsys, "why", "articraft-a")
    assert status == 0
    assert "1. record id: articulated_task_lamp" in out
    assert "2. without articulated: task_lamp" in out
    assert "category task_lamp (row: published, usually 0.8 m across)" in out
    facts = json.loads(run(capsys, "why", "articraft-a", "library", "--json")[1])
    assert [step["label"] for step in facts["steps"]] == ["articulated_task_lamp", "task_lamp"]
    assert all(step["meaning"] for step in facts["steps"])


def test_why_without_a_category_is_status_1_and_shows_the_finding(
    library: Path, capsys: Any
) -> None:
    status, out, _ = run(capsys, "why", "local-quern")
    assert status == 1 and "finding: the taxonomy has no category" in out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["why"], "needs an object id"),
        (["why", "local-querm"], "local-quern"),
        (["library", "more"], "unexpected argument"),
    ],
)
def test_wrong_words_are_explained(library: Path, capsys: Any, words: list[str], hint: str) -> None:
    status, _, err = run(capsys, *words)
    assert status == 2 and hint in err
