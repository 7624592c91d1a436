# SPDX-License-Identifier: Apache-2.0
"""What the report knows of a build: columns of the library's tables, and what the jobs cost."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES as SCHEMAS
from aa_dataset.format.seal import read_seal
from pipeline.base.tables import read_arrow

# The largest columns, which nothing of the report shows, stay in their files.
LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "objects": ("rotation", "center"),
    "links": ("com", "inertia", "source_inertial"),
    "joints": ("screw", "endpoint_lower", "endpoint_upper", "body_com", "body_inertia"),
}
_MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class StageCost:
    """What the jobs of one stage took, as Snakemake measured it.

    Attributes
    ----------
    stage : str
        The stage.
    jobs : int
        Jobs that were measured.
    seconds, cpu_seconds : float [s]
        Sum over the jobs: from start to end, and of all their processors.
    peak_bytes : int [B]
        Memory of the largest job. Snakemake looks every few seconds, so that a shorter job may have
        had more.
    """

    stage: str
    jobs: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class LibraryTables:
    """A library as the report reads it.

    Attributes
    ----------
    root : Path
        Folder of the library; its tars hold the pictures.
    name, revision : str
        Of the library's seal.
    objects, links, joints, findings, rejects, categories, splits, exclusions : pyarrow.Table
        The tables of `aa_dataset.format.schema` without the columns of `LEFT_OUT`.
    costs : tuple of StageCost
        In the order of the names of the stages; empty where nothing was measured.
    """

    root: Path
    name: str
    revision: str
    objects: pa.Table
    links: pa.Table
    joints: pa.Table
    findings: pa.Table
    rejects: pa.Table
    categories: pa.Table
    splits: pa.Table
    exclusions: pa.Table
    costs: tuple[StageCost, ...]


def read_tables(library: Path, benchmarks: Path) -> LibraryTables:
    """Read the tables of a sealed library, and the measurements of the jobs that made it.

    Parameters
    ----------
    library : Path
        The folder `library`.
    benchmarks : Path
        Snakemake's folder of measurements: one folder per stage. It may be absent.
    """
    folder = LibraryLayout(library)
    seal = read_seal(folder)
    read = {name: read_arrow(folder.table(name), _columns(name)) for name in SCHEMAS}
    costs = tuple(read_costs(benchmarks))
    return LibraryTables(library, seal.name, seal.revision, **read, costs=costs)


def _columns(table: str) -> list[str]:
    left_out = LEFT_OUT.get(table, ())
    return [name for name in SCHEMAS[table].names if name not in left_out]


def read_costs(benchmarks: Path) -> Iterator[StageCost]:
    """Yield the cost of every stage that has measurements."""
    for folder in sorted(benchmarks.glob("*")):
        jobs = [job for path in sorted(folder.rglob("*.tsv")) for job in _measured(path)]
        if jobs:
            yield _sum_of(folder.name, jobs)


def _sum_of(stage: str, jobs: Iterable[StageCost]) -> StageCost:
    jobs = list(jobs)
    return StageCost(
        stage,
        len(jobs),
        sum(job.seconds for job in jobs),
        sum(job.cpu_seconds for job in jobs),
        max(job.peak_bytes for job in jobs),
    )


def _measured(path: Path) -> Iterator[StageCost]:
    """Yield the jobs of one file; what cannot be read is left out, for it is for display only."""
    with suppress(OSError, ValueError, csv.Error):
        for row in csv.DictReader(path.read_text().splitlines(), delimiter="\t"):
            seconds = _number(row.get("s"))
            if seconds is not None:
                cpu = _number(row.get("cpu_time")) or 0.0
                peak = _number(row.get("max_rss")) or 0.0  # [MiB]
                yield StageCost("", 1, seconds, cpu, round(peak * _MEBIBYTE))


def _number(text: str | None) -> float | None:
    """Return a number; None for `NA` and `-`, with which a very short job is recorded."""
    try:
        return float(text or "")
    except ValueError:
        return None
