# SPDX-License-Identifier: Apache-2.0
"""The form of `joints.json`: names and types of its fields, as `joints.schema.json` has them.

Both accept the same documents. What a schema cannot say is checked when the tree is built: unique
names, one root, no cycle, ordered limits, leaders that exist, bodies that can be.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Callable
from typing import Any

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.joints import JointType

# The frame, unit and state are stated in every file, so that a file in another frame is not taken
# for one in the object frame.
HEADER = {
    "format": "aa-joints",
    "version": 1,
    "frame": "object",
    "unit": "m",
    "state": "rest",
}
BOUNDED = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.HELICAL)
_SURROGATE = re.compile("[\ud800-\udfff]")

Check = Callable[[str, str, Any], None]


class JointsFileError(ArenaError, ValueError):
    """A `joints.json` is not of the form; the message names the joint and the field."""


def field_error(place: str, field: str, problem: str) -> JointsFileError:
    """Return the error of one field; `place` is the file, or a joint by its name or number."""
    return JointsFileError(f"{place}, field `{field}`: {problem}")


def require_form(document: Any) -> None:
    """Raise `JointsFileError` unless parsed JSON has the form of `joints.json`."""
    place = "the file"
    _require_fields(place, document, {*HEADER, "name", "joints"}, {"links"})
    for field, expected in HEADER.items():
        value = document[field]
        if isinstance(value, bool) or value != expected:
            raise field_error(place, field, f"it is {_shown(value)}; it must be {expected!r}.")
    _require_text(place, "name", document["name"])
    for link in _list(place, "links", document.get("links", [])):
        _require_name(place, "links", link)
    for number, joint in enumerate(_list(place, "joints", document["joints"])):
        _require_joint(number, joint)


def _require_joint(number: int, joint: Any) -> None:
    place = f"joints[{number}]"
    _require_type(place, "", joint, dict, "an object")
    name = joint.get("name")
    if type(name) is str and name:
        place = f"joint {name[:80]!r}"
    kind = _joint_type(place, joint)
    required, optional = _joint_fields(kind)
    _require_fields(place, joint, required, optional)
    for field, check in _CHECKS.items():
        if field in joint:
            check(place, field, joint[field])
    if kind is not JointType.FIXED and not any(joint["axis"]):
        raise field_error(place, "axis", "it is zero; a movable joint needs a direction.")
    _require_limits(place, kind, joint)


def _joint_type(place: str, joint: dict[str, Any]) -> JointType:
    value = joint.get("type")
    for kind in JointType:
        if type(value) is str and value == kind.value:
            return kind
    found = _shown(value) if "type" in joint else "absent"
    raise field_error(place, "type", f"it is {found}; it must be one of {', '.join(JointType)}.")


def _joint_fields(kind: JointType) -> tuple[set[str], set[str]]:
    """Return the fields that a joint of a type must have, and those that it may have."""
    required = {"name", "type", "parent", "child"}
    optional = {"mimic", "body"}
    (optional if kind is JointType.FIXED else required).update(("axis", "origin"))
    if kind in BOUNDED:
        required.add("limits")
        optional.add("limit_source")
    else:
        optional.add("limits")
    if kind is JointType.HELICAL:
        required.add("pitch")
    return required, optional


def _require_limits(place: str, kind: JointType, joint: dict[str, Any]) -> None:
    limits = joint.get("limits")
    if kind not in BOUNDED and limits is not None:
        raise field_error(place, "limits", f"a {kind} joint has none; write null or leave it out.")
    if limits is None and "limit_source" in joint:
        raise field_error(
            place, "limit_source", "limits of null are not stated; leave this field out."
        )


def _require_fields(place: str, value: Any, required: set[str], optional: set[str]) -> None:
    _require_type(place, "", value, dict, "an object")
    if absent := sorted(required - value.keys()):
        raise field_error(place, absent[0], "it is absent. Add it.")
    if unknown := sorted(value.keys() - required - optional):
        raise JointsFileError(
            f"{place}: the field {_shown(unknown[0])} has no meaning here. Check its spelling, or "
            "remove it."
        )


def _require_type(place: str, field: str, value: Any, kind: type, expected: str) -> None:
    if type(value) is not kind:
        where = f"{place}, field `{field}`" if field else place
        raise JointsFileError(f"{where}: it is {_shown(value)}; it must be {expected}.")


def _list(place: str, field: str, value: Any) -> list[Any]:
    _require_type(place, field, value, list, "a list")
    return list(value)


def _require_text(place: str, field: str, value: Any) -> None:
    _require_type(place, field, value, str, "a string")
    if _SURROGATE.search(value):
        raise field_error(place, field, f"{_shown(value)} has half a character. Rename it.")


def _require_name(place: str, field: str, value: Any) -> None:
    _require_text(place, field, value)
    if not value:
        raise field_error(place, field, "it is an empty name. Name it.")


def _require_number(place: str, field: str, value: Any) -> None:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise field_error(place, field, f"{_shown(value)} is not a finite number.")


def _require_vector(place: str, field: str, value: Any) -> None:
    if type(value) is not list or len(value) != 3:
        raise field_error(place, field, f"{_shown(value)} is not a list of three numbers.")
    for number in value:
        _require_number(place, field, number)


def _require_ends(place: str, field: str, value: Any) -> None:
    if value is None:
        return
    if type(value) is not list or len(value) != 2:
        raise field_error(
            place, field, f"{_shown(value)} is not [lower, upper], nor null for limits not stated."
        )
    for end in value:
        if end is not None:
            _require_number(place, field, end)


def _require_source(place: str, field: str, value: Any) -> None:
    if type(value) is not str or value not in ("given", "imputed", "table"):
        raise field_error(
            place, field, f"it is {_shown(value)}; it must be given, imputed or table."
        )


def _require_mimic(place: str, field: str, value: Any) -> None:
    inner = f"{place}, field `{field}`"
    _require_fields(inner, value, {"joint"}, {"multiplier", "offset"})
    _require_name(inner, "joint", value["joint"])
    for key in ("multiplier", "offset"):
        _require_number(inner, key, value.get(key, 0.0))


def _require_body(place: str, field: str, value: Any) -> None:
    inner = f"{place}, field `{field}`"
    _require_fields(inner, value, {"mass", "center", "inertia"}, set())
    _require_number(inner, "mass", value["mass"])
    if value["mass"] <= 0:
        raise field_error(inner, "mass", f"{value['mass']} kg is not positive.")
    _require_vector(inner, "center", value["center"])
    rows = value["inertia"]
    if type(rows) is not list or len(rows) != 3:
        raise field_error(inner, "inertia", f"{_shown(rows)} is not a list of three rows.")
    for row in rows:
        _require_vector(inner, "inertia", row)


def _shown(value: Any) -> str:
    """Return a short text of any value for a message."""
    return reprlib.repr(value)


_CHECKS: dict[str, Check] = {
    "name": _require_name,
    "parent": _require_name,
    "child": _require_name,
    "axis": _require_vector,
    "origin": _require_vector,
    "limits": _require_ends,
    "limit_source": _require_source,
    "pitch": _require_number,
    "mimic": _require_mimic,
    "body": _require_body,
}
