# SPDX-License-Identifier: Apache-2.0
"""Pairing of predicted joints with joints of the ground truth.

Both trees are contracted (`metric.contract`): joints that never move are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint
from aa_dataset.metric import Skeleton, SplitNorm, TreeDistance, tree_distance
from aa_dataset.metric.tree.prices import portable_distances
from aa_dataset.score.results import Parameters

Array = NDArray[np.float64]

# Far below any meaningful difference of distances, far above their rounding error.
NAME_PENALTY, ORDER_PENALTY = 1e-9, 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """The moving joints of two trees, paired or unmatched.

    Attributes
    ----------
    pairs : tuple of (Joint, Joint)
        Ground truth and prediction, in the ground truth's order.
    missing, spurious : tuple of Joint
        Ground-truth joints without a partner, predicted joints without one.
    distance : TreeDistance or None
        The tree distance of this matching, None for other pairings.
    partner : dict of int to int
        The same pairs as indices into the two lists of joints.
    """

    pairs: tuple[tuple[Joint, Joint], ...]
    missing: tuple[Joint, ...]
    spurious: tuple[Joint, ...]
    distance: TreeDistance | None
    partner: dict[int, int]


def pair_joints(truth: Skeleton, predicted: Skeleton, parameters: Parameters) -> Pairing:
    """Pair the joints of two trees by the method `parameters.pairing`."""
    if parameters.pairing == "assignment":
        return pair_by_assignment(truth.joints, predicted.joints, parameters)
    return pair_by_tree(truth, predicted, parameters)


def pair_by_tree(truth: Skeleton, predicted: Skeleton, parameters: Parameters) -> Pairing:
    """Pair joints by the cheapest edit script between the trees under E_alpha^phi."""
    distance = tree_distance(
        predicted,
        truth,
        norm=SplitNorm(parameters.alpha),
        compactify=parameters.kappa,
        budget=parameters.budget,
        time_limit=parameters.time_limit_s,
    )
    rows = {name: index for index, name in enumerate(truth.names)}
    columns = {name: index for index, name in enumerate(predicted.names)}
    partner = {rows[second]: columns[first] for first, second in distance.matching}
    return _make_pairing(truth.joints, predicted.joints, partner, distance)


def pair_by_assignment(
    truth: Sequence[Joint], predicted: Sequence[Joint], parameters: Parameters
) -> Pairing:
    """Pair joints so that the sum of E_alpha^phi is minimal, regardless of the trees.

    Ties are common (equal drawers have equal twists). They are broken by joint name, then by the
    order of the trees. Rounding can break them too, so it must be the same on every machine.
    """
    from scipy.optimize import linear_sum_assignment

    norm = SplitNorm(parameters.alpha)
    cost = portable_distances(predicted, truth, norm=norm, compactify=parameters.kappa).T
    rows, columns = linear_sum_assignment(cost + _tie_breaks(truth, predicted))
    partner = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    return _make_pairing(truth, predicted, partner, None)


def _tie_breaks(truth: Sequence[Joint], predicted: Sequence[Joint]) -> Array:
    names, others = (np.array([joint.name for joint in side]) for side in (truth, predicted))
    steps = np.abs(np.arange(len(truth))[:, None] - np.arange(len(predicted)))
    differs = names[:, None] != others
    return np.asarray(NAME_PENALTY * differs + ORDER_PENALTY * steps)


def _make_pairing(
    truth: Sequence[Joint],
    predicted: Sequence[Joint],
    partner: dict[int, int],
    distance: TreeDistance | None,
) -> Pairing:
    taken = set(partner.values())
    return Pairing(
        tuple((truth[i], predicted[j]) for i, j in sorted(partner.items())),
        tuple(joint for i, joint in enumerate(truth) if i not in partner),
        tuple(joint for j, joint in enumerate(predicted) if j not in taken),
        distance,
        dict(sorted(partner.items())),
    )
