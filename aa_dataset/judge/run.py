# SPDX-License-Identifier: Apache-2.0
"""Checks many objects, each simulator in a separate process that may crash without harm."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from aa_dataset.adapters import SIMULATORS, SimulatorError
from aa_dataset.adapters.common import ObjectLike
from aa_dataset.errors import MissingExtraError
from aa_dataset.judge.checks import Verdict, judge_object

PACKAGES = {
    "pinocchio": "pinocchio",
    "mujoco": "mujoco",
    "drake": "pydrake",
    "pybullet": "pybullet",
    "sapien": "sapien",
}
TASKS_PER_PROCESS = 100  # compiled code leaks memory


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts about one object in one simulator."""

    object_id: str
    simulator: str
    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed; False if the object was not compared."""
        return all(verdict.passed for verdict in self.verdicts)

    @property
    def failed(self) -> bool:
        """Whether a check failed; False if the object was not compared."""
        return any(verdict.passed is False for verdict in self.verdicts)


def choose_simulators(wanted: Sequence[str] | None) -> list[str]:
    """Return the simulators to use: those named, else all that are installed."""
    import importlib.util

    if wanted is None:
        installed = [name for name in SIMULATORS if importlib.util.find_spec(PACKAGES[name])]
        if not installed:
            missing = ImportError("no simulator", name="no simulator is installed")
            raise MissingExtraError("judging", "judges", missing)
        return installed
    for name in wanted:
        if name not in SIMULATORS:
            raise SimulatorError(
                f"{name!r} is not a simulator; choose from {', '.join(SIMULATORS)}."
            )
        if importlib.util.find_spec(PACKAGES[name]) is None:
            raise MissingExtraError(
                f"judging by {name}", "judges", ImportError(name, name=PACKAGES[name])
            )
    return list(wanted)


def judge_many(
    items: Mapping[str, ObjectLike],
    simulators: Sequence[str],
    *,
    configurations: int = 200,
    workers: int = 1,
) -> Iterator[Judgement]:
    """Yield a judgement per object and simulator, simulator by simulator."""
    for simulator in simulators:
        options = {"simulator": simulator, "configurations": configurations}
        yield from _judge_in_processes(items, options, workers)


def _judge_in_processes(
    items: Mapping[str, ObjectLike], options: dict[str, Any], workers: int
) -> Iterator[Judgement]:
    waiting = list(items.items())
    while waiting:
        # One pool per batch: `max_tasks_per_child` can hang in Python 3.11.
        batch, done = waiting[: TASKS_PER_PROCESS * workers], 0
        with _process_pool(workers) as pool:
            futures = [pool.submit(_object_verdicts, item, options) for _, item in batch]
            for (object_id, _), future in zip(batch, futures, strict=True):
                verdicts = _result_unless_crashed(future)
                if verdicts is None:  # a process died, and with it the others of this pool
                    break
                yield Judgement(object_id, options["simulator"], verdicts)
                done += 1
        waiting = waiting[done:]
        if done < len(batch):
            object_id, item = waiting.pop(0)
            yield Judgement(object_id, options["simulator"], _judge_alone(item, options))


def _judge_alone(item: ObjectLike, options: dict[str, Any]) -> tuple[Verdict, ...]:
    """Check this object in its own process, to find out whether it caused the crash."""
    with _process_pool(1) as pool:
        verdicts = _result_unless_crashed(pool.submit(_object_verdicts, item, options))
    if verdicts is None:
        return (_failure_verdict("the simulator's process died."),)
    return verdicts


def _process_pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def _result_unless_crashed(future: Future[tuple[Verdict, ...]]) -> tuple[Verdict, ...] | None:
    try:
        return future.result()
    except BrokenProcessPool:
        return None


def _object_verdicts(item: ObjectLike, options: dict[str, Any]) -> tuple[Verdict, ...]:
    try:
        return tuple(judge_object(item, **options))
    except MissingExtraError:
        raise
    except (Exception, SystemExit) as error:  # drake ends the program on some files
        return (_failure_verdict(f"{type(error).__name__}: {error}"),)


def _failure_verdict(sentence: str) -> Verdict:
    return Verdict("load", float("inf"), 0.0, sentence[:500])
