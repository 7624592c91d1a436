# SPDX-License-Identifier: Apache-2.0
"""Values of untrusted files as plain numbers, texts and lists, or a sentence about the field.

`where` is what a sentence names: the file, then the joint and the field. Functions that end with
`_of` take a field of an object.
"""

from __future__ import annotations

import math
import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.score.budgets import MOST_LINKS, PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.untrusted.safe_json import JsonError, parse_json

Array = NDArray[np.float64]

MOST_BYTES = 4_000_000  # of a file: ten times that of the largest tree that is read
DEGREE = math.pi / 180.0  # rad

_WORDS = {1: "one finite number", 2: "two finite numbers", 3: "three finite numbers"}


def json_value(files: PredictionFiles, name: str, most: int = MOST_BYTES) -> Any:
    """Return the value of a JSON file of at most so many bytes."""
    return json_text(files.read(name, most), files.shown_path(name))


def json_text(data: bytes, where: str) -> Any:
    """Return the value of JSON bytes."""
    try:
        return parse_json(data)
    except JsonError as error:
        raise PredictionError(f"{where} is not valid JSON: {error}. Write it again.") from None


def first_byte(files: PredictionFiles, name: str) -> bytes:
    """Return what a file begins with after spaces: an object or a list, if it is JSON."""
    return files.read_start(name, 64).lstrip()[:1]


def numbers(value: object, count: int, where: str) -> Array:
    """Return a list of so many finite numbers, (count,)."""
    items = value if isinstance(value, list | tuple) else []
    if len(items) != count or not all(_is_number(item) for item in items):
        raise _wrong(value, where, _WORDS.get(count, f"{count} finite numbers"))
    return np.array(items, dtype=float)


def number(value: object, where: str) -> float:
    """Return one finite number."""
    if not _is_number(value):
        raise _wrong(value, where, _WORDS[1])
    return float(value)  # type: ignore[arg-type]


def whole(value: object, where: str, most: int) -> int:
    """Return a whole number from 0 to below `most`."""
    if type(value) is not int or not 0 <= value < most:
        raise _wrong(value, where, f"a whole number from 0 to {most - 1}")
    return value


def text(value: object, where: str) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise _wrong(value, where, "a text")
    return value


def record(value: object, where: str) -> dict[str, Any]:
    """Return an object of JSON."""
    if not isinstance(value, dict):
        raise _wrong(value, where, "an object with fields")
    return value


def records(value: object, where: str, most: int = MOST_LINKS) -> list[Any]:
    """Return a list of at most so many items."""
    if not isinstance(value, list):
        raise _wrong(value, where, "a list")
    if len(value) > most:
        raise PredictionError(f"{where} has {len(value):,} items; at most {most:,} are read.")
    return value


def rows_of(value: object, where: str) -> list[dict[str, Any]]:
    """Return a list of objects, not longer than a tree may be."""
    return [record(row, f"{where}, entry {k}") for k, row in enumerate(records(value, where))]


def one_of(value: object, choices: tuple[Any, ...], where: str) -> Any:
    """Return a value that is one of some choices, of the same type."""
    for choice in choices:
        if type(value) is type(choice) and value == choice:
            return choice
    known = ", ".join(map(repr, choices))
    raise PredictionError(f"{where} is {reprlib.repr(value)}; expected one of {known}.")


def field_of(row: object, name: str, where: str) -> Any:
    """Return a field that an object must have."""
    if not isinstance(row, dict) or name not in row:
        raise PredictionError(f"{where} lacks the field `{name}`. Write it as the method does.")
    return row[name]


def text_of(row: object, name: str, where: str) -> str:
    """Return a field that is a text, which may be empty."""
    value = field_of(row, name, where)
    if not isinstance(value, str):
        raise _wrong(value, _field(name, where), "a text")
    return value


def number_of(row: object, name: str, where: str) -> float:
    """Return a field that is a number, alone or in a list of one."""
    value = field_of(row, name, where)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return number(value, _field(name, where))


def vector_of(row: object, name: str, where: str) -> Array:
    """Return a field that is three numbers, (3,)."""
    return numbers(field_of(row, name, where), 3, _field(name, where))


def matrix_of(row: object, name: str, size: int, where: str) -> Array:
    """Return a field that is a square matrix, a list of its rows, (size, size)."""
    rows, field = field_of(row, name, where), _field(name, where)
    if not isinstance(rows, list) or len(rows) != size:
        raise _wrong(rows, field, f"{size} rows of {size} finite numbers")
    return np.array([numbers(row, size, field) for row in rows])


def _field(name: str, where: str) -> str:
    return f"{where}, field `{name}`,"


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer beyond every float
        return False


def _wrong(value: object, where: str, wanted: str) -> PredictionError:
    return PredictionError(f"{where} is {reprlib.repr(value)}; give {wanted}.")
