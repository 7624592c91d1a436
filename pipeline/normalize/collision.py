# SPDX-License-Identifier: Apache-2.0
"""Collision geometry: one convex hull per connected component, a thin box where that is flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh

# A component is flat when its thinnest direction is below this share of its widest one.
FLATNESS = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A closed convex mesh: vertices (n, 3) [m] and faces (m, 3)."""

    vertices: np.ndarray
    faces: np.ndarray


def link_hulls(
    vertices: np.ndarray, faces: np.ndarray, *, most: int, thinnest: float = 1e-6
) -> list[Hull]:
    """Return the hulls of a link's components, the largest `most` of them.

    Parameters
    ----------
    vertices : (n, 3) float [m]
        On the object's grid, so that equal corners are equal numbers.
    faces : (m, 3) int
        Triangles.
    most : int
        Budget; components beyond it are the smallest and get no hull.
    thinnest : float [m]
        Smallest width of a hull, so that rounding to the object's grid cannot flatten it.
    """
    components = _components(vertices, faces)
    components.sort(
        key=lambda points: (-float(np.prod(np.ptp(points, axis=0) + 1e-9)), len(points))
    )
    return [_hull(points, thinnest) for points in components[:most]]


def _components(vertices: np.ndarray, faces: np.ndarray) -> list[np.ndarray]:
    """Return the points of every connected component; vertices at one place count as one."""
    unique, inverse = np.unique(vertices, axis=0, return_inverse=True)
    merged = inverse.reshape(-1)[faces]
    edges = np.concatenate([merged[:, [0, 1]], merged[:, [1, 2]]])
    labels = trimesh.graph.connected_component_labels(edges, node_count=len(unique))
    used = np.unique(merged)
    return [unique[used[labels[used] == label]] for label in np.unique(labels[used])]


def _hull(points: np.ndarray, thinnest: float) -> Hull:
    """Return the convex hull, or a padded box along the principal axes of flat points."""
    center = points.mean(axis=0)
    # Three zero rows make the axes complete for a single point; a full U would be n by n.
    padded = np.concatenate([points - center, np.zeros((3, 3))])
    axes = np.linalg.svd(padded, full_matrices=False)[2]
    widths = np.ptp((points - center) @ axes.T, axis=0)
    if len(points) < 4 or widths.min() < max(FLATNESS * widths.max(), thinnest):
        return _padded_box(points, center, axes, thinnest)
    hull = trimesh.convex.convex_hull(points)
    return Hull(np.asarray(hull.vertices), np.asarray(hull.faces))


def _padded_box(points: np.ndarray, center: np.ndarray, axes: np.ndarray, thinnest: float) -> Hull:
    local = (points - center) @ axes.T
    lower, upper = local.min(axis=0), local.max(axis=0)
    width = max(10 * FLATNESS * float((upper - lower).max()), thinnest)
    thin = np.maximum(width - (upper - lower), 0.0) / 2
    box = trimesh.creation.box(bounds=np.stack([lower - thin, upper + thin]))
    if np.linalg.det(axes) < 0:
        box.faces = box.faces[:, ::-1]
    return Hull(np.asarray(box.vertices) @ axes + center, np.asarray(box.faces))
