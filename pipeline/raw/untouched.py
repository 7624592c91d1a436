# SPDX-License-Identifier: Apache-2.0
"""Makes sure that what a stage read is what the inventory saw.

The inventory digests contents before a build. A file that is changed while a stage reads it and
changed back before the next build would leave output that no digest can tell from fresh output;
its times tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipeline.base.errors import ChangedDuringBuildError
from pipeline.raw.files import shared_paths
from pipeline.raw.inventory import mark_files, mark_objects


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
        What the inventory saw; None for an object that is read without one, or whose turn comes
        at the end of its shard.
    """
    try:
        yield
    finally:
        if mark is not None and mark_files(root, paths) != mark:
            raise ChangedDuringBuildError(f"A raw file of {object_id}")


@dataclass(frozen=True, slots=True)
class Watch:
    """The marks of one shard's objects: who is compared when it was read, who at the end.

    Objects that share a folder are compared together when all were read, so that it is walked
    once. Any touch before that shows, because time only goes on.
    """

    root: Path
    early: Mapping[str, str]
    late: Mapping[str, tuple[Sequence[str], str]]

    def check(self) -> None:
        """Fail the shard if a file was touched of an object that shares some with another."""
        found = mark_objects(self.root, [paths for paths, _ in self.late.values()])
        for (object_id, (_, mark)), now in zip(self.late.items(), found, strict=True):
            if now != mark:
                raise ChangedDuringBuildError(f"A raw file of {object_id}")


def watch(root: Path, objects: Mapping[str, Sequence[str]], marks: Mapping[str, str]) -> Watch:
    """Return how to watch the objects of a shard, given their paths and their marks."""
    shared = shared_paths(objects.values())
    late = {key for key, paths in objects.items() if not shared.isdisjoint(paths)}
    return Watch(
        root,
        {key: mark for key, mark in marks.items() if key not in late},
        {key: (objects[key], mark) for key, mark in marks.items() if key in late},
    )
