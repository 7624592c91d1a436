# SPDX-License-Identifier: Apache-2.0
"""What a method says about itself: ``method.json`` beside its predictions."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from aa_dataset.errors import ArenaError
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.files import read_regular
from aa_dataset.untrusted.json_fields import FieldError, parse_json

METHOD = "method.json"
MOST_BYTES, LONGEST_TEXT = 100_000, 2_000
FROM_TRUTH = "limits of joints without limits, from the ground truth"
IN_FILES = "limits, as its joints.json states"
_TEXTS = ("name", "reference", "inputs")
_FIELDS = (*_TEXTS, "imputed", "uses_truth", "dagger")


@dataclass(frozen=True, slots=True)
class Method:
    """A method as tables name it.

    Attributes
    ----------
    name : str
        Its name.
    reference : str
        Paper or address.
    inputs : str
        What it was given, such as one picture or a mesh.
    imputed : str
        What was put in place of what it does not predict, empty if nothing.
    uses_truth : bool
        Whether the ground truth was used for alignment or in another way.
    """

    name: str
    reference: str = ""
    inputs: str = ""
    imputed: str = ""
    uses_truth: bool = False

    @property
    def dagger(self) -> bool:
        """Whether tables mark the method: it is not comparable with those without a mark."""
        return bool(self.imputed) or self.uses_truth

    @property
    def marked_name(self) -> str:
        """The name, with a dagger if it has one."""
        return f"{self.name} †" if self.dagger else self.name

    def with_truths_limits(self) -> Method:
        """Return the method after limits were imputed from the ground truth."""
        if FROM_TRUTH in self.imputed:
            return self
        return replace(self, imputed="; ".join(filter(None, (self.imputed, FROM_TRUTH))))

    def as_bytes(self) -> bytes:
        """Return the method as the contents of ``method.json``."""
        content = {
            **{name: getattr(self, name) for name in _TEXTS},
            "imputed": self.imputed or False,
            "uses_truth": self.uses_truth,
            "dagger": self.dagger,
        }
        return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def marked(method: Method, per_joint: pa.Table, per_object: pa.Table) -> Method:
    """Return the method with a dagger if its limits are imputed or the truth registered it."""
    if not method.uses_truth and True in per_object["uses_truth"].unique().to_pylist():
        method = replace(method, uses_truth=True)
    if method.imputed or "imputed" not in per_joint["predicted_limits"].unique().to_pylist():
        return method
    return replace(method, imputed=IN_FILES)


def find_method(predictions: Path, given: Path | None = None) -> Method:
    """Return the method of a file, else of the predictions, else one named after their folder."""
    if given is not None:
        return read_method(given)
    try:
        data = read_regular(predictions, [METHOD], MOST_BYTES + 1)
    except FileNotFoundError:
        return Method(predictions.resolve().name[:LONGEST_TEXT] or "predictions")
    except OSError as error:
        raise PredictionError(f"{METHOD} of the predictions: {error.strerror}.") from error
    return parse_method(data, f"{METHOD} of the predictions")


def read_method(path: Path) -> Method:
    """Read a ``method.json``."""
    try:
        # Without O_NONBLOCK, opening a pipe without a writer would block.
        place = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(place, "rb") as stream:
            if not stat.S_ISREG(os.fstat(place).st_mode):
                raise ArenaError(f"{path} is not a regular file. Put the file itself there.")
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise ArenaError(f"{path} cannot be read ({error.strerror}).") from error
    return parse_method(data, str(path))


def parse_method(data: bytes, place: str) -> Method:
    """Return the method of untrusted JSON, or raise with a sentence."""
    try:
        if len(data) > MOST_BYTES:
            raise FieldError(f"it has more than {MOST_BYTES:,} bytes")
        return _checked_method(parse_json(data))
    except (FieldError, UnicodeError) as error:
        known = ", ".join(_FIELDS)
        raise ArenaError(
            f"{place}: {error}. Its fields are {known}; only name is needed."
        ) from error


def _checked_method(value: Any) -> Method:
    if not isinstance(value, dict):
        raise FieldError("it is no JSON object")
    if unknown := sorted(set(value) - set(_FIELDS)):
        raise FieldError(f"it has the unknown field {unknown[0][:80]!r}")
    texts = {name: _text(value.get(name, ""), name) for name in _TEXTS}
    if not texts["name"].strip():
        raise FieldError("it has no name")
    for name in ("uses_truth", "dagger"):
        if not isinstance(value.get(name, False), bool):
            raise FieldError(f"{name} is not true or false")
    imputed = value.get("imputed", "")
    if isinstance(imputed, bool):
        imputed = "yes" if imputed else ""
    return Method(
        **texts, imputed=_text(imputed, "imputed"), uses_truth=value.get("uses_truth", False)
    )


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise FieldError(f"{name} is not a text of at most {LONGEST_TEXT:,} characters")
    value.encode()  # a lone surrogate cannot be written
    return value
