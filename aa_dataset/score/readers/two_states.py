# SPDX-License-Identifier: Apache-2.0
"""Joints of methods that compare two states of an object: what they saw move, and how far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType

Array = NDArray[np.float64]

# The file does state these limits, and the method states no others: they are scored as given.
CHANGE_NOTE = "limits are the observed change of state, not the object's range"


def changed_joint(
    name: str, kind: JointType, axis: Array, origin: Array, *, ends: tuple[float, float],
    links: tuple[str, str],
) -> Joint:  # fmt: skip
    """Return a joint whose range lies between two states.

    Parameters
    ----------
    name : str
        The joint.
    kind : JointType
        Revolute or prismatic.
    axis, origin : (3,) float
        The method's frame; the origin of a slide does not count.
    ends : tuple of float [rad, or the method's unit of length]
        Coordinates of both states, in any order.
    links : tuple of str
        Parent and child.
    """
    return Joint(name, kind, axis, origin, min(ends), max(ends), 0.0, *links)
