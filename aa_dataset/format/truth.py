# SPDX-License-Identifier: Apache-2.0
"""The ground truth of an object for scoring: joints with screws, limits and bodies, and its size.

A list of objects, frozen in the repository or exchanged as a file, is found in a library by these
truths. Ids alone are not enough, and neither are digests of files, which may differ between
machines. Two truths agree if names, types and tree are equal and every number agrees to 1e-9
relative, which means relative to the size of what the number belongs to: a length to the object's
diagonal, an angle to 1 rad or to itself if that is larger, a mass to itself, an inertia to its
trace.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TOLERANCE = 1e-9
# The order is that of the columns in a frozen list.
NAMES = ("joint", "type", "parent", "child")
NUMBERS = ("axis", "origin", "pitch", "lower", "upper", "body_mass", "body_com", "body_inertia")
MIMIC = ("mimic_joint", "mimic_multiplier", "mimic_offset")

Value = str | bool | tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Truth:
    """The ground truth of one object, in the object frame at rest.

    Attributes
    ----------
    is_metric : bool
        Whether lengths are true meters, which decides the group of E_B.
    extents : (3,) tuple of float [m]
        Size of the box of all visual geometry.
    joints : tuple of mapping
        Every joint in the tree's order: `NAMES` as text, `NUMBERS` and `MIMIC` as tuples of
        floats, None if the table has a null.
    """

    is_metric: bool
    extents: tuple[float, ...]
    joints: tuple[Mapping[str, Value], ...]

    @property
    def diagonal(self) -> float:
        """Diagonal of the box [m]."""
        return math.hypot(*self.extents)


def read_truths(
    objects: Iterable[Mapping[str, Any]], joints: Iterable[Mapping[str, Any]]
) -> dict[str, Truth]:
    """Return the truth of every object from rows of the tables `objects` and `joints`."""
    by_object: dict[str, list[Mapping[str, Value]]] = {}
    for row in joints:
        by_object.setdefault(row["object_id"], []).append(_joint_truth(row))
    return {
        row["object_id"]: Truth(
            bool(row["is_metric"]),
            _as_tuple(row["extents"]) or (),
            tuple(by_object.get(row["object_id"], ())),
        )
        for row in objects
    }


def _joint_truth(row: Mapping[str, Any]) -> dict[str, Value]:
    return {
        **{name: str(row[name]) for name in NAMES},
        **{name: _as_tuple(row[name]) for name in NUMBERS},
        **(_mimic_truth(row["mimic"]) if row["mimic"] else dict.fromkeys(MIMIC)),
    }


def _mimic_truth(cell: Mapping[str, Any]) -> dict[str, Value]:
    values = (cell["joint"], (cell["multiplier"],), (cell["offset"],))
    return dict(zip(MIMIC, values, strict=True))


def _as_tuple(value: float | Sequence[float] | None) -> tuple[float, ...] | None:
    """Return one number or several as a tuple, None for a null; a null inside is nan."""
    if value is None:
        return None
    if not isinstance(value, Sequence):
        return (float(value),)
    return tuple(math.nan if number is None else float(number) for number in value)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the objects of a library agree with a list of members.

    Attributes
    ----------
    by_bytes, by_numbers : int
        Members whose truth agrees, with equal content and without.
    absent : tuple of str
        Members that the library does not have, sorted.
    changed : mapping of str to str
        Members whose truth differs, sorted, with the first field that does and both its values.
    """

    by_bytes: int
    by_numbers: int
    absent: tuple[str, ...]
    changed: Mapping[str, str]

    @property
    def is_complete(self) -> bool:
        """Whether every member is there and agrees."""
        return not self.absent and not self.changed

    def problem(self, name: str) -> str:
        """Return how many members of a list are missing or differ, and the first of each."""
        whole = self.by_bytes + self.by_numbers + len(self.absent) + len(self.changed)
        members, problems = f"of the {whole} objects of {name}", []
        if self.absent:
            problems.append(
                f"{len(self.absent)} {members} are not in this library, the first is "
                f"{self.absent[0]}"
            )
        if self.changed:
            first, field = next(iter(self.changed.items()))
            problems.append(
                f"{len(self.changed)} {members} differ in what scoring uses, the first is "
                f"{first}, {field}"
            )
        return "; ".join(problems)


