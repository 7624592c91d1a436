# SPDX-License-Identifier: Apache-2.0
"""Child processes that never outlive the process that started them."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
from typing import Any

PR_SET_PDEATHSIG = 1  # <sys/prctl.h>
STDERR = 2

_abandoned: list[Any] = []


def end_with_parent(parent: int) -> None:
    """Let the kernel end this process when the process `parent` ends, however that happens.

    The kernel tells nobody of a parent that was gone before it was asked; then the end comes here.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def use_own_stderr() -> None:
    """Let a forked worker write its log through a stream of its own.

    The fork may have caught another thread of the parent in the middle of a write: the copy of that
    stream stays locked for ever, and the first word of the worker would wait for it.
    """
    fresh = open(STDERR, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            _abandoned.append(handler.stream)  # kept alive: to close it would wait for its lock
            handler.stream = fresh
    sys.stderr = fresh
