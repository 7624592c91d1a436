# SPDX-License-Identifier: Apache-2.0
"""Work on the next items in threads while the caller uses the current one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from aa_dataset.errors import ArgumentError

Given = TypeVar("Given")
Made = TypeVar("Made")


def prefetched(
    items: Iterable[Given], load: Callable[[Given], Made], *, ahead: int, threads: int
) -> Iterator[Made]:
    """Yield `load` of every item in order, with at most `ahead` results that nobody took yet.

    An error is raised where its result would be. Items that were not begun when the caller stops
    are left out.
    """
    for name, value in (("ahead", ahead), ("threads", threads)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ArgumentError(f"`{name}` is {value!r}; it must be a number from 1 on.")
    return _in_order(items, load, ahead, threads)


def _in_order(
    items: Iterable[Given], load: Callable[[Given], Made], ahead: int, threads: int
) -> Iterator[Made]:
    pool = ThreadPoolExecutor(min(threads, ahead), "aa-prefetch")
    waiting: deque[Future[Made]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(load, item))
            if len(waiting) == ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
