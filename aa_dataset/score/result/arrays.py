# SPDX-License-Identifier: Apache-2.0
"""The two tables of a result as arrays, for sums per object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from aa_dataset.score.result.scores import TRUTH

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Arrays:
    """Columns of both tables by name; null is nan in numbers.

    Attributes
    ----------
    per_joint, per_object : Table
        The tables, sorted by `tables.ORDER`.
    penalty : float
        The price of an unmatched joint in the constant-penalty distance.
    """

    per_joint: pa.Table
    per_object: pa.Table
    penalty: float

    def __len__(self) -> int:
        return int(self.per_object.num_rows)

    @cached_property
    def owner(self) -> Indices:
        """The row of `per_object` that each row of `per_joint` belongs to, (m,)."""
        found = pc.index_in(
            self.per_joint["object_id"], value_set=self.per_object["object_id"].combine_chunks()
        )
        return np.asarray(found.to_numpy(), dtype=np.int64)

    @cached_property
    def is_truth(self) -> Bools:
        """Whether a row of `per_joint` is a truth joint, (m,)."""
        return self.joints_with("role", TRUTH)

    @cached_property
    def is_paired(self) -> Bools:
        """Whether a row of `per_joint` is a truth joint with a partner, (m,)."""
        named = self.per_joint["predicted"].is_valid().to_numpy()
        return np.asarray(self.is_truth & named)

    def joints_with(self, column: str, value: str) -> Bools:
        """Return where a text column of `per_joint` has a value, (m,)."""
        return _equal(self.per_joint[column], value)

    def objects_with(self, column: str, value: str) -> Bools:
        """Return where a text column of `per_object` has a value, (n,)."""
        return _equal(self.per_object[column], value)

    def joint_numbers(self, column: str) -> Array:
        """Return a column of `per_joint` as numbers, (m,)."""
        return _numbers(self.per_joint[column])

    def object_numbers(self, column: str) -> Array:
        """Return a column of `per_object` as numbers, (n,)."""
        return _numbers(self.per_object[column])

    def sums(self, rows: Bools, values: Array | None = None) -> Array:
        """Return the sum of values, or the number, of the chosen rows of `per_joint` per object.

        The rows are added in their order, one after the other, so that the last digit depends on
        nothing else.
        """
        weights = None if values is None else values[rows]
        return np.bincount(self.owner[rows], weights, minlength=len(self)).astype(float)


def _equal(column: pa.ChunkedArray, value: str) -> Bools:
    return np.asarray(pc.fill_null(pc.equal(column, value), False).to_numpy(), dtype=bool)


def _numbers(column: pa.ChunkedArray) -> Array:
    values = pc.cast(column, pa.float64()) if not pa.types.is_floating(column.type) else column
    return np.asarray(pc.fill_null(values, np.nan).to_numpy(), dtype=float)
