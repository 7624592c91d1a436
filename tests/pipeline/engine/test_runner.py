# SPDX-License-Identifier: Apache-2.0
"""The shard runner: books, isolation, budgets, whole and repeatable output."""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import multiprocessing
import os
import resource
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import (
    DamagedFileError,
    MachineError,
    PipelineError,
    Rejection,
    WorkerKilledError,
)
from pipeline.engine.runner import Outcome, Task, run_shard
from tests.pipeline.engine.obedient_stage import (
    Value,
    attempts,
    files_below,
    job_in,
    obey,
    records,
    rejects,
    run,
)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_object_affects_no_other(elsewhere: Path, workers: int) -> None:
    orders = {
        "a1": 1, "b": "raise", "c": "reject", "d1": 2, "e": "exit", "f": "segfault",
        "g1": 3, "h": "recurse", "i": "sys.exit", "j": "speechless", "k": "surrogate",
        "l": "unpicklable", "m": "leave", "z1": 4,
    }  # fmt: skip
    job = job_in(Path("out"), workers=workers)
    found = run(job, orders)
    assert records(job) == ["a1", "d1", "g1", "z1"]
    assert sorted([*records(job), *found]) == sorted(orders)
    codes = {key: code for key, (code, _) in found.items()}
    assert codes == {
        "b": "internal_error", "c": "mesh_missing", "e": "worker_crashed", "f": "worker_crashed",
        "h": "internal_error", "i": "internal_error", "j": "internal_error", "k": "internal_error",
        "l": "internal_error", "m": "worker_crashed",
    }  # fmt: skip
    assert found["b"][1] == "ValueError: a bug"
    assert found["c"][1] == "a.obj does not exist."
    assert found["e"][1] == found["f"][1]  # the same words, whatever the signal of a machine
    assert "by itself twice" in found["f"][1]
    assert found["k"][1] == "ValueError: file ? is odd"
    assert all(row["source"] == "test" and row["stage"] == "stage" for row in rejects(job))


def test_what_would_be_rejected_may_be_kept_in_spite_of_it(elsewhere: Path) -> None:
    job = job_in(Path("out"))
    tasks = [Task(key, order) for key, order in {"a": 1, "b": "reject", "c": "segfault"}.items()]
    reasons = []

    def instead(rejection: Rejection) -> Outcome[Value]:
        reasons.append(str(rejection.reason))
        return Outcome(Value(0))

    run_shard(job, tasks, process=obey, record=Value, instead=instead)
    assert records(job) == ["a", "b", "c"] and rejects(job) == []
    assert reasons == ["mesh_missing", "worker_crashed"]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_worker_that_is_killed_once_costs_nothing(
    elsewhere: Path, workers: int, number: int
) -> None:
    order = 0 if number == signal.SIGINT else 1  # Ctrl-C is for the parent: a worker ignores it
    job = job_in(Path("out"), workers=workers)
    assert run(job, {"a": 1, "b": ("signal", number, 1), "c": 2}) == {}
    assert records(job) == ["a", "b", "c"]
    assert len(attempts()) == len(set(attempts())) == 1 + order


def test_a_worker_that_is_killed_twice_fails_the_shard_and_a_later_run_succeeds(
    elsewhere: Path,
) -> None:
    job = job_in(Path("out"))
    orders = {"a": 1, "b": ("signal", signal.SIGKILL, 2), "c": 2}
    with pytest.raises(WorkerKilledError, match=r"worker of b .* by SIGKILL.*next `make library`"):
        run(job, orders)
    assert files_below(Path("out")) == set()
    assert run(job, orders) == {}  # the same order, a third attempt: healed
    assert records(job) == ["a", "b", "c"]


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS])
def test_a_crash_that_does_not_repeat_loses_no_object(elsewhere: Path, number: int) -> None:
    job = job_in(Path("out"))
    assert run(job, {"a": ("signal", number, 1)}) == {}
    assert len(attempts()) == 2


def test_a_kill_between_two_faults_of_its_own_changes_nothing(elsewhere: Path) -> None:
    """The reject is the same rows, whether or not somebody killed a worker on the way."""
    quiet, disturbed = job_in(Path("quiet")), job_in(Path("disturbed"), workers=2)
    run(quiet, {"a": 1, "b": "segfault", "c": 2})
    stop = threading.Event()
    hunter = threading.Thread(target=kill_one_child, args=(stop,))
    hunter.start()
    run(disturbed, {"a": 1, "b": "segfault", "c": 2})
    stop.set()
    hunter.join()
    for name, path in quiet.outputs.items():
        assert path.read_bytes() == disturbed.outputs[name].read_bytes()


