# SPDX-License-Identifier: Apache-2.0
"""A surface made ready to be drawn in many states: what no state changes is found once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import RenderError
from aa_dataset.render.surface import Surface, same_places

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ALWAYS, AT_REST = 1, 2  # when a face is hidden from behind


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """The triangles of an object at rest.

    Many models draw every wall twice, once per side and with two looks (PartNet nearly always);
    which of the two a depth test or a ray finds is arbitrary. So such a face is hidden from behind.

    Attributes
    ----------
    surface : Surface
        Object frame at rest, without exact duplicates. `part` says which pose moves a face.
    hidden : (f,) int
        Whether a face is not seen from behind: 0, `ALWAYS`, or `AT_REST` if its twin belongs to
        another part.
    clear : (f,) bool
        Whether something behind a face may show.
    """

    surface: Surface
    hidden: Indices
    clear: NDArray[np.bool_]

    def is_culled(self, poses: Array) -> NDArray[np.bool_]:
        """Return the faces (f,) that are hidden from behind in the state of these poses."""
        at_rest = bool((poses == poses[0]).all())
        return np.isin(self.hidden, (ALWAYS, AT_REST) if at_rest else (ALWAYS,))

    def placed(self, poses: Array) -> Array:
        """Return the corners (f, 3, 3) [m] with every part at its pose (p, 4, 4)."""
        if not np.isfinite(poses).all():
            raise RenderError("A part's pose is not finite; check the joint values.")
        corners, part = self.surface.corners, self.surface.part
        if (poses == np.eye(4)).all():
            return corners
        turned = corners @ poses[part, :3, :3].transpose(0, 2, 1)
        return np.asarray(turned + poses[part, None, :3, 3])


def prepare(surface: Surface) -> Prepared:
    """Make a surface ready; its parts may then be moved without scale or mirror image."""
    surface = surface.select(np.flatnonzero(surface.colors[..., 3].max(axis=1)))
    if not len(surface.part):
        raise RenderError("There is nothing to draw: every part is fully transparent.")
    place = same_places(surface.corners)
    clear = surface.is_transparent()
    own = np.unique(place * (int(surface.part.max()) + 1) + surface.part, return_inverse=True)[1]
    kept = _without_copies(surface, own, clear)
    surface, place, own = surface.select(kept), place[kept], own[kept]
    area = _areas(surface.corners)
    twins, touching = _has_both_sides(area, own), _has_both_sides(area, place)
    hidden = np.where(twins, ALWAYS, np.where(touching, AT_REST, 0))
    return Prepared(surface, hidden, clear[kept])


def _areas(corners: Array) -> Array:
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _has_both_sides(area: Array, group: Indices) -> NDArray[np.bool_]:
    """Return the faces (f,) in whose group some face each way; a group lies in one place."""
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    along = (area * area[first[group]]).sum(axis=1) > 0
    ways = np.bincount(group, along), np.bincount(group)
    return np.asarray((ways[0] > 0)[group] & (ways[0] < ways[1])[group])


def _without_copies(surface: Surface, group: Indices, clear: NDArray[np.bool_]) -> Indices:
    """Leave out opaque faces that are exact duplicates.

    A depth test or a ray finds one of them, and it does not matter which.
    """
    several = (np.bincount(group)[group] > 1) & ~clear
    faces = np.flatnonzero(several)
    if not len(faces):
        return np.arange(len(group))
    names = ("corners", "normals", "colors", "uv", "texture", "part")
    columns = [getattr(surface, name)[faces].reshape(len(faces), -1) for name in names]
    rows = np.ascontiguousarray(np.concatenate(columns, axis=1, dtype=np.float64))
    whole = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    _, first = np.unique(whole, return_index=True)
    return np.sort(np.concatenate([np.flatnonzero(~several), faces[first]]))
