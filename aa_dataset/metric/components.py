# SPDX-License-Identifier: Apache-2.0
"""The component protocol that the field has used, in four named variants (paper section 3.2).

``strict``
    The formulas as the paper prints them. Where one is 0/0 (origin of parallel axes, axis of a
    fixed joint) the origin is nan, the axis pi/2, and the indicator fails, even for the truth
    against itself.
``parallel-safe``
    The same, with the distance from the predicted origin to the true line where axes are nearly
    parallel: the distance of two lines is meaningless there, since a tilt of any size can make
    lines meet that are a meter apart at the object. Up to `PARALLEL_ANGLE` (1e-3 rad, as in
    Ditto) it is point to line, from `SKEW_ANGLE` (1e-2 rad) on the paper's formula, linear in the
    sine of the angle between, so that the error is continuous. Of lines that meet, a hinge d
    meters off has the error ``d (1e-2 - s) / 9e-3`` at the sine s between, so it succeeds from
    ``s = 1e-2 - 4.5e-4 / d`` on: one that is 1 m off, from a tilt of 9.55e-3 rad. A fixed ground
    truth has no axis and no origin, so its success is that of the type.
``released``
    What the public code of Articulate-Anything computes (vlongle/articulate-anything,
    ``articulate_anything/utils/metric.py`` at 2766c80), including its arbitrary direction for
    parallel axes, its gates on limits, and its tolerance of prismatic joints.
``authors``
    What the authors' package `articulatearena` 0.1.0 computes: continuous and helical joints are
    revolute, the prediction's type chooses the origin's formula, parallel axes are infinitely far
    apart, and a fixed joint is measured by its stated axis and origin.

An undefined value is nan, never 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.metric.foreign import TupleLike, tuple_joint

Variant = Literal["strict", "parallel-safe", "released", "authors"]
Vector = tuple[float, float, float]

AXIS_TOLERANCE = 0.25  # rad
ORIGIN_TOLERANCE = 0.05  # m
RELEASED_RANGE_TOLERANCE = 1.6057  # rad or m, as in the public code
RELEASED_DIRECTION_TOLERANCE = 1.0
# Below this sine the quotient for skew lines is rounding noise.
PARALLEL = 1e-12
# Between these angles [rad] `parallel-safe` blends from point-line to line-line distance.
PARALLEL_ANGLE, SKEW_ANGLE = 1e-3, 1e-2
RELEASED_PARALLEL = 1e-8

ROTATIONS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.HELICAL)


@dataclass(frozen=True, slots=True)
class ComponentErrors:
    """Errors of one predicted joint, component by component; nan where undefined.

    Attributes
    ----------
    type_error : float
        0 or 1.
    axis_error : float [rad]
        Angle between the axes up to sign.
    origin_error : float [m]
        Between axes for rotations, between origins for translations, by the truth's type.
    range_error : float [rad or m]
        Length of the difference of motion vectors ``axis * (upper - lower)``.
    direction_error : float
        One minus the cosine between motion vectors, 0 to 2.
    success : bool
        Whether every gated component is within its tolerance.
    variant : str
        The protocol.
    """

    type_error: float
    axis_error: float
    origin_error: float
    range_error: float
    direction_error: float
    success: bool
    variant: Variant

    def __str__(self) -> str:
        """Return the verdict, then one error per line with its unit."""
        rows = (
            ("type", self.type_error, ""),
            ("axis", self.axis_error, " rad"),
            ("origin", self.origin_error, " m"),
            ("range", self.range_error, " rad or m"),
            ("direction", self.direction_error, ""),
        )
        head = f"component errors ({self.variant}): {'success' if self.success else 'failure'}"
        return "\n".join(
            [head, *(f"  {name:<10} {_format_value(x, unit)}" for name, x, unit in rows)]
        )


def _format_value(value: float, unit: str) -> str:
    return "undefined" if math.isnan(value) else f"{value:.6g}{unit}"


def component_errors(
    predicted: Joint | TupleLike,
    truth: Joint | TupleLike,
    *,
    variant: Variant = "strict",
    merge_continuous: bool = False,
    frame_rotation: float = 0.0,
) -> ComponentErrors:
    """Score one predicted joint against the truth, component by component.

    Parameters
    ----------
    predicted, truth : Joint
        In one frame. Helical joints count as revolute, because the tuple has no pitch.
    variant : {"strict", "parallel-safe", "released", "authors"}
        See the module.
    merge_continuous : bool
        Count continuous and revolute as one type.
    frame_rotation : float [rad]
        Angle between the two joint frames, which `released` averages with the origin error.

    Examples
    --------
    >>> truth = Joint("door", "revolute", [0, 0, 1], [0, 0, 0], 0.0, 1.5)
    >>> found = Joint("door", "revolute", [0, 0, 1], [0.03, 0, 0], 0.0, 1.2)
    >>> print(component_errors(found, truth, variant="parallel-safe"))
    component errors (parallel-safe): success
      type       0
      axis       0 rad
      origin     0.03 m
      range      0.3 rad or m
      direction  0
    """
    predicted, truth = tuple_joint(predicted, "predicted"), tuple_joint(truth, "truth")
    wrong = float(
        _compared_type(predicted, merge_continuous) != _compared_type(truth, merge_continuous)
    )
    guess, goal = _Tuple.of(predicted), _Tuple.of(truth)
    if variant == "released":
        return _released_errors(guess, goal, wrong, frame_rotation)
    if variant == "authors":
        return _authors_errors(guess, goal)
    if variant not in ("strict", "parallel-safe"):
        raise ValueError(
            f"`variant` is {variant!r}; choose 'strict', 'parallel-safe', 'released' or 'authors'."
        )
    axis = _axis_error(guess, goal)
    origin = _origin_error(guess, goal, safe=variant == "parallel-safe")
    span, direction = _limit_errors(guess, goal)
    success = wrong == 0 and axis < AXIS_TOLERANCE and origin < ORIGIN_TOLERANCE
    if variant == "parallel-safe" and goal.type is JointType.FIXED:
        axis, success = math.nan, wrong == 0
    return ComponentErrors(wrong, axis, origin, span, direction, success, variant)


class _Tuple(NamedTuple):
    """The paper's joint tuple (eq. 1) in plain numbers, faster than arrays for a few joints."""

    type: JointType
    axis: Vector
    origin: Vector
    span: float

    @classmethod
    def of(cls, joint: Joint) -> _Tuple:
        ax, ay, az = joint.axis.tolist()
        ox, oy, oz = joint.origin.tolist()
        return cls(joint.type, (ax, ay, az), (ox, oy, oz), joint.upper - joint.lower)


