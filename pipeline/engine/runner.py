# SPDX-License-Identifier: Apache-2.0
"""Runs every per-object stage: accounting, isolation, budgets, atomic and reproducible output.

Objects are processed in worker processes. An exception, a crash of native code, or too much memory
or time rejects the object, and the shard continues. An object whose worker died is tried again
alone in a fresh process: two crashes reject it, two kills from outside fail the shard. Results are
sorted by object id and written to temporary files, which are renamed at the end.
"""

from __future__ import annotations

import functools
import logging
import pickle
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa

from aa_dataset.files import WriteError
from aa_dataset.format.schema import TABLES
from aa_dataset.untrusted.foreign_text import terminal_line, terminal_text
from pipeline.base import layout
from pipeline.base.assets import COLUMNS, AssetWriter, pack
from pipeline.base.errors import (
    AccountingError,
    ChangedDuringBuildError,
    DamagedFileError,
    MachineError,
    MissingPackageError,
    Rejection,
    WorkerKilledError,
)
from pipeline.base.reasons import Finding, Reason
from pipeline.base.records import Record
from pipeline.base.tables import encodable, put_table, replacing, write_bytes
from pipeline.base.trouble import is_memory_trouble, worker_sentence
from pipeline.engine.processes import outside_signal, require_memory
from pipeline.engine.settings import ShardSettings
from pipeline.engine.workers import Crew, Died, TooSlow

log = logging.getLogger(__name__)
P = TypeVar("P")
R = TypeVar("R", bound=Record)

S = TypeVar("S")
B = TypeVar("B", bound=ShardSettings)

# A worker is replaced after this many objects, to bound memory leaks of native libraries.
OBJECTS_PER_WORKER = 200
# These fail the shard, because the object is not the cause: a damaged file of ours, changed raw
# files, a missing package, a full disk.
SHARD_TROUBLE = (
    DamagedFileError, ChangedDuringBuildError, MachineError, MissingPackageError, WriteError
)  # fmt: skip
# An object is decided after its worker crashed, or was killed, this many times.
DEATHS = 2
# Renamed in reverse order: records come last, so their presence means that the shard is complete.
OUTPUTS = ("records", "rejects", "findings", "assets")


@dataclass(frozen=True, slots=True)
class Job(Generic[S]):
    """One run of a stage, on a shard or on all: what to read and write, with which settings."""

    stage: str
    source: str
    shard: str
    inputs: Mapping[str, Path]
    outputs: Mapping[str, Path]
    settings: S
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Task(Generic[P]):
    """One object to process; `data` is what the stage's `process` needs."""

    object_id: str
    data: P


@dataclass(frozen=True, slots=True)
class Outcome(Generic[R]):
    """The result of a stage for one object: record, findings, and files for the asset tar."""

    record: R
    findings: Sequence[Finding] = ()
    files: Mapping[str, bytes] | None = None


Process = Callable[[Task[P], B], Outcome[R]]


@dataclass(frozen=True, slots=True)
class _Done:
    """An outcome as the worker sends it: the record as a row, the files as a tar fragment."""

    row: dict[str, Any]
    findings: tuple[Finding, ...]
    fragment: bytes | None


Answer = _Done | Rejection


@dataclass(slots=True)
class _Rows:
    records: list[dict[str, Any]] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    rejects: list[dict[str, Any]] = field(default_factory=list)

    def check(self, expected: Iterable[str]) -> None:
        """Raise unless ids in = ids out + rejects, without overlap."""
        out = [row["object_id"] for row in self.records + self.rejects]
        if sorted(out) != sorted(set(expected)):
            raise AccountingError(
                f"The shard's records and rejects have {len(out)} ids, which are not those of its "
                "objects."
            )


