# SPDX-License-Identifier: Apache-2.0
"""Joints of one state: lower and upper are equal, so they are fixed joints in disguise.

Simulators warn of such a range or ignore it. The joint becomes fixed in the stored state, as does
every joint that follows it. A follower that states an empty range itself moves with its leader in
every reader that knows `<mimic>`; it gets the range through which its leader drives it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from pipeline.base.reasons import Code, Finding

# Relative and absolute [rad or m] difference below which a URDF has the same number twice.
SAME, SAME_NEAR_ZERO = 1e-9, 1e-12


def settle_still(tree: KinematicTree) -> tuple[KinematicTree, list[Finding]]:
    """Return the tree with its joints of one state fixed, and a finding about each."""
    stills = _Stills({joint.name: joint for joint in tree.joints})
    joints = tuple(stills.settled(joint) for joint in tree.joints)
    return KinematicTree(tree.name, tree.links, joints), stills.findings


class _Stills:
    """Decides about every joint once, after the joint that it follows."""

    def __init__(self, written: Mapping[str, Joint]) -> None:
        self._written, self._done = written, dict[str, Joint]()
        self.findings: list[Finding] = []

    def settled(self, joint: Joint) -> Joint:
        chain: list[Joint] = []
        following: Joint | None = joint
        while following is not None and following.name not in self._done:
            chain.append(following)
            mimic = following.mimic
            following = None if mimic is None else self._written.get(mimic.joint)
        for one in reversed(chain):
            self._done[one.name] = self._decided(one)
        return self._done[joint.name]

    def _decided(self, joint: Joint) -> Joint:
        leader = None if joint.mimic is None else self._done.get(joint.mimic.joint)
        if leader is not None and joint.is_movable and self._became_fixed(leader):
            return self._fixed(joint, f"it follows {leader.name}, which has one state")
        if not _is_still(joint):
            return joint
        if leader is None or not leader.is_movable or not _moves(joint):
            return self._fixed(joint, f"lower and upper are both {joint.lower:g}")
        detail = f"joint {joint.name}: its empty range became the one of its leader {leader.name}."
        self.findings.append(Finding(Code.LIMIT_ZERO, detail))
        return _driven(joint, leader)

    def _became_fixed(self, joint: Joint) -> bool:
        return not joint.is_movable and self._written[joint.name].is_movable

    def _fixed(self, joint: Joint, why: str) -> Joint:
        detail = f"joint {joint.name}: {why}; it became fixed."
        self.findings.append(Finding(Code.LIMIT_ZERO, detail))
        return replace(joint, type=JointType.FIXED, pitch=0.0, body=None, mimic=None)


def _is_still(joint: Joint) -> bool:
    if joint.type in (JointType.FIXED, JointType.CONTINUOUS):
        return False
    return math.isclose(joint.lower, joint.upper, rel_tol=SAME, abs_tol=SAME_NEAR_ZERO)


def _moves(joint: Joint) -> bool:
    return joint.mimic is not None and joint.mimic.multiplier != 0.0


def _driven(joint: Joint, leader: Joint) -> Joint:
    """Return a follower with the range that its leader gives it."""
    assert joint.mimic is not None  # it has a leader
    mimic = joint.mimic
    lower, upper = sorted(mimic.multiplier * end + mimic.offset for end in leader.limits)
    if math.isfinite(upper - lower):
        return replace(joint, lower=lower, upper=upper)
    endless = JointType.CONTINUOUS if joint.type is JointType.REVOLUTE else joint.type
    return replace(joint, type=endless, lower=-math.inf, upper=math.inf)
