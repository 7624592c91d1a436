# SPDX-License-Identifier: Apache-2.0
"""The build against the numbers that the paper states of its library (v1, appendix on the library).

Ours are counted, never estimated. Objects without a category count as objects and as nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aa_dataset.format.benchmark import SPLIT as EVALUATION
from aa_dataset.format.labels import UNKNOWN
from pipeline.stages.report.tables import LibraryTables

OBJECTS, CATEGORIES, SUPERCATEGORIES = 19_977, 628, 15
LARGEST_HALF, LARGEST_80 = 77, 204  # categories that hold half and 80 % of the objects
# Objects, categories, and objects of the three largest categories of each supercategory.
PUBLISHED: Mapping[str, tuple[int, int, Mapping[str, int]]] = {
    "Storage Furniture": (
        2689, 31, {"nightstand": 490, "chest_of_drawers": 430, "storage_furniture": 381},
    ),
    "Mechanisms": (
        2324, 80, {"branching_tree": 77, "prismatic_slider": 63, "yaw_axis_module": 62},
    ),
    "Kitchen & Cooking": (1983, 48, {"refrigerator": 270, "oven": 210, "dishwasher": 190}),
    "Tools": (1890, 125, {"scissors": 192, "pliers": 106, "stapler": 103}),
    "Electronics": (1789, 43, {"laptop": 415, "remote_control": 138, "switch": 128}),
    "Architectural Fixtures": (1645, 48, {"faucet": 254, "door": 207, "window": 150}),
    "Mobility": (1262, 70, {"cart": 82, "kick_scooter": 79, "car": 54}),
    "Tables & Seating": (1167, 33, {"desk": 321, "table": 132, "chair": 131}),
    "Containers": (1080, 22, {"bottle": 163, "bucket": 143, "trash_can": 117}),
    "Lighting": (806, 20, {"floor_lamp": 112, "task_lamp": 82, "ceiling_light_fixture": 78}),
    "Infrastructure": (805, 26, {"ferris_wheel": 80, "clock_tower": 51, "elevator": 50}),
    "Home Appliances": (798, 20, {"fan": 98, "washing_machine": 88, "ceiling_fan": 77}),
    "Personal & Household Items": (756, 22, {"eyeglasses": 272, "globe": 118, "clock": 78}),
    "Robotics": (
        517, 15, {"robotic_arm": 92, "opposed_twinslide_gripper": 47, "robotic_leg": 47},
    ),
    "Recreation": (466, 25, {"fidget_toy": 54, "dj_equipment": 53, "playground_swing": 42}),
}  # fmt: skip
# The evaluation set: objects, categories, supercategories, and objects of the five largest.
SPLIT_OBJECTS, SPLIT_CATEGORIES, SPLIT_SUPERCATEGORIES = 200, 113, 15
SPLIT_LARGEST: Mapping[str, int] = {
    "Kitchen & Cooking": 28,
    "Electronics": 26,
    "Containers": 25,
    "Architectural Fixtures": 22,
    "Tools": 20,
}


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One number of the paper beside ours.

    Attributes
    ----------
    section : str
        Heading of the rows that belong together.
    quantity : str
        What is counted.
    paper, ours : int
        The two counts.
    """

    section: str
    quantity: str
    paper: int
    ours: int

    @property
    def difference(self) -> int:
        """Ours minus the paper's."""
        return self.ours - self.paper


def compare_with_paper(tables: LibraryTables) -> tuple[PaperRow, ...]:
    """Return every number that the paper states of its library, in the paper's order."""
    pairs = _labels(tables, tables.objects["object_id"].to_pylist())
    return (
        *_library_rows(tables.objects.num_rows, pairs),
        *_supercategory_rows(pairs),
        *_category_rows(pairs),
        *_concentration_rows(pairs),
        *_split_rows(tables),
    )


def holding(sizes: Sequence[int], numerator: int, denominator: int) -> int:
    """Return how many of the largest categories hold a share of the objects, 0 if there are none.

    Parameters
    ----------
    sizes : sequence of int
        Objects per category, in any order.
    numerator, denominator : int
        The share as a fraction, so that nothing is rounded.
    """
    total, held = sum(sizes), 0
    for count, size in enumerate(sorted(sizes, reverse=True), start=1):
        held += size
        if held * denominator >= total * numerator:
            return count
    return 0


def evaluation_split(tables: LibraryTables) -> str:
    """Return the name of the split that methods are scored on, empty if the library has none."""
    names = sorted({*tables.splits["split"].to_pylist()})
    found = [name for name in names if name == EVALUATION or name.startswith(f"{EVALUATION}_")]
    return found[0] if found else ""


def split_members(tables: LibraryTables, split: str) -> list[str]:
    """Return the ids of the objects of one split."""
    columns = (tables.splits[name].to_pylist() for name in ("split", "object_id"))
    return [member for name, member in zip(*columns, strict=True) if name == split]


Pairs = list[tuple[str, str]]  # of the objects with a category: supercategory and category


def _labels(tables: LibraryTables, members: Sequence[str]) -> Pairs:
    names = ("object_id", "supercategory", "category")
    rows = zip(*(tables.objects[name].to_pylist() for name in names), strict=True)
    of = {object_id: (group, category) for object_id, group, category in rows}
    known = (of[member] for member in members if member in of)
    return [pair for pair in known if UNKNOWN not in pair]


def _library_rows(objects: int, pairs: Pairs) -> Iterator[PaperRow]:
    section = "Library"
    yield PaperRow(section, "objects", OBJECTS, objects)
    yield PaperRow(section, "categories", CATEGORIES, len({*pairs}))
    yield PaperRow(section, "supercategories", SUPERCATEGORIES, len({group for group, _ in pairs}))


def _supercategory_rows(pairs: Pairs) -> Iterator[PaperRow]:
    section = "Supercategories"
    objects = Counter(group for group, _ in pairs)
    categories = Counter(group for group, _ in {*pairs})
    for group, (of_objects, of_categories, _) in PUBLISHED.items():
        yield PaperRow(section, f"{group}: objects", of_objects, objects[group])
        yield PaperRow(section, f"{group}: categories", of_categories, categories[group])


def _category_rows(pairs: Pairs) -> Iterator[PaperRow]:
    objects = Counter(category for _, category in pairs)
    for _, _, published in PUBLISHED.values():
        for category, count in published.items():
            yield PaperRow("Published categories", category, count, objects[category])


def _concentration_rows(pairs: Pairs) -> Iterator[PaperRow]:
    section, sizes = "Long tail", [*Counter(pairs).values()]
    half, most = holding(sizes, 1, 2), holding(sizes, 4, 5)
    yield PaperRow(section, "categories that hold half of the objects", LARGEST_HALF, half)
    yield PaperRow(section, "categories that hold 80 % of the objects", LARGEST_80, most)


def _split_rows(tables: LibraryTables) -> Iterator[PaperRow]:
    split = evaluation_split(tables)
    members = split_members(tables, split)
    pairs = _labels(tables, members)
    groups = Counter(group for group, _ in pairs)
    section = f"Evaluation split {split}" if split else "Evaluation split (none in this library)"
    yield PaperRow(section, "objects", SPLIT_OBJECTS, len(members))
    yield PaperRow(section, "categories", SPLIT_CATEGORIES, len({*pairs}))
    yield PaperRow(section, "supercategories", SPLIT_SUPERCATEGORIES, len(groups))
    for group, count in SPLIT_LARGEST.items():
        yield PaperRow(section, f"{group}: objects", count, groups[group])