def _compared_type(joint: Joint, merge_continuous: bool) -> JointType:
    if joint.type is JointType.HELICAL:
        return JointType.REVOLUTE
    if merge_continuous and joint.type is JointType.CONTINUOUS:
        return JointType.REVOLUTE
    return joint.type


def _axis_error(predicted: _Tuple, truth: _Tuple) -> float:
    if JointType.FIXED in (predicted.type, truth.type):
        return math.pi / 2  # a fixed joint's axis is zero, so the formula gives arccos 0
    # The arc tangent is the same angle as the paper's arc cosine, with all digits near 0.
    normal = _cross(predicted.axis, truth.axis)
    return math.atan2(math.hypot(*normal), abs(_dot(predicted.axis, truth.axis)))


def _origin_error(predicted: _Tuple, truth: _Tuple, *, safe: bool) -> float:
    if truth.type is JointType.FIXED:
        return math.nan
    offset = _subtracted(predicted.origin, truth.origin)
    if truth.type not in ROTATIONS:
        return math.hypot(*offset)
    if predicted.type is JointType.FIXED:
        return math.nan
    normal = _cross(predicted.axis, truth.axis)
    size = math.hypot(*normal)
    lines = abs(_dot(offset, normal)) / size if size > PARALLEL else math.nan
    if not safe or size >= SKEW_ANGLE:
        return lines
    point = math.hypot(*_cross(offset, truth.axis))
    if size <= PARALLEL_ANGLE:
        return point
    share = (size - PARALLEL_ANGLE) / (SKEW_ANGLE - PARALLEL_ANGLE)
    return point + share * (lines - point)


def _limit_errors(predicted: _Tuple, truth: _Tuple) -> tuple[float, float]:
    if math.isinf(predicted.span) or math.isinf(truth.span):
        return math.nan, math.nan
    m1, m2 = _scaled(predicted.axis, predicted.span), _scaled(truth.axis, truth.span)
    sizes = math.hypot(*m1) * math.hypot(*m2)
    direction = 1 - _dot(m1, m2) / sizes if sizes > 0 else math.nan
    return math.dist(m1, m2), direction


