# SPDX-License-Identifier: Apache-2.0
"""The build against the paper: the paper's own numbers agree, and ours are counted."""

from __future__ import annotations

import csv
import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.stages.report import paper
from pipeline.stages.report.paper import PaperRow, compare_with_paper, holding
from tests.kit.places import sample_folder
from tests.kit.report_tables import random_tables, report_tables


def test_the_supercategories_add_up_to_the_library() -> None:
    published = paper.PUBLISHED.values()
    assert sum(objects for objects, _, _ in published) == paper.OBJECTS
    assert sum(categories for _, categories, _ in published) == paper.CATEGORIES
    assert len(paper.PUBLISHED) == paper.SUPERCATEGORIES
    assert sum(len(largest) for _, _, largest in published) == 45


def test_the_rows_of_the_table_are_those_of_the_paper() -> None:
    path = sample_folder("categories") / "articulatearena_paper_table.csv"
    with path.open() as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    ours = [
        (group, str(objects), str(categories), name, str(count))
        for group, (objects, categories, largest) in paper.PUBLISHED.items()
        for name, count in largest.items()
    ]
    assert sorted(ours) == sorted(rows)


@pytest.mark.parametrize("seed", range(5))
def test_every_number_equals_a_count_over_the_rows(seed: int) -> None:
    tables = random_tables(seed, objects=80)
    rows = tables.objects.to_pylist()
    labeled = [row for row in rows if row["category"] != "uncategorized"]
    found = {(row.section, row.quantity): row.ours for row in compare_with_paper(tables)}
    assert found["Library", "objects"] == len(rows)
    assert found["Library", "categories"] == len({row["category"] for row in labeled})
    assert found["Library", "supercategories"] == len({row["supercategory"] for row in labeled})
    for group in ("Tools", "Lighting", "Storage Furniture", "Robotics"):
        own = [row for row in labeled if row["supercategory"] == group]
        assert found["Supercategories", f"{group}: objects"] == len(own)
        categories = {row["category"] for row in own}
        assert found["Supercategories", f"{group}: categories"] == len(categories)
    for name in ("scissors", "nightstand", "oven"):
        count = sum(row["category"] == name for row in rows)
        assert found["Published categories", name] == count
    members = {row["object_id"] for row in tables.splits.to_pylist()}
    inside = [row for row in labeled if row["object_id"] in members]
    section = "Evaluation split eval200"
    assert found[section, "objects"] == len(members) == 20
    assert found[section, "categories"] == len({row["category"] for row in inside})
    assert found[section, "Tools: objects"] == sum(r["supercategory"] == "Tools" for r in inside)


def test_every_number_of_the_issue_is_there_once() -> None:
    rows = compare_with_paper(random_tables(0))
    assert len({(row.section, row.quantity) for row in rows}) == len(rows)
    sections = Counter(re.sub(" .*", "", row.section) for row in rows)
    assert sections == {"Library": 3, "Supercategories": 30, "Published": 45, "Long": 2,
                        "Evaluation": 8}  # fmt: skip
    assert [row.paper for row in rows if row.section == "Library"] == [19_977, 628, 15]
    assert [row.paper for row in rows if row.section == "Long tail"] == [77, 204]


def test_an_empty_library_lacks_everything() -> None:
    rows = compare_with_paper(report_tables())
    assert {row.ours for row in rows} == {0}
    assert all(row.difference == -row.paper < 0 for row in rows)
    assert rows[-1].section == "Evaluation split (none in this library)"


def test_a_difference_has_the_sign_of_what_is_more_here() -> None:
    assert PaperRow("Library", "objects", 10, 12).difference == 2


@given(st.lists(st.integers(1, 50), max_size=12))
def test_the_largest_categories_that_hold_a_share_are_the_fewest(sizes: list[int]) -> None:
    for share in (Fraction(1, 2), Fraction(4, 5)):
        count = holding(sizes, share.numerator, share.denominator)
        largest = sorted(sizes, reverse=True)
        if not sizes:
            assert count == 0
            continue
        assert sum(largest[:count]) >= share * sum(sizes) > sum(largest[: count - 1])
