# SPDX-License-Identifier: Apache-2.0
"""The path of one driven joint: coordinates from rest to both ends, and poses of every link."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.portable import applied, product


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One direction of a joint's motion.

    Attributes
    ----------
    coordinates : (n + 1,) float [rad or m]
        From the start, which is at rest if the range contains it, to one end.
    placements : mapping of link to (n + 1, 4, 4) float
        Displacement from rest, object frame, lengths in units of the object's size; links that
        move as one share one array.
    """

    coordinates: np.ndarray
    placements: Mapping[str, np.ndarray]


def ways(
    tree: KinematicTree,
    joint: Joint,
    *,
    size: float,
    step: float,
    slides: int,
    others: Mapping[str, float] | None = None,
) -> list[Way]:
    """Return the ways from the start to each end of the range.

    Parameters
    ----------
    tree : KinematicTree
        Followers of the joint move with it.
    joint : Joint
        The driven one.
    size : float [m]
        Unit of the placements.
    step : float [rad]
        Largest turn between two states.
    slides : int
        States of a pure translation.
    others : mapping of joint name to coordinate
        Joints that are not at rest.
    """
    start = min(max(0.0, joint.lower), joint.upper)
    found = []
    for end in _ends(joint, start):
        if joint.type is JointType.PRISMATIC:
            count = slides
        else:
            count = math.ceil(abs(end - start) / step - 1e-9)
        coordinates = np.linspace(start, end, max(count, 1) + 1)
        state: dict[str, ArrayLike] = {**(others or {}), joint.name: coordinates}
        found.append(Way(coordinates, tree.placements(state, unit=size)))
    return found


def _ends(joint: Joint, start: float) -> list[float]:
    """Return the ends that differ from the start; a plain turn repeats itself after 2 pi."""
    if joint.type is JointType.CONTINUOUS:
        return [start + 2 * math.pi]
    low, high = joint.lower, joint.upper
    if joint.type is JointType.REVOLUTE:
        high = min(high, start + 2 * math.pi)
        low = max(low, high - 2 * math.pi)
    return [end for end in (high, low) if end != start]


def relative_displacements(moved: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return displacements (n, 4, 4) as seen from a body that itself is displaced (n, 4, 4)."""
    rotations = np.swapaxes(reference[:, :3, :3], 1, 2)
    out = np.zeros_like(moved)
    out[:, :3, :3] = product(rotations, moved[:, :3, :3])
    out[:, :3, 3] = applied(rotations, moved[:, :3, 3] - reference[:, :3, 3])
    out[:, 3, 3] = 1.0
    return out


def displaced_points(points: np.ndarray, displacements: np.ndarray) -> np.ndarray:
    """Return where points (p, 3) are after displacements (n, 4, 4), as (n, p, 3)."""
    turned = product(displacements[:, :3, :3], points.T).transpose(0, 2, 1)
    return np.asarray(turned + displacements[:, None, :3, 3])
