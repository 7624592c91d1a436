# SPDX-License-Identifier: Apache-2.0
"""Pairing of predicted joints with joints of the ground truth.

Both trees are contracted (`metric.contract`): joints that never move are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Joint
from aa_dataset.metric import Skeleton, SplitNorm, TreeDistance, tree_distance
from aa_dataset.metric.tree.prices import portable_distances
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.parameters import Parameters

Array = NDArray[np.float64]
Partners = dict[int, int]
Centers = dict[str, Array]

# Far below any meaningful difference of distances, far above their rounding error.
NAME_PENALTY, ORDER_PENALTY = 1e-9, 1e-12
NO_MESHES = (
    "pairing by geometry needs the visual geometry of every moving link: primitives or OBJ meshes "
    "inside the folder of the prediction. Add them, or choose another pairing."
)


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """The moving joints of two trees, and `partner`: indices of truth joints to predicted ones."""

    truth: Sequence[Joint]
    predicted: Sequence[Joint]
    partner: Partners

    @property
    def pairs(self) -> tuple[tuple[Joint, Joint], ...]:
        """Ground truth and prediction, in the ground truth's order."""
        return tuple((self.truth[i], self.predicted[j]) for i, j in self.partner.items())

    @property
    def spurious(self) -> list[int]:
        """Indices of the predicted joints without a partner."""
        taken = set(self.partner.values())
        return [j for j in range(len(self.predicted)) if j not in taken]


def edit_distance(truth: Skeleton, predicted: Skeleton, parameters: Parameters) -> TreeDistance:
    """Return the tree distance under E_alpha^phi, the prediction being edited into the truth."""
    return tree_distance(
        predicted,
        truth,
        norm=SplitNorm(parameters.alpha),
        compactify=parameters.kappa,
        budget=parameters.budget,
        time_limit=parameters.time_limit_s,
    )


def pair_by_tree(truth: Skeleton, predicted: Skeleton, distance: TreeDistance) -> Pairing:
    """Return the pairs of the cheapest edit script between the trees."""
    rows = {name: index for index, name in enumerate(truth.names)}
    columns = {name: index for index, name in enumerate(predicted.names)}
    partner = {rows[second]: columns[first] for first, second in distance.matching}
    return Pairing(truth.joints, predicted.joints, dict(sorted(partner.items())))


def pair_by_name(truth: Sequence[Joint], predicted: Sequence[Joint]) -> Pairing:
    """Pair joints of equal names."""
    columns = {joint.name: j for j, joint in enumerate(predicted)}
    partner = {i: columns[joint.name] for i, joint in enumerate(truth) if joint.name in columns}
    return Pairing(truth, predicted, partner)


def pair_by_assignment(
    truth: Sequence[Joint], predicted: Sequence[Joint], parameters: Parameters
) -> Pairing:
    """Pair joints so that the sum of E_alpha^phi is minimal, regardless of the trees.

    Ties are common (equal drawers have equal twists). They are broken by joint name, then by the
    order of the trees. Rounding can break them too, so it must be the same on every machine.
    """
    norm = SplitNorm(parameters.alpha)
    cost = portable_distances(predicted, truth, norm=norm, compactify=parameters.kappa).T
    return Pairing(truth, predicted, _cheapest(cost, truth, predicted))


def pair_by_geometry(
    truth: Sequence[Joint], predicted: Sequence[Joint], centers: tuple[Centers, Centers]
) -> Pairing:
    """Pair joints so that the sum of distances between the centers of what they move is minimal.

    Joints that move nothing visible stay without a partner.

    Parameters
    ----------
    truth, predicted : joints
        The moving joints.
    centers : pair of dict of str to (3,) float [m]
        Centers by joint name, in the object frame at rest.
    """
    rows = [i for i, joint in enumerate(truth) if joint.name in centers[0]]
    columns = [j for j, joint in enumerate(predicted) if joint.name in centers[1]]
    if predicted and not columns:
        raise PredictionError(NO_MESHES)
    ours, theirs = [truth[i] for i in rows], [predicted[j] for j in columns]
    places = (
        np.array([known[joint.name] for joint in side]).reshape(-1, 3)
        for known, side in zip(centers, (ours, theirs), strict=True)
    )
    first, second = places
    gaps = first[:, None] - second
    cost = np.sqrt(np.add.reduce(gaps * gaps, axis=-1))
    found = _cheapest(cost, ours, theirs)
    return Pairing(truth, predicted, {rows[i]: columns[j] for i, j in found.items()})


def closest_joint(joint: Joint, predicted: Sequence[Joint], parameters: Parameters) -> int | None:
    """Return the predicted joint closest by E_alpha^phi, ties by name; None if there is none."""
    if not predicted:
        return None
    norm = SplitNorm(parameters.alpha)
    found = portable_distances(predicted, [joint], norm=norm, compactify=parameters.kappa)[:, 0]
    ranks = [
        (value if math.isfinite(value) else math.inf, predicted[j].name, j)
        for j, value in enumerate(found.tolist())
    ]
    return min(ranks)[2]


def _cheapest(cost: Array, truth: Sequence[Joint], predicted: Sequence[Joint]) -> Partners:
    """Return the assignment of least cost, ties broken by names and order."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost + _tie_breaks(truth, predicted))
    return dict(sorted(zip(rows.tolist(), columns.tolist(), strict=True)))


def _tie_breaks(truth: Sequence[Joint], predicted: Sequence[Joint]) -> Array:
    names, others = (np.array([joint.name for joint in side]) for side in (truth, predicted))
    steps = np.abs(np.arange(len(truth))[:, None] - np.arange(len(predicted)))
    differs = names[:, None] != others
    return np.asarray(NAME_PENALTY * differs + ORDER_PENALTY * steps)
