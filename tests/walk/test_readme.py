# SPDX-License-Identifier: Apache-2.0
"""Runs the README's snippets as a reader would."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import REPOSITORY, Workspace, environment

README = (REPOSITORY / "README.md").read_text()


def blocks(language: str) -> list[str]:
    found = re.findall(rf"```{language}\n(.*?)```", README, re.S)
    assert found, f"the README has no {language} snippet"
    return found


def run(built: Workspace, words: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=built.root, capture_output=True, text=True, check=False,
        env={**environment(), "AA_HOME": str(home)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def test_python_snippets_run(built: Workspace, tmp_path: Path) -> None:
    done = run(built, ["-c", "\n".join(blocks("python"))], tmp_path / "home")
    assert re.search(r"generated-\S+ \S+ CC0-1.0 \S+object\.urdf", done.stdout)
    assert done.stdout.splitlines()[-2:] == ["0.0", "0.0"]
    assert "of the 19,977 objects" in done.stderr


def test_aa_snippets_run_and_the_truth_scores_zero(built: Workspace, tmp_path: Path) -> None:
    lines = [line.split("#")[0] for block in blocks("bash") for line in block.splitlines()]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("aa ")]
    commands = [words for words in commands if words[0] != "fetch"]  # needs the Hub
    assert len(commands) >= 4
    for words in commands:
        words = [str(tmp_path / w) if w in ("predictions", "result.json") else w for w in words]
        done = run(built, ["-m", "aa_dataset.cli", *words], tmp_path / "home")
        if words[0] == "score":
            scores = re.findall(r"^E\S+ .*?(?:all|metric)\s+(\S+)", done.stdout, re.M)
            assert scores
            assert {float(value) for value in scores} == {0.0}
    assert (tmp_path / "result.json").stat().st_size > 0


def test_every_make_target_and_path_that_the_readme_names_exists() -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    for target in set(re.findall(r"\bmake ([a-z][a-z-]+)", README)) - {"it", "sure"}:
        assert re.search(rf"^{target}:", makefile, re.M), target
    for path in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (REPOSITORY / path).exists(), path


@pytest.mark.parametrize(
    "verb",
    ["info", "list", "show", "unpack", "score", "check", "sources", "fetch", "judge", "export"],
)
def test_every_verb_explains_itself(verb: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aa_dataset.cli", verb, "--help"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "usage: aa" in done.stdout
