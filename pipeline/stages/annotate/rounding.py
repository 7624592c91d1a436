# SPDX-License-Identifier: Apache-2.0
"""Rounds numbers before writing, so that files do not depend on the processor's last digits.

Numbers are rounded to a grid that fits their scale, not to significant digits: a value that should
be zero is written as zero.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from aa_dataset.kinematics import RigidBody
from aa_dataset.portable import symmetric_eigen

DIGITS = 10
# Numbers are first rounded to this many more digits, so that short decimals are on no boundary.
SPARE = 3
# A body that is invalid with ten digits gets more, up to full precision.
FINER = (DIGITS, 13, 16)


def rounded(value: float, digits: int = DIGITS) -> float:
    """Round one number to ten significant digits, or as many as given."""
    return float(format(float(format(value + 0.0, f".{DIGITS + SPARE}g")), f".{digits}g"))


def rounded_up(value: float) -> float:
    """Round an error to two significant digits, never down, and zero to zero."""
    if value <= 0:
        return 0.0
    places = 1 - math.floor(math.log10(value))
    return float(format(math.ceil(value * 10.0**places) * 10.0**-places, ".2g"))


def rounded_to(values: ArrayLike, scale: float, digits: int = DIGITS) -> list[float]:
    """Round numbers to ten digits relative to `scale`."""
    places = digits - 1 - math.floor(math.log10(scale)) if scale > 0 else digits
    numbers = np.asarray(values, dtype=float).tolist()
    return [round(round(value, places + SPARE), places) + 0.0 for value in numbers]


def rounded_body(body: RigidBody, diagonal: float) -> RigidBody:
    """Round a body: its center by the object's diagonal [m], its inertia by its own trace.

    A needle's smallest moment may be less than a rounding step: such an inertia keeps more digits,
    so that it stays positive definite and within the triangle inequality.
    """
    inertia = (body.inertia + body.inertia.T) / 2
    size = float(np.trace(inertia))
    for digits in FINER:
        entries = np.array(rounded_to(inertia.reshape(-1), size, digits)).reshape(3, 3)
        if _is_strictly_physical(entries):
            break
    else:
        entries = inertia
    center = np.array(rounded_to(body.center, diagonal))
    return RigidBody(rounded(body.mass), center, entries)


def _is_strictly_physical(inertia: np.ndarray) -> bool:
    low, middle, high = symmetric_eigen(inertia)[0]
    return bool(low > 0 and high <= low + middle)
