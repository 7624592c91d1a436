# SPDX-License-Identifier: Apache-2.0
"""Signals to a real build: a sentence, no process left; workers that are killed lose no object."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.walk.processes import hunted, session_members
from tests.walk.test_interruption import PATIENCE_S, clear_logs, kill_group, stage_started
from tests.walk.workspaces import Workspace, environment

SENTENCE = "Interrupted. Finished work is kept; run the command again to continue.\n"


def start(workspace: Workspace, errors: Path) -> subprocess.Popen[bytes]:
    """Start a build in a session of its own, whose logs are all new."""
    clear_logs(workspace)
    return workspace.start(errors)


def wait_for_stage(workspace: Workspace, stage: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not stage_started(workspace, stage) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert stage_started(workspace, stage)


def wait_until_gone(session: int) -> None:
    """Fail unless every process of a session ends."""
    deadline = time.monotonic() + PATIENCE_S
    while session_members(session) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert session_members(session) == set()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_the_main_process_ends_all_of_them(
    tiny_fresh: Workspace, tmp_path: Path, number: int
) -> None:
    process = start(tiny_fresh, tmp_path / "errors")
    try:
        wait_for_stage(tiny_fresh, "normalize")
        assert len(session_members(process.pid)) > 2
        os.kill(process.pid, number)
        assert process.wait(PATIENCE_S) == 128 + number
        wait_until_gone(process.pid)
    finally:
        kill_group(process)
    said = (tmp_path / "errors").read_text()
    assert said.endswith(SENTENCE)
    assert "Traceback" not in said
    assert not list((tiny_fresh.root / "work").rglob("*.tmp[0-9]*"))


def test_a_terminal_that_closes_ends_all_of_them(tiny_fresh: Workspace) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tiny_fresh.root)
        os.execve(sys.executable, [sys.executable, "-m", *tiny_fresh.build_words], environment())
    try:
        wait_for_stage(tiny_fresh, "normalize")
        assert len(session_members(pid)) > 2
    finally:
        os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.WIFEXITED(status)
    wait_until_gone(pid)


def test_workers_that_are_killed_cost_no_object(
    tiny_built: Workspace, tiny_fresh: Workspace, tmp_path: Path
) -> None:
    """Killed as often as they come, the shard fails; killed once, nobody notices."""
    process = start(tiny_fresh, tmp_path / "errors")
    try:
        with hunted(process.pid, "normalize", most=10**6) as killed:
            assert process.wait(PATIENCE_S) == 2
        assert killed
    finally:
        kill_group(process)
    said = (tmp_path / "errors").read_text()
    assert "was killed from outside by SIGKILL" in said
    assert "Traceback" not in said
    process = start(tiny_fresh, tmp_path / "errors")
    try:
        with hunted(process.pid, "annotate", most=1) as killed:
            assert process.wait(PATIENCE_S) == 0
        assert len(killed) == 1
    finally:
        kill_group(process)
    assert tiny_fresh.digests() == tiny_built.digests()
