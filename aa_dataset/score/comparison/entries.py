# SPDX-License-Identifier: Apache-2.0
"""One compared method: its scores per object, as sums and counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import JointType
from aa_dataset.score.comparison.measures import (
    COMPONENTS,
    JOINT_SCORES,
    MEASURES,
    TREES,
    Basis,
    Choice,
)

Array = NDArray[np.float64]
Scale = Literal["metric", "other"]


@dataclass(frozen=True, slots=True)
class Sums:
    """A score of every object as numerator and denominator of its mean.

    Attributes
    ----------
    top, bottom : (n,) float
        Sum and number of the defined values of each object. The mean over objects drawn with
        replacement is the quotient of the sums over them.
    factor : float
        100 for shares in percent.
    """

    top: Array
    bottom: Array
    factor: float = 1.0

    @property
    def mean(self) -> float:
        """Return the mean of all values; nan without any."""
        count = math.fsum(self.bottom)
        return self.factor * math.fsum(self.top) / count if count else math.nan

    @property
    def count(self) -> int:
        """Return the number of defined values."""
        return int(self.bottom.sum())

    @property
    def has_value(self) -> NDArray[np.bool_]:
        """Return which objects have a defined value, (n,)."""
        return np.asarray(self.bottom > 0)

    def on(self, kept: NDArray[np.bool_]) -> Sums:
        """Return the sums of some objects only."""
        return Sums(self.top[kept], self.bottom[kept], self.factor)

    @property
    def per_object(self) -> Array:
        """Return the mean of each object, (n,); nan without a defined value."""
        out = np.full(self.top.shape, np.nan)
        np.divide(self.top, self.bottom, out=out, where=self.has_value)
        return out * self.factor


@dataclass(frozen=True, slots=True)
class Entry:
    """The scores of one method on the objects of one scale.

    Attributes
    ----------
    name : str
        Foreign text, unique among the compared methods.
    dagger : bool
        Whether limits were imputed from the ground truth, so that it never competes.
    status : tuple of str
        Of every object: scored, motionless, missing or unreadable.
    scores : dict
        `Sums` by basis and key; components have no basis ALL.
    """

    name: str
    dagger: bool
    status: tuple[str, ...]
    scores: Mapping[tuple[Basis, str], Sums]

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Return which objects have a valid articulated output, (n,)."""
        return np.array([status == "scored" for status in self.status], dtype=bool)

    @property
    def counts(self) -> Counter[str]:
        """Return the number of objects by status."""
        return Counter(self.status)


@dataclass(frozen=True, slots=True)
class Group:
    """All methods on the objects of one scale; lengths of two scales are never averaged together.

    Attributes
    ----------
    scale : {"metric", "other"}
        Whether the objects are in meters or in a unit of their source.
    objects : tuple of str
        Ids, sorted.
    entries : tuple of Entry
        In the order of the command line.
    """

    scale: Scale
    objects: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def in_common(self) -> NDArray[np.bool_]:
        """Return which objects have a valid output of every method that has any, (n,)."""
        valid = [entry.valid for entry in self.entries if entry.valid.any()]
        if not valid:
            return np.zeros(len(self.objects), dtype=bool)
        return np.asarray(np.array(valid).all(axis=0))

    def defines(self, key: str) -> NDArray[np.bool_]:
        """Return which objects have a truth that defines a score, (n,)."""
        known = [entry.scores[Basis.ALL, key].has_value for entry in self.entries]
        return np.asarray(np.array(known).any(axis=0))

    @property
    def competing(self) -> tuple[Entry, ...]:
        """Return the entries without a dagger."""
        return tuple(entry for entry in self.entries if not entry.dagger)


def make_group(
    scale: Scale,
    named: Sequence[tuple[str, bool, pa.Table, pa.Table]],
    choice: Choice,
) -> Group | None:
    """Return the methods on the objects of one scale; None without such objects.

    Parameters
    ----------
    scale : {"metric", "other"}
        The scale.
    named : list of (name, dagger, per_joint, per_object)
        The methods; all have the same objects.
    choice : Choice
        The protocol and the variant.
    """
    rows = _rows(named[0][3], ("object_id", "is_metric")) if named else []
    members = sorted(row["object_id"] for row in rows if row["is_metric"] == (scale == "metric"))
    if not members:
        return None
    entries = tuple(
        _make_entry(name, dagger, (joints, objects), choice, members)
        for name, dagger, joints, objects in named
    )
    return Group(scale, tuple(members), entries)


