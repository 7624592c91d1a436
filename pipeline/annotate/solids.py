# SPDX-License-Identifier: Apache-2.0
"""Unites closed shells: cavities by their orientation, overlaps counted once."""

from __future__ import annotations

import igl
import manifold3d
import numpy as np

from pipeline.annotate.loops import connected
from pipeline.annotate.moments import tetrahedron_moments
from pipeline.annotate.shells import Shells
from pipeline.annotate.surface import Surface

# Boxes that share less than this length (of the link's diagonal) along an axis only touch.
TOUCH = 1e-6
# An open shell whose caps enclose less than this, against its area to the power 3/2 (0.09 for a
# sphere, 0.06 for an open cube), keeps the orientation that it came with.
OPEN_FLAT_SHARE = 0.01
# Rows of the table of box pairs that are compared at once.
CHUNK = 512


def facing_outward(surface: Surface, shells: Shells) -> tuple[np.ndarray, np.ndarray]:
    """Decide which shells are turned over, and which are cavities of which others.

    A shell inside none is outward. A shell inside others keeps its orientation relative to the
    outermost: opposed to it, it is a cavity; alike, it is matter inside matter.

    Returns
    -------
    (n,) float, (n,) int
        The factor, +1 or -1, of every shell, and the shell whose cavity it is, or itself.
    """
    volumes = shells.moments[:, 0]
    signs = np.where(volumes < 0, -1.0, 1.0)
    signs[~shells.solid] = _open_signs(shells)[~shells.solid]
    owner = np.arange(len(volumes))
    if not (volumes[shells.solid] < 0).any() or shells.solid.sum() == 1:
        return signs, owner
    for inner, around in _containers(surface, shells).items():
        outermost = max(around, key=lambda k: abs(volumes[k]))
        signs[inner] = np.sign(volumes[outermost])
        if signs[inner] * volumes[inner] < 0:
            matter = [k for k in around if volumes[k] * volumes[outermost] > 0]
            owner[inner] = min(matter, key=lambda k: abs(volumes[k]))
    return signs, owner


def _open_signs(shells: Shells) -> np.ndarray:
    """Turn over an open shell that faces inward, unless it may be the lining of a larger one.

    One that is nearly flat says nothing about its inside: it stays as it is, since it may be one
    side of something that only all shells together enclose.
    """
    volumes = shells.moments[:, 0]
    telling = np.abs(volumes) > OPEN_FLAT_SHARE * shells.areas**1.5
    signs = np.ones(len(volumes))
    for shell in np.flatnonzero(telling & ~shells.solid & (volumes < 0)).tolist():
        around = telling & (np.abs(volumes) > -volumes[shell])
        around &= (shells.lower <= shells.lower[shell] + TOUCH).all(axis=1)
        around &= (shells.upper >= shells.upper[shell] - TOUCH).all(axis=1)
        outer = np.flatnonzero(around)
        largest = volumes[outer[np.argmax(np.abs(volumes[outer]))]] if len(outer) else -1.0
        signs[shell] = np.sign(largest)
    return signs


def _containers(surface: Surface, shells: Shells) -> dict[int, list[int]]:
    """Return the solid shells that hold another, by the one inside."""
    solid = np.flatnonzero(shells.solid)
    found: dict[int, list[int]] = {}
    for inner in solid.tolist():
        inside = (shells.lower[solid] <= shells.lower[inner]).all(axis=1)
        inside &= (shells.upper[solid] >= shells.upper[inner]).all(axis=1)
        point = surface.vertices[surface.faces[surface.shells == inner][0]].mean(axis=0)
        for outer in solid[inside & (solid != inner)].tolist():
            faces = np.ascontiguousarray(surface.faces[surface.shells == outer])
            winding = igl.winding_number(surface.vertices, faces, point[None])
            if abs(float(np.ravel(winding)[0])) > 0.5:
                found.setdefault(inner, []).append(outer)
    return found


def united_moments(
    surface: Surface, shells: Shells, signs: np.ndarray, owner: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Return the moments (10,) of the union of all solid shells, and whether it is exact.

    Shells whose boxes do not overlap are summed; the others go through an exact boolean union. If
    that refuses a shell, the plain sum is returned and said not to be exact.
    """
    oriented = shells.moments * signs[:, None]
    total, exact = np.zeros(10), True
    for cluster in _clusters(shells, owner):
        plain = oriented[cluster].sum(axis=0)
        bodies = np.unique(owner[cluster])
        if len(bodies) > 1:
            found = _boolean_union(surface, [cluster[owner[cluster] == k] for k in bodies], signs)
            exact &= found is not None
            plain = plain if found is None else found
        total += plain
    return total, exact


def _clusters(shells: Shells, owner: np.ndarray) -> list[np.ndarray]:
    """Group the solid shells whose boxes overlap; a cavity goes with its owner."""
    solid = np.flatnonzero(shells.solid)
    lower, upper = shells.lower[solid], shells.upper[solid]
    place = np.zeros(len(owner), np.int64)
    place[solid] = np.arange(len(solid))
    pairs = [np.column_stack([np.arange(len(solid)), place[owner[solid]]])]
    for start in range(0, len(solid), CHUNK):
        part = slice(start, start + CHUNK)
        shared = np.minimum(upper[part, None], upper) - np.maximum(lower[part, None], lower)
        row, column = np.nonzero((shared > TOUCH).all(axis=2))
        pairs.append(np.column_stack([row + start, column]))
    edges = np.concatenate(pairs)
    edges = edges[edges[:, 0] != edges[:, 1]]
    if not len(edges):
        return list(solid[:, None])
    labels = connected(len(solid), edges)
    order = np.argsort(labels, kind="stable")
    return np.split(solid[order], np.cumsum(np.bincount(labels))[:-1])


def _boolean_union(
    surface: Surface, bodies: list[np.ndarray], signs: np.ndarray
) -> np.ndarray | None:
    """Return the moments of the union of bodies, each a list of shells, or None if refused."""
    parts = [_manifold(surface, body, signs) for body in bodies]
    if any(part.status() != manifold3d.Error.NoError for part in parts):
        return None
    union = manifold3d.Manifold.batch_boolean(parts, manifold3d.OpType.Add)
    if union.status() != manifold3d.Error.NoError:
        return None
    mesh = union.to_mesh64()
    corners = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts).astype(np.int64)]
    return tetrahedron_moments(corners).sum(axis=0)


def _manifold(surface: Surface, body: np.ndarray, signs: np.ndarray) -> manifold3d.Manifold:
    chosen = np.isin(surface.shells, body)
    faces = surface.faces[chosen]
    over = signs[surface.shells[chosen]] < 0
    faces = np.where(over[:, None], faces[:, ::-1], faces)
    used, faces = np.unique(faces, return_inverse=True)
    mesh = manifold3d.Mesh64(
        vert_properties=np.ascontiguousarray(surface.vertices[used]),
        tri_verts=faces.reshape(-1, 3).astype(np.uint64),
    )
    return manifold3d.Manifold(mesh)
