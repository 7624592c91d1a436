# SPDX-License-Identifier: Apache-2.0
"""Estimation of the state in which a prediction is stored (paper Remark Re-anchoring).

`Joint.reanchored` and `KinematicTree.reanchored` move a joint or a tree to another anchor; this
module computes the offset from the observed pose of a link.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.screws import exp_twist

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AnchorOffset:
    """The joint coordinate of an observed link pose, and the residual.

    Attributes
    ----------
    coordinate : float [rad or m]
        Joint coordinate; a rotation is in (-pi, pi], because a pose does not determine full turns.
    rotation_residual : float [rad]
        Angle between the observed pose and the joint's pose at `coordinate`.
    translation_residual : float [m]
        Distance between their translations, at the object frame's origin.
    """

    coordinate: float
    rotation_residual: float
    translation_residual: float


def anchor_offset(joint: Joint, placement: ArrayLike) -> AnchorOffset:
    """Return the joint coordinate that best explains a displacement of the child link.

    Best is the smallest rotation residual, or for a slider the smallest translation residual.

    Parameters
    ----------
    joint : Joint
        The joint at rest.
    placement : (4, 4) float
        Displacement of the child from rest, in the object frame, the joints above held at rest.
        Check the residuals before you use the coordinate: a pose that the joint cannot reach is an
        error of shape or registration, not of the anchor.

    Examples
    --------
    >>> door = Joint("door", "revolute", [0, 0, 1], [1, 0, 0], 0.0, 1.5)
    >>> found = anchor_offset(door, exp_twist(0.25 * door.screw))
    >>> round(found.coordinate, 6), round(found.translation_residual, 6)
    (0.25, 0.0)
    """
    found = np.asarray(placement, dtype=float)
    coordinate = _observed_coordinate(joint, found)
    rest = np.linalg.inv(exp_twist(coordinate * joint.screw)) @ found
    sine = np.linalg.norm(_rotation_vector(rest))
    angle = math.atan2(float(sine), float(np.trace(rest[:3, :3]) - 1) / 2)
    return AnchorOffset(coordinate, angle, float(np.linalg.norm(rest[:3, 3])))


def _observed_coordinate(joint: Joint, found: Array) -> float:
    if joint.type is JointType.FIXED:
        return 0.0
    if joint.type is JointType.PRISMATIC:
        return float(joint.axis @ found[:3, 3])
    # The rotation about the axis that is nearest to the observed one.
    sine = float(joint.axis @ _rotation_vector(found))
    cosine = float(np.trace(found[:3, :3]) - joint.axis @ found[:3, :3] @ joint.axis) / 2
    angle = math.atan2(sine, cosine)
    if joint.type is not JointType.HELICAL or joint.pitch == 0.0:
        return angle
    # The advance of a screw along its axis determines the number of turns.
    turns = (float(joint.axis @ found[:3, 3]) / joint.pitch - angle) / (2 * math.pi)
    return angle + 2 * math.pi * round(turns)


def _rotation_vector(placement: Array) -> Array:
    """Return ``sin(angle) * axis`` of the rotation."""
    r = placement[:3, :3]
    return np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
