# SPDX-License-Identifier: Apache-2.0
"""The numbers of a preset, for people and for machines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from aa_dataset.score.presets.common import Preset, PresetRow

HEAD = ("value", "mean", "unit", "pairs", "undefined", "left out")
WIDTH = 80


def preset_lines(preset: Preset, rows: Sequence[PresetRow]) -> list[str]:
    """Return two lines of head, a table with one line per number, then the quirks."""
    cells = [HEAD, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    table = [
        "  ".join(
            cell.ljust(width) if k in (0, 2) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
    notes = [
        line
        for quirk in preset.quirks
        for line in wrap(quirk, WIDTH, initial_indent="- ", subsequent_indent="  ")
    ]
    head = [f"preset {preset.name}, protocol {preset.protocol}", f"from {preset.reference}"]
    return [*head, *table, *notes]


def _cells(row: PresetRow) -> tuple[str, ...]:
    shown = "undefined" if math.isnan(row.number) else f"{row.number:.6g}"
    counts = (str(row.count), str(row.undefined), str(row.silent))
    return (row.column.key, shown, row.column.unit, *counts)


def preset_content(preset: Preset, rows: Sequence[PresetRow]) -> dict[str, Any]:
    """Return the numbers as JSON types; an undefined number is None, an infinite one a text."""
    return {
        "preset": preset.name,
        "reference": preset.reference,
        "protocol": preset.protocol,
        "values": [
            {
                "value": row.column.key,
                "number": _plain(row.number),
                "unit": row.column.unit,
                "meaning": row.column.meaning,
                "average": row.column.average.value,
                "count": row.count,
                "undefined": row.undefined,
                "left_out": row.silent,
            }
            for row in rows
        ],
        "quirks": list(preset.quirks),
    }


def _plain(number: float) -> float | str | None:
    if math.isnan(number):
        return None
    return number if math.isfinite(number) else "inf"
