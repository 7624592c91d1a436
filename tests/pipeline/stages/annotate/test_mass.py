# SPDX-License-Identifier: Apache-2.0
"""Mass, center and inertia of links against closed forms, and the method that gave them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pipeline.stages.annotate.mass import LinkMass, link_mass
from pipeline.stages.annotate.moments import is_physical

DENSITY, THICKNESS = 700.0, 0.01
PLACES = [(0, 0, 0), (3, -2, 1), (-40, 50, 60)]


def mass_of(*meshes: trimesh.Trimesh) -> LinkMass:
    """Return the mass of a link with the given meshes."""
    return link_mass(meshes, density=DENSITY, thickness=THICKNESS)


def placed(mesh: trimesh.Trimesh, place: tuple[float, ...], turn: np.ndarray) -> trimesh.Trimesh:
    """Return the mesh turned and moved."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn, place
    return mesh.copy().apply_transform(matrix)


TURN = Rotation.from_euler("xyz", [0.3, 0.7, -1.1]).as_matrix()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("turn", [np.eye(3), TURN])
def test_a_box_has_the_closed_form(place: tuple[float, ...], turn: np.ndarray) -> None:
    a, b, c = 0.5, 1.2, 0.3
    found = mass_of(placed(trimesh.creation.box((a, b, c)), place, turn))
    mass = DENSITY * a * b * c
    tensor = mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    assert (found.method, found.watertight) == ("volume", True)
    assert found.body.mass == pytest.approx(mass)
    assert found.body.center == pytest.approx(np.array(place), abs=1e-9)
    assert found.body.inertia == pytest.approx(turn @ tensor @ turn.T, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("place", PLACES)
def test_a_fine_cylinder_approaches_the_closed_form(place: tuple[float, ...]) -> None:
    r, h = 0.4, 1.5
    found = mass_of(
        placed(trimesh.creation.cylinder(radius=r, height=h, sections=720), place, TURN)
    )
    mass = DENSITY * math.pi * r * r * h
    across = mass * (3 * r * r + h * h) / 12
    tensor = TURN @ np.diag([across, across, mass * r * r / 2]) @ TURN.T
    assert found.method == "volume"
    assert found.body.mass == pytest.approx(mass, rel=1e-4)
    assert found.body.center == pytest.approx(np.array(place), abs=1e-8)
    assert found.body.inertia == pytest.approx(tensor, rel=1e-3, abs=1e-4 * across)


@pytest.mark.parametrize("place", PLACES)
def test_a_fine_sphere_approaches_the_closed_form(place: tuple[float, ...]) -> None:
    r = 0.6
    found = mass_of(placed(trimesh.creation.icosphere(subdivisions=5, radius=r), place, TURN))
    mass = DENSITY * 4 / 3 * math.pi * r**3
    assert found.body.mass == pytest.approx(mass, rel=2e-3)
    assert found.body.inertia == pytest.approx(np.eye(3) * 0.4 * mass * r * r, rel=4e-3, abs=1e-3)


def test_a_box_turned_inside_out_is_the_same_box() -> None:
    box = trimesh.creation.box((1, 2, 3))
    inverted = trimesh.Trimesh(box.vertices, box.faces[:, ::-1], process=False)
    assert mass_of(inverted).body.mass == pytest.approx(mass_of(box).body.mass)
    assert mass_of(inverted).method == "volume"


def test_a_box_of_loose_triangles_is_closed_once_corners_are_merged() -> None:
    box = trimesh.creation.box((1, 2, 3))
    loose = trimesh.Trimesh(
        box.triangles.reshape(-1, 3), np.arange(36).reshape(-1, 3), process=False
    )
    found = mass_of(loose)
    assert (found.method, found.watertight) == ("volume", True)
    assert found.body.mass == pytest.approx(6 * DENSITY)


def test_two_meshes_are_one_body() -> None:
    one, two = trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1))
    two.apply_translation([4, 0, 0])
    body = mass_of(one, two).body
    assert body.mass == pytest.approx(2 * DENSITY)
    assert body.center == pytest.approx([2, 0, 0])
    single = DENSITY / 6  # a unit cube: m (1 + 1) / 12
    assert np.diag(body.inertia) == pytest.approx(
        [2 * single, 2 * single + 2 * DENSITY * 4, 2 * single + 2 * DENSITY * 4]
    )


