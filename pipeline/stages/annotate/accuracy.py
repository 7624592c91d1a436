# SPDX-License-Identifier: Apache-2.0
"""Estimates the error of a body as one number.

The error of a body is the largest of three relative errors: of the mass, of the center against
half the diagonal of the link's box, and of the inertia in the Frobenius norm. Bodies here are in
units of that diagonal, so that half of it is 0.5.
"""

from __future__ import annotations

import numpy as np

from aa_dataset.kinematics import RigidBody
from aa_dataset.portable import dot, length
from pipeline.stages.annotate.moments import second_matrix

HALF_DIAGONAL = 0.5


def relative_error(found: RigidBody, true: RigidBody, radius: float = HALF_DIAGONAL) -> float:
    """Return the error of a body against the true one; `radius` is half the box's diagonal."""
    return max(
        abs(found.mass - true.mass) / true.mass,
        float(length(found.center - true.center)) / radius,
        _size(found.inertia - true.inertia) / _size(true.inertia),
    )


def error_of_masses(body: RigidBody, masses: np.ndarray, places: np.ndarray) -> float:
    """Return the error if point masses (n,) at points (n, 3) are wrongly present or absent."""
    arms = length(places - body.center)
    first, second = (masses * arms).sum(), (masses * np.square(arms)).sum()
    return _largest(body, masses.sum(), first, np.sqrt(2) * float(second))


def error_of_displacement(body: RigidBody, volume: float) -> float:
    """Return the error if some volume, spread over the surface, is wrongly present or absent.

    The distance of the surface from the center is at most 1, the diagonal.
    """
    return _largest(body, volume, volume, np.sqrt(2) * volume)


def error_of_absence(body: RigidBody, moments: np.ndarray) -> float:
    """Return the error if matter with these moments (10,), or any part of it, is absent.

    A first moment is at most the root of mass times second moment, by Cauchy and Schwarz.
    """
    mass = max(float(moments[0]), 0.0)
    spread = float(moments[4:7].sum() - 2 * dot(moments[1:4], body.center))
    spread = max(spread + mass * float(dot(body.center, body.center)), 0.0)
    return _largest(body, mass, np.sqrt(mass * spread), np.sqrt(2) * spread)


def error_of_moments(body: RigidBody, errors: np.ndarray) -> float:
    """Return the error if the moments (10,) of the body are wrong by up to `errors`."""
    arm = float(length(body.center))
    first = float(length(errors[1:4]))
    second = second_matrix(errors)
    inertia = float(np.trace(second)) * np.sqrt(3) + _size(second)
    around = inertia + np.sqrt(2) * (float(errors[0]) * arm**2 + 2 * arm * first)
    return _largest(body, float(errors[0]), first + arm * float(errors[0]), around)


def _size(matrix: np.ndarray) -> float:
    """Return the Frobenius norm."""
    return float(length(matrix.reshape(-1)))


def _largest(body: RigidBody, mass: float, first: float, inertia: float) -> float:
    """Return the largest relative error of the three."""
    about = inertia / _size(body.inertia)
    return max(float(mass) / body.mass, float(first) / (HALF_DIAGONAL * body.mass), about)
