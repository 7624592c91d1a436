# SPDX-License-Identifier: Apache-2.0
"""Manual corrections of raw objects: rows of `pipeline/raw/curation/repairs.tsv`.

A row is `object_id, field, old, new, why`, separated by tabs. The fields:

* `joint:<name>:<what>` with what = `type`, `parent`, `child`, `axis` (3 numbers), `lower`, `upper`,
  `effort`, `velocity`, `origin` (x y z roll pitch yaw);
* `link:<name>:visual.<n>.<what>` or `collision.<n>` with what = `filename`, `scale`, `origin`;
* `frame.up`, `frame.front`, `scale`, `unit`: facts of the source about the whole object.

An empty `old` or `new` means that the file has no value there. A row is applied only if `old` is
the value in the file, so a correction never changes a file that its author did not check. Labels
are corrected in `taxonomy/reviews.tsv`, which `categorize` reads.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from aa_dataset.kinematics.urdf import JOINT_TYPES, Shape, UrdfJoint, UrdfModel, pose_matrix
from pipeline.base.errors import PipelineError, Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.raw.records import Frame

FILE = "pipeline/raw/curation/repairs.tsv"
LIMITS = ("lower", "upper", "effort", "velocity")
_AXIS_WORDS = ("x", "y", "z", "-x", "-y", "-z")
_FIELD = re.compile(
    r"(?P<joint>joint:(?P<joint_name>.+):(?P<joint_what>[a-z]+))"
    r"|(?P<link>link:(?P<link_name>.+):(?P<tag>visual|collision)\.(?P<number>\d{1,6})\."
    r"(?P<link_what>[a-z]+))"
    r"|(?P<whole>frame\.up|frame\.front|scale|unit)"
)


class _Placed(Protocol):
    """A dataclass with the source's facts about the whole object."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def frame(self) -> Frame: ...
    @property
    def scale(self) -> str: ...
    @property
    def unit(self) -> float: ...


S = TypeVar("S", bound=_Placed)


class _StaleError(Exception):
    """The file does not have the value that the correction expects."""


def _parse_number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not finite")
    return value


def _number_parser(count: int) -> Callable[[str], tuple[float, ...]]:
    def read(text: str) -> tuple[float, ...]:
        values = tuple(_parse_number(word) for word in text.split())
        if len(values) != count:
            raise ValueError(f"{text!r} is not {count} numbers")
        return values

    return read


def _one_of(words: Iterable[str]) -> Callable[[str], str]:
    known = sorted(words)

    def read(text: str) -> str:
        if text not in known:
            raise ValueError(f"{text!r} is not one of {', '.join(known)}")
        return text

    return read


def _parse_positive(text: str) -> float:
    if _parse_number(text) <= 0:
        raise ValueError(f"{text} is not positive")
    return float(text)


_JOINT_FORMS: dict[str, Callable[[str], Any]] = {
    "type": _one_of(JOINT_TYPES),
    "parent": str,
    "child": str,
    "axis": _number_parser(3),
    "origin": _number_parser(6),
    **dict.fromkeys(LIMITS, _parse_number),
}
_LINK_FORMS: dict[str, Callable[[str], Any]] = {
    "filename": str,
    "scale": _number_parser(3),
    "origin": _number_parser(6),
}
_WHOLE_FORMS: dict[str, Callable[[str], Any]] = {
    "frame.up": _one_of(_AXIS_WORDS),
    "frame.front": _one_of(_AXIS_WORDS),
    "scale": _one_of(("metric", "unit_sphere", "arbitrary")),
    "unit": _parse_positive,
}
# Values that a file may lack, so that a correction may add or remove them.
_OPTIONAL = ("axis", "origin", "scale", "frame.front", *LIMITS)


@dataclass(frozen=True, slots=True)
class Repair:
    """One correction; `old` and `new` are values of the field, None if the file has none."""

    object_id: str
    field: str
    old: Any
    new: Any
    why: str


def read_repairs(path: Path) -> dict[str, list[Repair]]:
    """Return the corrections of a slice of the file (rows without the header) by object."""
    repairs: dict[str, list[Repair]] = {}
    for line in path.read_text().splitlines():
        repair = parse_repair(line)
        repairs.setdefault(repair.object_id, []).append(repair)
    return repairs


def parse_repair(line: str) -> Repair:
    """Read one row; a row that could never be applied is an error before the first job."""
    cells = line.split("\t")
    if len(cells) != 5 or not cells[0] or not cells[4].strip():
        raise PipelineError(f"{FILE}: {line!r} is not `object_id, field, old, new, why`.")
    identifier, name, old, new, why = cells
    if name == "label":
        raise PipelineError(f"{FILE}: {line!r}: labels are corrected in taxonomy/reviews.tsv.")
    what, form = _field_form(name)
    if form is None:
        raise PipelineError(
            f"{FILE}: {name!r} is not a field; pipeline/raw/curation/repairs.py lists them."
        )
    try:
        values = [_parse_value(what, form, text) for text in (old, new)]
    except ValueError as error:
        raise PipelineError(f"{FILE}: {line!r}: {error}.") from None
    return Repair(identifier, name, values[0], values[1], why)


def _field_form(name: str) -> tuple[str, Callable[[str], Any] | None]:
    match = _FIELD.fullmatch(name)
    if match is None:
        return "", None
    if match["joint"]:
        return match["joint_what"], _JOINT_FORMS.get(match["joint_what"])
    if match["link"]:
        return match["link_what"], _LINK_FORMS.get(match["link_what"])
    return name, _WHOLE_FORMS.get(name)


