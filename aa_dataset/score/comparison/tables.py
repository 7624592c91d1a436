# SPDX-License-Identifier: Apache-2.0
"""Tables without a format: what the writers turn into text, Markdown, LaTeX, CSV, JSON and HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from aa_dataset.score.comparison.draws import Estimate
from aa_dataset.score.comparison.measures import Measure

VALID_BLOCK = "valid outputs only"
ALL_BLOCK = "all objects, failures charged"


class Kind(StrEnum):
    """Whose numbers a row has."""

    OWN = "own"
    DAGGER = "dagger"  # limits imputed from the truth: never shaded, never ranked
    PUBLISHED = "published"  # computed by others on other objects: never compared
    PUBLISHED_DAGGER = "published-dagger"

    @property
    def is_published(self) -> bool:
        """Whether others computed the row on other objects."""
        return self in (Kind.PUBLISHED, Kind.PUBLISHED_DAGGER)

    @property
    def has_dagger(self) -> bool:
        """Whether limits were imputed from the ground truth."""
        return self in (Kind.DAGGER, Kind.PUBLISHED_DAGGER)


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry: a number with or without an interval, or a text.

    Attributes
    ----------
    value : float, int, str or None
        None or nan if the entry is not available.
    low, high : float or None
        The interval, where there is one.
    best : bool
        Whether to shade it.
    """

    value: float | int | str | None
    low: float | None = None
    high: float | None = None
    best: bool = False

    @property
    def number(self) -> float:
        """Return the value as a number; nan for a text or an unavailable entry."""
        return math.nan if self.value is None or isinstance(self.value, str) else float(self.value)


@dataclass(frozen=True, slots=True)
class Column:
    """One column after the names.

    Attributes
    ----------
    key : str
        Its name in JSON and CSV.
    plain, latex, html : str
        Its heading; none holds foreign text.
    unit : str
        Shown in brackets.
    decimals : int
        Digits after the point.
    block : str
        Heading above several adjacent columns.
    arrow : str
        The better direction: ``low``, ``high`` or empty.
    """

    key: str
    plain: str
    latex: str
    html: str
    unit: str = ""
    decimals: int = 3
    block: str = ""
    arrow: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line: foreign names, then one cell per column.

    `daggers` has the places of the names that carry the dagger; without any it is the last one.
    """

    heads: tuple[str, ...]
    cells: tuple[Cell, ...]
    kind: Kind = Kind.OWN
    daggers: tuple[int, ...] = ()

    def marks(self, place: int) -> str:
        """Return the signs after a name: dagger, published."""
        is_last = place == len(self.heads) - 1
        has_dagger = place in self.daggers if self.daggers else is_last and self.kind.has_dagger
        return ("†" if has_dagger else "") + ("‡" if is_last and self.kind.is_published else "")


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Attributes
    ----------
    key : str
        Its name in JSON, CSV and in the label of LaTeX.
    title, caption : str
        A heading, and what the numbers are.
    heads : tuple of str
        Headings of the leading columns, which hold names.
    columns : tuple of Column
        The other columns.
    rows : tuple of Row
        The lines; published ones last.
    notes : tuple of str
        Sentences below the table.
    """

    key: str
    title: str
    caption: str
    heads: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())


def text_column(key: str, title: str, *, block: str = "") -> Column:
    """Return a column whose heading is the same in all formats."""
    return Column(key, title, title, title, block=block, decimals=0)


def measure_column(measure: Measure, *, block: str = "", suffix: str = "") -> Column:
    """Return the column of a score; `suffix` tells columns of one score apart."""
    return Column(
        measure.key + suffix,
        measure.plain,
        measure.latex,
        measure.html,
        measure.unit,
        measure.decimals,
        block,
        measure.better,
    )


def interval_cell(found: Estimate) -> Cell:
    """Return a cell with an interval."""
    return Cell(found.value, found.low, found.high)


def shaded(rows: Sequence[Row], columns: Sequence[Column]) -> tuple[Row, ...]:
    """Return rows in which the best defined values of columns with a direction are shaded.

    Rows with a dagger and published rows are neither shaded nor compared. Equal values share the
    shade.
    """
    best: dict[int, float] = {}
    for k, column in enumerate(columns):
        numbers = [row.cells[k].number for row in rows if row.kind is Kind.OWN]
        defined = [number for number in numbers if not math.isnan(number)]
        if column.arrow and defined:
            best[k] = max(defined) if column.arrow == "high" else min(defined)
    return tuple(
        replace(row, cells=tuple(_shade(row, k, best.get(k)) for k in range(len(columns))))
        for row in rows
    )


def _shade(row: Row, place: int, best: float | None) -> Cell:
    cell = row.cells[place]
    if row.kind is not Kind.OWN or best is None or cell.number != best:
        return cell
    return replace(cell, best=True)
