# SPDX-License-Identifier: Apache-2.0
"""Boxes, spheres, cylinders and capsules: as triangles, and as what they are.

`normalize` writes every shape as triangles, which is what viewers and simulators show, and records
the primitives that it started from; `annotate` takes their closed forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import trimesh

# Digits that a record keeps: of a size, of the entries of a rotation, and of the center against
# the object's diagonal, three more than the nine of the grid.
DIGITS = 12
FINER_THAN_GRID = 3


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """One primitive in some frame.

    Attributes
    ----------
    kind : str
        ``box``, ``sphere``, ``cylinder`` or ``capsule``.
    size : tuple of float
        The three edges of a box, the radius of a sphere, radius and length of a cylinder, radius
        and length between the hemispheres of a capsule; the last two lie along their own z.
    rotation : (3, 3) float
        Proper rotation; its columns are the primitive's own axes.
    center : (3,) float
        The middle.
    """

    kind: str
    size: tuple[float, ...]
    rotation: np.ndarray
    center: np.ndarray

    def mapped(self, rotation: np.ndarray, scale: float, shift: np.ndarray) -> Primitive:
        """Return the primitive after ``y = scale * rotation @ x + shift``."""
        size = tuple(scale * length for length in self.size)
        center = scale * rotation @ self.center + shift
        return Primitive(self.kind, size, rotation @ self.rotation, center)

    def triangles(self) -> np.ndarray:
        """Return the tessellation as triangles (n, 3, 3)."""
        vertices, faces = tessellated(self.kind, self.size)
        return (vertices @ self.rotation.T + self.center)[faces]

    def as_json(self, decimals: int) -> dict[str, Any]:
        """Return the entry of a record, for an object with a grid of so many decimals."""
        center = np.round(self.center, decimals + FINER_THAN_GRID) + 0.0
        return {
            "kind": self.kind,
            "size": [float(format(length, f".{DIGITS}g")) for length in self.size],
            "rotation": (np.round(self.rotation, DIGITS) + 0.0).reshape(-1).tolist(),
            "center": center.tolist(),
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Primitive:
        """Read the entry of a record."""
        rotation = np.array(entry["rotation"], dtype=float).reshape(3, 3)
        center = np.array(entry["center"], dtype=float)
        return cls(entry["kind"], tuple(entry["size"]), rotation, center)


def tessellated(kind: str, size: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) and faces (m, 3), outward, of a primitive about its middle.

    All vertices lie on the surface: what is round is a little larger than its triangles.
    """
    makers = {
        "box": lambda: trimesh.creation.box(extents=size),
        "sphere": lambda: trimesh.creation.icosphere(subdivisions=3, radius=size[0]),
        "cylinder": lambda: trimesh.creation.cylinder(radius=size[0], height=size[1], sections=48),
        "capsule": lambda: trimesh.creation.capsule(radius=size[0], height=size[1], count=[24, 24]),
    }
    mesh = makers[kind]()
    return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces)
