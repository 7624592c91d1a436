# SPDX-License-Identifier: Apache-2.0
"""Reads the taxonomy's tables and checks them; how to change a label is in taxonomy/README.md."""

from __future__ import annotations

import csv
import functools
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aa_dataset.format.labels import UNKNOWN, plain_label
from pipeline.base import layout
from pipeline.base.errors import ConfigError

__all__ = [
    "UNKNOWN",
    "Category",
    "LabelReview",
    "Taxonomy",
    "Words",
    "load_taxonomy",
    "plain_label",
]

ORIGINS = ("published", "source", "proposed")
PLACES = ("leading", "trailing", "anywhere")
SCOPES = ("name", "prompt", "both")


@dataclass(frozen=True, slots=True)
class Category:
    """One row of the category table, with its row of the masses.

    `usual_size` is the diagonal [m], `usual_mass` the lightest and the heaviest [kg]; None if
    unknown.
    """

    name: str
    supercategory: str
    origin: str
    usual_size: float | None
    usual_mass: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class LabelReview:
    """A person's decision about one object or one label."""

    category: str
    reviewer: str
    why: str


@dataclass(frozen=True, slots=True)
class Words:
    """The words at which the rules cut, or which they drop, for names or for prompts."""

    connectives: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    trailing: frozenset[str] = frozenset()
    anywhere: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Categories by name, and everything that leads to them."""

    categories: dict[str, Category]
    aliases: dict[str, str]
    reviews: dict[str, LabelReview] = field(default_factory=dict)
    name_words: Words = field(default_factory=Words)
    prompt_words: Words = field(default_factory=Words)
    models: dict[str, str] = field(default_factory=dict)

    def find(self, label: str) -> tuple[Category | None, str]:
        """Return the category of a source's label and the rule that found it."""
        plain = plain_label(label)
        if plain in self.categories:
            return self.categories[plain], "metadata"
        if plain in self.aliases:
            return self.categories[self.aliases[plain]], "metadata, alias"
        return None, "unknown label"


@functools.cache
def load_taxonomy() -> Taxonomy:
    """Read and check the tables of the repository."""
    return read_taxonomy(layout.TAXONOMY)


def read_taxonomy(folder: Path) -> Taxonomy:
    """Read and check the tables of one folder.

    Raises
    ------
    ConfigError
        If a row names a category, supercategory, origin, place or scope that does not exist, if
        a label is listed twice, or if masses are not a range.
    """
    categories = _read_categories(folder)
    aliases = {key: row["category"] for key, row in _by_key(folder / "aliases.tsv", "label")}
    reviews = {
        key: LabelReview(row["category"], row["reviewer"], row["why"])
        for key, row in _by_key(folder / "reviews.tsv", "subject")
    }
    _require_targets("aliases.tsv", aliases, categories)
    _require_targets("reviews.tsv", {k: r.category for k, r in reviews.items()}, categories)
    both = sorted(set(aliases) & set(categories))
    if both:
        raise ConfigError(f"taxonomy/aliases.tsv: {both[0]} is a category too. Remove one of them.")
    models = {key: row["category"] for key, row in _by_key(folder / "models.tsv", "model")}
    _require_targets("models.tsv", models, categories)
    names, prompts = (_read_words(folder, scope) for scope in ("name", "prompt"))
    return Taxonomy(categories, aliases, reviews, names, prompts, models)


def read_supercategories(folder: Path) -> set[str]:
    """Return the names of the supercategories of one folder."""
    return {row["supercategory"] for row in _tsv_rows(folder / "supercategories.tsv")}


