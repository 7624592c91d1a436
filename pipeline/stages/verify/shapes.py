# SPDX-License-Identifier: Apache-2.0
"""A link's geometry as one set of triangles, and the quantities that the checks use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import trimesh

from aa_dataset.portable import dot, length
from aa_dataset.triangles import Edges, cells, connected_faces, stacked

# A triangle is flat when its area is below this share of its longest edge squared: a millionth
# of the edge is the height that single precision, which a GLB has, no longer resolves.
FLAT = 1e-6
# Vertices in one cell are one: 5e-7 of the box, the digits of a GLB.
WELD_STEPS = 2**21 - 1


@dataclass(frozen=True, eq=False)
class LinkShape:
    """The visual triangles of one link, with coincident vertices merged.

    Attributes
    ----------
    vertices : (n, 3) float [m]
        Object frame at rest.
    faces : (m, 3) int
        Flat triangles included.
    """

    vertices: np.ndarray
    faces: np.ndarray

    @cached_property
    def bounds(self) -> np.ndarray:
        """Return the lower and upper corner (2, 3) [m] of the box."""
        return np.stack([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    @cached_property
    def crosses(self) -> np.ndarray:
        """Return the normals (m, 3) [m^2] of the faces, as long as twice their areas."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return np.cross(b - a, c - a)

    @cached_property
    def flat(self) -> np.ndarray:
        """Return (m,) which faces have no area, relative to their size."""
        corners = self.vertices[self.faces]
        edges = np.square(corners - np.roll(corners, 1, axis=1)).sum(axis=2).max(axis=1)
        return np.asarray(length(self.crosses) <= FLAT * edges)

    @cached_property
    def _solid(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the faces (k, 3) that have an area, each once, and how often (k,) each occurs."""
        faces = self.faces[~self.flat]
        _, first, counts = np.unique(self._face_keys(faces), return_index=True, return_counts=True)
        order = np.argsort(first)
        return faces[first[order]], counts[order]

    @property
    def solid_faces(self) -> np.ndarray:
        """Return the faces (k, 3) that have an area, each set of three corners once."""
        return self._solid[0]

    @property
    def repeated(self) -> int:
        """Return the number of duplicate faces that have an area."""
        return int((self._solid[1] - 1).sum())

    def _face_keys(self, faces: np.ndarray) -> np.ndarray:
        a, b, c = np.sort(faces.astype(np.int64), axis=1).T
        count = len(self.vertices)
        if count < 2_000_000:  # three indices fit into 63 bits
            return np.asarray((a * count + b) * count + c)
        return np.unique(np.stack([a, b, c], axis=1), axis=0, return_inverse=True)[1].reshape(-1)

    @cached_property
    def edges(self) -> Edges:
        """Return the edges of the solid faces."""
        return Edges.of(self.solid_faces)

    @cached_property
    def components(self) -> np.ndarray:
        """Return the number (k,) of the connected component of every solid face."""
        faces = self.solid_faces
        labels = connected_faces(len(self.vertices), faces)
        return np.unique(labels[faces[:, 0]], return_inverse=True)[1].reshape(-1)

    @cached_property
    def is_closed(self) -> np.ndarray:
        """Return (c,) which components have exactly two faces at every edge."""
        count = int(self.components.max(initial=-1)) + 1
        closed = np.ones(count, dtype=bool)
        closed[self.components[self.edges.faces[self.edges.shared != 2]]] = False
        return closed

    @cached_property
    def is_wound(self) -> np.ndarray:
        """Return (c,) in which components no two faces use an edge in the same direction.

        For the others, even closed ones, the signed volume depends on the origin.
        """
        count = int(self.components.max(initial=-1)) + 1
        faces = self.solid_faces.astype(np.int64)
        steps = (faces * len(self.vertices) + np.roll(faces, -1, axis=1)).reshape(-1)
        _, place, uses = np.unique(steps, return_inverse=True, return_counts=True)
        twice = uses[place.reshape(-1)] > 1
        return np.asarray(np.bincount(np.repeat(self.components, 3), twice, minlength=count) == 0)

    @cached_property
    def volumes(self) -> np.ndarray:
        """Return the signed volume (c,) [m^3] of every component; means little for open ones."""
        count = int(self.components.max(initial=-1)) + 1
        a, b, c = (self.vertices[self.solid_faces[:, k]] for k in range(3))
        parts = dot(a, np.cross(b, c)) / 6
        return np.bincount(self.components, parts, minlength=count)

    @cached_property
    def inward(self) -> np.ndarray:
        """Return (c,) which closed components have inward faces.

        The inner wall of a hollow body is correctly wound inward; it is within the box of a
        component that is wound outward.
        """
        suspects = np.flatnonzero(self.is_closed & self.is_wound & (self.volumes < 0))
        found = np.zeros(len(self.volumes), dtype=bool)
        if not len(suspects):
            return found
        low, high = self._component_boxes()
        outer = np.flatnonzero(self.is_closed & (self.volumes > 0))
        for one in suspects:
            holds = (low[outer] <= low[one]).all(axis=1) & (high[outer] >= high[one]).all(axis=1)
            found[one] = not holds.any()
        return found

    @cached_property
    def inverted(self) -> np.ndarray:
        """Return (c,) which components are inside out; one with mixed winding is not."""
        doubled = np.bincount(self.components, self._solid[1] > 1, minlength=len(self.volumes))
        return np.asarray(self.inward & (doubled == 0))

    def _component_boxes(self) -> tuple[np.ndarray, np.ndarray]:
        shape = (len(self.volumes), 3)
        low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
        corners = self.vertices[self.solid_faces]
        np.minimum.at(low, self.components, corners.min(axis=1))
        np.maximum.at(high, self.components, corners.max(axis=1))
        return low, high

    @cached_property
    def outward_faces(self) -> np.ndarray:
        """Return the solid faces (k, 3), with those of inward components reversed."""
        turned = self.inward[self.components]
        return np.where(turned[:, None], self.solid_faces[:, ::-1], self.solid_faces)


def united(meshes: Sequence[trimesh.Trimesh]) -> LinkShape | None:
    """Return the meshes of one link as one shape; None if there is no triangle."""
    points, triangles = stacked(
        [np.asarray(mesh.vertices, dtype=float) for mesh in meshes],
        [np.asarray(mesh.faces) for mesh in meshes],
    )
    if not len(triangles):
        return None
    low = points.min(axis=0)
    width = max(float((points.max(axis=0) - low).max()), 1e-300)
    places = cells(points, low=low, width=width, steps=WELD_STEPS)
    first, inverse = np.unique(places, return_index=True, return_inverse=True)[1:]
    return LinkShape(points[first], inverse.reshape(-1)[triangles])
