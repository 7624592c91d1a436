# SPDX-License-Identifier: Apache-2.0
"""Checks that the files a stage read are those that the inventory digested.

The inventory digests contents before a build. If a file is changed while a stage reads it and
restored before the next build, digests cannot detect the wrong output. The file's times can.
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
    """Fail the shard if the object's files changed since the inventory, also on a rejection.

    Parameters
    ----------
    object_id : str
        For the error message.
    root, paths
        The object's files, as in `open_raw`.
    mark : str or None
        The mark from the inventory; None for an object without one, or one that is compared at
        the end of its shard.
    """
    try:
        yield
    finally:
        if mark is not None and mark_files(root, paths) != mark:
            raise ChangedDuringBuildError(f"A raw file of {object_id}")


@dataclass(frozen=True, slots=True)
class Watch:
    """The marks of one shard's objects: those compared after each object, and those at the end.

    Objects that share a folder are compared together at the end, so that it is walked once. Any
    earlier change is still detected, because times only increase.
    """

    root: Path
    early: Mapping[str, str]
    late: Mapping[str, tuple[Sequence[str], str]]

    def check(self) -> None:
        """Fail the shard if a file changed of an object that shares files with another."""
        found = mark_objects(self.root, [paths for paths, _ in self.late.values()])
        for (object_id, (_, mark)), now in zip(self.late.items(), found, strict=True):
            if now != mark:
                raise ChangedDuringBuildError(f"A raw file of {object_id}")


def watch(root: Path, objects: Mapping[str, Sequence[str]], marks: Mapping[str, str]) -> Watch:
    """Return how to compare the objects of a shard, given their paths and marks."""
    shared = shared_paths(objects.values())
    late = {key for key, paths in objects.items() if not shared.isdisjoint(paths)}
    return Watch(
        root,
        {key: mark for key, mark in marks.items() if key not in late},
        {key: (objects[key], mark) for key, mark in marks.items() if key in late},
    )
