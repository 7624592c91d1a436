# SPDX-License-Identifier: Apache-2.0
"""Rounding before writing, so that another processor's last digits give the same file.

Numbers are rounded to a grid that fits their scale, not digit by digit: what should be zero is
written as zero.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from aa_dataset.kinematics import RigidBody

DIGITS = 10


def rounded(value: float) -> float:
    """Round one number to ten significant digits."""
    return float(format(value + 0.0, f".{DIGITS}g"))


def rounded_to(values: ArrayLike, scale: float) -> list[float]:
    """Round numbers to ten digits of `scale`, the size of what they belong to."""
    places = DIGITS - 1 - math.floor(math.log10(scale)) if scale > 0 else DIGITS
    return [round(value, places) + 0.0 for value in np.asarray(values, dtype=float).tolist()]


def rounded_body(body: RigidBody, diagonal: float) -> RigidBody:
    """Round a body: its center by the object's diagonal [m], its inertia by its own trace."""
    inertia = (body.inertia + body.inertia.T) / 2
    entries = rounded_to(inertia.reshape(-1), float(np.trace(inertia)))
    return RigidBody(
        rounded(body.mass),
        np.array(rounded_to(body.center, diagonal)),
        np.array(entries).reshape(3, 3),
    )
