# SPDX-License-Identifier: Apache-2.0
"""Finds slabs: solid between two flat faces, whatever their outline and whatever is beside them.

The floor of a bucket is one. Cut like the rest, it would become wedges whose tips meet in its
middle, and a small ball that falls there sinks in between them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from aa_dataset.portable import length, settled
from pipeline.shapes.hulls import hull_of
from pipeline.stages.annotate.collision.cuts import IN_PLANE, Cut, Part, divided

# A face of a slab has at least this share of the cross-section of the part's box.
_FACE_SHARE = 0.1
# A slab fills at least this share of its own hull.
_FULL_SHARE = 0.85
# Thickness of a slab, in cells; planes that are closer are one.
_THINNEST = 0.01


def slab_cut(part: Part, turn: int) -> Cut | None:
    """Return the cut along a face of the largest slab of a part; None if there is none.

    A foot ring below a floor or a wall above it does not matter. If both faces of the slab are
    within the part, the other one is the next cut.

    Parameters
    ----------
    part : Part
        Of a closed component.
    turn : int
        1 if the faces of the component face outward, -1 if inward.
    """
    sizes = np.ptp(part.points, axis=0)
    found = []
    for axis in range(3):
        across = float(np.delete(sizes, axis).prod())
        for low, high in _candidates(part, axis):
            if _THINNEST < high - low < sizes[axis] - _THINNEST:
                found.append((round((low - high) * across, 3), axis, low, high))
    # The first one by the size of its box, which saves a look at the others.
    for _, axis, low, high in sorted(found):
        if _is_slab(part, axis, (low, high), turn):
            ends_above = high > part.points[:, axis].max() - _THINNEST
            return Cut(axis, low, is_below=False) if ends_above else Cut(axis, high)
    return None


def _candidates(part: Part, axis: int) -> Iterator[tuple[float, float]]:
    """Yield the ends of what may be slabs: a large flat face and the next one, or the next tip.

    The slab may also end one corner beyond the tip: a dish is filled rather than cut into wedges.
    """
    planes = _planes(part, axis)
    for (low, _), (_, high) in itertools.pairwise(planes):
        yield low, high
    if not planes:
        return
    tips, places = _tips(part, axis)
    for low, high in planes:
        below, above = tips[tips < low - _THINNEST], tips[tips > high + _THINNEST]
        if len(below):
            yield from ((float(end), high) for end in places[places <= below[-1]][-2:])
        if len(above):
            yield from ((low, float(end)) for end in places[places >= above[0]][:2])


def _planes(part: Part, axis: int) -> list[tuple[float, float]]:
    """Return the lowest and highest place of large flat faces across an axis, rising."""
    heights = part.points[:, axis][part.faces]
    flat = part.triangles[np.ptp(heights, axis=1) < IN_PLANE]
    if not len(flat):
        return []
    areas = length(np.cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])) / 2
    planes, plane = np.unique(settled(flat[:, 0, axis], 6), return_inverse=True)
    # On a turned grid, the faces of one plane differ by the rounding of their corners.
    starts = np.flatnonzero(np.diff(planes, prepend=-np.inf) > _THINNEST)
    areas = np.add.reduceat(np.bincount(plane.ravel(), areas), starts)
    across = np.delete(np.ptp(part.points, axis=0), axis).prod()
    is_large = settled(areas / across, 6) >= _FACE_SHARE
    ends = zip(planes[starts], planes[np.append(starts[1:], len(planes)) - 1], strict=True)
    return [(float(a), float(b)) for (a, b), kept in zip(ends, is_large, strict=True) if kept]


def _tips(part: Part, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the places (n,) along an axis where the surface turns back, and of all its corners.

    The middle of a floor that slopes toward it is such a tip.
    """
    heights = settled(part.points[:, axis], 6)
    faces = heights[part.faces]
    lowest, highest = np.full(len(heights), np.inf), np.full(len(heights), -np.inf)
    for column in part.faces.T:
        np.minimum.at(lowest, column, faces.min(axis=1))
        np.maximum.at(highest, column, faces.max(axis=1))
    # Where the part was cut before, its surface ends and does not turn.
    others = np.arange(3) != axis
    points, low, high = part.points[:, others], part.low[others], part.high[others]
    ends = (np.abs(points - low) < IN_PLANE) | (np.abs(points - high) < IN_PLANE)
    turns = ((heights == lowest) | (heights == highest)) & ~ends.any(axis=1)
    return np.unique(heights[turns]), np.unique(heights)


def _is_slab(part: Part, axis: int, ends: tuple[float, float], turn: int) -> bool:
    """Return whether what lies between two planes across an axis is solid and fills its hull."""
    slab = part
    for cut, side in ((Cut(axis, ends[0], is_below=False), 1), (Cut(axis, ends[1]), 0)):
        pair = divided(slab, cut)
        slab = slab if pair is None else pair[side]
    hull = hull_of(slab.points)
    if hull is None:
        return False
    solid = max(turn * flow for flow in _flows(slab, axis))
    return bool(settled(solid / hull.volume, 6) >= _FULL_SHARE)


def _flows(slab: Part, axis: int) -> Iterator[float]:
    """Yield the volume that the surface of a slab encloses, by each of the two other axes.

    Faces along an axis do not count in its integral. The open faces of a slab need no caps, and if
    a side of the part was cut open as well, the integral is too small.
    """
    a, b, c = slab.points[slab.faces.T]
    vectors = np.cross(b - a, c - a)
    for other in (axis - 1, axis - 2):
        origin = slab.low[other] if slab.low[other] > 0 else slab.high[other]
        heights = a[:, other] + b[:, other] + c[:, other] - 3 * origin
        yield float((heights * vectors[:, other]).sum()) / 6
