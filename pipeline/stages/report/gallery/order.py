# SPDX-License-Identifier: Apache-2.0
"""In which order the gallery has the objects, and of which it keeps large pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from pipeline.engine.settings import Report


@dataclass(frozen=True, slots=True)
class Order:
    """The rows of the gallery: one object of every category first, then the others by category.

    The page opens on all there is, and the thumbnails of a category are still on few sheets.

    Attributes
    ----------
    rows : tuple of int
        Row of the objects table, by row of the gallery.
    large : frozenset of int
        Rows of the gallery whose large pictures and strips are in the report.
    """

    rows: tuple[int, ...]
    large: frozenset[int]


def gallery_order(objects: pa.Table, settings: Report) -> Order:
    """Return the order of a library's objects."""
    names = ("supercategory", "category", "object_id")
    keys = list(zip(*(objects[name].to_pylist() for name in names), strict=True))
    rows = sorted(range(len(keys)), key=keys.__getitem__)
    labels = [keys[row][:2] for row in rows]
    first = [not place or labels[place - 1] != label for place, label in enumerate(labels)]
    heads = [row for row, is_first in zip(rows, first, strict=True) if is_first]
    others = [row for row, is_first in zip(rows, first, strict=True) if not is_first]
    ordered = (*heads, *others)
    return Order(ordered, frozenset(_large_rows([keys[row][1] for row in ordered], settings)))


def _large_rows(categories: Sequence[str], settings: Report) -> list[int]:
    """Return all rows of a small library, else the first ones of every category."""
    if len(categories) <= settings.large_objects:
        return list(range(len(categories)))
    seen: Counter[str] = Counter()
    chosen = []
    for row, category in enumerate(categories):
        if seen[category] < settings.large_per_category:
            chosen.append(row)
        seen[category] += 1
    return chosen
