# SPDX-License-Identifier: Apache-2.0
"""Breakdowns of a result: by category, source, joint type and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aa_dataset.errors import ArenaError
from aa_dataset.score.result.arrays import Arrays, Bools
from aa_dataset.score.result.scores import ALL_JOINTS
from aa_dataset.score.result.statistics import METRIC, OTHER, Chosen

# Groups of fewer objects are named, not averaged: their mean says nothing.
FEW_OBJECTS = 5
_SIZES = ((0, 0, "0"), (1, 1, "1"), (2, 2, "2"), (3, 4, "3-4"), (5, 8, "5-8"), (9, 16, "9-16"))


@dataclass(frozen=True, slots=True, eq=False)
class NamedGroup:
    """One group: what it is called, its rows, its numbers of objects and of truth joints."""

    by: str
    name: str
    chosen: Chosen
    count: int
    joints: int


def named_groups(arrays: Arrays, by: str) -> list[NamedGroup]:
    """Return the groups of a breakdown, by name."""
    if by not in BREAKDOWNS:
        raise ArenaError(f"a breakdown by {by!r} is not one of {', '.join(BREAKDOWNS)}.")
    return [_counted(arrays, by, *found) for found in BREAKDOWNS[by](arrays)]


def _counted(arrays: Arrays, by: str, name: str, chosen: Chosen) -> NamedGroup:
    protocol = arrays.joints_with("protocol", ALL_JOINTS)
    truth = chosen.joints & protocol & arrays.is_truth
    owners = np.unique(arrays.owner[truth])
    count = int(chosen.objects.sum()) if chosen.has_objects else len(owners)
    return NamedGroup(by, name, chosen, count, int(truth.sum()))


def _by_column(column: str) -> Callable[[Arrays], Iterator[tuple[str, Chosen]]]:
    def groups(arrays: Arrays) -> Iterator[tuple[str, Chosen]]:
        for name in sorted(pc.unique(arrays.per_object[column]).to_pylist()):
            yield name, _of_objects(arrays, arrays.objects_with(column, name))

    return groups


def _by_scale(arrays: Arrays) -> Iterator[tuple[str, Chosen]]:
    is_metric = arrays.object_numbers("is_metric") > 0
    for name, objects in ((METRIC, is_metric), (OTHER, ~is_metric)):
        if objects.any():
            yield name, _of_objects(arrays, objects)


def _by_joints(arrays: Arrays) -> Iterator[tuple[str, Chosen]]:
    count = arrays.object_numbers("joints")
    parts = [(name, (count >= low) & (count <= high)) for low, high, name in _SIZES]
    for name, objects in [*parts, ("17 or more", count >= 17)]:
        if objects.any():
            yield name, _of_objects(arrays, objects)


def _by_joint_type(arrays: Arrays) -> Iterator[tuple[str, Chosen]]:
    """Yield the joints of one type; a spurious joint counts by its own type.

    Objects enter with their joints of that type only, so there are no trees.
    """
    known = pc.coalesce(arrays.per_joint["type"], arrays.per_joint["predicted_type"])
    for name in sorted(pc.unique(known).to_pylist()):
        rows = np.asarray(pc.equal(known, pa.scalar(name)).to_numpy(), dtype=bool)
        objects = np.zeros(len(arrays), bool)
        objects[arrays.owner[rows]] = True
        yield name, Chosen(rows, objects, has_objects=False)


def _of_objects(arrays: Arrays, objects: Bools) -> Chosen:
    return Chosen(objects[arrays.owner], objects)


BREAKDOWNS: dict[str, Callable[[Arrays], Iterator[tuple[str, Chosen]]]] = {
    "supercategory": _by_column("supercategory"),
    "category": _by_column("category"),
    "joint-type": _by_joint_type,
    "source": _by_column("source"),
    "joints": _by_joints,
    "metric": _by_scale,
}
