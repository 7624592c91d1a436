# SPDX-License-Identifier: Apache-2.0
"""Rows of the tables about an object of the small library."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from typing import Any

from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric import KineticNorm, motion_size
from tests.kit.library_objects import ObjectSpec, object_files


def joint_row(object_id: str, joint: Joint) -> dict[str, Any]:
    body = joint.body
    mimic = joint.mimic and {
        "joint": joint.mimic.joint,
        "multiplier": joint.mimic.multiplier,
        "offset": joint.mimic.offset,
    }
    size = None if body is None else motion_size(joint, norm=KineticNorm(body), compactify=math.pi)
    return {
        "object_id": object_id,
        "joint": joint.name,
        "source_name": joint.name.upper(),
        "parent": joint.parent,
        "child": joint.child,
        "type": joint.type.value,
        "axis": list(joint.axis) if joint.is_movable else [0.0, 0.0, 0.0],
        "origin": list(joint.origin),
        "pitch": joint.pitch,
        "pitch_source": "source" if joint.pitch else "",
        "lower": joint.lower,
        "upper": joint.upper,
        "effort": 10.0,
        "velocity": 1.0,
        "damping": 0.0,
        "friction": 0.0,
        "armature": 0.0,
        "screw": list(joint.screw),
        **{
            f"endpoint_{end}": [limit * x for x in joint.screw] if math.isfinite(limit) else None
            for end, limit in (("lower", joint.lower), ("upper", joint.upper))
        },
        "body_mass": None if body is None else body.mass,
        "body_com": None if body is None else list(body.center),
        "body_inertia": None if body is None else list(body.inertia.ravel()),
        "motion_alpha": motion_size(joint, compactify=math.pi),
        "motion_kinetic": size,
        "mimic": None if mimic is None else {"multiplier": 1.0, "offset": 0.0, **mimic},
    }


def object_row(
    spec: ObjectSpec, tree: KinematicTree, place: tuple[str, int, int]
) -> dict[str, Any]:
    kinds = [joint.type for joint in tree.joints]
    shard, offset, size = place
    return {
        "object_id": spec.object_id,
        "source": spec.source,
        "source_id": spec.object_id.split("-", 1)[1],
        "name": f"a {spec.category}",
        "description": f"A {spec.category} made for tests.",
        "category": spec.category,
        "supercategory": spec.supercategory,
        "label_provenance": "test",
        "license": spec.license,
        "attribution": "the test authors",
        "redistribution": "assets" if spec.license.startswith("CC0") else "none",
        "links": len(tree.links),
        **{f"joints_{kind.value}": kinds.count(kind) for kind in JointType},
        "joints_movable": len(tree.movable),
        "depth": tree.depth,
        "extents": [0.6, 0.4, 0.8],
        "floor_z": -0.4,
        "front": None,
        "scale_factor": 1.0,
        "rotation": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        "center": [0.0, 0.0, 0.0],
        "is_metric": spec.is_metric,
        "content_sha256": content_sha256(spec),
        "preview_backend": "egl",
        "shard": shard,
        "offset": offset,
        "size": size,
        "rebuild": None,
        "provenance": {"category": "test"},
    }


def content_sha256(spec: ObjectSpec) -> str:
    """Return the digest of all files but the pictures: names and their digests, by name."""
    total = hashlib.sha256()
    for name, data in sorted(object_files(spec).items()):
        if not name.startswith(("preview", "strip")):
            total.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\0".encode())
    return total.hexdigest()


def link_rows(spec: ObjectSpec, tree: KinematicTree) -> list[dict[str, Any]]:
    return [
        {
            "object_id": spec.object_id,
            "link": link,
            "source_name": link,
            "semantic": "",
            "mass": 0.8,
            "com": [0.0, 0.0, 0.0],
            "inertia": [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01],
            "inertia_method": "volume",
            "inertia_error": 0.0,
            "source_inertial": None,
            "faces": 4,
            "watertight": True,
            "bounds_lower": [-0.3, -0.2, -0.4],
            "bounds_upper": [0.3, 0.2, 0.4],
            "collision_source": "hulls",
        }
        for link in tree.links
    ]


def category_rows(objects: tuple[ObjectSpec, ...]) -> list[dict[str, Any]]:
    names = sorted({(spec.category, spec.supercategory) for spec in objects})
    return [
        {
            "category": category,
            "supercategory": supercategory,
            "origin": "proposed",
            "usual_size": None,
            "objects": sum(spec.category == category for spec in objects),
            "by_source": dict(Counter(s.source for s in objects if s.category == category)),
        }
        for category, supercategory in [*names, ("oven", "kitchen")]
    ]
