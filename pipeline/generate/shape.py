# SPDX-License-Identifier: Apache-2.0
"""A closed solid of one material, and how it is placed in the object frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aa_dataset.portable import applied, dot, length, product
from pipeline.generate.errors import AuthoringError

Array = NDArray[np.float64]
Vec3 = Sequence[float] | Array

UNIT: dict[str, tuple[float, float, float]] = {
    "x": (1.0, 0.0, 0.0),
    "-x": (-1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-z": (0.0, 0.0, -1.0),
}

# Proper rotations that send local z to the named direction. Polygons drawn in (u, v) then appear
# upright: "x" shows them in (y, z), "-y" in (x, z).
_ALONG: dict[str, tuple[Vec3, Vec3, Vec3]] = {
    "x": ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
    "-x": ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    "y": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "-y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "z": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "-z": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
}


def direction(axis: str | Vec3) -> Array:
    """Turn an axis letter (``"x"``, ``"-y"``) or a vector into a (3,) unit vector."""
    if isinstance(axis, str):
        if axis not in UNIT:
            raise AuthoringError(
                f"{axis!r} is not an axis; use one of {', '.join(UNIT)} or a vector."
            )
        return np.array(UNIT[axis])
    vector = np.asarray(axis, dtype=float)
    size = float(length(vector))
    if size < 1e-9:
        raise AuthoringError("An axis needs a length; (0, 0, 0) was given.")
    return vector / size


def rotation(axis: str | Vec3, degrees: float) -> Array:
    """Return the (3, 3) matrix of a right-handed turn about an axis through the origin."""
    x, y, z = direction(axis)
    angle = math.radians(degrees)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn: Array = (
        np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * product(cross, cross)
    )
    return turn


@dataclass(frozen=True, slots=True)
class Shape:
    """A closed, outward-oriented triangle mesh of one material.

    Attributes
    ----------
    vertices : (n, 3) float [m]
        Object frame at rest: x front, y left, z up.
    faces : (m, 3) int
        Counterclockwise seen from outside; every edge has exactly two faces.
    material : str
        A name of the palette.
    """

    vertices: Array
    faces: NDArray[np.int64]
    material: str

    def at(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Shape:
        """Move by (x, y, z) meters; a fresh shape is centered on the origin."""
        return replace(self, vertices=self.vertices + np.array((x, y, z), dtype=float))

    def on(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Shape:
        """Move by (x, y) and stand the lowest point on height z."""
        return self.at(x, y, z - float(self.vertices[:, 2].min()))

    def turned(self, axis: str | Vec3, degrees: float, about: Vec3 = (0, 0, 0)) -> Shape:
        """Turn right-handed about an axis through the point `about`."""
        pivot = np.asarray(about, dtype=float)
        moved = applied(rotation(axis, degrees), self.vertices - pivot) + pivot
        return replace(self, vertices=moved)

    def along(self, axis: str) -> Shape:
        """Lay the shape's own z direction along ``x``, ``y``, ``z`` or their negatives."""
        if axis not in _ALONG:
            raise AuthoringError(f"{axis!r} is not an axis; use one of {', '.join(_ALONG)}.")
        return replace(self, vertices=applied(np.asarray(_ALONG[axis]), self.vertices))

    def scaled(self, x: float, y: float, z: float) -> Shape:
        """Stretch by positive factors about the origin."""
        if min(x, y, z) <= 0:
            raise AuthoringError(f"Scale factors must be positive, got {(x, y, z)}.")
        return replace(self, vertices=self.vertices * np.array((x, y, z)))

    def mirrored(self, axis: str) -> Shape:
        """Reflect in the plane through the origin that is normal to ``x``, ``y`` or ``z``."""
        flipped = self.vertices * (1.0 - 2.0 * np.abs(direction(axis)))
        return replace(self, vertices=flipped, faces=self.faces[:, ::-1])

    @property
    def volume(self) -> float:
        """Enclosed volume in cubic meters, positive when faces point outward."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(dot(a, np.cross(b, c)).sum() / 6.0)
