# SPDX-License-Identifier: Apache-2.0
"""Chooses where to cut a hollow part in two, and cuts it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from aa_dataset.portable import length, settled

# A side without air is cut off at once if it has this share of what is occupied,
_CLEAN_SHARE = 0.03
# and if it ends in flat faces with this share of its footprint, as boards do.
_FLAT_SHARE = 0.25
# Layers of cells that differ by less than this share are the same.
_DIFFERENCE = 0.03
# In cells: anything this close to a plane is in it.
IN_PLANE = 1e-6

# Orders of the axes with each of them first.
_FIRST = ((0, 1, 2), (1, 0, 2), (2, 0, 1))

Box = tuple[np.ndarray, np.ndarray]  # lowest and highest corner (3,), in cells


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A piece of a shape within a box, in cells.

    Attributes
    ----------
    points : (n, 3) float
        All of them are corners of `faces`.
    faces : (m, 3) int
        Its triangles. Neighbors do not share the points at which they were cut.
    low, high : (3,) float
        The box.
    occupied : (nx, ny, nz) bool, or None
        The cells of the piece, if they are those of a larger piece within the box.
    """

    points: np.ndarray
    faces: np.ndarray
    low: np.ndarray
    high: np.ndarray
    occupied: np.ndarray | None = None

    @property
    def triangles(self) -> np.ndarray:
        """The triangles (m, 3, 3)."""
        return np.asarray(self.points[self.faces])


@dataclass(frozen=True, slots=True)
class Cut:
    """A plane across an axis, in cells; what lies in it goes below or above."""

    axis: int
    place: float
    is_below: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """What lies below and above every plane between two layers of cells across an axis.

    `index` (n,) is the plane; `air` (2, n) counts the air in the boxes around what is occupied on
    either side, `mass` (2, n) what is occupied. `layers` (n + 1, ., .) are the occupied cells, and
    `shadow` counts those of all layers on top of each other.
    """

    axis: int
    index: np.ndarray
    air: np.ndarray
    mass: np.ndarray
    layers: np.ndarray
    shadow: int

    @property
    def sameness(self) -> int:
        """Share [%] of their common shadow that the layers fill on average."""
        return round(100 * int(self.mass[:, 0].sum()) / (self.shadow * len(self.layers)))


def board_cut(part: Part, sweeps: Sequence[Sweep]) -> Cut | None:
    """Return the cut that removes the largest board: a side without air, with a flat end.

    The boards of a drawer are cut off one by one, each exactly at its inner face.
    """
    best, cut = 0, None
    for sweep in sweeps:
        clean = np.where(sweep.air == 0, sweep.mass, 0)
        side, number = np.unravel_index(int(np.argmax(clean)), clean.shape)
        mass = int(clean[side, number])
        if mass > max(best, _CLEAN_SHARE * sweep.mass[:, number].sum()):
            found = _behind_board(part, sweep, int(number), is_below=side == 0)
            best, cut = (best, cut) if found is None else (mass, found)
    return cut


def likely_cuts(sweeps: Sequence[Sweep]) -> Iterator[Cut]:
    """Yield candidate cuts: per axis the middle, and where boxes around both sides fit best.

    The axis along which layers differ most comes first. Cut across its axis, a ring or a tapered
    wall has hulls as small as cut along it, but both sides are rings again.
    """
    for sweep in sorted(sweeps, key=lambda one: one.sameness):
        middle = (int(sweep.index[0]) + int(sweep.index[-1])) // 2
        least = int(sweep.index[int(np.argmin(sweep.air.sum(axis=0)))])
        for index in dict.fromkeys((least, middle)):
            yield Cut(sweep.axis, float(index))


def middle_cuts(part: Part) -> Iterator[Cut]:
    """Yield the cuts through the middle of a part, for one of which the grid sees no more."""
    low, high = part.points.min(axis=0), part.points.max(axis=0)
    for axis in range(3):
        if high[axis] - low[axis] > 1:
            yield Cut(axis, float(low[axis] + high[axis]) / 2)


def boxes(part: Part, cut: Cut) -> tuple[Box, Box]:
    """Return the boxes of both sides of a cut."""
    high, low = part.high.copy(), part.low.copy()
    high[cut.axis] = low[cut.axis] = cut.place
    return (part.low, high), (low, part.high)


