# SPDX-License-Identifier: Apache-2.0
"""Finds where the outside air reaches in and around a shape, on a grid of cells.

Triangles are walls of any thickness: two neighboring cells are connected unless a triangle crosses
the line between their centers. Sheets, doubled walls and open meshes therefore need no inside. A
cavity without an opening counts as solid, because nothing can enter it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from aa_dataset.portable import applied, dot, length, second_moments, settled, symmetric_eigen

# Minimum number of cells along a short side of a shape.
LEAST_CELLS = 8
# In cells, more than rounding moves a point.
_NEAR = 1e-6
# A shape has a direction of its own if this share of its surface is flat in it,
_FLAT_SHARE = 0.15
# or if all but this share of its surface runs along it, as that of a tube does.
_ACROSS_SHARE = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A grid around a shape; in its units, cell k of an axis reaches from k to k + 1.

    Attributes
    ----------
    axes : (3, 3) float
        Directions of the grid in the link frame, by rows.
    corner : (3,) float [m]
        The grid's corner, along `axes`.
    size : (3,) float [m]
        Edges of a cell.
    air : (nx, ny, nz) bool
        Cells whose centers the outside air reaches; the others are solid.
    walls : three (nx, ny, nz) bool
        Per axis, cells with a wall between their center and the next one's.
    """

    axes: np.ndarray
    corner: np.ndarray
    size: np.ndarray
    air: np.ndarray
    walls: tuple[np.ndarray, ...]

    def to_cells(self, points: np.ndarray) -> np.ndarray:
        """Map points (..., 3) of the link frame [m] to the grid's units."""
        return np.asarray((applied(self.axes, points) - self.corner) / self.size)

    def to_link(self, points: np.ndarray) -> np.ndarray:
        """Map points (..., 3) of the grid to the link frame [m]."""
        return applied(self.axes.T, points * self.size + self.corner)

    @property
    def volume(self) -> float:
        """Volume [m^3] of a cell."""
        return float(self.size.prod())

    def occupied(self, triangles: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Return the cells (nx, ny, nz) of a piece: its surface, and what is solid in its box.

        Parameters
        ----------
        triangles : (m, 3, 3) float
            The piece's surface, in the grid's units.
        low, high : (3,) float
            The piece's box; a solid cell counts if its center is in it.
        """
        found = _surface(triangles, self.air.shape)
        first, last = np.ceil(low - 0.5).astype(int), np.floor(high - 0.5).astype(int) + 1
        box = tuple(slice(*ends) for ends in zip(first.tolist(), last.tolist(), strict=True))
        found[box] |= ~self.air[box]
        return found

    def air_around(self, points: np.ndarray) -> np.ndarray:
        """Return the share (n,) of air in the cells of points (n, 3) and in their neighbors."""
        return np.asarray(_kernels().air_shares(self.air, np.ascontiguousarray(points)))

    def crowded(self, triangles: np.ndarray) -> float:
        """Return the share of the air in a shape's box whose cells its surface runs through.

        The triangles (m, 3, 3) are in the link frame [m], as those that the grid was made for.
        """
        shared = self.air & _surface(self.to_cells(triangles), self.air.shape)
        return int(shared.sum()) / max(int(self.air[1:-1, 1:-1, 1:-1].sum()), 1)

    def most_air(self, points: np.ndarray) -> int:
        """Return how many centers in the air are in the box of points (n, 3), or near to it."""
        low = np.maximum(np.ceil(points.min(axis=0) - 0.5 - _NEAR), 0).astype(int)
        high = np.maximum(np.floor(points.max(axis=0) - 0.5 + _NEAR) + 1, 0).astype(int)
        return int(np.count_nonzero(self.air[low[0] : high[0], low[1] : high[1], low[2] : high[2]]))

    def inside(self, triangles: np.ndarray) -> tuple[int, int]:
        """Return how many centers in the air, and in all, are in a closed convex surface.

        Parameters
        ----------
        triangles : (m, 3, 3) float
            The surface, in the grid's units; a center in it does not count.
        """
        axis = int(np.argmax(self.air.shape))
        found = _kernels().count_inside(np.ascontiguousarray(triangles), axis, self.air)
        return int(found[0]), int(found[1])


def cells_around(triangles: np.ndarray, most_cells: int, walls: np.ndarray | None = None) -> Cells:
    """Make a grid around a shape, and fill it with air from outside.

    Parameters
    ----------
    triangles : (m, 3, 3) float [m]
        The shape.
    most_cells : int
        Along the longest side; a hollow that is narrower than a cell is not found.
    walls : (k, 3, 3) float [m], optional
        What else the air does not pass, anywhere.
    """
    axes = _own_axes(triangles)
    turned = applied(axes, triangles)
    lower, upper = turned.min(axis=(0, 1)), turned.max(axis=(0, 1))
    shares = (upper - lower) / (upper - lower).max()
    counts = np.maximum(np.rint(most_cells * shares), LEAST_CELLS).astype(int)
    # A little more than the shape, so that outer faces do not lie between two cells.
    size = (upper - lower) / (counts - 0.02)
    corner = (lower + upper) / 2 - (counts / 2 + 1) * size  # one cell of air on every side
    between = tuple(np.zeros((3, *(counts + 2).tolist()), dtype=bool))
    _add_walls(between, (turned - corner) / size)
    if walls is not None:
        _add_walls(between, _within((applied(axes, walls) - corner) / size, between[0].shape))
    return Cells(axes, corner, size, _reached(between), between)


def with_walls(cells: Cells, walls: np.ndarray) -> Cells:
    """Return a grid whose air does not pass triangles (k, 3, 3) [m] either, anywhere."""
    shape = cells.air.shape
    between = tuple(wall.copy() for wall in cells.walls)
    _add_walls(between, _within(cells.to_cells(walls), shape))
    return replace(cells, air=_reached(between), walls=between)


def effort(triangles: np.ndarray, most_cells: int) -> float:
    """Return about how many lines of a grid the triangles (m, 3, 3) cross, counted one by one."""
    lower, upper = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    size = max(float((upper - lower).max()), 1e-300) / most_cells
    x, y, z = np.ptp(triangles, axis=1).T / size + 1
    return float((x * y + y * z + z * x + 2 * (x + y + z)).sum())


def _own_axes(triangles: np.ndarray) -> np.ndarray:
    """Return the axes (3, 3) of a shape, or the frame's if its surface runs along these as well.

    The slanted wall of a bin would otherwise turn the grid away from its floor.
    """
    vectors = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    axes, frame = _flat_axes(vectors), np.eye(3)
    return axes if _aligned(vectors, axes) > _aligned(vectors, frame) else frame


def _aligned(vectors: np.ndarray, axes: np.ndarray) -> float:
    """Return how much of area vectors (m, 3) is along axes: cosines to the power of 16."""
    areas = length(vectors)
    usable = areas > 0
    if not usable.any():
        return 0.0
    share = applied(axes, vectors[usable] / areas[usable, None])
    for _ in range(4):
        share = share * share
    return float(settled((areas[usable] * share.sum(axis=1)).sum() / areas.sum(), 6))


def _flat_axes(vectors: np.ndarray) -> np.ndarray:
    """Return the axes (3, 3) that most of the surface is flat along; the frame's own if none."""
    areas = length(vectors)
    directions = vectors[areas > 0] / areas[areas > 0, None]
    # One direction for both sides; the signs of zero do not count.
    keys = np.rint(directions * 100).astype(int)
    keys = np.where(((keys * [1_000_000, 1_000, 1]).sum(axis=1) < 0)[:, None], -keys, keys)
    kinds, kind = np.unique(keys, axis=0, return_inverse=True)
    weights = settled(np.bincount(kind.ravel(), areas[areas > 0]) / areas.sum(), 6)
    first = _flattest(kinds, weights)
    if first is None:
        return _along(vectors)
    across = np.abs(dot(kinds, first)) < 0.02 * length(kinds)
    second = _flattest(kinds[across], weights[across])
    # From the triangles themselves: keys have two digits.
    first = _mean_direction(vectors, first)
    if second is None:
        return _any_axes(first)
    return _plain(_square(first, _mean_direction(vectors, second)))


def _along(vectors: np.ndarray) -> np.ndarray:
    """Return axes (3, 3) along a shape whose surface runs along one direction, else the frame's."""
    areas = length(vectors)
    usable = areas > 0
    spread = second_moments(vectors[usable], 1 / areas[usable])
    values, found = symmetric_eigen(spread)
    if not len(areas[usable]) or values[0] > _ACROSS_SHARE * values.sum():
        return np.eye(3)
    return _any_axes(settled(found[:, 0], 6))


def _any_axes(first: np.ndarray) -> np.ndarray:
    """Return axes (3, 3) with a given first one, and the second near one of the frame's."""
    first = first / length(first)
    return _plain(_square(first, np.eye(3)[int(np.argmin(settled(np.abs(first), 6)))]))


def _plain(axes: np.ndarray) -> np.ndarray:
    """Return the frame's own axes instead of a permutation of them."""
    return np.eye(3) if np.allclose(np.abs(axes).max(axis=1), 1, atol=1e-9) else axes


def _flattest(kinds: np.ndarray, weights: np.ndarray) -> np.ndarray | None:
    """Return the unit direction (3,) of most surface, if it is enough."""
    if not len(weights) or weights.max() < _FLAT_SHARE:
        return None
    kind = kinds[int(np.argmax(weights))]
    return np.asarray(kind / length(kind))


def _mean_direction(vectors: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Return the mean direction (3,) of the area vectors (m, 3) that point along `near`."""
    along = dot(vectors, near)
    close = np.abs(along) > 0.999 * length(vectors)
    return np.asarray((vectors[close] * np.sign(along[close])[:, None]).sum(axis=0))


def _square(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return orthonormal axes (3, 3) from two directions that are nearly square."""
    first = first / length(first)
    second = second - dot(second, first) * first
    second = second / length(second)
    return np.stack([first, second, np.cross(first, second)])


def _kernels() -> ModuleType:
    """Return the compiled loops; numba is imported here on first use, because it takes 0.3 s."""
    from pipeline.stages.annotate.collision import grids

    return grids


def _add_walls(walls: tuple[np.ndarray, ...], triangles: np.ndarray) -> None:
    """Mark per axis the cells with one of the triangles between their center and the next one's."""
    triangles = np.ascontiguousarray(triangles)
    for axis, wall in enumerate(walls):
        _kernels().mark_crossings(triangles, axis, 0.5, wall)


def _within(triangles: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return the triangles (m, 3, 3) whose boxes meet a grid."""
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    return np.asarray(triangles[((high > 0) & (low < np.array(shape))).all(axis=1)])


def _surface(triangles: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return the cells that triangles run through, as seen along lines and along their edges."""
    triangles = np.ascontiguousarray(triangles)
    surface = np.zeros(shape, dtype=bool)
    for axis in range(3):
        _kernels().mark_crossings(triangles, axis, 0.0, surface)
    # A leg between two lines is crossed by none, but its edges run all along it.
    _kernels().mark_edges(triangles, surface)
    return surface


def _reached(walls: tuple[np.ndarray, ...]) -> np.ndarray:
    """Spread the air from the outermost cells along the axes until it is stable or at a limit."""
    air = np.zeros(walls[0].shape, dtype=bool)
    air[[0, -1]] = air[:, [0, -1]] = air[:, :, [0, -1]] = True
    _kernels().spread(air, walls)
    return air
