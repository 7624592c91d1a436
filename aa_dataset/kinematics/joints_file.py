# SPDX-License-Identifier: Apache-2.0
"""The interchange file `joints.json`: a kinematic tree in the object frame at rest, as JSON.

`joints_form` checks what a JSON Schema can say. This module turns a checked document into a tree
and back; every number survives to the last bit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.joints import Joint, JointType, LimitSource, Mimic
from aa_dataset.kinematics.joints_form import (
    BOUNDED,
    HEADER,
    JointsFileError,
    field_error,
    require_form,
)
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.untrusted.safe_json import JsonError, parse_json


@dataclass(frozen=True, slots=True)
class JointsBudget:
    """Limits of a file: counts, not seconds, so that every machine gives the same result.

    `max_values` limits the commas and opening brackets, before anything is parsed; `max_links` the
    links and the joints, before any of them is read.
    """

    max_bytes: int = 32_000_000
    max_values: int = 400_000
    max_links: int | None = None


def write_joints(tree: KinematicTree) -> bytes:
    """Return a tree as `joints.json`; `parse_joints` returns the same tree.

    Raises
    ------
    JointsFileError
        If the tree has something that the form forbids, such as a joint without a name.
    """
    document: dict[str, Any] = {
        **HEADER,
        "name": tree.name,
        "links": list(tree.links),
        "joints": [dict(_joint_fields(joint)) for joint in tree.joints],
    }
    require_form(document)
    _require_leaders(document)
    lines = [f"  {_json(key)}: {_json(value)}" for key, value in document.items()][:-1]
    joints = ",\n".join(f"    {_json(joint)}" for joint in document["joints"])
    listed = f"[\n{joints}\n  ]" if joints else "[]"
    return ("{\n" + ",\n".join([*lines, f'  "joints": {listed}']) + "\n}\n").encode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _joint_fields(joint: Joint) -> Iterator[tuple[str, Any]]:
    yield from (("name", joint.name), ("type", joint.type.value))
    yield from (("parent", joint.parent), ("child", joint.child))
    yield from (("axis", joint.axis.tolist()), ("origin", joint.origin.tolist()))
    if joint.type in BOUNDED:
        is_absent = joint.limit_source is LimitSource.ABSENT
        yield "limits", None if is_absent else [_end(limit) for limit in joint.limits]
    if joint.limit_source in (LimitSource.IMPUTED, LimitSource.TABLE):
        yield "limit_source", joint.limit_source.value
    if joint.type is JointType.HELICAL:
        yield "pitch", joint.pitch
    if (mimic := joint.mimic) is not None:
        numbers = {"multiplier": float(mimic.multiplier), "offset": float(mimic.offset)}
        yield "mimic", {"joint": mimic.joint, **numbers}
    if (body := joint.body) is not None:
        moments = {"center": body.center.tolist(), "inertia": body.inertia.tolist()}
        yield "body", {"mass": body.mass, **moments}


def _end(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None


def parse_joints(data: bytes, *, budget: JointsBudget | None = None) -> KinematicTree:
    """Read `joints.json` from bytes.

    Raises
    ------
    JointsFileError, JointError, TreeError
        With the joint and the field.
    """
    budget = budget or JointsBudget()
    if len(data) > budget.max_bytes:
        raise JointsFileError(f"the file has more than {budget.max_bytes:,} bytes.")
    if sum(map(data.count, (b",", b"[", b"{"))) > budget.max_values:
        raise JointsFileError(f"the file has more than {budget.max_values:,} values.")
    try:
        document = parse_json(data)
    except JsonError as error:
        raise JointsFileError(f"the file cannot be read as JSON: {error}.") from None
    _require_few(document, budget.max_links)
    require_form(document)
    _require_leaders(document)
    joints = tuple(map(_read_joint, document["joints"]))
    return KinematicTree(document["name"], _links(document, joints), joints)


def _require_few(document: Any, most: int | None) -> None:
    for key in ("links", "joints"):
        listed = document.get(key) if isinstance(document, dict) else None
        if most is not None and isinstance(listed, list) and len(listed) > most:
            raise JointsFileError(f"the file has {len(listed):,} {key}; at most {most:,} are read.")


def _require_leaders(document: Any) -> None:
    """Refuse a joint that follows one that does not exist."""
    names = {joint["name"] for joint in document["joints"]}
    for joint in document["joints"]:
        if "mimic" in joint and joint["mimic"]["joint"] not in names:
            leader = joint["mimic"]["joint"]
            raise field_error(
                f"joint {joint['name']!r}", "mimic", f"there is no joint {leader!r} to follow."
            )


def _links(document: Any, joints: tuple[Joint, ...]) -> tuple[str, ...]:
    """Return the links as listed, else those that the joints connect."""
    if "links" in document:
        return tuple(document["links"])
    return tuple(dict.fromkeys(end for joint in joints for end in (joint.parent, joint.child)))


def _read_joint(fields: Any) -> Joint:
    kind = JointType(fields["type"])
    limits = fields.get("limits")
    source = fields.get("limit_source", "given")
    if kind in BOUNDED and limits is None:
        source = "absent"
    lower, upper = limits or (None, None)
    return Joint(
        fields["name"],
        kind,
        np.array(fields.get("axis", [1.0, 0.0, 0.0]), dtype=float),
        np.array(fields.get("origin", [0.0, 0.0, 0.0]), dtype=float),
        lower=-math.inf if lower is None else lower,
        upper=math.inf if upper is None else upper,
        pitch=fields.get("pitch", 0.0),
        parent=fields["parent"],
        child=fields["child"],
        body=_read_body(fields),
        mimic=_read_mimic(fields.get("mimic")),
        limit_source=LimitSource(source),
    )


def _read_mimic(fields: Any) -> Mimic | None:
    if fields is None:
        return None
    numbers = float(fields.get("multiplier", 1.0)), float(fields.get("offset", 0.0))
    return Mimic(fields["joint"], *numbers)


def _read_body(fields: Any) -> RigidBody | None:
    if (body := fields.get("body")) is None:
        return None
    try:
        return RigidBody(
            body["mass"],
            np.array(body["center"], dtype=float),
            np.array(body["inertia"], dtype=float),
        )
    except ArenaError as error:
        raise field_error(f"joint {fields['name']!r}", "body", str(error)) from None
