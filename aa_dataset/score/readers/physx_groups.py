# SPDX-License-Identifier: Apache-2.0
"""The groups of parts of PhysX-Anything: from the model's text, or from the JSON made of it.

In the text, places and travels are in voxels of a grid of 32 and angles in degrees. In the JSON,
places are in the unit cube, travels in its sides, and angles in half turns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.score.budgets import MOST_LINKS, PredictionError
from aa_dataset.score.readers.json_values import numbers, one_of, record, records, text, whole

Array = NDArray[np.float64]

GRID = 32  # voxels along a side of the cube
KINDS = ("A", "B", "C", "CB", "D", "E")
FREE, SLIDE, HINGE, SCREW, BALL, WELD = "A", "B", "C", "CB", "D", "E"
# Numbers of the JSON's list by kind: direction, place, range, and for `CB` those of the slide.
_COUNTS = {SLIDE: 8, HINGE: 8, SCREW: 16}
_LONGEST_LINE = 4096
_LINE = re.compile(r"group_(\d{1,6})\s*:\s*\[([^\]]*)\]", re.IGNORECASE)
_PARENT = re.compile(r"relative\s*to\s*group_(\d{1,6})", re.IGNORECASE)
_KIND = re.compile(r"type:\s*(CB|[A-Z])", re.IGNORECASE)
_ARRAY_NUMBER = re.compile(r"np\.float\d\d\(([^()]*)\)")


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Parts that move together.

    Attributes
    ----------
    members : tuple of int
        Numbers of the parts, at least one.
    parent : int or None
        The group below which it hangs.
    kind : str
        One of `KINDS`.
    values : (k,) float [1, cube side, half turn]
        Direction (3,), place (3,) and range (2,) in the cube; for `CB` those of the turn, then
        those of the slide.
    """

    members: tuple[int, ...]
    parent: int | None
    kind: str
    values: Array


def groups_of_json(found: object, where: str) -> dict[int, Group]:
    """Return the groups of `basic_info.json` by their number."""
    listed = record(record(found, where).get("group_info"), f"{where}, `group_info`")
    if len(listed) > MOST_LINKS:
        raise PredictionError(f"{where}, `group_info` has more than {MOST_LINKS:,} groups.")
    groups = {}
    for key, value in listed.items():
        spot = f"{where}, group {key!r}"
        if not (key.isascii() and key.isdigit() and len(key) <= 6):
            raise PredictionError(f"{spot} has no number. Name groups by their numbers.")
        base = value if int(key) == 0 else None
        groups[int(key)] = _base(base, spot) if base is not None else _group(value, spot)
    return groups


def _base(value: object, where: str) -> Group:
    return Group(_members(value, where), None, WELD, np.zeros(0))


def _group(value: object, where: str) -> Group:
    row = records(value, where)
    if len(row) != 4:
        raise PredictionError(f"{where} has {len(row)} items; give parts, parent, values, type.")
    kind = one_of(row[3], KINDS, f"{where}, type")
    above = text(row[1], f"{where}, parent")
    parent = int(above) if re.fullmatch(r"[0-9]{1,6}", above) else None
    values = records(row[2], f"{where}, values", 16)
    # The writer may leave the range of another group at the end of a ball's values.
    count = _COUNTS.get(kind, min(len(values), 6))
    if kind == BALL and count < 6:
        raise PredictionError(f"{where}, values: a ball needs a place. Give six numbers or more.")
    used = values if kind in _COUNTS else values[:count]
    return Group(_members(row[0], where), parent, kind, numbers(used, count, f"{where}, values"))


def _members(value: object, where: str) -> tuple[int, ...]:
    members = records(value, f"{where}, parts")
    if not members:
        raise PredictionError(f"{where} has no part. Leave it out.")
    return tuple(whole(one, f"{where}, part", 1_000_000) for one in members)


def groups_of_text(found: str, where: str) -> dict[int, Group]:
    """Return the groups of `basic_info.txt` by their number."""
    groups: dict[int, Group] = {}
    for line in found.splitlines():
        match = _LINE.match(line.strip()[:_LONGEST_LINE])
        if match:
            number = int(match[1])
            if number in groups:
                raise PredictionError(f"{where} has the group {number} twice. Keep one of them.")
            groups[number] = _parse_group(number, match[2], line[:_LONGEST_LINE], where)
        if len(groups) > MOST_LINKS:
            raise PredictionError(f"{where} has more than {MOST_LINKS:,} groups.")
    return groups


def _parse_group(number: int, parts: str, line: str, where: str) -> Group:
    spot = f"{where}, group {number}"
    members = _members([int(one) for one in re.findall(r"l_(\d{1,6})", parts)], spot)
    if number == 0:
        return Group(members, None, WELD, np.zeros(0))
    stated = _KIND.search(line)
    kind = one_of(stated[1].upper() if stated else WELD, KINDS, f"{spot}, type")
    above = _PARENT.findall(line)

    def values(key: str, count: int) -> list[float]:
        return _bracket(line, key, count, spot)

    numbers_of: dict[str, Any] = {
        FREE: list,
        WELD: list,
        SLIDE: lambda: [*values("direction", 3), 0.0, 0.0, 0.0, *_length(values("range", 2))],
        HINGE: lambda: [
            *values("direction", 3), *_position(values("position", 3)), *_angle(values("range", 2)),
        ],
        BALL: lambda: [0.0, 0.0, 0.0, *_position(values("position", 3))],
        SCREW: lambda: [
            *values("axis direction", 3), *_position(values("axis position", 3)),
            *_angle(values("revolute range", 2)), *values("slide direction", 3), 0.0, 0.0, 0.0,
            *_length(values("slide range", 2)),
        ],
    }  # fmt: skip
    return Group(
        members, int(above[-1]) if above else None, kind, np.array(numbers_of[kind](), dtype=float)
    )


def _position(voxels: list[float]) -> list[float]:
    return [one / GRID - 0.5 for one in voxels]


def _length(voxels: list[float]) -> list[float]:
    return [one / GRID for one in voxels]


def _angle(degrees: list[float]) -> list[float]:
    return [one / 180 for one in degrees]


def _bracket(line: str, key: str, count: int, where: str) -> list[float]:
    """Return the numbers in brackets after a name, such as ``axis position (in voxels): [...]``."""
    match = re.search(rf"{key}[^:\[]{{0,80}}:\s*\[([^\]]*)\]", line, re.IGNORECASE)
    words = [] if match is None else _ARRAY_NUMBER.sub(r"\1", match[1]).split(",")
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    found: list[float] = numbers(values, count, f"{where}, `{key}`").tolist()
    return found
