# SPDX-License-Identifier: Apache-2.0
"""The layout of Artiverse: `data/<category>/<source>/<id>/urdf_w_collider/<id>.urdf`.

The URDF carries the annotation in attributes of its joints (`artiverse_*`). A screw is written as
ONE revolute joint, with its pitch [m/rad] and travel [m] in attributes; a cylindrical joint is
an independent slide and turn, so it is not a screw. `*.articulations.json` contains the annotation
itself, at the top level or below the key `annotation`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aa_dataset.kinematics.urdf import UrdfJoint, UrdfModel
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason
from pipeline.raw.adapters.facts import read_object, text
from pipeline.raw.adapters.folders import object_folders
from pipeline.raw.adapters.texts import attribute_number, mapping, read_urdf, sequence
from pipeline.raw.files import RawFiles
from pipeline.raw.records import Found, RawRecord, Screw

MODELS = "urdf_w_collider/"
ANNOTATION = ".articulations.json"
PLACES = ("data", "dataset_chunks/data")
# URDF joints that the publisher's export makes of each annotated type.
MOVES = {
    "revolute": ["turn"], "rotation": ["turn"], "continuous": ["turn"], "screw": ["turn"],
    "prismatic": ["slide"], "translation": ["slide"], "cylindrical": ["slide", "turn"],
    "universal": ["turn", "turn"],
}  # fmt: skip
_KINDS = {"revolute": "turn", "continuous": "turn", "prismatic": "slide"}
_LINK = re.compile(r"link_(?P<pid>\d+)_(?P<label>.+)")
_JOINT = re.compile(r"joint_(?P<pid>\d+)_to_.*")
# Largest relative difference between the stated pitch and the ratio of the stated ranges.
TOLERANCE = 1e-4
FIELDS = frozenset({"upstream_source", "composite_parts", "facts_from"})


def discover(root: Path) -> Iterator[Found]:
    """Yield every model folder; its name is `<category>/<source>/<id>`, since ids may repeat."""
    place = next((f"{place}/" for place in PLACES if (root / place).is_dir()), "")
    base = root / place
    for category in _real_folders(base):
        for source in _real_folders(base / category):
            for model in object_folders(base / category / source):
                name = f"{category}/{source}/{model}"
                yield Found(name, (f"{place}{name}",))


def _real_folders(root: Path) -> list[str]:
    return [name for name in object_folders(root) if not (root / name).is_symlink()]


def describe(files: RawFiles, found: Found) -> RawRecord:
    """Read one model's folder."""
    category, source, identifier = found.name.split("/", 2)
    path = _only_urdf(files)
    model = read_urdf(files, path)
    annotation, where = _read_annotation(files)
    articulations = _joint_types_by_part(annotation, where)
    screws, findings = _declared_screws(model)
    return RawRecord(
        model=path,
        name=f"{category} {identifier}",
        label=category,
        parts=_part_labels(model, annotation, where),
        screws=screws,
        provenance={
            "upstream_source": source,
            "composite_parts": sorted(
                pid for pid, types in articulations.items() if len(types) > 1
            ),
            "facts_from": where or path,
        },
        findings=(*findings, *_disagreements(model, articulations, where)),
    )


def _only_urdf(files: RawFiles) -> str:
    """Return the only URDF of the object."""
    names = [name for name in files.names() if re.fullmatch(rf"{MODELS}[^/]+\.urdf", name)]
    if len(names) != 1:
        reason = Reason.URDF_SEVERAL if names else Reason.URDF_MISSING
        detail = f"{MODELS} holds {len(names)} URDF files, where the source promises one."
        raise Rejection(reason, detail)
    return names[0]


def _read_annotation(files: RawFiles) -> tuple[dict[str, Any], str]:
    """Return the annotation and the name of its file, empty if there is none."""
    names = [name for name in files.names() if name.endswith(ANNOTATION) and "/" not in name]
    if not names:
        return {}, ""
    if len(names) > 1:
        detail = f"the object has {len(names)} files *{ANNOTATION}, of which one may be."
        raise Rejection(Reason.METADATA_INVALID, detail)
    return _annotation_of_file(read_object(files, names[0]), names[0]), names[0]