def test_a_closed_box_in_two_colors_is_one_volume() -> None:
    box = trimesh.creation.box((1, 2, 3))
    parts = [
        trimesh.Trimesh(box.vertices, faces, process=False) for faces in np.split(box.faces, [3])
    ]
    found = mass_of(*parts)
    assert (found.method, found.watertight) == ("volume", True)
    assert found.body.mass == pytest.approx(6 * DENSITY)
    assert found.body.inertia == pytest.approx(mass_of(box).body.inertia)


def test_a_box_without_a_lid_is_five_sheets_and_the_error_covers_a_solid() -> None:
    box = trimesh.creation.box((1, 2, 3))
    sides = box.faces[box.face_normals[:, 2] < 0.5]
    found = mass_of(trimesh.Trimesh(box.vertices, sides, process=False))
    assert (found.method, found.watertight) == ("shell", False)
    areas = {"floor": 1 * 2, "long": 2 * (2 * 3), "short": 2 * (1 * 3)}
    assert found.body.mass == pytest.approx(DENSITY * THICKNESS * sum(areas.values()))
    # The floor is at -1.5, and the walls are centered at 0.
    height = -1.5 * areas["floor"] / sum(areas.values())
    assert found.body.center == pytest.approx([0, 0, height])
    assert found.error == 1.0  # a solid would be many times as heavy


def test_a_box_with_a_small_hole_is_measured_by_winding_number_with_an_error() -> None:
    box = trimesh.creation.box((1, 2, 3))
    pricked = trimesh.creation.box((1, 2, 3)).subdivide().subdivide().subdivide()
    found = mass_of(trimesh.Trimesh(pricked.vertices, pricked.faces[1:], process=False))
    assert (found.method, found.watertight) == ("winding", False)
    assert 0 < found.error < 0.02
    assert found.body.mass == pytest.approx(6 * DENSITY, rel=found.error)
    whole = mass_of(box).body.inertia
    assert np.linalg.norm(found.body.inertia - whole) < found.error * np.linalg.norm(whole)


@pytest.mark.parametrize("turn", [np.eye(3), TURN])
@pytest.mark.parametrize("place", PLACES)
def test_a_flat_plate_is_a_box_of_the_shells_thickness(
    place: tuple[float, ...], turn: np.ndarray
) -> None:
    a, b, t = 1.0, 2.0, THICKNESS
    corners = [(-a / 2, -b / 2, 0), (a / 2, -b / 2, 0), (a / 2, b / 2, 0), (-a / 2, b / 2, 0)]
    plate = trimesh.Trimesh(corners, [(0, 1, 2), (0, 2, 3)], process=False)
    found = mass_of(placed(plate, place, turn))
    mass = DENSITY * a * b * t
    tensor = mass / 12 * np.diag([b * b + t * t, a * a + t * t, a * a + b * b])
    assert (found.method, found.watertight) == ("shell", False)
    assert found.body.mass == pytest.approx(mass)
    assert found.body.center == pytest.approx(np.array(place), abs=1e-9)
    assert found.body.inertia == pytest.approx(turn @ tensor @ turn.T, rel=1e-7, abs=1e-8)


@given(
    st.lists(
        st.tuples(*[st.floats(-2, 2).map(lambda x: round(x, 3))] * 3), min_size=4, max_size=12
    ),
    st.randoms(use_true_random=False),
)
def test_any_triangles_give_a_physical_body(points: list, random: object) -> None:
    count = len(points)
    faces = [random.sample(range(count), 3) for _ in range(count)]  # type: ignore[attr-defined]
    found = mass_of(trimesh.Trimesh(np.array(points), faces, process=False))
    assert found.body.mass > 0
    assert is_physical(found.body) or found.method == "negligible"
    assert np.linalg.eigvalsh(found.body.inertia)[0] > 0
    if found.method == "volume":
        assert found.watertight


@pytest.mark.parametrize(
    "meshes",
    [
        [],
        [trimesh.Trimesh(np.ones((3, 3)), [(0, 1, 2)], process=False)],
        [trimesh.Trimesh([(0, 0, 0), (1, 1, 1), (2, 2, 2)], [(0, 1, 2)], process=False)],
    ],
)
def test_what_has_no_area_gets_a_negligible_body_that_simulators_accept(meshes: list) -> None:
    found = mass_of(*meshes)
    assert found.method == "negligible"
    assert 0 < found.body.mass <= 1e-3
    assert is_physical(found.body)
