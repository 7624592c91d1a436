# SPDX-License-Identifier: Apache-2.0
"""Damaged files for every reader: errors on purpose, and work that grows with the file alone.

A few hundred files in `make test`; `make test-slow` goes on for AA_FUZZ_SECONDS (30 minutes).
A failure names target, seed and number: `AA_FUZZ_SEED=... AA_FUZZ_ONLY=target:number` repeats it.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import time
import tracemalloc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.fuzz.mutations import mutated
from tests.fuzz.targets import ON_PURPOSE, TARGETS, Target

SEED = os.environ.get("AA_FUZZ_SEED", "20261116")
SECONDS = float(os.environ.get("AA_FUZZ_SECONDS", "1800"))
ONLY = os.environ.get("AA_FUZZ_ONLY", "")
DAILY = 16  # files of each target in `make test`, more than any has seeds
COUNTED = 8  # one of so many runs counts its calls and its memory
# Calls of Python functions, and bytes, for a file of no length and for each byte of it.
CALLS, CALLS_PER_BYTE = 400_000, 200
BYTES, BYTES_PER_BYTE = 60_000_000, 3_000
LAST_RESORT_S = 120


class NeverEndsError(BaseException):
    """A reader was still at work after the last resort; no reader may take it for a bad file."""


@contextmanager
def last_resort() -> Iterator[None]:
    def strike(_signal: int, _frame: FrameType | None) -> None:
        raise NeverEndsError(f"no end after {LAST_RESORT_S} s")

    signal.signal(signal.SIGALRM, strike)
    signal.alarm(LAST_RESORT_S)
    try:
        yield
    finally:
        signal.alarm(0)


class Counter:
    """Counts calls of Python functions and the peak of memory in a block."""

    def __init__(self) -> None:
        self.calls = self.peak = 0

    def __enter__(self) -> Counter:
        gc.collect()
        tracemalloc.start()
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        self.peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    def _count(self, _frame: FrameType, event: str, _argument: Any) -> None:
        self.calls += event == "call"


def execute(target: Target, number: int, folder: Path) -> None:
    """Hand one damaged file to a reader; fail with what repeats it."""
    untouched = number < len(target.seeds)
    key = f"{SEED}/{target.name}/{number}"
    data = target.seeds[number] if untouched else mutated(target.seeds, key)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    counter = Counter() if number % COUNTED == 0 else None
    try:
        with warnings.catch_warnings(), last_resort():
            warnings.simplefilter("ignore")
            run(target, data, folder, counter, is_good=target.is_good and number == 0)
    except (Exception, NeverEndsError) as error:
        kept = folder.with_name(f"{target.name}-{number}")
        kept.write_bytes(data)
        pytest.fail(
            f"{target.name} {number}: {type(error).__name__}: {error}\n{kept} has the bytes; "
            f"AA_FUZZ_SEED={SEED} AA_FUZZ_ONLY={target.name}:{number} repeats it."
        )


def run(
    target: Target, data: bytes, folder: Path, counter: Counter | None, *, is_good: bool
) -> None:
    try:
        if counter is None:
            target.run(data, folder)
        else:
            with counter:
                target.run(data, folder)
    except ON_PURPOSE as error:
        assert str(error).strip(), "an error without words"
        assert not is_good, f"a good file was refused: {error}"
    if counter is not None:
        assert counter.calls <= CALLS + CALLS_PER_BYTE * len(data), f"{counter.calls} calls"
        assert counter.peak <= BYTES + BYTES_PER_BYTE * len(data), f"{counter.peak} bytes"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # the inventory keeps its digests below the current folder
    return tmp_path / "input"


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_seeds_and_some_damaged_files(target: Target, folder: Path) -> None:
    if ONLY:
        name, number = ONLY.split(":")
        if name == target.name:
            execute(target, int(number), folder)
        return
    for number in range(DAILY):
        execute(target, number, folder)


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 1200)
def test_damaged_files_for_half_an_hour(folder: Path) -> None:
    end, number = time.monotonic() + SECONDS, DAILY
    while time.monotonic() < end:
        for target in TARGETS:
            execute(target, number, folder)
        number += 1
    sys.stderr.write(f"{(number - DAILY) * len(TARGETS):,} files, seed {SEED}\n")
