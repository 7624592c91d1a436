# SPDX-License-Identifier: Apache-2.0
"""The tables of `taxonomy/` are whole, in order, and complete."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from pipeline.base.errors import ConfigError
from pipeline.generate import registry
from pipeline.raw.proposals import PROPOSAL_COLUMNS
from pipeline.raw.taxonomy import Taxonomy, plain_label, read_taxonomy
from tests.pipeline.stages.categorize.conftest import REPOSITORY

FOLDER = REPOSITORY / "taxonomy"
COLUMNS = {
    "supercategories": ("supercategory", "definition"),
    "categories": ("category", "supercategory", "origin", "usual_size"),
    "aliases": ("label", "category", "seen_in"),
    "connectives": ("word", "scope", "evidence"),
    "masses": ("category", "lightest", "heaviest"),
    "models": ("model", "category", "seen_in"),
    "modifiers": ("word", "place", "scope", "evidence"),
    "proposals": PROPOSAL_COLUMNS,
    "reviews": ("subject", "category", "reviewer", "why"),
}


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.tsv").open(newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_and_order(name: str) -> None:
    lines = (FOLDER / f"{name}.tsv").read_text().splitlines()
    assert tuple(lines[0].split("\t")) == COLUMNS[name]
    keys = [line.split("\t")[0] for line in lines[1:]]
    assert name == "proposals" or keys == sorted(keys)
    assert all(line == line.strip(" ") and line.isascii() for line in lines)


def test_no_other_table_is_there() -> None:
    assert {path.stem for path in FOLDER.glob("*.tsv")} == set(COLUMNS)


def test_fifteen_supercategories_are_defined() -> None:
    groups = rows("supercategories")
    assert len(groups) == 15
    assert all(row["definition"].endswith(".") for row in groups)


def test_every_supercategory_is_used(tables: Taxonomy) -> None:
    used = {category.supercategory for category in tables.categories.values()}
    assert used == {row["supercategory"] for row in rows("supercategories")}


def test_names_are_in_the_shared_form(tables: Taxonomy) -> None:
    for name in (*tables.categories, *tables.aliases):
        assert plain_label(name) == name and re.fullmatch(r"[a-z0-9_]+", name)


def test_usual_sizes_are_of_this_world(tables: Taxonomy) -> None:
    sizes = {k: c.usual_size for k, c in tables.categories.items() if c.usual_size is not None}
    assert all(0.03 <= size <= 100 for size in sizes.values())
    assert len(sizes) > 200


def test_usual_masses_fit_the_usual_sizes(tables: Taxonomy) -> None:
    """Every class of some size has masses: a box of that diagonal is between foam and steel.

    The largest box of a diagonal d is a cube of d^3 / 5.2. Rods, sheets and frames have far less.
    """
    for name, one in tables.categories.items():
        assert (one.usual_size is None) == (one.usual_mass is None), name
        if one.usual_size is not None and one.usual_mass is not None:
            cube = one.usual_size**3 / 3**1.5
            assert one.usual_mass[0] < 2000 * cube, name
            assert one.usual_mass[1] > 3 * cube, name
            assert 2 <= one.usual_mass[1] / one.usual_mass[0] <= 200, name


def test_every_generated_category_has_its_row(tables: Taxonomy) -> None:
    made = registry.supercategories()
    missing = sorted(set(made) - set(tables.categories))
    assert not missing, f"add these to taxonomy/categories.tsv: {missing}"
    moved = {k: g for k, g in made.items() if tables.categories[k].supercategory != g}
    assert not moved, f"families and taxonomy/categories.tsv disagree on {moved}"


@pytest.mark.parametrize(
    ("file", "line", "problem"),
    [
        ("categories.tsv", "quern\tStones\tproposed\t1", "supercategories.tsv"),
        ("categories.tsv", "quern\tTools\tguessed\t1", "not one of published"),
        ("categories.tsv", "oven\tTools\tproposed\t1", "twice"),
        ("categories.tsv", "quern\tTools", "fields"),
        ("masses.tsv", "quern\t20\t80", "Add the category first"),
        ("masses.tsv", "oven\t20\t80", "twice"),
        ("masses.tsv", "gear_train\t80\t20", "the lighter one first"),
        ("masses.tsv", "gear_train\t0\t20", "two masses in kg"),
        ("masses.tsv", "gear_train\t20\tinf", "two masses in kg"),
        ("masses.tsv", "gear_train\tlight\theavy", "two masses in kg"),
        ("aliases.tsv", "hand_mill\tquern\tme", "Add the category first"),
        ("aliases.tsv", "oven\tgrill\tme", "a category too"),
        ("reviews.tsv", "local-1\tquern\tanna\tit is", "Add the category first"),
        ("modifiers.tsv", "nice\tinside\tboth\tme", "not one of leading"),
        ("connectives.tsv", "beside\tletters\tme", "not one of name"),
    ],
)
def test_a_wrong_row_is_refused_with_a_next_step(
    folder: Path, file: str, line: str, problem: str
) -> None:
    with (folder / file).open("a") as stream:
        stream.write(f"{line}\n")
    with pytest.raises(ConfigError, match=problem):
        read_taxonomy(folder)


def test_the_readme_names_every_table_and_every_rule_with_its_evidence() -> None:
    text = (FOLDER / "README.md").read_text()
    for name in COLUMNS:
        assert f"{name}.tsv" in text
    for row in (*rows("connectives"), *rows("modifiers")):
        kind = row["evidence"].split(":")[0]
        assert kind in ("paper", "fitted", "proposed")
        if kind == "paper":
            assert f"`{row['word']}`" in text
