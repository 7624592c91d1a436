# SPDX-License-Identifier: Apache-2.0
"""Progress of a build: objects done in all stages, rejects, time left.

Jobs count their objects in small files; the bar reads these once a second. Without a terminal, one
line per finished stage is printed instead.
"""

from __future__ import annotations

import re
import sys
import threading
from contextlib import suppress
from types import TracebackType

from tqdm import tqdm

from pipeline.base import layout
from pipeline.engine.inventory.index import load_index
from pipeline.engine.stages import SHARD_STAGES, STAGES

INTERVAL_S = 1.0
_JOB_STAT = re.compile(r"^(\w+)\s+(\d+)\s*$")
_STARTED = re.compile(r"^(?:local)?rule (\w+):")
_FINISHED = re.compile(r"^Finished jobid: \d+ \(Rule: (\w+)\)")


class Progress:
    """Context manager that shows a bar while Snakemake runs; feed it Snakemake's output."""

    def __init__(self) -> None:
        self._planned: dict[str, int] = {}
        self._finished: dict[str, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._terminal = sys.stderr.isatty()
        self._bar = tqdm(
            total=0, unit="object", desc="planning", disable=not self._terminal, dynamic_ncols=True
        )

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        with suppress(OSError):  # a terminal that was closed
            self._update()
            self._bar.close()

    def hear(self, line: str) -> None:
        """Take in one line of Snakemake's output."""
        if stat := _JOB_STAT.match(line):
            if stat[1] in STAGES:
                self._planned[stat[1]] = int(stat[2])
                self._bar.total = self._expected()
        elif started := _STARTED.match(line):
            self._bar.set_description(started[1], refresh=False)
        elif done := _FINISHED.match(line):
            stage = done[1]
            self._finished[stage] = self._finished.get(stage, 0) + 1
            if self._finished[stage] == self._planned.get(stage) and not self._terminal:
                sys.stderr.write(f"{stage}: {self._stage_line(stage)}\n")

    def _stage_line(self, stage: str) -> str:
        if stage not in SHARD_STAGES:
            return "done"
        done, rejects = self._counts(stage)
        return f"{done} objects, {rejects} rejects"

    def _expected(self) -> int:
        """Estimate objects in all planned jobs: a stage's share of shards times all objects."""
        shards = sum(load_index().values())
        objects = sum(
            layout.inventory(source, layout.shard_name(number)).read_text().count("\n")
            for source, count in load_index().items()
            for number in range(count)
        )
        jobs = sum(n for stage, n in self._planned.items() if stage in SHARD_STAGES)
        return round(objects * jobs / max(shards, 1))

    def _counts(self, stage: str = "*") -> tuple[int, int]:
        done = rejects = 0
        for path in layout.progress().glob(f"{stage}.*"):
            try:
                numbers = path.read_text().split()
                done, rejects = done + int(numbers[0]), rejects + int(numbers[1])
            except (OSError, ValueError, IndexError):
                continue  # being written right now
        return done, rejects

    def _watch(self) -> None:
        with suppress(OSError):  # a terminal that was closed
            while not self._stop.wait(INTERVAL_S):
                self._update()

    def _update(self) -> None:
        done, rejects = self._counts()
        self._bar.total = max(self._bar.total or 0, done)
        self._bar.n = done
        self._bar.set_postfix_str(f"{rejects} rejects", refresh=True)
