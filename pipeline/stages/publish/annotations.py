# SPDX-License-Identifier: Apache-2.0
"""What a release says about an object whose files it may not contain: numbers, ids, digests.

The columns that stay are listed here. All others become empty, so that nothing that the source drew
or wrote is in a release, and a column that a later schema adds stays out until somebody lists it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from aa_dataset.format.schema import TABLES

Row = dict[str, Any]
COUNTS = ("links", "joints_fixed", "joints_revolute", "joints_continuous", "joints_prismatic",
          "joints_helical", "joints_movable", "depth")  # fmt: skip
KEPT = {
    "objects": (
        "object_id", "source", "source_id", "category", "supercategory", "license", "attribution",
        "redistribution", *COUNTS, "extents", "floor_z", "front", "scale_factor", "rotation",
        "center", "is_metric", "content_sha256", "rebuild",
    ),
    "links": (
        "object_id", "link", "mass", "com", "inertia", "inertia_method", "inertia_error", "faces",
        "watertight", "bounds_lower", "bounds_upper", "collision_source",
    ),
    "joints": (
        "object_id", "joint", "parent", "child", "type", "axis", "origin", "pitch", "pitch_source",
        "lower", "upper", "effort", "velocity", "damping", "friction", "armature", "screw",
        "endpoint_lower", "endpoint_upper", "body_mass", "body_com", "body_inertia", "motion_alpha",
        "motion_kinetic", "mimic",
    ),
    "exclusions": ("object_id", "first", "second", "reason"),
    "findings": ("object_id", "stage", "code", "severity"),
    "splits": ("split", "version", "object_id", "content_sha256", "reason"),
}  # fmt: skip
RAW_DIGEST = "raw_sha256"  # the field of the provenance that tells which raw files an object needs


def annotated_object(row: Mapping[str, Any]) -> Row:
    """Return the row of `objects` about an object without its files."""
    digests = [pair for pair in row["provenance"] if pair[0] == RAW_DIGEST]
    command = {"rebuild": rebuild_command(row["source"])}
    return {**_bare("objects", {**row, **command}), "provenance": digests}


def rebuild_command(source: str) -> str:
    """Return the command that makes the objects of a source in a checkout of the repository."""
    return f"aa fetch {source} && make library"


def bare_rows(name: str, rows: Iterable[Mapping[str, Any]], bare: set[str]) -> list[Row]:
    """Return the rows of a table, without the words of the source about the objects in `bare`."""
    return [_bare(name, row) if row["object_id"] in bare else dict(row) for row in rows]


def _bare(name: str, row: Mapping[str, Any]) -> Row:
    kept = KEPT[name]
    return {
        field.name: row[field.name] if field.name in kept else _empty_value(field)
        for field in TABLES[name]
    }


def _empty_value(field: pa.Field) -> Any:
    if field.nullable:
        return None
    if pa.types.is_map(field.type):
        return []
    if pa.types.is_string(field.type):
        return ""
    raise TypeError(f"column {field.name!r} has no empty value; list it in `KEPT`.")
