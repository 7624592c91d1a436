# SPDX-License-Identifier: Apache-2.0
"""Size and place of the meshes that a method was given: the `inputs.json` of `aa inputs`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.files import read_regular
from aa_dataset.score.registration.normalization import InputShape
from aa_dataset.untrusted.json_fields import FieldError, checked, parse_json

INPUTS = "inputs.json"
Part = TypeVar("Part")
STATE = "rest"  # the state of the mesh that methods are given
MOST_BYTES = 1_000_000


class Inputs:
    """The folder of `aa inputs`: ``<object_id>/inputs.json``.

    Parameters
    ----------
    root : Path, optional
        The folder; without one, no size is known.
    names : mapping of object id to str, optional
        The names of objects in a folder of ``aa inputs --blind``.
    """

    def __init__(self, root: Path | None = None, names: Mapping[str, str] | None = None):
        if root is not None and not root.is_dir():
            raise PredictionError(f"{root} is not a folder. Pass the folder of `aa inputs`.")
        self._root, self._names = root, dict(names or {})

    def shape(self, object_id: str) -> InputShape | None:
        """Return size and place of the mesh of an object, None without a file."""
        return self._parsed(object_id, _shape)

    def frame(self, object_id: str) -> Similarity | None:
        """Return the map from the frame of the given files to the object frame, if it is stated."""
        return self._parsed(object_id, _frame)

    def _parsed(self, object_id: str, parse: Callable[[dict[str, Any]], Part]) -> Part | None:
        """Return a part of the file of an object, None without a file."""
        data = self._read(object_id)
        if data is None:
            return None
        try:
            if len(data) > MOST_BYTES:
                raise FieldError(f"it has more than {MOST_BYTES:,} bytes")
            return parse(checked(parse_json(data), dict, INPUTS))
        except FieldError as error:
            raise PredictionError(
                f"{object_id}/{INPUTS} of the inputs: {error}. Write it with `aa inputs`."
            ) from error

    def digest(self, object_id: str) -> str:
        """Return the digest of the file of an object, empty without one."""
        data = self._read(object_id)
        return "" if data is None else hashlib.sha256(data).hexdigest()

    def _read(self, object_id: str) -> bytes | None:
        if self._root is None:
            return None
        folder = self._names.get(object_id, object_id)
        try:
            return read_regular(self._root, [folder, INPUTS], MOST_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise PredictionError(
                f"{folder}/{INPUTS} of the inputs cannot be opened: {error.strerror}."
            ) from error


def shape_content(shape: InputShape) -> dict[str, Any]:
    """Return the numbers of a mesh as `inputs.json` has them under its state."""
    return {
        "center": shape.center.tolist(),
        "extents": shape.extents.tolist(),
        "centroid": shape.centroid.tolist(),
        "farthest": shape.farthest,
    }


def _frame(value: dict[str, Any]) -> Similarity | None:
    """Return ``meters = given * scale + center``."""
    if "frame" not in value:
        return None
    frame = checked(value["frame"], dict, "frame")
    scale = checked(_field(frame, "scale"), float, "scale")
    if not scale > 0:
        raise FieldError("the scale of its frame is not positive")
    return Similarity(scale, np.eye(3), _vector(frame, "center"))


def _shape(value: dict[str, Any]) -> InputShape:
    states = checked(_field(value, "states"), dict, "states")
    state = checked(_field(states, STATE), dict, STATE)
    center, extents, centroid = (_vector(state, name) for name in ("center", "extents", "centroid"))
    farthest = checked(_field(state, "farthest"), float, "farthest")
    if not ((extents >= 0).all() and extents.max() > 0 and farthest > 0):
        raise FieldError("extents and farthest are not sizes of a mesh")
    return InputShape(center, extents, centroid, farthest)


def _vector(state: dict[str, Any], name: str) -> NDArray[np.float64]:
    values = checked(_field(state, name), list, name)
    if len(values) != 3 or None in values:
        raise FieldError(f"{name} is not three numbers")
    return np.array([checked(one, float, name) for one in values])


def _field(value: dict[str, Any], name: str) -> Any:
    if name not in value:
        raise FieldError(f"it lacks {name}")
    return value[name]
