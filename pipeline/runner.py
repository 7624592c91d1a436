# SPDX-License-Identifier: Apache-2.0
"""One runner for every per-object stage: books, isolation, budgets, whole and repeatable output.

Each object is worked on in a separate process. An exception, a crash of native code, a runaway in
memory or time costs that object, which becomes a row of `rejects`; the shard goes on. Results are
written in the order of the object ids, to temporary names that are renamed at the end.
"""

from __future__ import annotations

import functools
import logging
import multiprocessing
import os
import resource
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pebble import ProcessExpired, ProcessPool

from aa_dataset.foreign_text import terminal_line, terminal_text
from aa_dataset.schema import TABLES
from pipeline import layout
from pipeline.assets import COLUMNS, AssetWriter, pack
from pipeline.errors import (
    BooksError,
    ChangedDuringBuildError,
    DamagedFileError,
    MissingPackageError,
    Rejection,
)
from pipeline.processes import end_with_parent, use_own_stderr
from pipeline.reasons import Finding, Reason
from pipeline.tables import encodable, replacing, write_bytes, write_table

log = logging.getLogger(__name__)

# After this many objects a fresh worker takes over: leaks of native libraries end there.
OBJECTS_PER_WORKER = 200
# Our own file is damaged, the raw files changed, a package is absent: the shard's trouble, not the
# object's.
SHARD_TROUBLE = (DamagedFileError, ChangedDuringBuildError, MissingPackageError)
# Put in place in reverse: records come last, so their presence means that the shard is complete.
OUTPUTS = ("records", "rejects", "findings", "assets")


@dataclass(frozen=True, slots=True)
class ShardJob:
    """One stage on one shard: what to read, what to write, with which settings."""

    stage: str
    source: str
    shard: str
    inputs: Mapping[str, Path]
    outputs: Mapping[str, Path]
    settings: Mapping[str, Any]
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Task:
    """One object's work order; `data` is whatever the stage's `process` needs."""

    object_id: str
    data: Any = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stage says about one object: a record, findings, and files for the asset tar."""

    record: dict[str, Any]
    findings: Sequence[Finding] = ()
    files: Mapping[str, bytes] | None = None


@dataclass(slots=True)
class _Books:
    records: list[dict[str, Any]] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    rejects: list[dict[str, Any]] = field(default_factory=list)

    def check(self, expected: Iterable[str]) -> None:
        """Raise unless ids in = ids out + rejects, without overlap."""
        out = [row["object_id"] for row in self.records + self.rejects]
        if sorted(out) != sorted(set(expected)):
            raise BooksError(f"the shard's books do not balance: {len(out)} ids came out.")


def run_shard(
    job: ShardJob,
    tasks: Sequence[Task],
    *,
    process: Callable[[Task, Mapping[str, Any]], Outcome],
    schema: pa.Schema,
) -> None:
    """Run `process` on every task and write records, rejects, findings and assets of the shard.

    Parameters
    ----------
    job : ShardJob
        With outputs `records`, `rejects`, `findings` and, for stages that make files, `assets`.
    tasks : sequence of Task
        The shard's objects, in any order.
    process : callable
        Pure function of one task and the settings; raises `Rejection` for a broken object.
    schema : pyarrow.Schema
        Of the records; those of `pipeline.assets` are added for stages that make files.
    """
    tasks = sorted(tasks, key=lambda task: task.object_id)
    books = _Books()
    with ExitStack() as stack:
        paths = {
            name: stack.enter_context(replacing(job.outputs[name]))
            for name in OUTPUTS
            if name in job.outputs
        }
        writer = None
        if "assets" in paths:
            writer = AssetWriter(stack.enter_context(paths["assets"].open("wb")))
        for task, answer in _answers(job, tasks, process):
            _enter(books, job, task.object_id, answer, writer)
            _count(job, books, len(tasks))
        if writer is not None:
            writer.close()
            schema = functools.reduce(pa.Schema.append, COLUMNS, schema)
        books.check(task.object_id for task in tasks)
        write_table(paths["findings"], books.findings, TABLES["findings"], checksums=True)
        write_table(paths["rejects"], books.rejects, TABLES["rejects"], checksums=True)
        write_table(paths["records"], books.records, schema, checksums=True)
    log.info("%d objects, %d rejects", len(books.records), len(books.rejects))


def _enter(
    books: _Books,
    job: ShardJob,
    object_id: str,
    answer: tuple[Outcome, bytes | None] | Rejection,
    writer: AssetWriter | None,
) -> None:
    """Enter one object's result into the books."""
    if isinstance(answer, Rejection):
        detail = encodable(answer.detail)  # names of files may hold what no log can
        log.warning("%s rejected: %s: %s", object_id, answer.reason, terminal_line(detail))
        books.rejects.append(
            {
                "object_id": object_id,
                "source": job.source,
                "stage": job.stage,
                "code": str(answer.reason),
                "detail": detail,
            }
        )
        return
    outcome, fragment = answer
    record = {"object_id": object_id} | outcome.record
    if writer is not None and fragment is not None:
        names = (column.name for column in COLUMNS)
        record |= zip(names, writer.append(fragment), strict=True)
    books.records.append(record)
    books.findings.extend(
        {
            "object_id": object_id,
            "stage": job.stage,
            "code": str(finding.code),
            "severity": str(finding.severity),
            "detail": encodable(finding.detail),
        }
        for finding in sorted(outcome.findings, key=lambda f: (f.code, f.detail))
    )


