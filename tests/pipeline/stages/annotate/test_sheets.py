# SPDX-License-Identifier: Apache-2.0
"""One reading of an open sheet, for collision and for mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from pipeline.shapes.pieces import Piece
from pipeline.stages.annotate.collision.cells import cells_around
from pipeline.stages.annotate.collision.links import link_parts
from pipeline.stages.annotate.mass import LinkMass, link_mass
from pipeline.stages.annotate.sheets import NARROW, Reading, find_hollows, read_sheet
from pipeline.stages.annotate.shells import caps_of, find_shells
from pipeline.stages.annotate.surface import clean_surface
from pipeline.stages.annotate.winding import Open

THICKNESS = 0.002


def mesh_of(whole: trimesh.Trimesh, gone: np.ndarray) -> trimesh.Trimesh:
    """Return a mesh without some faces (m,) bool."""
    return trimesh.Trimesh(whole.vertices, whole.faces[~gone], process=False)


def carton(*size: float, at: tuple[float, ...] = (0, 0, 0)) -> trimesh.Trimesh:
    """Return a box of sheets without its top."""
    box = trimesh.creation.box(size)
    box.apply_translation(at)
    return mesh_of(box, box.face_normals[:, 2] > 0.5)


def pricked() -> trimesh.Trimesh:
    """Return a unit cube of 768 triangles without one in the middle of its top."""
    box = trimesh.creation.box((1, 1, 1)).subdivide().subdivide().subdivide()
    distances = np.linalg.norm(box.triangles_center - [0, 0, 0.5], axis=1)
    return mesh_of(box, np.arange(len(distances)) == distances.argmin())


def bowl() -> trimesh.Trimesh:
    """Return the lower half of a sphere of radius 0.5, as a sheet."""
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.5)
    return mesh_of(ball, ball.triangles_center[:, 2] > 0)


def double_wall(gap: float) -> trimesh.Trimesh:
    """Return two cartons with tops at one height, `gap` apart; the inner one faces inward."""
    outer, inner = carton(1, 1, 1), carton(1 - 2 * gap, 1 - 2 * gap, 1 - gap, at=(0, 0, gap / 2))
    inner.invert()
    return trimesh.util.concatenate([outer, inner])


def narrow_of(*meshes: trimesh.Trimesh) -> float:
    points = np.concatenate([mesh.vertices for mesh in meshes])
    return NARROW * float(np.linalg.norm(np.ptp(points, axis=0)))


def mass_of(*meshes: trimesh.Trimesh) -> LinkMass:
    narrow = narrow_of(*meshes)
    return link_mass(meshes, density=1.0, thickness=THICKNESS, narrow=narrow)


def fills(point: tuple[float, ...], *meshes: trimesh.Trimesh) -> bool:
    """Tell whether a convex part of a link holds a point."""
    pieces = [Piece(np.asarray(m.vertices), np.asarray(m.faces)) for m in meshes]
    found = link_parts(pieces, most=64, narrow=narrow_of(*meshes))
    hulls = [trimesh.Trimesh(h.vertices, h.faces, process=False).convex_hull for h in found.hulls]
    reach = [
        (hull.face_normals * (np.array(point) - hull.triangles[:, 0])).sum(axis=1).max()
        for hull in hulls
    ]
    return min(reach) <= 0


def reading_of(mesh: trimesh.Trimesh) -> Reading:
    cells = cells_around(np.asarray(mesh.triangles), 24)
    surface = clean_surface([mesh])
    assert surface is not None
    surface = replace(surface, vertices=surface.vertices * surface.length + surface.center)
    caps, loops = caps_of(surface), surface.rims.loops
    return read_sheet(Open(surface.vertices, surface.faces, caps, loops), cells)


def test_a_carton_is_hollow_in_both() -> None:
    found = mass_of(carton(1, 1, 1))
    assert found.method == "shell"
    assert found.body.mass == pytest.approx(5 * THICKNESS)
    assert found.error == 1.0
    assert not fills((0.02, 0.03, 0.1), carton(1, 1, 1))


def test_a_box_with_a_small_hole_is_solid_in_both() -> None:
    found = mass_of(pricked())
    assert found.method == "winding"
    assert found.body.mass == pytest.approx(1.0, rel=found.error)
    assert found.error < 0.01
    assert fills((0.02, 0.03, 0.1), pricked())


def test_a_bowl_is_hollow_in_both() -> None:
    found = mass_of(bowl())
    assert found.method == "shell"
    assert found.body.mass == pytest.approx(bowl().area * THICKNESS)
    assert found.error == 1.0
    assert not fills((0.02, 0.03, -0.1), bowl())


def test_a_covered_carton_is_solid_in_both() -> None:
    # A board whose upper face was left out, because another board lies on it.
    lid = trimesh.creation.box((1.2, 1.2, 0.1))
    lid.apply_translation([0, 0, 0.55])
    found = mass_of(carton(1, 1, 1), lid)
    assert found.method == "winding"
    assert found.body.mass == pytest.approx(1 + 1.2 * 1.2 * 0.1, rel=found.error)
    assert found.error < 0.05
    assert fills((0.02, 0.03, 0.1), carton(1, 1, 1), lid)


def test_a_double_wall_is_solid_and_what_it_surrounds_is_hollow() -> None:
    gap = 0.03
    found = mass_of(double_wall(gap))
    assert found.method == "winding"
    wall = 1 - (1 - 2 * gap) ** 2 * (1 - gap)
    assert found.body.mass == pytest.approx(wall, rel=1e-6)
    # The slit between the tops is a doubtful mouth, so the error covers two sheets.
    sheets = THICKNESS * double_wall(gap).area
    assert found.error >= 1 - sheets / wall
    assert not fills((0.02, 0.03, 0.1), double_wall(gap))


def test_a_flat_plate_has_no_room_whichever_way_it_is_turned() -> None:
    plate = mesh_of(trimesh.creation.box((1, 2, 0)), np.arange(12) >= 12)
    for angle in (0.0, 0.4):
        turned = plate.copy()
        turned.apply_transform(trimesh.transformations.rotation_matrix(angle, [1, 2, 3]))
        surface = clean_surface([turned])
        assert surface is not None
        found = find_hollows(surface, find_shells(surface), 0.0)
        assert not found.hollow.any()
        assert not found.doubtful.any()


def test_a_thin_board_without_its_back_is_solid_but_doubtful() -> None:
    # Width of the room: twice the volume of 0.01 over the area of one face and the edges.
    board = carton(1, 1, 0.01)
    reading = reading_of(board)
    assert reading.width == pytest.approx(2 * 0.01 / (1 + 4 * 0.01), rel=0.1)
    found = mass_of(board)
    assert found.method == "winding"
    assert found.body.mass == pytest.approx(0.01, rel=0.01)
    # As a tray it would be a sheet of this mass; that is what the error covers.
    assert found.error >= 1 - THICKNESS * 1.04 / 0.01


def test_the_mouth_is_the_share_of_the_boundary() -> None:
    assert reading_of(carton(1, 1, 1)).mouth == pytest.approx(1 / 6, rel=0.1)
    # A square mouth of 2 x 1 and four walls, on a grid with a hundredth of a cell to spare.
    assert reading_of(carton(2, 1, 1)).mouth == pytest.approx(2 / 10, rel=0.1)
    assert reading_of(trimesh.creation.box((1, 1, 1))).mouth == 0.0


@pytest.mark.parametrize("share", [0.02, 0.05])
def test_holes_all_around_are_no_mouth(share: float) -> None:
    ball = trimesh.creation.icosphere(subdivisions=4, radius=0.5)
    some = np.random.default_rng(5).random(len(ball.faces)) < share
    reading = reading_of(mesh_of(ball, some))
    assert reading.reached > 0.9  # the air gets in,
    assert not reading.is_hollow(0.0)  # but nothing else does
