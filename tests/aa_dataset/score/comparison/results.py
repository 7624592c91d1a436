# SPDX-License-Identifier: Apache-2.0
"""Results of the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aa_dataset.score.comparison.draws import Resampling
from aa_dataset.score.comparison.report import Report, Section, compare
from aa_dataset.score.comparison.sources import Compared
from aa_dataset.score.comparison.tables import Cell, Table
from tests.kit.made_results import Row, made_result, simple_rows

QUICK = Resampling(200)


def made(joints: Sequence[Row], objects: Sequence[Row], **more: Any) -> Compared:
    """Return a result from rows, as if it came from a folder of the name of the method."""
    result = made_result(joints, objects, **more)
    return Compared(result.method.name, result)


def simple(name: str, values: Mapping[str, float | None], **more: Any) -> Compared:
    """Return a method whose every score of an object is a value; None is missing."""
    return made(*simple_rows(values), name=name, **more)


def compared(*results: Compared, **options: Any) -> Report:
    """Return the comparison of results with few resamples."""
    return compare(results, **{"how": QUICK, **options})


def table(report: Report, key: str, scale: str = "metric") -> Table:
    """Return one table."""
    section: Section = next(s for s in report.sections if s.scale == scale)
    return next(t for t in section.tables if t.key == key)


def row(report: Report, key: str, *heads: str, scale: str = "metric") -> dict[str, Cell]:
    """Return the cells of one line by column."""
    found = table(report, key, scale)
    line = next(r for r in found.rows if r.heads == heads)
    return {column.key: cell for column, cell in zip(found.columns, line.cells, strict=True)}


def values(report: Report, key: str, *heads: str, scale: str = "metric") -> dict[str, Any]:
    """Return the values of one line by column."""
    return {name: cell.value for name, cell in row(report, key, *heads, scale=scale).items()}
