# SPDX-License-Identifier: Apache-2.0
"""Contract: the pages that describe the tree name what is in it."""

from __future__ import annotations

import re

import pytest

from pipeline.engine.stages import STAGES
from pipeline.stages.verify import checks
from tests.kit.places import REPOSITORY


def rows(page: str, head: str) -> dict[str, str]:
    """Return first and remaining cells of the table that begins with `head`."""
    text = (REPOSITORY / page).read_text()
    table = re.search(rf"^\| {head} \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", text, re.M)
    assert table is not None, (page, head)
    lines = (line.strip("| ").split(" | ", 1) for line in table[1].splitlines())
    return {first.strip("`"): rest for first, rest in lines}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "pipeline/README.md"])
def test_the_rooms_are_those_of_the_tree(page: str) -> None:
    folders = (path.parent for path in (REPOSITORY / "pipeline").glob("*/*.*"))
    assert set(rows(page, "room")) == {path.name for path in folders} - {"__pycache__"}


def test_the_readme_lists_the_rooms() -> None:
    text = (REPOSITORY / "README.md").read_text()
    listed = re.search(r"in rooms: (.*)", text)
    assert listed is not None
    assert listed[1].split() == list(rows("pipeline/README.md", "room"))


def test_the_stages_are_those_of_the_list_with_what_their_rules_write() -> None:
    found = rows("pipeline/README.md", "stage")
    assert list(found) == list(STAGES)
    for stage, cells in found.items():
        rule = (REPOSITORY / f"pipeline/rules/{stage}.smk").read_text()
        writes = cells.split(" | ")[1]
        for name in re.findall(r"`([a-z]+)`", writes):
            assert re.search(rf"^ +{name}=", rule.partition("output:")[2], re.M), (stage, name)


def test_every_module_of_checks_is_named() -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text()
    for check in checks.CHECKS:
        assert f"`{check.__module__.rpartition('.')[2]}.py`" in text, check


def test_every_path_that_the_guide_names_exists() -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text()
    named = re.findall(r"`((?:aa_dataset|pipeline|tests|taxonomy|docs|benchmarks)/[\w./]+)`", text)
    assert len(named) > 20
    assert [path for path in named if not (REPOSITORY / path).exists()] == []
