# SPDX-License-Identifier: Apache-2.0
"""The report of drives: counts per simulator with the causes, and a Parquet file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.files import replacing
from aa_dataset.judge.drive import Outcome, Trial
from aa_dataset.judge.run import Drive

CHECKS = {
    "load": "whether the simulator loads the object",
    "rest": "deepest penetration of two links at rest [m]",
    "drive": "reached share of the range, pushed by a force, with contacts",
    "fall": "share of the range that a joint falls back under gravity from its far end",
    "ball": "height of a ball of 1 cm over the place where it should lie in its link [m]",
}
SCHEMA = pa.schema(
    [
        pa.field("object_id", pa.string(), nullable=False),
        pa.field("simulator", pa.string(), nullable=False),
        pa.field("check", pa.string(), nullable=False),
        pa.field("part", pa.string(), nullable=False),
        pa.field("outcome", pa.string(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
        pa.field("first", pa.string()),
        pa.field("second", pa.string()),
        pa.field("passed", pa.bool_(), nullable=False),
        pa.field("detail", pa.string(), nullable=False),
    ],
    metadata=CHECKS,
)


def drive_rows(drives: Sequence[Drive]) -> list[dict[str, Any]]:
    """Return one row per trial, sorted by object, simulator, check and part."""
    order = [*CHECKS]
    found = [
        {
            "object_id": one.object_id,
            "simulator": one.simulator,
            "check": trial.check,
            "part": trial.part,
            "outcome": str(trial.outcome),
            "value": trial.value,
            "first": trial.pair[0] if trial.pair else None,
            "second": trial.pair[-1] if trial.pair else None,
            "passed": trial.passed,
            "detail": trial.detail,
        }
        for one in drives
        for trial in one.trials
    ]
    keys = ("object_id", "simulator")
    return sorted(found, key=lambda r: (*(r[k] for k in keys), order.index(r["check"]), r["part"]))


def write_drive_report(drives: Sequence[Drive], path: Path) -> None:
    """Write the rows as Parquet, atomically."""
    with replacing(path) as temporary:
        pq.write_table(pa.Table.from_pylist(drive_rows(drives), schema=SCHEMA), temporary)


def simulator_cells(drives: Sequence[Drive], simulators: Sequence[str]) -> list[list[str]]:
    """Return one row per simulator: objects, joints, shares that reached, findings."""
    return [_simulator_row(name, [d for d in drives if d.simulator == name]) for name in simulators]


HEAD = ("simulator", "objects", "joints", "reached", "opened", "blocked", "share", "stuck",
        "overlap", "balls", "failed")  # fmt: skip


def _simulator_row(name: str, mine: Sequence[Drive]) -> list[str]:
    count = Counter((t.check, t.outcome) for one in mine for t in one.trials)
    joints = sum(n for (check, _), n in count.items() if check == "drive")
    good = count["drive", Outcome.REACHED] + count["drive", Outcome.OPENED]
    cells = (
        len(mine),
        joints,
        count["drive", Outcome.REACHED],
        count["drive", Outcome.OPENED],
        count["drive", Outcome.BLOCKED] + count["drive", Outcome.UNSTABLE],
        f"{100 * good / joints:.1f} %" if joints else "",
        count["fall", Outcome.STUCK],
        count["rest", Outcome.PENETRATES],
        count["ball", Outcome.LEAVES] + count["ball", Outcome.FILLED],
        count["load", Outcome.FAILED],
    )
    return [name, *(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells)]


def finding_lines(drives: Sequence[Drive]) -> Iterator[str]:
    """Yield one line per finding, with its cause."""
    for one in drives:
        for trial in one.trials:
            if not trial.passed:
                yield f"{one.simulator}: {one.object_id}: {_sentence(trial)}"


def _sentence(trial: Trial) -> str:
    cause = f", {' and '.join(trial.pair)} touch" if trial.pair else ""
    opened = f", with {trial.detail} open" if trial.detail and trial.check == "drive" else ""
    if trial.check == "drive":
        share = f"at {100 * trial.value:.1f} % of its range"
        return f"joint {trial.part} is {trial.outcome} {share}{opened}{cause}"
    if trial.check == "rest":
        return f"penetrates itself by {1e3 * trial.value:.2f} mm at rest{cause}"
    if trial.check == "fall":
        return f"joint {trial.part} does not fall back from its far end{cause}"
    if trial.check == "ball":
        finding = "no ball fits into" if trial.outcome is Outcome.FILLED else "a ball falls out of"
        return f"{finding} link {trial.part}{cause}"
    return trial.detail