def _make_entry(
    name: str,
    dagger: bool,
    tables: tuple[pa.Table, pa.Table],
    choice: Choice,
    members: Sequence[str],
) -> Entry:
    place = {object_id: k for k, object_id in enumerate(members)}
    columns = [f"{choice.prefix}_{key}" for key in (*COMPONENTS, "success")]
    columns += [column for key in JOINT_SCORES for column in (key, f"{key}_cost", f"{key}_extra")]
    shared = ("protocol", "object_id", "role", "type", "predicted", "predicted_type")
    joints = [
        row
        for row in _rows(tables[0], (*shared, *columns))
        if row["protocol"] == choice.protocol and row["object_id"] in place
    ]
    objects = [
        row
        for row in _rows(
            tables[1], ("object_id", "status", *TREES, *(f"{key}_cost" for key in TREES))
        )
        if row["object_id"] in place
    ]
    objects.sort(key=lambda row: place[row["object_id"]])
    scores = {**_joint_scores(joints, place, choice.prefix), **_tree_scores(objects)}
    return Entry(name, dagger, tuple(row["status"] for row in objects), scores)


def _joint_scores(
    rows: Sequence[Mapping[str, Any]], place: Mapping[str, int], prefix: str
) -> dict[tuple[Basis, str], Sums]:
    truth = [row for row in rows if row["role"] == "truth"]
    paired = [row for row in truth if row["predicted"] is not None]
    scores = {
        (Basis.VALID, key): _sums(_values(paired, f"{prefix}_{key}"), place, key)
        for key in (*COMPONENTS, "success")
    }
    for key, kept in (
        ("range_error_turns", [row for row in paired if _slides(row) == 0]),
        ("range_error_slides", [row for row in paired if _slides(row) == 2]),
    ):
        scores[Basis.VALID, key] = _sums(_values(kept, f"{prefix}_range_error"), place, key)
    scores[Basis.ALL, "success"] = _sums(_values(truth, f"{prefix}_success"), place, "success")
    for key in JOINT_SCORES:
        scores[Basis.VALID, key] = _sums(_values(paired, key), place, key)
        more = _values([row for row in rows if row["role"] != "truth"], f"{key}_cost")
        more += _values(rows, f"{key}_extra")
        scores[Basis.ALL, key] = _sums(_values(truth, f"{key}_cost"), place, key, more)
    return scores


def _slides(row: Mapping[str, Any]) -> int:
    """Return how many joints of a pair are slides: of one of each, a range has no unit."""
    return sum(row[key] == JointType.PRISMATIC.value for key in ("type", "predicted_type"))


def _tree_scores(objects: Sequence[Mapping[str, Any]]) -> dict[tuple[Basis, str], Sums]:
    place = {row["object_id"]: k for k, row in enumerate(objects)}
    valid = [row for row in objects if row["status"] == "scored"]
    scores = {}
    for key in TREES:
        scores[Basis.VALID, key] = _sums(_values(valid, key), place, key)
        scores[Basis.ALL, key] = _sums(_values(objects, f"{key}_cost"), place, key)
    return scores


def _values(rows: Sequence[Mapping[str, Any]], column: str) -> list[tuple[str, float]]:
    """Return object and value of every row in which a column is defined."""
    pairs = ((row["object_id"], row[column]) for row in rows if row[column] is not None)
    return [(name, float(value)) for name, value in pairs if math.isfinite(value)]


def _sums(
    values: Sequence[tuple[str, float]],
    place: Mapping[str, int],
    key: str,
    more: Sequence[tuple[str, float]] = (),
) -> Sums:
    """Return sums and counts per object; `more` adds to the sums but not to the counts."""
    lists: list[list[float]] = [[] for _ in place]
    counts = np.zeros(len(place))
    for name, value in values:
        lists[place[name]].append(value)
        counts[place[name]] += 1
    for name, value in more:
        lists[place[name]].append(value)
    return Sums(np.array([math.fsum(some) for some in lists]), counts, MEASURES[key].factor)


def _rows(table: pa.Table, columns: Sequence[str]) -> list[dict[str, Any]]:
    return list(table.select(list(columns)).to_pylist())