def _count(job: ShardJob, books: _Books, total: int) -> None:
    done = len(books.records) + len(books.rejects)
    path = layout.counter(job.stage, job.source, job.shard)
    write_bytes(path, f"{done} {len(books.rejects)} {total}\n".encode())


def _answers(
    job: ShardJob,
    tasks: Sequence[Task],
    process: Callable[[Task, Mapping[str, Any]], Outcome],
) -> Iterator[tuple[Task, tuple[Outcome, bytes | None] | Rejection]]:
    """Yield every task with its result, in order, at most a few tasks ahead of the reader."""
    budgets = job.settings["budgets"]
    waiting: deque[tuple[Task, Any]] = deque()
    remaining = iter(tasks)
    context = multiprocessing.get_context("fork")
    with ProcessPool(
        max_workers=job.workers,
        max_tasks=OBJECTS_PER_WORKER,
        initializer=_settle_worker,
        initargs=(os.getpid(), budgets["memory_gb"]),
        context=context,
    ) as pool:
        while True:
            for task in remaining:
                arguments = (process, task, job.settings)
                future = pool.schedule(_guarded, arguments, timeout=budgets["object_seconds"])
                waiting.append((task, future))
                if len(waiting) >= 2 * job.workers:
                    break
            if not waiting:
                return
            task, future = waiting.popleft()
            yield task, _result(future)


def _settle_worker(parent: int, gigabytes: float) -> None:
    """Bound the worker's memory, let the kernel end it with its parent, free its log."""
    end_with_parent(parent)
    use_own_stderr()
    limit = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _guarded(
    process: Callable[[Task, Mapping[str, Any]], Outcome],
    task: Task,
    settings: Mapping[str, Any],
) -> tuple[Outcome, bytes | None] | Rejection:
    """Run one object in the worker; whatever goes wrong inside becomes a rejection."""
    try:
        outcome = process(task, settings)
        fragment = None if outcome.files is None else pack(task.object_id, outcome.files)
        return Outcome(outcome.record, tuple(outcome.findings)), fragment
    except Rejection as rejection:
        return rejection
    except SHARD_TROUBLE:
        raise
    except MemoryError:
        limit = settings["budgets"]["memory_gb"]
        return Rejection(
            Reason.MEMORY_EXCEEDED, f"needs more than the budget of {limit} GB of memory."
        )
    except RecursionError:
        return Rejection(Reason.INTERNAL_ERROR, "RecursionError: nested too deeply for a worker.")
    except (Exception, SystemExit) as error:  # pebble would carry an exit over to this process
        log.error("%s\n%s", task.object_id, terminal_text(encodable(traceback.format_exc())))
        return Rejection(Reason.INTERNAL_ERROR, f"{type(error).__name__}: {error}")


def _result(future: Any) -> tuple[Outcome, bytes | None] | Rejection:
    try:
        return future.result()
    except ProcessExpired as error:
        return Rejection(
            Reason.WORKER_CRASHED, f"the worker process died (exit code {error.exitcode})."
        )
    except FutureTimeoutError:
        return Rejection(
            Reason.TIME_EXCEEDED,
            "took longer than budgets.object_seconds; a build in which this happens is not "
            "reproducible.",
        )
    except MemoryError:
        return Rejection(Reason.MEMORY_EXCEEDED, "the result did not fit into memory.")
    except (CancelledError, *SHARD_TROUBLE):
        raise
    except Exception as error:
        return Rejection(
            Reason.INTERNAL_ERROR, f"{type(error).__name__}: the worker's answer cannot be used."
        )
