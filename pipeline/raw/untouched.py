# SPDX-License-Identifier: Apache-2.0
"""Makes sure that what a stage read is what the inventory saw.

The inventory digests contents before a build. A file that is changed while a stage reads it and
changed back before the next build would leave output that no digest can tell from fresh output;
its times tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pipeline.base.errors import ChangedDuringBuildError
from pipeline.raw.inventory import mark_files


@contextmanager
def untouched(object_id: str, root: Path, paths: Sequence[str], mark: str | None) -> Iterator[None]:
    """Fail the shard if the object's files were touched since the inventory, also on a rejection.

    Parameters
    ----------
    object_id : str
        For the sentence.
    root, paths
        Where the object lies, as in `open_raw`.
    mark : str or None
        What the inventory saw; None for an object that is read without one.
    """
    try:
        yield
    finally:
        if mark is not None and mark_files(root, paths) != mark:
            raise ChangedDuringBuildError(f"A raw file of {object_id}")
