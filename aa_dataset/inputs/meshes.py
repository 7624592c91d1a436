# SPDX-License-Identifier: Apache-2.0
"""One mesh per state, which tells nothing of links: no names, no groups, no order.

Triangles are in a seeded order, and vertices in the order in which triangles first use them. The
order differs between the states: equal numbers would tell how every point moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.inputs.atlas import Atlas, pack
from aa_dataset.inputs.seeds import order
from aa_dataset.portable import applied, length
from aa_dataset.render.glb import Model

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MergedMesh:
    """All triangles of one state.

    Attributes
    ----------
    points : (n, 3) float32 [m]
        Object frame: z up, x front.
    faces : (m, 3) int
    uv : (n, 2) float32
        On the atlas, origin at the lower left.
    pieces : (m,) int
        The piece of the model that every triangle is of: truth, never written beside the mesh.
    """

    points: NDArray[np.float32]
    faces: NDArray[np.int64]
    uv: NDArray[np.float32]
    pieces: NDArray[np.int64]


def atlas_of(model: Model) -> Atlas:
    """Return the looks of an object on one picture."""
    counts = [len(piece.faces) for piece in model.pieces]
    look = np.repeat([piece.look for piece in model.pieces], counts)
    return pack(model.looks, look, _uv(model))


def _uv(model: Model) -> Array:
    """Return texture coordinates (f, 3, 2) of all triangles, 0 where a piece has none."""
    return np.concatenate(
        [
            np.zeros((len(piece.faces), 3, 2)) if piece.uv is None else piece.uv[piece.faces]
            for piece in model.pieces
        ]
    )


def merge(
    model: Model, poses: Array, atlas: Atlas, *, seed: int, words: Sequence[str]
) -> MergedMesh:
    """Return all pieces in one mesh, in a seeded order.

    Parameters
    ----------
    model : Model
    poses : (p, 4, 4) float [m]
        Displacement of every piece from rest.
    atlas : Atlas
        Of the same model.
    seed : int
    words : sequence of str
        What the order depends on besides the seed.
    """
    starts = np.cumsum([0, *(len(piece.points) for piece in model.pieces)])
    points = np.concatenate(
        [
            applied(pose[:3, :3], piece.points) + pose[:3, 3]
            for piece, pose in zip(model.pieces, poses, strict=True)
        ]
    )
    faces = np.concatenate(
        [piece.faces + at for piece, at in zip(model.pieces, starts[:-1], strict=True)]
    )
    pieces = np.repeat(np.arange(len(model.pieces)), [len(piece.faces) for piece in model.pieces])
    shuffled = order(len(faces), seed, *words)
    numbers, first = _renumbered(faces[shuffled], atlas.uv[shuffled].astype(np.float32))
    return MergedMesh(
        points[faces[shuffled].ravel()[first]].astype(np.float32),
        numbers,
        atlas.uv[shuffled].reshape(-1, 2)[first].astype(np.float32),
        pieces[shuffled],
    )


def _renumbered(
    faces: NDArray[np.int64], uv: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return faces (m, 3) in new numbers, and the corner (n,) that first uses each of them.

    A number is a distinct pair of vertex and texture coordinate; the first use comes first.
    """
    rows = np.column_stack([faces.ravel(), np.ascontiguousarray(uv).view(np.int32).reshape(-1, 2)])
    _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    ranked = np.argsort(first, kind="stable")
    rank = np.empty(len(first), np.int64)
    rank[ranked] = np.arange(len(first))
    return rank[inverse.ravel()].reshape(-1, 3), first[ranked]


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """Place and size of a mesh, from its vertices as they are written; all in meters.

    Attributes
    ----------
    center, extents : (3,) float
        Of the bounding box.
    radius : float
        Half of the box's diagonal.
    sphere_radius : float
        Distance of the farthest vertex from the center.
    centroid : (3,) float
        Mean of the vertices.
    farthest : float
        Distance of the farthest vertex from the centroid.
    """

    center: Array
    extents: Array
    radius: float
    sphere_radius: float
    centroid: Array
    farthest: float

    @classmethod
    def of(cls, points: NDArray[np.float32]) -> Extent:
        """Measure vertices (n, 3) [m]."""
        places = points.astype(np.float64)
        low, high = places.min(axis=0), places.max(axis=0)
        center, centroid = (low + high) / 2, places.mean(axis=0)
        return cls(
            center,
            high - low,
            float(length(high - low)) / 2,
            float(length(places - center).max()),
            centroid,
            float(length(places - centroid).max()),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers for JSON."""
        return {
            "center": (self.center + 0.0).tolist(),
            "extents": self.extents.tolist(),
            "radius": self.radius,
            "sphere_radius": self.sphere_radius,
            "centroid": self.centroid.tolist(),
            "farthest": self.farthest,
        }
