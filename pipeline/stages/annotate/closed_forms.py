# SPDX-License-Identifier: Apache-2.0
"""Uses the closed forms of primitives instead of their triangles if nothing overlaps them.

Primitives come from the record of `normalize`, which also says which triangles stand for each. A
primitive that overlaps another part stays as triangles, because a union
of round shapes has no closed form. The difference is added to the estimate of the error.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aa_dataset.portable import applied, dot, length, product, settled
from pipeline.handover.normalized import DrawnPrimitive
from pipeline.shapes.primitives import Primitive
from pipeline.stages.annotate.moments import tetrahedron_moments
from pipeline.stages.annotate.shells import Shells
from pipeline.stages.annotate.solids import TOUCH
from pipeline.stages.annotate.surface import WELD_STEPS, Surface

# A thinner shell stays as it is: its surface, moved by the error of vertices, sweeps this share of
# its volume.
BLURRED_SHARE = 0.1
# Directions along which all parts are compared at once.
MOST_DIRECTIONS = 16
# A primitive with more parts than this around it counts as overlapping without a test.
MOST_NEIGHBORS = 64
_LEFT, _RIGHT = [0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]


@dataclass(frozen=True, slots=True, eq=False)
class ClosedForms:
    """The part of a link with closed forms, in the surface's units.

    Attributes
    ----------
    moments : (10,) float
        Moments of the primitives that overlap nothing.
    shells : (n,) bool
        Their shells of the surface.
    left_out : (10,) float
        Moments of the difference between the other primitives and their triangles.
    """

    moments: np.ndarray
    shells: np.ndarray
    left_out: np.ndarray


def find_closed_forms(
    surface: Surface, shells: Shells, primitives: Sequence[DrawnPrimitive], slack: float
) -> ClosedForms:
    """Return the closed forms that hold for a link.

    Parameters
    ----------
    surface, shells : Surface, Shells
        Of the whole link.
    primitives : sequence of DrawnPrimitive
        Object frame at rest [m]; `mesh` counts the meshes that the surface was made of.
    slack : float
        Largest error of a vertex, in the surface's units.
    """
    out = ClosedForms(np.zeros(10), np.zeros(len(shells.areas), bool), np.zeros(10))
    shift = -surface.center / surface.length
    off = 1 / WELD_STEPS + 2 * slack
    found: dict[int, Primitive] = {}
    unfound = []
    for drawn in primitives:
        one = drawn.solid.mapped(np.eye(3), 1 / surface.length, shift)
        shell = int(surface.drawn[drawn.mesh][drawn.face])
        if _is_sharp(shells, shell, one, off):
            found.setdefault(shell, one)  # two equal ones at the same place count once
        else:
            unfound.append(one)
    out.shells[_apart(surface, shells, found)] = True
    for shell, one in found.items():
        if out.shells[shell]:
            out.moments[:] += primitive_moments(one)
        else:
            unfound.append(one)
    for one in unfound:
        out.left_out[:] += primitive_moments(one) - triangle_moments(one)
    return out


def primitive_moments(one: Primitive) -> np.ndarray:
    """Return the volume moments (10,) of a primitive by its closed form."""
    volume, squares = _about_middle(one.kind, one.size)
    second = product(one.rotation * squares, one.rotation.T)
    second += volume * one.center[:, None] * one.center
    return np.array([volume, *(volume * one.center), *second[_LEFT, _RIGHT]])


def _about_middle(kind: str, size: tuple[float, ...]) -> tuple[float, np.ndarray]:
    """Return the volume and the integrals (3,) of x², y², z² about the middle."""
    if kind == "box":
        volume = size[0] * size[1] * size[2]
        return volume, volume * np.square(size) / 12
    radius = size[0]
    ball = 4 / 3 * math.pi * radius**2 * radius
    if kind == "sphere":
        return ball, np.full(3, ball * radius**2 / 5)
    height = size[1]
    rod = math.pi * radius**2 * height
    squares = rod * np.array([radius**2 / 4, radius**2 / 4, height**2 / 12])
    if kind == "cylinder":
        return rod, squares
    # Two half balls at the ends: the center of one is 3/8 of the radius above its flat side.
    along = radius**2 / 5 + height**2 / 4 + 3 / 8 * radius * height
    return rod + ball, squares + ball * np.array([radius**2 / 5, radius**2 / 5, along])


def triangle_moments(one: Primitive) -> np.ndarray:
    """Return the volume moments (10,) of a primitive's tessellation."""
    return np.asarray(tetrahedron_moments(one.triangles()).sum(axis=0))


