# SPDX-License-Identifier: Apache-2.0
"""One-DOF joints in the object frame at rest (paper sections 3.1 and 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import JointError
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.screws import exp_twist, prismatic_screw, revolute_screw
from aa_dataset.portable import dot, length

Array = NDArray[np.float64]


class JointType(StrEnum):
    """The five one-DOF joints that the metric covers."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    HELICAL = "helical"


class LimitSource(StrEnum):
    """Where the limits of a joint come from."""

    GIVEN = "given"  # stated, by a number, by infinity or by the type
    ABSENT = "absent"  # the file states none; they count as infinite
    IMPUTED = "imputed"  # put in place of absent ones
    TABLE = "table"  # a constant of the method, the same for every object


@dataclass(frozen=True, slots=True)
class Mimic:
    """A coupling ``q = multiplier * q(joint) + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A one-DOF joint: its position, motion and range.

    Attributes
    ----------
    name, parent, child : str
        The joint and the two links that it connects.
    type : JointType
        The type of motion.
    axis : (3,) float
        Direction in the object frame at rest; normalized here, ignored for a fixed joint.
    origin : (3,) float [m]
        A point on the axis in the object frame at rest.
    lower, upper : float [rad or m]
        Joint range, ``lower <= upper``; may be infinite. Always ``(0, 0)`` for a fixed joint and
        ``(-inf, inf)`` for a continuous one.
    pitch : float [m/rad]
        Advance per radian of a helical joint, else 0.
    body : RigidBody or None
        The moving child with everything welded to it, object frame at rest.
    mimic : Mimic or None
        The coupling to another joint, if the object declares one.
    limit_source : LimitSource
        Where the limits come from. Absent ones are ``(-inf, inf)``; a fixed or continuous joint has
        given ones, because its type states them.
    """

    name: str
    type: JointType
    axis: Array
    origin: Array
    lower: float = 0.0
    upper: float = 0.0
    pitch: float = 0.0
    parent: str = ""
    child: str = ""
    body: RigidBody | None = None
    mimic: Mimic | None = None
    limit_source: LimitSource = LimitSource.GIVEN

    def __post_init__(self) -> None:
        kind = _joint_type(self.name, self.type)
        low, high = (_require_number(self.name, "limits", end) for end in (self.lower, self.upper))
        lower, upper = _checked_limits(self.name, kind, low, high)
        for field, value in (
            ("type", kind),
            ("axis", _unit_axis(self.name, kind, self.axis)),
            ("origin", _require_finite_vector(self.name, "origin", self.origin)),
            ("lower", lower),
            ("upper", upper),
            ("limit_source", _checked_source(self.name, kind, self.limit_source, lower, upper)),
            (
                "pitch",
                _checked_pitch(self.name, kind, _require_number(self.name, "pitch", self.pitch)),
            ),
        ):
            object.__setattr__(self, field, value)

    @property
    def is_movable(self) -> bool:
        """Whether the joint is not fixed."""
        return self.type is not JointType.FIXED

    @property
    def limits(self) -> tuple[float, float]:
        """Lower and upper end of the range [rad or m]."""
        return self.lower, self.upper

    @property
    def screw(self) -> Array:
        """Unit screw ``(omega, v)`` in the object frame, (6,); zero for a fixed joint."""
        if self.type is JointType.FIXED:
            return np.zeros(6)
        if self.type is JointType.PRISMATIC:
            return prismatic_screw(self.axis)
        return revolute_screw(self.axis, self.origin, self.pitch)

    def with_body(self, body: RigidBody | None) -> Joint:
        """Return the joint with another moving body."""
        return replace(self, body=body)

    def reversed(self) -> Joint:
        """Return the same motion with the opposite axis (paper Prop. axis flip)."""
        return replace(self, axis=-self.axis, lower=-self.upper, upper=-self.lower)

    def reanchored(self, shift: float) -> Joint:
        """Return the same motion stored in the state ``q = shift`` (paper Remark Re-anchoring).

        The coordinate is zero there, so both limits decrease by `shift` [rad or m], and the body
        moves with the joint.
        """
        moved = None if self.body is None else self.body.moved(exp_twist(shift * self.screw))
        return replace(self, lower=self.lower - shift, upper=self.upper - shift, body=moved)


def _joint_type(name: str, value: str) -> JointType:
    try:
        return JointType(value)
    except ValueError:
        known = ", ".join(JointType)
        raise JointError(name, "type", f"{value!r} is not one of {known}.") from None


def _require_number(name: str, field: str, value: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise JointError(name, field, f"{value!r} is not a number.") from None


def _require_finite_vector(name: str, field: str, value: Array) -> Array:
    try:
        vector = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise JointError(name, field, f"{value!r} is not three finite numbers.") from None
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise JointError(name, field, f"{value!r} is not three finite numbers.")
    return vector


def _unit_axis(name: str, kind: JointType, value: Array) -> Array:
    axis = _require_finite_vector(name, "axis", value)
    if kind is JointType.FIXED:
        return axis
    # Divide by the largest entry first, so that 1e-200 and 1e200 do not underflow or overflow.
    largest = np.abs(axis).max()
    if largest == 0.0:
        raise JointError(name, "axis", "the axis is zero; a movable joint needs a direction.")
    if largest <= 1.0 and abs(float(dot(axis, axis)) - 1.0) <= 4 * np.finfo(float).eps:
        return axis  # already a unit vector: a joint rebuilt from itself must be bit-identical
    axis = axis / largest
    return np.asarray(axis / length(axis))


def _checked_limits(name: str, kind: JointType, lower: float, upper: float) -> tuple[float, float]:
    if kind is JointType.FIXED:
        return 0.0, 0.0
    if kind is JointType.CONTINUOUS:
        return -math.inf, math.inf
    if math.isnan(lower) or math.isnan(upper):
        raise JointError(name, "limits", f"[{lower}, {upper}] holds a NaN.")
    if lower > upper:
        raise JointError(name, "limits", f"lower {lower} is greater than upper {upper}.")
    if lower == upper and math.isinf(lower):
        raise JointError(name, "limits", f"[{lower}, {upper}] is not a range.")
    return lower, upper


def _checked_source(
    name: str, kind: JointType, value: str, lower: float, upper: float
) -> LimitSource:
    try:
        source = LimitSource(value)
    except ValueError:
        known = ", ".join(LimitSource)
        raise JointError(name, "limit_source", f"{value!r} is not one of {known}.") from None
    if kind in (JointType.FIXED, JointType.CONTINUOUS):
        return LimitSource.GIVEN
    if source is LimitSource.ABSENT and (lower, upper) != (-math.inf, math.inf):
        raise JointError(
            name,
            "limit_source",
            f"absent limits are infinite, but they are [{lower}, {upper}]; pass `given`, or "
            "`imputed` if they were put in place of absent ones.",
        )
    return source


def _checked_pitch(name: str, kind: JointType, pitch: float) -> float:
    if not math.isfinite(pitch):
        raise JointError(name, "pitch", f"{pitch} m/rad is not finite.")
    if pitch != 0.0 and kind is not JointType.HELICAL:
        raise JointError(name, "pitch", f"a {kind} joint has no pitch, found {pitch} m/rad.")
    return pitch
