# SPDX-License-Identifier: Apache-2.0
"""Decomposes joints with several degrees of freedom into chains of one-DOF joints.

They are connected by empty carrier links. At rest all new joints are at 0, and together they reach
exactly the states of the original joint.

* ball, spherical: turns about x, y and z of the child frame. Without limits, x and z are
  continuous and y has [-pi/2, pi/2], which gives every orientation once. A symmetric limit applies
  to each of the three. Any other limit of a ball (a cone, a twist) has no equivalent in three
  angles: rejected.
* universal: turns about `<axis>`, then `<axis2>`; rejected if the second axis is not known.
* planar: two slides in the plane normal to the axis, then a turn about it, which is how simulators
  read the URDF page's "motion in a plane perpendicular to the axis". URDF has no limits for it, so
  the slides are unbounded, with the finding of an unbounded slider.
* floating: rejected. It has no constraint and no limits: six invented ranges would not be measured
  facts, and a fixed joint would be wrong for a loose part. A floating root is settled before (see
  `loose`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from aa_dataset.kinematics.urdf import UrdfJoint, UrdfLink, UrdfModel
from aa_dataset.portable import dot, length
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.stages.normalize.structure import free_name

BALLS = ("ball", "spherical")
COMPOUND = (*BALLS, "universal", "planar", "floating")


@dataclass(slots=True)
class Decomposed:
    """The document with one-DOF joints only; `sources` maps each new joint to its original."""

    model: UrdfModel
    findings: list[Finding] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    carriers: list[str] = field(default_factory=list)


def decompose(model: UrdfModel) -> Decomposed:
    """Replace every joint with several degrees of freedom.

    Raises
    ------
    Rejection
        `joint_floating`, `joint_compound` or `mimic_invalid`.
    """
    out = Decomposed(model)
    compound = {joint.name for joint in model.joints if joint.type in COMPOUND}
    if not compound:
        return out
    _refuse_mimics(model, compound)
    names = _Names(model)
    joints: list[UrdfJoint] = []
    for joint in model.joints:
        joints += _steps(out, joint, names) if joint.type in COMPOUND else [joint]
    links = (*model.links, *(UrdfLink(name) for name in out.carriers))
    out.model = replace(model, links=links, joints=tuple(joints))
    return out


def _refuse_mimics(model: UrdfModel, compound: set[str]) -> None:
    for joint in model.joints:
        target = None if joint.mimic is None else joint.mimic.joint
        if target is not None and (joint.name in compound or target in compound):
            detail = f"joint {joint.name!r} follows {target!r}; one of them has no single value."
            raise Rejection(Reason.MIMIC_INVALID, detail)


class _Names:
    """Returns names that the document does not use yet."""

    def __init__(self, model: UrdfModel) -> None:
        self.links = {link.name for link in model.links}
        self.joints = {joint.name for joint in model.joints}


def _steps(out: Decomposed, joint: UrdfJoint, names: _Names) -> list[UrdfJoint]:
    if joint.type == "floating":
        detail = (
            f"joint {joint.name!r} is floating: {joint.child!r} is loose, without axis and limits. "
            "Write the joint that it has, or leave the part out."
        )
        raise Rejection(Reason.JOINT_FLOATING, detail)
    steps = list(_one_dof(joint))
    parent, pose, made = joint.parent, joint.pose, []
    for number, (suffix, step) in enumerate(steps):
        name = free_name(f"{joint.name}_{suffix}", names.joints)
        child = joint.child
        if number < len(steps) - 1:
            child = free_name(f"{joint.child}_{suffix}", names.links)
            out.carriers.append(child)
        made.append(replace(step, name=name, parent=parent, child=child, pose=pose))
        out.sources[name] = joint.name
        parent, pose = child, np.eye(4)
    kinds = ", ".join(step.type for step in made)
    detail = f"joint {joint.name}: a {joint.type} joint became {len(made)} joints ({kinds})."
    out.findings.append(Finding(Code.JOINT_DECOMPOSED, detail, Severity.INFO))
    return made


def _one_dof(joint: UrdfJoint) -> Iterator[tuple[str, UrdfJoint]]:
    """Yield the one-DOF joints, in order from the parent, with the suffix of their names."""
    if joint.type in BALLS:
        yield from _ball(joint)
    elif joint.type == "universal":
        yield from _universal(joint)
    else:
        yield from _planar(joint)


def _ball(joint: UrdfJoint) -> Iterator[tuple[str, UrdfJoint]]:
    limit = _limits(joint)
    for suffix, axis in zip("xyz", np.eye(3), strict=True):
        if limit is not None:
            if not math.isclose(-limit[0], limit[1]) or limit[1] <= 0:
                detail = (
                    f"joint {joint.name!r}: a {joint.type} joint with the limits [{limit[0]:g}, "
                    f"{limit[1]:g}] is no set of three angles; write three revolute joints."
                )
                raise Rejection(Reason.JOINT_COMPOUND, detail)
            yield suffix, _turn(joint, axis, limit)
        elif suffix == "y":
            yield suffix, _turn(joint, axis, (-math.pi / 2, math.pi / 2))
        else:
            yield suffix, _turn(joint, axis, None)


def _universal(joint: UrdfJoint) -> Iterator[tuple[str, UrdfJoint]]:
    if joint.axis is None or joint.second_axis is None:
        detail = (
            f"joint {joint.name!r} is universal but does not name both axes; write two revolute "
            "joints with an empty link between them."
        )
        raise Rejection(Reason.JOINT_COMPOUND, detail)
    yield "axis1", _turn(joint, joint.axis, _limits(joint))
    yield "axis2", _turn(joint, joint.second_axis, _limits(joint))


def _planar(joint: UrdfJoint) -> Iterator[tuple[str, UrdfJoint]]:
    normal = np.array([1.0, 0.0, 0.0]) if joint.axis is None else joint.axis
    size = float(length(normal))
    if not 0 < size < math.inf:
        detail = f"joint {joint.name!r}: the axis is zero; a plane needs a normal."
        raise Rejection(Reason.AXIS_ZERO, detail)
    normal = normal / size
    # The coordinate axis that is least along the normal, projected: the same on every machine.
    seed = np.eye(3)[int(np.argmin(np.round(np.abs(normal), 9)))]
    one = seed - dot(seed, normal) * normal
    one /= length(one)
    for suffix, axis in (("u", one), ("v", np.cross(normal, one))):
        yield suffix, replace(joint, type="prismatic", axis=axis, has_limit=False)
    yield "turn", _turn(joint, normal, None)


def _limits(joint: UrdfJoint) -> tuple[float, float] | None:
    """Return the stated range, None if none is stated."""
    if joint.lower is None and joint.upper is None:
        return None
    lower, upper = joint.lower or 0.0, joint.upper or 0.0
    return None if math.isinf(lower) and math.isinf(upper) else (lower, upper)


def _turn(joint: UrdfJoint, axis: np.ndarray, limits: tuple[float, float] | None) -> UrdfJoint:
    if limits is None:
        return replace(joint, type="continuous", axis=axis, lower=None, upper=None)
    lower, upper = limits
    return replace(joint, type="revolute", axis=axis, lower=lower, upper=upper, has_limit=True)
