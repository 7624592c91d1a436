# SPDX-License-Identifier: Apache-2.0
"""Worker processes that end with the call that asked for them, however it ends.

A worker does not listen to Ctrl-C: the caller does, and its workers end with it at once, in the
middle of whatever they do. They also end when the caller is killed. Both by one pipe whose far
end only the caller holds.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """A pool of spawned processes, to be used in a ``with`` statement.

    Parameters
    ----------
    count : int
        Processes.
    begin : function of one argument
        Called once in every process, with `task`, before anything else.
    task : any
        What the processes work on; it is sent once.
    """

    def __init__(self, count: int, begin: Callable[[Any], None], task: Any):
        context = multiprocessing.get_context("spawn")
        self._far, self._near = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            count, context, initializer=_begin, initargs=(self._far, begin, task)
        )

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._near.close()  # every worker reads the end of it and stops
        self._pool.shutdown(cancel_futures=True)
        self._near.close()
        self._far.close()

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, chunk: int
    ) -> Iterator[Result]:
        """Return the results in the order of the items, `chunk` of them sent at a time."""
        with _interrupts_held():  # processes are started here, and inherit that
            return self._pool.map(function, items, chunksize=chunk)


def _begin(pipe: Connection, begin: Callable[[Any], None], task: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_caller, args=(pipe,), daemon=True).start()
    begin(task)


def _end_with_caller(pipe: Connection) -> None:
    caller = multiprocessing.parent_process()
    wait([pipe] if caller is None else [pipe, caller.sentinel])
    os._exit(1)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Keep Ctrl-C waiting: a process must not meet it before it has learned to ignore it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
