# SPDX-License-Identifier: Apache-2.0
"""Cutting a plane outline with holes into triangles that use every one of its corners."""

import mapbox_earcut
import numpy as np
from numpy.typing import NDArray

from aa_dataset.portable import length, sin
from pipeline.generate.errors import AuthoringError
from pipeline.generate.polygons import Array

Triangles = NDArray[np.int64]

_TRIES = 8
_FLAT = 1e-9  # of the squared extent


def triangulate(loops: list[Array]) -> Triangles:
    """Return (m, 3) counterclockwise corner indices into the stacked loops.

    Ear cutting drops corners that lie on a line with their neighbors, as those of aligned holes
    do, and so leaves cracks between cap and walls. Moving the corners by a hair for the cut, not
    for the result, avoids that; the flat triangles that this may leave are flipped away.

    Parameters
    ----------
    loops : list of (n, 2) float [m]
        The outline counterclockwise, then each hole clockwise.
    """
    corners = np.vstack(loops)
    ends = np.cumsum([len(loop) for loop in loops], dtype=np.uint32)
    wanted = len(corners) + 2 * (len(loops) - 1) - 2
    reach = float(np.ptp(corners, axis=0).max())
    for attempt in range(_TRIES):
        moved = corners + 1e-7 * attempt * reach * _tiny_offsets(len(corners), attempt)
        # manifold3d.triangulate finds the right number at once, but of 445 outlines of all families
        # it leaves two with flat triangles, which must be flipped as here, and cuts all but three
        # in another way: it would save this loop and change the bytes of nearly every object.
        triangles = mapbox_earcut.triangulate_float64(moved, ends).reshape(-1, 3).astype(np.int64)
        if len(triangles) == wanted:
            if _doubled_areas(moved, triangles[:1])[0] < 0:
                triangles = triangles[:, ::-1]
            return _without_flat(corners, triangles, _FLAT * reach**2)
    raise AuthoringError("An outline cannot be triangulated: do its holes touch or cross it?")


def _tiny_offsets(count: int, attempt: int) -> Array:
    """Return (count, 2) fixed offsets within the unit square that look random."""
    phase = np.arange(1, 2 * count + 1) * 12.9898 + attempt * 78.233
    return sin(phase * phase).reshape(count, 2)


def _doubled_areas(corners: Array, triangles: Triangles) -> Array:
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    first, second = b - a, c - a
    areas: Array = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    return areas


def _without_flat(corners: Array, triangles: Triangles, tolerance: float) -> Triangles:
    """Flip the long edge of each flat triangle until none is left."""
    triangles = triangles.copy()
    for _ in range(4 * len(triangles)):
        flat = np.flatnonzero(_doubled_areas(corners, triangles) <= tolerance)
        if not len(flat):
            return triangles
        for row in flat:
            if _flip_long_edge(corners, triangles, int(row)):
                break
        else:
            break
    raise AuthoringError("An outline cannot be triangulated: does a hole touch it?")


def _flip_long_edge(corners: Array, triangles: Triangles, row: int) -> bool:
    """Swap the longest edge of a triangle for the other diagonal; False if it has no neighbor."""
    points = corners[triangles[row]]
    lengths = length(np.roll(points, -1, axis=0) - points)
    start, end, middle = np.roll(triangles[row], -int(lengths.argmax()))
    for other, corner in enumerate(triangles):
        for k in range(3):
            if corner[k] == end and corner[(k + 1) % 3] == start:
                far = corner[(k + 2) % 3]
                triangles[row] = (start, far, middle)
                triangles[other] = (far, end, middle)
                return True
    return False
