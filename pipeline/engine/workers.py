# SPDX-License-Identifier: Apache-2.0
"""A crew of worker processes, each with a pipe of its own, so that one that dies disturbs nobody.

A worker does one task at a time. Whatever happens to it, each task given to the crew gets an
answer: what the function returned, how the process died, or that it was too slow.

The pool of pebble, used before, has one pipe with locks for all workers: one that is killed while
it holds a lock takes others with it, and nobody can tell which object is to blame for which death.
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

from pipeline.engine.processes import end_by_signals, end_with_parent, limit_memory, use_own_stderr

T = TypeVar("T")

# A child of a worker may hold its pipes open after it died: so often is looked at the process.
LOOK_S = 1.0
FAREWELL_S = 5.0
# An answer is its length, then itself. It is read as it comes: `recv_bytes` would wait for the rest
# of one whose worker hangs in the middle of it, beyond every deadline.
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
    """What an idle worker is told instead of a task when it is not needed any more."""


class Worker(Generic[T]):
    """One process that waits for tasks at its end of a pipe."""

    def __init__(self, function: Callable[[T], bytes], gigabytes: float) -> None:
        self.connection, theirs = CONTEXT.Pipe()
        arguments = (theirs, self.connection, function, os.getpid(), gigabytes)
        self.process = CONTEXT.Process(target=_serve, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        self.tasks, self.number, self.deadline = 0, -1, 0.0
        self._come = bytearray()  # of the answer to the current task

    def give(self, number: int, task: T, seconds: float) -> None:
        """Hand one task over."""
        self.tasks, self.number = self.tasks + 1, number
        self.deadline = time.monotonic() + seconds
        try:
            self.connection.send(task)
        except OSError:
            self.process.kill()  # it is dying, and `answer` says how

    def answer(self) -> bytes | Died | TooSlow | None:
        """Return the end of the current task, None if it has not come yet."""
        try:
            gone = not self.process.is_alive()  # asked first: a last answer may lie in the pipe
            if self.connection.poll():
                answer = self._receive()
                if answer is not None:
                    return answer
                gone = False  # more may lie in the pipe
        except (EOFError, OSError):
            gone = True
        if gone:
            self.process.join()
            return Died(self.process.exitcode or 0)
        if time.monotonic() > self.deadline:
            self.kill()
            return TooSlow()
        return None

    def _receive(self) -> bytes | None:
        """Take a piece of the answer from the pipe, which has one; return the answer when whole."""
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
        """Ask an idle worker to leave, without waiting for it.

        A word is needed: the end of the pipe would not be seen, because workers that were forked
        later hold a copy of our end.
        """
        with suppress(OSError):  # it is gone already
            self.connection.send(_Leave())

    def see_off(self) -> None:
        """Wait for a worker that was dismissed; end it if it stays."""
        self.process.join(FAREWELL_S)
        self.kill()

    def kill(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.connection.close()


class Crew(Generic[T]):
    """Context manager around workers that are started when they are needed.

    Parameters
    ----------
    function : callable
        What a worker does with a task, giving bytes. It must not raise: that is a death.
    count : int
        Workers at most.
    seconds : float [s]
        What one task may take.
    gigabytes : float [GB]
        Address space of a worker.
    tasks_each : int
        After so many a fresh worker takes over: leaks of native libraries end there.
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
            worker.see_off()

    def has_room(self) -> bool:
        """Tell whether a task would be begun at once."""
        return len(self._busy) < self._count

    def give(self, number: int, task: T) -> None:
        """Begin a task; its end will be `answers[number]`."""
        worker = self._idle.pop() if self._idle else None
        if worker is None or not worker.process.is_alive():
            worker = Worker(self._function, self._gigabytes)
        self._busy.append(worker)
        worker.give(number, task, self._seconds)

    def wait(self) -> None:
        """Wait until at least one task has come to its end, if there is one."""
        while self._busy and not self._collect():
            signs = [sign for w in self._busy for sign in (w.connection, w.process.sentinel)]
            nearest = min(worker.deadline for worker in self._busy) - time.monotonic()
            wait(signs, timeout=max(0.0, min(nearest, LOOK_S)))

    def rest(self) -> None:
        """Wait until every task that was begun has come to its end."""
        while self._busy:
            self.wait()

    def _collect(self) -> bool:
        asked = [(worker, worker.answer()) for worker in self._busy]
        ended = [(worker, answer) for worker, answer in asked if answer is not None]
        for worker, answer in ended:
            self.answers[worker.number] = answer
            self._busy.remove(worker)
            if isinstance(answer, Died | TooSlow):
                worker.connection.close()
            elif worker.tasks >= self._tasks_each:
                worker.dismiss()
                worker.see_off()
            else:
                self._idle.append(worker)
        return bool(ended)


def _serve(
    tasks: Connection,
    parents_end: Connection,
    function: Callable[[Any], bytes],
    parent: int,
    gigabytes: float,
) -> None:
    """Work until the parent says that it is enough, or is gone."""
    end_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
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
