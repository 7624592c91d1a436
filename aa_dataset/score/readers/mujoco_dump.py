# SPDX-License-Identifier: Apache-2.0
"""The joints of a MuJoCo model as the evaluation of Real2Code writes them: a list in `joints.json`.

Entries have `name`, `type` (2 slide, 3 hinge), `pos`, `axis`, `range` [rad or scene unit], `body`
and `parent`. Places are in the frame of the body, which is that of the scene: its bodies have no
poses. The written range [0, 1] is a constant of the writer, and [0, 0] means none in MuJoCo.
`parent` is the body whose number is that of the parent's degree of freedom, which is another body;
the number is what is read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.budgets import name_file_in_errors
from aa_dataset.score.readers.json_values import numbers, one_of, record, records, text, whole

Array = NDArray[np.float64]

ROOT = "root"
_TYPES = {3: JointType.REVOLUTE, 2: JointType.PRISMATIC}
_NO_RANGES = ((0.0, 1.0), (0.0, 0.0))


def is_dump(start: bytes | None) -> bool:
    """Return whether a file of JSON begins like such a list."""
    start = start or b""
    marks = (b'"axis"', b'"pos"', b'"body"')
    return start.lstrip().startswith(b"[") and all(mark in start for mark in marks)


def dumped_tree(found: object, where: str) -> KinematicTree:
    """Return the tree of MuJoCo's joints: one degree of freedom each, in the order of the list."""
    entries = [record(entry, where) for entry in records(found, where)]
    bodies = [
        text(record(one.get("body"), f"{where}, `body`").get("name"), f"{where}, `body`, `name`")
        for one in entries
    ]
    # Of several joints of one body, all but the last move a link that nobody sees.
    links = [
        f"{body}_{place}" if body in bodies[place + 1 :] else body
        for place, body in enumerate(bodies)
    ]
    with name_file_in_errors(where):
        joints = [
            _joint(entry, place, links, f"{where}, joint {place}")
            for place, entry in enumerate(entries)
        ]
        return KinematicTree("", (ROOT, *links), tuple(joints))


def _joint(entry: dict[str, Any], place: int, links: Sequence[str], where: str) -> Joint:
    kind = _TYPES[one_of(entry.get("type"), tuple(_TYPES), f"{where}, `type`")]
    above = entry.get("parent")
    parent = ROOT
    if above is not None:
        field = f"{where}, `parent`, `id`"
        parent = links[whole(record(above, field).get("id"), field, max(place, 1))]
    lower, upper = numbers(entry.get("range"), 2, f"{where}, `range`").tolist()
    joint = unlimited(
        text(entry.get("name"), f"{where}, `name`"),
        kind,
        numbers(entry.get("axis"), 3, f"{where}, `axis`"),
        numbers(entry.get("pos"), 3, f"{where}, `pos`"),
        parent,
        links[place],
    )
    if (lower, upper) in _NO_RANGES:
        return joint
    given = LimitSource.GIVEN
    return replace(joint, lower=lower, upper=upper, limit_source=given)


def unlimited(
    name: str, kind: JointType, axis: Array, origin: Array, parent: str, child: str
) -> Joint:
    """Return a joint that states no limits."""
    ends = -math.inf, math.inf
    return Joint(
        name, kind, axis, origin, *ends, 0.0, parent, child, limit_source=LimitSource.ABSENT
    )
