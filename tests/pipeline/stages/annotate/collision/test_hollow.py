# SPDX-License-Identifier: Apache-2.0
"""Hollow links in one piece stay hollow: what may enter them is asked of independent geometry."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from aa_dataset.kinematics.urdf import parse_urdf
from pipeline.handover.collisions import COLLISIONS, CollisionShapes
from pipeline.shapes.grid import grid_decimals
from pipeline.shapes.pieces import Piece
from pipeline.stages.annotate.collision.cuts import Cut, Part, divided, sides
from pipeline.stages.annotate.collision.decomposition import MOST_PARTS
from pipeline.stages.annotate.collision.links import LinkParts, convex_parts, link_parts

TURNS = [0.0, 0.35, 1.1]
HEIGHTS = [0.2, 0.2, 0.4]  # of rings, of which two are equal


def parts_of(mesh: trimesh.Trimesh, **options: float) -> LinkParts:
    """Return the convex parts of a mesh, on the grid of an object of about 1 m."""
    piece = Piece(np.round(np.asarray(mesh.vertices), 9) + 0.0, np.asarray(mesh.faces))
    return link_parts([piece], **{"most": 64, "smallest": 1e-6, **options})  # type: ignore[arg-type]


def meshes(found: LinkParts) -> list[trimesh.Trimesh]:
    """Return the parts as meshes, each of them closed and convex."""
    hulls = [trimesh.Trimesh(hull.vertices, hull.faces, process=False) for hull in found.hulls]
    assert all(hull.is_volume and hull.is_convex for hull in hulls)
    return hulls


def is_in(points: np.ndarray, hulls: list[trimesh.Trimesh], slack: float) -> np.ndarray:
    """Tell which points (n, 3) lie in one of the convex parts, or within `slack` [m] of it."""
    found = np.zeros(len(points), dtype=bool)
    for hull in hulls:
        normals, origins = hull.face_normals, hull.triangles[:, 0]
        beyond = points @ normals.T - np.einsum("ij,ij->i", normals, origins)
        found |= beyond.max(axis=1) <= slack
    return found


def turned(mesh: trimesh.Trimesh, turn: float) -> trimesh.Trimesh:
    """Return a mesh, turned about an oblique axis."""
    return mesh.apply_transform(trimesh.transformations.rotation_matrix(turn, (1, 2, 3)))


def drawer(wall: float = 0.02) -> trimesh.Trimesh:
    """Return an open box of 1 x 0.8 x 0.5 m in one piece, with walls of one thickness."""
    inner = trimesh.creation.box((1 - 2 * wall, 0.8 - 2 * wall, 0.5))
    return trimesh.creation.box((1, 0.8, 0.5)).difference(inner.apply_translation([0, 0, wall]))


def open_sheets(*, doubled: bool) -> trimesh.Trimesh:
    """Return the same box of walls without thickness, each drawn once or from both sides."""
    box = trimesh.creation.box((1, 0.8, 0.5))
    box.update_faces(box.face_normals[:, 2] < 0.5)
    faces = np.concatenate([box.faces, box.faces[:, ::-1]]) if doubled else box.faces
    return trimesh.Trimesh(box.vertices, faces, process=False)


def bowl() -> trimesh.Trimesh:
    """Return half a hollow ball."""
    outer, inner = trimesh.creation.icosphere(3), trimesh.creation.icosphere(3, radius=0.9)
    upper = trimesh.creation.box((3, 3, 3)).apply_translation([0, 0, 1.5])
    return outer.difference(inner).difference(upper)


def mug() -> trimesh.Trimesh:
    """Return a cup with a handle, in one piece."""
    cup = trimesh.creation.cylinder(0.5, 1.0)
    hole = trimesh.creation.cylinder(0.45, 1.0).apply_translation([0, 0, 0.05])
    handle = turned_ring(0.3, 0.05).apply_translation([0.62, 0, 0])
    return cup.union(handle).difference(hole)


def turned_ring(major: float, minor: float) -> trimesh.Trimesh:
    """Return a torus that stands upright."""
    ring = trimesh.creation.torus(major, minor)
    return ring.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, (1, 0, 0)))


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("wall", [0.01, 0.02, 0.06])
def test_a_drawer_in_one_piece_becomes_its_five_boards(wall: float, turn: float) -> None:
    mesh = turned(drawer(wall), turn)
    hulls = meshes(parts_of(mesh))
    assert len(hulls) == 5
    # Boards that only touch: their volumes add up to the drawer's own, which is known.
    expected = 1 * 0.8 * 0.5 - (1 - 2 * wall) * (0.8 - 2 * wall) * (0.5 - wall)
    assert sum(hull.volume for hull in hulls) == pytest.approx(expected, rel=1e-5)
    assert is_in(np.asarray(mesh.vertices), hulls, 1e-7).all()


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("doubled", [False, True])
def test_a_box_of_sheets_becomes_five_thin_boxes(turn: float, doubled: bool) -> None:
    mesh = turned(open_sheets(doubled=doubled), turn)
    hulls = meshes(parts_of(mesh))
    assert len(hulls) == 5
    # A sheet becomes a box as thick as a thousandth of its longer side.
    areas = [(1, 0.8), (1, 0.5), (1, 0.5), (0.8, 0.5), (0.8, 0.5)]
    expected = sum(a * b * max(a, b) for a, b in areas) / 1000
    assert sum(hull.volume for hull in hulls) == pytest.approx(expected, rel=1e-2)


@pytest.mark.parametrize(
    ("mesh", "most_filled"),
    [(bowl(), 0.15), (mug(), 0.1), (trimesh.creation.annulus(0.4, 0.5, 0.2), 0.08),
     (trimesh.creation.torus(0.4, 0.06), 0.1), (turned(drawer(), 0.5), 0.001)],
    ids=["bowl", "mug", "ring", "torus", "drawer"],
)  # fmt: skip
def test_round_openings_stay_mostly_open_and_the_surface_is_covered(
    mesh: trimesh.Trimesh, most_filled: float
) -> None:
    found = parts_of(mesh)
    hulls = meshes(found)
    assert found.filled == 0
    assert 1 < len(hulls) <= MOST_PARTS
    assert is_in(np.asarray(mesh.vertices), hulls, 1e-7).all()
    points = in_hull(mesh)
    solid = mesh.contains(points)
    held = is_in(points, hulls, 0.0)
    assert (held & ~solid).mean() <= most_filled
    # A hull of all of it would fill every one of them.
    assert (~solid).mean() > 4 * most_filled or most_filled < 0.01
    assert held[solid].mean() > 0.99


def in_hull(mesh: trimesh.Trimesh) -> np.ndarray:
    """Return random points (n, 3) in the hull of a mesh."""
    random = np.random.default_rng(7)
    points = random.uniform(*mesh.bounds, size=(6000, 3))
    return points[is_in(points, [mesh.convex_hull], 0.0)]


def test_a_closed_cavity_needs_no_cut() -> None:
    outer, inner = trimesh.creation.icosphere(3), trimesh.creation.icosphere(3, radius=0.9)
    # Two surfaces, so two components: neither is cut.
    assert len(parts_of(outer.difference(inner)).hulls) == 2


def test_a_convex_body_with_a_scratch_stays_in_one_part() -> None:
    scratch = trimesh.creation.box((0.02, 2, 0.02)).apply_translation([0, 0, 0.5])
    assert len(parts_of(trimesh.creation.box((1, 1, 1)).difference(scratch)).hulls) == 1


def test_a_hollow_below_the_smallest_stays_filled() -> None:
    hollow = 0.96 * 0.76 * 0.48
    assert len(parts_of(drawer(), smallest=1.3 * hollow).hulls) == 1
    assert len(parts_of(drawer(), smallest=0.5 * hollow).hulls) == 5


def test_an_exhausted_budget_reports_the_filled_volume() -> None:
    found = parts_of(drawer(), most=2)
    assert len(found.hulls) == 2
    # Without one board the others still hold the hollow, of which the grid sees a little less.
    assert found.filled == pytest.approx(0.96 * 0.76 * 0.48, rel=0.15)
    assert parts_of(drawer(), most=5).filled == 0


def test_room_goes_to_the_component_that_is_filled_most() -> None:
    small = drawer().apply_scale(0.3).apply_translation([3, 0, 0])
    found = parts_of(trimesh.util.concatenate([small, drawer()]), most=6)
    hulls = meshes(found)
    assert len(hulls) == 6
    assert sum(hull.bounds[1, 0] > 2 for hull in hulls) == 1  # the small one is still whole
    assert found.filled == pytest.approx(0.3**3 * 0.96 * 0.76 * 0.48, rel=0.15)


@pytest.mark.parametrize("mesh", [bowl(), mug(), drawer()], ids=["bowl", "mug", "drawer"])
def test_parts_are_the_same_again(mesh: trimesh.Trimesh) -> None:
    one, two = parts_of(mesh), parts_of(mesh)
    third = link_parts([Piece(hull.vertices, hull.faces) for hull in one.hulls], most=64)
    for other in (two, third):
        assert len(other.hulls) == len(one.hulls)
        for a, b in zip(one.hulls, other.hulls, strict=True):
            assert np.array_equal(a.vertices, b.vertices)
            assert np.array_equal(a.faces, b.faces)


def test_links_of_equal_shapes_have_the_parts_that_each_would_have_alone() -> None:
    pieces = {}
    for name, high in zip("abc", HEIGHTS, strict=True):
        ring = trimesh.creation.annulus(0.5, 1, high)
        pieces[name] = Piece(np.round(ring.vertices, 8) + 0.0, np.asarray(ring.faces))
    shape = '<collision><geometry><mesh filename="{0}"/></geometry></collision>'
    links = "".join(f'<link name="{n}">{shape.format(n)}</link>' for n in pieces)
    model = parse_urdf(f'<robot name="rings">{links}</robot>'.encode())
    files = {COLLISIONS: CollisionShapes(pieces).to_bytes()}
    found = convex_parts(model, files, diagonal=2.0, most=64)
    for name, piece in pieces.items():
        alone = link_parts([piece], most=64, decimals=grid_decimals(2.0), smallest=0.02**3)
        assert len(alone.hulls) > 1
        for one, other in zip(found[name].hulls, alone.hulls, strict=True):
            assert np.array_equal(one.vertices, other.vertices)


def test_cutting_triangles_keeps_their_surface() -> None:
    random = np.random.default_rng(11)
    triangles = random.uniform(0, 10, size=(300, 3, 3))
    triangles[:20, 1, 0] = 5.0  # corners in the plane
    triangles[20:30, :, 0] = 5.0  # triangles in the plane
    triangles[30:40, :2, 0] = 5.0  # edges in the plane
    faces = np.arange(900).reshape(-1, 3)
    part = Part(triangles.reshape(-1, 3), faces, np.zeros(3), np.full(3, 10.0))
    pair = divided(part, Cut(0, 5.0))
    assert pair is not None
    below, above = pair
    for one, points in zip(pair, sides(part, Cut(0, 5.0)) or (), strict=True):
        expected, found = (np.unique(some.round(9), axis=0) for some in (one.points, points))
        assert np.array_equal(expected, found)
    areas = [trimesh.triangles.area(one).sum() for one in (triangles, *(p.triangles for p in pair))]
    assert areas[1] + areas[2] == pytest.approx(areas[0])
    assert below.triangles[..., 0].max() <= 5.0 + 1e-6
    assert above.triangles[..., 0].min() >= 5.0 - 1e-6
    in_plane = below.triangles[(below.triangles[..., 0] == 5.0).all(axis=1)]
    assert (trimesh.triangles.area(in_plane) > 1e-9).sum() == 10


def test_a_needle_of_degenerate_triangles_ends() -> None:
    random = np.random.default_rng(2)
    points = np.round(random.uniform(size=(60, 3)), 9)
    lines = np.stack([np.arange(59), np.arange(1, 60), np.arange(1, 60)], axis=1)
    found = link_parts([Piece(points, lines)], most=64)
    assert is_in(points, meshes(found), 1e-7).all()


@pytest.mark.parametrize("leg", [0.012, 0.02, 0.021, 0.05])
def test_the_room_under_a_table_in_one_piece_is_free(leg: float) -> None:
    top = trimesh.creation.box((1, 0.7, 0.03)).apply_translation([0, 0, 0.715])
    legs = [
        trimesh.creation.box((leg, leg, 0.7)).apply_translation([x * 0.4, y * 0.25, 0.35])
        for x in (-1, 1)
        for y in (-1, 1)
    ]
    found = parts_of(trimesh.boolean.union([top, *legs]))
    assert found.filled == 0
    hulls = meshes(found)
    assert sum(hull.volume for hull in hulls) == pytest.approx(0.021 + 4 * 0.7 * leg**2, rel=0.02)


@pytest.mark.parametrize("count", [3, 8, 12])
def test_a_shelf_in_one_piece_becomes_its_boards(count: int) -> None:
    board, height = 0.02, 1.5
    room = (height - board * (count + 1)) / count
    gaps = [
        trimesh.creation.box((0.35, 0.86, room)).apply_translation(
            [board, 0, -height / 2 + board + room / 2 + n * (room + board)]
        )
        for n in range(count)
    ]
    shelf = trimesh.creation.box((0.35, 0.9, height)).difference(trimesh.boolean.union(gaps))
    found = parts_of(shelf)
    # Back, two sides, and one board more than rooms; a few of them may come in pieces.
    assert count + 4 <= len(found.hulls) <= count + 10
    assert sum(hull.volume for hull in meshes(found)) == pytest.approx(shelf.volume, rel=5e-3)


def test_a_solid_that_is_cut_crosswise_keeps_its_inside() -> None:
    bars = [trimesh.creation.box(np.roll((1.0, 0.3, 0.3), axis)) for axis in range(3)]
    cross = trimesh.boolean.union(bars)
    hulls = meshes(parts_of(cross))
    points = in_hull(cross)
    solid = cross.contains(points)
    assert len(hulls) > 1
    assert is_in(points[solid], hulls, 1e-9).all()


def test_a_flat_frame_keeps_its_hole() -> None:
    outer = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 0.5
    points = np.column_stack([np.concatenate([outer, 0.8 * outer]), np.zeros(8)])
    faces = [(n, (n + 1) % 4, 4 + n) for n in range(4)]
    faces += [((n + 1) % 4, 4 + (n + 1) % 4, 4 + n) for n in range(4)]
    frame = turned(trimesh.Trimesh(points, faces, process=False), 0.4)
    hulls = meshes(parts_of(frame, smallest=1e-9))
    assert 4 <= len(hulls) <= 12
    assert is_in(np.asarray(frame.vertices), hulls, 1e-7).all()
    assert not is_in(np.zeros((1, 3)), hulls, 1e-3).any()


def test_a_large_hollow_is_worth_more_than_small_screws() -> None:
    screws = [
        trimesh.creation.box((0.004, 0.004, 0.004)).apply_translation([0.01 * n, 0, 1])
        for n in range(63)
    ]
    found = parts_of(trimesh.util.concatenate([drawer(), *screws]))
    assert found.filled == 0
    assert (len(found.hulls), found.left_out) == (64, 4)


def heavy_fan(size: float) -> Piece:
    """Return one open component of many triangles, each almost as large as all of it."""
    random = np.random.default_rng(6)
    corner, rim = np.array([(0, 0, 1.0)]), random.uniform(-1, 1, size=(60_000, 3)) * [1, 1, 0]
    fan = np.stack([np.zeros(59_999, int), np.arange(1, 60_000), np.arange(2, 60_001)], axis=1)
    return Piece(np.round(size * np.concatenate([corner, rim]), 9), fan)


def test_triangles_that_cross_too_many_lines_are_reported_and_not_cut() -> None:
    found = link_parts([heavy_fan(1.0)], most=64)
    assert len(found.hulls) == 1
    assert found.filled > 1


def test_a_small_heavy_component_may_make_room_too() -> None:
    whole = drawer()
    piece = Piece(np.round(np.asarray(whole.vertices), 9) + 0.0, np.asarray(whole.faces))
    found = link_parts([piece, heavy_fan(0.01)], most=5)
    assert (len(found.hulls), found.left_out, found.filled) == (5, 1, 0)
