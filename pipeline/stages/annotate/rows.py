# SPDX-License-Identifier: Apache-2.0
"""Rows of the tables `links` and `joints` for one object, rounded before they are written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import trimesh

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics import Joint, KinematicTree
from aa_dataset.kinematics.urdf import Dynamics, UrdfJoint
from aa_dataset.metric import DEFAULT_SCALE, KineticNorm, Norm, SplitNorm, motion_size
from pipeline.handover.annotated import JointRow, LinkRow
from pipeline.shapes.glb import link_points
from pipeline.stages.annotate.facts import ObjectFacts
from pipeline.stages.annotate.mass import LinkMass
from pipeline.stages.annotate.rounding import rounded, rounded_body, rounded_to, rounded_up


def link_row(
    name: str,
    found: LinkMass,
    meshes: Sequence[trimesh.Trimesh],
    *,
    source: ObjectFacts,
) -> LinkRow:
    """Return one row of `links`; the body is the one that the URDF carries."""
    body, normal = found.body, source.normal
    points = link_points(list(meshes))
    size = source.diagonal
    return LinkRow(
        link=name,
        source_name=normal.link_names[name],
        semantic=source.part(name),
        mass=body.mass,
        com=tuple(body.center.tolist()),
        inertia=tuple(body.inertia.reshape(-1).tolist()),
        inertia_method=found.method,
        inertia_error=rounded_up(found.error),
        source_inertial=normal.source_inertials.get(name),
        faces=sum(len(mesh.faces) for mesh in meshes),
        watertight=found.watertight,
        bounds_lower=tuple(rounded_to(points.min(axis=0), size)) if len(points) else None,
        bounds_upper=tuple(rounded_to(points.max(axis=0), size)) if len(points) else None,
        collision_source=normal.collision_sources[name],
    )


def joint_rows(
    tree: KinematicTree, written: Mapping[str, UrdfJoint], *, source: ObjectFacts
) -> tuple[JointRow, ...]:
    """Return the rows of `joints` of one object, helical pairs already folded."""
    return tuple(_joint_row(joint, written[joint.name], source) for joint in tree.joints)


def _joint_row(joint: Joint, written: UrdfJoint, source: ObjectFacts) -> JointRow:
    size, body = source.diagonal, joint.body
    resists = written.dynamics or Dynamics()
    if body is not None:
        body = rounded_body(body, size)
        joint = joint.with_body(body)
    screw = rounded_to(joint.screw[:3], 1.0) + rounded_to(joint.screw[3:], max(size, 1.0))
    return JointRow(
        joint=joint.name,
        source_name=source.normal.joint_names[joint.name],
        parent=joint.parent,
        child=joint.child,
        type=str(joint.type),
        # As parsed from the URDF, so that a joint read from either is the same to the bit.
        axis=(0.0, 0.0, 0.0) if written.axis is None else tuple(written.axis.tolist()),
        origin=tuple(joint.origin.tolist()),
        pitch=rounded(joint.pitch),
        pitch_source=source.normal.pitch_sources.get(joint.name, ""),
        lower=rounded(joint.lower),
        upper=rounded(joint.upper),
        effort=rounded(written.effort or 0.0),
        velocity=rounded(written.velocity or 0.0),
        damping=resists.damping,
        friction=resists.friction,
        armature=resists.armature,
        screw=tuple(screw),
        endpoint_lower=_endpoint(screw, rounded(joint.lower), size),
        endpoint_upper=_endpoint(screw, rounded(joint.upper), size),
        body_mass=None if body is None else body.mass,
        body_com=None if body is None else tuple(body.center.tolist()),
        body_inertia=None if body is None else tuple(body.inertia.reshape(-1).tolist()),
        motion_alpha=_motion(joint, SplitNorm()),
        motion_kinetic=_kinetic_motion(joint),
        mimic=joint.mimic,
    )


def _endpoint(screw: Sequence[float], limit: float, size: float) -> tuple[float, ...] | None:
    """Return the twist (6,) at one end of the range (paper eq. 4), null if it is infinite."""
    if not math.isfinite(limit):
        return None
    twist = limit * np.array(screw)
    largest = max(1.0, abs(limit))
    return (*rounded_to(twist[:3], largest), *rounded_to(twist[3:], largest * max(size, 1.0)))


def _kinetic_motion(joint: Joint) -> float | None:
    """Return E_B^phi to the fixed joint; null if the body is missing or singular."""
    if joint.body is None:
        return None
    try:
        return _motion(joint, KineticNorm(joint.body))
    except ArenaError:
        return None


def _motion(joint: Joint, norm: Norm) -> float:
    return rounded(float(motion_size([joint], norm=norm, compactify=DEFAULT_SCALE)[0]))
