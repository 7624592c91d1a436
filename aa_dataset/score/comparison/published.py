# SPDX-License-Identifier: Apache-2.0
"""The rows of the paper's four tables, shipped as data (`score/published/*.tsv`).

They are facts about other objects, computed by others: shown beside one's own rows on request, and
never tested, shaded or ranked.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.resources import files

from aa_dataset.score.comparison.tables import Cell, Column, Kind, Row

CITATION = "He et al., arXiv 2609.33931"
LABELS = {
    "main": "tab:main",
    "coverage": "tab:coverage",
    "treeci": "tab:treeci",
    "intersection": "tab:intersection",
}


def read_published(table: str) -> list[dict[str, str]]:
    """Return the lines of one table, ``main``, ``coverage``, ``treeci`` or ``intersection``.

    Every line names the method, its dagger (0 or 1), the citation and the label of the table in
    the paper. An empty entry is not available.
    """
    path = files("aa_dataset.score") / "published" / f"{table}.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(lines, delimiter="\t"))


def published_rows(table: str, columns: Sequence[Column]) -> tuple[Row, ...]:
    """Return the published rows of a table in the columns of ours; unpublished entries are None."""
    rows = []
    for line in read_published(table):
        kind = Kind.PUBLISHED_DAGGER if line["dagger"] == "1" else Kind.PUBLISHED
        rows.append(Row((line["method"],), tuple(_cell(line, c) for c in columns), kind))
    return tuple(rows)


def _cell(line: dict[str, str], column: Column) -> Cell:
    value = line.get(column.key)
    if not value:
        return Cell(None)
    ends = [line.get(f"{column.key}_{end}") for end in ("low", "high")]
    low, high = (float(end) if end else None for end in ends)
    if column.decimals == 0:
        return Cell(int(value))
    return Cell(float(value), low, high)
