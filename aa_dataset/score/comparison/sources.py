# SPDX-License-Identifier: Apache-2.0
"""The results of a comparison: read, checked against each other, and named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.score.comparison.stub import Result, read_result, require_comparable


@dataclass(frozen=True, slots=True)
class Compared:
    """A result and the name of the folder that it came from."""

    folder: str
    result: Result


def open_results(paths: Sequence[Path]) -> list[Compared]:
    """Read the result folders of ``aa score --out``; one folder given twice is an error."""
    seen: dict[Path, Path] = {}
    for path in paths:
        place = path.resolve()
        if place in seen:
            raise ArenaError(f"{path} was given twice. Name every result once.")
        seen[place] = path
    return [Compared(path.resolve().name, read_result(path)) for path in paths]


def require_one_setting(results: Sequence[Compared]) -> None:
    """Raise unless there are results and all have the same members, version and parameters."""
    if not results:
        raise ArenaError("no result was given. Name folders that `aa score --out` wrote.")
    for other in results[1:]:
        require_comparable(results[0].result, other.result)


def unique_names(results: Sequence[Compared]) -> list[str]:
    """Return the names of the methods; equal ones get their folder, in any order alike."""
    names = [one.result.method.name for one in results]
    counts = Counter(names)
    unique = [
        f"{name} [{one.folder}]" if counts[name] > 1 else name
        for name, one in zip(names, results, strict=True)
    ]
    for name, count in Counter(unique).items():
        if count > 1:
            raise ArenaError(
                f"{count} results are called {name!r}. Rename one of their folders, or change "
                "`name` in its method.json."
            )
    return unique
