# SPDX-License-Identifier: Apache-2.0
"""Cleans a link's triangles: welds them, removes duplicates, splits them into oriented shells.

Everything here is in units of the link's own box diagonal, about the center of its box, so that
no threshold and no rounding depends on the size of an object or on its distance from an origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import trimesh

from aa_dataset.portable import length
from aa_dataset.triangles import Edges, cells, connected, connected_faces, stacked
from pipeline.stages.annotate.loops import find_loops
from pipeline.stages.annotate.moments import triangle_areas

# Vertices closer than this share of the diagonal are one: 2^20 steps, below what six digits hold.
WELD_STEPS = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class Rims:
    """Directed edges at which shells end, each to be walked backward to close its shell.

    Attributes
    ----------
    tails, heads : (k,) int
        Vertices; an edge that is open twice is listed twice.
    shells, faces : (k,) int
        The shell that ends there, and the face at the edge.
    loops : (k,) int
        Connected edges of one shell share a number.
    """

    tails: np.ndarray
    heads: np.ndarray
    shells: np.ndarray
    faces: np.ndarray
    loops: np.ndarray

    def kept(self, chosen: np.ndarray) -> Rims:
        """Return some of the edges (k,) bool, with loops that are numbered anew."""
        loops = np.unique(self.loops[chosen], return_inverse=True)[1].reshape(-1)
        tails, heads = self.tails[chosen], self.heads[chosen]
        return Rims(tails, heads, self.shells[chosen], self.faces[chosen], loops)


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Clean triangles of one link.

    Attributes
    ----------
    vertices : (n, 3) float
        In units of `length`, about `center`.
    faces : (m, 3) int
        Without repeats; those of one shell face one way wherever that is possible.
    shells : (m,) int
        Number of the shell: faces connected by edges that exactly two of them share.
    rims : Rims
        Where shells are open.
    drawn : tuple of (f,) int
        The shell of every triangle of every mesh as it was drawn, for what the file itself closes;
        that of its first copy for a repeated one. Otherwise -1.
    center : (3,) float [m]
        Of the link's box, object frame.
    length : float [m]
        Diagonal of the link's box.
    """

    vertices: np.ndarray
    faces: np.ndarray
    shells: np.ndarray
    rims: Rims
    drawn: tuple[np.ndarray, ...]
    center: np.ndarray
    length: float

    @property
    def corners(self) -> np.ndarray:
        """The triangles (m, 3, 3)."""
        return np.asarray(self.vertices[self.faces])

    @property
    def count(self) -> int:
        """How many shells there are."""
        return int(self.shells.max()) + 1 if len(self.shells) else 0

    def without(self, left_out: np.ndarray) -> Surface:
        """Return the surface without some shells (n,) bool; it keeps its units."""
        if not left_out.any():
            return self
        kept = ~left_out[self.shells]
        number, face = np.cumsum(~left_out) - 1, np.cumsum(kept) - 1
        rims = self.rims.kept(~left_out[self.rims.shells])
        rims = replace(rims, shells=number[rims.shells], faces=face[rims.faces])
        drawn = tuple(np.append(np.where(left_out, -1, number), -1)[one] for one in self.drawn)
        return replace(
            self, faces=self.faces[kept], shells=number[self.shells[kept]], rims=rims, drawn=drawn
        )


