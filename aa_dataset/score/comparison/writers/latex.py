# SPDX-License-Identifier: Apache-2.0
"""A comparison as a LaTeX document that compiles as it stands, in ASCII only.

A table can be copied into a paper that loads booktabs, colortbl, xcolor and graphicx and defines
the color of the shade.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from aa_dataset.score.comparison.report import Report
from aa_dataset.score.comparison.tables import Cell, Column, Row, Table
from aa_dataset.score.comparison.writers.cells import (
    ABSENT,
    PUBLISHED_HEADING,
    blocks,
    cell_text,
    parts_of,
)
from aa_dataset.untrusted.foreign_text import plain_line

_PREAMBLE = r"""% Written by `aa compare`. A paper with one of the tables needs these packages.
\documentclass{article}
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{xcolor}
\usepackage{colortbl}
\definecolor{aabest}{rgb}{0.851,0.898,0.808}
\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}
\begin{document}
"""
_SPECIAL = {
    "\\": r"$\backslash$",
    "{": r"\{",
    "}": r"\}",
    "$": r"\char36{}",  # needs no other font, unlike the command of this name
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "`": r"\textquoteleft{}",
    "†": r"$^{\dagger}$",
    "‡": r"$^{\ddagger}$",
    "≤": r"$\le$",
    ABSENT: "--",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
}
# Combining characters that every LaTeX font has an accent for.
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
_ARROWS = {"low": r"$\downarrow$", "high": r"$\uparrow$"}
_MOST_ROWS = 40  # of one table, so that it fits a page
_PER_PAGE = 4  # tables after which LaTeX must place all: it cannot hold many back


def latex_text(report: Report) -> str:
    """Return a LaTeX document with every table; the best values are shaded."""
    lines = [_PREAMBLE, r"\section*{Comparison}", r"{\raggedright\parindent0pt"]
    lines += [rf"{_text(name)}: {_text(value)}\par" for name, value in report.facts]
    lines.append("}")
    lines += [*map(_text, report.notes), ""]
    for section in report.sections:
        lines.append(rf"\section*{{{section.objects} {_text(section.title)}}}")
        for k, table in enumerate(section.tables, start=1):
            lines += _floats(table, section.scale)
            if k % _PER_PAGE == 0:
                lines.append(r"\clearpage")
        lines.append(r"\clearpage")
    return "\n".join([*lines, r"\end{document}", ""])


def escaped(text: str) -> str:
    """Return foreign text as LaTeX in ASCII; other characters become U+ and their number."""
    plain = "".join(map(_character, unicodedata.normalize("NFC", plain_line(text))))
    return re.sub(r"([-',])(?=\1)", r"\1{}", plain)  # no dashes or quotes made of two characters


def _text(text: str) -> str:
    """Return own text; the symbols of scores become formulas."""
    pattern = r"E_(alpha|B)(\^phi)?( tree)?"
    parts, at = [], 0
    for found in re.finditer(pattern, text):
        parts += [escaped(text[at : found.start()]), _symbol(*found.groups())]
        at = found.end()
    return "".join([*parts, escaped(text[at:])])


def _symbol(norm: str, phi: str | None, tree: str | None) -> str:
    sub = r"\alpha" if norm == "alpha" else "B"
    up = ([r"\phi"] if phi else []) + ([r"\mathrm{tree}"] if tree else [])
    return f"$E_{{{sub}}}" + (f"^{{{', '.join(up)}}}$" if up else "$")


def _character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii() and character.isprintable():
        return character
    base = unicodedata.normalize("NFD", character)
    if len(base) == 2 and base[0].isascii() and base[0].isalpha() and base[1] in _ACCENTS:
        letter = {"i": r"\i ", "j": r"\j "}.get(base[0], base[0])
        return rf"\{_ACCENTS[base[1]]}{{{letter}}}"
    return rf"\texttt{{U+{ord(character):04X}}}"


def _floats(table: Table, scale: str) -> Iterator[str]:
    """Yield a table as one float, or as several if it is long."""
    own, published = parts_of(table)
    pieces = [own[k : k + _MOST_ROWS] for k in range(0, len(own), _MOST_ROWS)] or [[]]
    for k, rows in enumerate(pieces):
        more = published if k == len(pieces) - 1 else []
        yield from _float(table, (rows, more), f"{scale}-{table.key}" + (f"-{k + 1}" if k else ""))
        if len(pieces) > 1:
            yield r"\clearpage"


def _float(table: Table, rows: tuple[Sequence[Row], Sequence[Row]], label: str) -> Iterator[str]:
    heads, columns = len(table.heads), table.columns
    notes = " ".join(map(_text, (table.caption, *table.notes)))
    yield r"\begin{table}[htbp]"
    yield r"\centering\footnotesize\setlength{\tabcolsep}{4pt}"
    yield rf"\caption{{{_text(table.title)}. {notes}}}"
    yield rf"\label{{tab:{label.replace('_', '-')}}}"
    yield r"\resizebox{\ifdim\width>\linewidth \linewidth\else\width\fi}{!}{%"
    yield rf"\begin{{tabular}}{{@{{}}{'l' * heads}{'r' * len(columns)}@{{}}}}"
    yield r"\toprule"
    yield from _block_lines(columns, heads)
    yield _line([*map(_text, table.heads), *map(_heading, columns)])
    units = [f"({_text(column.unit)})" if column.unit else "" for column in columns]
    if any(units):
        yield _line([*[""] * heads, *units])
    yield r"\midrule"
    yield from (_line(_entries(row, columns)) for row in rows[0])
    if rows[1]:
        yield r"\midrule"
        heading = rf"\emph{{{escaped(PUBLISHED_HEADING)}}}"
        yield rf"\multicolumn{{{heads + len(columns)}}}{{@{{}}l@{{}}}}{{{heading}}} \\"
        yield from (_line(_entries(row, columns)) for row in rows[1])
    yield r"\bottomrule"
    yield r"\end{tabular}}"
    yield r"\end{table}"


def _block_lines(columns: Sequence[Column], heads: int) -> Iterator[str]:
    """Yield the headings above runs of columns, with the rules below them."""
    if not any(column.block for column in columns):
        return
    cells, rules, at = [""] * heads, [], heads + 1
    for block, count in blocks(columns):
        cells.append(rf"\multicolumn{{{count}}}{{c}}{{{_text(block)}}}")
        if block:
            rules.append(rf"\cmidrule(lr){{{at}-{at + count - 1}}}")
        at += count
    yield _line(cells)
    yield "".join(rules)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _heading(column: Column) -> str:
    return column.latex + _ARROWS.get(column.arrow, "")


def _entries(row: Row, columns: Sequence[Column]) -> list[str]:
    heads = [_text(head) + escaped(row.marks(k)) for k, head in enumerate(row.heads)]
    # A line that begins with a bracket would be an argument of the line break before it.
    heads[0] = f"{{}}{heads[0]}"
    return [*heads, *(_entry(cell, c) for cell, c in zip(row.cells, columns, strict=True))]


def _entry(cell: Cell, column: Column) -> str:
    text = cell_text(cell, column)
    shown = _text(text) if isinstance(cell.value, str) else _minus(text)
    return rf"\cellcolor{{aabest}}{shown}" if cell.best else shown


def _minus(number: str) -> str:
    """Return a number with or without an interval, with true minus signs."""
    return re.sub(r"-(?=\d)", "$-$", number).replace(ABSENT, "--")
