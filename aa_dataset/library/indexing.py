# SPDX-License-Identifier: Apache-2.0
"""Which rows of a selection an index or a shuffle gives."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.library.catalog import SelectionError

Rows = NDArray[np.int64]


def as_index(key: object) -> NDArray[Any]:
    """Return what an index means: one number (), or numbers, ids or booleans (k,)."""
    try:
        index = np.asarray(key)
        if index.ndim == 1 and index.dtype.kind == "O" and all(isinstance(k, str) for k in index):
            index = index.astype(np.str_)
        if index.shape == (0,):
            index = index.astype(np.int64)
    except (TypeError, ValueError):  # ragged lists, and whatever a foreign column refuses
        index = np.empty((0, 0))
    if index.dtype.kind not in ("ui", "uibU")[min(index.ndim, 1)] or index.ndim > 1:
        raise SelectionError(
            "the index is no number, slice or id, and no list of numbers, ids or booleans; pass "
            "one of these."
        )
    return index


def picked(rows: Rows, index: NDArray[Any]) -> Rows:
    """Return the rows (k,) at a list of places, or where a mask with a value per row is true."""
    if index.dtype.kind == "b" and len(index) != len(rows):
        raise SelectionError(
            f"the mask has {len(index)} values for {len(rows)} objects; it needs one each."
        )
    try:
        return np.asarray(rows[index])
    except IndexError:
        far = next(int(k) for k in index if not -len(rows) <= k < len(rows))
        raise IndexError(f"index {far} is out of range for {len(rows)} objects.") from None


def shuffled(object_ids: Sequence[str], seed: int) -> Rows:
    """Return the places (n,) of ids in a random order that depends on ids and seed alone."""
    drawn = [sha256(f"{int(seed)} {object_id}".encode()).digest() for object_id in object_ids]
    return np.array(sorted(range(len(drawn)), key=drawn.__getitem__), dtype=np.int64)
