# SPDX-License-Identifier: Apache-2.0
"""The quotient distance of joints, E and E^phi (paper eqs. 5 and 8, Algorithm 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import NormError, ShapeError, shown
from aa_dataset.kinematics.joints import Joint
from aa_dataset.metric._pairs import apply, pair_distances, radius, square
from aa_dataset.metric.endpoints import (
    JointArray,
    Joints,
    as_joint_array,
    is_single,
    require_bounded,
    turn_representatives,
)
from aa_dataset.metric.foreign import ForeignJoint
from aa_dataset.metric.norms import Norms, SplitNorm, is_positive, norm_factor

Array = NDArray[np.float64]

One = Joint | ForeignJoint
Wrap = bool | Literal["authors"]

DEFAULT_NORM = SplitNorm()
DEFAULT_SCALE = math.pi


@overload
def joint_distance(
    first: One,
    second: One,
    *,
    norm: Norms = ...,
    compactify: float | None = ...,
    wrap_turns: Wrap = ...,
) -> float: ...


@overload
def joint_distance(
    first: JointArray | Sequence[One],
    second: JointArray | Sequence[One],
    *,
    norm: Norms = ...,
    compactify: float | None = ...,
    wrap_turns: Wrap = ...,
) -> Array: ...


def joint_distance(
    first: Joints,
    second: Joints,
    *,
    norm: Norms = DEFAULT_NORM,
    compactify: float | None = None,
    wrap_turns: Wrap = False,
) -> float | Array:
    """Return the distance of two joints, or of two aligned lists pair by pair.

    Parameters
    ----------
    first, second : Joint, or n joints each
        In one frame (the object frame at rest), with one anchor.
    norm : SplitNorm, KineticNorm, RiemannianNorm or n norms
        The inner product; n norms give every pair its own, e.g. the ground truth's bodies.
    compactify : float [unit of the norm] or None
        Scale kappa of E^phi, the paper's default is pi; None gives raw E.
    wrap_turns : bool or "authors"
        Identify revolute ranges that differ by full turns (paper Remark Re-anchoring). The result
        is not a metric: a range whose middle is pi has two representatives and is close to joints
        that are far from each other. [0, 2 pi] is near both [0, 6.28] and [-6.28, 0], whose
        distance is 8.9. "authors" keeps one of the two, like the authors' package, so reversing
        such a joint changes its distances.

    Returns
    -------
    float or (n,) float
        Under the split norm a pure number, under the kinetic norm meters; E^phi is a pure number.

    Raises
    ------
    UnboundedRangeError
        If a range is infinite and `compactify` is None.

    Examples
    --------
    >>> truth = Joint("door", "revolute", [0, 0, 1], [0, 0, 0], 0.0, 1.5)
    >>> found = Joint("door", "revolute", [0, 0, -1], [0, 0, 0], -1.2, 0.0)
    >>> round(joint_distance(found, truth), 6)  # the axis is reversed, the range 0.3 rad short
    0.3
    """
    one, two = as_joint_array(first), as_joint_array(second)
    if len(one) != len(two):
        raise ShapeError("second", (len(two),), (len(one),))
    factor = checked_factor(norm, count=len(one))
    scale = checked_scale(compactify)
    if scale is None:
        require_bounded(one)
        require_bounded(two)
    distances = _aligned_distances(one, two, factor, scale)
    if wrap_turns:
        count = checked_wrap(wrap_turns)
        ones, twos = turn_representatives(one)[:count], turn_representatives(two)[:count]
        distances = np.minimum.reduce(
            [_aligned_distances(a, b, factor, scale) for a in ones for b in twos]
        )
    return float(distances[0]) if is_single(first) and is_single(second) else distances


@overload
def motion_size(joints: One, *, norm: Norms = ..., compactify: float | None = ...) -> float: ...


@overload
def motion_size(
    joints: JointArray | Sequence[One], *, norm: Norms = ..., compactify: float | None = ...
) -> Array: ...


def motion_size(
    joints: Joints, *, norm: Norms = DEFAULT_NORM, compactify: float | None = None
) -> float | Array:
    """Return ``E(J, J0)``, the amount of motion of a joint (paper section 4.3).

    Parameters
    ----------
    joints : Joint, or n joints
        In one frame.
    norm, compactify : norm or n norms, float or None
        As for `joint_distance`.

    Returns
    -------
    float or (n,) float
        A number for one joint.

    Examples
    --------
    >>> motion_size(Joint("drawer", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.4))
    0.4
    """
    array = as_joint_array(joints)
    factor, scale = checked_factor(norm, count=len(array)), checked_scale(compactify)
    if scale is None:
        require_bounded(array)
    values = sizes(array, factor, scale)
    return float(values[0]) if is_single(joints) else values


def sizes(joints: JointArray, factor: Array, scale: float | None) -> Array:
    """Return ``E(J, J0)`` for a ready factor ``(6, 6)`` or ``(n, 6, 6)``."""
    twists = apply(factor, joints.screws)
    length = np.sqrt(square(twists))
    ends = (
        joints.limits * length[:, None] if scale is None else radius(joints.limits, length, scale)
    )
    return np.asarray(np.sqrt(square(ends)))


def checked_scale(scale: float | None) -> float | None:
    """Return the scale as a float, or raise unless it is a positive finite number."""
    if scale is None:
        return None
    if not is_positive(scale):
        raise NormError(
            f"`compactify` is {shown(scale)}; pass kappa as a positive number, or None."
        )
    return float(scale)


def checked_wrap(wrap: Wrap) -> int:
    """Return the number of representatives of a joint on the seam: two, or one for "authors"."""
    if wrap not in (True, "authors"):
        raise ValueError(f"`wrap_turns` is {wrap!r}; choose False, True or 'authors'.")
    return 1 if wrap == "authors" else 2


def checked_factor(norm: Norms, *, count: int) -> Array:
    """Return the factor of one norm or of `count` norms."""
    factor = norm_factor(norm)
    if factor.ndim == 3 and len(factor) != count:
        raise NormError(f"{len(factor)} norms for {count} joints; pass one norm or one per joint.")
    return factor


def _aligned_distances(
    one: JointArray, two: JointArray, factor: Array, scale: float | None
) -> Array:
    screws, limits = (one.screws, two.screws), (one.limits, two.limits)
    return pair_distances(screws, limits, factor=factor, scale=scale)
