# SPDX-License-Identifier: Apache-2.0
"""Reads an open sheet: as a hollow that something can enter, or as a solid that lost some surface.

Collision and mass ask the same question and get the same answer. The evidence is what the outside
air reaches of the room that the sheet winds around, past everything else that its link has, and
how wide that room is. A drawer is hollow. A board whose hidden face was left out is a solid,
because another board covers it; so is a rod without ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh

from pipeline.stages.annotate.collision.cells import Cells, cells_around, effort
from pipeline.stages.annotate.moments import triangle_areas
from pipeline.stages.annotate.shells import Shells
from pipeline.stages.annotate.surface import Surface, clean_surface
from pipeline.stages.annotate.winding import winding

# Cells along the longest side of a sheet, and crossings of its triangles with their lines.
CELLS, MOST_EFFORT = 24, 1e6
# A room of which the air reaches less than this share is solid.
LEAST_REACHED = 0.5
# Of the object's diagonal: a narrower room is solid. It is the width between two walls.
NARROW = 0.02
# Sheets around less than this share of what all sheets of a link enclose do not matter.
_SMALL = 0.01
# A sheet that is thinner than this share of its link is flat and encloses nothing.
_FLAT = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The room in an open sheet.

    Attributes
    ----------
    room : (nx, ny, nz) bool
        Cells of a grid whose centers the sheet winds around.
    reached : float
        Share of the room that the outside air reaches.
    width : float
        Between two walls, if the room were a slab: twice its volume over the sheet's area.
    """

    room: np.ndarray
    reached: float
    width: float

    def is_hollow(self, narrow: float) -> bool:
        """Return whether something can enter a room that is wider than `narrow`."""
        return self.reached >= LEAST_REACHED and self.width > narrow


def read_sheet(vertices: np.ndarray, faces: np.ndarray, cells: Cells) -> Reading:
    """Read a sheet of triangles (m, 3), facing one way, on a grid that the air has filled."""
    shape = cells.air.shape
    centers = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1) + 0.5
    points = cells.to_link(centers.reshape(-1, 3))
    room = (np.abs(winding(vertices, faces, points)) > 0.5).reshape(shape)
    count = int(room.sum())
    reached = float(cells.air[room].mean()) if count else 0.0
    area = float(triangle_areas(vertices[faces]).sum())
    return Reading(room, reached, 2 * count * cells.volume / area if area else 0.0)


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
    reading = read_sheet(vertices, surface.faces, cells)
    return np.zeros_like(cells.air) if reading.is_hollow(narrow) else reading.room


def hollow_shells(surface: Surface, shells: Shells, narrow: float) -> np.ndarray:
    """Return which open shells of a link are hollow, (n,) bool.

    Parameters
    ----------
    surface : Surface
        Of the link.
    shells : Shells
        Its shells.
    narrow : float
        Width of a room that is solid, in the surface's units.
    """
    found = np.zeros(len(shells.areas), dtype=bool)
    volumes = np.where(shells.solid, 0.0, np.abs(shells.moments[:, 0]))
    corners = surface.corners
    for number in np.flatnonzero(volumes > _SMALL * volumes.sum()).tolist():
        own = surface.shells == number
        is_flat = (shells.upper[number] - shells.lower[number]).min() < _FLAT
        if is_flat or effort(corners[own], CELLS) > MOST_EFFORT:
            continue
        cells = cells_around(corners[own], CELLS, walls=corners[~own])
        found[number] = read_sheet(surface.vertices, surface.faces[own], cells).is_hollow(narrow)
    return found
