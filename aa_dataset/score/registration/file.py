# SPDX-License-Identifier: Apache-2.0
"""`registration.json` beside a prediction: its frame, unit and state, as its author states them.

`registration.schema.json` has the form. All of it is optional except for the header.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.portable import length, quaternion_rotation
from aa_dataset.score.budgets import MOST_JOINTS, PredictionError
from aa_dataset.score.registration.record import Given
from aa_dataset.untrusted.json_fields import FieldError, checked, parse_json

HEADER = {"format": "aa-registration", "version": 1}
MOST_BYTES = 1_000_000
UNIT = 1e-6  # by which the length of a quaternion may differ from 1
_PLACE = ("scale", "rotation", "quaternion", "translation")
_FIELDS = (*HEADER, *_PLACE, "rest", "note")


def parse_registration(data: bytes, place: str) -> Given:
    """Return the registration of untrusted JSON, or raise `PredictionError` with a sentence.

    Parameters
    ----------
    data : bytes
        The file.
    place : str
        How a message names it.
    """
    try:
        if len(data) > MOST_BYTES:
            raise FieldError(f"it has more than {MOST_BYTES:,} bytes")
        return _registration(parse_json(data))
    except (FieldError, ArenaError) as error:
        raise PredictionError(
            f"{place}: {str(error).rstrip('.')}. docs/readers.md has the form of the file."
        ) from error


def write_registration(given: Given, note: str = "") -> bytes:
    """Return the contents of the file; `parse_registration` returns the same numbers."""
    content: dict[str, Any] = dict(HEADER)
    if given.similarity is not None:
        content["scale"] = given.similarity.scale
        content["rotation"] = given.similarity.rotation.tolist()
        content["translation"] = given.similarity.translation.tolist()
    content["rest"] = dict(given.rest)
    if note:
        content["note"] = note
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _registration(value: Any) -> Given:
    if not isinstance(value, dict):
        raise FieldError("it is no JSON object")
    if unknown := sorted(set(value) - set(_FIELDS)):
        raise FieldError(f"it has the unknown field {unknown[0][:80]!r}")
    for name, expected in HEADER.items():
        if type(value.get(name)) is not type(expected) or value[name] != expected:
            raise FieldError(f"{name} is not {expected!r}")
    checked(value.get("note", ""), str, "note")
    similarity = _similarity(value) if any(name in value for name in _PLACE) else None
    return Given(similarity, _rest(value.get("rest", {})))


def _similarity(value: dict[str, Any]) -> Similarity:
    scale = _numbers(value.get("scale", 1.0), (), "scale")
    translation = _numbers(value.get("translation", [0.0, 0.0, 0.0]), (3,), "translation")
    return Similarity(float(scale), _rotation(value), translation)


def _rotation(value: dict[str, Any]) -> np.ndarray:
    if "rotation" in value and "quaternion" in value:
        raise FieldError("it has both rotation and quaternion; keep one")
    if "quaternion" not in value:
        return _numbers(value.get("rotation", np.eye(3).tolist()), (3, 3), "rotation")
    quaternion = _numbers(value["quaternion"], (4,), "quaternion")
    if not abs(float(length(quaternion)) - 1) <= UNIT:
        raise FieldError("quaternion is not of length 1; it is w, x, y, z")
    return quaternion_rotation(quaternion)


def _numbers(value: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Return finite numbers of a shape; anything else, also true or a text, is refused."""
    if shape:
        rows = checked(value, list, name)
        if len(rows) != shape[0]:
            raise FieldError(f"{name} has {len(rows)} entries, not {shape[0]}")
        return np.array([_numbers(row, shape[1:], name) for row in rows])
    if value is None:
        raise FieldError(f"{name} has null in place of a number")
    return np.array(checked(value, float, name))


def _rest(value: Any) -> dict[str, float]:
    given = checked(value, dict, "rest")
    if len(given) > MOST_JOINTS:
        raise FieldError(f"rest names {len(given):,} joints; at most {MOST_JOINTS:,} are read")
    return {
        name: float(_numbers(angle, (), f"rest of {name[:80]!r}")) for name, angle in given.items()
    }
