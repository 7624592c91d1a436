# SPDX-License-Identifier: Apache-2.0
"""Reads the small metadata files of sources: untrusted JSON, with texts and numbers checked."""

from __future__ import annotations

from typing import Any

from aa_dataset.untrusted import safe_json
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.base.tables import encodable
from pipeline.raw.files import RawFiles

META_BYTES = 10_000_000


def read_json(files: RawFiles, name: str) -> Any:
    """Return the content of a JSON file of the object; a byte order mark is allowed."""
    return parse_json(read_meta(files, name), name)


def read_meta(files: RawFiles, name: str) -> bytes:
    """Return the bytes of a metadata file of the object."""
    if not files.has(name):
        raise Rejection(Reason.METADATA_MISSING, f"{name} does not exist in the object's folder.")
    try:
        return files.read(name, most=META_BYTES)
    except Rejection as rejection:
        raise Rejection(Reason.METADATA_INVALID, rejection.detail) from None


def parse_json(data: bytes, name: str) -> Any:
    """Return the value of JSON bytes."""
    try:
        return safe_json.parse_json(data)
    except safe_json.JsonError as error:
        raise Rejection(Reason.METADATA_INVALID, f"{name} is not JSON: {error}.") from None


def read_object(files: RawFiles, name: str) -> dict[str, Any]:
    """Return a JSON file that must contain an object with fields."""
    value = read_json(files, name)
    if not isinstance(value, dict):
        raise Rejection(Reason.METADATA_INVALID, f"{name} does not hold an object with fields.")
    return value


def text(values: dict[str, Any], field: str, name: str) -> str:
    """Return a text field, or an empty text if it is absent."""
    value = values.get(field, "")
    if not isinstance(value, str):
        raise Rejection(Reason.METADATA_INVALID, f"{name}: the field `{field}` is not text.")
    return encodable(value)
