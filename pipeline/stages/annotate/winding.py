# SPDX-License-Identifier: Apache-2.0
"""Integrates over what open shells enclose, by the generalized winding number.

A point is inside where the shells wind around it by more than a half (Jacobson et al. 2013; libigl
evaluates it by the fast tree of Barill et al. 2018). Sampling a volume is coarse, so only a
difference is sampled: the shells with capped holes are integrated exactly, and the samples measure
where the winding number of the open shells differs from the capped ones. For flat holes it never
does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import igl
import numpy as np

from aa_dataset.metric._engine import has_numba
from aa_dataset.portable import length, power, settled
from pipeline.stages.annotate.moments import point_moments, triangle_areas

# Strata of the jittered grid, two samples each: of a first pass, and of a second if that was not
# enough; and the seed of the jitter.
STRATA = (1500, 12_000)
SEED = 20261116
# A region that none of n samples hit is smaller than 3 / n of the box, with 95 % confidence.
UNSEEN = 3.0
# Of a surface's box: closer to it, single precision (with which libigl computes) may be outside.
_NEAR = 1e-5
# Far more than libigl's tree of expansions errs.
_MARGIN = 0.1
# That and far more than solid angles in few digits err.
_FAR = 0.15
# Fewer points are not worth a sort of the triangles into at most so many columns, squared.
_FEW, _MOST_BINS = 200, 128


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """Moments (10,) of a sampled function, their standard errors, and the volume per sample."""

    moments: np.ndarray
    errors: np.ndarray
    grain: float


def sample_moments(
    lower: np.ndarray,
    upper: np.ndarray,
    function: Callable[[np.ndarray], np.ndarray],
    *,
    strata: int,
) -> Sampled:
    """Integrate a function times the ten monomials over a box, two jittered samples per stratum.

    Parameters
    ----------
    lower, upper : (3,) float
        Corners of the box.
    function : callable
        From points (n, 3) to values (n,).
    strata : int
        About how many.
    """
    extents = upper - lower
    counts = _strata(extents, strata)
    cells = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
    jitter = np.random.Generator(np.random.PCG64(SEED)).random((2, len(cells), 3))
    points = (lower + (cells + jitter) / counts * extents).reshape(-1, 3)
    values = function(points)
    size = float(np.prod(extents)) / len(cells)
    met = np.flatnonzero(values.reshape(2, -1).any(axis=0))
    both = np.stack([met, met + len(cells)])
    rows = values[both][..., None] * point_moments(points[both.reshape(-1)]).reshape(2, -1, 10)
    spread = np.square(rows[0] - rows[1]).sum(axis=0)
    return Sampled(size * rows.sum(axis=(0, 1)) / 2, size * np.sqrt(spread) / 2, size / 2)


def _strata(extents: np.ndarray, total: int) -> np.ndarray:
    """Return how many strata (3,) each side gets: cubes, but never fewer than four a side."""
    counts, free = np.full(3, 4), np.ones(3, bool)
    while free.any():
        share = total / np.prod(counts[~free])
        side = power(np.prod(extents[free]) / share, 1 / int(free.sum()))
        wanted = np.round(settled(extents / side, 6)).astype(int)
        short = free & (wanted < 4)
        if not short.any():
            return np.where(free, wanted, counts)
        free &= ~short
    return counts


def winding(vertices: np.ndarray, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return how often oriented triangles wind around points, (n,)."""
    if not len(faces) or not len(points):
        return np.zeros(len(points))
    return np.ravel(igl.fast_winding_number(vertices, np.ascontiguousarray(faces), points))


