# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies by their moments: mass, center of mass, inertia about it (paper eq. 7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.screws import hat

Array = NDArray[np.float64]

# Share of the trace by which a principal moment may be negative: single-precision simulators and
# files with six digits make such numbers of a rod.
NEGATIVE_TOLERANCE = 1e-6


class BodyError(ArenaError, ValueError):
    """The moments do not belong to a real body."""


@dataclass(frozen=True, slots=True, eq=False)
class RigidBody:
    """Moments of one body in one frame, by default the object frame at rest.

    Attributes
    ----------
    mass : float [kg]
        Positive.
    center : (3,) float [m]
        Center of mass.
    inertia : (3, 3) float [kg m^2]
        Inertia tensor about the center of mass, symmetric positive semidefinite: a rod or a point
        is a body, a negative principal moment is not. The triangle inequality of the moments is
        not asked for, because files of real objects often break it and E_B does not need it.
    """

    mass: float
    center: Array
    inertia: Array

    def __post_init__(self) -> None:
        center = np.array(self.center, dtype=float)
        inertia = np.array(self.inertia, dtype=float)
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "inertia", inertia)
        if center.shape != (3,) or inertia.shape != (3, 3):
            raise BodyError(
                f"center has shape {center.shape} and inertia {inertia.shape}, "
                "expected (3,) and (3, 3)."
            )
        if not all(np.isfinite(x).all() for x in (self.mass, center, inertia)):
            raise BodyError("mass, center and inertia must be finite numbers.")
        if self.mass <= 0:
            raise BodyError(f"mass is {self.mass} kg; a body needs a positive mass.")
        smallest = smallest_moment(inertia.tolist())
        if smallest < -NEGATIVE_TOLERANCE * float(np.abs(inertia).max()):
            raise BodyError(
                f"inertia has a principal moment of {smallest:.3g} kg m^2; no body has a negative "
                "one. Give the tensor about the center of mass, and check the signs of its entries."
            )

    def moved(self, placement: Array) -> RigidBody:
        """Return the same body after a rigid displacement ``(4, 4)`` of the frame's contents."""
        rotation, shift = placement[:3, :3], placement[:3, 3]
        return RigidBody(
            self.mass, rotation @ self.center + shift, rotation @ self.inertia @ rotation.T
        )

    def scaled(self, factor: float) -> RigidBody:
        """Return the body of the object scaled about the frame's origin, at constant density."""
        return RigidBody(self.mass * factor**3, self.center * factor, self.inertia * factor**5)


def merge_bodies(bodies: Sequence[RigidBody]) -> RigidBody:
    """Weld bodies given in one frame into one (parallel-axis theorem)."""
    if not bodies:
        raise BodyError("cannot weld an empty list of bodies.")
    mass = sum(body.mass for body in bodies)
    center = sum((body.mass * body.center for body in bodies), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for body in bodies:
        arm = hat(body.center - center)
        inertia += body.inertia - body.mass * (arm @ arm)
    return RigidBody(mass, center, inertia)


def smallest_moment(inertia: list[list[float]]) -> float:
    """Return the smallest eigenvalue of a symmetric 3x3 matrix, by the roots of its cubic.

    In plain numbers, because it decides what is a body and LAPACK differs between processors.
    """
    scale = max(abs(entry) for row in inertia for entry in row)
    if scale == 0.0:
        return 0.0
    (a, d1, e1), (d2, b, f1), (e2, f2, c) = ([x / scale for x in row] for row in inertia)
    d, e, f = (d1 + d2) / 2, (e1 + e2) / 2, (f1 + f2) / 2
    middle = (a + b + c) / 3
    a, b, c = a - middle, b - middle, c - middle
    radius = math.sqrt((a * a + b * b + c * c + 2 * (d * d + e * e + f * f)) / 6)
    if radius == 0.0:
        return scale * middle
    a, b, c, d, e, f = (x / radius for x in (a, b, c, d, e, f))
    half = (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)) / 2
    angle = math.acos(min(1.0, max(-1.0, half))) / 3
    return scale * (middle + 2 * radius * math.cos(angle + 2 * math.pi / 3))
