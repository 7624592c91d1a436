# SPDX-License-Identifier: Apache-2.0
"""A comparison for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from aa_dataset.score.comparison.report import Report
from aa_dataset.score.comparison.tables import Cell, Column, Row, Table
from aa_dataset.score.comparison.writers.cells import (
    PUBLISHED_HEADING,
    blocks,
    cell_text,
    parts_of,
    unit_text,
)
from aa_dataset.untrusted.foreign_text import plain_line

WIDTH = 80
_GAP = 2
_HEAD, _HEADS, _MOST_CELL = 24, 32, 34  # columns of one name, of two names, of a number
_LONG = ("pairs_", "profile_")  # kinds of tables of which one is shown, with so many rows
_MOST_ROWS = 30
_BARE = "at_"  # shares below a threshold are shown without their intervals


def text_lines(report: Report) -> list[str]:
    """Return the report as lines of at most 80 columns; best values carry a star.

    Of the pairs and of the profiles only the first table is shown: the files have all.
    """
    lines = [line for name, value in report.facts for line in _fact(name, value)]
    printed: set[str] = set()
    for section in report.sections:
        lines += ["", f"== {section.objects} {section.title} =="]
        shown, hidden = _shown(section.tables)
        for table in shown:
            lines += ["", *_table_lines(table)]
            fresh = [note for note in table.notes if note not in printed]
            lines += [line for note in fresh for line in _wrap(note)]
            printed.update(fresh)
        if hidden:
            titles = "; ".join(table.title for table in hidden)
            lines += ["", *_wrap(f"Not shown here, but in every file of --out: {titles}.")]
    lines.append("")
    for note in report.notes:
        lines += _wrap(note)
    return lines


def _shown(tables: Sequence[Table]) -> tuple[list[Table], list[Table]]:
    """Return the tables for the terminal, and the others: of every kind only the first is shown."""
    shown: list[Table] = []
    hidden: list[Table] = []
    kinds: set[str | None] = set()
    for table in tables:
        kind = next((kind for kind in _LONG if table.key.startswith(kind)), None)
        (hidden if kind in kinds else shown).append(table)
        kinds |= {kind} - {None}
    return shown, hidden


def _fact(name: str, value: str) -> list[str]:
    indent = " " * 18
    text = plain_line(value)
    return textwrap.wrap(text, WIDTH, initial_indent=f"{name:<18}", subsequent_indent=indent) or [
        name
    ]


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False)


def _table_lines(table: Table) -> list[str]:
    lines = [table.title, *_wrap(table.caption)]
    own, published = parts_of(table)
    hidden = max(0, len(own) - _MOST_ROWS)
    own = own[:_MOST_ROWS] if table.key.startswith(_LONG) else own
    widths = _head_widths(table.heads, [*own, *published])
    room = WIDTH - sum(widths) - _GAP * len(widths)
    for columns in _chunks(table, [*own, *published], room):
        others = [row for row in published if any(_has_value(row, k) for k in columns)]
        lines += ["", *_chunk_lines(table, columns, widths, (own, others))]
    if hidden and table.key.startswith(_LONG):
        lines.append(f"and {hidden} more rows in every file of --out")
    return lines


def _has_value(row: Row, place: int) -> bool:
    return row.cells[place].value is not None


def _head_widths(heads: Sequence[str], rows: Sequence[Row]) -> list[int]:
    """Return the widths of the names; of two names each gets what the other leaves."""
    natural = [
        max([len(title), *(len(_name(row, k)) for row in rows)]) for k, title in enumerate(heads)
    ]
    if len(natural) == 1:
        return [min(natural[0], _HEAD)]
    spare = [_HEADS - sum(natural) + width for width in natural]
    return [min(n, max(_HEADS // 2, s)) for n, s in zip(natural, spare, strict=True)]


def _name(row: Row, place: int) -> str:
    return plain_line(row.heads[place]) + row.marks(place)


def _chunks(table: Table, rows: Sequence[Row], room: int) -> list[list[int]]:
    """Return the columns that stand side by side; a block stays together if it fits."""
    widths = [_column_width(column, rows, k) + _GAP for k, column in enumerate(table.columns)]
    chunks: list[list[int]] = [[]]
    used = at = 0
    for _, count in blocks(table.columns):
        whole = sum(widths[at : at + count])
        for k in range(at, at + count):
            is_too_much = used + widths[k] > room or (k == at and used + whole > room >= whole)
            if chunks[-1] and is_too_much:
                chunks.append([])
                used = 0
            chunks[-1].append(k)
            used += widths[k]
        at += count
    return chunks


def _column_width(column: Column, rows: Sequence[Row], place: int) -> int:
    texts = [_entry(row, place, column) for row in rows]
    return min(_MOST_CELL, max(map(len, [*_heading(column), *texts])))


def _heading(column: Column) -> list[str]:
    """Return the lines of a heading: the words of its name, direction and unit."""
    return [*column.plain.split(), *filter(None, [unit_text(column)])]


def _entry(row: Row, place: int, column: Column) -> str:
    cell = row.cells[place]
    if column.key.startswith(_BARE):
        return cell_text(Cell(cell.value), column)
    return plain_line(cell_text(cell, column)) + ("*" if cell.best else "")


def _chunk_lines(
    table: Table,
    places: Sequence[int],
    widths: Sequence[int],
    parts: tuple[Sequence[Row], Sequence[Row]],
) -> list[str]:
    columns = [table.columns[k] for k in places]
    rows = [*parts[0], *parts[1]]
    sizes = [_column_width(table.columns[k], rows, k) for k in places]
    heading = [PUBLISHED_HEADING] if parts[1] else []
    own, others = (
        [
            _line(
                [_name(row, k) for k in range(len(row.heads))],
                widths,
                [_entry(row, k, table.columns[k]) for k in places],
                sizes,
            )
            for row in part
        ]
        for part in parts
    )
    return [*_head_lines(table.heads, columns, widths, sizes), *own, *heading, *others]


def _head_lines(
    heads: Sequence[str], columns: Sequence[Column], widths: Sequence[int], sizes: Sequence[int]
) -> list[str]:
    """Return the block headings, then the headings, which end in one line."""
    lines = []
    if any(column.block for column in columns):
        indent = " " * (sum(widths) + _GAP * len(widths))
        lines.append(_cut(indent + _block_line(columns, sizes), WIDTH).rstrip())
    stacks = [_heading(column) for column in columns]
    height = max(map(len, stacks))
    for level in range(height, 0, -1):
        texts = [stack[-level] if level <= len(stack) else "" for stack in stacks]
        lines.append(_line(heads if level == 1 else [""] * len(heads), widths, texts, sizes))
    return lines


def _block_line(columns: Sequence[Column], sizes: Sequence[int]) -> str:
    """Return the headings above runs of columns; a run too narrow for its heading cuts it."""
    parts, at = [], 0
    for block, count in blocks(columns):
        width = sum(sizes[at : at + count]) + _GAP * (count - 1)
        at += count
        is_last = at == len(columns)
        parts.append(block if is_last else _cut(block, width).ljust(width))
    return (" " * _GAP).join(parts)


def _line(
    heads: Sequence[str], widths: Sequence[int], cells: Sequence[str], sizes: Sequence[int]
) -> str:
    left = [_cut(text, width).ljust(width) for text, width in zip(heads, widths, strict=True)]
    right = [_cut(text, size).rjust(size) for text, size in zip(cells, sizes, strict=True)]
    return (" " * _GAP).join([*left, *right]).rstrip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
