# SPDX-License-Identifier: Apache-2.0
"""Snakemake's own share of a build: CPU seconds of its process over those of the whole build.

A copy of the repository builds the generated collection and the real samples (../shared/samples,
or `AA_SAMPLES`), one shard per source. The CPU time of Snakemake's process, user and system without
its child processes, is read from /proc until it ends; that of the whole build is what the kernel
has counted for the command and all its children. The reference of the same run is a Snakemake that
only plans (`snakemake -n`): it imports itself, reads the workflow and checks every file.

Fewer objects make the share larger, because the number of jobs is the same. numba's cache is copied
with the repository: run a build first, or its compilers are part of the whole.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.samples import place_samples
from tests.kit.places import REPOSITORY, SAMPLES
from tests.walk.workspaces import copy_repository, environment

GOAL = 0.05
TICKS = os.sysconf("SC_CLK_TCK")
POLL_S = 0.1


@dataclass(frozen=True)
class Spent:
    """CPU seconds of a build: of Snakemake's own process, and of everything."""

    head: float
    whole: float


def main() -> None:
    """Build once and print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60, help="generated objects")
    parser.add_argument("--every", type=int, default=1, help="take every n-th sample of a source")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "build"
        make_workspace(root, given.every)
        spent = measured(root, ["-m", "pipeline", "build", "--count", str(given.count)])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "snakemake", "-n", "--forceall", "--quiet"],
            cwd=root, env=environment(), check=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        floor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        jobs = len(list((root / "work/benchmarks").rglob("*.tsv")))
    print(f"orchestration, CPU s                 {jobs} jobs")
    print(f"  whole build                      {spent.whole:8.1f}")
    print(f"  Snakemake's own process          {spent.head:8.1f}")
    print(f"    a plan of all jobs (floor)     {floor:8.1f}")
    print(f"  share (goal at most {GOAL:.0%})          {spent.head / spent.whole:8.1%}")


def make_workspace(root: Path, every: int) -> None:
    """Copy the repository and the samples, with the settings of a usual build."""
    copy_repository(root, shards=1)
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text())
    sources = {"generated": {"shards": 1}}
    if SAMPLES.is_dir():
        sources |= place_samples(root, every)
    else:
        print("no samples: the generated collection alone")
    config |= {"sources": sources, "filters": {}}
    (root / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))


def measured(root: Path, words: list[str]) -> Spent:
    """Run a build and return its CPU seconds."""
    with (root / "build.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *words], cwd=root, env=environment(), stdout=log, stderr=log
        )
        head, number = 0.0, 0
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            number = number or snakemake_of(process.pid)
            head = max(head, cpu_of(number))
            time.sleep(POLL_S)
    if status:
        raise SystemExit((root / "build.log").read_text()[-3000:])
    return Spent(head, usage.ru_utime + usage.ru_stime)


def snakemake_of(parent: int) -> int:
    """Return the number of a process's child that is Snakemake; 0 if there is none."""
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        named = [n for n in children if b"snakemake" in Path(f"/proc/{n}/cmdline").read_bytes()]
    except OSError:
        return 0
    return int(named[0]) if named else 0


def cpu_of(number: int) -> float:
    """Return the CPU seconds of a process without its children; 0 if there is none."""
    try:
        text = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return 0.0
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


if __name__ == "__main__":
    main()
