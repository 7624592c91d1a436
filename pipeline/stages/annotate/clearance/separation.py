# SPDX-License-Identifier: Apache-2.0
"""Tells whether convex parts overlap during pieces of a motion, by separating directions."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from aa_dataset.metric._engine import has_numba
from aa_dataset.portable import applied, dot, length
from pipeline.stages.annotate.clearance.parts import Part

# Steps of the search for a direction that no face has, and of one that may prove an overlap.
_STEPS, _MANY_STEPS = 8, 32
# Heights of points that are computed at once, few enough for a processor's cache.
_NUMBERS = 60_000
# From this product of vertices and faces on, a search is cheaper than to try the faces.
_ROUND = 20_000
# A vector of at most this length has no direction.
_NO_LENGTH = 1e-100
# Keeps the linear part of a map.
_TURN = np.array([1.0, 1.0, 1.0, 0.0])


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """The largest gap (f,) found in each piece, and its direction (f, 3) toward the moving part.

    A gap below 0 is the depth of the overlap along that direction.
    """

    widths: np.ndarray
    directions: np.ndarray


def images(vertices: np.ndarray, maps: np.ndarray) -> np.ndarray:
    """Return the images (f, k n, 3) of vertices (n, 3) under maps (f, k, 3, 4)."""
    from pipeline.stages.annotate.clearance.facets import mapped  # only here: it takes 0.3 s

    found = mapped(np.ascontiguousarray(vertices), np.ascontiguousarray(maps))
    count = maps.shape[1] * len(vertices)
    return np.asarray(np.swapaxes(found, -1, -2).reshape(len(maps), count, 3))


def gaps(
    moving: Part, still: Part, maps: np.ndarray, enough: float, *, is_exact: bool = True
) -> Gaps:
    """Return the gap between a part that moves and one that does not.

    Parameters
    ----------
    moving, still : Part
        The parts.
    maps : (f, k, 3, 4) float
        Of the moving part, seen from the still one, for every piece.
    enough : float
        A gap of this width is not searched further.
    is_exact : bool
        Whether to search for directions that no face has; otherwise some gaps are not found.
    """
    if _has_kernels():
        found = compiled_gaps(moving, still, maps, (-np.inf, enough, np.inf), is_exact=is_exact)
        return Gaps(found[:, 0], found[:, 1:])
    return numpy_gaps(moving, still, maps, enough, is_exact=is_exact)


def numpy_gaps(
    moving: Part, still: Part, maps: np.ndarray, enough: float, *, is_exact: bool = True
) -> Gaps:
    """Return the gaps of `gaps` without numba."""
    directions = max(len(still.directions), len(moving.directions))
    some = [
        _gaps(moving, still, few, enough, is_exact=is_exact)
        for few in _batches(maps, len(moving.vertices) * directions)
    ]
    widths = np.concatenate([np.zeros(0), *(one.widths for one in some)])
    return Gaps(widths, np.concatenate([np.zeros((0, 3)), *(one.directions for one in some)]))


def overlap(
    moving: Part, still: Part, maps: np.ndarray, enough: float, *, is_exact: bool = True
) -> np.ndarray:
    """Return whether the gap is below `enough` in every piece, (f,) bool; see `gaps`."""
    if not _has_kernels():
        return numpy_overlap(moving, still, maps, enough, is_exact=is_exact)
    # Only gaps that are wide enough are looked for: those above the number before it.
    limits = (float(np.nextafter(enough, -np.inf)), enough, enough)
    widths = compiled_gaps(moving, still, maps, limits, is_exact=is_exact)[:, 0]
    return np.asarray(widths < enough)


def numpy_overlap(
    moving: Part, still: Part, maps: np.ndarray, enough: float, *, is_exact: bool = True
) -> np.ndarray:
    """Return the overlaps of `overlap` without numba."""
    found = np.ones(len(maps), dtype=bool)
    unsure = np.arange(len(maps))
    if _is_round(moving) or _is_round(still):
        tried = [
            _searched(images(moving.vertices, few), still.vertices, enough, _MANY_STEPS)
            for few in _batches(maps, len(moving.vertices))
        ]
        found = np.concatenate([np.zeros(0), *(one.widths for one, _ in tried)]) < enough
        unsure = np.flatnonzero(
            found & ~np.concatenate([np.zeros(0, bool), *(m for _, m in tried)])
        )
    found[unsure] = (
        numpy_gaps(moving, still, maps[unsure], enough, is_exact=is_exact).widths < enough
    )
    return np.asarray(found)


@functools.cache
def _has_kernels() -> bool:
    return has_numba()


def compiled_gaps(
    moving: Part,
    still: Part,
    maps: np.ndarray,
    limits: tuple[float, float, float],
    *,
    is_exact: bool = True,
) -> np.ndarray:
    """Return widths and directions (f, 4) of gaps by numba; `fill_gaps` tells about the limits."""
    from pipeline.stages.annotate.clearance.kernels import fill_gaps  # only here: it takes 0.3 s

    parts = (moving.vertices, moving.directions, still.vertices, still.directions, still.reaches)
    # The images under one map are a view, of which numpy adds up numbers in pairs.
    centers = np.zeros((0, 3))
    if maps.shape[1] == 1:
        centers = np.ascontiguousarray(images(moving.vertices, maps).mean(axis=1))
    is_search = limits[0] > -np.inf and (_is_round(moving) or _is_round(still))
    steps = (_MANY_STEPS * is_search, _STEPS * _is_round(moving), _STEPS * is_exact)
    out = np.empty((len(maps), 4))
    fill_gaps(
        tuple(np.ascontiguousarray(one) for one in parts),
        (centers, still.vertices.mean(axis=0)),
        np.ascontiguousarray(maps),
        limits,
        steps,
        out,
    )
    return out


def _is_round(part: Part) -> bool:
    return len(part.vertices) * len(part.normals) > _ROUND


def _batches(maps: np.ndarray, numbers: int) -> Iterator[np.ndarray]:
    """Yield some of the maps (f, k, 3, 4) at a time, with so many numbers to compute for each."""
    step = max(_NUMBERS // (maps.shape[1] * numbers), 1)
    for at in range(0, len(maps), step):
        yield maps[at : at + step]


def _gaps(moving: Part, still: Part, maps: np.ndarray, enough: float, *, is_exact: bool) -> Gaps:
    points = images(moving.vertices, maps)
    found = _heights(points, still.directions).min(axis=1) - still.reaches
    best = found.argmax(axis=1)
    widths = np.take_along_axis(found, best[:, None], axis=1)[:, 0]
    directions = still.directions[best]
    if _is_round(moving):
        left = np.flatnonzero(widths < enough)
        _improve(widths, directions, left, _searched(points[left], still.vertices, enough)[0])
    for end in range(min(maps.shape[1], 2)):
        left = np.flatnonzero(widths < enough)
        if len(left):
            turned = -images(moving.directions, maps[left, end : end + 1] * _TURN)
            _improve(widths, directions, left, _widest(points[left], still, turned))
    left = np.flatnonzero(widths < enough)
    if len(left) and is_exact:
        _improve(widths, directions, left, _searched(points[left], still.vertices, enough)[0])
    return Gaps(widths, directions)


def _improve(widths: np.ndarray, directions: np.ndarray, left: np.ndarray, other: Gaps) -> None:
    """Write the gaps of the pieces `left` (g,) that are wider than those so far."""
    wider = other.widths > widths[left]
    widths[left[wider]], directions[left[wider]] = other.widths[wider], other.directions[wider]


def _widest(points: np.ndarray, still: Part, tried: np.ndarray) -> Gaps:
    """Return the widest gap along the directions (f, q, 3)."""
    nearest = _heights_each(points, tried).min(axis=1)
    farthest = applied(tried.reshape(-1, 3), still.vertices).max(axis=0).reshape(nearest.shape)
    found = nearest - farthest
    best = found.argmax(axis=1)
    widths = np.take_along_axis(found, best[:, None], axis=1)[:, 0]
    return Gaps(widths, np.take_along_axis(tried, best[:, None, None], axis=1)[:, 0])


def _heights(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return the heights (f, n, q) of points (f, n, 3) along normals (q, 3)."""
    x, y, z = points[..., 0, None], points[..., 1, None], points[..., 2, None]
    return np.asarray(x * normals[:, 0] + y * normals[:, 1] + z * normals[:, 2])


