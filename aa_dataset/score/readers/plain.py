# SPDX-License-Identifier: Apache-2.0
"""Values of untrusted files as plain numbers, texts and lists, or a sentence about the field.

`where` is what a sentence names: the file, then the joint and the field.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import JointError, TreeError, UrdfError
from aa_dataset.score.budgets import MOST_LINKS, PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.untrusted.safe_json import JsonError, parse_json

Array = NDArray[np.float64]

_WORDS = {1: "one finite number", 2: "two finite numbers", 3: "three finite numbers"}


def beginning(files: PredictionFiles, name: str, most: int = 4096) -> bytes | None:
    """Return the first bytes of a file; None if there is none that can be read."""
    try:
        return files.start(name, most) if files.is_folder else None
    except (PredictionError, OSError):
        return None


def json_value(files: PredictionFiles, name: str, most: int) -> Any:
    """Return the value of a JSON file of at most so many bytes."""
    return json_text(files.read(name, most), files.where(name))


def json_text(data: bytes, where: str) -> Any:
    """Return the value of JSON bytes."""
    try:
        return parse_json(data)
    except JsonError as error:
        raise PredictionError(f"{where} is not valid JSON: {error}. Write it again.") from None


def numbers(value: object, count: int, where: str) -> Array:
    """Return a list of so many finite numbers, (count,)."""
    items = value if isinstance(value, list | tuple) else []
    if len(items) != count or not all(_is_number(item) for item in items):
        wanted = _WORDS.get(count, f"{count} finite numbers")
        raise PredictionError(f"{where} is {reprlib.repr(value)}; give {wanted}.")
    return np.array(items, dtype=float)


def number(value: object, where: str) -> float:
    """Return one finite number."""
    return float(numbers([value], 1, where)[0])


def whole(value: object, where: str, most: int) -> int:
    """Return a whole number from 0 to below `most`."""
    if type(value) is not int or not 0 <= value < most:
        raise PredictionError(
            f"{where} is {reprlib.repr(value)}; give a whole number from 0 to {most - 1}."
        )
    return value


def text(value: object, where: str) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise PredictionError(f"{where} is {reprlib.repr(value)}; give a text.")
    return value


def record(value: object, where: str) -> dict[str, Any]:
    """Return an object of JSON."""
    if not isinstance(value, dict):
        raise PredictionError(f"{where} is {reprlib.repr(value)}; give an object with fields.")
    return value


def records(value: object, where: str, most: int = MOST_LINKS) -> list[Any]:
    """Return a list of at most so many items."""
    if not isinstance(value, list):
        raise PredictionError(f"{where} is {reprlib.repr(value)}; give a list.")
    if len(value) > most:
        raise PredictionError(f"{where} has {len(value):,} items; at most {most:,} are read.")
    return value


def one_of(value: object, choices: tuple[Any, ...], where: str) -> Any:
    """Return a value that is one of some choices, of the same type."""
    for choice in choices:
        if type(value) is type(choice) and value == choice:
            return choice
    known = ", ".join(map(repr, choices))
    raise PredictionError(f"{where} is {reprlib.repr(value)}; expected one of {known}.")


@contextmanager
def within(where: str) -> Iterator[None]:
    """Put the file in front of what joints, trees and URDF documents say about themselves."""
    try:
        yield
    except (JointError, TreeError, UrdfError) as error:
        raise PredictionError(f"{where}: {error}") from error


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer beyond every float
        return False
