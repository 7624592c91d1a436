# SPDX-License-Identifier: Apache-2.0
"""The files of one prediction: a folder or a single file, walked and read within limits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from aa_dataset.score.budgets import MOST_FILES, PredictionError
from aa_dataset.score.readers.files import list_names, read_regular

REGISTRATION = "registration.json"  # beside a prediction, of no format
DEEPEST = 8  # folders below the prediction's own
MOST_BYTES = 64_000_000  # of one file, unless its reader asks for less


class PredictionFiles:
    """The files of one object below the folder of predictions; links are refused.

    Parameters
    ----------
    root : Path
        The folder of all predictions.
    entry : str
        The object's folder or file in it.
    object_id : str
        The object.
    """

    def __init__(self, root: Path, entry: str, object_id: str):
        self._root, self._entry, self.object_id = root, entry, object_id

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Paths of all files relative to the prediction's folder, sorted; one name for a file."""
        inside = self._inside
        if inside is None:
            return (self._entry,)
        found: list[str] = []
        pending = [[name] for name in reversed(inside)]
        while pending:
            parts = pending.pop()
            below = self._below(parts)
            if below is None:
                found.append("/".join(parts))
            elif len(parts) < DEEPEST:
                pending += [[*parts, name] for name in reversed(below)]
            if len(found) + len(pending) > MOST_FILES:
                raise PredictionError(
                    f"{self._entry}/ has more than {MOST_FILES:,} files. Keep only the "
                    "prediction in it."
                )
        return tuple(found)

    @cached_property
    def is_folder(self) -> bool:
        """Whether the prediction is a folder."""
        return self._inside is not None

    @property
    def top_names(self) -> list[str]:
        """Files and folders directly in the prediction's folder, sorted."""
        return [self._entry] if self._inside is None else self._inside

    @cached_property
    def _inside(self) -> list[str] | None:
        found = list_names(self._root, [self._entry])
        return None if found is None else [name for name in found if name != REGISTRATION]

    def registration(self, most: int) -> bytes | None:
        """Return at most so many bytes of the `registration.json`, None if there is none."""
        inside = self._inside is not None
        parts = [self._entry, REGISTRATION] if inside else [registration_beside(self._entry)]
        try:
            return read_regular(self._root, parts, most)
        except FileNotFoundError:
            return None

    def _below(self, parts: list[str]) -> list[str] | None:
        """Return the entries of a folder, None for a file; links and pipes are left out."""
        try:
            return list_names(self._root, [self._entry, *parts])
        except PredictionError:
            return []

    def named(self, *endings: str) -> list[str]:
        """Return the files whose path ends so, without hidden ones."""
        return [
            name
            for name in self.names
            if name.endswith(endings) and not name.rpartition("/")[2].startswith(".")
        ]

    def find_basenames(self, *basenames: str) -> list[str]:
        """Return the files with one of these base names."""
        return [name for name in self.names if name.rpartition("/")[2] in basenames]

    def require_one(self, found: Sequence[str], what: str) -> str:
        """Return the only one of some files, or raise with a sentence that names `what`."""
        if len(found) == 1:
            return found[0]
        shown = ", ".join(found[:4]) or "none"
        raise PredictionError(f"{self._entry}: expected one {what}, found {shown}.")

    def read(self, name: str, most: int = MOST_BYTES) -> bytes:
        """Return the bytes of a file by its path in `names`; larger files are refused."""
        parts = [self._entry, *name.split("/")] if self.is_folder else [self._entry]
        data = read_regular(self._root, parts, most + 1)
        if len(data) > most:
            raise PredictionError(f"{self.shown_path(name)} has more than {most:,} bytes.")
        return data

    def read_start(self, name: str, most: int = 4096) -> bytes:
        """Return the first bytes of a file, at most so many."""
        parts = [self._entry, *name.split("/")] if self.is_folder else [self._entry]
        return read_regular(self._root, parts, most)

    def try_read_start(self, name: str, most: int = 4096) -> bytes | None:
        """Return the first bytes of a file in the folder; None if none can be read."""
        try:
            return self.read_start(name, most) if self.is_folder else None
        except (PredictionError, OSError):
            return None

    def read_beside(self, name: str, relative: str, most: int) -> bytes:
        """Return at most so many bytes of a file by its normal path relative to another one."""
        folder = name.split("/")[:-1] if self.is_folder else []
        above = [self._entry, *folder] if self.is_folder else []
        return read_regular(self._root, [*above, *relative.split("/")], most)

    def shown_path(self, name: str) -> str:
        """Return the path of a file as messages show it."""
        return f"{self._entry}/{name}" if self.is_folder else self._entry


def registration_beside(entry: str) -> str:
    """Return the name of the registration of a prediction that is one file."""
    return f"{entry.rpartition('.')[0]}.{REGISTRATION}"
