# SPDX-License-Identifier: Apache-2.0
"""The shells of a surface: their volumes, the caps of their holes, their sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from aa_dataset.portable import dot, length
from pipeline.stages.annotate.moments import group_sums, tetrahedron_moments, triangle_areas
from pipeline.stages.annotate.surface import Surface

# A closed shell whose volume is below this share of its area times the link's diagonal is a sheet:
# its sides are closer than the weld.
FLAT_SHARE = 1e-7
# A steeper hole counts as a missing side, a less steep one as a gap in a continuous surface:
# 75 degrees accepts the cut corner of a box (55), not its open side (90).
STEEPEST = math.tan(math.radians(75))


@dataclass(frozen=True, slots=True, eq=False)
class Shells:
    """Properties of the n shells of a surface, in the surface's units.

    Attributes
    ----------
    moments : (n, 10) float
        Of the volume that the capped shell encloses; negative if it faces inward.
    areas : (n,) float
        Without caps.
    lower, upper : (n, 3) float
        Corners of the box.
    closed : (n,) bool
        Whether no cap was needed.
    solid : (n,) bool
        Closed, and of some thickness.
    caps : (k, 3, 3) float
        Triangles that close the holes: every rim edge with the middle of its loop. For a flat hole
        of any shape that is exact.
    cap_shells : (k,) int
        The shell of every cap triangle.
    """

    moments: np.ndarray
    areas: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    closed: np.ndarray
    solid: np.ndarray
    caps: np.ndarray
    cap_shells: np.ndarray


def find_shells(surface: Surface) -> Shells:
    """Measure the shells of a surface."""
    corners, count = surface.corners, surface.count
    areas = np.bincount(surface.shells, triangle_areas(corners), minlength=count)
    caps, owners = caps_of(surface), surface.rims.shells
    moments = group_sums(tetrahedron_moments(corners), surface.shells, count)
    moments += group_sums(tetrahedron_moments(caps), owners, count)
    lower, upper = _boxes(corners, surface.shells)
    closed = np.ones(count, bool)
    closed[owners] = False
    solid = closed & (np.abs(moments[:, 0]) > FLAT_SHARE * areas)
    return Shells(moments, areas, lower, upper, closed, solid, caps, owners)


def caps_of(surface: Surface) -> np.ndarray:
    """Return the triangles (k, 3, 3) that close the holes of a surface, one per edge of a rim."""
    rims, vertices = surface.rims, surface.vertices
    tails, heads = vertices[rims.tails], vertices[rims.heads]
    return np.stack(
        [heads, tails, _loop_means((tails + heads) / 2, tails - heads, rims.loops)], axis=1
    )


def _loop_means(points: np.ndarray, edges: np.ndarray, loops: np.ndarray) -> np.ndarray:
    """Return for every rim edge the middle (k, 3) of its loop, edges weighted by length."""
    count = int(loops.max(initial=-1)) + 1
    weights = length(edges) + 1e-300
    total = np.bincount(loops, weights, minlength=count)
    return np.asarray((group_sums(points * weights[:, None], loops, count) / total[:, None])[loops])


def _boxes(corners: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    low, high = corners.min(axis=1)[order], corners.max(axis=1)[order]
    return np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)


def hole_doubts(surface: Surface, shells: Shells) -> tuple[np.ndarray, np.ndarray]:
    """Return the uncertain volume of each hole, and its position.

    The faces around a hole are extended over it: by their slope against the cap they reach some
    height above its middle, and the uncertainty is the volume of a cone of the median height. For a
    loop that is not flat, its depth is added.

    Returns
    -------
    (h,) float, (h, 3) float
        Volumes and middles of the holes.
    """
    loops, caps = surface.rims.loops, shells.caps
    if not len(loops):
        return np.zeros(0), np.zeros((0, 3))
    count = int(loops.max()) + 1
    vectors = np.cross(caps[:, 1] - caps[:, 0], caps[:, 2] - caps[:, 0]) / 2
    areas = length(vectors)
    flat = group_sums(vectors, loops, count)
    normals = (flat / np.maximum(length(flat), 1e-300)[:, None])[loops]
    lengths = length(caps[:, 1] - caps[:, 0]) + 1e-300
    rises = 2 * areas / lengths * _slopes(surface, normals)
    depths = np.abs(dot(caps[:, 0] - caps[:, 2], normals))
    weights = np.bincount(loops, lengths, minlength=count)
    depth = np.bincount(loops, depths * lengths, minlength=count) / weights
    middle = np.zeros((count, 3))
    middle[loops] = caps[:, 2]
    heights = _medians(rises, lengths, loops) / 3 + depth
    return np.bincount(loops, areas, minlength=count) * heights, middle


def _slopes(surface: Surface, normals: np.ndarray) -> np.ndarray:
    """Return the slope (k,) at every rim edge of its face against the cap, steep ones as 0.

    The slope is the tangent of the angle between both.
    """
    around = surface.vertices[surface.faces[surface.rims.faces]]
    out = np.cross(around[:, 1] - around[:, 0], around[:, 2] - around[:, 0])
    along = dot(out, normals)
    across = length(np.cross(out, normals))
    is_steep = across >= STEEPEST * along  # also if the face points the other way
    return np.where(is_steep, 0.0, across / np.where(is_steep, 1.0, along))


def _medians(values: np.ndarray, weights: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the weighted upper median of every group."""
    order = np.lexsort([values, groups])
    totals = np.bincount(groups, weights)
    before = np.cumsum(weights[order]) - np.repeat(np.cumsum(totals) - totals, np.bincount(groups))
    reached = before > totals[groups[order]] / 2 * (1 + 1e-9)
    first = np.full(len(totals), np.inf)
    np.minimum.at(first, groups[order][reached], values[order][reached])
    return first
