# SPDX-License-Identifier: Apache-2.0
"""Mass, center and inertia of a link; the method that gave them is always recorded.

See the README of this folder for the methods and for the errors that were measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import trimesh

from aa_dataset.kinematics import RigidBody
from pipeline.handover.normalized import DrawnPrimitive
from pipeline.shapes.hulls import hull_of, outward_faces
from pipeline.stages.annotate.accuracy import (
    error_of_absence,
    error_of_displacement,
    relative_error,
)
from pipeline.stages.annotate.closed_forms import ClosedForms, find_closed_forms
from pipeline.stages.annotate.enclosed import Enclosed, enclosed_moments, sheet_moments
from pipeline.stages.annotate.moments import moments_body, tetrahedron_moments
from pipeline.stages.annotate.sheets import find_hollows
from pipeline.stages.annotate.shells import Shells, find_shells
from pipeline.stages.annotate.surface import Surface, clean_surface

# A link without geometry (the carrier of a screw) needs a body that simulators accept.
NEGLIGIBLE_MASS = 1e-6
NEGLIGIBLE_INERTIA = 1e-9
# Open shells that enclose less than this share of the sheet they would be are sheets.
SHEET_SHARE = 0.05
# Bound of the rounding error.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LinkMass:
    """A link's body in the object frame at rest, and how it was found.

    Attributes
    ----------
    body : RigidBody
        Mass, center and inertia.
    method : str
        ``primitive``, ``volume``, ``winding``, ``volume+shell``, ``shell``, ``hull`` or
        ``negligible``.
    error : float
        Estimate of the largest relative error of mass, center (against half the diagonal of the
        link's box) and inertia (Frobenius norm); at most 1: the right order of magnitude at best.
    watertight : bool
        Whether the visual geometry, taken together, is closed.
    """

    body: RigidBody
    method: str
    error: float
    watertight: bool


@dataclass(frozen=True, slots=True)
class Guess:
    """What geometry does not say, in the surface's units: see `link_mass`."""

    thickness: float
    narrow: float


def link_mass(
    meshes: Sequence[trimesh.Trimesh],
    *,
    density: float,
    thickness: float,
    narrow: float = 0.0,
    resolution: float = 0.0,
    primitives: Sequence[DrawnPrimitive] = (),
) -> LinkMass:
    """Return the body of one link.

    Parameters
    ----------
    meshes : sequence of Trimesh
        Visual geometry in the object frame at rest.
    density : float [kg/m^3]
        Uniform.
    thickness : float [m]
        Of a sheet, for geometry that encloses nothing.
    narrow : float [m]
        Width of a room in an open shell that is taken for solid.
    resolution : float [m]
        Largest error of a stored vertex.
    primitives : sequence of DrawnPrimitive
        The primitives whose triangles are among `meshes`, by their place in it.
    """
    surface = clean_surface(meshes)
    if surface is None or not len(surface.faces):
        return _negligible(meshes)
    shells = find_shells(surface)
    slack = resolution / surface.length
    known = find_closed_forms(surface, shells, primitives, slack)
    blurred = float(shells.areas[~known.shells].sum()) * slack
    guess = Guess(thickness / surface.length, narrow / surface.length)
    for body, method, error in _attempts(surface, shells, known, guess):
        if body is not None and _is_within(body, surface):
            error += error_of_displacement(body, blurred) + error_of_absence(body, known.left_out)
            whole = _real(body, surface, density)
            return LinkMass(whole, method, min(error + ROUNDING, 1.0), bool(shells.closed.all()))
    return _negligible(meshes)


def _attempts(
    surface: Surface, shells: Shells, known: ClosedForms, guess: Guess
) -> Iterator[tuple[RigidBody | None, str, float]]:
    """Yield bodies of density one in the surface's units, method and error, the best first."""
    if known.shells.all():
        yield moments_body(known.moments), "primitive", 0.0
    rest = surface.without(known.shells)
    if len(rest.faces):
        yield from _bodies_with_shells(rest, known.moments, guess)
    yield _hull(surface), "hull", 1.0


def _bodies_with_shells(
    surface: Surface, known: np.ndarray, guess: Guess
) -> Iterator[tuple[RigidBody | None, str, float]]:
    """Yield bodies of the known moments (10,) and of everything that the shells enclose."""
    shells = find_shells(surface)
    found = enclosed_moments(surface, shells, known)
    opened, thickness = ~shells.solid, guess.thickness
    thin = opened & (np.abs(shells.moments[:, 0]) <= SHEET_SHARE * thickness * shells.areas)
    sheets = find_hollows(surface, shells, guess.narrow)
    if sheets.hollow.any():
        # Shells around nothing are sheets beside it.
        body, method, error = _with_hollows(surface, sheets.hollow | thin, known, thickness)
        yield body, method, error + _other_reading(body, moments_body(found.moments))
    if not opened.any() and found.exact:
        yield moments_body(found.moments), "volume", 0.0
    least = SHEET_SHARE * thickness * float(shells.areas[opened].sum())
    if found.by_open > least or not found.exact:
        body, error = moments_body(found.moments), found.error
        if sheets.doubtful.any():
            other = _with_hollows(surface, sheets.doubtful | thin, known, thickness)[0]
            error += _other_reading(body, other)
        yield body, "winding", error
    yield _with_sheets(surface, opened, found, thickness)


def _with_hollows(
    surface: Surface, hollow: np.ndarray, known: np.ndarray, thickness: float
) -> tuple[RigidBody | None, str, float]:
    """Return hollow shells (n,) bool as sheets beside what the others enclose."""
    rest, found = surface.without(hollow), Enclosed(known, known)
    if len(rest.faces):
        found = enclosed_moments(rest, find_shells(rest), known)
    sheets = sheet_moments(surface.corners[hollow[surface.shells]], thickness)
    method = "volume+shell" if found.moments[0] > 0 else "shell"
    return moments_body(found.moments + sheets), method, found.error


def _other_reading(body: RigidBody | None, other: RigidBody | None) -> float:
    """Return the error if open shells were meant the other way, as hollows or as solids."""
    if body is None or other is None:
        return 1.0
    return max(relative_error(other, body), relative_error(body, other))


def _with_sheets(
    surface: Surface, opened: np.ndarray, found: Enclosed, thickness: float
) -> tuple[RigidBody | None, str, float]:
    """Return the solids and, as sheets of some thickness, the shells that enclose nothing."""
    corners = surface.corners[opened[surface.shells]]
    body = moments_body(found.by_solids + sheet_moments(corners, thickness))
    solids = moments_body(found.by_solids)
    if body is None or solids is None:
        return body, "shell", 1.0
    # The thickness is a guess, so everything that the sheets add is uncertain.
    return body, "volume+shell", relative_error(solids, body)


def _hull(surface: Surface) -> RigidBody | None:
    """Return the body of the convex hull, for lines and points that span a volume."""
    hull = hull_of(surface.vertices[np.unique(surface.faces)])
    if hull is None:
        return None
    corners = hull.points[outward_faces(hull)]
    return moments_body(tetrahedron_moments(corners).sum(axis=0))


def _is_within(body: RigidBody, surface: Surface) -> bool:
    points = surface.vertices[np.unique(surface.faces)]
    slack = 1e-6
    above = (body.center >= points.min(axis=0) - slack).all()
    return bool(above and (body.center <= points.max(axis=0) + slack).all())


def _real(body: RigidBody, surface: Surface, density: float) -> RigidBody:
    """Return the body in meters and kilograms, in the object frame."""
    scaled = body.scaled(surface.length)
    return RigidBody(
        density * scaled.mass, scaled.center + surface.center, density * scaled.inertia
    )


def _negligible(meshes: Sequence[trimesh.Trimesh]) -> LinkMass:
    points = [np.asarray(mesh.vertices) for mesh in meshes if len(mesh.vertices)]
    center = np.concatenate(points).mean(axis=0) if points else np.zeros(3)
    body = RigidBody(NEGLIGIBLE_MASS, center, NEGLIGIBLE_INERTIA * np.eye(3))
    return LinkMass(body, "negligible", 1.0, False)
