# SPDX-License-Identifier: Apache-2.0
"""What other projects report, by name: ``by_name("ditto").compute(pairs)``.

Each preset has a module; `PRESETS` lists them all. Units, averages and quirks are part of a preset.
"""

from __future__ import annotations

from aa_dataset.errors import ArenaError
from aa_dataset.score.presets import (
    articulate_anything,
    ditto,
    paris,
    real2code,
    s2o,
    spark,
    urdf_anything,
)
from aa_dataset.score.presets.common import Column, JointPair, Preset, PresetRow

__all__ = ["PRESETS", "Column", "JointPair", "Preset", "PresetRow", "by_name"]

PRESETS: tuple[Preset, ...] = (
    ditto.DITTO,
    paris.PARIS,
    real2code.REAL2CODE,
    articulate_anything.PAPER,
    articulate_anything.CODE,
    urdf_anything.URDF_ANYTHING,
    spark.SPARK,
    s2o.S2O,
)


def by_name(name: str) -> Preset:
    """Return a preset; an unknown name raises `ArenaError` with the known ones."""
    for preset in PRESETS:
        if preset.name == name:
            return preset
    known = ", ".join(preset.name for preset in PRESETS)
    raise ArenaError(f"there is no preset {name!r}. Choose from {known}.")
