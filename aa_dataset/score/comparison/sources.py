# SPDX-License-Identifier: Apache-2.0
"""The results of a comparison: read, checked against each other, and named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.score.parameters import IMPUTATIONS
from aa_dataset.score.registration.record import Identity
from aa_dataset.score.result.comparable import require_comparable
from aa_dataset.score.result.record import Result, read_result

_NO_IMPUTATION = IMPUTATIONS[0]


@dataclass(frozen=True, slots=True)
class Compared:
    """A result and the name of the folder that it came from."""

    folder: str
    result: Result

    @property
    def dagger(self) -> bool:
        """Whether the method was given limits or an alignment from the ground truth."""
        return self.result.method.dagger or self.result.parameters.impute_limits != _NO_IMPUTATION


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
    """Raise unless there are results and all have the same members, version and parameters.

    How predictions were brought into the object frame, and whether limits were imputed from the
    truth, may differ: a method that was given something of the truth has a dagger, and is never
    shaded or tested.
    """
    if not results:
        raise ArenaError("no result was given. Name folders that `aa score --out` wrote.")
    for other in results[1:]:
        require_comparable(_as_given(results[0].result), _as_given(other.result))


def _as_given(result: Result) -> Result:
    """Return a result that says neither what was imputed nor how predictions were registered."""
    plain = replace(result.parameters, impute_limits=_NO_IMPUTATION, registration=Identity.label)
    return result if plain == result.parameters else replace(result, parameters=plain)


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
