# SPDX-License-Identifier: Apache-2.0
"""A seeded, stratified sample: every supercategory in turn, and in it the least used category."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


def sample_split(objects: Sequence[Mapping[str, Any]], *, seed: int, count: int) -> list[str]:
    """Return the ids of `count` objects, sorted.

    Parameters
    ----------
    objects : sequence of rows of the table `objects`
        The order does not matter.
    seed : int
        Decides between objects of one category.
    count : int
        At most the number of objects.
    """
    waiting: dict[str, dict[str, list[str]]] = {}
    for row in sorted(objects, key=lambda row: _rank(seed, row["object_id"])):
        group = waiting.setdefault(row["supercategory"], {})
        group.setdefault(row["category"], []).append(row["object_id"])
    chosen: list[str] = []
    used: Counter[str] = Counter()
    while len(chosen) < count:
        for group in sorted(waiting):
            if len(chosen) < count and waiting[group]:
                chosen.append(_take(waiting[group], used))
    return sorted(chosen)


def _rank(seed: int, identifier: str) -> str:
    return hashlib.sha256(f"{seed}/{identifier}".encode()).hexdigest()


def _take(group: dict[str, list[str]], used: Counter[str]) -> str:
    """Take the next object of the category that was used least, ties by name."""
    category = min(group, key=lambda name: (used[name], name))
    used[category] += 1
    identifier = group[category].pop(0)
    if not group[category]:
        del group[category]
    return identifier
