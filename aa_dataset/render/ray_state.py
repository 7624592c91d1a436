# SPDX-License-Identifier: Apache-2.0
"""One state of an object for ray casting, and where rays from the camera meet it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aa_dataset.render import look

Array = NDArray[np.float32]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
Hits = Callable[[Array, Array], Indices]
Key = tuple[bytes, int, int, bool]


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """The faces of one kind in one state.

    Attributes
    ----------
    hits : function of (n, 3) origins and (n, 3) directions
        Returns the (n,) index of the first triangle hit, -1 for none.
    rows : (k,) int
        Faces of the object by that index.
    turn : (3, 3) float
        Axes of the object in the camera's frame, as rows. The tree has boxes along these axes, as
        most walls are: rays meet about half as many boxes as in the camera's frame.
    """

    hits: Hits
    rows: Indices
    turn: Array

    def first(self, origins: Array, rays: Array) -> Indices:
        """Return the faces (n,) of the object that rays hit first, -1 for none."""
        found = self.hits(origins @ self.turn.T, rays @ self.turn.T)
        return np.where(found >= 0, self.rows[found], -1)


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """Where rays meet faces.

    Attributes
    ----------
    face : (n,) int
    weights : (n, 3) float
        Of the face's corners.
    normal : (n, 3) float
        On the viewer's side, object frame.
    depth, diffuse, specular : (n,) float
        Along the view direction; light.
    """

    face: Indices
    weights: Array
    normal: Array
    depth: Array
    diffuse: NDArray[np.floating]
    specular: NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """Which rays meet opaque faces: those that look the same all over, and others.

    Attributes
    ----------
    plain, other : (k,) int
        Rays.
    face : (k,) int
        Of the rays `plain`.
    meeting : Meeting
        Of the rays `other`.
    """

    plain: Indices
    face: Indices
    other: Indices
    meeting: Meeting


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """An object in one state, in the camera's frame, lengths in its distance.

    Attributes
    ----------
    key : tuple
        Poses, camera, pixels and whether transparent faces are painted.
    solid, glass : Faces or None
    seen : (f,) bool
        Faces that are not hidden from behind.
    spots : (f, 3, 2) float
        Positions of the corners in pixels.
    ahead : (f, 3) float
        Times a ray it gives the inverse depth of the face.
    edge_planes : (f, 3, 3) float
        Cross products of corner pairs; times a ray they give barycentric weights.
    depths : (f, 3) float
        Distances of the corners along the view direction.
    normals, colors : (f, 3, k) float
        Normals in the object frame.
    texture : (f,) int
    plain : (f,) bool
        Faces of one normal and one color: all of such a face looks the same.
    facing : (f, 3) float
        Normal of the first corner, on the viewer's side.
    tint : (f, 4) float
        Lit color of plain faces.
    half : float
        Tangent of half the angle of view.
    pane : (pixels, pixels) bool, optional
        Pixels that may show transparent faces.
    known : mapping of str to Met
        What rays of a name have met of the opaque faces.
    """

    key: Key
    solid: Faces | None
    glass: Faces | None
    seen: Mask
    spots: NDArray[np.float64]
    ahead: Array
    edge_planes: Array
    depths: Array
    normals: Array
    colors: Array
    texture: Indices
    plain: Mask
    facing: Array
    tint: Array
    half: float
    pane: Mask | None
    known: dict[str, Met] = field(default_factory=dict)

    def through(self, rays: Array) -> Indices:
        """Return which rays (n, 3) may meet a transparent face."""
        if self.pane is None:
            return np.zeros(0, dtype=np.int64)
        pixels = len(self.pane)
        spots = np.rint((rays[:, :2] * (1, -1) / self.half + 1) * (pixels / 2) - 0.5)
        column, row = np.clip(spots, 0, pixels - 1).astype(np.int64).T
        return np.flatnonzero(self.pane[row, column])


def met_by(state: State, first: Indices, rays: Array) -> Met:
    """Return what rays (n, 3) meet whose first opaque faces (n,) are known, -1 for none."""
    hit = np.flatnonzero(first >= 0)
    face = first[hit]
    plain = state.plain[face]
    other = hit[~plain]
    return Met(hit[plain], face[plain], other, meet(state, first[other], rays[other]))


def tell(state: State, met: Met, rays: Array, maps: tuple[Indices, Array, Array]) -> None:
    """Write the faces, normals and depths of rays that meet opaque faces, in place."""
    face, normal, depth = maps
    one = met.meeting
    face[met.other], normal[met.other], depth[met.other] = one.face, one.normal, one.depth
    face[met.plain], normal[met.plain] = met.face, state.facing[met.face]
    x, y, z = (state.ahead[met.face] * rays[met.plain]).T
    depth[met.plain] = 1 / (x + y + z)


def meet(state: State, face: Indices, rays: Array) -> Meeting:
    """Return where rays (n, 3) meet the planes of faces (n,)."""
    weights = np.einsum("nij,nj->ni", state.edge_planes[face], rays)
    facing = weights[:, 0] + weights[:, 1] + weights[:, 2]
    weights /= np.where(np.abs(facing) > 1e-30, facing, 1e-30)[:, None]
    np.clip(weights, 0, 1, out=weights)
    normal = np.einsum("ni,nij->nj", weights, state.normals[face])
    # The same sum gives the side: a ray against the face's winding hits its front.
    length = np.sqrt(np.einsum("ni,ni->n", normal, normal)) * np.where(facing < 0, 1, -1)
    normal /= np.where(length == 0, 1, length)[:, None]
    depth = np.einsum("ni,ni->n", weights, state.depths[face])
    return Meeting(face, weights, normal, depth, *look.light(normal))
