# SPDX-License-Identifier: Apache-2.0
"""Several shells in one link: overlaps count once, cavities are empty, sheets add their own."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from aa_dataset.kinematics import RigidBody
from pipeline.stages.annotate import solids
from pipeline.stages.annotate.accuracy import relative_error
from pipeline.stages.annotate.mass import LinkMass, link_mass
from pipeline.stages.annotate.surface import clean_surface

THICKNESS = 0.01


def block(lower: tuple[float, ...], upper: tuple[float, ...]) -> trimesh.Trimesh:
    """Return the box between two corners."""
    mesh = trimesh.creation.box(np.subtract(upper, lower))
    mesh.apply_translation((np.add(lower, upper)) / 2)
    return mesh


def moments(lower: tuple[float, ...], upper: tuple[float, ...]) -> tuple[float, ...]:
    """Return volume, first moments and second moments (3, 3) of the box, in closed form."""
    a, b = np.asarray(lower, float), np.asarray(upper, float)
    if (b <= a).any():
        return 0.0, np.zeros(3), np.zeros((3, 3))  # type: ignore[return-value]
    volume, middle = float(np.prod(b - a)), (a + b) / 2
    second = volume * (np.outer(middle, middle) + np.diag((b - a) ** 2) / 12)
    return volume, volume * middle, second  # type: ignore[return-value]


def body(*parts: tuple[int, tuple[float, ...], tuple[float, ...]]) -> RigidBody:
    """Return the body of signed boxes."""
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for sign, lower, upper in parts:
        v, f, s = moments(lower, upper)
        volume, first, second = volume + sign * v, first + sign * f, second + sign * s
    center = first / volume
    second = second - volume * np.outer(center, center)
    return RigidBody(volume, center, np.trace(second) * np.eye(3) - second)


def mass_of(*meshes: trimesh.Trimesh) -> LinkMass:
    """Return the body of density one."""
    return link_mass(meshes, density=1.0, thickness=THICKNESS)


def assert_same(found: RigidBody, expected: RigidBody, rel: float = 1e-9) -> None:
    """Compare two bodies."""
    assert found.mass == pytest.approx(expected.mass, rel=rel)
    assert found.center == pytest.approx(expected.center, abs=rel)
    size = rel * np.linalg.norm(expected.inertia)
    assert found.inertia == pytest.approx(expected.inertia, abs=size)


def inverted(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return the mesh with every face turned over."""
    return trimesh.Trimesh(mesh.vertices, mesh.faces[:, ::-1], process=False)


