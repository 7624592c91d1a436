# SPDX-License-Identifier: Apache-2.0
"""Cuts a hollow component into convex parts that leave its hollows open."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from itertools import count

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from pipeline.annotate.collision.cells import cells_around
from pipeline.annotate.collision.convex import Hull, convex, unique_places
from pipeline.annotate.collision.cuts import Part, board_cut, divided, likely_cuts, sweeps_over

# A hull may fill this share of itself with air, or this share of the whole component's hull.
FILLED_SHARE, FILLED_OF_WHOLE = 0.05, 0.005
# Convex parts of one component at most.
MOST_PARTS = 32
# By which power of its volume a hull weighs: 1.25 needed the fewest parts on the samples.
_LARGE = 1.25
# A component of more triangles than this keeps one hull.
MOST_TRIANGLES = 100_000


class Opening:
    """A component on its way from one hull to several.

    Parameters
    ----------
    component : Hull
        Vertices [m] and faces; not convex.
    smallest : float [m^3]
        A hollow of less than this stays filled.
    """

    def __init__(self, component: Hull, smallest: float) -> None:
        triangles = component.vertices[component.faces]
        self._cells = cells_around(triangles)
        self._open: list[tuple[int, int, Part]] = []  # a heap; the fullest part first
        self._settled: list[Part] = []
        self._stuck = 0  # cells of air in the fullest part that no plane cuts
        self._numbers = count()
        self._smallest = smallest / self._cells.volume
        self._whole = 0
        high = np.array(self._cells.air.shape, dtype=float)
        self._add(Part(self._cells.to_cells(triangles), np.zeros(3), high))

    @property
    def filled(self) -> float:
        """Volume [m^3] of air in the fullest of the hulls that should be cut; 0 if none is left."""
        return max(self._stuck, -self._open[0][0] if self._open else 0) * self._cells.volume

    @property
    def is_whole(self) -> bool:
        """Tell whether the component is still in one part."""
        return len(self._open) + len(self._settled) == 1

    def can_split(self) -> bool:
        """Tell whether there is something to cut, and leave to cut it."""
        return bool(self._open) and len(self._open) + len(self._settled) < MOST_PARTS

    def split(self) -> bool:
        """Cut the fullest part in two; False if no plane cuts it, and it stays as it is."""
        air, _, part = heapq.heappop(self._open)
        pair = self._best_pair(part)
        if pair is None:
            self._stuck = max(self._stuck, -air)
            self._settled.append(part)
            return False
        for one in pair:
            self._add(one)
        return True

    def hulls(self, decimals: int) -> list[Hull]:
        """Return the convex parts [m], on the grid of the object."""
        parts = [*self._settled, *(part for _, _, part in sorted(self._open, key=lambda o: o[:2]))]
        return [self._hull(part, decimals) for part in parts]

    def _add(self, part: Part) -> None:
        hull = _rough_hull(part)
        air, cells = (0, 0) if hull is None else self._cells.inside(hull.points[hull.simplices])
        self._whole = self._whole or cells
        if air > max(FILLED_SHARE * cells, FILLED_OF_WHOLE * self._whole, self._smallest):
            heapq.heappush(self._open, (-air, next(self._numbers), part))
        else:
            self._settled.append(part)

    def _best_pair(self, part: Part) -> tuple[Part, Part] | None:
        """Return both sides of a cut that frees a board, else of the one with the least hulls."""
        sweeps = sweeps_over(self._cells.occupied(part.triangles, part.low, part.high))
        board = board_cut(part, sweeps)
        pair = None if board is None else divided(part, board)
        if pair is not None:
            return pair
        pairs = [pair for cut in likely_cuts(sweeps) if (pair := divided(part, cut)) is not None]
        return min(pairs, key=_burden, default=None)

    def _hull(self, part: Part, decimals: int) -> Hull:
        points = np.round(self._cells.to_link(part.triangles.reshape(-1, 3)), decimals) + 0.0
        places, corners = unique_places(points, np.zeros(len(points)))
        return convex(Hull(places, corners.reshape(-1, 3)), decimals)


def _burden(parts: Iterable[Part]) -> float:
    """Return how large the hulls of parts are; large ones weigh a little more than their volume.

    A slice off a bowl leaves as much to do as before, two halves do not. Rounded, so that the last
    bits do not choose.
    """
    hulls = [_rough_hull(part) for part in parts]
    return round(sum(hull.volume**_LARGE for hull in hulls if hull is not None), 6)


def _rough_hull(part: Part) -> ConvexHull | None:
    """Return the hull of a part to a quarter of a cell; None if it is flat."""
    try:
        return ConvexHull(_outline(part.triangles.reshape(-1, 3)))
    except QhullError:
        return None


def _outline(points: np.ndarray) -> np.ndarray:
    """Return the points (n, 3) that a hull may need, on quarters of a cell: the ends of columns."""
    steps = np.rint(points * 4).astype(np.int64)
    keys = np.unique(steps @ [1 << 32, 1 << 16, 1])  # a grid has far fewer steps than 2^16
    column = np.diff(keys >> 16) != 0
    ends = keys[np.concatenate([[True], column]) | np.concatenate([column, [True]])]
    return np.stack([ends >> 32, ends >> 16 & 0xFFFF, ends & 0xFFFF], axis=1) / 4
