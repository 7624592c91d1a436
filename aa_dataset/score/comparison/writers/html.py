# SPDX-License-Identifier: Apache-2.0
"""A comparison as one static page: no network, sortable columns, works from a file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from aa_dataset.score.comparison.measures import MEASURES
from aa_dataset.score.comparison.report import Report, Section
from aa_dataset.score.comparison.tables import Cell, Column, Row, Table
from aa_dataset.score.comparison.writers.cells import (
    ABSENT,
    PUBLISHED_HEADING,
    blocks,
    has_interval,
    number_text,
    parts_of,
    unit_text,
)
from aa_dataset.score.comparison.writers.svg import profile_figure
from aa_dataset.untrusted.foreign_text import plain_line

# No address of any kind may be loaded: what is not on the page does not exist.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_BY_PLAIN = {measure.plain: measure.html for measure in MEASURES.values()}
# The longest first: E_alpha is the beginning of E_alpha^phi.
_SYMBOLS = re.compile("|".join(map(re.escape, sorted(_BY_PLAIN, key=len, reverse=True))))


def html_text(report: Report) -> str:
    """Return the page; every foreign text is escaped."""
    style, script = (_resource(name) for name in ("page.css", "page.js"))
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>aa compare</title><style>\n{style}</style></head><body>",
            "<h1>Comparison</h1>",
            *_opening(report),
            *(line for section in report.sections for line in _section(section)),
            *(f'<p class="note">{_own(note)}</p>' for note in report.notes),
            '<p id="sorted" class="note" role="status" aria-live="polite"></p>',
            f"<script>\n{script}</script></body></html>",
            "",
        ]
    )


def _resource(name: str) -> str:
    return (files("aa_dataset.score.comparison") / "page" / name).read_text(encoding="utf-8")


def _safe(text: str) -> str:
    return escape(plain_line(text))


def _own(text: str) -> str:
    """Return a text of ours, in which the symbols of scores are set as symbols."""
    return _SYMBOLS.sub(lambda found: _BY_PLAIN[found[0]], _safe(text))


def _opening(report: Report) -> Iterator[str]:
    yield '<nav aria-label="Tables"><ul>'
    for section in report.sections:
        for table in section.tables:
            target = f"{section.scale}-{table.key}"
            name = table.title if len(report.sections) == 1 else f"{table.title}, {section.scale}"
            yield f'<li><a href="#{target}">{_own(name)}</a></li>'
    yield "</ul></nav><details><summary>What was compared and how</summary><dl>"
    yield from (f"<dt>{_safe(name)}</dt><dd>{_safe(value)}</dd>" for name, value in report.facts)
    yield "</dl></details>"
    yield from _table(report.methods, "all")


def _section(section: Section) -> Iterator[str]:
    yield f"<h2>{section.objects} {_safe(section.title)}</h2>"
    figures = {f"profile_{profile.key}": profile for profile in section.profiles}
    for table in section.tables:
        yield from _table(table, section.scale)
        if table.key in figures:
            yield from profile_figure(figures[table.key])


def _table(table: Table, scale: str) -> Iterator[str]:
    own, published = parts_of(table)
    title = _safe(table.title)
    yield f'<h3 id="{scale}-{table.key}">{_own(table.title)}</h3><p>{_own(table.caption)}</p>'
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{title}"><table><thead>'
    yield from _block_row(table)
    yield "<tr>"
    yield from (_head_cell(_safe(head), k, "name") for k, head in enumerate(table.heads))
    count = len(table.heads)
    for k, column in enumerate(table.columns, start=count):
        note = _safe(unit_text(column))
        unit = f'<br><span class="unit">{note}</span>' if note else ""
        yield _head_cell(column.html + unit, k, "text" if _is_text(own, k - count) else "")
    yield "</tr></thead><tbody>"
    words = [_is_text(own, k) for k in range(len(table.columns))]
    yield from (_row(row, table.columns, words) for row in own)
    if published:
        width = count + len(table.columns)
        yield '</tbody><tbody class="published"><tr>'
        yield f'<th colspan="{width}" scope="rowgroup">{PUBLISHED_HEADING}</th></tr>'
        yield from (_row(row, table.columns, words) for row in published)
    yield "</tbody></table></div>"
    yield from (f'<p class="note">{_own(note)}</p>' for note in table.notes)


def _block_row(table: Table) -> Iterator[str]:
    """Yield the headings above runs of columns."""
    if not any(column.block for column in table.columns):
        return
    yield f'<tr><td class="corner" colspan="{len(table.heads)}"></td>'
    for block, count in blocks(table.columns):
        if block:
            yield f'<th class="block named" colspan="{count}" scope="colgroup">{_safe(block)}</th>'
        else:
            yield f'<td colspan="{count}"></td>'
    yield "</tr>"


def _head_cell(content: str, place: int, kind: str) -> str:
    style = f' class="{kind}"' if kind else ""
    button = f'<button type="button" data-column="{place}">{content}</button>'
    return f'<th{style} scope="col" aria-sort="none">{button}</th>'


def _is_text(rows: Sequence[Row], place: int) -> bool:
    return any(isinstance(row.cells[place].value, str) for row in rows)


def _row(row: Row, columns: Sequence[Column], words: Sequence[bool]) -> str:
    heads = [_own(head) + row.marks(k) for k, head in enumerate(row.heads)]
    names = "".join(f'<th class="name" scope="row">{head}</th>' for head in heads)
    cells = "".join(map(_cell, row.cells, columns, words))
    return f"<tr>{names}{cells}</tr>"


def _cell(cell: Cell, column: Column, is_text: bool) -> str:
    kind = ' class="text"' if is_text else ""
    if isinstance(cell.value, str):
        return f"<td{kind}>{_own(cell.value)}</td>"
    if math.isnan(cell.number):
        return f'<td{kind} aria-label="not available">{ABSENT}</td>'
    text = number_text(cell.value, column.decimals)
    if has_interval(cell):
        ends = ", ".join(number_text(end, column.decimals) for end in (cell.low, cell.high))
        text += f'<span class="ends">[{ends}]</span>'
    best = ' class="best"' if cell.best else ""
    return f'<td{best} data-value="{cell.number!r}">{text}</td>'
