# SPDX-License-Identifier: Apache-2.0
"""The shapes of the vocabulary: each is a closed solid, centered on the origin.

Every function takes the dimensions first, in meters, and the material second. Round things stand
along z; `Shape.along` lays them down.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aa_dataset.portable import cos, dot, length, sin
from pipeline.generate.errors import AuthoringError
from pipeline.generate.polygons import Array, Outline, circle, rectangle, rounded_rectangle
from pipeline.generate.shape import Shape
from pipeline.generate.triangulate import triangulate

SEGMENTS = 28


def box(size: Sequence[float], material: str) -> Shape:
    """Make a box of extents (x, y, z)."""
    return extrude(rectangle(size[0], size[1]), material, height=size[2])


def rounded_box(size: Sequence[float], material: str, *, radius: float, steps: int = 3) -> Shape:
    """Make a box of extents (x, y, z) whose edges and corners are all rounded."""
    half = np.asarray(size, dtype=float) / 2 - radius
    if radius <= 0 or half.min() <= 0:
        raise AuthoringError(f"A radius of {radius:g} m does not fit a box of {tuple(size)} m.")
    quarter = np.linspace(0, math.pi / 2, steps + 1)
    polar = np.concatenate((quarter, quarter + math.pi / 2))[:, None]
    around = np.concatenate([quarter + k * math.pi / 2 for k in range(4)])
    quadrant = np.repeat(math.pi / 4 + np.arange(4) * math.pi / 2, steps + 1)
    up = np.where(np.arange(len(polar)) <= steps, 1.0, -1.0)[:, None]
    rings = np.stack(
        np.broadcast_arrays(
            radius * sin(polar) * cos(around) + half[0] * np.sign(cos(quadrant)),
            radius * sin(polar) * sin(around) + half[1] * np.sign(sin(quadrant)),
            radius * cos(polar) + half[2] * up,
        ),
        axis=-1,
    )
    index = np.arange(rings[..., 0].size).reshape(rings.shape[:2])
    for row in (0, -1):  # at a pole each quadrant shrinks to one corner of the flat face
        index[row] = np.repeat(index[row, :: steps + 1], steps + 1)
    return _cover_rings(rings, material, index=index)


def plate(size: Sequence[float], material: str, *, radius: float, steps: int = 4) -> Shape:
    """Make a box of extents (x, y, z) whose four vertical edges are rounded."""
    outline = rounded_rectangle(size[0], size[1], radius=radius, steps=steps)
    return extrude(outline, material, height=size[2])


def cylinder(size: Sequence[float], material: str, *, segments: int = SEGMENTS) -> Shape:
    """Make a cylinder of (radius, height)."""
    radius, height = size
    return lathe([(radius, -height / 2), (radius, height / 2)], material, segments=segments)


def cone(size: Sequence[float], material: str, *, segments: int = SEGMENTS) -> Shape:
    """Make a cone or its frustum of (bottom radius, top radius, height)."""
    bottom, top, height = size
    return lathe([(bottom, -height / 2), (top, height / 2)], material, segments=segments)


def sphere(radius: float, material: str, *, segments: int = 20) -> Shape:
    """Make a ball."""
    return capsule((radius, 0.0), material, segments=segments)


def capsule(size: Sequence[float], material: str, *, segments: int = 20) -> Shape:
    """Make a cylinder of (radius, straight length) with a half ball on both ends."""
    radius, straight = size
    steps = max(segments // 2, 4)
    steps -= steps % 2
    angles = np.linspace(-math.pi / 2, math.pi / 2, steps + 1)
    profile = [
        (radius * math.cos(a), radius * math.sin(a) + math.copysign(straight / 2, a))
        for a in angles
        if abs(a) > 1e-9 or straight == 0
    ]
    if straight > 0:
        profile[steps // 2 : steps // 2] = [(radius, -straight / 2), (radius, straight / 2)]
    profile[0], profile[-1] = (0.0, profile[0][1]), (0.0, profile[-1][1])
    return lathe(profile, material, segments=segments)


def tube(size: Sequence[float], material: str, *, segments: int = SEGMENTS) -> Shape:
    """Make a pipe of (outer radius, inner radius, height), open at both ends."""
    outer, inner, height = size
    low, high = -height / 2, height / 2
    profile = [(outer, low), (outer, high), (inner, high), (inner, low)]
    return lathe(profile, material, segments=segments, ring=True)


def torus(size: Sequence[float], material: str, *, segments: int = SEGMENTS) -> Shape:
    """Make a ring of (radius of the center line, radius of the section) about z."""
    major, minor = size
    profile = circle(minor, segments=12, center=(major, 0))
    return lathe(profile, material, segments=segments, ring=True)


def lathe(
    profile: Outline, material: str, *, segments: int = SEGMENTS, ring: bool = False
) -> Shape:
    """Turn a profile about z.

    Parameters
    ----------
    profile : (n, 2) float [m]
        Points (radius, z), radius >= 0, from the bottom end along the outside to the last point;
        a hollow vessel comes back down on its inside. Ends off the axis are closed by a disk.
    material : str
        A name of the palette.
    segments : int
        Edges per turn.
    ring : bool
        Whether the last point joins the first, which leaves a hole along the axis.
    """
    points = np.asarray(profile, dtype=float)
    if points.ndim != 2 or points[:, 0].min() < 0:
        raise AuthoringError("A lathe profile is a list of (radius, z) with radius >= 0.")
    rim = circle(1.0, segments=segments)
    rings = np.empty((len(points), segments, 3))
    rings[..., :2] = points[:, :1, None] * rim
    rings[..., 2] = points[:, 1:]
    index = np.arange(len(points) * segments).reshape(len(points), segments)
    on_axis = points[:, 0] < 1e-9
    index[on_axis] = index[on_axis, :1]
    return _cover_rings(rings, material, index=index, joined=ring)


def loft(rings: Sequence[Outline], material: str) -> Shape:
    """Make a solid through a stack of (n, 3) loops with equal counts; both ends get flat caps.

    A vessel is a loft that goes up outside and comes down inside. Caps must be star-shaped as
    seen from their first corner.
    """
    return _cover_rings(np.array([np.asarray(r, dtype=float) for r in rings]), material)


def tray(size: Sequence[float], material: str, *, wall: float, floor: float | None = None) -> Shape:
    """Make a box of extents (x, y, z), open on top, with walls and a floor of given thickness."""
    x, y, z = size
    floor = wall if floor is None else floor
    if 2 * wall >= min(x, y) or floor >= z:
        raise AuthoringError(f"Walls of {wall:g} m leave no hollow in a tray of {tuple(size)} m.")
    outer, inner = rectangle(x, y), rectangle(x - 2 * wall, y - 2 * wall)
    return vessel(outer, inner, material, height=z, floor=floor)


def vessel(outer: Outline, inner: Outline, material: str, *, height: float, floor: float) -> Shape:
    """Make a straight-walled vessel, open on top, between two outlines with equal counts."""
    low, high = -height / 2, height / 2
    levels = ((outer, low), (outer, high), (inner, high), (inner, low + floor))
    return loft([_outline_at_height(np.asarray(o, dtype=float), z) for o, z in levels], material)


def extrude(
    outline: Outline, material: str, *, height: float, holes: Sequence[Outline] = ()
) -> Shape:
    """Pull a plane outline in (x, y) up along z, centered in z.

    Parameters
    ----------
    outline : (n, 2) float [m]
        Simple polygon, either orientation.
    material : str
        A name of the palette.
    height : float [m]
        Extent along z.
    holes : sequence of (k, 2) float [m]
        Simple polygons inside the outline that do not touch it or each other.
    """
    loops = [_oriented_outline(outline, 1.0), *(_oriented_outline(hole, -1.0) for hole in holes)]
    flat = np.vstack(loops)
    ends = np.cumsum([len(loop) for loop in loops], dtype=np.int64)
    top = triangulate(loops)
    count = len(flat)
    follower = np.arange(1, count + 1)
    follower[ends - 1] = np.concatenate(([0], ends[:-1]))
    here = np.arange(count)
    sides = np.vstack(
        (
            np.column_stack((here, follower, follower + count)),
            np.column_stack((here, follower + count, here + count)),
        )
    )
    vertices = np.vstack(
        (_outline_at_height(flat, -height / 2), _outline_at_height(flat, height / 2))
    )
    return Shape(vertices, np.vstack((top[:, ::-1], top + count, sides)), material)


def sweep(
    path: Outline,
    material: str,
    *,
    radius: float = 0.0,
    section: Outline | None = None,
    closed: bool = False,
) -> Shape:
    """Move a disk of `radius`, or a convex `section`, along a path.

    Parameters
    ----------
    path : (n, 3) float [m]
        Points in space; `rounded_path` softens corners. Do not repeat the first point.
    material : str
        A name of the palette.
    radius : float [m]
        Radius of a round section.
    section : (k, 2) float [m], optional
        Convex outline instead; its second coordinate points up where the path is level.
    closed : bool
        Whether the path returns to its first point.
    """
    points = np.asarray(path, dtype=float)
    outline = circle(radius, segments=12) if section is None else np.asarray(section, dtype=float)
    forward = np.roll(points, -1, axis=0) - points
    backward = np.roll(forward, 1, axis=0)
    if not closed:
        forward[-1], backward[0] = forward[-2], forward[0]
    tangents = _unit_vectors(_unit_vectors(forward) + _unit_vectors(backward))
    # A cut through a bend is longer across than the section: stretch it, as a miter joint is.
    stretch = 1.0 / np.maximum(dot(tangents, _unit_vectors(forward)), 0.5)
    sides, ups = _transported_frames(tangents, closed=closed)
    bend = _unit_vectors(forward) - _unit_vectors(backward)
    bend = bend / np.maximum(length(bend)[:, None], 1e-12)
    rings = outline[None, :, :1] * sides[:, None] + outline[None, :, 1:] * ups[:, None]
    along_bend = dot(rings, bend[:, None])[..., None]
    rings = rings + along_bend * (stretch - 1.0)[:, None, None] * bend[:, None]
    return _cover_rings(points[:, None] + rings, material, joined=closed)


def _transported_frames(tangents: Array, *, closed: bool) -> tuple[Array, Array]:
    """Carry a cross-section frame along unit tangents with the least twist."""
    up = np.array((0.0, 0.0, 1.0)) if abs(tangents[0, 2]) < 0.9 else np.array((1.0, 0.0, 0.0))
    ups = np.empty_like(tangents)
    for k, tangent in enumerate(tangents):
        up = up - dot(up, tangent) * tangent
        up = up / length(up)
        ups[k] = up
    if closed and np.ptp(tangents[:, 2]) < 1e-9:
        ups[:] = (0.0, 0.0, 1.0)  # a level loop keeps its section upright, so the ends meet
    return np.cross(ups, tangents), ups


def _cover_rings(
    rings: Array, material: str, *, index: NDArray[np.int64] | None = None, joined: bool = False
) -> Shape:
    """Cover (k, n, 3) rings by quads and two end caps; equal indices are one vertex."""
    count, around = rings.shape[:2]
    grid = np.arange(count * around).reshape(count, around) if index is None else index
    upper = np.roll(grid, -1, axis=0) if joined else grid[1:]
    lower = grid if joined else grid[:-1]
    quads = np.stack((lower, np.roll(lower, -1, 1), np.roll(upper, -1, 1), upper), axis=-1)
    quads = quads.reshape(-1, 4)
    faces = [quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]
    if not joined:
        fan = np.column_stack((np.zeros(around - 2, int), np.arange(1, around - 1)))
        fan = np.column_stack((fan, fan[:, 1] + 1))
        faces += [grid[0][fan[:, ::-1]], grid[-1][fan]]
    return _without_collapsed_faces(rings.reshape(-1, 3), np.vstack(faces), material)


def _without_collapsed_faces(vertices: Array, faces: NDArray[np.int64], material: str) -> Shape:
    """Drop collapsed faces and unused vertices, and turn the solid outward."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    used, inverse = np.unique(faces, return_inverse=True)
    shape = Shape(vertices[used], inverse.reshape(-1, 3).astype(np.int64), material)
    if shape.volume < 0:
        shape = Shape(shape.vertices, shape.faces[:, ::-1], material)
    return shape


def _signed_area(loop: Array) -> float:
    x, y = loop.T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2


def _oriented_outline(outline: Outline, sign: float) -> Array:
    loop = np.asarray(outline, dtype=float)
    return loop if _signed_area(loop) * sign > 0 else loop[::-1].copy()


def _outline_at_height(outline: Array, z: float) -> Array:
    return np.column_stack((outline, np.full(len(outline), z)))


def _unit_vectors(vectors: Array) -> Array:
    scaled: Array = vectors / np.maximum(length(vectors)[..., None], 1e-12)
    return scaled
