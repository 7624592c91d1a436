# SPDX-License-Identifier: Apache-2.0
"""File locks; the kernel releases a lock when its process ends for any reason."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def locked(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[TextIO | None]:
    """Hold a lock on a file, which is created if absent; yield its stream.

    Parameters
    ----------
    path : Path
        The file; its folder is created if absent. Its content is not changed.
    shared : bool
        Allow other shared locks at the same time.
    wait : bool
        Wait for the current holder; otherwise None is yielded and no lock is held.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    with path.open("a") as stream:
        try:
            fcntl.flock(stream, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        yield stream
