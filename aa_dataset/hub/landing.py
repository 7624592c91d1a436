# SPDX-License-Identifier: Apache-2.0
"""Downloads into the cache: temporary name, check, rename; nothing unchecked has the real name."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from aa_dataset.assets.cache import HOME_VARIABLE, CacheError, current_umask
from aa_dataset.errors import ArenaError
from aa_dataset.files import write_sentence

_PREFIX = ".tmp-"
_OLD = 24 * 3600  # [s] after which a temporary file belongs to no running program


def land(
    target: Path, chunks: Iterable[bytes], *, size: int, check: Callable[[Path], object]
) -> None:
    """Write a file of the cache; several processes may write the same one.

    Parameters
    ----------
    target : Path
        The file; an existing one is replaced.
    chunks : iterable of bytes
        The contents.
    size : int [B]
        Length of the contents, for the message of a full disk.
    check : callable
        Called with the temporary file; raises if the contents are wrong.

    Raises
    ------
    CacheError
        If the disk is full or the folder cannot be written.
    """
    temporary = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=_PREFIX, dir=target.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as stream:
            for chunk in chunks:
                stream.write(chunk)
        check(temporary)
        temporary.chmod(0o666 & ~current_umask())
        temporary.replace(target)
    except ArenaError:
        raise
    except OSError as error:
        raise CacheError(
            f"{write_sentence(target, error, least_bytes=size)} {HOME_VARIABLE} can name a folder "
            "on another disk."
        ) from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove temporary files that killed programs left in a folder a day ago or earlier."""
    for path in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _OLD:
                path.unlink()
