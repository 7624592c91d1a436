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
from aa_dataset.portable import applied, product, symmetric_eigen

Array = NDArray[np.float64]

# Tolerance of negative principal moments, relative to the trace, which no rotation changes: files
# with six decimals give such numbers for a thin rod, and they affect no use of a body.
NEGATIVE_TOLERANCE = 1e-4
# Tolerance of asymmetry, relative to the largest entry: the rounding error of a rotation.
SYMMETRY_TOLERANCE = 1e-9


class BodyError(ArenaError, ValueError):
    """The moments are not those of a real body."""


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
        Inertia tensor about the center of mass, symmetric positive semidefinite up to the rounding
        of a file with six decimals (1e-4 of the trace); rods and points are allowed. The triangle
        inequality is not required: files of real objects often violate it, and E_B does not need
        it.
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
        _require_symmetric(inertia)
        if not _is_positive_definite(inertia.tolist()):
            _require_no_negative_moment(inertia)

    def moved(self, placement: Array) -> RigidBody:
        """Return the same body after a rigid displacement ``(4, 4)`` of the frame's contents."""
        rotation, shift = placement[:3, :3], placement[:3, 3]
        return RigidBody(
            self.mass,
            applied(rotation, self.center) + shift,
            product(product(rotation, self.inertia), rotation.T),
        )

    def scaled(self, factor: float) -> RigidBody:
        """Return the body of the object scaled about the frame's origin, at constant density."""
        area, volume = factor * factor, factor * factor * factor
        return RigidBody(self.mass * volume, self.center * factor, self.inertia * (area * volume))


def merge_bodies(bodies: Sequence[RigidBody]) -> RigidBody:
    """Weld bodies given in one frame into one (parallel-axis theorem)."""
    if not bodies:
        raise BodyError("cannot weld an empty list of bodies.")
    try:
        mass = math.fsum(
            body.mass for body in bodies
        )  # the rounding of `sum` depends on the Python version
    except OverflowError:
        raise BodyError("the masses add up to more than a number holds; give them in kg.") from None
    center = sum((body.mass * body.center for body in bodies), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for body in bodies:
        arm = hat(body.center - center)
        inertia += body.inertia - body.mass * product(arm, arm)
    return RigidBody(mass, center, inertia)


def _require_symmetric(inertia: Array) -> None:
    if np.abs(inertia - inertia.T).max() > SYMMETRY_TOLERANCE * np.abs(inertia).max():
        raise BodyError(
            "the inertia tensor is not symmetric; fill both triangles, or pass "
            "`(inertia + inertia.T) / 2` if it should be."
        )


def _require_no_negative_moment(inertia: Array) -> None:
    smallest = float(symmetric_eigen(inertia)[0][0])
    a, b, c = inertia.diagonal().tolist()
    if smallest < -NEGATIVE_TOLERANCE * (a + b + c):
        raise BodyError(
            f"inertia has a principal moment of {smallest:.3g} kg m^2; no body has a negative "
            "one. Give the tensor about the center of mass, and check the signs of its entries."
        )


def _is_positive_definite(matrix: list[list[float]]) -> bool:
    """Return whether all leading minors are positive: a fast check that most bodies pass."""
    (a, d, e), (_, b, f), (_, _, c) = matrix
    minor = a * b - d * d
    return a > 0 and minor > 0 and c * minor - f * (a * f - d * e) - e * (b * e - d * f) > 0
