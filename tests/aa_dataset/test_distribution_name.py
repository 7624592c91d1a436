# SPDX-License-Identifier: Apache-2.0
"""The distribution is `aa-dataset`; `articulatearena` on PyPI belongs to the paper's authors."""

import re
import subprocess
import sys
import tomllib

from tests.kit.places import REPOSITORY

FOLDERS = ("aa_dataset", "pipeline", "docs", "benchmarks", "tests", "taxonomy")
SUFFIXES = {".py", ".md", ".toml", ".yaml", ".txt", ".cff", ".smk"}


def texts():
    top = [path for path in REPOSITORY.iterdir() if path.is_file()]
    below = [path for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*")]
    for path in (*top, *below):
        if path.suffix in SUFFIXES or path.name == "Makefile":
            yield path, path.read_text(encoding="utf-8")


def test_the_project_and_its_command_have_the_name():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert project["name"] == "aa-dataset"
    shown = subprocess.run(
        [sys.executable, "-m", "aa_dataset.cli", "--version"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout.split() == ["aa-dataset", project["version"]]


def test_no_text_names_extras_of_the_other_package():
    found = {path.name for path, text in texts() if re.search(r"articulatearena\s*\[[a-z]", text)}
    assert found == set()


def test_extras_are_those_of_the_project():
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    known = set(extras["optional-dependencies"])
    named = {
        extra
        for _, text in texts()
        for inside in re.findall(r"aa-dataset\[([a-z,]+)\]", text)
        for extra in inside.split(",")
    }
    assert named
    assert named <= known
