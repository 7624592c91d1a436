# SPDX-License-Identifier: Apache-2.0
"""Oriented boxes of parts, as some methods have them in place of meshes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.urdf import Geometry
from aa_dataset.portable import applied
from aa_dataset.score.readers.triangles import primitive_triangles

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class OrientedBox:
    """A box: center (3,), directions of its edges (3, 3) by columns, extents (3,)."""

    center: Array
    turn: Array
    extent: Array

    def triangles(self) -> Array:
        """Return its triangles (12, 3, 3), outward."""
        cube = primitive_triangles(Geometry("box", (1.0, 1.0, 1.0)))
        return np.asarray(applied(self.turn, cube * self.extent) + self.center)
