# SPDX-License-Identifier: Apache-2.0
"""Checks many objects, each simulator in a separate process that may crash without harm."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from aa_dataset.adapters import SIMULATORS, SimulatorError
from aa_dataset.adapters.common import ObjectLike
from aa_dataset.errors import MissingExtraError
from aa_dataset.judge.ball import drop_balls
from aa_dataset.judge.checks import Verdict, judge_object
from aa_dataset.judge.drive import Outcome, Trial, drive_object

PACKAGES = {
    "pinocchio": "pinocchio",
    "mujoco": "mujoco",
    "drake": "pydrake",
    "pybullet": "pybullet",
    "sapien": "sapien",
}
TASKS_PER_PROCESS = 100  # compiled code leaks memory
DIED = "the simulator's process died."
T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Drive:
    """All trials of one object in one simulator."""

    object_id: str
    simulator: str
    trials: tuple[Trial, ...]

    @property
    def failed(self) -> bool:
        """Whether a trial is a finding."""
        return not all(trial.passed for trial in self.trials)


def judge_many(
    items: Mapping[str, ObjectLike],
    simulators: Sequence[str],
    *,
    configurations: int = 200,
    workers: int = 1,
) -> Iterator[Judgement]:
    """Yield a judgement per object and simulator, simulator by simulator."""
    for simulator in simulators:
        work = partial(_object_verdicts, simulator=simulator, configurations=configurations)
        died: tuple[Verdict, ...] = (_failure_verdict(DIED),)
        for object_id, verdicts in _in_processes(items, work, died, workers):
            yield Judgement(object_id, simulator, verdicts)


def drive_many(
    items: Mapping[str, ObjectLike],
    simulators: Sequence[str],
    *,
    drive: bool = True,
    ball: bool = False,
    most: int | None = None,
    workers: int = 1,
) -> Iterator[Drive]:
    """Yield the trials of every object, simulator by simulator; balls are MuJoCo's alone.

    At most `most` joints of an object are driven.
    """
    for simulator in simulators:
        work = partial(
            _object_trials,
            simulator=simulator,
            drive=drive,
            ball=ball and simulator == "mujoco",
            most=most,
        )
        died: tuple[Trial, ...] = (_failed_trial(DIED),)
        for object_id, trials in _in_processes(items, work, died, workers):
            yield Drive(object_id, simulator, trials)


def _in_processes(
    items: Mapping[str, ObjectLike], work: Callable[[ObjectLike], T], died: T, workers: int
) -> Iterator[tuple[str, T]]:
    """Yield the result of every object; `died` is that of an object that ends its process."""
    waiting = list(items.items())
    while waiting:
        # One pool per batch: `max_tasks_per_child` can hang in Python 3.11.
        batch, done = waiting[: TASKS_PER_PROCESS * workers], 0
        with _process_pool(workers) as pool:
            futures = [pool.submit(work, item) for _, item in batch]
            for (object_id, _), future in zip(batch, futures, strict=True):
                result = _result_unless_crashed(future)
                if result is None:  # a process died, and with it the others of this pool
                    break
                yield object_id, result
                done += 1
        waiting = waiting[done:]
        if done < len(batch):
            object_id, item = waiting.pop(0)
            yield object_id, _result_alone(item, work, died)


def _result_alone(item: ObjectLike, work: Callable[[ObjectLike], T], died: T) -> T:
    """Work on this object in its own process, to find out whether it caused the crash."""
    with _process_pool(1) as pool:
        result = _result_unless_crashed(pool.submit(work, item))
    return died if result is None else result


def _process_pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def _result_unless_crashed(future: Future[T]) -> T | None:
    try:
        return future.result()
    except BrokenProcessPool:
        return None


def _object_verdicts(
    item: ObjectLike, *, simulator: str, configurations: int
) -> tuple[Verdict, ...]:
    try:
        return tuple(judge_object(item, simulator, configurations=configurations))
    except MissingExtraError:
        raise
    except (Exception, SystemExit) as error:  # drake ends the program on some files
        return (_failure_verdict(f"{type(error).__name__}: {error}"),)


def _failure_verdict(sentence: str) -> Verdict:
    return Verdict("load", float("inf"), 0.0, sentence[:500])


def _object_trials(
    item: ObjectLike, *, simulator: str, drive: bool, ball: bool, most: int | None
) -> tuple[Trial, ...]:
    trials: list[Trial] = []
    try:
        trials += drive_object(item, simulator, most=most) if drive else []
        trials += drop_balls(item) if ball else []
    except MissingExtraError:
        raise
    except (Exception, SystemExit) as error:
        trials.append(_failed_trial(f"{type(error).__name__}: {error}"))
    return tuple(trials)


def _failed_trial(sentence: str) -> Trial:
    return Trial("load", "", Outcome.FAILED, 0.0, detail=sentence[:500])
