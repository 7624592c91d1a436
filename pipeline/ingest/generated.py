# SPDX-License-Identifier: Apache-2.0
"""The layout of the generated collection: `<id>/meta.json`, `<id>/model.urdf`, `<id>/meshes/`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from pipeline.errors import Rejection
from pipeline.ingest.record import RawRecord
from pipeline.reasons import Reason
from pipeline.tables import encodable

META = "meta.json"
MODEL = "model.urdf"
META_BYTES = 10_000_000


def describe(root: Path) -> RawRecord:
    """Read one object's folder."""
    meta = _read_meta(root / META)
    if not (root / MODEL).is_file():
        raise Rejection(Reason.URDF_MISSING, f"{MODEL} does not exist in the object's folder.")
    known = ("name", "description", "category", "parts", "license")
    rest = {key: value for key, value in meta.items() if key not in known}
    return RawRecord(
        urdf=MODEL,
        name=_text(meta, "name") or root.name,
        description=_text(meta, "description"),
        label=_text(meta, "category"),
        parts=_parts(meta),
        license=_text(meta, "license"),
        provenance={**rest, "facts_from": META},
    )


def _read_meta(path: Path) -> dict[str, Any]:
    if path.is_symlink() or not path.is_file():
        raise Rejection(Reason.METADATA_MISSING, f"{META} does not exist in the object's folder.")
    if path.stat().st_size > META_BYTES:
        raise Rejection(Reason.METADATA_INVALID, f"{META} is larger than {META_BYTES} bytes.")
    try:
        # Python's parser takes NaN and Infinity, which are not JSON and no fact either.
        meta = json.loads(
            path.read_bytes(), parse_constant=_refuse_constant, parse_float=_finite_number
        )
    except (ValueError, RecursionError) as error:
        raise Rejection(Reason.METADATA_INVALID, f"{META} is not JSON: {error}.") from None
    if not isinstance(meta, dict):
        raise Rejection(Reason.METADATA_INVALID, f"{META} does not hold an object with fields.")
    return meta


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


def _finite_number(word: str) -> float:
    value = float(word)
    return value if math.isfinite(value) else _refuse_constant(word)


def _text(meta: dict[str, Any], field: str) -> str:
    value = meta.get(field, "")
    if not isinstance(value, str):
        raise Rejection(Reason.METADATA_INVALID, f"{META}: the field `{field}` is not text.")
    return encodable(value)


def _parts(meta: dict[str, Any]) -> dict[str, str]:
    parts = meta.get("parts", {})
    if not isinstance(parts, dict) or not all(isinstance(v, str) for v in parts.values()):
        raise Rejection(
            Reason.METADATA_INVALID, f"{META}: the field `parts` is not a map of texts."
        )
    return parts
