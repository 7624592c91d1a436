# SPDX-License-Identifier: Apache-2.0
"""Reports of small libraries, written as the stage's rule does."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pipeline.base.layout import ReportLayout
from pipeline.engine.runner import Job
from pipeline.engine.settings import Report, ReportSettings
from pipeline.stages.report.stage import run

SETTINGS = Report(thumbnail=64, large_objects=1000, large_per_category=1)


def write_report(library: Path, folder: Path, settings: Report = SETTINGS) -> ReportLayout:
    """Write the report of a library below `folder`, in which no build has left measurements."""
    folder.mkdir(parents=True, exist_ok=True)
    report = ReportLayout(folder / "report")
    job = Job(
        "report", "", "", {"seal": library.absolute() / "library.json"},
        {"page": report.page, "table": report.table}, ReportSettings(19977, settings), workers=2,
    )  # fmt: skip
    with contextlib.chdir(folder):
        run(job)
    return report


def rows(library: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table of a library."""
    return pq.read_table(library / f"{table}.parquet").to_pylist()
