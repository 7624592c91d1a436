# SPDX-License-Identifier: Apache-2.0
"""Six solids with closed forms, and the ways in which their meshes are damaged."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import trimesh
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics import RigidBody, merge_bodies

DENSITY = 700.0
# Off every origin and axis, so that nothing is correct by symmetry.
PLACE = np.array([1.0, -2.0, 3.0])
TURN = Rotation.from_euler("xyz", [0.3, 0.7, -1.1]).as_matrix()
SIDES = {"+x": (1, 0, 0), "-x": (-1, 0, 0), "+y": (0, 1, 0), "-y": (0, -1, 0),
         "+z": (0, 0, 1), "-z": (0, 0, -1)}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A mesh about its own origin and the body that it must have there."""

    name: str
    mesh: trimesh.Trimesh
    body: RigidBody


def solids() -> list[Solid]:
    """Return box, cylinder, sphere, hollow drawer, rod and plate, of a few hundred faces each."""
    drawer = (0.5, 0.4, 0.2, 0.01)
    return [
        Solid("box", _fine(trimesh.creation.box((0.6, 0.4, 0.5)), 3), _box(0.6, 0.4, 0.5)),
        _prism("cylinder", radius=0.3, height=0.8, sides=48, fineness=1),
        _sphere(),
        Solid("hollow drawer", _fine(_drawer_mesh(*drawer), 2), _drawer(*drawer)),
        _prism("rod", radius=0.005, height=1.0, sides=24, fineness=2),
        Solid("plate", _fine(trimesh.creation.box((1.0, 0.7, 0.01)), 3), _box(1.0, 0.7, 0.01)),
    ]


def damages(solid: Solid, seeds: int) -> Iterator[tuple[str, trimesh.Trimesh]]:
    """Yield every damage by its name, the random ones once per seed."""
    vertices, faces = solid.mesh.vertices, np.asarray(solid.mesh.faces)
    yield "none", _mesh(vertices, faces)
    yield "inverted", _mesh(vertices, faces[:, ::-1])
    for seed in range(seeds):
        some = np.random.default_rng(seed).random(len(faces))
        order = np.argsort(some)
        flipped = np.where((some < 0.3)[:, None], faces[:, ::-1], faces)
        yield "30 % flipped", _mesh(vertices, flipped)
        for share in (1, 10):
            gone = max(len(faces) * share // 100, 1)
            yield f"{share} % removed", _mesh(vertices, faces[np.sort(order[gone:])])
    for direction in SIDES.values():
        yield "one side open", _mesh(vertices, faces[~_side(solid.mesh, np.array(direction))])
    yield "doubled", _mesh(vertices, np.concatenate([faces, faces]))
    yield "doubled", _mesh(vertices, np.concatenate([faces, faces[:, ::-1]]))
    copies = np.concatenate([faces, faces[:, ::-1] + len(vertices)])
    yield "doubled", _mesh(np.concatenate([vertices, vertices]), copies)


def placed(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return the mesh in the pose of the tests."""
    return _mesh(np.asarray(mesh.vertices) @ TURN.T + PLACE, mesh.faces)


def placed_body(body: RigidBody) -> RigidBody:
    """Return the body in the pose of the tests, with their density."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = TURN, PLACE
    return RigidBody(DENSITY * body.mass, body.center, DENSITY * body.inertia).moved(matrix)


def _mesh(vertices: np.ndarray, faces: np.ndarray) -> trimesh.Trimesh:
    return trimesh.Trimesh(np.asarray(vertices), np.asarray(faces), process=False)


def _fine(mesh: trimesh.Trimesh, times: int) -> trimesh.Trimesh:
    for _ in range(times):
        mesh = mesh.subdivide()
    return mesh


def _side(mesh: trimesh.Trimesh, direction: np.ndarray) -> np.ndarray:
    """Return which faces point in a direction and are at that end, as one side of the solid."""
    along = mesh.triangles_center @ direction
    reach = float(np.ptp(mesh.vertices @ direction))
    return (mesh.face_normals @ direction > 0.8) & (along > along.max() - 0.15 * reach)


def _box(a: float, b: float, c: float, center: tuple[float, ...] = (0, 0, 0)) -> RigidBody:
    tensor = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 12
    return RigidBody(a * b * c, np.array(center, dtype=float), a * b * c * tensor)


def _prism(name: str, *, radius: float, height: float, sides: int, fineness: int) -> Solid:
    """Return a cylinder as the mesh has it: a prism over a regular polygon, in closed form."""
    mesh = trimesh.creation.cylinder(radius=radius, height=height, sections=sides)
    turn = 2 * math.pi / sides
    area = sides / 2 * radius**2 * math.sin(turn)
    polar = area * radius**2 * (2 + math.cos(turn)) / 6
    across = height * polar / 2 + area * height**3 / 12
    body = RigidBody(area * height, np.zeros(3), np.diag([across, across, height * polar]))
    return Solid(name, _fine(mesh, fineness), body)


def _sphere() -> Solid:
    """Return a sphere of facets; what facets cut off a sphere has no closed form.

    Another library integrates the undamaged facets; a test compares them with the sphere.
    """
    mesh = trimesh.creation.icosphere(subdivisions=3, radius=0.35)
    found = mesh.mass_properties
    return Solid("sphere", mesh, RigidBody(found.mass, found.center_mass, found.inertia))


def _drawer(a: float, b: float, c: float, t: float) -> RigidBody:
    """Return floor and four walls of thickness t, no top, as boxes that do not overlap."""
    floor = _box(a, b, t, (0, 0, (t - c) / 2))
    long = [_box(t, b, c - t, (s * (a - t) / 2, 0, t / 2)) for s in (-1, 1)]
    short = [_box(a - 2 * t, t, c - t, (0, s * (b - t) / 2, t / 2)) for s in (-1, 1)]
    return merge_bodies([floor, *long, *short])


def _drawer_mesh(a: float, b: float, c: float, t: float) -> trimesh.Trimesh:
    """Return the drawer as one closed surface: outside, inside and the rim between them."""
    outer, inner = trimesh.creation.box((a, b, c)), trimesh.creation.box((a - 2 * t, b - 2 * t, c))
    hollow = inner.vertices * [1, 1, 1]
    hollow[inner.vertices[:, 2] < 0, 2] += t
    sides = [m.faces[m.face_normals[:, 2] < 0.5] for m in (outer, inner)]
    rim = []
    top = [k for k in range(8) if outer.vertices[k, 2] > 0]
    top.sort(key=lambda k: math.atan2(outer.vertices[k, 1], outer.vertices[k, 0]))
    for one, two in zip(top, top[1:] + top[:1], strict=True):
        rim += [(one, two, two + 8), (one, two + 8, one + 8)]
    faces = np.concatenate([sides[0], sides[1][:, ::-1] + 8, rim])
    return _mesh(np.concatenate([outer.vertices, hollow]), faces)
