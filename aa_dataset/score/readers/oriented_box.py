# SPDX-License-Identifier: Apache-2.0
"""Oriented boxes of parts, as some methods have them in place of meshes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.portable import applied

Array = NDArray[np.float64]

# Corners of the triangles of a cube, outward; bit 2 of a corner's number is its x, bit 0 its z.
_CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class OrientedBox:
    """A box: center (3,), directions of its edges (3, 3) by columns, extents (3,)."""

    center: Array
    turn: Array
    extent: Array

    def triangles(self) -> Array:
        """Return its triangles (12, 3, 3), outward."""
        corners = applied(self.turn, _CORNERS * self.extent) + self.center
        return np.asarray(corners[_FACES])
