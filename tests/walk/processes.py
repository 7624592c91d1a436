# SPDX-License-Identifier: Apache-2.0
"""Who is whose child, read from the kernel."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Container, Iterator
from pathlib import Path


def session_members(session: int) -> set[int]:
    """Return the living processes of a session; one that waits to be collected does not live."""
    return {pid for pid, (state, _, found) in _table().items() if found == session and state != "Z"}


def workers(session: int, stage: str, others: Container[int]) -> set[int]:
    """Return the worker processes of a stage's jobs: children of a job that are jobs by name.

    `others` are processes of other sessions, which need not be read again.
    """
    table = _table(others)
    jobs = {pid for pid, row in table.items() if row[2] == session and _runs(pid, stage)}
    return {pid for pid in jobs if table[pid][1] in jobs}


def _table(others: Container[int] = ()) -> dict[int, tuple[str, int, int]]:
    """Return state, parent and session of every process."""
    rows = {}
    for folder in Path("/proc").glob("[0-9]*"):
        if int(folder.name) in others:
            continue
        with contextlib.suppress(OSError):
            words = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            rows[int(folder.name)] = words[0], int(words[1]), int(words[3])
    return rows


def _runs(pid: int, stage: str) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[1:4] == [b"-m", b"pipeline", stage.encode()]


@contextlib.contextmanager
def hunted(session: int, stage: str, *, most: int) -> Iterator[list[int]]:
    """Kill workers of a stage as an operator or the kernel would, so many of them."""
    killed: list[int] = []
    stop = threading.Event()
    others = {pid for pid, row in _table().items() if row[2] != session}

    def hunt() -> None:
        while not stop.is_set() and len(killed) < most:
            found = workers(session, stage, others)
            for pid in sorted(found - set(killed))[: most - len(killed)]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            time.sleep(0.02)

    thread = threading.Thread(target=hunt)
    thread.start()
    try:
        yield killed
    finally:
        stop.set()
        thread.join()
