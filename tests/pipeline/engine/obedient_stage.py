# SPDX-License-Identifier: Apache-2.0
"""A stage whose objects fail, crash, hang or fill the memory as a test chooses."""

from __future__ import annotations

import ctypes
import faulthandler
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.base.errors import (
    DamagedFileError,
    Rejection,
)
from pipeline.base.reasons import Code, Finding, Reason
from pipeline.base.records import Record
from pipeline.base.tables import read_rows
from pipeline.engine.runner import Job, Outcome, Task, run_shard
from pipeline.engine.settings import CategorizeSettings
from tests.kit import bench
from tests.kit import settings as settings_kit


@dataclass(frozen=True, slots=True)
class Value(Record):
    """The record of the stage of these tests."""

    value: int


@dataclass(frozen=True, slots=True)
class Surplus(Value):
    """A record of another kind than the stage promises."""

    surplus: int


class SpeechlessError(Exception):
    """An error without a usable message."""

    def __str__(self) -> str:
        raise ValueError("no words")


def obey(task: Task, settings: CategorizeSettings) -> Outcome:
    """Do to the worker what the task's data name."""
    match task.data:
        case "raise":
            raise ValueError("a bug")
        case "speechless":
            raise SpeechlessError
        case "surrogate":
            raise ValueError("file \udc80 is odd")
        case "reject":
            raise Rejection(Reason.MESH_MISSING, "a.obj does not exist.")
        case "damaged":
            raise DamagedFileError(Path("work/a.tar"), "cut off")
        case "exit":
            os._exit(3)
        case "leave":
            os._exit(0)
        case ("signal", number, times):  # as somebody else would: so often, then no more
            with Path("attempts").open("a") as stream:
                stream.write(f"{os.getpid()}\n")
            faulthandler.disable()
            if len(attempts()) <= times:
                os.kill(os.getpid(), number)
        case ("hoard", times):
            with Path("attempts").open("a") as stream:
                stream.write(f"{os.getpid()}\n")
            if len(attempts()) <= times:
                raise MemoryError
        case ("full", number):
            raise OSError(number, os.strerror(number))
        case ("import", words):
            raise ImportError(words)
        case "sys.exit":
            raise SystemExit(4)
        case "segfault":
            faulthandler.disable()  # its report would fill the log of the tests
            ctypes.string_at(0)
        case "loop":
            while True:
                pass
        case "memory":
            hoard = [np.empty(256 << 20, np.uint8) for _ in range(10_000)]  # never touched
            return Outcome(Value(len(hoard)))
        case "recurse":
            return obey(task, settings)
        case "unpicklable":
            return Outcome(Value(lambda: 0))
        case "notes":
            notes = (Finding(Code.MESH_OPEN, "b"), Finding(Code.LIMIT_ZERO, "z"))
            return Outcome(Value(0), (*notes, Finding(Code.MESH_OPEN, "a \udc80")))
        case "surplus":
            return Outcome(Surplus(0, 1))
        case "file":
            data = hashlib.sha256(task.object_id.encode()).digest()
            return Outcome(Value(1), files={"b.bin": data * 9, "a/c.txt": b"text"})
    return Outcome(Value(task.data if isinstance(task.data, int) else 0))


def attempts() -> list[str]:
    """Return the processes that took the task up so far."""
    return Path("attempts").read_text().split()


def job_in(folder: Path, **options: Any) -> Job[CategorizeSettings]:
    """Return a job with short budgets."""
    budgets = replace(settings_kit.BUDGETS, **options.pop("budgets", {}))
    return bench.shard_job(folder, "stage", settings=CategorizeSettings(budgets), **options)


def run(job: Job, orders: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Run the orders and return code and detail of every reject."""
    tasks = [Task(key, order) for key, order in orders.items()]
    run_shard(job, tasks, process=obey, record=Value)
    return {row["object_id"]: (row["code"], row["detail"]) for row in rejects(job)}


def records(job: Job) -> list[str]:
    """Return the ids of the records, in the order of the file."""
    return [row["object_id"] for row in read_rows(job.outputs["records"])]


def rejects(job: Job) -> list[dict[str, Any]]:
    """Return the reject rows, in the order of the file."""
    return read_rows(job.outputs["rejects"])


def files_below(folder: Path) -> set[str]:
    """Return the names of all files in a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
