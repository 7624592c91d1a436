# SPDX-License-Identifier: Apache-2.0
"""Cuts a hollow component into convex parts that leave its hollows open."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from aa_dataset.portable import settled
from aa_dataset.triangles import is_closed, unique_places
from pipeline.shapes.hulls import hull_of
from pipeline.stages.annotate.collision.cells import cells_around, effort, with_walls
from pipeline.stages.annotate.collision.convex import CollisionMesh, convex_around, volume
from pipeline.stages.annotate.collision.cuts import (
    Cut,
    Part,
    Sweep,
    board_cut,
    boxes,
    divided,
    likely_cuts,
    middle_cuts,
    outline,
    sides,
    sweeps_over,
)
from pipeline.stages.annotate.collision.slabs import slab_cut
from pipeline.stages.annotate.collision.solid import Solid
from pipeline.stages.annotate.sheets import solid_room

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
# Of two cuts whose costs differ by less than this factor, the first candidate is taken.
_AS_GOOD = 1.003
# Costs by quick volumes that are compared are this far apart, far more than their errors; otherwise
# qhull's volumes decide.
_SURE_SHARE, _SURE = 1e-4, 1e-5
# Columns to a cell: for the hulls of parts, and to compare cuts.
_FINELY, _ROUGHLY = 4, 1
# The corners of a box: which of its ends to take of every axis.
_BOX = np.array(list(product((False, True), repeat=3)))


class Decomposition:
    """A component that is being cut into several hulls.

    Parameters
    ----------
    component : CollisionMesh
        Not convex, not flat.
    smallest : float [m^3]
        A smaller hollow stays filled.
    others : (k, 3, 3) float [m], optional
        Triangles of the other components of the link, which may cover the opening of a sheet.
    narrow : float [m]
        Width of a room in an open sheet that is solid.
    """

    def __init__(
        self,
        component: CollisionMesh,
        smallest: float,
        others: np.ndarray | None = None,
        narrow: float = 0.0,
    ) -> None:
        triangles = component.vertices[component.faces]
        closed = is_closed(component.faces)
        self._cells = cells_around(triangles, COARSE)
        if effort(triangles, FINE) <= MOST_EFFORT and self._cells.crowded(triangles) > CROWDED:
            self._cells = cells_around(triangles, FINE)
        points = self._cells.to_cells(component.vertices)
        self._smallest, self._whole = smallest / self._cells.volume, 0
        # Only less air is left if some of a room is solid.
        if not closed and others is not None and self._is_open(*self._air_in(points)):
            room = solid_room(triangles, with_walls(self._cells, others), narrow)
            self._cells = replace(self._cells, air=self._cells.air & ~room)
        self._solid = Solid(points[component.faces]) if closed else None
        self._turn = 1 if volume(component) > 0 else -1  # of a closed component
        self._open: list[tuple[int, int, Part]] = []  # a heap; the part with most air first
        self._settled: list[Part] = []
        self._stuck = 0  # cells of air in the largest part that no plane cuts
        self._numbers = itertools.count()
        self._is_in: dict[bytes, bool] = {}  # corners of boxes
        high = np.array(self._cells.air.shape, dtype=float)
        self._add(Part(points, component.faces, np.zeros(3), high))

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
        if part.occupied is None:
            cells = self._cells.occupied(part.triangles, part.low, part.high)
            part = replace(part, occupied=cells)
        pair = self._best_pair(part)
        if pair is None:
            self._stuck = max(self._stuck, -air)
            self._settled.append(part)
            return
        for one in pair:
            self._add(one)

    def hulls(self, decimals: int) -> list[CollisionMesh]:
        """Return the convex parts [m], on the grid of the object."""
        parts = [*self._settled, *(part for _, _, part in sorted(self._open, key=lambda o: o[:2]))]
        return [self._hull(part, decimals) for part in parts]

    def _add(self, part: Part) -> None:
        points = self._points(part)
        air, cells = 0, 0
        if not self._whole or self._cells.most_air(points) > self._least_air:
            air, cells = self._air_in(points)
        self._whole = self._whole or cells
        if self._is_open(air, cells):
            heapq.heappush(self._open, (-air, next(self._numbers), part))
        else:
            self._settled.append(part)

    def _air_in(self, points: np.ndarray) -> tuple[int, int]:
        """Return how many centers in the air, and in all, are in the hull of points (n, 3)."""
        hull = hull_of(outline(points, _FINELY))
        return (0, 0) if hull is None else self._cells.inside(hull.points[hull.simplices])

    def _is_open(self, air: int, cells: int) -> bool:
        """Return whether a hull of so many cells holds too much air."""
        return air > max(
            FILLED_SHARE * cells, FILLED_OF_WHOLE * (self._whole or cells), self._smallest
        )

    @property
    def _least_air(self) -> float:
        """Cells of air that a hull may hold in any case."""
        return max(FILLED_OF_WHOLE * self._whole, self._smallest)

    def _best_pair(self, part: Part) -> tuple[Part, Part] | None:
        """Return both sides of a cut at a board or a slab, else of the one with small hulls."""
        sweeps = sweeps_over(np.asarray(part.occupied))
        for cut in self._flat_cuts(part, sweeps):
            pair = None if cut is None else divided(part, cut)
            if pair is not None:
                return pair
        for cuts in (likely_cuts(sweeps), middle_cuts(part)):
            candidates = list(cuts)
            cut, is_sure = self._cheapest(part, candidates, quick_volume)
            if not is_sure:
                cut, _ = self._cheapest(part, candidates, _exact_volume)
            if cut is not None:
                return divided(part, cut)
        return None

    def _cheapest(
        self, part: Part, cuts: Sequence[Cut], volume_of: Callable[[np.ndarray], float]
    ) -> tuple[Cut | None, bool]:
        """Return the first of the cuts of least cost, and whether small errors change nothing."""
        costs: dict[Cut, float] = {}
        enough, is_sure = math.inf, True
        for cut in cuts:
            cost = self._burden(part, cut, enough, volume_of)
            if cost is None:
                continue
            is_sure = is_sure and _is_apart(cost, enough)
            if cost <= enough:
                costs[cut] = cost
                enough = min(enough, _AS_GOOD * cost)
        is_sure = is_sure and all(_is_apart(cost, enough) for cost in costs.values())
        return next((cut for cut in costs if costs[cut] <= enough), None), is_sure

    def _flat_cuts(self, part: Part, sweeps: Sequence[Sweep]) -> Iterator[Cut | None]:
        """Yield the cut of a board, then that of a slab, which a closed component may have."""
        yield board_cut(part, sweeps)
        if self._solid is not None:
            yield slab_cut(part, self._turn)

    def _burden(
        self, part: Part, cut: Cut, enough: float, volume_of: Callable[[np.ndarray], float]
    ) -> float | None:
        """Return the cost of the hulls on both sides, or a part of it that exceeds `enough`.

        None if one side is empty. Large hulls cost more than their volume: a thin slice off a bowl
        makes no progress, two halves do. Rounded, so that the choice does not depend on the last
        bits.
        """
        pair = sides(part, cut)
        if pair is None:
            return None
        # The larger side first: it alone may cost too much.
        found = zip(pair, boxes(part, cut), strict=True)
        total = 0.0
        for points, box in sorted(found, key=lambda one: -float((one[1][1] - one[1][0]).prod())):
            if self._solid is not None:
                points = np.concatenate([points, self._corners(*box, roughly=True)])
            total += _weight(volume_of(outline(points, _ROUGHLY)))
            if round(total, 6) > enough:
                break
        return round(total, 6)

    def _points(self, part: Part) -> np.ndarray:
        """Return the points (n, 3) whose hull is that of a part, its inside included."""
        if self._solid is None:
            return part.points
        return np.concatenate([part.points, self._corners(part.low, part.high)])

    def _corners(self, low: np.ndarray, high: np.ndarray, *, roughly: bool = False) -> np.ndarray:
        """Return the corners (n, 3) of a box that are in the solid.

        Where three cuts meet within a solid there is no surface, but these corners belong to the
        part. Their winding numbers tell, or roughly the grid.
        """
        corners = np.where(_BOX, high, low)
        # A little within the box: one that only touches the solid from outside is none.
        within = corners + np.where(_BOX, -_WITHIN, _WITHIN)
        air = self._cells.air_around(within)
        is_in = air == 0
        if not roughly:
            for number in np.flatnonzero(~is_in & (air < 1)):
                is_in[number] = self._is_inside(within[number])
        return np.asarray(corners[is_in])

    def _is_inside(self, point: np.ndarray) -> bool:
        key = point.tobytes()
        if key not in self._is_in:
            self._is_in[key] = self._solid is not None and self._solid.winding_number(point) != 0
        return self._is_in[key]

    def _hull(self, part: Part, decimals: int) -> CollisionMesh:
        points = settled(self._cells.to_link(self._points(part)), decimals)
        return convex_around(unique_places(points, np.zeros(len(points)))[0], decimals)


def _is_apart(cost: float, enough: float) -> bool:
    return enough == math.inf or abs(cost - enough) > _SURE_SHARE * enough + _SURE


def _exact_volume(points: np.ndarray) -> float:
    """Return the volume of the hull of points (n, 3) by qhull; 0 if it is flat."""
    hull = hull_of(points)
    return 0.0 if hull is None else float(hull.volume)


def quick_volume(points: np.ndarray) -> float:
    """Return the volume of the hull of points (n, 3) with an error below 1e-5 of it; 0 if flat."""
    from pipeline.stages.annotate.collision.volumes import hull_volume  # only here: it takes 0.3 s

    found = float(hull_volume(np.ascontiguousarray(points)))
    return _exact_volume(points) if math.isnan(found) else found


def _weight(volume: float) -> float:
    """Return the volume to the power 1.25, which needed the fewest parts on the samples."""
    return volume * math.sqrt(math.sqrt(volume))