def _parse_value(what: str, form: Callable[[str], Any], text: str) -> Any:
    if text:
        return form(text)
    if what not in _OPTIONAL:
        raise ValueError(f"`{what}` cannot be empty")
    return None


def apply_repairs(
    model: UrdfModel, source: S, repairs: Sequence[Repair]
) -> tuple[UrdfModel, S, list[Finding]]:
    """Return the corrected document and record, and a finding per correction.

    Parameters
    ----------
    model : UrdfModel
        As written.
    source : dataclass
        The object's record: its `frame`, `scale` and `unit` may be corrected.
    repairs : sequence of Repair
        Corrections of this object, in the order in which they are applied.
    """
    findings = []
    for repair in repairs:
        try:
            if repair.field in _WHOLE_FORMS:
                source = _with_fact(source, repair)
            else:
                model = _with_field(model, repair)
        except _StaleError as stale:
            detail = f"{repair.field}: {stale}, so the repair was not applied ({repair.why})."
            findings.append(Finding(Code.REPAIR_STALE, detail, Severity.ERROR))
            continue
        old, new = _format_value(repair.old), _format_value(repair.new)
        detail = f"{repair.field}: {old} became {new} ({repair.why})."
        findings.append(Finding(Code.REPAIRED, detail, Severity.INFO))
    _require_frame(source.frame)
    return model, source, findings


def _require_frame(frame: Frame) -> None:
    """Reject a frame whose corrections make up and front the same axis."""
    front, up = frame.front, frame.up
    if front and front[-1] == up[-1]:
        detail = f"after the repairs, front {front!r} and up {up!r} are one axis; correct both."
        raise Rejection(Reason.METADATA_INVALID, f"{FILE}: {detail}")


def _format_value(value: Any) -> str:
    if value is None:
        return "nothing"
    words = value if isinstance(value, tuple) else (value,)
    return " ".join(f"{word:g}" if isinstance(word, float) else str(word) for word in words)


def _require_same(found: Any, repair: Repair) -> None:
    if not _same_value(found, repair.old):
        raise _StaleError(f"the file has {_format_value(found)}, not {_format_value(repair.old)}")


def _same_value(found: Any, old: Any) -> bool:
    if found is None or old is None or isinstance(found, str) or isinstance(old, str):
        return bool(found == old)
    return bool(np.allclose(found, old, rtol=1e-9, atol=1e-12))


def _with_fact(source: S, repair: Repair) -> S:
    if not repair.field.startswith("frame."):
        _require_same(getattr(source, repair.field), repair)
        return replace(source, **{repair.field: repair.new})
    key = repair.field.removeprefix("frame.")
    _require_same(getattr(source.frame, key), repair)
    return replace(source, frame=replace(source.frame, **{key: repair.new}))


def _with_field(model: UrdfModel, repair: Repair) -> UrdfModel:
    match = _FIELD.fullmatch(repair.field)
    assert match is not None  # `parse_repair` checked it
    if match["joint"]:
        joints = _with_changed_item(
            model.joints, match["joint_name"], lambda j: _with_joint(j, repair)
        )
        return replace(model, joints=joints)
    tag, number = f"{match['tag']}s", int(match["number"])

    def with_shape(link: Any) -> Any:
        shapes = list(getattr(link, tag))
        if number >= len(shapes):
            raise _StaleError(f"the link has {len(shapes)} {tag}")
        shapes[number] = _with_shape(shapes[number], match["link_what"], repair)
        return replace(link, **{tag: tuple(shapes)})

    return replace(model, links=_with_changed_item(model.links, match["link_name"], with_shape))


def _with_changed_item(
    items: Sequence[Any], name: str, change: Callable[[Any], Any]
) -> tuple[Any, ...]:
    if all(item.name != name for item in items):
        raise _StaleError(f"the file has no {name!r}")
    return tuple(change(item) if item.name == name else item for item in items)


def _with_joint(joint: UrdfJoint, repair: Repair) -> UrdfJoint:
    what = repair.field.rsplit(":", 1)[1]
    if what == "origin":
        return replace(joint, pose=_with_pose(joint.pose, repair))
    found = getattr(joint, what)
    _require_same(tuple(found) if isinstance(found, np.ndarray) else found, repair)
    if what == "axis":
        return replace(joint, axis=None if repair.new is None else np.array(repair.new))
    joint = replace(joint, **{what: repair.new})
    if what in LIMITS:
        stated = any(getattr(joint, key) is not None for key in LIMITS)
        joint = replace(joint, has_limit=stated)
    return joint


def _with_shape(shape: Shape, what: str, repair: Repair) -> Shape:
    if what == "origin":
        return replace(shape, pose=_with_pose(shape.pose, repair))
    if shape.geometry.kind != "mesh":
        raise _StaleError(f"the shape is a {shape.geometry.kind}, not a mesh")
    new = repair.new
    if what == "scale":
        old = (1.0, 1.0, 1.0) if repair.old is None else repair.old
        new = (1.0, 1.0, 1.0) if new is None else new
        _require_same(shape.geometry.scale, replace(repair, old=old))
    else:
        _require_same(shape.geometry.filename, repair)
    return replace(shape, geometry=replace(shape.geometry, **{what: new}))


def _with_pose(pose: np.ndarray, repair: Repair) -> np.ndarray:
    old, new = (
        np.eye(4) if value is None else pose_matrix(value[:3], value[3:])
        for value in (repair.old, repair.new)
    )
    if not np.allclose(pose, old, rtol=1e-9, atol=1e-9):
        raise _StaleError(f"the file does not say {_format_value(repair.old)}")
    return new
