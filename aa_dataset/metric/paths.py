# SPDX-License-Identifier: Apache-2.0
"""Whole paths instead of endpoints, true displacements instead of twists (appendices B.4, C.6)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import ShapeError
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.screws import exp_twist
from aa_dataset.metric._pairs import pair_gaps
from aa_dataset.metric.distance import DEFAULT_NORM, checked_factor
from aa_dataset.metric.endpoints import Joints, as_joint_array, endpoint_twists, require_bounded
from aa_dataset.metric.foreign import BodyLike, as_body
from aa_dataset.metric.norms import Norms

Array = NDArray[np.float64]
Rule = Literal["simpson", "mean"]


def path_distance(first: Joints, second: Joints, *, norm: Norms = DEFAULT_NORM) -> Array:
    """Return D_path, the RMS discrepancy along both linearized segments, (n,) (paper eq. 20).

    It lies between ``E / sqrt(6)`` and ``E / sqrt(2)``.
    """
    low, high = _gaps(first, second, norm)
    total = (low * low + high * high + low * high).sum(axis=-1)
    return np.asarray(np.sqrt(total / 3))


def sampled_distance(
    first: Joints,
    second: Joints,
    *,
    samples: int,
    rule: Rule = "simpson",
    norm: Norms = DEFAULT_NORM,
) -> Array:
    """Return E_n, the RMS discrepancy at n points of the linearized segments, (n_pairs,).

    Parameters
    ----------
    first, second : n joints each
        Aligned, finite ranges.
    samples : int
        Number of equally spaced points, at least 2; ``E_2 = E / sqrt(2)``.
    rule : {"simpson", "mean"}
        Simpson's rules are exact for squares, so every n >= 3 gives D_path. The plain mean is
        not: the paper's "every n >= 3 coincides" does not hold for it.
    norm : norm or n norms
        The inner product.
    """
    if samples < 2:
        raise ValueError(f"`samples` is {samples}; a segment needs at least its two ends.")
    low, high = _gaps(first, second, norm)
    weights = _weights(samples, rule)
    total = np.zeros(low.shape[:-1])
    for t, weight in zip(np.linspace(0.0, 1.0, samples), weights, strict=True):
        total += weight * np.square((1 - t) * low + t * high).sum(axis=-1)
    return np.asarray(np.sqrt(total))


def placement_discrepancy(
    first: ArrayLike, second: ArrayLike, *, body: RigidBody | BodyLike
) -> Array:
    """Return the RMS distance [m] of a body's points between two placements (appendix B.4).

    Parameters
    ----------
    first, second : (..., 4, 4) float
        Displacements in the frame of the body.
    body : RigidBody
        Only mass, center and inertia matter. The paper's d is this times the root of the mass.
    """
    body = as_body(body)
    gap = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    turn, shift = gap[..., :3, :3], gap[..., :3, 3]
    center = (turn @ body.center) + shift
    spread = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia
    around = np.einsum("...ij,jk,...ik->...", turn, spread / body.mass, turn)
    return np.asarray(np.sqrt(np.square(center).sum(axis=-1) + np.maximum(around, 0.0)))


def material_motion(first: Joints, second: Joints, *, body: RigidBody | BodyLike) -> Array:
    """Return how far apart two joints really carry a body, (n,) [m].

    Root of the summed squares over both endpoints, minimum over their assignment: what E_B is
    the linearization of. An error of the origin alone gives ``E_B / d = (q/2) / sin(q/2)``.
    """
    ends1, ends2 = exp_twist(endpoint_twists(first)), exp_twist(endpoint_twists(second))
    if ends1.shape != ends2.shape:
        raise ShapeError("second", (len(ends2),), (len(ends1),))
    straight = placement_discrepancy(ends1, ends2, body=body)
    crossed = placement_discrepancy(ends1, ends2[:, ::-1], body=body)
    return np.asarray(
        np.minimum(np.linalg.norm(straight, axis=-1), np.linalg.norm(crossed, axis=-1))
    )


def _gaps(first: Joints, second: Joints, norm: Norms) -> tuple[Array, Array]:
    one, two = as_joint_array(first), as_joint_array(second)
    if len(one) != len(two):
        raise ShapeError("second", (len(two),), (len(one),))
    require_bounded(one)
    require_bounded(two)
    factor = checked_factor(norm, count=len(one))
    return pair_gaps((one.screws, two.screws), (one.limits, two.limits), factor=factor)


def _weights(samples: int, rule: Rule) -> Array:
    """Return quadrature weights on equally spaced points that add up to 1."""
    if rule == "mean":
        return np.full(samples, 1 / samples)
    if rule != "simpson":
        raise ValueError(f"`rule` is {rule!r}; choose 'simpson' or 'mean'.")
    weights = np.zeros(samples)
    if samples == 2:
        return np.array([0.5, 0.5])
    last = samples - 1
    if last % 2:  # an odd number of intervals: the last three by the 3/8 rule
        weights[last - 3 :] += np.array([3, 9, 9, 3]) / 8
        last -= 3
    for start in range(0, last, 2):
        weights[start : start + 3] += np.array([1, 4, 1]) / 3
    return weights / (samples - 1)