def _annotation_of_file(content: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the annotation of a file, from its top level or below the key `annotation`."""
    nested = content.get("annotation")
    return content if nested is None else mapping(nested, f"{where}: `annotation`")


def _joint_types_by_part(annotation: dict[str, Any], where: str) -> dict[str, list[str]]:
    """Return the annotated types by part; several records of one part are one composite joint."""
    types: dict[str, list[str]] = defaultdict(list)
    for entry in sequence(annotation.get("articulations"), f"{where}: `articulations`"):
        record = mapping(entry, f"{where}: an articulation")
        types[_part_id(record, where)].append(text(record, "type", where).lower())
    return dict(types)


def _part_id(values: dict[str, Any], where: str) -> str:
    pid = values.get("pid")
    if isinstance(pid, bool) or not isinstance(pid, int | str):
        raise Rejection(Reason.METADATA_INVALID, f"{where}: a `pid` is no number of a part.")
    return str(pid)


def _part_labels(model: UrdfModel, annotation: dict[str, Any], where: str) -> dict[str, str]:
    """Return the annotation's label of each link `link_<pid>_<label>`, else that of its name."""
    listed = sequence(annotation.get("parts"), f"{where}: `parts`")
    entries = [mapping(entry, f"{where}: a part") for entry in listed if entry is not None]
    labels = {_part_id(entry, where): text(entry, "label", where) for entry in entries}
    named = {link.name: _LINK.fullmatch(link.name) for link in model.links}
    parts = {
        name: labels.get(match["pid"], match["label"]) for name, match in named.items() if match
    }
    return {name: label for name, label in parts.items() if label}


def _declared_screws(model: UrdfModel) -> tuple[tuple[Screw, ...], list[Finding]]:
    """Return the screws that attributes of joints declare."""
    screws, findings = [], []
    declared = [j for j in model.joints if j.attributes.get("artiverse_original_type") == "screw"]
    for joint in declared:
        where = f"joint {joint.name!r}"
        pitch = attribute_number(joint.attributes, "artiverse_screw_pitch", where)
        ends = [
            attribute_number(joint.attributes, f"artiverse_trans_{end}", where)
            for end in ("min", "max")
        ]
        travel = None if None in ends else (float(ends[0] or 0), float(ends[1] or 0))
        if _KINDS.get(joint.type) == "turn":
            evidence = f"attributes artiverse_* of {where}"
            partner = _slide_of_screw(joint, declared)
            screws.append(Screw(joint.name, partner, pitch, travel=travel, evidence=evidence))
            findings += _pitch_finding(joint, pitch, travel)
    return tuple(screws), findings


def _slide_of_screw(turn: UrdfJoint, declared: list[UrdfJoint]) -> str:
    """Return the slide beside a turn if the URDF writes the screw as two joints."""
    slides = (joint for joint in declared if _KINDS.get(joint.type) == "slide")
    return next((s.name for s in slides if s.child == turn.parent or s.parent == turn.child), "")


def _pitch_finding(
    joint: UrdfJoint, pitch: float | None, travel: tuple[float, float] | None
) -> list[Finding]:
    """Report a pitch that is not the ratio of the stated ranges."""
    if pitch is None or travel is None or joint.lower is None or joint.upper is None:
        return []
    turn, slide = joint.upper - joint.lower, travel[1] - travel[0]
    if abs(pitch * turn - slide) <= TOLERANCE * max(abs(slide), abs(pitch * turn)):
        return []
    detail = (
        f"joint {joint.name!r} has a screw pitch of {pitch:g} m/rad, but slides {slide:g} m "
        f"over {turn:g} rad."
    )
    return [Finding(Code.SOURCE_DISAGREES, detail)]


def _disagreements(
    model: UrdfModel, articulations: dict[str, list[str]], where: str
) -> Iterator[Finding]:
    """Yield the annotated parts whose joints in the URDF differ or are absent."""
    written: dict[str, list[str]] = defaultdict(list)
    for joint in model.joints:
        match = _JOINT.fullmatch(joint.name)
        pid = joint.attributes.get("artiverse_pid", match["pid"] if match else "")
        if joint.type in _KINDS:
            written[pid].append(_KINDS[joint.type])
    for pid, types in articulations.items():
        expected = sorted(move for kind in types for move in MOVES.get(kind, ()))
        if expected != sorted(written.get(pid, [])):
            has = ", ".join(sorted(written.get(pid, []))) or "no movable joint"
            detail = f"{where}: part {pid} is {' + '.join(types)}, but the URDF has {has} for it."
            yield Finding(Code.SOURCE_DISAGREES, detail)
