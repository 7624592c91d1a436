# SPDX-License-Identifier: Apache-2.0
"""What a library consists of: joints by type, supercategories by source, one object of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from aa_dataset.format.labels import UNKNOWN
from aa_dataset.kinematics import JointType
from pipeline.stages.report.numbers.counting import CrossCount, by_frequency, cross_count
from pipeline.stages.report.tables import LibraryTables

MOST_JOINTS = 8  # of an object that stands for its supercategory, so that its tree can be read


def joints_by_type(tables: LibraryTables) -> dict[JointType, int]:
    """Return the joints of every type, in the paper's order of types."""
    found = Counter(tables.joints["type"].to_pylist())
    return {kind: found[kind.value] for kind in JointType}


def objects_by_source(tables: LibraryTables) -> CrossCount:
    """Return the objects of every supercategory (rows) by source (columns)."""
    rows = (tables.objects[name].to_pylist() for name in ("supercategory", "source"))
    return cross_count(zip(*rows, strict=True))


def categories_by_source(tables: LibraryTables) -> CrossCount:
    """Return the categories of every supercategory by the source that most of their objects have.

    A category counts once, so that the rows add up to the categories. If two sources have as many
    objects of it, the first by name has it.
    """
    names = ("supercategory", "category", "source")
    sources: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for group, category, source in zip(
        *(tables.objects[name].to_pylist() for name in names), strict=True
    ):
        if category != UNKNOWN:
            sources[group, category][source] += 1
    return cross_count((group, by_frequency(found)[0]) for (group, _), found in sources.items())


@dataclass(frozen=True, slots=True)
class Specimen:
    """An object that stands for its supercategory; `row` is its row of `objects`."""

    supercategory: str
    category: str
    object_id: str
    row: int


def specimens(tables: LibraryTables) -> list[Specimen]:
    """Return one object of every supercategory, in the order of their sizes.

    It is of the largest category; there it has the most movable joints up to `MOST_JOINTS`, else
    the fewest; of several such objects it is the first by id.
    """
    names = ("supercategory", "category", "joints_movable", "object_id")
    columns = (tables.objects[name].to_pylist() for name in names)
    rows = [(*facts, row) for row, facts in enumerate(zip(*columns, strict=True))]
    sizes = Counter((group, category) for group, category, *_ in rows)
    best: dict[str, tuple[tuple[int, str, bool, int, str], Specimen]] = {}
    for group, category, joints, object_id, row in rows:
        many = joints > MOST_JOINTS
        rank = (-sizes[group, category], category, many, joints if many else -joints, object_id)
        if group not in best or rank < best[group][0]:
            best[group] = (rank, Specimen(group, category, object_id, row))
    return [best[group][1] for group in by_frequency(Counter(row[0] for row in rows))]