def kill_one_child(stop: threading.Event) -> None:
    """Kill the first child of this process, which is a worker, as soon as it is there."""
    while not stop.is_set():
        for path in Path("/proc/self/task").glob("*/children"):
            with contextlib.suppress(OSError):
                for child in path.read_text().split():
                    os.kill(int(child), signal.SIGKILL)
                    return


def test_memory_is_judged_in_a_fresh_process(elsewhere: Path) -> None:
    job = job_in(Path("out"))
    assert run(job, {"a": 1, "b": ("hoard", 1)}) == {}
    assert len(set(attempts())) == 2
    Path("attempts").unlink()
    assert run(job, {"b": ("hoard", 9)})["b"][0] == "memory_exceeded"
    assert len(attempts()) == 2


@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EMFILE, errno.EIO, errno.EAGAIN, errno.EACCES, errno.ESTALE]
)
def test_trouble_of_the_machine_blames_no_object(elsewhere: Path, number: int) -> None:
    job = job_in(Path("out"))
    with pytest.raises(MachineError, match=rf"b: \[Errno {number}\]"):
        run(job, {"a": 1, "b": ("full", number)})
    assert files_below(Path("out")) == set()


def test_a_package_that_cannot_be_loaded_blames_no_object(elsewhere: Path) -> None:
    job = job_in(Path("out"))
    with pytest.raises(
        MachineError, match=r"b: .*libGL\.so\.1: cannot open.* run the command again"
    ):
        run(job, {"a": 1, "b": ("import", "libGL.so.1: cannot open shared object file")})
    assert files_below(Path("out")) == set()
    full = "x.so: failed to map segment from shared object: Cannot allocate memory"
    assert run(job, {"a": 1, "b": ("import", full)})["b"][0] == "memory_exceeded"


def test_a_shell_that_allows_less_memory_than_the_budget_is_a_sentence(elsewhere: Path) -> None:
    """In a process of its own: a limit that is lowered cannot be raised again."""
    job = job_in(Path("out"), budgets={"memory_gb": 64})

    def limited(words: Any) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (48 << 30, 48 << 30))
        try:
            run_shard(job, [Task("a", 1)], process=obey, record=Value)
        except PipelineError as error:
            words.send(str(error))

    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=limited, args=(theirs,))
    child.start()
    assert ours.poll(60)
    words = ours.recv()
    child.join()
    assert "51,539,607,552 bytes" in words and "68,719,476,736" in words
    assert "ulimit -v" in words and "budgets.memory_gb" in words


def test_a_runaway_loop_costs_that_object(elsewhere: Path) -> None:
    job = job_in(Path("out"), budgets={"object_seconds": 1.0})
    found = run(job, {"a": 1, "b": "loop", "c": 2})
    assert records(job) == ["a", "c"]
    assert found["b"][0] == "time_exceeded"
    assert "not reproducible" in found["b"][1]


def test_a_memory_runaway_costs_that_object(elsewhere: Path) -> None:
    job = job_in(Path("out"), budgets={"memory_gb": 6})
    found = run(job, {"a": 1, "b": "memory", "c": 2})
    assert records(job) == ["a", "c"]
    assert found["b"][0] == "memory_exceeded"
    assert "6 GB" in found["b"][1]


def test_a_damaged_file_of_ours_stops_the_shard_and_blames_no_object(elsewhere: Path) -> None:
    job = job_in(elsewhere / "out")
    with pytest.raises(DamagedFileError, match=r"work/a\.tar is damaged \(cut off\)"):
        run(job, {"a": 1, "b": "damaged", "c": 2})
    assert files_below(elsewhere / "out") == set()


def test_a_worker_that_was_forked_during_a_write_to_the_log_is_not_stuck(elsewhere: Path) -> None:
    """The buffer of the log is locked while the worker is forked, and the worker has to speak."""
    entered, leave = threading.Event(), threading.Event()

    class Slow(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            entered.set()
            leave.wait(60)
            return len(data)

    stream = io.TextIOWrapper(io.BufferedWriter(Slow()), write_through=True)
    handler = logging.StreamHandler(stream)
    logging.getLogger().addHandler(handler)
    writer = threading.Thread(target=lambda: (stream.write("x"), stream.flush()))
    writer.start()
    try:
        assert entered.wait(10)
        threading.Timer(3.0, leave.set).start()  # this process may log again, once it has forked
        job = job_in(Path("out"), budgets={"object_seconds": 20})
        assert run(job, {"a": "raise"})["a"][0] == "internal_error"
    finally:
        leave.set()
        writer.join()
        logging.getLogger().removeHandler(handler)
