# SPDX-License-Identifier: Apache-2.0
"""Finds parts that intersect, at rest or while one joint moves through its range.

A tool for authors and tests; it needs manifold3d, which nothing else here imports.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from aa_dataset.portable import applied
from pipeline.generate.assembly import Assembly, Joint, Part
from pipeline.generate.shape import Array, rotation

SAME_LABEL = 3  # joints per part label that are swept; a keyboard's keys are all alike
OPENED = 0.02  # share below which a part that was opened is out of the way


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two parts that share volume: as a share of the smaller one, at a joint's coordinate."""

    first: str
    second: str
    share: float
    joint: str = ""
    coordinate: float = 0.0


def rest_overlaps(assembly: Assembly, *, above: float) -> list[Overlap]:
    """Return the pairs of parts whose shared volume exceeds a share of the smaller part."""
    solids = {part.name: _manifold_solid(part) for part in assembly.parts.values()}
    return [
        Overlap(a, b, share)
        for a, b in combinations(solids, 2)
        if (share := _shared_volume(solids[a], solids[b])) > above
    ]


def sweep_overlaps(assembly: Assembly, *, above: float, steps: int = 4) -> list[Overlap]:
    """Move each joint alone from rest to both ends and return the overlaps.

    An overlap that ends when the other part's own joint is opened does not count: a rack may be
    pulled out once the door is open.

    Parameters
    ----------
    assembly : Assembly
        All other joints stay at rest.
    above : float
        Shared volume over the smaller part's volume that counts.
    steps : int
        Positions from one end of the range to the other.
    """
    solids = {part.name: _manifold_solid(part) for part in assembly.parts.values()}
    found = []
    for joint in _swept_joints(assembly):
        moving = _descendants(assembly, joint.child)
        for coordinate in _sweep_coordinates(joint, steps):
            matrix = displacement(joint, coordinate)[:3]
            for name in moving:
                moved = solids[name].transform(matrix)
                for other in solids.keys() - moving:
                    share = _shared_volume(moved, solids[other])
                    if share > above and not _opens_out_of_the_way(
                        moved, solids[other], _joints_that_carry(assembly, other, joint)
                    ):
                        found.append(Overlap(name, other, share, joint.name, coordinate))
    return found


def _opens_out_of_the_way(moved: Any, obstacle: Any, carriers: list[Joint]) -> bool:
    """Return whether a part in the way, such as a closed door, moves away when it is opened."""
    opened = (
        obstacle.transform(displacement(joint, end)[:3])
        for joint in carriers
        for end in (joint.lower, joint.upper)
        if end
    )
    return any(_shared_volume(moved, other) < OPENED for other in opened)


def _joints_that_carry(assembly: Assembly, part: str, moving: Joint) -> list[Joint]:
    """Return the joints that move a part, except the one that is swept."""
    chain = []
    by_child = {joint.child: joint for joint in assembly.joints.values()}
    while part in by_child:
        chain.append(by_child[part])
        part = by_child[part].parent
    return [joint for joint in chain if joint != moving]


def displacement(joint: Joint, coordinate: float) -> Array:
    """Return the (4, 4) motion of a joint's child in the object frame at rest [rad or m]."""
    matrix = np.eye(4)
    axis, origin = np.array(joint.axis), np.array(joint.origin)
    if joint.kind == "prismatic":
        matrix[:3, 3] = coordinate * axis
    elif joint.kind != "fixed":
        matrix[:3, :3] = rotation(axis, math.degrees(coordinate))
        matrix[:3, 3] = origin - applied(matrix[:3, :3], origin) + joint.pitch * coordinate * axis
    return matrix


def _swept_joints(assembly: Assembly) -> Iterator[Joint]:
    counts: defaultdict[str, int] = defaultdict(int)
    for joint in assembly.joints.values():
        label = assembly.parts[joint.child].label
        counts[label] += 1
        if joint.kind != "fixed" and counts[label] <= SAME_LABEL:
            yield joint


def _sweep_coordinates(joint: Joint, steps: int) -> list[float]:
    if joint.kind == "continuous":
        return [float(q) for q in np.linspace(0, 2 * math.pi, steps + 1)[1:] - 0.4]
    ends = np.linspace(joint.lower, joint.upper, steps)
    return [float(q) for q in ends if q != 0.0]


def _descendants(assembly: Assembly, root: str) -> set[str]:
    found = {root}
    for name in assembly.order():
        if any(j.child == name and j.parent in found for j in assembly.joints.values()):
            found.add(name)
    return found


def _manifold_solid(part: Part) -> Any:
    from manifold3d import Manifold, Mesh64, OpType

    pieces = [
        Manifold(Mesh64(s.vertices.astype(np.float64), s.faces.astype(np.uint64)))
        for s in part.shapes
    ]
    return pieces[0] if len(pieces) == 1 else Manifold.batch_boolean(pieces, OpType.Add)


def _shared_volume(first: Any, second: Any) -> float:
    """Return the shared volume over the smaller volume, 0 if the boxes do not meet."""
    a, b = np.array(first.bounding_box()), np.array(second.bounding_box())
    if (np.minimum(a[3:], b[3:]) - np.maximum(a[:3], b[:3]) <= 0).any():
        return 0.0
    return float((first ^ second).volume() / min(first.volume(), second.volume()))
