# SPDX-License-Identifier: Apache-2.0
"""Sets the modification times of outputs to match their digests, because Snakemake plans by times.

Fresh outputs get the time of their newest input, stale or damaged ones a time before any input, and
no file is in the future. A wrong clock, a copied folder or a lost `.snakemake` therefore never
makes a build keep a stale file.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pipeline.base import layout
from pipeline.engine.inventory.made import (
    Digests,
    Job,
    all_jobs,
    judge,
    read_record,
    refresh_marks,
    write_wiring,
)
from pipeline.engine.stages import STAGES

# Older than any input; not 0, which Snakemake reads as a missing time.
STALE_NS = 10**9
# Prefix of the line that `build` shows from Snakemake's output.
NOTICE = "Built again: "


def date_outputs(rules: Any, shards: Mapping[str, int]) -> None:
    """Compare every job's record with the files and set the times; call it before planning.

    Parameters
    ----------
    rules
        Snakemake's rules, which define the inputs and outputs of each job.
    shards : mapping of str to int
        Number of shards by source.
    """
    wiring = {
        stage: {
            "inputs": [str(path) for path in getattr(rules, stage).input],
            "outputs": [str(path) for path in getattr(rules, stage).output],
        }
        for stage in STAGES
    }
    write_wiring(wiring)
    jobs = list(all_jobs(wiring, shards))
    _remove_unreadable()
    damaged = _date_all(jobs)
    if damaged:
        many = "1 output that is" if len(damaged) == 1 else f"{len(damaged)} outputs that are"
        sys.stderr.write(f"{NOTICE}{many} missing or damaged, such as {damaged[0]}.\n")


def _date_all(jobs: Iterable[Job]) -> list[str]:
    """Set the times of all jobs' files; return the outputs that are missing or damaged."""
    digests, stale = Digests(), False
    damaged: list[str] = []
    records = {job: read_record(job.record) for job in jobs}
    for record in records.values():
        digests.add_outputs_of(record)
    now = time.time_ns()
    for job, record in records.items():
        verdict = judge(job, record, digests)
        stale = stale or not verdict.is_fresh
        damaged += verdict.damaged
        newest = _date_inputs(job, digests, now)
        # Snakemake treats a job's benchmark as an output.
        benchmark = layout.benchmark(job.stage, job.source, job.shard).as_posix()
        for path in filter(os.path.isfile, (*job.outputs, benchmark)):
            there = Path(path).stat().st_mtime_ns
            wanted = min(max(there, newest), now) if verdict.is_fresh else STALE_NS
            if there != wanted:
                digests.redate(path, wanted)
        refresh_marks(job, record, digests)
    if stale:  # Snakemake's own digests of inputs would override the times
        _remove_outputs(_memory_files())
    return damaged


def _date_inputs(job: Job, digests: Digests, now: int) -> int:
    """Set impossible times of inputs (future, or too old) to now; return the newest time."""
    newest = STALE_NS
    for path in filter(os.path.isfile, job.inputs):
        there = Path(path).stat().st_mtime_ns
        if not STALE_NS <= there <= now:
            digests.redate(path, now)
            there = now
        newest = max(newest, there)
    return newest


def _remove_unreadable() -> None:
    """Remove metadata of Snakemake that is unreadable."""
    _remove_outputs(path for path in _memory_files() if not _is_json(path))


def _memory_files() -> list[Path]:
    return [path for folder in layout.SNAKEMAKE_MEMORY for path in folder.rglob("*")]


def _is_json(path: Path) -> bool:
    try:
        return path.is_dir() or isinstance(json.loads(path.read_bytes().decode()), dict)
    except (OSError, ValueError):
        return False


def _remove_outputs(paths: Iterable[Path]) -> None:
    for path in paths:
        if not path.is_dir() or path.is_symlink():
            path.unlink()
