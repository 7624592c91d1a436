# SPDX-License-Identifier: Apache-2.0
"""Meshes as the methods write them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def obj_bytes(triangles: Array) -> bytes:
    """Return triangles (n, 3, 3) as an OBJ file with all digits; no corner is shared."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in triangles.reshape(-1, 3).tolist()]
    lines += [f"f {k + 1} {k + 2} {k + 3}" for k in range(0, 3 * len(triangles), 3)]
    return ("\n".join([*lines, ""])).encode()
