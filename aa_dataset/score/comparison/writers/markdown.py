# SPDX-License-Identifier: Apache-2.0
"""A comparison as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aa_dataset.score.comparison.report import Report
from aa_dataset.score.comparison.tables import Cell, Column, Row, Table
from aa_dataset.score.comparison.writers.cells import cell_text, unit_text
from aa_dataset.untrusted.foreign_text import markdown_cell


def markdown_text(report: Report) -> str:
    """Return the report as Markdown; the best values are bold."""
    lines = ["# Comparison", ""]
    lines += [f"- {name}: {markdown_cell(value)}" for name, value in report.facts]
    lines += ["", *_table_lines(report.methods, level=2)]
    for section in report.sections:
        lines += ["", f"## {section.objects} {section.title}"]
        for table in section.tables:
            lines += ["", *_table_lines(table, level=3)]
    for note in report.notes:
        lines += ["", markdown_cell(note)]
    return "\n".join(lines) + "\n"


def _table_lines(table: Table, *, level: int) -> Iterator[str]:
    yield f"{'#' * level} {markdown_cell(table.title)}"
    yield ""
    yield markdown_cell(table.caption)
    yield ""
    yield _line([*table.heads, *map(_heading, table.columns)])
    yield _line([*("---" for _ in table.heads), *("---:" for _ in table.columns)])
    for row in table.rows:
        yield _line(_entries(row, table.columns))
    for note in table.notes:
        yield ""
        yield markdown_cell(note)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _heading(column: Column) -> str:
    name = " ".join(part for part in (column.plain, unit_text(column)) if part)
    return markdown_cell(f"{name}, {column.block}" if column.block else name)


def _entries(row: Row, columns: Sequence[Column]) -> list[str]:
    heads = [markdown_cell(head) + row.marks(k) for k, head in enumerate(row.heads)]
    return [*heads, *(_entry(cell, c) for cell, c in zip(row.cells, columns, strict=True))]


def _entry(cell: Cell, column: Column) -> str:
    text = markdown_cell(cell_text(cell, column))
    return f"**{text}**" if cell.best else text
