# SPDX-License-Identifier: Apache-2.0
"""Which pixels of a picture a change can reach.

Positions are in pixels, column before row; the center of a pixel has whole numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

CELL = 4  # pixels that count as changed together
PAD = 2  # pixels around a change whose neighbors are compared
LEAST_DEPTH = 1e-3  # a corner nearer to the camera has no useful position


def project(corners: Array, half: float, pixels: int) -> Array:
    """Return the positions (..., 2) of points (..., 3) in the camera's frame.

    Parameters
    ----------
    corners : (..., 3) float
    half : float
        Tangent of half the angle of view.
    pixels : int
        Width and height of the picture.
    """
    depth = np.maximum(-corners[..., 2:], LEAST_DEPTH)
    return np.asarray((corners[..., :2] * (1, -1) / depth / half + 1) * (pixels / 2) - 0.5)


def touched(positions: Array, pixels: int) -> Mask:
    """Return the pixels (pixels, pixels) in reach of triangles (f, 3, 2), by their boxes."""
    count = -(-pixels // CELL)
    low = np.floor((positions.min(axis=1) - PAD) / CELL)
    high = np.floor((positions.max(axis=1) + PAD) / CELL) + 1
    low, high = (np.clip(edge, 0, count).astype(np.int64) for edge in (low, high))
    # A box counts from its first cell on and no more behind its last, along both axes.
    size = count + 1
    total = np.zeros(size * size)
    for x, y, sign in ((low, low, 1), (high, high, 1), (low, high, -1), (high, low, -1)):
        total += sign * np.bincount(y[:, 1] * size + x[:, 0], minlength=size * size)
    boxes = total.reshape(size, size).cumsum(axis=0).cumsum(axis=1)[:count, :count] > 0
    return np.asarray(boxes.repeat(CELL, axis=0).repeat(CELL, axis=1)[:pixels, :pixels])


def inner(region: Mask) -> Mask:
    """Return the pixels (h, w) of a region all of whose neighbors are in it."""
    found = region.copy()
    for one, two in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        found[one] &= region[two]
        found[two] &= region[one]
    return found
