# SPDX-License-Identifier: Apache-2.0
"""The layout of the generated collection: `<id>/meta.json`, `<id>/model.urdf`, `<id>/meshes/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.raw.adapters.facts import read_object, text
from pipeline.raw.adapters.folders import object_folders
from pipeline.raw.files import RawFiles
from pipeline.raw.records import Found, RawRecord

META = "meta.json"
MODEL = "model.urdf"
FIELDS = None  # `meta.json` may have any field


def discover(root: Path) -> Iterator[Found]:
    """Yield every folder of the source."""
    for name in object_folders(root):
        yield Found(name, (name,))


def describe(files: RawFiles, found: Found) -> RawRecord:
    """Read one object's folder."""
    meta = read_object(files, META)
    if not files.has(MODEL):
        raise Rejection(Reason.URDF_MISSING, f"{MODEL} does not exist in the object's folder.")
    known = ("name", "description", "category", "parts", "license")
    rest = {key: value for key, value in meta.items() if key not in known}
    return RawRecord(
        model=MODEL,
        name=text(meta, "name", META) or found.name,
        description=text(meta, "description", META),
        label=text(meta, "category", META),
        parts=_part_labels(meta),
        license=text(meta, "license", META),
        provenance={**rest, "facts_from": META},
    )


def _part_labels(meta: dict[str, Any]) -> dict[str, str]:
    parts = meta.get("parts", {})
    if not isinstance(parts, dict) or not all(isinstance(v, str) for v in parts.values()):
        raise Rejection(
            Reason.METADATA_INVALID, f"{META}: the field `parts` is not a map of texts."
        )
    return parts
