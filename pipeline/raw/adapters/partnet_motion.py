# SPDX-License-Identifier: Apache-2.0
"""Reads PartNet-Mobility's `mobility_v2.json` and compares it with the URDF.

Hinge limits are in degrees there and may be reversed. The publisher's own export reverses the axis
of such a joint, and may shift a hinge by full turns; neither is a disagreement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from aa_dataset.kinematics.urdf import UrdfJoint, UrdfModel
from pipeline.base.reasons import Code, Finding
from pipeline.raw.adapters.facts import text
from pipeline.raw.adapters.texts import flag, mapping, number, sequence

# Largest difference [rad, source length] of limits that mean the same.
TOLERANCE = 1e-6
# URDF types for a kind of the JSON; other kinds are bodies, which are attached to `base`.
TYPES = {"hinge": ("revolute", "continuous"), "slider": ("prismatic",)}
BASE = "base"


@dataclass(frozen=True, slots=True)
class Motion:
    """One entry of the JSON.

    Attributes
    ----------
    link, parent : str
        Link names of the URDF; the parent is `base` for a body.
    kind : str
        `hinge`, `slider`, or the type of a body (`free`, `heavy`, `static`).
    limits : pair of float or None [rad or source length]
        Ordered; None if the JSON states that there is no limit, or nothing.
    endless : bool
        Whether the JSON states that there is no limit.
    rotates : bool
        A slider that also turns: a screw.
    turn_degrees : float or None
        How far it turns, None if unbounded.
    """

    link: str
    parent: str
    kind: str
    limits: tuple[float, float] | None
    endless: bool
    rotates: bool
    turn_degrees: float | None


def read_motions(value: Any, name: str) -> list[Motion]:
    """Return the entries of the JSON that have an id."""
    entries = [mapping(entry, f"{name}: an entry") for entry in sequence(value, name)]
    return [_read_motion(entry, name) for entry in entries if entry.get("id") is not None]


def _read_motion(entry: dict[str, Any], name: str) -> Motion:
    link, parent = _link_name(entry, "id", name), _link_name(entry, "parent", name)
    where = f"{name}: {link}"
    kind = text(entry, "joint", where)
    data = mapping(entry.get("jointData"), f"{where}: `jointData`")
    limit = mapping(data.get("limit"), f"{where}: `limit`")
    endless = flag(limit, "noLimit", where)
    ends = [number(limit, field, where) for field in ("a", "b")]
    turn = number(limit, "rotationLimit", where)
    return Motion(
        link=link,
        parent=parent,
        kind=kind,
        limits=None if endless or None in ends else _ordered_range(ends, kind),
        endless=endless,
        rotates=kind == "slider" and flag(limit, "rotates", where),
        turn_degrees=None if flag(limit, "noRotationLimit", where) else turn,
    )


def _link_name(entry: dict[str, Any], field: str, name: str) -> str:
    """Return the link of a number; `base` for none and for the -1 of a root."""
    value = number(entry, field, name)
    return BASE if value is None or value < 0 else f"link_{value:g}"


def _ordered_range(ends: list[float | None], kind: str) -> tuple[float, float]:
    unit = math.pi / 180 if kind == "hinge" else 1.0
    lower, upper = sorted(unit * end for end in ends if end is not None)
    return lower, upper


def disagreements(model: UrdfModel, motions: list[Motion]) -> Iterator[Finding]:
    """Yield the differences between JSON and URDF; the URDF is authoritative."""
    parents = {joint.child: joint for joint in model.joints}
    for motion in motions:
        joint = parents.get(motion.link)
        difference = "the URDF has no joint for it" if joint is None else ""
        if joint is not None and motion.rotates:  # the JSON means the slide, not the turn on it
            joint = parents.get(joint.parent, joint)
        if joint is not None:
            difference = _difference(joint, motion)
        if difference:
            detail = f"mobility_v2.json: {motion.link} is {motion.kind!r}, but {difference}."
            yield Finding(Code.SOURCE_DISAGREES, detail)


def _difference(joint: UrdfJoint, motion: Motion) -> str:
    """Return how the URDF's joint differs, or an empty text."""
    types = TYPES.get(motion.kind, ("fixed",) if motion.parent == BASE else ())
    if motion.endless and motion.kind == "hinge":
        types = ("continuous",)
    if types and joint.type not in types:
        return f"joint {joint.name!r} of the URDF is {joint.type}"
    if joint.parent != motion.parent:
        return f"it hangs on {joint.parent!r} in the URDF, not on {motion.parent!r}"
    if joint.type == "fixed" or motion.limits is None or _same_range(joint, motion):
        return ""
    lower, upper = motion.limits
    return (
        f"its range is {lower:.6g} to {upper:.6g}, and that of joint {joint.name!r} "
        f"of the URDF {joint.lower} to {joint.upper}"
    )


def _same_range(joint: UrdfJoint, motion: Motion) -> bool:
    if joint.lower is None or joint.upper is None or motion.limits is None:
        return False
    lower, upper = motion.limits
    return any(
        _is_shift(joint.lower - low, turns=motion.kind == "hinge")
        and abs((joint.upper - joint.lower) - (high - low)) <= TOLERANCE
        for low, high in ((lower, upper), (-upper, -lower))
    )


def _is_shift(difference: float, *, turns: bool) -> bool:
    """Return whether a difference is zero, or full turns where these count as zero."""
    if not math.isfinite(difference):
        return False
    rest = math.remainder(difference, math.tau) if turns else difference
    return abs(rest) <= TOLERANCE