def clean_surface(meshes: Sequence[trimesh.Trimesh]) -> Surface | None:
    """Return the clean surface of a link, or None if nothing has an extent.

    A shell that is closed by the file's own vertices is kept, so that two touching parts stay two
    parts. All other triangles are welded by position, across meshes.
    """
    points, faces = stacked(
        [np.asarray(mesh.vertices, dtype=float) for mesh in meshes],
        [np.asarray(mesh.faces) for mesh in meshes],
    )
    if not len(faces):
        return None
    used = points[np.unique(faces)]
    lower, upper = used.min(axis=0), used.max(axis=0)
    diagonal = float(length(upper - lower))
    if not diagonal > 0:
        return None
    center = (lower + upper) / 2
    points = (points - center) / diagonal
    vertices, faces, groups = _welded(points, faces)
    faces, shells, rims = _oriented(vertices, faces)
    ends = np.cumsum([len(mesh.faces) for mesh in meshes])[:-1]
    drawn = tuple(np.split(_drawn_shells(groups, shells), ends))
    return Surface(vertices, faces, shells, rims, drawn, center, diagonal)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The parts that the file itself connects.

    `drawn` (f,) has the part of every triangle as drawn, the first copy for a repeated part;
    `kept` (k,) that of the first k triangles after welding, which are those of closed parts.
    """

    drawn: np.ndarray
    kept: np.ndarray
    count: int


def _welded(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, _Groups]:
    """Weld within what the file connects where that is closed, and by place alone elsewhere."""
    place = _places(points)
    part = connected_faces(len(points), faces)
    first, own = np.unique(part * len(points) + place, return_index=True, return_inverse=True)[1:]
    inner, group = own[faces], part[faces[:, 0]]
    sound = _has_three_corners(inner)
    closed = _closed_groups(inner[sound], group[sound], int(part.max()) + 1)
    copied = _first_copies(np.sort(place[faces], axis=1), group, len(closed))
    is_kept = sound & (closed & (copied == np.arange(len(copied))))[group]
    kept, groups = inner[is_kept], _Groups(copied[group], group[is_kept], len(closed))
    pool = place[faces[~closed[group]]]
    if not len(pool):
        return points[first], kept, groups
    pool = pool[_has_three_corners(pool)]
    pool = pool[np.sort(np.unique(np.sort(pool, axis=1), axis=0, return_index=True)[1])]
    where = np.zeros((int(place.max()) + 1, 3))
    where[place] = points
    vertices = np.concatenate([points[first], where])
    return vertices, np.concatenate([kept, pool + len(first)]), groups


def _drawn_shells(groups: _Groups, shells: np.ndarray) -> np.ndarray:
    """Return the shell (f,) of every drawn triangle; -1 if its part is not exactly one shell."""
    own = shells[: len(groups.kept)]
    found = np.full(groups.count, -1)
    found[groups.kept] = own
    found[groups.kept[found[groups.kept] != own]] = -1
    return np.asarray(found[groups.drawn])


def _places(points: np.ndarray) -> np.ndarray:
    """Return a number per vertex (n,), the same for those at one place."""
    keys = cells(points, low=-0.5, width=1.0, steps=WELD_STEPS)
    return np.unique(keys, return_inverse=True)[1]


def _has_three_corners(faces: np.ndarray) -> np.ndarray:
    a, b, c = faces.T
    return np.asarray((a != b) & (b != c) & (c != a))


def _closed_groups(faces: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """Return for every group (count,) whether each of its edges belongs to exactly two faces."""
    edges = Edges.of(faces)
    closed = np.zeros(count, bool)
    closed[groups] = True
    closed[groups[edges.faces[edges.shared != 2]]] = False
    return closed


def _first_copies(triples: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """Return for every group (count,) the first with the same triangles, in any orientation.

    Sums of hashes do not depend on the order of triangles; two 64-bit sums that agree by chance
    are rarer than a wrong bit in memory.
    """
    a, b, c = triples.astype(np.uint64).T
    mixed = (a * np.uint64(0x9E3779B97F4A7C15)) ^ (b * np.uint64(0xC2B2AE3D27D4EB4F))
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + c
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    sums = np.zeros(count, np.uint64)
    np.add.at(sums, groups, mixed ^ (mixed >> np.uint64(29)))
    first, copy = np.unique(sums, return_index=True, return_inverse=True)[1:]
    return np.asarray(first[copy])


def _oriented(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, Rims]:
    """Split into shells, orient faces consistently, and list the rims."""
    edges = Edges.of(faces)
    twice = np.flatnonzero(edges.shared == 2)
    one, two = twice[::2], twice[1::2]
    pairs = np.column_stack([edges.faces[one], edges.faces[two]])
    shells = connected(len(faces), pairs)
    opposed = edges.tails[one] == edges.tails[two]  # neighbors use their edge in the same direction
    signs = np.ones(len(faces))
    if opposed.any():
        weights = triangle_areas(vertices[faces])
        signs = _agreeing_signs(pairs, opposed, shells, weights)
    turned = np.where((signs < 0)[:, None], faces[:, ::-1], faces)
    return turned, shells, _rims(vertices, edges, signs, shells)


def _agreeing_signs(
    pairs: np.ndarray, opposed: np.ndarray, shells: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return +1 or -1 per face so that neighbors agree; most of a shell's area is unchanged.

    Every face is two nodes, itself and its reverse, and neighbors connect the nodes that agree: a
    shell falls into two mirrored halves. A one-sided shell does not, and stays as it is.
    """
    count = len(weights)
    same, other = pairs[~opposed], pairs[opposed]
    crossed = [other + np.array(shift) for shift in ((0, count), (count, 0))]
    halves = connected(2 * count, same, same + count, *crossed)
    front, back = halves[:count], halves[count:]
    chosen = np.zeros(int(shells.max()) + 1, np.int64)
    chosen[shells[::-1]] = front[::-1]
    signs = np.where((front == chosen[shells]) | (front == back), 1.0, -1.0)
    mostly = np.bincount(shells, signs * weights)[shells]
    return np.where(mostly < 0, -signs, signs)


def _rims(vertices: np.ndarray, edges: Edges, signs: np.ndarray, shells: np.ndarray) -> Rims:
    """Return the edges of shells that opposite edges do not cancel."""
    along = np.where(edges.tails < edges.heads, 1, -1) * signs[edges.faces].astype(np.int64)
    balance = np.bincount(edges.number, along)[edges.number] if len(along) else along
    loose = np.flatnonzero((edges.shared != 2) | (balance != 0))
    shell = shells[edges.faces[loose]]
    key = edges.number[loose] * (int(shells.max(initial=0)) + 1) + shell
    first, group = np.unique(key, return_index=True, return_inverse=True)[1:]
    net = np.bincount(group, along[loose], minlength=len(first)).astype(np.int64)
    at = np.repeat(loose[first], np.abs(net))
    forward = np.repeat(net > 0, np.abs(net))
    low, high = np.minimum(edges.tails, edges.heads)[at], np.maximum(edges.tails, edges.heads)[at]
    tails, heads = np.where(forward, low, high), np.where(forward, high, low)
    face = edges.faces[at]
    loops = find_loops(vertices, tails, heads, shells[face])
    return Rims(tails, heads, shells[face], face, loops)