def _read_categories(folder: Path) -> dict[str, Category]:
    known = read_supercategories(folder)
    masses = {key: _mass_range(key, row) for key, row in _by_key(folder / "masses.tsv", "category")}
    categories = {}
    for name, row in _by_key(folder / "categories.tsv", "category"):
        if row["supercategory"] not in known:
            raise ConfigError(
                f"taxonomy/categories.tsv: {name} is in {row['supercategory']!r}, which is not in "
                "supercategories.tsv. Choose one that is."
            )
        _require_known(name, row["origin"], ORIGINS, "categories.tsv")
        size = float(row["usual_size"]) if row["usual_size"] else None
        mass = masses.get(name)
        categories[name] = Category(name, row["supercategory"], row["origin"], size, mass)
    _require_targets("masses.tsv", {name: name for name in masses}, categories)
    return categories


def _mass_range(name: str, row: dict[str, str]) -> tuple[float, float]:
    """Return the lightest and the heaviest usual mass [kg] of a category."""
    try:
        lightest, heaviest = float(row["lightest"]), float(row["heaviest"])
    except ValueError:
        lightest = heaviest = math.nan
    if not 0 < lightest < heaviest < math.inf:
        raise ConfigError(
            f"taxonomy/masses.tsv: {name} needs two masses in kg, the lighter one first, not "
            f"{row['lightest']!r} and {row['heaviest']!r}."
        )
    return lightest, heaviest


def _read_words(folder: Path, scope: str) -> Words:
    """Return the words for names or for prompts."""
    places: dict[str, set[str]] = {place: set() for place in PLACES}
    for word, row in _by_key(folder / "modifiers.tsv", "word"):
        _require_known(word, row["place"], PLACES, "modifiers.tsv")
        _require_known(word, row["scope"], SCOPES, "modifiers.tsv")
        if row["scope"] in (scope, "both"):
            places[row["place"]].add(word)
    connectives = set()
    for word, row in _by_key(folder / "connectives.tsv", "word"):
        _require_known(word, row["scope"], SCOPES, "connectives.tsv")
        if row["scope"] in (scope, "both"):
            connectives.add(word)
    return Words(frozenset(connectives), *(frozenset(places[place]) for place in PLACES))


def _by_key(path: Path, column: str) -> list[tuple[str, dict[str, str]]]:
    """Return the rows with their key; a duplicate key is an error."""
    keys: set[str] = set()
    pairs = []
    for row in _tsv_rows(path):
        key = row[column]
        if key in keys:
            raise ConfigError(f"taxonomy/{path.name}: {key!r} is listed twice. Remove one row.")
        keys.add(key)
        pairs.append((key, row))
    return pairs


def _require_known(key: str, value: str, known: tuple[str, ...], file: str) -> None:
    if value not in known:
        raise ConfigError(
            f"taxonomy/{file}: {key} has {value!r}, which is not one of {', '.join(known)}."
        )


def _require_targets(file: str, pairs: dict[str, str], known: dict[str, Category]) -> None:
    for key, category in pairs.items():
        if category not in known:
            raise ConfigError(
                f"taxonomy/{file}: {key} leads to {category}, which categories.tsv does not have. "
                "Add the category first."
            )


def _tsv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = list(reader)
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise ConfigError(
                f"taxonomy/{path.name}, line {number}: expected {len(reader.fieldnames or ())} "
                "fields with tabs between them."
            )
    return rows


def category_rows(objects: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return every category of the taxonomy with its counts, and the unknown one if it occurs.

    `objects` are the category and the source of each object.
    """
    by_category: dict[str, Counter[str]] = {}
    for name, source in objects:
        by_category.setdefault(name, Counter())[source] += 1
    known = dict(load_taxonomy().categories)
    if UNKNOWN in by_category:
        known[UNKNOWN] = Category(UNKNOWN, UNKNOWN, "none", None)
    return [
        {
            "category": category.name,
            "supercategory": category.supercategory,
            "origin": category.origin,
            "usual_size": category.usual_size,
            "objects": sum(by_category.get(category.name, Counter()).values()),
            "by_source": sorted(by_category.get(category.name, Counter()).items()),
        }
        for category in known.values()
    ]
