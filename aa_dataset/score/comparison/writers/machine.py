# SPDX-License-Identifier: Apache-2.0
"""A comparison as JSON, and as CSV with one line per number."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from typing import Any

from aa_dataset.score.comparison.draws import Estimate
from aa_dataset.score.comparison.profiles import Profile
from aa_dataset.score.comparison.report import Report
from aa_dataset.score.comparison.tables import Cell, Row, Table
from aa_dataset.untrusted.foreign_text import one_line

COMPARISON_VERSION = "1"
CSV_COLUMNS = (
    "scale", "table", "kind", "name", "other_name", "column", "over", "unit", "value", "low",
    "high", "best",
)  # fmt: skip


def json_content(report: Report) -> dict[str, Any]:
    """Return the report as JSON types; an undefined number is None."""
    return {
        "comparison_version": COMPARISON_VERSION,
        "facts": dict(report.facts),
        "methods": _table(report.methods),
        "sections": [
            {
                "scale": section.scale,
                "objects": section.objects,
                "tables": [_table(table) for table in section.tables],
                "profiles": [_profile(profile) for profile in section.profiles],
            }
            for section in report.sections
        ],
        "notes": list(report.notes),
    }


def json_text(report: Report) -> str:
    """Return the report as JSON with ASCII characters only."""
    return json.dumps(json_content(report), indent=1, allow_nan=False) + "\n"


def _table(table: Table) -> dict[str, Any]:
    return {
        "key": table.key,
        "title": table.title,
        "caption": table.caption,
        "heads": list(table.heads),
        "columns": [
            {"key": c.key, "title": c.plain, "unit": c.unit, "over": c.block, "better": c.arrow}
            for c in table.columns
        ],
        "rows": [
            {
                "names": list(row.heads),
                "kind": row.kind.value,
                "cells": [_cell(cell) for cell in row.cells],
            }
            for row in table.rows
        ],
        "notes": list(table.notes),
    }


def _cell(cell: Cell) -> dict[str, Any]:
    ends = {} if cell.low is None else {"low": _finite(cell.low), "high": _finite(cell.high)}
    best = {"best": True} if cell.best else {}
    return {"value": _finite(cell.value), **ends, **best}


def _finite(value: float | int | str | None) -> float | int | str | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _profile(profile: Profile) -> dict[str, Any]:
    def point(share: Estimate) -> list[float | int | str | None]:
        return [_finite(share.value), _finite(share.low), _finite(share.high)]

    return {
        "score": profile.key,
        "objects": profile.objects,
        "thresholds": list(profile.thresholds),
        "curves": [
            {
                "name": curve.name,
                "dagger": curve.dagger,
                "percent_low_high": [point(share) for share in curve.shares],
            }
            for curve in profile.curves
        ],
    }


def csv_text(report: Report) -> str:
    """Return every entry of every table as one line; an undefined entry is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in report.methods.rows:
        writer.writerows(_lines("", report.methods, row))
    for section in report.sections:
        for table in section.tables:
            for row in table.rows:
                writer.writerows(_lines(section.scale, table, row))
    return stream.getvalue()


def _lines(scale: str, table: Table, row: Row) -> Iterator[list[str]]:
    names = [*map(spreadsheet_text, row.heads), ""][:2]
    for column, cell in zip(table.columns, row.cells, strict=True):
        numbers = [_cell_text(value) for value in (cell.value, cell.low, cell.high)]
        where = [column.key, column.block, column.unit]
        best = "1" if cell.best else ""
        yield [scale, table.key, row.kind.value, *names, *where, *numbers, best]


def _cell_text(value: float | int | str | None) -> str:
    if isinstance(value, str):
        return spreadsheet_text(value)
    return "" if _finite(value) is None else repr(value)


def spreadsheet_text(text: str) -> str:
    """Return foreign text on one line that no spreadsheet reads as a formula."""
    line = one_line(text)
    return f"'{line}" if line[:1] in ("=", "+", "-", "@") and line[:1] else line
