# SPDX-License-Identifier: Apache-2.0
"""Boxes, spheres, cylinders and capsules, as triangles and in closed form.

`normalize` writes every shape as triangles, for viewers and simulators, and records the original
primitives; `annotate` uses their closed forms.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import trimesh

from aa_dataset.portable import applied, product, settled
from pipeline.base.records import Sizes

# Digits that a record keeps: of a size, of the entries of a rotation, and of the center against
# the object's diagonal, three more than the nine of the grid.
DIGITS = 12
FINER_THAN_GRID = 3
# Of a vertex of a unit shape: the grid has nine digits.
UNIT_DECIMALS = 12


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
        Its center.
    """

    kind: str
    size: tuple[float, ...]
    rotation: Annotated[np.ndarray, Sizes(3, 3)]
    center: Annotated[np.ndarray, Sizes(3)]

    def mapped(self, rotation: np.ndarray, scale: float, shift: np.ndarray) -> Primitive:
        """Return the primitive after ``y = scale * rotation @ x + shift``."""
        size = tuple(scale * length for length in self.size)
        center = scale * applied(rotation, self.center) + shift
        return Primitive(self.kind, size, product(rotation, self.rotation), center)

    def triangles(self) -> np.ndarray:
        """Return the tessellation as triangles (n, 3, 3)."""
        vertices, faces = tessellated(self.kind, self.size)
        return np.asarray((applied(self.rotation, vertices) + self.center)[faces])

    def rounded(self, decimals: int) -> Primitive:
        """Return the primitive rounded for a record, for a grid of that many decimals."""
        size = tuple(float(format(length, f".{DIGITS}g")) for length in self.size)
        center = settled(self.center, decimals + FINER_THAN_GRID)
        return Primitive(self.kind, size, settled(self.rotation, DIGITS), center)


def tessellated(kind: str, size: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) and faces (m, 3), outward, of a primitive about its middle.

    All vertices are on the surface, so a round shape is slightly larger than its triangles.
    """
    unit, ends, faces = _unit_shape(kind)
    if kind in ("box", "cylinder"):
        scale = size if kind == "box" else (size[0], size[0], size[1])
        return unit * scale, faces.copy()
    height = size[1] if kind == "capsule" else 0.0
    return unit * size[0] + ends[:, None] * (0.0, 0.0, height / 2), faces.copy()


@functools.cache
def _unit_shape(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the vertices of edge, radius and height 1, the end each belongs to, and the faces.

    The end (n,) is 1 or -1 for the upper and the lower half of a capsule. Sines differ in their
    last digit from processor to processor; these few numbers are rounded once, and no vertex of
    any size can differ.
    """
    makers: dict[str, Callable[[], trimesh.Trimesh]] = {
        "box": lambda: trimesh.creation.box(extents=(1, 1, 1)),
        "sphere": lambda: trimesh.creation.icosphere(subdivisions=3, radius=1),
        "cylinder": lambda: trimesh.creation.cylinder(radius=1, height=1, sections=48),
        "capsule": lambda: trimesh.creation.capsule(radius=1, height=2, count=[24, 24]),
    }
    mesh = makers[kind]()
    vertices = settled(mesh.vertices, UNIT_DECIMALS)
    ends = np.sign(vertices[:, 2]) * (kind == "capsule")
    vertices[:, 2] -= ends
    return vertices, ends, np.asarray(mesh.faces)
