# SPDX-License-Identifier: Apache-2.0
"""Convex hulls by qhull, with faces outward: qhull's own winding is arbitrary."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from aa_dataset.portable import dot

# Scales every axis to the same width and prints no warning: for parts that are thin in one
# direction. It rounds differently, so who compares hulls must not mix both.
SCALED = "QbB Pp"


# The last hulls of few points are kept: one in five of a PartNet object is asked for again soon.
_MOST_KEPT, _FEW = 256, 2000
_kept: OrderedDict[tuple[bytes, int, str | None], ConvexHull | None] = OrderedDict()


def hull_of(points: np.ndarray, *, options: str | None = None) -> ConvexHull | None:
    """Return the hull of points (n, d), not to be changed; None if they are flat, or too few."""
    if len(points) > _FEW:
        return _hull(points, options)
    key = points.tobytes(), points.shape[-1], options
    if key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    _kept[key] = found = _hull(points, options)
    while len(_kept) > _MOST_KEPT:
        _kept.popitem(last=False)
    return found


def _hull(points: np.ndarray, options: str | None) -> ConvexHull | None:
    try:
        return ConvexHull(points, qhull_options=options)
    except (QhullError, ValueError):
        return None


def outward_faces(hull: ConvexHull) -> np.ndarray:
    """Return the triangles (m, 3) of a hull in space, by its points, each seen from outside."""
    faces = hull.simplices.astype(np.int64)
    a, b, c = (hull.points[faces[:, k]] for k in range(3))
    inward = dot(np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return np.asarray(faces)
