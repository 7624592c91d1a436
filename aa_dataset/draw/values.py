# SPDX-License-Identifier: Apache-2.0
"""Angles in degrees, lengths in millimeters, ranges and pitches, as short text for people."""

from __future__ import annotations

import math

from aa_dataset.draw.names import shortened
from aa_dataset.kinematics.joints import Joint, JointType, LimitSource

DEGREE, TIMES = "°", "\u00d7"
FOLLOWED = 12  # columns of the name of a joint that another one follows
TURN = 2 * math.pi


def short_number(value: float) -> str:
    """Return about three digits: ``0.0123``, ``91.7``, ``1570``, ``1.23e+07``."""
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else ("-inf" if value < 0 else "inf")
    text = f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"
    return "0" if float(text) == 0 else text


def degrees(value: float) -> float:
    """Return an angle [rad] in degrees."""
    return value * (180 / math.pi)


def millimeters(value: float) -> float:
    """Return a length [m] in millimeters."""
    return value * 1000


def range_text(joint: Joint, *, degree: str = DEGREE) -> str:
    """Return the range of a joint, such as ``0 to 91.7°`` or ``0 to 350 mm``; empty if fixed.

    Parameters
    ----------
    degree : str
        What follows an angle; a terminal gets ``" deg"``.
    """
    if joint.type in (JointType.FIXED, JointType.CONTINUOUS):
        return ""
    if joint.limit_source is LimitSource.ABSENT:
        return "limits absent"
    scale, unit = (millimeters, " mm") if joint.type is JointType.PRISMATIC else (degrees, degree)
    low, high = (short_number(scale(end)) for end in joint.limits)
    if joint.lower == -math.inf and joint.upper == math.inf:
        return "without limits"
    if joint.lower == -math.inf:
        return f"up to {high}{unit}"
    return f"from {low}{unit}" if joint.upper == math.inf else f"{low} to {high}{unit}"


def pitch_text(joint: Joint) -> str:
    """Return the pitch of a helical joint in millimeters per turn, else nothing."""
    if joint.type is not JointType.HELICAL:
        return ""
    return f"{short_number(millimeters(joint.pitch * TURN))} mm/turn"


def mimic_text(joint: Joint) -> str:
    """Return what a joint follows, such as its factor and offset; empty if it is free."""
    mimic = joint.mimic
    if mimic is None:
        return ""
    times = "" if mimic.multiplier == 1 else f" {TIMES} {short_number(mimic.multiplier)}"
    scale, unit = (millimeters, " mm") if joint.type is JointType.PRISMATIC else (degrees, DEGREE)
    sign = "-" if mimic.offset < 0 else "+"
    plus = f" {sign} {short_number(scale(abs(mimic.offset)))}{unit}" if mimic.offset else ""
    return f"follows {shortened(mimic.joint, FOLLOWED)}{times}{plus}"


def motion_text(joint: Joint, *, degree: str = DEGREE) -> str:
    """Return range and pitch, such as ``0 to 344°, 5.03 mm/turn``."""
    return ", ".join(filter(None, (range_text(joint, degree=degree), pitch_text(joint))))
