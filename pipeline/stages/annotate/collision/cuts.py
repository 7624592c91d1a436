# SPDX-License-Identifier: Apache-2.0
"""Chooses where to cut a hollow part in two, and cuts it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from aa_dataset.portable import length, settled

# A side without air is cut off at once if it has this share of what is occupied,
_CLEAN_SHARE = 0.03
# and if it ends in flat faces with this share of its footprint, as boards do.
_FLAT_SHARE = 0.25
# Layers of cells that differ by less than this share are the same.
_DIFFERENCE = 0.03
# In cells: anything this close to a plane is in it.
_IN_PLANE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A piece of a shape: triangles (m, 3, 3) and the box `low` to `high` of it, in cells."""

    triangles: np.ndarray
    low: np.ndarray
    high: np.ndarray


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
    either side, `mass` (2, n) what is occupied. `layers` (n + 1, ., .) are the occupied cells.
    """

    axis: int
    index: np.ndarray
    air: np.ndarray
    mass: np.ndarray
    layers: np.ndarray


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
    """Yield candidate cuts: per axis the middle, and where boxes around both sides fit best."""
    for sweep in sweeps:
        middle = (int(sweep.index[0]) + int(sweep.index[-1])) // 2
        least = int(sweep.index[int(np.argmin(sweep.air.sum(axis=0)))])
        for index in dict.fromkeys((least, middle)):
            yield Cut(sweep.axis, float(index))


def middle_cuts(part: Part) -> Iterator[Cut]:
    """Yield the cuts through the middle of a part, for one of which the grid sees no more."""
    low, high = part.triangles.min(axis=(0, 1)), part.triangles.max(axis=(0, 1))
    for axis in range(3):
        if high[axis] - low[axis] > 1:
            yield Cut(axis, float(low[axis] + high[axis]) / 2)


def divided(part: Part, cut: Cut) -> tuple[Part, Part] | None:
    """Cut a part in two; None if all of it is on one side."""
    below, above, within = _clipped(part.triangles, cut.axis, cut.place)
    if cut.is_below:
        below = np.concatenate([below, within])
    else:
        above = np.concatenate([above, within])
    if not len(below) or not len(above):
        return None
    high, low = part.high.copy(), part.low.copy()
    high[cut.axis] = low[cut.axis] = cut.place
    return Part(below, part.low, high), Part(above, low, part.high)


def sweeps_over(occupied: np.ndarray) -> list[Sweep]:
    """Return a sweep per axis across which a part changes; along a tube no cut opens anything."""
    if not occupied.any():
        return []
    found = []
    spans = [np.flatnonzero(occupied.any(axis=others)) for others in ((1, 2), (0, 2), (0, 1))]
    occupied = occupied[tuple(slice(span[0], span[-1] + 1) for span in spans)]
    for axis in range(3):
        layers = np.moveaxis(occupied, axis, 0)
        if len(layers) > 1 and not _is_uniform(layers):
            index = spans[axis][0] + np.arange(1, len(layers))
            air = np.stack([_held_air(layers)[:-1], _held_air(layers[::-1])[-2::-1]])
            mass = np.cumsum(layers.sum(axis=(1, 2)))
            mass = np.stack([mass[:-1], mass[-1] - mass[:-1]])
            found.append(Sweep(axis, index, air, mass, layers))
    return found


def _is_uniform(layers: np.ndarray) -> bool:
    """Return whether all layers are nearly the same."""
    shadow = layers.any(axis=0)
    return bool(layers.sum() >= (1 - _DIFFERENCE) * len(layers) * shadow.sum())


def _held_air(layers: np.ndarray) -> np.ndarray:
    """Return (n,) the air in the box around the occupied cells of the first 1 to n layers."""
    table = np.zeros(tuple(size + 1 for size in layers.shape), dtype=np.int64)
    table[1:, 1:, 1:] = (~layers).cumsum(axis=0).cumsum(axis=1).cumsum(axis=2)
    spans = (_growing_span(np.asarray(layers.any(axis=axis))) for axis in (2, 1))
    (a, b), (c, d) = spans
    k = np.arange(1, len(layers) + 1)
    return np.asarray(table[k, b, d] - table[k, a, d] - table[k, b, c] + table[k, a, c])


def _growing_span(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return first and last-plus-one (n,) of what is set in the first 1 to n rows (n, m)."""
    so_far = np.logical_or.accumulate(rows, axis=0)
    return so_far.argmax(axis=1), so_far.shape[1] - so_far[:, ::-1].argmax(axis=1)


def _behind_board(part: Part, sweep: Sweep, number: int, *, is_below: bool) -> Cut | None:
    """Return the cut along the farthest flat faces near a plane; None if there is no board."""
    axis, index = sweep.axis, sweep.index[number]
    heights = part.triangles[:, :, axis]
    near = (np.ptp(heights, axis=1) < _IN_PLANE) & (np.abs(heights[:, 0] - index) <= 1)
    flat = part.triangles[near]
    areas = length(np.cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])) / 2
    planes, plane = np.unique(settled(heights[near, 0], 6), return_inverse=True)
    # The last layer of the board, and what goes on behind it.
    board, behind = sweep.layers[number : number + 2][:: 1 if is_below else -1]
    planes = planes[np.bincount(plane, areas, len(planes)) >= _FLAT_SHARE * board.sum()]
    if not len(planes):
        return None
    place = float(planes[-1] if is_below else planes[0])
    end = float(heights.min() if is_below else heights.max())
    # The outermost face is a board of its own only if it is a sheet, with air behind it.
    if abs(place - end) < _IN_PLANE and (board & behind).sum() > board.sum() / 2:
        return None
    return Cut(axis, place, is_below)


def _clipped(
    triangles: np.ndarray, axis: int, place: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the triangles (., 3, 3) below a plane, above it and in it; those across are cut."""
    height = triangles[:, :, axis] - place
    height[np.abs(height) < _IN_PLANE] = 0.0
    lowest, highest = height.min(axis=1), height.max(axis=1)
    within = (lowest == 0) & (highest == 0)
    across = (lowest < 0) & (highest > 0)
    below, above = triangles[(highest <= 0) & ~within], triangles[(lowest >= 0) & ~within]
    tips, stumps, points_up = _cut(triangles[across], height[across])
    down, up = (
        [tips[~points_up], *(s[points_up] for s in stumps)],
        [tips[points_up], *(s[~points_up] for s in stumps)],
    )
    return np.concatenate([below, *down]), np.concatenate([above, *up]), triangles[within]


def _cut(
    triangles: np.ndarray, height: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Cut triangles across: the tip, whose corner is alone on its side, and two for the rest."""
    points_up = (height > 0).sum(axis=1) == 1
    alone = np.where(points_up, height.argmax(axis=1), height.argmin(axis=1))
    order = (alone[:, None] + np.arange(3)) % 3
    corner, left, right = np.take_along_axis(triangles, order[:, :, None], axis=1).swapaxes(0, 1)
    h, h_left, h_right = np.take_along_axis(height, order, axis=1).T
    to_left = corner + (h / (h - h_left))[:, None] * (left - corner)
    to_right = corner + (h / (h - h_right))[:, None] * (right - corner)
    stumps = (
        np.stack([to_left, left, right], axis=1),
        np.stack([to_left, right, to_right], axis=1),
    )
    return np.stack([corner, to_left, to_right], axis=1), stumps, points_up
