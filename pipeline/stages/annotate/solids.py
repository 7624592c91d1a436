# SPDX-License-Identifier: Apache-2.0
"""Unites closed shells: cavities by their orientation, overlaps counted once."""

from __future__ import annotations

import igl
import manifold3d
import numpy as np

from aa_dataset.triangles import connected
from pipeline.stages.annotate.moments import tetrahedron_moments
from pipeline.stages.annotate.shells import Shells
from pipeline.stages.annotate.surface import Surface

# Boxes that share less than this length (of the link's diagonal) along an axis only touch.
TOUCH = 1e-6
# An open shell that encloses less than this, relative to its area to the power 3/2 (0.09 for a
# sphere, 0.06 for an open cube), keeps its original orientation.
OPEN_FLAT_SHARE = 0.01
# By how much (of the link's diagonal) a cavity may reach out of the box of an open shell.
OPEN_SLACK = 0.1
# Rows of the table of box pairs that are compared at once.
CHUNK = 512


def facing_outward(surface: Surface, shells: Shells) -> tuple[np.ndarray, np.ndarray]:
    """Decide which shells are reversed, and which are cavities of others.

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
    if not (shells.solid & (volumes < 0)).any() or len(volumes) == 1:
        return signs, owner
    for inner, around in _containers(surface, shells).items():
        outermost = max(around, key=lambda k: abs(volumes[k]))
        signs[inner] = np.sign(volumes[outermost])
        if signs[inner] * volumes[inner] < 0:
            matter = [k for k in around if volumes[k] * volumes[outermost] > 0]
            owner[inner] = min(matter, key=lambda k: abs(volumes[k]))
    return signs, owner


def _open_signs(shells: Shells) -> np.ndarray:
    """Reverse an open shell that faces inward, unless it may be the lining of a larger one.

    A nearly flat one has no defined inside and is unchanged, because it may be one side of a volume
    that only all shells together enclose.
    """
    volumes, telling = shells.moments[:, 0], _is_telling(shells)
    signs = np.ones(len(volumes))
    for shell in np.flatnonzero(telling & ~shells.solid & (volumes < 0)).tolist():
        outer = _larger_around(shells, shell)
        largest = volumes[outer[np.argmax(np.abs(volumes[outer]))]] if len(outer) else -1.0
        signs[shell] = np.sign(largest)
    return signs


def lined_shells(shells: Shells, signs: np.ndarray) -> np.ndarray:
    """Return for every shell (n,) the open one around it that it lines, or itself.

    A lining is open and faces the other way; `signs` (n,) turn the shells outward.
    """
    volumes, owners = shells.moments[:, 0] * signs, np.arange(len(signs))
    for shell in np.flatnonzero(~shells.solid & _is_telling(shells) & (volumes < 0)).tolist():
        outer = _larger_around(shells, shell)
        outer = outer[~shells.solid[outer] & (volumes[outer] > 0)]
        if len(outer):
            owners[shell] = outer[np.argmin(volumes[outer])]
    return owners


def _larger_around(shells: Shells, shell: int) -> np.ndarray:
    """Return the shells (k,) int of larger volume whose boxes hold that of a shell."""
    volumes = np.abs(shells.moments[:, 0])
    around = _is_telling(shells) & (volumes > volumes[shell])
    around &= (shells.lower <= shells.lower[shell] + TOUCH).all(axis=1)
    around &= (shells.upper >= shells.upper[shell] - TOUCH).all(axis=1)
    return np.flatnonzero(around)


def _is_telling(shells: Shells) -> np.ndarray:
    """Return which shells (n,) enclose enough, once capped, to have an inside."""
    return np.asarray(
        np.abs(shells.moments[:, 0]) > OPEN_FLAT_SHARE * shells.areas * np.sqrt(shells.areas)
    )


def _containers(surface: Surface, shells: Shells) -> dict[int, list[int]]:
    """Return the shells that contain a solid one, by the one inside; open ones are capped."""
    holds = shells.solid | _is_telling(shells)
    found: dict[int, list[int]] = {}
    for inner in np.flatnonzero(shells.solid).tolist():
        # An open shell may have lost the side that reached farthest.
        slack = np.where(shells.solid, 0.0, OPEN_SLACK)[:, None]
        around = holds & (shells.lower <= shells.lower[inner] + slack).all(axis=1)
        around &= (shells.upper >= shells.upper[inner] - slack).all(axis=1)
        around[inner] = False
        corners = surface.vertices[surface.faces[surface.shells == inner]]
        # Not only corners: those of a pane are all inside its frame.
        points = np.concatenate([corners.reshape(-1, 3), corners.mean(axis=1)])
        for outer in np.flatnonzero(around).tolist():
            if _is_around(surface, shells, outer, points):
                found.setdefault(inner, []).append(outer)
    return found


def _is_around(surface: Surface, shells: Shells, outer: int, points: np.ndarray) -> bool:
    """Return whether a shell winds around points (n, 3): all of them, or most if it is open."""
    corners = surface.vertices[surface.faces[surface.shells == outer]]
    corners = np.concatenate([corners, shells.caps[shells.cap_shells == outer]])
    faces = np.arange(3 * len(corners), dtype=np.int64).reshape(-1, 3)
    around = np.abs(igl.fast_winding_number(corners.reshape(-1, 3), faces, points)) > 0.75
    # A flat cap may cut off what bulged out of the hole.
    return bool(around.all() if shells.solid[outer] else around.mean() > 0.5)


def united_moments(
    surface: Surface, shells: Shells, signs: np.ndarray, owner: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Return the moments (10,) of the union of all solid shells, and whether it is exact.

    Shells whose boxes do not overlap are summed; the others go through an exact boolean union.
    Cavities of open shells count negative. If the union refuses a shell, the plain sum is returned
    and marked as not exact.
    """
    oriented = shells.moments * signs[:, None]
    total, exact = oriented[voids(shells, owner)].sum(axis=0), True
    for cluster in _clusters(shells, owner):
        plain = oriented[cluster].sum(axis=0)
        bodies = np.unique(owner[cluster])
        if len(bodies) > 1:
            found = _boolean_union(surface, [cluster[owner[cluster] == k] for k in bodies], signs)
            exact &= found is not None
            plain = plain if found is None else found
        total += plain
    return total, exact


def voids(shells: Shells, owner: np.ndarray) -> np.ndarray:
    """Return which solid shells (n,) are cavities of open ones."""
    return np.asarray(shells.solid & ~shells.solid[owner])


def _clusters(shells: Shells, owner: np.ndarray) -> list[np.ndarray]:
    """Group the solid shells whose boxes overlap; a cavity goes with its owner."""
    solid = np.flatnonzero(shells.solid & ~voids(shells, owner))
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
    return np.asarray(tetrahedron_moments(corners).sum(axis=0))


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