def run_shard(
    job: Job[B],
    tasks: Sequence[Task[P]],
    *,
    process: Process[P, B, R],
    record: type[R],
    check: Callable[[], None] | None = None,
    instead: Callable[[Rejection], Outcome[R]] | None = None,
) -> None:
    """Run `process` on every task and write records, rejects, findings and assets of the shard.

    Parameters
    ----------
    job : Job
        With outputs `records`, `rejects`, `findings` and, for stages that make files, `assets`.
    tasks : sequence of Task
        The shard's objects, in any order.
    process : callable
        Pure function of one task and the settings; raises `Rejection` for a broken object.
    record : type of Record
        What `process` returns; stages that make files add the columns of `pipeline.base.assets`.
    check : callable, optional
        Called after the last object and before any output is in place; an exception fails the
        shard.
    instead : callable, optional
        What an object gets in place of a reject, where it is to be kept.
    """
    tasks = sorted(tasks, key=lambda task: task.object_id)
    rows, schema = _Rows(), record.schema()
    with ExitStack() as stack:
        paths = {
            name: stack.enter_context(replacing(job.outputs[name]))
            for name in OUTPUTS
            if name in job.outputs
        }
        writer = None
        if "assets" in paths:
            writer = AssetWriter(stack.enter_context(paths["assets"].open("wb")))
        for task, answer in _answers_in_order(job, tasks, process):
            if instead is not None and isinstance(answer, Rejection):
                answer = _kept(task.object_id, answer, instead)
            _add_result(rows, job, task.object_id, answer, writer)
            _write_counter(job, rows, len(tasks))
        if check is not None:
            check()
        if writer is not None:
            writer.close()
            schema = functools.reduce(pa.Schema.append, COLUMNS, schema)
        rows.check(task.object_id for task in tasks)
        put_table(
            paths["findings"], rows.findings, TABLES["findings"], name="findings", checksums=True
        )
        put_table(paths["rejects"], rows.rejects, TABLES["rejects"], name="rejects", checksums=True)
        put_table(paths["records"], rows.records, schema, name="records", checksums=True)
    log.info("%d objects, %d rejects", len(rows.records), len(rows.rejects))


def _kept(
    object_id: str, rejection: Rejection, instead: Callable[[Rejection], Outcome[R]]
) -> Answer:
    detail = terminal_line(encodable(rejection.detail))
    log.warning("%s kept in spite of %s: %s", object_id, rejection.reason, detail)
    return _done(object_id, instead(rejection))


def _add_result(
    rows: _Rows,
    job: Job[Any],
    object_id: str,
    answer: Answer,
    writer: AssetWriter | None,
) -> None:
    """Add one object's result to the shard's rows."""
    if isinstance(answer, Rejection):
        detail = encodable(answer.detail)  # file names may contain characters that no log can
        log.warning("%s rejected: %s: %s", object_id, answer.reason, terminal_line(detail))
        rows.rejects.append(
            {
                "object_id": object_id,
                "source": job.source,
                "stage": job.stage,
                "code": str(answer.reason),
                "detail": detail,
            }
        )
        return
    row = {"object_id": object_id} | answer.row
    if writer is not None and answer.fragment is not None:
        names = (column.name for column in COLUMNS)
        row |= zip(names, writer.append(answer.fragment), strict=True)
    rows.records.append(row)
    rows.findings.extend(
        {
            "object_id": object_id,
            "stage": job.stage,
            "code": str(finding.code),
            "severity": str(finding.severity),
            "detail": encodable(finding.detail),
        }
        for finding in sorted(answer.findings, key=lambda f: (f.code, f.detail))
    )


def _write_counter(job: Job[Any], rows: _Rows, total: int) -> None:
    done = len(rows.records) + len(rows.rejects)
    path = layout.counter(job.stage, job.source, job.shard)
    write_bytes(path, f"{done} {len(rows.rejects)} {total}\n".encode(), lasting=False)


def _answers_in_order(
    job: Job[B], tasks: Sequence[Task[P]], process: Process[P, B, R]
) -> Iterator[tuple[Task[P], Answer]]:
    """Yield every task with its result, in order, at most a few tasks ahead of the reader."""
    require_memory(job.settings.budgets.memory_gb)
    given = 0
    with _start_crew(job, process, job.workers) as crew:
        for number, task in enumerate(tasks):
            while number not in crew.answers:
                while crew.has_room() and given < min(len(tasks), number + 2 * job.workers):
                    crew.give(given, tasks[given])
                    given += 1
                crew.wait()
            answer = _decode_answer(crew.answers.pop(number))
            if _may_have_another_cause(answer):
                crew.rest()  # no other worker may run
            yield task, _rerun_alone_until_certain(job, task, process, answer)


