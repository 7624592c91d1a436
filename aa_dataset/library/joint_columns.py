# SPDX-License-Identifier: Apache-2.0
"""The columns of the joints table that trees and arrays are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_VECTORS = {"axis": 3, "origin": 3, "body_com": 3, "body_inertia": 9}
_NUMBERS = ("pitch", "lower", "upper", "body_mass")
_TEXTS = ["joint", "type", "parent", "child"]
EDGE = ("joint", "parent", "child")
MIMIC = ("joint", "multiplier", "offset")
JOINT_COLUMNS = ("object_id", *_TEXTS, *_VECTORS, *_NUMBERS, "mimic")


@dataclass(frozen=True, slots=True, eq=False)
class JointColumns:
    """The joints table as arrays, with the rows of every object.

    Attributes
    ----------
    texts : Table
        Text columns of the joints table, read row by row; `mimic` is the leading joint.
    edges : tuple of Array
        The columns `joint`, `parent` and `child` in one piece each.
    vectors : dict of str to (n, k) float
        Vector columns, nan where null; `numbers` likewise ``(n,)``.
    order : (n,) int
        Rows sorted by object; those of object k are ``order[starts[k]:starts[k + 1]]``.
    starts : (objects + 1,) int
        Where the rows of each object begin in `order`.
    """

    texts: pa.Table
    edges: tuple[pa.Array, ...]
    vectors: dict[str, Array]
    numbers: dict[str, Array]
    order: Rows
    starts: Rows

    def rows(self, row: int) -> Rows:
        """Return the rows of the joints table that belong to one row of the objects table."""
        return self.order[self.starts[row] : self.starts[row + 1]]

    @classmethod
    def of(cls, table: pa.Table, owner: Rows, objects: int) -> JointColumns:
        """Return the columns of a table, of whose rows `owner` (n,) has the object's row."""
        order = np.argsort(owner, kind="stable")
        starts = np.searchsorted(owner[order], np.arange(objects + 1))
        coupling = dict(zip(MIMIC, table["mimic"].flatten(), strict=True))
        numbers = {name: table[name] for name in _NUMBERS} | coupling
        leaders = numbers.pop("joint")
        return cls(
            table.select(_TEXTS).append_column("mimic", leaders),
            tuple(table[name].combine_chunks() for name in EDGE),
            {name: _vector_column(table, name, size) for name, size in _VECTORS.items()},
            {name: column.to_numpy() for name, column in numbers.items()},
            order,
            starts.astype(np.int64),
        )


def _vector_column(table: pa.Table, name: str, size: int) -> Array:
    """Return a column of fixed-size lists as (n, size) float, nan where null."""
    column = table[name].combine_chunks()
    if not column.null_count:
        flat = column.flatten().to_numpy(zero_copy_only=False)  # a list may have nulls
        return np.asarray(flat.reshape(-1, size))
    flat = np.full((len(column), size), np.nan)
    valid = column.is_valid().to_numpy(zero_copy_only=False)
    flat[valid] = column.flatten().to_numpy(zero_copy_only=False).reshape(-1, size)
    return flat
