# SPDX-License-Identifier: Apache-2.0
"""Locks of files: the kernel drops one with the process that holds it, however that ends."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def locked(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[TextIO | None]:
    """Hold a lock on a file, which is made if absent; give its stream.

    Parameters
    ----------
    path : Path
        The file; its folder is made if absent. Its content is not touched.
    shared : bool
        Let others hold it too, if they share it as well.
    wait : bool
        Wait for who holds it; otherwise None is given, and nothing is held.
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
