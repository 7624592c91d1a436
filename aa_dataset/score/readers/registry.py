# SPDX-License-Identifier: Apache-2.0
"""The formats of predictions, and which of them a prediction has."""

from __future__ import annotations

from importlib import import_module

from aa_dataset.errors import ArenaError
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.prediction import MethodFormat

# One module each. A new reader is a line here.
NAMES = (
    "urdf",
    "joints",
    "articraft",
    "anymesh",
    "ditto",
    "particulate",
    "urdformer",
    "paris",
    "dta",
    "artgs",
    "real2code",
    "urdf_anything",
    "urdf_anything_plus",
    "physx_anything",
    "singapo",
    "mjcf",
)
AUTO = "auto"


def formats() -> tuple[MethodFormat, ...]:
    """Return every format, in the order of `NAMES`."""
    return tuple(format_named(name) for name in NAMES)


def format_named(name: str) -> MethodFormat:
    """Return a format; an unknown name raises `ArenaError` with the known ones."""
    if name not in NAMES:
        raise ArenaError(f"there is no reader {name!r}. Choose from {', '.join(NAMES)} and {AUTO}.")
    found: MethodFormat = import_module(f"aa_dataset.score.readers.{name}").FORMAT
    return found


def recognized(files: PredictionFiles) -> tuple[MethodFormat, str]:
    """Return the format of a prediction, and why it is this one.

    General formats count only where no special one fits. Two that fit are an error.
    """
    claims = [(one, one.claims(files)) for one in formats()]
    fitting = [(one, why) for one, why in claims if why]
    special = [pair for pair in fitting if not pair[0].is_general]
    chosen = special or fitting
    if len(chosen) > 1:
        stated = " and ".join(f"{one.name} ({why})" for one, why in chosen)
        raise PredictionError(
            f"{files.object_id}: two readers fit, {stated}. Name one with --reader, or keep one "
            "prediction only."
        )
    # Without any claim, the reader of URDF says what it expected.
    return chosen[0] if chosen else (format_named("urdf"), "no other format fits")
