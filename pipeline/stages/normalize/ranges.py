# SPDX-License-Identifier: Apache-2.0
"""Joint ranges by the convention: missing limits are filled in, with a finding."""

from __future__ import annotations

import math
from dataclasses import replace

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.kinematics.urdf import UrdfJoint, UrdfModel
from pipeline.base.reasons import Code, Finding, Severity
from pipeline.engine.settings import Normalize
from pipeline.stages.normalize.frame import FARTHEST


def settle_range(joint: Joint, *, diagonal: float) -> tuple[Joint, list[Finding]]:
    """Return the joint with a range that the convention allows.

    Parameters
    ----------
    joint : Joint
        In the object frame.
    diagonal : float [m]
        Diagonal of the object's box, the travel of an unbounded slider.
    """
    if joint.type is JointType.REVOLUTE and not _is_bounded(joint):
        detail = f"joint {joint.name}: an unbounded hinge became continuous."
        return replace(joint, type=JointType.CONTINUOUS), [Finding(Code.LIMIT_MISSING, detail)]
    if lacks_range(joint):
        travel = diagonal if joint.type is JointType.PRISMATIC else 2 * math.pi
        lower = joint.lower if math.isfinite(joint.lower) else min(0.0, joint.upper) - travel
        upper = joint.upper if math.isfinite(joint.upper) else max(0.0, joint.lower) + travel
        detail = (
            f"joint {joint.name}: the source has no limit; [{lower:.6g}, {upper:.6g}] is invented."
        )
        bounded = replace(joint, lower=_ten_digits(lower), upper=_ten_digits(upper))
        return bounded, [Finding(Code.LIMIT_INVENTED, detail)]
    return joint, []


def without_endless(tree: KinematicTree) -> KinematicTree:
    """Return the tree with no limit where the source has one beyond any object.

    Converters write 1e16 or 1.8e308 for "none".
    """
    return KinematicTree(tree.name, tree.links, tuple(map(_without_endless, tree.joints)))


def _without_endless(joint: Joint) -> Joint:
    lower = -math.inf if joint.lower < -FARTHEST else joint.lower
    upper = math.inf if joint.upper > FARTHEST else joint.upper
    return replace(joint, lower=lower, upper=upper)


def lacks_range(joint: Joint) -> bool:
    """Return whether a slide or screw has an unbounded end, so that a limit is invented."""
    return joint.type in (JointType.PRISMATIC, JointType.HELICAL) and not _is_bounded(joint)


def _is_bounded(joint: Joint) -> bool:
    return math.isfinite(joint.lower) and math.isfinite(joint.upper)


def _ten_digits(value: float) -> float:
    return float(format(value, ".10g"))


def stated_limit(written: UrdfJoint) -> list[Finding]:
    """Report a hinge without `<limit>` that became continuous, or a continuous one with a range."""
    if written.type == "revolute" and not written.has_limit:
        detail = f"joint {written.name}: a hinge without <limit> became continuous."
        return [Finding(Code.LIMIT_MISSING, detail)]
    lower, upper = written.lower or 0.0, written.upper or 0.0
    if written.type == "continuous" and lower < upper and math.isfinite(upper - lower):
        detail = f"joint {written.name} is continuous: its range [{lower:g}, {upper:g}] is ignored."
        return [Finding(Code.LIMIT_IGNORED, detail, Severity.INFO)]
    return []


def reversed_limits(model: UrdfModel) -> UrdfJoint | None:
    """Return the first joint with reversed limits; a person must decide if order or sign is wrong.

    pinocchio and Bullet keep such a range, MuJoCo takes it for none, Drake refuses it.
    """
    for joint in model.joints:
        lower, upper = joint.lower or 0.0, joint.upper or 0.0
        if joint.type in ("revolute", "prismatic") and joint.has_limit and lower > upper:
            return joint
    return None


def repair_rows(joint: UrdfJoint, object_id: str) -> str:
    """Return the two rows of repairs.tsv that exchange two limits, with a bar between."""
    ends = {"lower": (joint.lower, joint.upper), "upper": (joint.upper, joint.lower)}
    rows = [
        "\t".join([object_id, f"joint:{joint.name}:{end}", *map(_cell, values), "limits reversed"])
        for end, values in ends.items()
    ]
    return " | ".join(rows)


def _cell(value: float | None) -> str:
    return "" if value is None else repr(value)


def settle_drive(written: UrdfJoint, settings: Normalize) -> tuple[float, float, list[Finding]]:
    """Return effort, velocity and a finding if either was filled in."""
    effort = _positive(written.effort)
    velocity = _positive(written.velocity)
    findings = []
    if effort is None or velocity is None:
        detail = f"joint {written.name}: effort or velocity is the default."
        findings = [Finding(Code.EFFORT_DEFAULT, detail, Severity.INFO)]
    return effort or settings.effort, velocity or settings.velocity, findings


def _positive(value: float | None) -> float | None:
    return value if value is not None and 0 < value < math.inf else None