def sides(part: Part, cut: Cut) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the points (., 3) of both sides of a cut, without their faces; None as `divided`."""
    is_cut, below, above = _kernels().points_beside(*_to_cut(part, cut))
    return (below, above) if is_cut else None


def divided(part: Part, cut: Cut) -> tuple[Part, Part] | None:
    """Cut a part in two; None if all of it is on one side."""
    is_cut, below, above = _kernels().cut_faces(*_to_cut(part, cut))
    if not is_cut:
        return None
    one, other = boxes(part, cut)
    kept_below, kept_above = _kept_cells(part.occupied, cut)
    return (
        Part(below[0], below[1], *one, kept_below),
        Part(above[0], above[1], *other, kept_above),
    )


def outline(points: np.ndarray, steps: int) -> np.ndarray:
    """Return the points (n, 3) that a hull needs: the ends of columns, `steps` to a cell."""
    return np.asarray(_kernels().column_ends(points, steps))


def _to_cut(part: Part, cut: Cut) -> tuple[np.ndarray, np.ndarray, tuple[int, float, bool], float]:
    """Return what the kernels take of a part and a cut."""
    return part.points, part.faces, (cut.axis, float(cut.place), bool(cut.is_below)), IN_PLANE


def _kernels() -> ModuleType:
    """Return the compiled loops; numba is imported here on first use, because it takes 0.3 s."""
    from pipeline.stages.annotate.collision import planes

    return planes


def sweeps_over(occupied: np.ndarray) -> list[Sweep]:
    """Return a sweep per axis across which a part changes; along a tube no cut opens anything."""
    (xy, xz, yz), masses = _kernels().projected(occupied)
    if not xy.any():
        return []
    sights = xy.any(axis=1), xy.any(axis=0), xz.any(axis=0)
    spans = [np.flatnonzero(one) for one in sights]
    x, y, z = box = tuple(slice(span[0], span[-1] + 1) for span in spans)
    xy, xz, yz = xy[x, y], xz[x, z], yz[y, z]
    found, occupied = [], occupied[box]
    outlines = (yz, xy, xz), (xz, xy.T, yz), (xy, xz.T, yz.T)
    for axis, (shadow, first, second) in enumerate(outlines):
        mass = np.cumsum(masses[axis][box[axis]])
        # Layers that are nearly the same open nothing.
        if len(mass) < 2 or mass[-1] >= (1 - _DIFFERENCE) * len(mass) * shadow.sum():
            continue
        index = spans[axis][0] + np.arange(1, len(mass))
        mass = np.stack([mass[:-1], mass[-1] - mass[:-1]])
        held = [_box_sizes(first, second)[:-1], _box_sizes(first[::-1], second[::-1])[-2::-1]]
        air = np.stack(held) - mass
        layers = occupied.transpose(_FIRST[axis])
        found.append(Sweep(axis, index, air, mass, layers, int(shadow.sum())))
    return found


def _box_sizes(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cells (n,) in the box around what is occupied in the first 1 to n layers.

    By both outlines of the layers, (n, .) bool.
    """
    (a, b), (c, d) = _growing_span(first), _growing_span(second)
    return np.asarray(np.arange(1, len(first) + 1) * (b - a) * (d - c))


def _growing_span(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return first and last-plus-one (n,) of what is set in the first 1 to n rows (n, m)."""
    so_far = np.logical_or.accumulate(rows, axis=0)
    return so_far.argmax(axis=1), so_far.shape[1] - so_far[:, ::-1].argmax(axis=1)


def _behind_board(part: Part, sweep: Sweep, number: int, *, is_below: bool) -> Cut | None:
    """Return the cut along the farthest flat faces near a plane; None if there is no board."""
    axis, index = sweep.axis, sweep.index[number]
    heights = part.points[:, axis]
    near = np.abs(heights - index) <= 1
    faces = part.faces[near[part.faces].all(axis=1)]
    flat = part.points[faces]
    flat = flat[np.ptp(flat[:, :, axis], axis=1) < IN_PLANE]
    areas = length(np.cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])) / 2
    planes, plane = np.unique(settled(flat[:, 0, axis], 6), return_inverse=True)
    # The last layer of the board, and what goes on behind it.
    board, behind = sweep.layers[number : number + 2][:: 1 if is_below else -1]
    planes = planes[np.bincount(plane, areas, len(planes)) >= _FLAT_SHARE * board.sum()]
    if not len(planes):
        return None
    place = float(planes[-1] if is_below else planes[0])
    end = float(heights.min() if is_below else heights.max())
    # The outermost face is a board of its own only if it is a sheet, with air behind it.
    if abs(place - end) < IN_PLANE and (board & behind).sum() > board.sum() / 2:
        return None
    return Cut(axis, place, is_below)


def _kept_cells(
    occupied: np.ndarray | None, cut: Cut
) -> tuple[np.ndarray, np.ndarray] | tuple[None, None]:
    """Return the cells of both sides of a cut between two layers; None for any other cut."""
    if occupied is None or not cut.place.is_integer():
        return None, None
    below, above = occupied.copy(), occupied.copy()
    layer = int(cut.place)
    below.swapaxes(0, cut.axis)[layer:] = False
    above.swapaxes(0, cut.axis)[:layer] = False
    return below, above
