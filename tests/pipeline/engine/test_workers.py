# SPDX-License-Identifier: Apache-2.0
"""The crew of workers: who leaves by itself, and who hangs or dies in the middle of an answer."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import psutil
import pytest

from pipeline.engine import workers
from pipeline.engine.workers import Crew, Died, TooSlow


@pytest.mark.parametrize("tasks_each", [1, 100])
def test_dismissed_workers_exit_by_themselves(tasks_each: int) -> None:
    before = set(multiprocessing.active_children())
    with Crew(bytes, count=3, seconds=600.0, gigabytes=64.0, tasks_each=tasks_each) as crew:
        for number in range(3):
            crew.give(number, b"%d" % number)
        workers = sorted(set(multiprocessing.active_children()) - before, key=lambda w: w.name)
        crew.rest()
    assert crew.answers == {0: b"0", 1: b"1", 2: b"2"}
    assert [worker.exitcode for worker in workers] == [0, 0, 0]  # -9 is one that had to be killed


ANSWER = bytes(range(256)) * 20_000  # more than a pipe holds


def half_sent(data: bytes, then: Callable[[], None]) -> Callable[[Connection, bytes], None]:
    """Return a way to send answers of which one does not get to its end."""

    def send(pipe: Connection, answer: bytes) -> None:
        if answer == b"bad":
            os.write(pipe.fileno(), data)
            then()
        sound(pipe, answer)

    sound = workers._send
    return send


def hang() -> None:
    time.sleep(600)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    "data", [b"\0" * 3, workers.LENGTH.pack(3), workers.LENGTH.pack(3) + b"ba",
             workers.LENGTH.pack(1 << 62) + b"ba"],
    ids=["half a length", "no byte", "half", "half of much"],
)  # fmt: skip
@pytest.mark.parametrize(("then", "end"), [(hang, TooSlow()), (die, Died(-signal.SIGKILL))])
def test_a_worker_that_stops_in_the_middle_of_its_answer(
    monkeypatch: pytest.MonkeyPatch, data: bytes, then: Callable[[], None], end: TooSlow | Died
) -> None:
    monkeypatch.setattr(workers, "_send", half_sent(data, then))
    before = set(multiprocessing.active_children())
    with Crew(bytes, count=2, seconds=1.0, gigabytes=64.0, tasks_each=100) as crew:
        for number, task in enumerate([b"bad", b"good"]):
            crew.give(number, task)
        crew.rest()
        crew.give(2, b"after")
        crew.rest()
    assert crew.answers == {0: end, 1: b"good", 2: b"after"}
    assert set(multiprocessing.active_children()) <= before


def report_itself(task: str) -> bytes:
    """Write the id of the process to a file, wait for a second file, and return its text."""
    folder = Path(task)
    (folder / "pid.tmp").write_text(str(os.getpid()))
    (folder / "pid.tmp").rename(folder / "pid")
    while not (folder / "go").exists():
        time.sleep(0.01)
    return (folder / "go").read_bytes()


def stop_for_a_while(folder: Path, stopped: list[str], seconds: float) -> None:
    """Stop a worker as soon as it works, and continue it after some seconds."""
    while not (folder / "pid").exists():
        time.sleep(0.01)
    pid = int((folder / "pid").read_text())
    os.kill(pid, signal.SIGSTOP)
    (folder / "go").write_bytes(b"done")
    time.sleep(seconds)
    stopped.append(psutil.Process(pid).status())
    os.kill(pid, signal.SIGCONT)


def test_a_worker_that_is_stopped_beyond_its_deadline_still_answers(tmp_path: Path) -> None:
    stopped: list[str] = []
    thread = threading.Thread(target=stop_for_a_while, args=(tmp_path, stopped, 4.5))
    with Crew(report_itself, count=1, seconds=3.0, gigabytes=64.0, tasks_each=100) as crew:
        crew.give(0, str(tmp_path))
        thread.start()
        crew.rest()
        thread.join()
    assert stopped == [psutil.STATUS_STOPPED]
    assert crew.answers == {0: b"done"}


def test_a_build_that_is_stopped_as_a_whole_loses_no_answer(tmp_path: Path) -> None:
    """Ctrl-Z stops the parent too, which must not count the time of the stop when it goes on."""

    def build() -> None:
        with Crew(report_itself, count=1, seconds=3.0, gigabytes=64.0, tasks_each=100) as crew:
            crew.give(0, str(tmp_path))
            crew.rest()
        (tmp_path / "answer").write_text(repr(crew.answers[0]))

    process = multiprocessing.get_context("fork").Process(target=build)
    process.start()
    while not (tmp_path / "pid").exists():
        time.sleep(0.01)
    both = [int(process.pid or 0), int((tmp_path / "pid").read_text())]
    for pid in both:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(4.5)
    for pid in reversed(both):  # the parent finds a worker that runs again
        os.kill(pid, signal.SIGCONT)
    time.sleep(0.2)  # the parent looks at its worker, which has not answered yet
    (tmp_path / "go").write_bytes(b"done")
    process.join()
    assert (tmp_path / "answer").read_text() == repr(b"done")


@pytest.mark.parametrize("task", ["sleeps", "computes"])
def test_a_worker_that_hangs_is_ended_at_its_deadline(task: str) -> None:
    def hang_or_loop(task: str) -> bytes:
        while True:
            if task == "sleeps":
                time.sleep(600)

    with Crew(hang_or_loop, count=1, seconds=0.5, gigabytes=64.0, tasks_each=100) as crew:
        crew.give(0, task)
        crew.rest()
    assert crew.answers == {0: TooSlow()}


def test_answers_of_any_length_are_complete() -> None:
    def give(size: int) -> bytes:
        return ANSWER[:size]

    sizes = [0, 1, len(ANSWER), 8, len(ANSWER) - 1]
    with Crew(give, count=2, seconds=600.0, gigabytes=64.0, tasks_each=3) as crew:
        for number, size in enumerate(sizes):
            while not crew.has_room():
                crew.wait()
            crew.give(number, size)
        crew.rest()
    assert [len(crew.answers[number]) for number in range(len(sizes))] == sizes
    assert all(crew.answers[n] == ANSWER[:size] for n, size in enumerate(sizes))
