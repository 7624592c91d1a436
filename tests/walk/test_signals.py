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


def assert_interrupted(workspace: Workspace, errors: Path) -> None:
    """Fail unless the build ended with its sentence and left no temporary file."""
    text = errors.read_text()
    assert text.endswith(SENTENCE)
    assert "Traceback" not in text
    assert not list((workspace.root / "work").rglob("*.tmp[0-9]*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_main_process_ends_all_of_them(
    tiny_ingested: Workspace, tmp_path: Path, number: int
) -> None:
    process = start(tiny_ingested, tmp_path / "errors")
    try:
        wait_for_stage(tiny_ingested, "normalize")
        assert len(session_members(process.pid)) > 2
        os.kill(process.pid, number)
        assert process.wait(PATIENCE_S) == 128 + number
        wait_until_gone(process.pid)
    finally:
        kill_group(process)
    assert_interrupted(tiny_ingested, tmp_path / "errors")


def test_a_terminal_that_closes_ends_all_of_them(tiny_ingested: Workspace, tmp_path: Path) -> None:
    """The kernel sends SIGHUP to the processes of the terminal."""
    clear_logs(tiny_ingested)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tiny_ingested.root)
        os.dup2(os.open(tmp_path / "errors", os.O_WRONLY | os.O_CREAT), 2)
        words = [sys.executable, "-m", *tiny_ingested.build_words]
        os.execve(sys.executable, words, environment())
    try:
        wait_for_stage(tiny_ingested, "normalize")
        assert len(session_members(pid)) > 2
    finally:
        os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP
    wait_until_gone(pid)
    assert_interrupted(tiny_ingested, tmp_path / "errors")


def test_workers_that_are_killed_cost_no_object(
    tiny_built: Workspace, tiny_ingested: Workspace, tmp_path: Path
) -> None:
    """The shard fails if every worker is killed; if one is killed, no object is lost."""
    process = start(tiny_ingested, tmp_path / "errors")
    try:
        with hunted(process.pid, "normalize", most=10**6) as killed:
            assert process.wait(PATIENCE_S) == 2
        assert killed
    finally:
        kill_group(process)
    text = (tmp_path / "errors").read_text()
    assert "was killed from outside by SIGKILL" in text
    assert "Traceback" not in text
    process = start(tiny_ingested, tmp_path / "errors")
    try:
        with hunted(process.pid, "annotate", most=1) as killed:
            assert process.wait(PATIENCE_S) == 0
        assert len(killed) == 1
    finally:
        kill_group(process)
    assert tiny_ingested.digests() == tiny_built.digests()