def _heights_each(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return the heights (f, n, q) of points (f, n, 3) along normals (f, q, 3)."""
    x, y, z = points[..., 0, None], points[..., 1, None], points[..., 2, None]
    u, v, w = (normals[:, None, :, k] for k in range(3))
    return np.asarray(x * u + y * v + z * w)


def _searched(
    points: np.ndarray, still: np.ndarray, enough: float, steps: int = _STEPS
) -> tuple[Gaps, np.ndarray]:
    """Search for gaps by Gilbert's algorithm on the difference of both parts.

    Each step moves the nearest point so far toward the corner of the difference that is farthest
    against it. The distance of that corner along the point's direction is a gap; the point's own
    distance is at least the widest gap, so the search ends where it is small: there the parts are
    known to meet, which is returned too, (f,) bool.
    """
    is_met = np.zeros(len(points), dtype=bool)
    widths, directions = np.full(len(points), -np.inf), np.zeros((len(points), 3))
    nearest = points.mean(axis=1) - still.mean(axis=0)
    active = np.arange(len(points))
    for _ in range(steps):
        size = length(nearest)
        unit = nearest / np.maximum(size, _NO_LENGTH)[:, None]
        corner = _corner(points[active], -unit) - still[applied(unit, still).argmax(axis=0)]
        # A point of no distance has no direction, along which any two parts would have no gap.
        found = np.where(size > _NO_LENGTH, dot(corner, unit), -np.inf)
        _improve(widths, directions, active, Gaps(found, unit))
        is_met[active] = size < enough
        going = (size >= enough) & (widths[active] < enough)
        if not going.any():
            break
        active, nearest, corner = active[going], nearest[going], corner[going]
        way = corner - nearest
        share = -dot(nearest, way) / np.maximum(dot(way, way), 1e-300)
        nearest = nearest + np.clip(share, 0.0, 1.0)[:, None] * way
    return Gaps(widths, directions), is_met


def _corner(points: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return the point (f, 3) of points (f, n, 3) that is farthest along directions (f, 3)."""
    heights = dot(points, directions[:, None])
    return np.asarray(
        np.take_along_axis(points, heights.argmax(axis=1)[:, None, None], axis=1)[:, 0]
    )
