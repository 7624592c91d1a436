# SPDX-License-Identifier: Apache-2.0
"""The formats in which the ground truth can be written."""

from __future__ import annotations

from importlib import import_module

from aa_dataset.errors import ArenaError
from aa_dataset.score.simulated.setting import SimulatedMethod

# One module each. A new writer is a line here.
NAMES: tuple[str, ...] = (
    "urdf",
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


def simulated_named(name: str) -> SimulatedMethod:
    """Return a writer; an unknown name raises `ArenaError` with the known ones."""
    if name not in NAMES:
        raise ArenaError(f"there is no writer {name!r}. Choose from {', '.join(NAMES)}.")
    found: SimulatedMethod = import_module(f"aa_dataset.score.simulated.{name}").SIMULATED
    return found