def _start_crew(job: Job[B], process: Process[P, B, R], count: int) -> Crew[Task[P]]:
    budgets = job.settings.budgets
    return Crew(
        functools.partial(_run_in_worker, process, job.settings),
        count=count,
        seconds=budgets.object_seconds,
        gigabytes=budgets.memory_gb,
        tasks_each=OBJECTS_PER_WORKER,
    )


def _may_have_another_cause(answer: Answer | Died) -> bool:
    """Return whether an earlier object of the process, or a signal, may have caused an answer."""
    if isinstance(answer, Rejection):
        return answer.reason == Reason.MEMORY_EXCEEDED
    return isinstance(answer, Died)


def _rerun_alone_until_certain(
    job: Job[B], task: Task[P], process: Process[P, B, R], answer: Answer | Died
) -> Answer:
    """Run an object alone, each time in a fresh process, until its outcome is certain."""
    deaths: Counter[bool] = Counter()
    while isinstance(answer, Died) or (_may_have_another_cause(answer) and not deaths):
        killer = outside_signal(answer.exit_code) if isinstance(answer, Died) else None
        deaths[killer is not None] += 1
        log.warning("%s, attempt %d: %s", task.object_id, deaths.total(), answer)
        if killer is not None and deaths[True] == DEATHS:
            raise WorkerKilledError(task.object_id, killer)
        if deaths[False] == DEATHS:
            return Rejection(
                Reason.WORKER_CRASHED,
                "ended its worker process by itself twice, the second time alone in a fresh one.",
            )
        with _start_crew(job, process, 1) as crew:
            crew.give(0, task)
            crew.rest()
            answer = _decode_answer(crew.answers[0])
    return answer


def _run_in_worker(process: Process[P, B, R], settings: B, task: Task[P]) -> bytes:
    """Run one object in the worker; return its answer, or an error of the shard, as bytes."""
    try:
        return pickle.dumps(_reject_exceptions(process, task, settings))
    except SHARD_TROUBLE as trouble:
        return pickle.dumps(trouble)
    except MemoryError:
        return pickle.dumps(_too_much_memory(settings))
    except Exception as error:
        detail = f"{type(error).__name__}: the worker's answer cannot be used."
        return pickle.dumps(Rejection(Reason.INTERNAL_ERROR, detail))


def _reject_exceptions(process: Process[P, B, R], task: Task[P], settings: B) -> Answer:
    """Run one object in the worker; any exception becomes a rejection."""
    try:
        return _done(task.object_id, process(task, settings))
    except Rejection as rejection:
        return rejection
    except SHARD_TROUBLE:
        raise
    except RecursionError:
        return Rejection(Reason.INTERNAL_ERROR, "RecursionError: nested too deeply for a worker.")
    except (Exception, SystemExit) as error:  # also `sys.exit` of a library
        if is_memory_trouble(error):
            return _too_much_memory(settings)
        if sentence := worker_sentence(error):
            raise MachineError(f"{task.object_id}: {sentence}") from None
        log.error("%s\n%s", task.object_id, terminal_text(encodable(traceback.format_exc())))
        return Rejection(Reason.INTERNAL_ERROR, f"{type(error).__name__}: {error}")


def _done(object_id: str, outcome: Outcome[Any]) -> _Done:
    fragment = None if outcome.files is None else pack(object_id, outcome.files)
    return _Done(outcome.record.to_row(), tuple(outcome.findings), fragment)


def _too_much_memory(settings: ShardSettings) -> Rejection:
    limit = settings.budgets.memory_gb
    return Rejection(Reason.MEMORY_EXCEEDED, f"needs more than the budget of {limit} GB of memory.")


def _decode_answer(sent: bytes | Died | TooSlow) -> Answer | Died:
    """Return the worker's answer, or how it died; raise errors of the whole shard."""
    if isinstance(sent, Died):
        return sent
    if isinstance(sent, TooSlow):
        return Rejection(
            Reason.TIME_EXCEEDED,
            "took longer than budgets.object_seconds; a build in which this happens is not "
            "reproducible.",
        )
    answer: Answer = pickle.loads(sent)
    if isinstance(answer, SHARD_TROUBLE):
        raise answer
    return answer
