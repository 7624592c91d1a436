# SPDX-License-Identifier: Apache-2.0
"""A child ends with its parent, also where the parent was gone before the child asked for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

# A parent that forks and ends; its child asks to end with it, before or after it is gone.
PROGRAM = """
import os, sys, time
from pipeline.engine.processes import end_with_parent

parent, late = os.getpid(), sys.argv[1] == "late"
if os.fork():
    while not late:
        time.sleep(600)
    os._exit(0)
while late and os.getppid() == parent:
    time.sleep(0.01)
os.write(1, b"asks ")
end_with_parent(parent)
os.write(1, b"goes on ")
time.sleep(600 if not late else 0)
os.write(1, b"outlives ")
"""


def words(mode: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join(sys.path)
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, mode],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
    )


def test_a_child_whose_parent_is_gone_already_ends_at_once() -> None:
    with words("late") as parent:
        assert parent.stdout is not None
        assert parent.wait(60) == 0
        assert parent.stdout.read() == b"asks "  # until the child, too, has closed it


@pytest.mark.timeout(120)
def test_a_child_runs_until_its_parent_is_killed() -> None:
    with words("early") as parent:
        assert parent.stdout is not None
        said = b""
        while said != b"asks goes on ":
            said += os.read(parent.stdout.fileno(), 100)
        start = time.monotonic()
        os.kill(parent.pid, signal.SIGKILL)
        assert parent.stdout.read() == b""
        assert time.monotonic() - start < 30
