# SPDX-License-Identifier: Apache-2.0
"""The real lists of the sources, a folder of tables to change, and a tiny library to ask."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipeline.raw.taxonomy import Taxonomy, read_taxonomy
from pipeline.stages.categorize.rules import Decision, decide
from tests.kit.places import REPOSITORY, SAMPLES

LISTS = SAMPLES / "categories"
LEFT_OUT_RUN = "hy3"  # in the model's name; see taxonomy/README.md

Rows = list[dict[str, str]]


def read_list(name: str) -> Rows:
    """Read one of the real lists, or skip the test where they are not."""
    path = LISTS / name
    if not path.is_file():
        pytest.skip(f"the sources' real lists are not here ({name}); they are not ours to ship")
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def is_kept(record: dict[str, str]) -> bool:
    """Tell whether a record passes the filter that reproduces the paper."""
    rating = int(record["rating"] or 0)
    return rating >= 4 and LEFT_OUT_RUN not in record["model_id"]


@dataclass(frozen=True)
class Census:
    """What the rules make of all real lists together."""

    by_source: dict[str, Counter[str]]
    taxonomy: Taxonomy
    unknown: list[str]

    @property
    def counts(self) -> Counter[str]:
        return sum(self.by_source.values(), Counter())

    @property
    def supercategories(self) -> Counter[str]:
        groups: Counter[str] = Counter()
        for name, count in self.counts.items():
            groups[self.taxonomy.categories[name].supercategory] += count
        return groups


@pytest.fixture(scope="session")
def tables() -> Taxonomy:
    """The repository's taxonomy, wherever pytest was started."""
    return read_taxonomy(REPOSITORY / "taxonomy")


@pytest.fixture(scope="session")
def rule(tables: Taxonomy) -> Callable[..., Decision]:
    """`decide` with the repository's tables."""

    def run(label: str, source: str, source_id: str = "x", **more: Any) -> Decision:
        return decide(label, source=source, source_id=source_id, taxonomy=tables, **more)

    return run


@pytest.fixture(scope="session")
def articraft() -> Rows:
    """Every record of the real index."""
    return read_list("articraft_records_index.csv")


@pytest.fixture(scope="session")
def census(tables: Taxonomy, rule: Callable[..., Decision], articraft: Rows) -> Census:
    """Run the rules over every real list, once."""
    by_source: dict[str, Counter[str]] = {}
    unknown = []

    def enter(source: str, decision: Decision, count: int) -> None:
        if decision.category is None:
            unknown.append(f"{source}: {decision.label}")
        else:
            by_source.setdefault(source, Counter())[decision.category.name] += count

    for record in filter(is_kept, articraft):
        decision = rule(record["category_slug"], "articraft", record["record_id"])
        enter("articraft", decision, 1)
    for source, name in (
        ("artiverse", "artiverse_prerelease_84.csv"),
        ("partnet_mobility", "partnet_mobility_46.csv"),
        ("gapartnet_akb48", "gapartnet_akb48_4.csv"),
    ):
        for row in read_list(name):
            enter(source, rule(row["category"], source), int(row["count"]))
    return Census(by_source, tables, unknown)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the tables that a test may change."""
    return Path(shutil.copytree(REPOSITORY / "taxonomy", tmp_path / "taxonomy"))
