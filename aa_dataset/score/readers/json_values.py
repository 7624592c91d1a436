# SPDX-License-Identifier: Apache-2.0
"""Values of the JSON files of methods: each is as expected, or a sentence names its place."""

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


def read_json(files: PredictionFiles, name: str) -> Any:
    """Return the value of a JSON file of a prediction."""
    try:
        return parse_json(files.read(name, MOST_BYTES))
    except JsonError as error:
        raise PredictionError(f"{files.where(name)}: {error}.") from error


def first_byte(files: PredictionFiles, name: str) -> bytes:
    """Return what a file begins with after spaces: an object or a list, if it is JSON."""
    return files.start(name, 64).lstrip()[:1]


def rows_of(value: Any, place: str) -> list[dict[str, Any]]:
    """Return a list of objects, not longer than a tree may be."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise PredictionError(f"{place} is not a list of objects. Write it as the method does.")
    if len(value) > MOST_LINKS:
        raise PredictionError(f"{place} has {len(value):,} entries; at most {MOST_LINKS:,} count.")
    return value


def field_of(row: Any, name: str, place: str) -> Any:
    """Return a field that an object must have."""
    if not isinstance(row, dict) or name not in row:
        raise PredictionError(f"{place} lacks the field `{name}`. Write it as the method does.")
    return row[name]


def text_of(row: Any, name: str, place: str) -> str:
    """Return a field that is text."""
    value = field_of(row, name, place)
    if not isinstance(value, str):
        raise _wrong(value, name, "text", place)
    return value


def number_of(row: Any, name: str, place: str) -> float:
    """Return a field that is a number, alone or in a list of one."""
    value = field_of(row, name, place)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if type(value) not in (int, float):
        raise _wrong(value, name, "a number", place)
    return float(value)


def vector_of(row: Any, name: str, place: str) -> Array:
    """Return a field that is three numbers, (3,)."""
    return numbers_of(row, name, (3,), place)


def numbers_of(row: Any, name: str, shape: tuple[int, ...], place: str) -> Array:
    """Return a field that holds numbers of a shape in nested lists."""
    value = field_of(row, name, place)
    if not _has_shape(value, shape):
        counts = " x ".join(map(str, shape))
        raise _wrong(value, name, f"{counts} numbers", place)
    return np.array(value, dtype=float)


def _has_shape(value: Any, shape: tuple[int, ...]) -> bool:
    if not shape:
        return type(value) in (int, float)
    if not isinstance(value, list) or len(value) != shape[0]:
        return False
    return all(_has_shape(inner, shape[1:]) for inner in value)


def _wrong(value: Any, name: str, expected: str, place: str) -> PredictionError:
    shown = reprlib.repr(value)
    return PredictionError(f"{place}, field `{name}`: {shown} is not {expected}.")
