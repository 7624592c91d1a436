# SPDX-License-Identifier: Apache-2.0
"""Whole paths instead of endpoints, true displacements instead of twists (appendices B.4, C.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import ShapeError
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.screws import exp_twist
from aa_dataset.metric._pairs import dot, pair_gaps, square
from aa_dataset.metric.distance import DEFAULT_NORM, checked_factor
from aa_dataset.metric.endpoints import (
    JointArray,
    Joints,
    as_joint_array,
    endpoint_twists,
    is_single,
    require_bounded,
)
from aa_dataset.metric.foreign import BodyLike, ForeignJoint, as_body
from aa_dataset.metric.norms import Norms

Array = NDArray[np.float64]
Rule = Literal["simpson", "mean"]
One = Joint | ForeignJoint
Many = JointArray | Sequence[One]
Body = RigidBody | BodyLike


@overload
def path_distance(first: One, second: One, *, norm: Norms = ...) -> float: ...


@overload
def path_distance(first: Many, second: Many, *, norm: Norms = ...) -> Array: ...


def path_distance(first: Joints, second: Joints, *, norm: Norms = DEFAULT_NORM) -> float | Array:
    """Return D_path, the RMS discrepancy along both linearized segments (paper eq. 20).

    It lies between ``E / sqrt(6)`` and ``E / sqrt(2)``.

    Parameters
    ----------
    first, second : Joint, or n joints each
        Aligned, finite ranges.
    norm : norm or n norms
        The inner product.

    Returns
    -------
    float or (n,) float
        A number for one pair of joints.

    Examples
    --------
    >>> drawer = Joint("a", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.4)
    >>> longer = Joint("b", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.7)
    >>> round(path_distance(drawer, longer), 6)  # 0.3 / sqrt(3)
    0.173205
    """
    low, high = _gaps(first, second, norm)
    total = (low * low + high * high + low * high).sum(axis=-1)
    return _same_form(np.sqrt(total / 3), first, second)


@overload
def sampled_distance(
    first: One, second: One, *, samples: int, rule: Rule = ..., norm: Norms = ...
) -> float: ...


@overload
def sampled_distance(
    first: Many, second: Many, *, samples: int, rule: Rule = ..., norm: Norms = ...
) -> Array: ...


def sampled_distance(
    first: Joints,
    second: Joints,
    *,
    samples: int,
    rule: Rule = "simpson",
    norm: Norms = DEFAULT_NORM,
) -> float | Array:
    """Return E_n, the RMS discrepancy at n points of the linearized segments.

    Parameters
    ----------
    first, second : Joint, or n joints each
        Aligned, finite ranges.
    samples : int
        Number of equally spaced points, at least 2; ``E_2 = E / sqrt(2)``.
    rule : {"simpson", "mean"}
        Simpson's rules are exact for squares, so every n >= 3 gives D_path. The plain mean is
        not: the paper's "every n >= 3 coincides" does not hold for it.
    norm : norm or n norms
        The inner product.

    Returns
    -------
    float or (n,) float
        A number for one pair of joints.

    Examples
    --------
    >>> drawer = Joint("a", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.4)
    >>> longer = Joint("b", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.7)
    >>> [round(sampled_distance(drawer, longer, samples=n), 4) for n in (2, 3, 4)]
    [0.2121, 0.1732, 0.1732]
    """
    if samples < 2:
        raise ValueError(f"`samples` is {samples}; a segment needs at least its two ends.")
    low, high = _gaps(first, second, norm)
    weights = _quadrature_weights(samples, rule)
    total = np.zeros(low.shape[:-1])
    for t, weight in zip(np.linspace(0.0, 1.0, samples), weights, strict=True):
        total += weight * np.square((1 - t) * low + t * high).sum(axis=-1)
    return _same_form(np.sqrt(total), first, second)


def placement_discrepancy(first: ArrayLike, second: ArrayLike, *, body: Body) -> Array:
    """Return the RMS distance [m] of a body's points between two placements (appendix B.4).

    Parameters
    ----------
    first, second : (..., 4, 4) float
        Displacements in the frame of the body.
    body : RigidBody
        Only mass, center and inertia matter. The paper's d is this times the square root of the
        mass.

    Returns
    -------
    (...) float
        A plain number for two single placements.

    Examples
    --------
    >>> body = RigidBody(1.0, np.zeros(3), np.eye(3))
    >>> moved = np.eye(4)
    >>> moved[0, 3] = 0.25
    >>> float(placement_discrepancy(np.eye(4), moved, body=body))
    0.25
    """
    body = as_body(body)
    gap = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    turn, shift = gap[..., :3, :3], gap[..., :3, 3]
    center = dot(turn, body.center) + shift
    spread = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia
    # Sums of products: the trace of turn . spread . turn', entry by entry.
    carried = (turn[..., :, :, None] * (spread / body.mass)).sum(axis=-2)
    around = (carried * turn).sum(axis=(-2, -1))
    return cast("Array", np.sqrt(square(center) + np.maximum(around, 0.0))[()])


@overload
def material_motion(first: One, second: One, *, body: Body) -> float: ...


@overload
def material_motion(first: Many, second: Many, *, body: Body) -> Array: ...


def material_motion(first: Joints, second: Joints, *, body: Body) -> float | Array:
    """Return the distance between the true displacements of a body by two joints [m].

    Root of the summed squares over both endpoints, minimum over their assignment. E_B is its
    linearization. An error of the origin alone gives ``E_B / d = (q/2) / sin(q/2)``.

    Parameters
    ----------
    first, second : Joint, or n joints each
        Aligned, finite ranges.
    body : RigidBody
        The moving link, in the frame of the joints.

    Returns
    -------
    float or (n,) float
        A number for one pair of joints.

    Examples
    --------
    >>> body = RigidBody(1.0, np.zeros(3), np.eye(3))
    >>> drawer = Joint("a", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.4)
    >>> longer = Joint("b", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.7)
    >>> round(material_motion(drawer, longer, body=body), 6)
    0.3
    """
    ends1, ends2 = exp_twist(endpoint_twists(first)), exp_twist(endpoint_twists(second))
    if ends1.shape != ends2.shape:
        raise ShapeError("second", (len(ends2),), (len(ends1),))
    straight = square(placement_discrepancy(ends1, ends2, body=body))
    crossed = square(placement_discrepancy(ends1, ends2[:, ::-1], body=body))
    return _same_form(np.sqrt(np.minimum(straight, crossed)), first, second)


def _same_form(values: Array, first: Joints, second: Joints) -> float | Array:
    """Return a number for two single joints, the array otherwise."""
    return float(values[0]) if is_single(first) and is_single(second) else values


def _gaps(first: Joints, second: Joints, norm: Norms) -> tuple[Array, Array]:
    one, two = as_joint_array(first), as_joint_array(second)
    if len(one) != len(two):
        raise ShapeError("second", (len(two),), (len(one),))
    require_bounded(one)
    require_bounded(two)
    factor = checked_factor(norm, count=len(one))
    return pair_gaps((one.screws, two.screws), (one.limits, two.limits), factor=factor)


def _quadrature_weights(samples: int, rule: Rule) -> Array:
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
