# SPDX-License-Identifier: Apache-2.0
"""Child processes that never outlive their parent, and the reasons why they ended."""

from __future__ import annotations

import ctypes
import logging
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from types import FrameType
from typing import Any

import psutil

from pipeline.base.errors import MemoryLimitError

PR_SET_PDEATHSIG = 1  # <sys/prctl.h>
STDERR = 2
# A process causes these signals itself; every other signal comes from outside.
OWN_FAULTS = (
    signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSYS,
    signal.SIGTRAP,
)  # fmt: skip
# Signals that end a command like Ctrl-C: from an operator, a shutdown or a closed terminal.
ENDING = (signal.SIGTERM, signal.SIGHUP)
GRACE_S = 10.0  # for removing temporary files; no result depends on it

_abandoned: list[Any] = []


def end_with_parent(parent: int) -> None:
    """Let the kernel end this process when the process `parent` ends for any reason.

    If the parent ended before `prctl` was called, no signal arrives: check once and exit here.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def use_own_stderr() -> None:
    """Let a forked worker write its log through its own stream.

    Another thread of the parent may have been writing during the fork. The worker's copy of that
    stream then stays locked, and its first log line would block forever.
    """
    fresh = open(STDERR, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            _abandoned.append(handler.stream)  # not closed, which would wait for its lock
            handler.stream = fresh
    sys.stderr = fresh


class Interrupted(KeyboardInterrupt):
    """A signal requested the end of the command."""

    def __init__(self, number: int):
        self.number = number
        super().__init__(signal.Signals(number).name)


def end_like_ctrl_c() -> None:
    """Let termination signals raise `Interrupted`, once; forked children end by the signal."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under `nohup`
            signal.signal(number, _raise_interrupt)
    os.register_at_fork(after_in_child=end_by_signals)


def end_by_signals() -> None:
    """Restore the default of termination signals, so that the exit code names the signal."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _raise_interrupt(number: int, _frame: FrameType | None) -> None:
    for each in (*ENDING, signal.SIGINT):  # a second signal must not interrupt the cleanup
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(number)


def end_group(process: subprocess.Popen[Any]) -> None:
    """End a child and its process group, with some seconds to clean up."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def outside_signal(exit_code: int | None) -> str | None:
    """Return the name of the signal from outside that ended a process, None if there was none."""
    if exit_code is None or exit_code >= 0 or -exit_code in OWN_FAULTS:
        return None
    try:
        return signal.Signals(-exit_code).name
    except ValueError:  # a real-time signal
        return f"signal {-exit_code}"


def is_stopped(pid: int) -> bool:
    """Return whether a process is stopped, by SIGSTOP, Ctrl-Z or a debugger."""
    try:
        state = psutil.Process(pid).status()
    except psutil.Error:  # it has ended
        return False
    return state in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP)


def require_memory(gigabytes: float) -> None:
    """Raise if this process cannot give a worker the memory of budgets.memory_gb."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY and hard < int(gigabytes * 2**30):
        raise MemoryLimitError(hard, gigabytes)


def limit_memory(gigabytes: float) -> None:
    """Limit the address space of this process."""
    limit = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
