# SPDX-License-Identifier: Apache-2.0
"""Numbers and names as the writers for people show them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from aa_dataset.score.comparison.tables import Cell, Column, Row, Table

ABSENT = "–"  # noqa: RUF001 - the sign for an entry that is not available
ARROWS = {"low": "↓", "high": "↑"}
_LARGE = 1e6  # from here on numbers have exponents
PUBLISHED_HEADING = "‡ Published by others, on other objects"


def number_text(value: float | int | str | None, decimals: int) -> str:
    """Return a number with fixed digits, an integer or text as it is; `ABSENT` if undefined."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ABSENT
    if isinstance(value, float):
        if abs(value) >= _LARGE:
            return f"{value:.3e}"
        text = f"{value:.{decimals}f}"
        return text.removeprefix("-") if float(text) == 0 else text
    return str(value)


def has_interval(cell: Cell) -> bool:
    """Return whether both ends of an interval are numbers."""
    return not any(end is None or math.isnan(end) for end in (cell.low, cell.high))


def cell_text(cell: Cell, column: Column) -> str:
    """Return the entry with its interval, unescaped."""
    text = number_text(cell.value, column.decimals)
    if not has_interval(cell):
        return text
    ends = [number_text(end, column.decimals) for end in (cell.low, cell.high)]
    return f"{text} [{ends[0]}, {ends[1]}]"


def unit_text(column: Column) -> str:
    """Return better direction and unit, such as ``↓ (m)``; empty without both."""
    unit = f"({column.unit})" if column.unit else ""
    return " ".join(part for part in (ARROWS.get(column.arrow, ""), unit) if part)


def blocks(columns: Sequence[Column]) -> Iterator[tuple[str, int]]:
    """Yield heading and number of columns of every run of columns below one heading."""
    for block, run in groupby(columns, key=lambda column: column.block):
        yield block, len(list(run))


def parts_of(table: Table) -> tuple[list[Row], list[Row]]:
    """Return one's own rows and the published ones."""
    own = [row for row in table.rows if not row.kind.is_published]
    return own, [row for row in table.rows if row.kind.is_published]