def _is_sharp(shells: Shells, shell: int, one: Primitive, off: float) -> bool:
    """Return whether a shell is solid, and the error of vertices is small against the primitive."""
    if shell < 0 or not shells.solid[shell]:
        return False
    return bool(shells.areas[shell] * off < BLURRED_SHARE * triangle_moments(one)[0])


def _apart(surface: Surface, shells: Shells, found: Mapping[int, Primitive]) -> list[int]:
    """Return the primitives that share no space with any other shell; touching is not sharing."""
    low, high = _intervals(shells, found)

    @functools.cache
    def shape(shell: int) -> Primitive | np.ndarray:
        used = np.unique(surface.faces[surface.shells == shell])
        return found[shell] if shell in found else np.asarray(surface.vertices[used])

    def is_apart(shell: int) -> bool:
        shared = np.minimum(high, high[shell]) - np.maximum(low, low[shell])
        near = (shared > TOUCH).all(axis=1)
        near[shell] = False
        others = np.flatnonzero(near).tolist()
        few = len(others) <= MOST_NEIGHBORS
        return few and all(_are_separate(found[shell], shape(other)) for other in others)

    return [shell for shell in found if is_apart(shell)]


def _intervals(shells: Shells, found: Mapping[int, Primitive]) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval (n, k) of every shell along x, y, z and the primitives' axes.

    Those few directions at once separate nearly all pairs. Primitives count as the round shapes
    that they are, other shells as their boxes.
    """
    axes = np.concatenate([np.eye(3), *(one.rotation.T for one in found.values())])
    first = np.unique(settled(axes, 6), axis=0, return_index=True)[1]
    directions = axes[np.sort(first)[:MOST_DIRECTIONS]]
    middle = applied(directions, (shells.lower + shells.upper) / 2)
    reach = applied(np.abs(directions), (shells.upper - shells.lower) / 2)
    for shell, one in found.items():
        middle[shell], reach[shell] = dot(directions, one.center), _reach(one, directions)
    return middle - reach, middle + reach


def _are_separate(one: Primitive, other: Primitive | np.ndarray) -> bool:
    """Return whether one of a few directions separates a primitive from another, or from points.

    True is certain; False may be a pair that only another direction separates.
    """
    if isinstance(other, Primitive):
        axes, middle = other.rotation.T, other.center
    else:
        axes, middle = np.eye(3), (other.min(axis=0) + other.max(axis=0)) / 2
    directions = _candidates(one.rotation.T, axes, middle - one.center)
    mine, reach = dot(directions, one.center), _reach(one, directions)
    if isinstance(other, Primitive):
        theirs, far = dot(directions, other.center), _reach(other, directions)
        low, high = theirs - far, theirs + far
    else:
        along = applied(directions, other)
        low, high = along.min(axis=0), along.max(axis=0)
    gaps = np.maximum(low - (mine + reach), (mine - reach) - high)
    return bool((gaps > -TOUCH).any())


def _candidates(ours: np.ndarray, theirs: np.ndarray, between: np.ndarray) -> np.ndarray:
    """Return unit directions (k, 3) that may separate two shapes with axes (3, 3) by rows."""
    crosses = np.cross(ours[:, None], theirs[None]).reshape(-1, 3)
    away = [between - dot(between, axis) * axis for axis in (ours[2], theirs[2])]
    rows = np.concatenate([ours, theirs, crosses, [between, *away]])
    lengths = length(rows)
    return rows[lengths > 1e-9] / lengths[lengths > 1e-9, None]


def _reach(one: Primitive, directions: np.ndarray) -> np.ndarray:
    """Return how far (k,) the primitive extends from its middle along unit directions (k, 3)."""
    along = np.abs(applied(one.rotation.T, directions))
    if one.kind == "box":
        return dot(along, one.size) / 2
    if one.kind == "sphere":
        return np.full(len(along), one.size[0])
    ends = along[:, 2] * one.size[1] / 2
    if one.kind == "capsule":
        return ends + one.size[0]
    return ends + one.size[0] * length(along[:, :2])
