# SPDX-License-Identifier: Apache-2.0
"""Reads an open sheet: as a hollow that something can enter, or as a solid that lost some surface.

Collision and mass ask the same question and get the same answer. The evidence is the room that the
sheet winds around: how much of it the outside air reaches past everything else that the link has,
how large the mouth is, and how wide the room is. A drawer is hollow. A board whose hidden face was
left out is a solid, because another board covers it; so are a box with a small hole and a board
without its back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import trimesh

from aa_dataset.portable import length
from pipeline.stages.annotate.collision.cells import Cells, cells_around, effort
from pipeline.stages.annotate.moments import triangle_areas
from pipeline.stages.annotate.shells import Shells, caps_of
from pipeline.stages.annotate.solids import facing_outward, lined_shells
from pipeline.stages.annotate.surface import Surface, clean_surface
from pipeline.stages.annotate.winding import Open

# Cells along the longest side of a sheet, and crossings of its triangles with their lines.
CELLS, MOST_EFFORT = 24, 1e6
# A room of which the air reaches less than this share is solid.
LEAST_REACHED = 0.5
# Of the room's boundary: a room with a smaller mouth is solid. One side of a cube is 0.17, the top
# of a cup that is three times as high as wide 0.06; one triangle in ten, lost anywhere, adds 0.03.
LEAST_MOUTH = 0.04
# With a mouth from here on, a solid may have been meant as a hollow.
DOUBTFUL_MOUTH = 0.01
# Of the object's diagonal: a narrower room is solid. It is the width between two walls.
NARROW = 0.02
# Sheets around less than this share of what all sheets of a link enclose do not matter.
_SMALL = 0.01
# A sheet around less than this, as a share of its area times the link's diagonal, has no room.
_FLAT = 1e-6
# Above one half by this, so that the last bits of a winding number decide nothing.
_INSIDE = 0.5 + 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The room in an open sheet.

    Attributes
    ----------
    room : (nx, ny, nz) bool
        Cells of a grid whose centers the sheet winds around.
    reached : float
        Share of the room that the outside air reaches.
    mouth : float
        Share of the room's boundary through which it does, seen from one side.
    width : float
        Between two walls, if the room were a slab: twice its volume over the sheet's area.
    """

    room: np.ndarray
    reached: float
    mouth: float
    width: float

    def is_hollow(self, narrow: float) -> bool:
        """Return whether something can enter a room that is wider than `narrow`."""
        is_open = self.reached >= LEAST_REACHED and self.mouth >= LEAST_MOUTH
        return is_open and self.width > narrow

    def is_doubtful(self, narrow: float) -> bool:
        """Return whether a room that is read as a solid may be a hollow."""
        least = DOUBTFUL_MOUTH if self.width > narrow else LEAST_MOUTH
        is_open = self.reached >= LEAST_REACHED and self.mouth >= least
        return is_open and not self.is_hollow(narrow)


def read_sheet(sheet: Open, cells: Cells) -> Reading:
    """Read a sheet, facing one way, on a grid that the air has filled."""
    shape = cells.air.shape
    centers = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1) + 0.5
    points = cells.to_link(centers.reshape(-1, 3))
    room = sheet.around(points, _INSIDE)[1].reshape(shape)
    count = int(room.sum())
    reached = float(cells.air[room].mean()) if count else 0.0
    area = float(triangle_areas(sheet.vertices[sheet.faces]).sum())
    width = 2 * count * cells.volume / area if area else 0.0
    return Reading(room, reached, _mouth(room, cells), width)


def _mouth(room: np.ndarray, cells: Cells) -> float:
    """Return the share of the boundary of a room (nx, ny, nz) bool that is its largest mouth.

    Per axis, the openings that face one way; holes all around face every way and add up to less.
    """
    whole, mouths = 0.0, np.zeros(3)
    for axis in range(3):
        inside, air, wall = (np.moveaxis(a, axis, 0) for a in (room, cells.air, cells.walls[axis]))
        is_open = air[:-1] & air[1:] & ~wall[:-1]
        face = cells.volume / cells.size[axis]
        ends = [inside[:-1] & ~inside[1:], ~inside[:-1] & inside[1:]]
        whole += face * sum(int(end.sum()) for end in ends)
        mouths[axis] = face * max(int((end & is_open).sum()) for end in ends)
    return float(length(mouths)) / whole if whole else 0.0


def solid_room(triangles: np.ndarray, cells: Cells, narrow: float) -> np.ndarray:
    """Return the cells (nx, ny, nz) in an open sheet that are solid: its room, or none.

    Parameters
    ----------
    triangles : (m, 3, 3) float [m]
        The sheet, facing any way.
    cells : Cells
        A grid around it, with air where the link lets it in.
    narrow : float [m]
        Width of a room that is solid.
    """
    faces = np.arange(3 * len(triangles)).reshape(-1, 3)
    surface = clean_surface([trimesh.Trimesh(triangles.reshape(-1, 3), faces, process=False)])
    if surface is None:
        return np.zeros_like(cells.air)
    vertices = surface.vertices * surface.length + surface.center
    surface = replace(surface, vertices=vertices)
    sheet = Open(vertices, surface.faces, caps_of(surface), surface.rims.loops)
    reading = read_sheet(sheet, cells)
    return np.zeros_like(cells.air) if reading.is_hollow(narrow) else reading.room


@dataclass(frozen=True, slots=True, eq=False)
class Hollows:
    """Which shells of a link (n,) bool are hollow, and which are read as solids but may be."""

    hollow: np.ndarray
    doubtful: np.ndarray


def find_hollows(surface: Surface, shells: Shells, narrow: float) -> Hollows:
    """Read the open shells of a link, each together with its lining.

    Parameters
    ----------
    surface : Surface
        Of the link.
    shells : Shells
        Its shells.
    narrow : float
        Width of a room that is solid, in the surface's units.
    """
    hollow, doubtful = np.zeros((2, len(shells.areas)), dtype=bool)
    volumes = np.where(shells.solid, 0.0, np.abs(shells.moments[:, 0]))
    matters = volumes > _FLAT * np.maximum(shells.areas, _FLAT)
    matters &= volumes > _SMALL * volumes.sum()
    if not matters.any():
        return Hollows(hollow, doubtful)
    signs = facing_outward(surface, shells)[0]
    owners = lined_shells(shells, signs)
    over = signs < 0
    turned = np.where(over[surface.shells, None], surface.faces[:, ::-1], surface.faces)
    caps = np.where(over[shells.cap_shells, None, None], shells.caps[:, ::-1], shells.caps)
    whole = Open(surface.vertices, turned, caps, surface.rims.loops)
    for number in np.unique(owners[matters]).tolist():
        own = owners[surface.shells] == number
        reading = _read_shells(surface, whole.some(own, owners[shells.cap_shells] == number), own)
        hollow[owners == number] = reading is not None and reading.is_hollow(narrow)
        doubtful[owners == number] = reading is None or reading.is_doubtful(narrow)
    return Hollows(hollow, doubtful)


def _read_shells(surface: Surface, sheet: Open, own: np.ndarray) -> Reading | None:
    """Read a sheet of some faces (m,) bool of a link, or None if that is too much work."""
    corners = surface.corners
    if effort(corners[own], CELLS) > MOST_EFFORT:
        return None
    cells = cells_around(corners[own], CELLS, walls=corners[~own])
    return read_sheet(sheet, cells)
