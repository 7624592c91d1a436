# SPDX-License-Identifier: Apache-2.0
"""The grid that the coordinates of an object are rounded to."""

from __future__ import annotations

import math

import numpy as np

# Coordinates keep this many digits relative to the object's diagonal.
DIGITS = 9


def grid_decimals(diagonal: float) -> int:
    """Return how many decimals [m] the coordinates of an object with this diagonal [m] have."""
    if diagonal <= 0 or not math.isfinite(diagonal):
        return DIGITS
    # A diagonal of 0.999999999999 m is 1 m: its own rounded points must give the same grid.
    return min(max(DIGITS - 1 - math.floor(math.log10(diagonal) + 1e-9), 0), 15)


def on_grid(points: np.ndarray, decimals: int) -> np.ndarray:
    """Return points (n, 3) [m] as OBJ text of that many decimals has them; no zero has a sign."""
    return np.asarray(np.round(points, decimals) + 0.0)
