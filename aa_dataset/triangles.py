# SPDX-License-Identifier: Apache-2.0
"""Welding and topology of triangles: places, edges, connected parts, closed surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components


def stacked(
    vertices: Sequence[np.ndarray], faces: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the points (n, 3) and triangles (m, 3) of several meshes as those of one."""
    starts = np.cumsum([0, *map(len, vertices)])
    moved = [np.asarray(f, dtype=np.int64) + at for f, at in zip(faces, starts[:-1], strict=True)]
    none = np.zeros((0, 3))
    return np.concatenate([none, *vertices]), np.concatenate([none.astype(np.int64), *moved])


def cells(points: np.ndarray, *, low: np.ndarray | float, width: float, steps: int) -> np.ndarray:
    """Return one number per point (n,), the same for points in one cell of a grid.

    Parameters
    ----------
    points : (n, 3) float
        In the cube of edge `width` above `low`.
    low : (3,) float or float
        Lowest corner of the grid.
    width : float
        Edge of the grid; it must be above zero.
    steps : int
        Cells along an edge, at most 2^21 - 1. Stages differ: `annotate` and `render` weld at 2^20,
        `verify` at 2^21 - 1, the digits of a GLB. What each finds depends on it.
    """
    x, y, z = np.rint((points - low) / width * steps).astype(np.int64).T
    return np.asarray((x << 42) + (y << 21) + z)


def unique_places(vertices: np.ndarray, owner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct places (k, 3) of every owner (n,), sorted, and the place of each vertex.

    Places are equal numbers: for vertices (n, 3) that are already on a grid.
    """
    keys = (*vertices.T[::-1], owner)
    order = np.lexsort(keys)
    differs = np.zeros(len(order), dtype=bool)
    for key in keys:
        differs[1:] |= np.diff(key[order]) != 0
    inverse = np.empty(len(order), dtype=np.int64)
    inverse[order] = np.cumsum(differs)
    differs[0] = True
    return vertices[order[differs]], inverse


def connected(count: int, *edges: np.ndarray) -> np.ndarray:
    """Return the connected component of every node (count,); edges are (k, 2).

    Components are numbered by their first node.
    """
    pairs = np.concatenate(edges)
    starts = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=count))])
    others = pairs[np.argsort(pairs[:, 0], kind="stable"), 1]
    graph = csr_matrix((np.ones(len(pairs), bool), others, starts), (count, count))
    return np.asarray(connected_components(graph, directed=False)[1].astype(np.int64))


def connected_faces(count: int, faces: np.ndarray) -> np.ndarray:
    """Return the component (count,) of every vertex; a triangle (m, 3) connects its corners."""
    return connected(count, faces[:, [0, 1]], faces[:, [1, 2]])


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Directed edges (3 m,) of faces, sorted so that those between the same vertices follow.

    Attributes
    ----------
    tails, heads : (3 m,) int
        Vertices.
    faces : (3 m,) int
        The face of every edge.
    number : (3 m,) int
        The undirected edge, by its vertices.
    shared : (3 m,) int
        How many faces have that edge.
    """

    tails: np.ndarray
    heads: np.ndarray
    faces: np.ndarray
    number: np.ndarray
    shared: np.ndarray

    @classmethod
    def of(cls, faces: np.ndarray, *, by_face: bool = False) -> Edges:
        """Return the edges of faces (m, 3).

        Parameters
        ----------
        faces : (m, 3) int
            Vertices of every face.
        by_face : bool
            Order of the edges between the same two vertices: by their faces, else by their place
            in the face. At an edge of three faces the neighbors differ, and with them the soft
            edges of previews and the rims of open shells.
        """
        ends = faces[:, [1, 2, 0]]
        if by_face:
            tails, heads = faces.reshape(-1), ends.reshape(-1)
            owners = np.repeat(np.arange(len(faces)), 3)
        else:
            tails, heads = faces.T.reshape(-1), ends.T.reshape(-1)
            owners = np.tile(np.arange(len(faces)), 3)
        low, high = np.minimum(tails, heads), np.maximum(tails, heads)
        key = low * (int(faces.max(initial=0)) + 1) + high
        order = np.argsort(key, kind="stable")
        number = np.cumsum(np.diff(key[order], prepend=-1) > 0) - 1
        shared = np.bincount(number)[number] if len(number) else number
        return cls(tails[order], heads[order], owners[order], number, shared)

    @property
    def uses(self) -> np.ndarray:
        """How many faces (e,) every undirected edge has."""
        return np.bincount(self.number)


def is_closed(faces: np.ndarray) -> bool:
    """Return whether every edge has exactly two faces, which use it in opposite directions."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    size = int(faces.max()) + 1
    there = np.sort(edges[:, 0] * size + edges[:, 1])
    back = np.sort(edges[:, 1] * size + edges[:, 0])
    return bool((there == back).all() and (there[1:] != there[:-1]).all())