def compare_members(
    contents: Mapping[str, str],
    truths: Mapping[str, Truth],
    objects: Iterable[Mapping[str, Any]],
    joints: Iterable[Mapping[str, Any]],
) -> Agreement:
    """Compare a library with a list of members, object by object.

    Parameters
    ----------
    contents, truths : mapping by object id
        Content digest and truth of every member.
    objects, joints : rows of the tables
        The library; rows of other objects are ignored.
    """
    rows = {row["object_id"]: row for row in objects if row["object_id"] in contents}
    found = read_truths(rows.values(), (row for row in joints if row["object_id"] in rows))
    changed = {key: field for key in sorted(rows) if (field := difference(truths[key], found[key]))}
    agreeing = [key for key in rows if key not in changed]
    by_bytes = sum(rows[key]["content_sha256"] == contents[key] for key in agreeing)
    absent = tuple(sorted(key for key in contents if key not in rows))
    return Agreement(by_bytes, len(agreeing) - by_bytes, absent, changed)


def difference(listed: Truth, found: Truth) -> str:
    """Return the first field that differs, with both values; empty if the truths agree."""
    return next(_field_differences(listed, found), "")


def _field_differences(listed: Truth, found: Truth) -> Iterator[str]:
    if found.is_metric != listed.is_metric:
        yield _difference_sentence("is_metric", listed.is_metric, found.is_metric)
    if not _numbers_agree(listed.extents, found.extents, listed.diagonal):
        yield _difference_sentence("extents", listed.extents, found.extents)
    for number, (ours, theirs) in enumerate(zip(listed.joints, found.joints, strict=False)):
        for name in (*NAMES, *NUMBERS, *MIMIC):
            if not _same_within_tolerance(name, ours, theirs, listed.diagonal):
                label = f"joint {ours['joint']!r} (number {number + 1}), {name}"
                yield _difference_sentence(label, ours[name], theirs[name])
    if len(found.joints) != len(listed.joints):
        yield _difference_sentence("number of joints", len(listed.joints), len(found.joints))


def _difference_sentence(field: str, listed: object, found: object) -> str:
    return f"{field}: {_format_value(listed)} listed, {_format_value(found)} here"


def _format_value(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(repr, value))
    return "nothing" if value is None else str(value)


def _same_within_tolerance(
    name: str, listed: Mapping[str, Value], found: Mapping[str, Value], diagonal: float
) -> bool:
    ours, theirs = listed[name], found[name]
    if not isinstance(ours, tuple) or not isinstance(theirs, tuple):
        return ours == theirs
    return _numbers_agree(ours, theirs, _field_scale(name, ours, str(listed["type"]), diagonal))


def _field_scale(name: str, value: tuple[float, ...], kind: str, diagonal: float) -> float:
    """Return the size of what a number belongs to, in the number's unit."""
    if name == "axis":
        return 1.0
    if name in ("origin", "pitch", "body_com"):
        return diagonal
    if name in ("lower", "upper", "mimic_offset"):
        return diagonal if kind == "prismatic" else max(1.0, abs(value[0]))
    if name == "body_inertia":
        return abs(value[0] + value[4] + value[8])
    return abs(value[0])  # a mass, or the multiplier of a mimic


def _numbers_agree(listed: Sequence[float], found: Sequence[float], scale: float) -> bool:
    """Compare numbers; an infinite one agrees only with itself, nan with nothing.

    An infinite scale, which huge numbers of a hostile list could give, would accept everything.
    """
    has_scale = math.isfinite(scale)
    return len(listed) == len(found) and all(
        ours == theirs
        or (has_scale and math.isfinite(ours) and abs(ours - theirs) <= TOLERANCE * scale)
        for ours, theirs in zip(listed, found, strict=True)
    )
