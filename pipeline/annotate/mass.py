# SPDX-License-Identifier: Apache-2.0
"""Mass, center and inertia of a link; the method that gave them is always recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import trimesh

from aa_dataset.kinematics import RigidBody, merge_bodies

# A link without geometry (the carrier of a screw) needs a body that simulators accept.
NEGLIGIBLE_MASS = 1e-6
NEGLIGIBLE_INERTIA = 1e-9
# A closed mesh below this share of its hull's volume has no inside worth integrating.
HOLLOW_SHARE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class LinkMass:
    """A link's body in the object frame at rest, and how it was found."""

    body: RigidBody
    method: str
    watertight: bool


def link_mass(meshes: Sequence[trimesh.Trimesh], *, density: float, thickness: float) -> LinkMass:
    """Return the body of one link.

    Parameters
    ----------
    meshes : sequence of Trimesh
        Visual geometry in the object frame at rest.
    density : float [kg/m^3]
        Uniform.
    thickness : float [m]
        Of a shell, for geometry that encloses nothing.

    Notes
    -----
    The methods, in order: ``volume`` (exact integrals of closed meshes), ``hull`` (convex hull of
    an open mesh), ``shell`` (area times thickness, for flat geometry), ``negligible``.
    """
    merged = [_cleaned(mesh) for mesh in meshes]
    watertight = bool(merged) and all(mesh.is_watertight for mesh in merged)
    if len(merged) > 1 and not watertight:
        # A closed body in two colors is two open meshes: together they may enclose a volume.
        whole = _cleaned(trimesh.util.concatenate(merged))
        merged = [whole] if whole.is_volume else merged
    methods: list[tuple[str, Callable[[trimesh.Trimesh], RigidBody | None]]] = [
        ("volume", lambda mesh: _volume(mesh, density)),
        ("hull", lambda mesh: _hull(mesh, density)),
        ("shell", lambda mesh: _shell(mesh, density, thickness)),
    ]
    for name, measure in methods:
        bodies = [measure(mesh) for mesh in merged]
        if bodies and all(body is not None and is_physical(body) for body in bodies):
            return LinkMass(merge_bodies([b for b in bodies if b is not None]), name, watertight)
    return LinkMass(_negligible(merged), "negligible", watertight)


def is_physical(body: RigidBody) -> bool:
    """Tell whether the inertia is positive definite and obeys the triangle inequality."""
    low, middle, high = np.linalg.eigvalsh(body.inertia)
    return bool(low > 0 and high <= (low + middle) * (1 + 1e-9))


def _cleaned(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Merge vertices at one place and drop faces that are lines or repeated."""
    clean = trimesh.Trimesh(mesh.vertices, mesh.faces, process=True)
    clean.update_faces(clean.nondegenerate_faces() & clean.unique_faces())
    clean.remove_unreferenced_vertices()
    return clean


def _volume(mesh: trimesh.Trimesh, density: float) -> RigidBody | None:
    if not mesh.is_watertight or not mesh.is_winding_consistent:
        return None
    return _integrals(mesh, density)


def _hull(mesh: trimesh.Trimesh, density: float) -> RigidBody | None:
    try:
        with np.errstate(divide="ignore", invalid="ignore"):  # a flat hull encloses nothing
            return _integrals(mesh.convex_hull, density)
    except Exception:  # qhull has its own errors for flat and tiny input
        return None


def _integrals(mesh: trimesh.Trimesh, density: float) -> RigidBody | None:
    """Integrate about the box center: far from it the integrals lose their digits."""
    center = mesh.bounds.mean(axis=0)
    moved = trimesh.Trimesh(mesh.vertices - center, mesh.faces, process=False)
    if moved.volume < 0:
        moved.invert()
    box = float(np.prod(moved.extents))
    if not np.isfinite(moved.volume) or moved.volume <= HOLLOW_SHARE * box or box == 0:
        return None
    moved.density = density
    found = moved.mass_properties
    return RigidBody(found.mass, np.asarray(found.center_mass) + center, np.asarray(found.inertia))


def _shell(mesh: trimesh.Trimesh, density: float, thickness: float) -> RigidBody | None:
    """Return the body of a surface of uniform thickness, exact for every triangle's midplane."""
    triangles = np.asarray(mesh.triangles, dtype=float)
    areas = np.asarray(mesh.area_faces)
    mass = density * thickness * float(areas.sum())
    if not mass > 0:
        return None
    weights = areas / areas.sum()
    center = weights @ triangles.mean(axis=1)
    corners = triangles - center
    # Second moment of a triangle: (sum of corners' outer products + outer product of the sum) / 12.
    total = corners.sum(axis=1)
    second = np.einsum("n,nki,nkj->ij", weights, corners, corners)
    second = mass * (second + np.einsum("n,ni,nj->ij", weights, total, total)) / 12
    normals = np.asarray(mesh.face_normals)
    second += mass * thickness**2 / 12 * np.einsum("n,ni,nj->ij", weights, normals, normals)
    return RigidBody(mass, center, np.trace(second) * np.eye(3) - second)


def _negligible(meshes: Sequence[trimesh.Trimesh]) -> RigidBody:
    points = [mesh.vertices for mesh in meshes if len(mesh.vertices)]
    center = np.concatenate(points).mean(axis=0) if points else np.zeros(3)
    return RigidBody(NEGLIGIBLE_MASS, center, NEGLIGIBLE_INERTIA * np.eye(3))
