# SPDX-License-Identifier: Apache-2.0
"""Readers that several sources share: text files, `semantics.txt`, the URDF, untrusted numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aa_dataset.errors import UrdfError
from aa_dataset.kinematics.urdf import UrdfModel, parse_urdf
from aa_dataset.untrusted.safe_xml import XmlBudget
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.raw.adapters.facts import read_meta
from pipeline.raw.files import RawFiles

# Largest angle or length; beyond it, arithmetic is no longer exact.
LARGEST = 1e12


def read_text(files: RawFiles, name: str) -> str:
    """Return a metadata file of the object as text; a byte order mark is allowed."""
    try:
        return read_meta(files, name).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Rejection(Reason.METADATA_INVALID, f"{name} is not UTF-8: {error}.") from None


def read_urdf(files: RawFiles, name: str) -> UrdfModel:
    """Return the object's URDF as written."""
    require_urdf(files, name)
    try:
        return parse_urdf(files.read(name, most=XmlBudget().max_bytes))
    except UrdfError as error:
        raise Rejection(Reason(error.code), f"{name}: {error.detail}") from None


def require_urdf(files: RawFiles, name: str) -> None:
    """Reject an object without its URDF."""
    if not files.has(name):
        raise Rejection(Reason.URDF_MISSING, f"{name} does not exist in the object's folder.")


@dataclass(frozen=True, slots=True)
class Meaning:
    """One line of `semantics.txt`: the label of a link, and its stated kind of motion."""

    link: str
    kind: str
    label: str


def read_semantics(files: RawFiles, name: str) -> list[Meaning]:
    """Return the lines `<link> <kind> <label>` of a file."""
    meanings = []
    for number, line in enumerate(read_text(files, name).splitlines(), 1):
        words = line.split()
        if words and len(words) != 3:
            detail = f"{name}: line {number} is not `link kind label`."
            raise Rejection(Reason.METADATA_INVALID, detail)
        if words:
            meanings.append(Meaning(*words))
    return meanings


def number(values: Mapping[str, Any], field: str, where: str) -> float | None:
    """Return a field that is a finite number, or None if it is absent or null."""
    value = values.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_usable(value):
        raise Rejection(Reason.METADATA_INVALID, f"{where}: `{field}` is no usable number.")
    return value


def attribute_number(values: Mapping[str, str], field: str, where: str) -> float | None:
    """Return an XML attribute that is a finite number, or None if it is absent."""
    if field not in values:
        return None
    try:
        value = float(values[field])
    except ValueError:
        value = math.nan
    return number({field: value}, field, where)


def _is_usable(value: float) -> bool:
    return abs(value) <= LARGEST  # false for NaN; `math.isfinite` fails for a long integer


def flag(values: Mapping[str, Any], field: str, where: str) -> bool:
    """Return a field that is true or false; absent and null count as false."""
    value = values.get(field)
    if value is not None and not isinstance(value, bool):
        raise Rejection(Reason.METADATA_INVALID, f"{where}: `{field}` is not true or false.")
    return bool(value)


def mapping(value: object, where: str) -> dict[str, Any]:
    """Return a value that must be an object with fields; null counts as an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Rejection(Reason.METADATA_INVALID, f"{where} is not an object with fields.")
    return value


def sequence(value: object, where: str) -> list[Any]:
    """Return a value that must be a list; null counts as an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Rejection(Reason.METADATA_INVALID, f"{where} is not a list.")
    return value
