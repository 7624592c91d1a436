# SPDX-License-Identifier: Apache-2.0
"""Reads the taxonomy's tables and looks labels up; how to change one is in taxonomy/README.md."""

from __future__ import annotations

import csv
import functools
import re
from dataclasses import dataclass
from pathlib import Path

from pipeline import layout
from pipeline.errors import ConfigError

UNKNOWN = "uncategorized"


@dataclass(frozen=True, slots=True)
class Category:
    """One row of the category table; `usual_size` is the diagonal in m, None where unknown."""

    name: str
    supercategory: str
    origin: str
    usual_size: float | None


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Categories by name, and the aliases that lead to them."""

    categories: dict[str, Category]
    aliases: dict[str, str]

    def find(self, label: str) -> tuple[Category | None, str]:
        """Return the category of a source's label and the rule that found it."""
        plain = plain_label(label)
        if plain in self.categories:
            return self.categories[plain], "metadata"
        if plain in self.aliases:
            return self.categories[self.aliases[plain]], "metadata, alias"
        return None, "unknown label"


def plain_label(label: str) -> str:
    """Return the shared lowercase form: `TrashCan`, `trash-can` and `Trash Can` are `trash_can`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", label.strip())
    return re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")


@functools.cache
def load_taxonomy() -> Taxonomy:
    """Read and check the tables."""
    supercategories = {row["supercategory"] for row in _rows("supercategories.tsv")}
    categories = {}
    for row in _rows("categories.tsv"):
        if row["supercategory"] not in supercategories:
            raise ConfigError(f"taxonomy/categories.tsv: {row['category']} names an unknown group.")
        size = float(row["usual_size"]) if row["usual_size"] else None
        categories[row["category"]] = Category(
            row["category"], row["supercategory"], row["origin"], size
        )
    aliases = {row["label"]: row["category"] for row in _rows("aliases.tsv")}
    for label, category in aliases.items():
        if category not in categories:
            raise ConfigError(
                f"taxonomy/aliases.tsv: {label} leads to {category}, which is unknown."
            )
    return Taxonomy(categories, aliases)


def _rows(name: str) -> list[dict[str, str]]:
    with Path(layout.TAXONOMY, name).open(newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))
