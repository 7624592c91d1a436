# SPDX-License-Identifier: Apache-2.0
"""Worker processes that always end with the call that started them.

Workers ignore Ctrl-C; the caller handles it, and its workers exit immediately. They also exit if
the caller is killed. Both work by a pipe whose other end only the caller holds.
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
        Called once in every process with `task`, before any item.
    task : any
        The shared data of the processes, sent once.
    """

    def __init__(self, count: int, begin: Callable[[Any], None], task: Any):
        context = multiprocessing.get_context("spawn")
        self._far, self._near = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            count, context, initializer=_initialize_process, initargs=(self._far, begin, task)
        )

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._near.close()  # every worker reads end of file and exits
        self._pool.shutdown(cancel_futures=True)
        self._near.close()
        self._far.close()

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, chunk: int
    ) -> Iterator[Result]:
        """Return the results in the order of the items, `chunk` of them sent at a time."""
        with _interrupts_held():  # processes started here inherit the mask
            return self._pool.map(function, items, chunksize=chunk)


def _initialize_process(pipe: Connection, begin: Callable[[Any], None], task: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_caller, args=(pipe,), daemon=True).start()
    begin(task)


def _end_with_caller(pipe: Connection) -> None:
    caller = multiprocessing.parent_process()
    wait([pipe] if caller is None else [pipe, caller.sentinel])
    os._exit(1)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block Ctrl-C: a process must not receive it before it ignores it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
