# SPDX-License-Identifier: Apache-2.0
"""The skeleton distance of the authors' package: match all joints, count the surplus."""

from __future__ import annotations

import math

from aa_dataset.errors import NormError
from aa_dataset.metric.distance import DEFAULT_NORM
from aa_dataset.metric.endpoints import Joints
from aa_dataset.metric.norms import Norms
from aa_dataset.metric.tree.prices import portable_distances


def skeleton_distance(
    first: Joints,
    second: Joints,
    *,
    penalty: float,
    mismatches: float = 0.0,
    norm: Norms = DEFAULT_NORM,
    compactify: float | None = None,
) -> float:
    """Return the cheapest full assignment plus a penalty per surplus joint.

    Every joint of the smaller set is matched, at any distance; for comparison with
    `articulatearena.skeleton_distance` only. `constant_penalty_distance` may leave a pair
    unmatched instead, and `tree_distance` is the metric.

    Parameters
    ----------
    first, second : n and m joints
        In one frame; fixed joints count as joints.
    penalty : float
        Lambda, the price of each of the ``|n - m|`` surplus joints.
    mismatches : float
        Number of matched pairs whose parents do not match; each also costs the penalty.
    norm, compactify : norm, float or None
        As for `joint_distance`.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint
    >>> def drawer(travel):
    ...     return Joint("drawer", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, travel)
    >>> round(skeleton_distance([drawer(0.5)], [drawer(0.25), drawer(2.0)], penalty=0.125), 6)
    0.375
    """
    from scipy.optimize import (
        linear_sum_assignment,
    )  # slow to import, and not needed for joints alone

    for name, value in (("penalty", penalty), ("mismatches", mismatches)):
        if not 0 <= value < math.inf:
            raise NormError(f"`{name}` is {value}; it must not be negative.")
    costs = portable_distances(first, second, norm=norm, compactify=compactify)
    matched = math.fsum(costs[linear_sum_assignment(costs)].tolist())
    left_over = abs(costs.shape[0] - costs.shape[1])
    return matched + float(penalty * (left_over + mismatches))
