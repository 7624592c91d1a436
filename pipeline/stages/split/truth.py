# SPDX-License-Identifier: Apache-2.0
"""The ground truth of an object for scoring: joints with screws, limits and bodies, and its size.

Two truths agree if names, types and tree are equal and every number agrees to 1e-9 relative, which
means relative to the size of what the number belongs to: a length to the object's diagonal, an
angle to 1 rad or to itself if that is larger, a mass to itself, an inertia to its trace.
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
    """Return one number or several as a tuple, None for a null."""
    if value is None:
        return None
    return tuple(map(float, value)) if isinstance(value, Sequence) else (float(value),)


def difference(frozen: Truth, found: Truth) -> str:
    """Return the first field that differs, with both values; empty if the truths agree."""
    return next(_field_differences(frozen, found), "")


def _field_differences(frozen: Truth, found: Truth) -> Iterator[str]:
    if found.is_metric != frozen.is_metric:
        yield _difference_sentence("is_metric", frozen.is_metric, found.is_metric)
    if not _numbers_agree(frozen.extents, found.extents, frozen.diagonal):
        yield _difference_sentence("extents", frozen.extents, found.extents)
    for number, (ours, theirs) in enumerate(zip(frozen.joints, found.joints, strict=False)):
        for name in (*NAMES, *NUMBERS, *MIMIC):
            if not _same_within_tolerance(name, ours, theirs, frozen.diagonal):
                label = f"joint {ours['joint']!r} (number {number + 1}), {name}"
                yield _difference_sentence(label, ours[name], theirs[name])
    if len(found.joints) != len(frozen.joints):
        yield _difference_sentence("number of joints", len(frozen.joints), len(found.joints))


def _difference_sentence(field: str, frozen: object, found: object) -> str:
    return f"{field}: {_format_value(frozen)} frozen, {_format_value(found)} here"


def _format_value(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(repr, value))
    return "nothing" if value is None else str(value)


def _same_within_tolerance(
    name: str, frozen: Mapping[str, Value], found: Mapping[str, Value], diagonal: float
) -> bool:
    ours, theirs = frozen[name], found[name]
    if not isinstance(ours, tuple) or not isinstance(theirs, tuple):
        return ours == theirs
    return _numbers_agree(ours, theirs, _field_scale(name, ours, str(frozen["type"]), diagonal))


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


def _numbers_agree(frozen: Sequence[float], found: Sequence[float], scale: float) -> bool:
    """Compare numbers; an infinite one agrees only with itself, nan with nothing."""
    return len(frozen) == len(found) and all(
        ours == theirs or (math.isfinite(ours) and abs(ours - theirs) <= TOLERANCE * scale)
        for ours, theirs in zip(frozen, found, strict=True)
    )
