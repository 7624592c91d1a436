# SPDX-License-Identifier: Apache-2.0
"""Rows of the tables `links` and `joints` for one object, rounded before they are written."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import trimesh

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics import Joint, KinematicTree
from aa_dataset.kinematics.urdf import UrdfJoint
from aa_dataset.metric import DEFAULT_SCALE, KineticNorm, Norm, SplitNorm, motion_size
from aa_dataset.portable import length
from pipeline.base.tables import compact_json
from pipeline.shapes.glb import link_points
from pipeline.shapes.primitives import Primitive
from pipeline.stages.annotate.mass import LinkMass
from pipeline.stages.annotate.rounding import rounded, rounded_body, rounded_to, rounded_up


def link_row(
    name: str,
    found: LinkMass,
    meshes: Sequence[trimesh.Trimesh],
    *,
    source: Mapping[str, Any],
) -> dict[str, Any]:
    """Return one row of `links`; the body is the one that the URDF carries."""
    body = found.body
    points = link_points(list(meshes))
    inertial = source["inertials"].get(name)
    size = source["diagonal"]
    return {
        "link": name,
        "source_name": source["links"][name],
        "semantic": source["parts"].get(source["links"][name], ""),
        "mass": body.mass,
        "com": body.center.tolist(),
        "inertia": body.inertia.reshape(-1).tolist(),
        "inertia_method": found.method,
        "inertia_error": rounded_up(found.error),
        "source_inertial": None if inertial is None else compact_json(inertial),
        "faces": sum(len(mesh.faces) for mesh in meshes),
        "watertight": found.watertight,
        "bounds_lower": rounded_to(points.min(axis=0), size) if len(points) else None,
        "bounds_upper": rounded_to(points.max(axis=0), size) if len(points) else None,
        "collision_source": source["collisions"][name],
    }


def joint_rows(
    tree: KinematicTree, written: Mapping[str, UrdfJoint], *, source: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the rows of `joints` of one object, helical pairs already folded."""
    return [_joint_row(joint, written[joint.name], source) for joint in tree.joints]


def _joint_row(joint: Joint, written: UrdfJoint, source: Mapping[str, Any]) -> dict[str, Any]:
    size = source["diagonal"]
    if joint.body is not None:
        joint = joint.with_body(rounded_body(joint.body, size))
    screw = rounded_to(joint.screw[:3], 1.0) + rounded_to(joint.screw[3:], max(size, 1.0))
    return {
        "joint": joint.name,
        "source_name": source["joints"][joint.name],
        "parent": joint.parent,
        "child": joint.child,
        "type": str(joint.type),
        # As the URDF's text gives them, so that a joint read from either is the same to the bit.
        "axis": np.zeros(3).tolist() if written.axis is None else written.axis.tolist(),
        "origin": joint.origin.tolist(),
        "pitch": rounded(joint.pitch),
        "pitch_source": source["pitches"].get(joint.name, ""),
        "lower": rounded(joint.lower),
        "upper": rounded(joint.upper),
        "effort": rounded(written.effort or 0.0),
        "velocity": rounded(written.velocity or 0.0),
        "screw": screw,
        "endpoint_lower": _endpoint(screw, rounded(joint.lower), size),
        "endpoint_upper": _endpoint(screw, rounded(joint.upper), size),
        **_body_columns(joint),
        "motion_alpha": _motion(joint, SplitNorm()),
        "motion_kinetic": _kinetic_motion(joint),
        "mimic": _mimic(joint),
    }


def _endpoint(screw: Sequence[float], limit: float, size: float) -> list[float] | None:
    """Return the twist (6,) at one end of the range (paper eq. 4), null where it is infinite."""
    if not math.isfinite(limit):
        return None
    twist = limit * np.array(screw)
    largest = max(1.0, abs(limit))
    return rounded_to(twist[:3], largest) + rounded_to(twist[3:], largest * max(size, 1.0))


def _body_columns(joint: Joint) -> dict[str, Any]:
    body = joint.body
    if body is None:
        return {"body_mass": None, "body_com": None, "body_inertia": None}
    return {
        "body_mass": body.mass,
        "body_com": body.center.tolist(),
        "body_inertia": body.inertia.reshape(-1).tolist(),
    }


def _kinetic_motion(joint: Joint) -> float | None:
    """Return E_B^phi to the fixed joint; null where the body is missing or singular."""
    if joint.body is None:
        return None
    try:
        return _motion(joint, KineticNorm(joint.body))
    except ArenaError:
        return None


def _motion(joint: Joint, norm: Norm) -> float:
    return rounded(float(motion_size([joint], norm=norm, compactify=DEFAULT_SCALE)[0]))


def _mimic(joint: Joint) -> str | None:
    if joint.mimic is None:
        return None
    return compact_json(
        {
            "joint": joint.mimic.joint,
            "multiplier": joint.mimic.multiplier,
            "offset": joint.mimic.offset,
        }
    )


def source_facts(record: Mapping[str, Any], parts: str) -> dict[str, Any]:
    """Return what the source called things, by our names, and the object's diagonal [m]."""
    return {
        "links": json.loads(record["link_names"]),
        "joints": json.loads(record["joint_names"]),
        "pitches": json.loads(record["pitch_sources"]),
        "inertials": json.loads(record["source_inertials"]),
        "collisions": json.loads(record["collision_sources"]),
        "primitives": {
            link: [Primitive.from_json(entry) for entry in entries]
            for link, entries in json.loads(record["primitives"]).items()
        },
        "parts": json.loads(parts),
        "diagonal": float(length(record["extents"])),
    }
