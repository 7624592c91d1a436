# SPDX-License-Identifier: Apache-2.0
"""The connected components of shapes, and their hulls: a thin box where one is flat.

A component that is closed, convex and not flat stays as it is: the source's own convex parts, and
ours when an object of the library is built again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, QhullError

from pipeline.normalize.pieces import Look, Piece, joined

# A component is flat when its thinnest direction is below this share of its widest one.
FLATNESS = 1e-4
# Smallest width of a part in steps of the grid, so that rounding cannot flatten it.
THINNEST_STEPS = 1e4
# A closed mesh with this share of its hull's volume and surface is convex, but for rounding.
CONVEX_SHARE = 0.999
# One that fills this share is not hollow.
HOLLOW_SHARE = 0.95
# The corners of a box by their binary numbers (x, y, z), and its triangles, outward.
_BOX_CORNERS = np.array([[n >> 2 & 1, n >> 1 & 1, n & 1] for n in range(8)], dtype=bool)
_BOX_FACES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
     (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A closed convex mesh: vertices (n, 3) [m] and faces (m, 3)."""

    vertices: np.ndarray
    faces: np.ndarray


def components(shapes: Sequence[Piece]) -> Iterator[Hull]:
    """Yield every connected component of every shape; vertices at one place count as one."""
    if not shapes:
        return
    whole = joined(shapes, Look())
    owner = np.repeat(np.arange(len(shapes)), [len(shape.vertices) for shape in shapes])
    places, inverse = unique_places(whole.vertices, owner)
    merged = inverse[whole.faces]
    pairs = np.concatenate([merged[:, :2], merged[:, 1:]])
    links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(places),) * 2)
    labels = connected_components(links, directed=False)[1][merged[:, 0]]
    order = np.argsort(labels, kind="stable")
    for group in np.split(merged[order], np.flatnonzero(np.diff(labels[order])) + 1):
        used, local = np.unique(group, return_inverse=True)
        yield Hull(places[used], local.reshape(-1, 3))


