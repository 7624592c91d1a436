# SPDX-License-Identifier: Apache-2.0
"""Captures the output of a simulator, including compiled code that bypasses Python's streams."""

from __future__ import annotations

import ctypes
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

_STREAMS = (1, 2)  # file descriptors of stdout and stderr


@contextmanager
def captured_output() -> Iterator[list[str]]:
    """Collect every line that the block prints, logs as a warning or warns.

    The yielded list is filled at the end of the block.
    """
    captured: list[str] = []
    log = _Lines(captured)
    logging.getLogger().addHandler(log)
    with tempfile.TemporaryFile() as file, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        _flush_streams()
        kept = [os.dup(stream) for stream in _STREAMS]
        try:
            for stream in _STREAMS:
                os.dup2(file.fileno(), stream)
            yield captured
        finally:
            _flush_streams()
            for stream, copy in zip(_STREAMS, kept, strict=True):
                os.dup2(copy, stream)
                os.close(copy)
            logging.getLogger().removeHandler(log)
            captured += _written_lines(file) + [str(one.message) for one in warned]


class _Lines(logging.Handler):
    """Collects warnings and errors of all loggers."""

    def __init__(self, lines: list[str]):
        super().__init__(logging.WARNING)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())


def _written_lines(file: BinaryIO) -> list[str]:
    file.seek(0)
    text = file.read().decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _flush_streams() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)
