# SPDX-License-Identifier: Apache-2.0
"""The report: a table of objects by simulators with the worst deviation, and a Parquet file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.files import replacing
from aa_dataset.judge.checks import UNCOMPARED, Verdict
from aa_dataset.judge.run import Judgement

CHECKS = ("load", "placement", "twist", "body", "gravity", "coupling", "contact", UNCOMPARED)
UNITS = {
    "load": "lines that the simulator printed, warned or logged, beyond its own known ones",
    "placement": "largest entry of a link frame [m, 1]",
    "twist": "largest entry of a frame moved by one joint alone [m, 1]",
    "body": "mass, center and inertia, relative",
    "gravity": "yield of a limit after 1 s, as a share of its tolerance",
    "coupling": "gap between follower and leader, as a share of the travel",
    "contact": "pairs of links that touch at rest: a finding, no failure",
    UNCOMPARED: "beyond a known limit of the simulator: no number, neither passed nor failed",
}
SCHEMA = pa.schema(
    [
        pa.field("object_id", pa.string(), nullable=False),
        pa.field("simulator", pa.string(), nullable=False),
        pa.field("check", pa.string(), nullable=False),
        pa.field("deviation", pa.float64(), nullable=False),
        pa.field("tolerance", pa.float64()),
        pa.field("passed", pa.bool_()),
        pa.field("detail", pa.string(), nullable=False),
    ],
    metadata=UNITS,
)


def rows(judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """Return one row per verdict, sorted by object, simulator and check."""
    found = [
        {
            "object_id": one.object_id,
            "simulator": one.simulator,
            "check": verdict.check,
            "deviation": verdict.deviation,
            "tolerance": verdict.tolerance,
            "passed": verdict.passed,
            "detail": verdict.detail,
        }
        for one in judgements
        for verdict in one.verdicts
    ]
    return sorted(
        found, key=lambda row: (row["object_id"], row["simulator"], CHECKS.index(row["check"]))
    )


def write_report(judgements: Sequence[Judgement], path: Path) -> None:
    """Write the rows as Parquet, atomically."""
    with replacing(path) as temporary:
        pq.write_table(pa.Table.from_pylist(rows(judgements), schema=SCHEMA), temporary)


def object_cells(judgements: Sequence[Judgement], simulators: Sequence[str]) -> list[list[str]]:
    """Return one row per object: its worst deviation relative to the tolerance, by simulator."""
    table: dict[str, dict[str, str]] = {}
    for one in judgements:
        table.setdefault(one.object_id, {})[one.simulator] = _table_cell(one)
    return [[key, *(table[key].get(name, "") for name in simulators)] for key in sorted(table)]


def _table_cell(one: Judgement) -> str:
    failed = [verdict for verdict in one.verdicts if verdict.passed is False]
    if failed:
        return f"FAIL {failed[0].check} {_format_number(failed[0].deviation)}"
    if not one.passed:
        return "not compared"
    placed = [v for v in one.verdicts if v.check in ("placement", "twist")]
    return _format_number(max((v.deviation for v in placed), default=0.0))


def summary_lines(judgements: Sequence[Judgement], simulators: Sequence[str]) -> Iterator[str]:
    """Yield the worst deviation of every check and simulator, and its location."""
    for name in simulators:
        mine = [one for one in judgements if one.simulator == name]
        failed = sum(one.failed for one in mine)
        left = sum(not one.failed and not one.passed for one in mine)
        more = f", {left:,} not compared" if left else ""
        yield f"{name}: {len(mine):,} objects, {failed:,} failed{more}"
        for check in CHECKS:
            seen = [(v, one.object_id) for one in mine for v in one.verdicts if v.check == check]
            if seen:
                yield f"  {check:<10} {_summary_line(seen)}"


def _summary_line(seen: list[tuple[Verdict, str]]) -> str:
    if seen[0][0].check == "contact":
        touching = sum(verdict.deviation > 0 for verdict, _ in seen)
        return f"{touching:,} objects have parts that touch at rest"
    if seen[0][0].check == UNCOMPARED:
        return f"{seen[0][1]}: {seen[0][0].detail}"
    worst, where = max(seen, key=lambda pair: pair[0].deviation)
    most = max((v.tolerance for v, _ in seen if v.tolerance is not None), default=math.inf)
    place = f" at {where}, {worst.detail}" if worst.deviation else ""
    return f"worst {_format_number(worst.deviation)}, tolerance {_format_number(most)}{place}"


def _format_number(value: float) -> str:
    return f"{value:.2g}"