def unique_places(vertices: np.ndarray, owner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct places of every shape, sorted, and the place of every vertex."""
    keys = (*vertices.T[::-1], owner)
    order = np.lexsort(keys)
    differs = np.zeros(len(order), dtype=bool)
    for key in keys:
        differs[1:] |= np.diff(key[order]) != 0
    inverse = np.empty(len(order), dtype=np.int64)
    inverse[order] = np.cumsum(differs)
    differs[0] = True
    return vertices[order[differs]], inverse


def convex(part: Hull, decimals: int) -> Hull:
    """Return a component itself, its hull, or a box around it where it is flat."""
    points = part.vertices
    center, axes, widths = _principal(points)
    if _is_flat(widths, decimals) or len(points) < 4:
        return _thin_box(points, center, axes, decimals)
    try:
        hull = _outward(points, ConvexHull(points, qhull_options="QbB Pp Qt"))
    except QhullError:
        return _thin_box(points, center, axes, decimals)
    return part if _is_convex(part, hull) else hull


def may_be_hollow(part: Hull, hull: Hull, decimals: int) -> bool:
    """Tell whether a component may leave a notable part of its hull empty, at a glance."""
    if hull is part or _is_flat(_principal(part.vertices)[2], decimals):
        return False
    return _filled_share(part, hull) < HOLLOW_SHARE


def _principal(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return center (3,), principal axes (3, 3) by rows, the thin one first, and widths (3,)."""
    center = points.mean(axis=0)
    axes = np.linalg.eigh((points - center).T @ (points - center))[1].T
    return center, axes, np.ptp((points - center) @ axes.T, axis=0)


def _is_flat(widths: np.ndarray, decimals: int) -> bool:
    return bool(widths.min() < max(FLATNESS * widths.max(), THINNEST_STEPS * 10.0**-decimals))


def _is_convex(part: Hull, hull: Hull) -> bool:
    """Tell whether a component is closed and has the volume and the surface of its hull."""
    # A ring with walls that face the wrong way has too much of both.
    surplus = _area(part) / _area(hull) - 1
    return abs(surplus) <= 1 - CONVEX_SHARE and _filled_share(part, hull) >= CONVEX_SHARE


def _filled_share(part: Hull, hull: Hull) -> float:
    """Return how much of its hull a closed component fills; 0 for an open or a tangled one."""
    # qhull scales its input to a unit box, so its own volume is not the hull's.
    share = volume(part) / volume(hull) if _is_closed(part.faces) else 0.0
    return share if share <= 2 - CONVEX_SHARE else 0.0


def _is_closed(faces: np.ndarray) -> bool:
    """Tell whether every edge has exactly one other face, which runs along it the other way."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    size = int(faces.max()) + 1
    there = np.sort(edges[:, 0] * size + edges[:, 1])
    back = np.sort(edges[:, 1] * size + edges[:, 0])
    return bool((there == back).all() and (there[1:] != there[:-1]).all())


def volume(part: Hull) -> float:
    """Return the volume [m^3] that a closed mesh encloses."""
    corners = part.vertices[part.faces[:, 0]] - part.vertices[0]
    return float(np.einsum("ij,ij->", corners, _area_vectors(part.vertices, part.faces))) / 6


def _area(part: Hull) -> float:
    return float(np.linalg.norm(_area_vectors(part.vertices, part.faces), axis=1).sum()) / 2


def _area_vectors(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return twice the area times the normal of every face (m, 3)."""
    a, b, c = points[faces.T]
    (ux, uy, uz), (vx, vy, vz) = (b - a).T, (c - a).T
    return np.stack([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], axis=1)


def _outward(points: np.ndarray, hull: ConvexHull) -> Hull:
    """Return a hull's own vertices, and its faces turned outward: qhull winds them at random."""
    used, local = np.unique(hull.simplices, return_inverse=True)
    vertices, faces = points[used], local.reshape(-1, 3)
    normals = hull.equations[:, :3]
    inward = np.einsum("ij,ij->i", _area_vectors(vertices, faces), normals) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Hull(vertices, faces)


def _thin_box(points: np.ndarray, center: np.ndarray, axes: np.ndarray, decimals: int) -> Hull:
    """Return the smallest box in the plane of flat points (axes: the thin one first), padded."""
    axes = _plane_axes((points - center) @ axes.T, axes)
    local = (points - center) @ axes.T
    lower, upper = local.min(axis=0), local.max(axis=0)
    thinnest = 2 * THINNEST_STEPS * 10.0**-decimals
    width = max(10 * FLATNESS * float((upper - lower).max()), thinnest)
    thin = np.maximum(width - (upper - lower), 0.0) / 2
    corners = np.where(_BOX_CORNERS, upper + thin, lower - thin)
    faces = _BOX_FACES[:, ::-1] if np.linalg.det(axes) < 0 else _BOX_FACES
    vertices = np.round(corners @ axes + center, decimals) + 0.0
    order = np.lexsort(vertices.T[::-1])
    return Hull(vertices[order], np.argsort(order)[faces])


def _plane_axes(local: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Turn the axes within the plane of flat points, so that the box around them is smallest.

    Principal axes of a square are any; without this its box would stand askew.
    """
    try:
        edges = ConvexHull(local[:, 1:], qhull_options="QbB Pp")
    except (QhullError, ValueError):
        return axes  # on a line, or a single point
    normals = edges.equations[:, :2]
    turned = np.stack([normals, normals[:, ::-1] * [-1, 1]], axis=1)
    areas = np.ptp(local[edges.vertices][:, 1:] @ turned.transpose(0, 2, 1), axis=1).prod(axis=1)
    # Among equal boxes the first by a rounded area, so that the last bits do not choose.
    best = turned[int(np.argmin(np.round(areas / areas.min(), 6)))]
    return np.concatenate([axes[:1], best @ axes[1:]])
