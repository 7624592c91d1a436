# SPDX-License-Identifier: Apache-2.0
"""What several formats do to a tree that they cannot express."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.kinematics.trees import KinematicTree

Array = NDArray[np.float64]


def shown_link(tree: KinematicTree, link: str, triangles: Mapping[str, Array]) -> str:
    """Return the first link with triangles among those welded to a link, empty without one."""
    return next((one for one in tree.welded(link) if len(triangles.get(one, ()))), "")


def bounded(joint: Joint, travel: float) -> Joint:
    """Return a joint with two finite ends, for formats that have no other.

    A rotation without an end gets half a turn to either side, or a full turn from its only end; a
    slide gets `travel` [m] in place of that.
    """
    if not joint.is_movable:
        return joint
    half = travel if joint.type is JointType.PRISMATIC else math.pi
    lower, upper = joint.limits
    if math.isinf(lower) and math.isinf(upper):
        lower, upper = -half, half
    elif math.isinf(lower):
        lower = upper - 2 * half
    elif math.isinf(upper):
        upper = lower + 2 * half
    kind = JointType.REVOLUTE if joint.type is JointType.CONTINUOUS else joint.type
    return replace(joint, type=kind, lower=lower, upper=upper, limit_source=LimitSource.GIVEN)


def plain(joint: Joint) -> Joint:
    """Return a joint without body and coupling, and with limits that count as given or absent."""
    absent = joint.limit_source is LimitSource.ABSENT
    source = LimitSource.ABSENT if absent else LimitSource.GIVEN
    return replace(joint, body=None, mimic=None, limit_source=source)
