# SPDX-License-Identifier: Apache-2.0
"""Numbers of the work: methods of inertia, findings, rejects, coverage of a split, costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from aa_dataset.format.labels import UNKNOWN
from pipeline.engine.stages import STAGES
from pipeline.stages.report.numbers.counting import (
    Array,
    CrossCount,
    by_frequency,
    cross_count,
    quantile,
)
from pipeline.stages.report.paper import evaluation_split, split_members
from pipeline.stages.report.tables import LibraryTables, StageCost

ERROR_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class InertiaMethods:
    """Links by the method of their inertial.

    Attributes
    ----------
    methods : tuple of str
        The methods, most frequent first.
    links : tuple of int
        Links of each.
    errors : (methods, 6) float
        Quantiles of the column `inertia_error` at `ERROR_SHARES`, the last of which is the largest.
    """

    methods: tuple[str, ...]
    links: tuple[int, ...]
    errors: Array


def inertia_methods(tables: LibraryTables) -> InertiaMethods:
    """Return how the inertials of links were found, and how uncertain they are."""
    errors: dict[str, list[float]] = defaultdict(list)
    columns = (tables.links[name].to_pylist() for name in ("inertia_method", "inertia_error"))
    for method, error in zip(*columns, strict=True):
        errors[method].append(error)
    counts = {method: len(found) for method, found in errors.items()}
    methods = by_frequency(counts)
    spread = [
        [quantile(np.array(errors[name], np.float64), share) for share in ERROR_SHARES]
        for name in methods
    ]
    return InertiaMethods(
        methods,
        tuple(counts[name] for name in methods),
        np.array(spread, np.float64).reshape(len(methods), len(ERROR_SHARES)),
    )


def findings_by_code(tables: LibraryTables) -> CrossCount:
    """Return the findings of every code (rows) by the source of their object (columns)."""
    columns = (tables.objects[name].to_pylist() for name in ("object_id", "source"))
    source_of = dict(zip(*columns, strict=True))
    found = (tables.findings[name].to_pylist() for name in ("code", "object_id"))
    return cross_count((code, source_of[name]) for code, name in zip(*found, strict=True))


def rejects_by_code(tables: LibraryTables) -> CrossCount:
    """Return the rejects of every code, with the stage that spoke, by source."""
    names = ("stage", "code", "source")
    found = (tables.rejects[name].to_pylist() for name in names)
    return cross_count(
        (f"{stage}: {code}", source) for stage, code, source in zip(*found, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an evaluation split covers of every supercategory.

    Attributes
    ----------
    split : str
        Its name; empty if the library has none.
    groups : tuple of str
        The supercategories, most objects of the split first.
    objects, categories, of_categories : tuple of int
        For each the objects and the categories in the split, and the categories of the library.
    """

    split: str
    groups: tuple[str, ...]
    objects: tuple[int, ...]
    categories: tuple[int, ...]
    of_categories: tuple[int, ...]


def split_coverage(tables: LibraryTables) -> Coverage:
    """Return the coverage of the library's evaluation split."""
    split = evaluation_split(tables)
    members = {*split_members(tables, split)}
    names = ("object_id", "supercategory", "category")
    rows = [*zip(*(tables.objects[name].to_pylist() for name in names), strict=True)]
    inside = [(group, category) for name, group, category in rows if name in members]
    every = [(group, category) for _, group, category in rows]
    objects = Counter({group: 0 for group, _ in every})
    objects.update(group for group, _ in inside)
    groups = by_frequency(objects)
    covered, known = _categories(inside), _categories(every)
    return Coverage(
        split,
        groups,
        tuple(objects[group] for group in groups),
        tuple(covered[group] for group in groups),
        tuple(known[group] for group in groups),
    )


def _categories(pairs: Iterable[tuple[str, str]]) -> Counter[str]:
    return Counter(group for group, category in {*pairs} if category != UNKNOWN)


def stage_costs(tables: LibraryTables) -> list[StageCost]:
    """Return the costs in the order of the workflow; stages that it does not know come last."""
    order = {stage: k for k, stage in enumerate(STAGES)}
    return sorted(tables.costs, key=lambda cost: (order.get(cost.stage, len(order)), cost.stage))
