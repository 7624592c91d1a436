# SPDX-License-Identifier: Apache-2.0
"""The crew of workers: who is not needed any more leaves by itself."""

from __future__ import annotations

import multiprocessing

import pytest

from pipeline.engine.workers import Crew


@pytest.mark.parametrize("tasks_each", [1, 100])
def test_workers_that_are_dismissed_leave_by_themselves(tasks_each: int) -> None:
    before = set(multiprocessing.active_children())
    with Crew(bytes, count=3, seconds=600.0, gigabytes=64.0, tasks_each=tasks_each) as crew:
        for number in range(3):
            crew.give(number, b"%d" % number)
        workers = sorted(set(multiprocessing.active_children()) - before, key=lambda w: w.name)
        crew.rest()
    assert crew.answers == {0: b"0", 1: b"1", 2: b"2"}
    assert [worker.exitcode for worker in workers] == [0, 0, 0]  # -9 is one that had to be killed
