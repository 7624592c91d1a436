# SPDX-License-Identifier: Apache-2.0
"""Strict checks of JSON values against type hints, without conversions or defaults."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from aa_dataset.untrusted import safe_json

Hints = Mapping[str, Any]
_WORDS = {str: "a string", bool: "true or false", list: "a list", dict: "an object"}


class FieldError(ValueError):
    """A field is absent, unknown or of the wrong type; the message has no final period."""


def parse_json(data: bytes) -> Any:
    """Parse JSON with `safe_json`: unique names, finite numbers, bounded depth."""
    try:
        return safe_json.parse_json(data)
    except safe_json.JsonError as error:
        raise FieldError(str(error)) from error


def checked_fields(row: Any, hints: Hints, place: str) -> dict[str, Any]:
    """Return a row that has exactly the fields of the hints, each of its type."""
    _require_type(row, dict, place)
    if absent := [name for name in hints if name not in row]:
        raise FieldError(f"{place} lacks {absent[0]}")
    if unknown := [name for name in row if name not in hints]:
        raise FieldError(f"{place} has an unknown field {reprlib.repr(unknown[0])}")
    return {name: checked(value, hints[name], f"{place}.{name}") for name, value in row.items()}


def checked(value: Any, hint: Any, place: str) -> Any:
    """Return a value checked against its type hint; lists become tuples if it is a tuple."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        (single,) = (kind for kind in inner if kind is not NoneType)
        return None if value is None else checked(value, single, place)
    if origin in (list, tuple):
        _require_type(value, list, place)
        return origin(checked(v, inner[0], f"{place}[{k}]") for k, v in enumerate(value))
    if origin is dict:
        _require_type(value, dict, place)
        return {key: checked(v, inner[1], f"{place}.{key}") for key, v in value.items()}
    if hint is float:
        return _number_or_nan(value, place)
    if hint is int:
        return _require_count(value, place)
    if hint is not Any:
        _require_type(value, hint, place)
    return value


def _require_type(value: Any, kind: type, place: str) -> None:
    if type(value) is not kind:
        raise _field_error(value, _WORDS[kind], place)


def _number_or_nan(value: Any, place: str) -> float:
    """Return a finite number, or nan for null, which marks an undefined score."""
    if value is None:
        return math.nan
    try:
        if type(value) in (int, float) and math.isfinite(number := float(value)):
            return number
    except OverflowError:
        pass
    raise _field_error(value, "a finite number", place)


def _require_count(value: Any, place: str) -> int:
    if type(value) is int and value >= 0:
        return value
    raise _field_error(value, "a non-negative integer", place)


def _field_error(value: Any, expected: str, place: str) -> FieldError:
    return FieldError(f"{place} is {reprlib.repr(value)}, not {expected}")
