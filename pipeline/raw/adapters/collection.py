# SPDX-License-Identifier: Apache-2.0
"""The `source.yaml` of a collection: the owner's description of a folder of models.

::

    title: furniture_sim by Vikash Kumar
    label_from: file          # or `label: Cabinet` for all; folder, parent, file, robot
    license: Apache-2.0       # SPDX; a license that is not in our table passes nothing on
    attribution: Vikash Kumar
    frame: {up: z, front: -y} # front may be null
    scale: metric             # or unit_sphere, arbitrary
    unit: 1.0                 # m per length, 1e-9 to 1e6
    gltf_up: y                # the axis of glTF files that is z in the URDF; z by default
    format: mjcf              # or urdf
    one_object: true          # no MJCF file is a scene of several objects (see mjcf_objects)
    layout: folders           # or physx
    shared: [meshes]          # folders of the collection that every object may read
    packages: {my_robot: src/my_robot}  # folders of ROS packages, if their names do not show them;
                              # `.` is the collection itself

`title`, `license`, `frame`, `scale` and one of `label` and `label_from` are required (with
`layout: physx` neither label, because its JSON has it).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.base.safe_yaml import MOST_BYTES, load_foreign
from pipeline.raw.files import FolderFiles

FILE = "source.yaml"
_AXES = ["x", "y", "z", "-x", "-y", "-z"]
_PART = r"[A-Za-z0-9_-][A-Za-z0-9_. -]{0,99}"
_FOLDER = rf"^(\.|{_PART}(/{_PART}){{0,23}})\Z"
_TEXT = {"type": "string", "minLength": 1, "maxLength": 500}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "license", "frame", "scale"],
    "properties": {
        "title": _TEXT,
        "label": _TEXT,
        "label_from": {"enum": ["folder", "parent", "file", "robot"]},
        "license": _TEXT,
        "attribution": {"type": "string", "maxLength": 500},
        "frame": {
            "type": "object",
            "additionalProperties": False,
            "required": ["up"],
            "properties": {"up": {"enum": _AXES}, "front": {"enum": [*_AXES, None]}},
        },
        "scale": {"enum": ["metric", "unit_sphere", "arbitrary"]},
        # From a nanometer to a thousand kilometers.
        "unit": {"type": "number", "minimum": 1e-9, "maximum": 1e6},
        "gltf_up": {"enum": ["y", "z"]},
        "format": {"enum": ["urdf", "mjcf"]},
        "one_object": {"type": "boolean"},
        "layout": {"enum": ["folders", "physx"]},
        "shared": {
            "type": "array",
            "maxItems": 16,
            # The name of one folder of the collection: no `..`, no absolute path.
            "items": {"type": "string", "pattern": rf"^{_PART}\Z"},
        },
        # The folder of a package, below the collection; `.` is the collection itself.
        "packages": {
            "type": "object",
            "maxProperties": 256,
            "propertyNames": {"pattern": r"^[A-Za-z0-9_.-]{1,100}\Z"},
            "additionalProperties": {"type": "string", "pattern": _FOLDER},
        },
    },
}


def read_collection(folder: Path) -> dict[str, Any]:
    """Return the content of a collection's `source.yaml`; reject an unusable one."""
    files = FolderFiles(folder, most_bytes=MOST_BYTES)
    if not files.has(FILE):
        raise Rejection(
            Reason.METADATA_MISSING,
            f"the collection {folder.name!r} has no {FILE}; write one "
            "(pipeline/raw/adapters/collection.py shows it).",
        )
    try:
        value = load_foreign(files.read(FILE))
    except Rejection as rejection:
        raise Rejection(Reason.METADATA_INVALID, f"{folder.name}/{rejection.detail}") from None
    except ValueError as error:
        raise Rejection(Reason.METADATA_INVALID, f"{folder.name}/{FILE}: {error}") from None
    problems = _field_problems(value)
    if problems:
        where = f"{folder.name}/{FILE}"
        raise Rejection(Reason.METADATA_INVALID, " ".join(f"{where}: {p}" for p in problems[:3]))
    return dict(value)


def _field_problems(value: object) -> list[str]:
    from jsonschema import Draft202012Validator

    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        return ["it must be a list of `key: value` lines."]
    problems = [
        f"{'.'.join(map(str, error.absolute_path)) or 'the file'}: {error.message[:160]}."
        for error in Draft202012Validator(SCHEMA).iter_errors(value)
    ]
    return sorted(problems) or _contradictions(value)


def _contradictions(value: dict[str, Any]) -> list[str]:
    """Return problems that involve several fields."""
    problems = []
    labels = ("label" in value) + ("label_from" in value)
    if value.get("layout") == "physx":
        if labels or {"shared", "packages"} & set(value) or value.get("format") == "mjcf":
            problems.append(
                "layout physx has URDF and its own labels and siblings; remove `label`, "
                "`label_from`, `shared`, `packages` and `format`."
            )
    elif labels != 1:
        problems.append("exactly one of `label` and `label_from` must stand there.")
    frame = value["frame"]
    if frame.get("front") and frame["front"][-1] == frame["up"][-1]:
        problems.append(f"frame: front {frame['front']!r} and up {frame['up']!r} are one axis.")
    return problems
