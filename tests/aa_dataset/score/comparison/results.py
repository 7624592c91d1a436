# SPDX-License-Identifier: Apache-2.0
"""Results of the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aa_dataset.score.comparison.draws import Resampling
from aa_dataset.score.comparison.report import Report, Section, compare
from aa_dataset.score.comparison.sources import open_results
from aa_dataset.score.comparison.tables import Cell, Row, Table
from tests.kit.result_folder import simple_rows, write_folder

QUICK = Resampling(200)


def simple_folder(
    root: Path, name: str, values: Mapping[str, float | None], **more: Any
) -> Path:
    """Write the folder of a method whose every score of an object is a value; None is missing."""
    is_metric = more.pop("is_metric", True)
    rows = simple_rows(values, is_metric=is_metric)
    return write_folder(root / more.pop("folder", name), *rows, name=name, **more)


def compared(*folders: Path, **options: Any) -> Report:
    """Return the comparison of folders with few resamples."""
    return compare(open_results(folders), how=QUICK, **options)


def table(report: Report, key: str, scale: str = "metric") -> Table:
    """Return one table."""
    section: Section = next(s for s in report.sections if s.scale == scale)
    return next(t for t in section.tables if t.key == key)


def row(report: Report, key: str, *heads: str, scale: str = "metric") -> dict[str, Cell]:
    """Return the cells of one line by column."""
    found = table(report, key, scale)
    line: Row = next(r for r in found.rows if r.heads == heads)
    return {column.key: cell for column, cell in zip(found.columns, line.cells, strict=True)}


def values(report: Report, key: str, *heads: str, scale: str = "metric") -> dict[str, Any]:
    """Return the values of one line by column."""
    return {name: cell.value for name, cell in row(report, key, *heads, scale=scale).items()}