def _released_errors(
    predicted: _Tuple, truth: _Tuple, wrong: float, turn: float
) -> ComponentErrors:
    axis = _released_axis(predicted.axis, truth.axis)
    origin = _released_origin(predicted, truth)
    original = _released_limits(truth, predicted, 1.0)
    flipped = _released_limits(truth, predicted, -1.0)
    span, direction = original if original[1] < flipped[1] else flipped
    # Written with "not >" because that code accepts nan.
    success = wrong == 0 and not axis > AXIS_TOLERANCE
    if truth.type is not JointType.PRISMATIC:
        success = success and not (origin + turn) / 2 > ORIGIN_TOLERANCE
        success = success and not direction > RELEASED_DIRECTION_TOLERANCE
        success = success and not span > RELEASED_RANGE_TOLERANCE
    return ComponentErrors(wrong, axis, origin, span, direction, success, "released")


def _released_axis(first: Vector, second: Vector) -> float:
    size = math.hypot(*first) * math.hypot(*second)
    if size == 0:
        return math.nan
    cosine = max(-1.0, min(1.0, _dot(first, second) / size))
    return min(math.acos(cosine), math.acos(-cosine))


def _released_origin(predicted: _Tuple, truth: _Tuple) -> float:
    offset = _subtracted(truth.origin, predicted.origin)
    if truth.type not in (JointType.REVOLUTE, JointType.HELICAL):
        return math.hypot(*offset)
    a, b = predicted.axis, truth.axis
    normal = _cross(a, b)
    if max(map(abs, normal)) <= RELEASED_PARALLEL:
        # numpy.allclose(a, [1, 0, 0]) with its default tolerances
        along_x = abs(a[0] - 1) <= 1.001e-5 and max(abs(a[1]), abs(a[2])) <= RELEASED_PARALLEL
        normal = _cross(b, (0.0, 1.0, 0.0)) if along_x else _cross(a, (1.0, 0.0, 0.0))
    size = math.hypot(*normal)
    return abs(_dot(offset, normal)) / size if size > 0 else math.nan


def _released_limits(truth: _Tuple, predicted: _Tuple, sign: float) -> tuple[float, float]:
    """Return range and direction terms; `sign` -1 reverses the prediction with its limits."""
    m1, d1 = _released_motion(truth, 1.0)
    m2, d2 = _released_motion(predicted, sign)
    return _length(_subtracted(m1, m2)), 1 - _dot(d1, d2)


def _released_motion(joint: _Tuple, sign: float) -> tuple[Vector, Vector]:
    """Return the motion vector and its direction, which falls back to the axis."""
    # That code reads a missing limit as 0, and continuous joints have none.
    span = 0.0 if joint.type is JointType.CONTINUOUS else joint.span
    axis = _scaled(joint.axis, sign)
    motion = _scaled(axis, span) if span else (0.0, 0.0, 0.0)
    size = _length(motion)
    return motion, _scaled(motion, 1 / size) if size else axis


def _authors_errors(predicted: _Tuple, truth: _Tuple) -> ComponentErrors:
    turning = predicted.type in ROTATIONS
    if turning or truth.type in ROTATIONS:
        wrong = float(turning != (truth.type in ROTATIONS))
    else:
        wrong = float(predicted.type is not truth.type)
    axis = math.acos(min(abs(_dot(predicted.axis, truth.axis)), 1.0))
    origin = _authors_origin(predicted, truth)
    m1, m2 = _scaled(predicted.axis, predicted.span), _scaled(truth.axis, truth.span)
    sizes = _length(m1) * _length(m2)
    direction = math.nan if sizes == 0 else 1 - _dot(m1, m2) / sizes
    success = wrong == 0 and axis < AXIS_TOLERANCE and origin < ORIGIN_TOLERANCE
    span = _length(_subtracted(m1, m2))
    return ComponentErrors(wrong, axis, origin, span, direction, success, "authors")


def _authors_origin(predicted: _Tuple, truth: _Tuple) -> float:
    offset = _subtracted(predicted.origin, truth.origin)
    if predicted.type not in ROTATIONS:
        return math.hypot(*offset)
    normal = _cross(predicted.axis, truth.axis)
    size = math.hypot(*normal)
    return math.inf if size < PARALLEL else abs(_dot(offset, normal)) / size


def _length(a: Vector) -> float:
    # An infinite range times an axis of zeros and ones is (nan, nan, inf). That code's norm of it
    # is nan, and so passes its gates; `math.hypot` would give inf.
    return math.sqrt(_dot(a, a))


def _subtracted(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _scaled(a: Vector, factor: float) -> Vector:
    return a[0] * factor, a[1] * factor, a[2] * factor


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )
