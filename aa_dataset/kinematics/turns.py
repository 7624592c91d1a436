# SPDX-License-Identifier: Apache-2.0
"""Three numbers as a rotation: what an ``rpy`` holds, and what one method writes there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.screws import exp_twist
from aa_dataset.portable import cos, sin

Array = NDArray[np.float64]
Turn = Callable[[Sequence[float]], Array]  # numbers (3,) [rad] to a rotation (3, 3)


def rpy_turn(rpy: Sequence[float]) -> Array:
    """Return ``Rz(yaw) Ry(pitch) Rx(roll)``, as URDF defines it."""
    (cr, cp, cy), (sr, sp, sy) = cos(rpy).tolist(), sin(rpy).tolist()
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def vector_turn(vector: Sequence[float]) -> Array:
    """Return the rotation about a vector by its length."""
    return exp_twist(np.array([*vector, 0.0, 0.0, 0.0]))[:3, :3]