def turns(vertices: np.ndarray, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return `winding` of closed surfaces, rounded (n,): by rays where these are certain."""
    found, is_sure = _counted(vertices[faces], points)
    left = np.flatnonzero(~is_sure)
    found[left] = np.round(winding(vertices, faces, points[left]))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Open:
    """Open shells with the caps of their holes.

    Winding numbers of open shells take long. Those of shells and caps together are whole, and a
    hole that is far away hardly changes them.

    Attributes
    ----------
    vertices, faces : (n, 3) float, (m, 3) int
        The shells.
    caps : (k, 3, 3) float
        Triangles that close them, facing as the shells do.
    loops : (k,) int
        The hole of every cap triangle.
    """

    vertices: np.ndarray
    faces: np.ndarray
    caps: np.ndarray
    loops: np.ndarray

    def some(self, faces: np.ndarray, caps: np.ndarray) -> Open:
        """Return some of the shells, by their faces (m,) bool and caps (k,) bool."""
        return Open(self.vertices, self.faces[faces], self.caps[caps], self.loops[caps])

    def around(self, points: np.ndarray, least: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
        """Return two numbers of windings around points.

        Returns
        -------
        (n,) float, (n,) bool
            That of shells and caps, rounded, and whether that of shells alone exceeds `least`.
        """
        found, is_sure = _counted(np.concatenate([self.vertices[self.faces], self.caps]), points)
        inside, some, left = np.abs(found) > least, *map(np.flatnonzero, (is_sure, ~is_sure))
        some = some[self._largest_covers(points[some]) > least - _MARGIN]
        # Far from the least number, solid angles tell what libigl's tree would tell.
        opened = np.abs(found[some] - self._roughly_covered(points[some]))
        inside[some] = opened > least
        some = some[np.abs(opened - least) < _FAR]
        opened = np.abs(found[some] - self._covered(points[some]))
        inside[some] = opened > least
        close = some[np.abs(opened - least) < _MARGIN]
        inside[close] = np.abs(winding(self.vertices, self.faces, points[close])) > least
        opened = winding(self.vertices, self.faces, points[left])
        inside[left] = np.abs(opened) > least
        found[left] = np.round(opened + self._covered(points[left]))
        return found, inside

    def _covered(self, points: np.ndarray) -> np.ndarray:
        faces = np.arange(3 * len(self.caps), dtype=np.int64).reshape(-1, 3)
        return winding(self.caps.reshape(-1, 3), faces, points)

    def _roughly_covered(self, points: np.ndarray) -> np.ndarray:
        out = np.zeros(len(points))
        if len(points):
            from pipeline.stages.annotate.crossings import fill_covers  # only here: it takes 0.3 s

            fill_covers(np.ascontiguousarray(self.caps), points, out)
        return out

    def _largest_covers(self, points: np.ndarray) -> np.ndarray:
        """Return how much the caps wind around points (n,) at most."""
        out = np.zeros(len(points))
        if len(points) and len(self.caps):
            from pipeline.stages.annotate.crossings import fill_largest  # as above

            order = np.argsort(self.loops, kind="stable")
            starts = np.flatnonzero(np.diff(self.loops[order], prepend=-1))
            lows = np.minimum.reduceat(self.caps.min(axis=1)[order], starts)
            highs = np.maximum.reduceat(self.caps.max(axis=1)[order], starts)
            areas = np.add.reduceat(triangle_areas(self.caps)[order], starts)
            fill_largest(lows, highs, areas, points, out)
        return out


def _counted(corners: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how often closed triangles (m, 3, 3) wind around points (n,), and where surely."""
    found, is_sure = np.zeros(len(points)), np.ones(len(points), bool)
    if not len(corners) or not len(points):
        return found, is_sure
    if len(points) < _FEW or not _has_kernels():
        return found, ~is_sure
    from pipeline.stages.annotate.crossings import fill_bins, fill_turns  # only here, as above

    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    size = float(length(high - low))
    near = _NEAR * max(float(np.abs(corners).max()) / size, 1.0)
    # Rays run along the shortest side; the axes keep their order, or all counts would be reversed.
    turned = np.roll(np.arange(3), 2 - int(np.argmin(high - low)))
    corners = np.ascontiguousarray(((corners - low) / size)[:, :, turned])
    points = np.ascontiguousarray(((points - low) / size)[:, turned])
    side = int(min(max(np.sqrt(len(corners)), 1), _MOST_BINS))
    scales = side / np.maximum(((high - low) / size)[turned[:2]], near)
    starts = np.zeros(side * side + 1, np.int64)
    count = fill_bins(corners, scales, near, starts, np.zeros(0, np.int64))
    members = np.zeros(count, np.int64)
    fill_bins(corners, scales, near, starts, members)
    fill_turns(corners, (starts, members, side), scales, points, near, found, is_sure)
    return found, is_sure


@functools.cache
def _has_kernels() -> bool:
    return has_numba()
