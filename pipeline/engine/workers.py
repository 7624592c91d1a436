# SPDX-License-Identifier: Apache-2.0
"""A crew of worker processes with one pipe each, so that a dying worker affects no other.

A worker does one task at a time. Each task given to the crew gets an answer: what the function
returned, how the process died, or that it was too slow. The time limit of a task counts only while
its worker could run: a build that is stopped (SIGSTOP, Ctrl-Z) and continued loses no object.

The pool of pebble has one pipe with locks for all workers. A worker that is killed while it holds a
lock blocks the others, and it is unknown which object caused which death.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Generic, TypeVar

from pipeline.engine.processes import (
    end_by_signals,
    end_with_parent,
    is_stopped,
    limit_memory,
    use_own_stderr,
)

T = TypeVar("T")

# A child of a dead worker may keep its pipe open, so the process is polled at this interval.
LOOK_S = 1.0
# Shortest wait: a stopped worker with nearly no time left would else be polled without a pause.
SHORTEST_LOOK_S = 0.05
# Most that one look can count. More passes only if this process was itself stopped or starved.
COUNTED_S = 2 * LOOK_S
FAREWELL_S = 5.0
# An answer is its length, then its bytes. It is read in pieces: `recv_bytes` would wait beyond the
# deadline if the worker hangs in the middle of an answer.
LENGTH = struct.Struct("!Q")
CHUNK = 1 << 20  # B
CONTEXT = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Died:
    """The worker ended in the middle of its task; negative codes are signals."""

    exit_code: int


@dataclass(frozen=True, slots=True)
class TooSlow:
    """The worker was ended because its task took too long."""


@dataclass(frozen=True, slots=True)
class _Leave:
    """Sent to an idle worker instead of a task when it is not needed any more."""


class Worker(Generic[T]):
    """One process that receives tasks through a pipe."""

    def __init__(self, function: Callable[[T], bytes], gigabytes: float) -> None:
        self.connection, theirs = CONTEXT.Pipe()
        arguments = (theirs, self.connection, function, os.getpid(), gigabytes)
        self.process = CONTEXT.Process(target=_serve_tasks, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        self.tasks, self.number = 0, -1
        self.left, self._looked = 0.0, 0.0  # [s], of the current task
        self._come = bytearray()  # bytes received of the current answer

    def give(self, number: int, task: T, seconds: float) -> None:
        """Send one task."""
        self.tasks, self.number = self.tasks + 1, number
        self.left, self._looked = seconds, time.monotonic()
        try:
            self.connection.send(task)
        except OSError:
            self.process.kill()  # it is dying; `answer` reports how

    def answer(self) -> bytes | Died | TooSlow | None:
        """Return the answer to the current task, None if there is none yet."""
        try:
            gone = not self.process.is_alive()  # checked first: the pipe may contain a last answer
            if self.connection.poll():
                answer = self._receive_piece()
                if answer is not None:
                    return answer
                gone = False  # the pipe may contain more
        except (EOFError, OSError):
            gone = True
        if gone:
            self.process.join()
            return Died(self.process.exitcode or 0)
        if self._count_time() <= 0:
            self.kill()
            return TooSlow()
        return None

    def _count_time(self) -> float:
        """Return the time left [s], less what passed since the last look if the worker could run.

        Time counts whether the worker computes or sleeps, so that one that hangs is ended too.
        """
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, COUNTED_S), now
        if self.process.pid is None or not is_stopped(self.process.pid):
            self.left -= passed
        return self.left

    def _receive_piece(self) -> bytes | None:
        """Read a piece of the answer from the pipe; return the answer when it is complete."""
        piece = os.read(self.connection.fileno(), CHUNK)
        if not piece:
            raise EOFError
        self._come += piece
        if len(self._come) < LENGTH.size:
            return None
        end = LENGTH.size + LENGTH.unpack_from(self._come)[0]
        if len(self._come) < end:
            return None
        answer = bytes(memoryview(self._come)[LENGTH.size : end])
        self._come = bytearray()
        return answer

    def dismiss(self) -> None:
        """Ask an idle worker to exit, without waiting for it.

        A message is needed: closing the pipe is not noticed, because workers that were forked
        later have a copy of our end.
        """
        with suppress(OSError):  # it has exited already
            self.connection.send(_Leave())

    def wait_or_kill(self) -> None:
        """Wait for a dismissed worker; kill it if it does not exit."""
        self.process.join(FAREWELL_S)
        self.kill()

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


class Crew(Generic[T]):
    """Context manager for workers, which are started when needed.

    Parameters
    ----------
    function : callable
        Maps a task to bytes in the worker. It must not raise: that ends the worker.
    count : int
        Maximum number of workers.
    seconds : float [s]
        Time limit of one task, not counting time in which its worker is stopped.
    gigabytes : float [GB]
        Address space of a worker.
    tasks_each : int
        A worker is replaced after this many, to bound memory leaks of native libraries.
    """

    def __init__(
        self,
        function: Callable[[T], bytes],
        *,
        count: int,
        seconds: float,
        gigabytes: float,
        tasks_each: int,
    ) -> None:
        self._function, self._count, self._seconds = function, count, seconds
        self._gigabytes, self._tasks_each = gigabytes, tasks_each
        self._idle: list[Worker[T]] = []
        self._busy: list[Worker[T]] = []
        self.answers: dict[int, bytes | Died | TooSlow] = {}

    def __enter__(self) -> Crew[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._busy:
            worker.kill()
        for worker in self._idle:
            worker.dismiss()
        for worker in self._idle:
            worker.wait_or_kill()

    def has_room(self) -> bool:
        """Return whether a task could start at once."""
        return len(self._busy) < self._count

    def give(self, number: int, task: T) -> None:
        """Start a task; its answer will be `answers[number]`."""
        worker = self._idle.pop() if self._idle else None
        if worker is None or not worker.process.is_alive():
            worker = Worker(self._function, self._gigabytes)
        self._busy.append(worker)
        worker.give(number, task, self._seconds)

    def wait(self) -> None:
        """Wait until at least one running task has finished."""
        while self._busy and not self._collect_answers():
            signs = [sign for w in self._busy for sign in (w.connection, w.process.sentinel)]
            nearest = min(worker.left for worker in self._busy)
            wait(signs, timeout=min(max(nearest, SHORTEST_LOOK_S), LOOK_S))

    def rest(self) -> None:
        """Wait until every started task has finished."""
        while self._busy:
            self.wait()

    def _collect_answers(self) -> bool:
        asked = [(worker, worker.answer()) for worker in self._busy]
        ended = [(worker, answer) for worker, answer in asked if answer is not None]
        for worker, answer in ended:
            self.answers[worker.number] = answer
            self._busy.remove(worker)
            if isinstance(answer, Died | TooSlow):
                worker.connection.close()
            elif worker.tasks >= self._tasks_each:
                worker.dismiss()
                worker.wait_or_kill()
            else:
                self._idle.append(worker)
        return bool(ended)


def _serve_tasks(
    tasks: Connection,
    parents_end: Connection,
    function: Callable[[Any], bytes],
    parent: int,
    gigabytes: float,
) -> None:
    """Process tasks until the parent dismisses the worker or exits."""
    end_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    end_by_signals()
    use_own_stderr()
    parents_end.close()
    limit_memory(gigabytes)
    while True:
        try:
            task = tasks.recv()
        except EOFError:
            return
        if isinstance(task, _Leave):
            return
        _send(tasks, function(task))


def _send(pipe: Connection, answer: bytes) -> None:
    """Write an answer as `Worker` reads it."""
    for data in (LENGTH.pack(len(answer)), answer):
        left = memoryview(data)
        while left:
            left = left[os.write(pipe.fileno(), left) :]
