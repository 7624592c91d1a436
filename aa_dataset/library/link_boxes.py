# SPDX-License-Identifier: Apache-2.0
"""Boxes of the links of a library at rest, indexed by object."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from aa_dataset.library.catalog import Catalog

Array = NDArray[np.float64]
Box = tuple[Array, Array]


def link_boxes(catalog: Catalog, row: int) -> dict[str, Box]:
    """Return lower and upper corner (3,) [m] of the links of an object that have a shape."""
    return _index(catalog).boxes(row)


@lru_cache(maxsize=4)
def _index(catalog: Catalog) -> _LinkBoxIndex:
    links = catalog.table("links")
    return _LinkBoxIndex(links, catalog.rows_of(links["object_id"]), catalog.objects.num_rows)


class _LinkBoxIndex:
    """The boxes of all links; `owner` has the row of the object that each link belongs to."""

    def __init__(self, links: pa.Table, owner: NDArray[np.int64], objects: int):
        self._names = links["link"].to_pylist()
        self._lower, self._upper = (_vectors(links[f"bounds_{end}"]) for end in ("lower", "upper"))
        self._order = np.argsort(owner, kind="stable")
        self._starts = np.searchsorted(owner[self._order], np.arange(objects + 1))

    def boxes(self, row: int) -> dict[str, Box]:
        """Return the boxes of one row of the objects table."""
        rows = self._order[self._starts[row] : self._starts[row + 1]]
        known = rows[np.isfinite(self._lower[rows]).all(axis=1)]
        return {self._names[k]: (self._lower[k], self._upper[k]) for k in known.tolist()}


def _vectors(column: pa.ChunkedArray) -> Array:
    """Return a column of vectors as (n, 3), nan where null."""
    values = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    out = np.full((len(values), 3), np.nan)
    valid = np.asarray(values.is_valid(), dtype=bool)
    out[valid] = values.drop_null().flatten().to_numpy(zero_copy_only=False).reshape(-1, 3)
    return out
