# SPDX-License-Identifier: Apache-2.0
"""Pieces of links between reading and writing: triangles of one look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aa_dataset.portable import applied, determinant, settled
from aa_dataset.triangles import stacked
from pipeline.shapes.pictures import Picture

Rgba = tuple[float, float, float, float]
DEFAULT_COLOR: Rgba = (0.7, 0.7, 0.7, 1.0)
# Texture coordinates keep this many decimals, in OBJ and GLB alike.
UV_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a piece: a color and, multiplied with it, a picture."""

    rgba: Rgba = DEFAULT_COLOR
    texture: Picture | None = None

    @property
    def is_translucent(self) -> bool:
        """Return whether it is translucent."""
        return self.rgba[3] < 1 or (self.texture is not None and self.texture.is_translucent)


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Triangles of one look: vertices (n, 3) [m], faces (m, 3), uv (n, 2), v upward, if any."""

    vertices: np.ndarray
    faces: np.ndarray
    look: Look = Look()
    uv: np.ndarray | None = None

    def moved(self, matrix: np.ndarray) -> Piece:
        """Return the piece after an affine map (4, 4); a reflection reverses the faces."""
        vertices = applied(matrix[:3, :3], self.vertices) + matrix[:3, 3]
        mirrored = determinant(matrix[:3, :3]) < 0
        faces = self.faces[:, ::-1] if mirrored else self.faces
        return Piece(vertices, faces, self.look, self.uv)

    def settled(self) -> Piece:
        """Return the piece with texture coordinates on their grid, or none without a picture."""
        if self.uv is None or self.look.texture is None:
            return replace(self, uv=None)
        return replace(self, uv=settled(self.uv, UV_DECIMALS))


def joined(pieces: Sequence[Piece], look: Look | None = None) -> Piece:
    """Return one piece of all triangles; with a given `look`, without texture coordinates."""
    vertices, faces = stacked([p.vertices for p in pieces], [p.faces for p in pieces])
    keeps_uv = look is None and pieces[0].uv is not None
    uv = np.concatenate([piece.uv for piece in pieces]) if keeps_uv else None
    return Piece(vertices, faces, look or pieces[0].look, uv)


def merged_by_look(pieces: Sequence[Piece]) -> dict[Look, Piece]:
    """Join the pieces of one look into one, in order of first use."""
    groups: dict[Look, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(piece.look, []).append(piece)
    return {look: joined(group) for look, group in groups.items()}


def places_by_look(pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    """Return for every piece the number of the one it is joined to by look, and its first face."""
    numbers: dict[Look, int] = {}
    faces: list[int] = []
    places = []
    for piece in pieces:
        number = numbers.setdefault(piece.look, len(numbers))
        faces += [0] * (number == len(faces))
        places.append((number, faces[number]))
        faces[number] += len(piece.faces)
    return places


def compacted(
    points: np.ndarray, corners: np.ndarray, uv: np.ndarray | None, uv_corners: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return vertices, faces and uv of triangles that index points and uv separately.

    Parameters
    ----------
    points : (n, 3) float [m]
        Points; those that no triangle uses are left out.
    corners : (m, 3) int
        Point of every corner.
    uv : (k, 2) float
        Texture coordinates.
    uv_corners : (m, 3) int
        Texture coordinates of every corner; -1, for a corner without any, becomes (0, 0).

    Returns
    -------
    vertices, faces, uv
        A point on a seam, which has several texture coordinates, becomes several vertices.
    """
    if uv is None or uv_corners is None:
        if corners.size < len(points) / 8:  # one of many groups: do not process all points for each
            used, faces = np.unique(corners, return_inverse=True)
            return points[used], faces.reshape(-1, 3), None
        is_used = np.zeros(len(points), dtype=bool)
        is_used[corners] = True
        return points[is_used], (np.cumsum(is_used) - 1)[corners], None
    count = len(uv) + 1  # -1 is the row after the last
    used, faces = np.unique(corners * count + uv_corners % count, return_inverse=True)
    places = used % count
    spots = uv[np.minimum(places, len(uv) - 1)]
    spots[places == len(uv)] = 0.0
    return points[used // count], faces.reshape(-1, 3), spots
