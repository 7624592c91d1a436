# SPDX-License-Identifier: Apache-2.0
"""Cuts a hollow component into convex parts that leave its hollows open."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from itertools import count, product

import igl
import numpy as np

from aa_dataset.portable import settled
from pipeline.shapes.hulls import hull_of
from pipeline.shapes.triangles import is_closed, unique_places
from pipeline.stages.annotate.collision.cells import cells_around, effort
from pipeline.stages.annotate.collision.convex import Surface, convex
from pipeline.stages.annotate.collision.cuts import (
    Cut,
    Part,
    board_cut,
    divided,
    likely_cuts,
    middle_cuts,
    sweeps_over,
)

# A hull may fill this share of itself with air, or this share of the whole component's hull.
FILLED_SHARE, FILLED_OF_WHOLE = 0.1, 0.01
# Maximum number of convex parts of one component.
MOST_PARTS = 32
# Cells along the longest side of a component; more where surface runs through so much of the air.
COARSE, FINE, CROWDED = 24, 60, 0.5
# Lines of a grid that the triangles of a component may cross: a few seconds of work.
MOST_EFFORT = 3e6
# In cells: how far within its box the corner of a part is asked for.
_WITHIN = 1e-3
# The corners of a box: which of its ends to take of every axis.
_BOX = np.array(list(product((False, True), repeat=3)))


class Decomposition:
    """A component that is being cut into several hulls.

    Parameters
    ----------
    component : Surface
        Not convex, not flat.
    smallest : float [m^3]
        A smaller hollow stays filled.
    """

    def __init__(self, component: Surface, smallest: float) -> None:
        triangles = component.vertices[component.faces]
        self._cells = cells_around(triangles, COARSE)
        if self._cells.crowded > CROWDED and effort(triangles, FINE) <= MOST_EFFORT:
            self._cells = cells_around(triangles, FINE)
        self._triangles = self._cells.to_cells(triangles)
        self._is_closed = is_closed(component.faces)
        self._open: list[tuple[int, int, Part]] = []  # a heap; the part with most air first
        self._settled: list[Part] = []
        self._stuck = 0  # cells of air in the largest part that no plane cuts
        self._numbers = count()
        self._smallest = smallest / self._cells.volume
        self._whole = 0
        high = np.array(self._cells.air.shape, dtype=float)
        self._add(Part(self._triangles, np.zeros(3), high))

    @property
    def filled(self) -> float:
        """Largest volume [m^3] of air in a hull that should be cut; 0 if none is left."""
        return max(self._stuck, -self._open[0][0] if self._open else 0) * self._cells.volume

    @property
    def parts(self) -> int:
        """Number of parts so far."""
        return len(self._open) + len(self._settled)

    def can_split(self) -> bool:
        """Return whether there is something to cut within the budget."""
        return bool(self._open) and self.parts < MOST_PARTS

    def split(self) -> None:
        """Cut the part with most air in two; one that no plane cuts is unchanged."""
        air, _, part = heapq.heappop(self._open)
        pair = self._best_pair(part)
        if pair is None:
            self._stuck = max(self._stuck, -air)
            self._settled.append(part)
            return
        for one in pair:
            self._add(one)

    def hulls(self, decimals: int) -> list[Surface]:
        """Return the convex parts [m], on the grid of the object."""
        parts = [*self._settled, *(part for _, _, part in sorted(self._open, key=lambda o: o[:2]))]
        return [self._hull(part, decimals) for part in parts]

    def _add(self, part: Part) -> None:
        hull = hull_of(_outline(self._points(part)))
        air, cells = (0, 0) if hull is None else self._cells.inside(hull.points[hull.simplices])
        self._whole = self._whole or cells
        if air > max(FILLED_SHARE * cells, FILLED_OF_WHOLE * self._whole, self._smallest):
            heapq.heappush(self._open, (-air, next(self._numbers), part))
        else:
            self._settled.append(part)

    def _best_pair(self, part: Part) -> tuple[Part, Part] | None:
        """Return both sides of a cut that removes a board, else of the one with smallest hulls."""
        sweeps = sweeps_over(self._cells.occupied(part.triangles, part.low, part.high))
        board = board_cut(part, sweeps)
        pair = None if board is None else divided(part, board)
        if pair is not None:
            return pair
        pairs = _pairs(part, likely_cuts(sweeps)) or _pairs(part, middle_cuts(part))
        return min(pairs, key=self._burden, default=None)

    def _burden(self, parts: Iterable[Part]) -> float:
        """Return the cost of the hulls of parts; large ones cost more than their volume.

        A thin slice off a bowl makes no progress, two halves do. Rounded, so that the choice does
        not depend on the last bits.
        """
        hulls = [hull_of(_outline(self._points(part, roughly=True))) for part in parts]
        return round(math.fsum(_weight(hull.volume) for hull in hulls if hull is not None), 6)

    def _points(self, part: Part, *, roughly: bool = False) -> np.ndarray:
        """Return the points (n, 3) whose hull is that of a part, its inside included.

        Where three cuts meet within a solid there is no surface: the corners of the part's box that
        are in the solid belong to it, by their winding numbers or, roughly, by the grid.
        """
        points = part.triangles.reshape(-1, 3)
        if not self._is_closed:
            return points
        corners = np.where(_BOX, part.high, part.low)
        # A little within the box: one that only touches the solid from outside is none.
        within = corners + np.where(_BOX, -_WITHIN, _WITHIN)
        air = self._cells.air_around(within)
        is_in, is_unsure = air == 0, (air > 0) & (air < 1)
        if is_unsure.any() and not roughly:
            around = _winding_numbers(self._triangles, within[is_unsure])
            is_in[is_unsure] = np.abs(around) > 0.5
        return np.concatenate([points, corners[is_in]])

    def _hull(self, part: Part, decimals: int) -> Surface:
        points = settled(self._cells.to_link(self._points(part)), decimals)
        places, corners = unique_places(points, np.zeros(len(points)))
        faces = corners[: 3 * len(part.triangles)].reshape(-1, 3)
        return convex(Surface(places, faces), decimals)


def _weight(volume: float) -> float:
    """Return the volume to the power 1.25, which needed the fewest parts on the samples."""
    return volume * math.sqrt(math.sqrt(volume))


def _winding_numbers(triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the winding number of a closed surface (m, 3, 3) around each point (n,)."""
    faces = np.arange(3 * len(triangles)).reshape(-1, 3)
    return np.ravel(igl.winding_number(triangles.reshape(-1, 3), faces, points))


def _pairs(part: Part, cuts: Iterable[Cut]) -> list[tuple[Part, Part]]:
    return [pair for cut in cuts if (pair := divided(part, cut)) is not None]


def _outline(points: np.ndarray) -> np.ndarray:
    """Return the points (n, 3) that a hull needs, to a quarter of a cell: the ends of columns."""
    quarters = np.rint(points[:, :2] * 4).astype(np.int64)
    columns = quarters[:, 0] * (1 << 16) + quarters[:, 1]
    order = np.lexsort((points[:, 2], columns))
    differs = np.diff(columns[order]) != 0
    is_end = np.concatenate([[True], differs]) | np.concatenate([differs, [True]])
    return np.asarray(points[order[is_end]])
