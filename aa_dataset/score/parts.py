# SPDX-License-Identifier: Apache-2.0
"""Finished parts of a run: some hundred objects each, in memory or in a folder.

A run that is interrupted continues after the last finished part. The objects of a part are decided
by their ids, so that neither the order of the split nor the number of workers changes a byte.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from aa_dataset.errors import ArenaError
from aa_dataset.files import flush, write_bytes
from aa_dataset.score.objects import ScoredObject
from aa_dataset.score.result.record import (
    TIMING,
    read_seconds,
    read_table,
    table_of,
    timing_text,
    write_table,
)
from aa_dataset.score.result.scores import PROTOCOLS
from aa_dataset.score.result.tables import TABLES
from aa_dataset.untrusted.json_fields import FieldError, checked, parse_json

PART_OBJECTS = 500
PARTS, KEY = "parts", "key.json"
MOST_KEY_BYTES = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class RunPart:
    """The rows of some objects, and the seconds that each took."""

    per_joint: pa.Table
    per_object: pa.Table
    seconds: Mapping[str, float]

    @classmethod
    def of(cls, scored: Sequence[ScoredObject]) -> RunPart:
        """Return the part of some scored objects."""
        return cls(
            table_of([row for one in scored for row in one.joints], "per_joint"),
            table_of([one.summary for one in scored], "per_object"),
            {str(one.summary["object_id"]): one.seconds for one in scored},
        )


def joined(parts: Sequence[RunPart]) -> RunPart:
    """Return consecutive parts as one, in the order of the tables."""
    import pyarrow.compute as pc

    pieces = [TABLES["per_joint"].empty_table()]
    for protocol in PROTOCOLS:  # the first key of the order; objects follow each other already
        for part in parts:
            pieces.append(part.per_joint.filter(pc.equal(part.per_joint["protocol"], protocol)))
    objects = [TABLES["per_object"].empty_table(), *(part.per_object for part in parts)]
    return RunPart(
        pa.concat_tables(pieces).combine_chunks(),
        pa.concat_tables(objects).combine_chunks(),
        {name: value for part in parts for name, value in part.seconds.items()},
    )


class PartsFolder:
    """The parts of one run in ``parts/`` of its folder; `key` says which run that is."""

    def __init__(self, folder: Path, key: str):
        self._root, self._key = folder / PARTS, key

    def open(self) -> None:
        """Create the folder, or continue the run that it holds if that has the same key."""
        if (self._root / KEY).is_file() and self.held_key() == self._key:
            return
        self.require_own()
        self.remove()
        self._root.mkdir()
        write_bytes(self._root / KEY, json.dumps({"key": self._key}).encode())

    def held_key(self) -> str | None:
        """Return the key of the run that was interrupted here, None if there is none."""
        path = self._root / KEY
        if not self._root.is_dir() or not path.is_file():
            return None
        try:
            with path.open("rb") as stream:
                data = parse_json(stream.read(MOST_KEY_BYTES))
            return str(checked(data["key"], str, "key"))
        except (FieldError, KeyError, TypeError, OSError):
            return ""

    def read(self, number: int) -> RunPart | None:
        """Return a finished part, None if it has not been finished."""
        folder = self._place(number)
        if not folder.is_dir():
            return None
        try:
            tables = {name: read_table(folder, name) for name in TABLES}
            return RunPart(**tables, seconds=read_seconds(folder / TIMING))
        except (ValueError, OSError) as error:
            raise ArenaError(
                f"{folder} is damaged ({error}). Remove it and run the command again."
            ) from error

    def write(self, number: int, part: RunPart) -> None:
        """Write a part: its folder appears complete or not at all."""
        place = self._place(number)
        draft = place.with_suffix(".tmp")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        for name in TABLES:
            write_table(getattr(part, name), draft / f"{name}.parquet")
        write_bytes(draft / TIMING, timing_text(part.seconds).encode())
        draft.rename(place)
        flush(self._root)

    def remove(self) -> None:
        """Remove all parts, if there are any."""
        if self._root.is_dir() and not self._root.is_symlink():
            shutil.rmtree(self._root)

    def require_own(self) -> None:
        """Refuse to remove a folder that no run wrote, or that is a link."""
        is_run = not self._root.is_symlink() and (self._root / KEY).is_file()
        if not is_run and (self._root.is_symlink() or self._root.exists()):
            raise ArenaError(
                f"{self._root} is not of a run, so it is not removed. Choose another folder."
            )

    def _place(self, number: int) -> Path:
        return self._root / f"{number:05d}"
