# SPDX-License-Identifier: Apache-2.0
"""The connected components of shapes, and their hulls: a thin box where one is flat.

A closed, convex component that is not flat is unchanged: the source's own convex parts, and ours
if an object of the library is built again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np
from scipy.spatial import ConvexHull

from aa_dataset.portable import (
    applied,
    determinant,
    dot,
    length,
    product,
    second_moments,
    settled,
    symmetric_eigen,
)
from aa_dataset.triangles import connected_faces, is_closed, unique_places
from pipeline.shapes.hulls import SCALED, hull_of
from pipeline.shapes.pieces import Look, Piece, joined

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


@dataclass(frozen=True, eq=False)
class CollisionMesh:
    """A component or its hull: vertices (n, 3) [m] and triangles `faces` (m, 3)."""

    vertices: np.ndarray
    faces: np.ndarray

    @cached_property
    def principal(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return center (3,), axes (3, 3) by rows, the thin one first, and widths (3,)."""
        return _principal(self.vertices)

    @cached_property
    def volume(self) -> float:
        """Return the volume [m^3] that a closed mesh encloses."""
        return float(_kernels().six_volumes(*self._arrays).sum()) / 6

    @cached_property
    def area(self) -> float:
        """Return the area [m^2]."""
        return float(_kernels().double_areas(*self._arrays).sum()) / 2

    @property
    def _arrays(self) -> tuple[np.ndarray, np.ndarray]:
        vertices = np.ascontiguousarray(self.vertices, dtype=float)
        return vertices, np.ascontiguousarray(self.faces, dtype=np.int64)

    @cached_property
    def hull(self) -> CollisionMesh | None:
        """Return the hull; None if the vertices are flat, or too few."""
        found = hull_of(self.vertices, options=SCALED) if len(self.vertices) > 3 else None
        return None if found is None else _own(found)


def components(shapes: Sequence[Piece]) -> Iterator[CollisionMesh]:
    """Yield every connected component of every shape; vertices at one place count as one."""
    if not shapes:
        return
    whole = joined(shapes, Look())
    owner = np.repeat(np.arange(len(shapes)), [len(shape.vertices) for shape in shapes])
    places, inverse = unique_places(whole.vertices, owner)
    merged = inverse[whole.faces]
    labels = connected_faces(len(places), merged)[merged[:, 0]]
    order = np.argsort(labels, kind="stable")
    for group in np.split(merged[order], np.flatnonzero(np.diff(labels[order])) + 1):
        used, local = np.unique(group, return_inverse=True)
        yield CollisionMesh(places[used], local.reshape(-1, 3))


def convex(part: CollisionMesh, decimals: int) -> CollisionMesh:
    """Return a component itself, its hull, or a box around it if it is flat."""
    hull = _hull_or_box(part, decimals)
    return part if _is_convex(part, hull) else hull


def convex_around(points: np.ndarray, decimals: int) -> CollisionMesh:
    """Return the hull of points (n, 3), or a box around them if they are flat."""
    return _hull_or_box(CollisionMesh(points, np.zeros((0, 3), np.int64)), decimals)


def _hull_or_box(part: CollisionMesh, decimals: int) -> CollisionMesh:
    if part.hull is None or is_flat(part, decimals):
        center, axes, _ = part.principal
        return _thin_box(part.vertices, center, axes, decimals)
    return part.hull


def is_flat(part: CollisionMesh, decimals: int) -> bool:
    """Return whether a component is thinner than its parts may be."""
    thinnest = THINNEST_STEPS * 10.0**-decimals
    if part.hull is not None:
        # A hull of this volume has no thinner direction, which spares the principal axes.
        widest = float(length(np.ptp(part.hull.vertices, axis=0)))
        if volume(part.hull) > 2 * max(FLATNESS * widest, thinnest) * widest * widest:
            return False
    widths = part.principal[2]
    return bool(widths.min() < max(FLATNESS * widths.max(), thinnest))


def may_be_hollow(part: CollisionMesh, hull: CollisionMesh, decimals: int) -> bool:
    """Return whether a component may leave much of its hull empty, by a quick test."""
    if hull is part or is_flat(part, decimals):
        return False
    return _filled_share(part, hull) < HOLLOW_SHARE


