# SPDX-License-Identifier: Apache-2.0
"""Progress of a build: objects done in all stages, rejects, time left.

Jobs count their objects in small files; the bar reads these and Snakemake's events once a second.
Without a terminal, one line per finished stage is printed instead.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from types import TracebackType

from tqdm import tqdm

from pipeline.base import layout
from pipeline.engine.inventory.index import load_index
from pipeline.engine.stages import SHARD_STAGES, STAGES
from pipeline.tools.build.events import Events

INTERVAL_S = 1.0


class Progress:
    """Context manager that shows a bar while Snakemake runs."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._reported: set[str] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._update_until_stopped, daemon=True)
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
        with suppress(OSError):  # the terminal may be closed
            self._update()
            self._bar.close()

    def _print_finished_stages(self) -> None:
        """Print a line for every finished stage."""
        for stage, count in self._events.finished.items():
            if count == self._events.planned.get(stage) and stage in STAGES:
                if stage not in self._reported and not self._terminal:
                    sys.stderr.write(f"{stage}: {self._stage_line(stage)}\n")
                self._reported.add(stage)

    def _stage_line(self, stage: str) -> str:
        if stage not in SHARD_STAGES:
            return "done"
        done, rejects = self._stage_counts(stage)
        return f"{done} objects, {rejects} rejects"

    def _expected_objects(self) -> int:
        """Estimate objects in all planned jobs: a stage's share of shards times all objects."""
        shards = sum(load_index().values())
        objects = sum(
            layout.inventory(source, layout.shard_name(number)).read_text().count("\n")
            for source, count in load_index().items()
            for number in range(count)
        )
        planned = self._events.planned.items()
        jobs = sum(count for stage, count in planned if stage in SHARD_STAGES)
        return round(objects * jobs / max(shards, 1))

    def _stage_counts(self, stage: str = "*") -> tuple[int, int]:
        done = rejects = 0
        for path in layout.progress().glob(f"{stage}.*"):
            try:
                numbers = path.read_text().split()
                done, rejects = done + int(numbers[0]), rejects + int(numbers[1])
            except (OSError, ValueError, IndexError):
                continue  # being written right now
        return done, rejects

    def _update_until_stopped(self) -> None:
        with suppress(OSError):  # the terminal may be closed
            while not self._stop.wait(INTERVAL_S):
                self._update()

    def _update(self) -> None:
        is_new = not self._events.planned
        self._events.update()
        if is_new and self._events.planned:  # now the inventories are up to date: count them once
            self._bar.total = self._expected_objects()
        self._print_finished_stages()
        if self._events.running:
            self._bar.set_description(self._events.running, refresh=False)
        done, rejects = self._stage_counts()
        self._bar.total = max(self._bar.total or 0, done)
        self._bar.n = done
        self._bar.set_postfix_str(f"{rejects} rejects", refresh=True)