def joined(*meshes: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return one mesh, as `normalize` joins parts of one color."""
    return trimesh.util.concatenate(meshes)


A = ((0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
B = ((0.5, 1.0, 1.0), (2.0, 3.0, 2.0))
BOTH = ((0.5, 1.0, 1.0), (1.0, 2.0, 2.0))
INNER = ((0.25, 0.5, 0.5), (0.75, 1.5, 2.5))
CORE = ((0.4, 0.7, 0.7), (0.6, 1.0, 1.0))


@pytest.mark.parametrize("one_mesh", [False, True])
def test_what_two_parts_share_counts_once(one_mesh: bool) -> None:
    parts = [block(*A), block(*B)]
    found = mass_of(*([joined(*parts)] if one_mesh else parts))
    assert found.method == "volume"
    assert_same(found.body, body((1, *A), (1, *B), (-1, *BOTH)))


@given(st.lists(st.tuples(*[st.tuples(*[st.integers(0, 5)] * 3)] * 2), min_size=2, max_size=4))
@settings(max_examples=40, deadline=None)
def test_boxes_on_a_grid_unite_as_their_cells_do(corners: list) -> None:
    parts = [(np.minimum(a, b), np.maximum(a, b) + 1) for a, b in corners]
    cells = {
        tuple(cell)
        for lower, upper in parts
        for cell in np.argwhere(np.ones(upper - lower)) + lower
    }
    found = mass_of(*(block(*part) for part in parts))
    expected = body(*((1, cell, tuple(np.add(cell, 1))) for cell in sorted(cells)))
    assert found.method == "volume"
    assert_same(found.body, expected, rel=1e-7)


def test_a_part_inside_another_adds_nothing() -> None:
    found = mass_of(block(*A), block(*INNER))
    assert found.method == "volume"
    assert_same(found.body, body((1, *A)))


@pytest.mark.parametrize("inside_out", [False, True])
def test_a_shell_that_faces_inward_inside_another_is_a_cavity(inside_out: bool) -> None:
    hollow = joined(block(*A), inverted(block(*INNER)))
    found = mass_of(inverted(hollow) if inside_out else hollow)
    assert found.method == "volume"
    assert_same(found.body, body((1, *A), (-1, *INNER)))


def test_a_part_within_a_cavity_counts_and_a_part_across_its_wall_counts_once() -> None:
    hollow = joined(block(*A), inverted(block(*INNER)))
    found = mass_of(hollow, block(*CORE))
    assert_same(found.body, body((1, *A), (-1, *INNER), (1, *CORE)))
    rod = ((0.4, 0.7, 1.0), (0.6, 1.0, 4.0))  # from the cavity through the wall to the outside
    found = mass_of(hollow, block(*rod))
    wall = ((0.4, 0.7, 2.5), (0.6, 1.0, 3.0))
    assert_same(found.body, body((1, *A), (-1, *INNER), (1, *rod), (-1, *wall)))


def test_an_inverted_part_beside_another_is_no_cavity() -> None:
    away = ((5.0, 0.0, 0.0), (6.0, 1.0, 1.0))
    found = mass_of(block(*A), inverted(block(*away)))
    assert_same(found.body, body((1, *A), (1, *away)))
    found = mass_of(block(*A), inverted(block(*B)))
    assert_same(found.body, body((1, *A), (1, *B), (-1, *BOTH)))


def test_parts_that_touch_with_a_whole_side_are_summed() -> None:
    beside = ((1.0, 0.0, 0.0), (2.0, 2.0, 3.0))
    found = mass_of(joined(block(*A), block(*beside)))
    assert found.method == "volume"
    assert_same(found.body, body((1, *A), (1, *beside)))


def test_a_part_stored_twice_counts_once() -> None:
    for copy in (block(*A), inverted(block(*A))):
        found = mass_of(block(*A), copy)
        assert found.method == "volume"
        assert_same(found.body, body((1, *A)))


def test_an_open_part_that_overlaps_a_closed_one_counts_once() -> None:
    fine = block(*B).subdivide().subdivide().subdivide()
    far = fine.triangles_center[:, 0].argmax()  # in the side that is not in A
    opened = trimesh.Trimesh(fine.vertices, np.delete(fine.faces, far, axis=0), process=False)
    found = mass_of(block(*A), opened)
    assert found.method == "winding"
    assert 0 < found.error < 0.1
    assert_same(found.body, body((1, *A), (1, *B), (-1, *BOTH)), rel=found.error)


def test_a_flat_label_on_a_solid_adds_a_sheet_and_its_share_is_the_error() -> None:
    sheet = trimesh.Trimesh(
        [(0, 0, 3.5), (1, 0, 3.5), (1, 2, 3.5), (0, 2, 3.5)], [(0, 1, 2), (0, 2, 3)], process=False
    )
    found = mass_of(block(*A), sheet)
    half = THICKNESS / 2
    assert (found.method, found.watertight) == ("volume+shell", False)
    assert_same(found.body, body((1, *A), (1, (0, 0, 3.5 - half), (1, 2, 3.5 + half))))
    assert found.error >= 2 * THICKNESS / found.body.mass


def test_wires_that_span_a_volume_are_measured_by_their_hull() -> None:
    corners = block(*A).vertices
    wires = [(a, b, a) for a in range(8) for b in range(a)]
    # Three different vertices on one line: no area, and nothing to weld.
    points = np.concatenate([corners, [(corners[a] + corners[b]) / 2 for a, b, _ in wires]])
    faces = [(a, b, 8 + k) for k, (a, b, _) in enumerate(wires)]
    found = mass_of(trimesh.Trimesh(points, faces, process=False))
    assert (found.method, found.error) == ("hull", 1.0)
    assert_same(found.body, body((1, *A)))


def test_a_union_that_the_boolean_refuses_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solids, "_boolean_union", lambda *_: None)
    found = mass_of(block(*A), block(*B))
    assert (found.method, found.watertight) == ("winding", True)
    assert 0 < found.error < 0.1
    assert_same(found.body, body((1, *A), (1, *B), (-1, *BOTH)), rel=found.error)


def test_boxes_that_share_an_edge_in_the_file_are_two_solids() -> None:
    beside = ((1.0, 2.0, 0.0), (2.0, 3.0, 3.0))  # touches A along one edge only
    welded = joined(block(*A), block(*beside))
    welded.merge_vertices()
    assert len(welded.vertices) == 8 + 8 - 2
    found = mass_of(welded)
    assert found.method == "volume"
    assert_same(found.body, body((1, *A), (1, *beside)))


@pytest.mark.parametrize("over", [0, 1])
def test_a_mirrored_part_that_crosses_a_wall_is_added_and_not_cut_out(over: int) -> None:
    """Its first face is within the wall, and its box within the tray's, but it is no cavity."""
    walls = [
        ((0, 0, 0), (1, 1, 0.05)),
        ((0, 0, 0), (1, 0.05, 1)),
        ((0, 0.95, 0), (1, 1, 1)),
        ((0, 0, 0), (0.05, 1, 1)),
        ((0.95, 0, 0), (1, 1, 1)),
    ]
    tray = trimesh.boolean.union([block(*wall) for wall in walls], engine="manifold")
    knob = block((0.02, 0.4, 0.4), (0.22, 0.6, 0.6))
    parts = (inverted(tray), knob) if over else (tray, inverted(knob))
    floor = (1, (0, 0, 0), (1, 1, 0.05))
    long = [(1, (0, y, 0.05), (1, y + 0.05, 1)) for y in (0, 0.95)]
    short = [(1, (x, 0.05, 0.05), (x + 0.05, 0.95, 1)) for x in (0, 0.95)]
    inner = (1, (0.05, 0.4, 0.4), (0.22, 0.6, 0.6))
    found = mass_of(*parts)
    assert found.method == "volume"
    assert_same(found.body, body(floor, *long, *short, inner), rel=1e-6)


def test_a_second_skin_with_other_diagonals_adds_nothing_whichever_way_it_faces() -> None:
    box = block((0, 0, 0), (1, 1, 1))
    x, y, z = box.vertices.T
    turned = trimesh.Trimesh(np.column_stack([1 - y, x, z]), box.faces, process=False)
    surface = clean_surface([box, turned])
    assert surface is not None and len(surface.faces) == 24  # the same cube, cut otherwise
    for skin in (turned, inverted(turned)):
        found = mass_of(box, skin)
        assert found.method == "volume"
        assert_same(found.body, body((1, (0, 0, 0), (1, 1, 1))), rel=1e-6)


@pytest.mark.parametrize("shelf", [False, True])
def test_a_cavity_of_an_open_shell_stays_empty(shelf: bool) -> None:
    outer, hollow = ((0, 0, 0), (1, 1, 1)), ((0.1, 0.1, 0.1), (0.9, 0.9, 0.9))
    box = block(*outer)
    lidless = trimesh.Trimesh(box.vertices, box.faces[box.face_normals[:, 2] < 0.5], process=False)
    board = ((0.2, 0.2, 0.4), (0.8, 0.8, 0.5))
    parts = [lidless, inverted(block(*hollow))] + [block(*board)] * shelf
    expected = body((1, *outer), (-1, *hollow), *[(1, *board)] * shelf)
    found = mass_of(*parts)
    assert found.method == "winding"
    assert relative_error(found.body, expected, np.sqrt(3) / 2) < found.error < 0.05


@pytest.mark.parametrize("reach", [0.0, 0.05])
def test_a_mirrored_pane_in_a_frame_is_no_cavity(reach: float) -> None:
    """All corners of the pane lie on, or in, the frame; what is between them does not."""
    frame = trimesh.boolean.difference(
        [block((0, 0, 0), (1, 0.2, 1)), block((0.2, -1, 0.2), (0.8, 1, 0.8))], engine="manifold"
    )
    low, high = 0.2 - reach, 0.8 + reach
    found = mass_of(frame, inverted(block((low, 0.05, low), (high, 0.15, high))))
    whole, hole = ((0, 0, 0), (1, 0.2, 1)), ((0.2, 0, 0.2), (0.8, 0.2, 0.8))
    pane = ((0.2, 0.05, 0.2), (0.8, 0.15, 0.8))
    assert found.method == "volume"
    assert_same(found.body, body((1, *whole), (-1, *hole), (1, *pane)), rel=1e-6)