def thickened(part: CollisionMesh, decimals: int) -> CollisionMesh:
    """Return a flat component that does not fill its outline, such as a frame, as a thin slab."""
    points = part.vertices
    if len(points) < 4 or not is_flat(part, decimals):
        return part
    center, axes, widths = part.principal
    faces = np.unique(np.sort(part.faces, axis=1), axis=0)
    outline = hull_of(applied(axes[1:], points - center))
    if outline is None:
        return part  # on a line
    if CollisionMesh(points, faces).area >= HOLLOW_SHARE * outline.volume:
        return part
    shift = _thickness(widths, decimals) / 2 * axes[0]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [0, 2]]])
    rim, uses = np.unique(edges, axis=0, return_counts=True)
    (a, b), n = rim[uses == 1].T, len(points)
    sides = np.concatenate([np.stack([a, b, b + n], axis=1), np.stack([a, b + n, a + n], axis=1)])
    both = settled(np.concatenate([points - shift, points + shift]), decimals)
    places, place = unique_places(both, np.zeros(len(both)))
    return CollisionMesh(places, place[np.concatenate([faces, faces[:, ::-1] + n, sides])])


def _principal(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return center (3,), axes (3, 3) by rows, the thin one first, and widths (3,) along them.

    Only the thin axis comes from the points; the other axes and signs of a linear algebra library
    depend on the processor.
    """
    center = points.mean(axis=0)
    thin = symmetric_eigen(second_moments(points - center))[1][:, 0]
    thin = settled(thin, 9)
    thin = thin / length(thin)
    thin = thin * (1 if thin[int(np.argmax(settled(np.abs(thin), 6)))] > 0 else -1)
    second = np.eye(3)[int(np.argmin(settled(np.abs(thin), 6)))]
    second = second - dot(second, thin) * thin
    second = second / length(second)
    axes = np.stack([thin, second, np.cross(thin, second)])
    return center, axes, np.ptp(applied(axes, points - center), axis=0)


def _thickness(widths: np.ndarray, decimals: int) -> float:
    """Return the thickness [m] of a flat part."""
    return max(10 * FLATNESS * float(widths.max()), 2 * THINNEST_STEPS * 10.0**-decimals)


def _is_convex(part: CollisionMesh, hull: CollisionMesh) -> bool:
    """Return whether a component is closed and has the volume and the area of its hull."""
    # A ring with walls that face the wrong way has too much of both.
    surplus = part.area / hull.area - 1
    return abs(surplus) <= 1 - CONVEX_SHARE and _filled_share(part, hull) >= CONVEX_SHARE


def _filled_share(part: CollisionMesh, hull: CollisionMesh) -> float:
    """Return how much of its hull a closed component fills; 0 for an open or a tangled one."""
    # qhull scales its input to a unit box, so its own volume is not the hull's.
    share = volume(part) / volume(hull) if is_closed(part.faces) else 0.0
    return share if share <= 2 - CONVEX_SHARE else 0.0


def volume(part: CollisionMesh) -> float:
    """Return the volume [m^3] that a closed mesh encloses."""
    return part.volume


def _kernels() -> ModuleType:
    """Return the compiled loops; numba is imported here on first use, because it takes 0.3 s."""
    from pipeline.stages.annotate.collision import faces

    return faces


def _own(hull: ConvexHull) -> CollisionMesh:
    """Return a hull with no other vertices than its own."""
    return CollisionMesh(*_kernels().own_corners(hull.points, hull.simplices, hull.equations))


def _thin_box(
    points: np.ndarray, center: np.ndarray, axes: np.ndarray, decimals: int
) -> CollisionMesh:
    """Return the smallest box in the plane of flat points (axes: the thin one first), padded."""
    axes = _plane_axes(applied(axes, points - center), axes)
    local = applied(axes, points - center)
    lower, upper = local.min(axis=0), local.max(axis=0)
    thin = np.maximum(_thickness(upper - lower, decimals) - (upper - lower), 0.0) / 2
    corners = np.where(_BOX_CORNERS, upper + thin, lower - thin)
    faces = _BOX_FACES[:, ::-1] if determinant(axes) < 0 else _BOX_FACES
    vertices = settled(applied(axes.T, corners) + center, decimals)
    order = np.lexsort(vertices.T[::-1])
    return CollisionMesh(vertices[order], np.argsort(order)[faces])


def _plane_axes(local: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Rotate the axes within the plane of flat points, so that the box around them is smallest.

    The principal axes of a square are arbitrary; without this its box could be rotated.
    """
    outline = hull_of(local[:, 1:], options=SCALED)
    if outline is None:
        return axes  # on a line, or a single point
    corners = local[outline.vertices][:, 1:]
    edges = np.roll(corners, -1, axis=0) - corners
    edges = edges / length(edges)[:, None]
    turned = np.stack([edges, edges[:, ::-1] * [-1, 1]], axis=1)
    areas = np.ptp(product(turned, corners.T), axis=2).prod(axis=1)
    # Areas are rounded, so that the first of equal boxes is chosen on every machine.
    best = turned[int(np.argmin(settled(areas / areas.min(), 6)))]
    return np.concatenate([axes[:1], product(best, axes[1:])])
