# SPDX-License-Identifier: Apache-2.0
"""Absent limits of a prediction, replaced by those of the ground truth where this is asked for.

Some methods predict axes without ranges. With ``impute_limits = "truth"`` a paired joint whose file
states no limits takes the range of its partner, with the sign of the axis that fits better. Stated
limits are never touched, and every affected row says ``imputed``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aa_dataset.kinematics.joints import Joint, JointType, LimitSource
from aa_dataset.metric import JointArray, Skeleton, SplitNorm, joint_distance
from aa_dataset.score.parameters import Parameters


def with_partners_ranges(
    truth: Skeleton, predicted: Skeleton, partner: Mapping[int, int], parameters: Parameters
) -> Skeleton:
    """Return the prediction in which paired joints without limits have their partners' ranges."""
    joints = list(predicted.joints)
    for i, j in partner.items():
        if joints[j].limit_source is LimitSource.ABSENT:
            joints[j] = _imputed(joints[j], truth.joints[i], parameters)
    if all(new is old for new, old in zip(joints, predicted.joints, strict=True)):
        return predicted
    return replace(predicted, joints=tuple(joints), array=JointArray.of(joints))


def _imputed(joint: Joint, truth: Joint, parameters: Parameters) -> Joint:
    """Return the joint with the truth's range, unless one turns and the other slides."""
    if _is_slide(joint) != _is_slide(truth):
        return joint
    norm = SplitNorm(parameters.alpha)
    forward = replace(joint, lower=truth.lower, upper=truth.upper, limit_source=LimitSource.IMPUTED)
    backward = replace(forward, lower=-truth.upper, upper=-truth.lower)
    ahead, back = (
        joint_distance(one, truth, norm=norm, compactify=parameters.kappa)
        for one in (forward, backward)
    )
    return backward if back < ahead else forward


def _is_slide(joint: Joint) -> bool:
    return joint.type is JointType.PRISMATIC
