# SPDX-License-Identifier: Apache-2.0
"""What a law is, and how its findings are worded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from aa_dataset.format.validation import brief
from aa_dataset.library.catalog import Catalog

SHOWN = 5  # examples of a broken law

Mask = NDArray[np.bool_]
Findings = Iterator[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Subject:
    """The library that is checked.

    Attributes
    ----------
    catalog : Catalog
        Its tables, each of which has the columns of the schema.
    is_release : bool
        Whether it is meant for everybody.
    """

    catalog: Catalog
    is_release: bool

    def column(self, table: str, name: str) -> list[Any]:
        """Return a column as Python values."""
        return list(self.catalog.table(table)[name].to_pylist())

    def rows(self, table: str, *names: str) -> Iterator[tuple[Any, ...]]:
        """Yield some columns of a table row by row."""
        return zip(*(self.column(table, name) for name in names), strict=True)

    @property
    def object_ids(self) -> set[str]:
        """Ids of the objects."""
        return {*self.column("objects", "object_id")}

    def vectors(self, table: str, name: str, size: int) -> NDArray[np.float64]:
        """Return a column of vectors as (n, size), nan where null."""
        column = pa.concat_arrays(self.catalog.table(table)[name].chunks or [_empty(size)])
        out = np.full((len(column), size), np.nan)
        valid = np.asarray(column.is_valid(), dtype=bool)
        flat = column.drop_null().flatten().to_numpy(zero_copy_only=False)
        out[valid] = flat.reshape(-1, size)
        return out

    def numbers(self, table: str, name: str) -> NDArray[np.float64]:
        """Return a column of numbers as (n,), nan where null."""
        column = self.catalog.table(table)[name].to_numpy()
        return np.asarray(column, dtype=float)


def _empty(size: int) -> pa.Array:
    return pa.array([], pa.list_(pa.float64(), size))


@dataclass(frozen=True, slots=True)
class Law:
    """A rule that every library follows.

    Attributes
    ----------
    code : str
        Its name, in the output of ``aa verify --json`` and in the documentation.
    rule : str
        What holds, one sentence.
    check : callable
        Yields the name of a table and a sentence for what breaks the rule.
    """

    code: str
    rule: str
    check: Callable[[Subject], Findings]


def named(table: str, wrong: Iterable[object], problem: str) -> Findings:
    """Yield one finding for all rows that break a rule in the same way, with some examples.

    Parameters
    ----------
    table : str
        Where the rows are.
    wrong : iterable
        What identifies the rows.
    problem : str
        What is wrong with them; follows the examples after a colon.
    """
    rest = iter(wrong)
    examples = [brief(one) for one in islice(rest, SHOWN)]
    if examples:
        more = sum(1 for _ in rest)
        tail = f" and {more:,} more" if more else ""
        yield table, f"{', '.join(examples)}{tail}: {problem}"


def broken(subject: Subject, table: str, wrong: ArrayLike, name: str, problem: str) -> Findings:
    """Yield one finding for the marked rows of a table that is about objects.

    Parameters
    ----------
    subject : Subject
        The library.
    table : str
        A table with a column `object_id`.
    wrong : (n,) bool
        The rows.
    name : str
        The column that identifies a row beside the object.
    problem : str
        As for `named`.
    """
    rows = np.flatnonzero(np.asarray(wrong, dtype=bool))
    if not len(rows):
        return
    chosen = subject.catalog.table(table).take(pa.array(rows))
    ids, names = chosen["object_id"].to_pylist(), chosen[name].to_pylist()
    words = (f"{one} {two}" if one != two else one for one, two in zip(ids, names, strict=True))
    yield from named(table, words, problem)
