# SPDX-License-Identifier: Apache-2.0
"""Checks of the arguments of batched tree distances, before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import ArgumentError, ShapeError, shown

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class PairsError(ArgumentError, ValueError):
    """`pairs` is not a list of index pairs."""


def checked_pairs(pairs: ArrayLike, n: int, m: int) -> Indices:
    """Return pairs of indices below n and m as (k, 2) int, or raise `PairsError`.

    Nothing is reshaped or rounded: two rows of indices, as returned by `np.triu_indices`, would
    silently become other pairs.
    """
    rows = isinstance(pairs, tuple) and all(isinstance(row, np.ndarray) for row in pairs)
    try:
        given = np.asarray(pairs)
    except ValueError:  # rows of different lengths
        raise PairsError("`pairs` has rows of different lengths; pass (k, 2) indices.") from None
    if given.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != 2 or (rows and len(given) == 2):
        raise PairsError(
            f"`pairs` has shape {given.shape}; pass one row (index in first, index in second) per "
            "pair, (k, 2). Convert two rows of indices, as returned by `np.triu_indices`, with "
            "`np.column_stack(rows)`, and an array with `.T`."
        )
    return _require_in_range(_whole_numbers(given), n, m)


def _whole_numbers(given: NDArray[np.generic]) -> Indices:
    if given.dtype.kind in "iuf":
        with np.errstate(invalid="ignore"):
            listed = np.ascontiguousarray(given.astype(np.int64))
        if (listed == given).all():
            return listed
    raise PairsError(
        f"`pairs` has values of type {given.dtype} that are not whole numbers; pass indices of the "
        "trees, counted from 0."
    )


def _require_in_range(listed: Indices, n: int, m: int) -> Indices:
    if listed.min() < 0 or (listed.max(axis=0) >= (n, m)).any():
        raise ValueError(f"`pairs` has an index out of range; indices are below {n} and {m}.")
    return listed


class OutputError(ArgumentError, ValueError):
    """`out` is not a pair of writable arrays."""


def checked_outputs(out: Any, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the arrays `lower` and `upper` to fill, new ones for None, or raise."""
    if out is None:
        return np.empty(shape), np.empty(shape)
    if not isinstance(out, tuple | list | np.ndarray) or len(out) != 2:
        raise OutputError("`out` must be a pair of arrays (lower, upper), both to be filled.")
    for given in out:
        _require_fillable(given, shape)
    lower, upper = out
    if np.shares_memory(lower, upper):
        raise OutputError(
            "both arrays of `out` share their memory, so one bound would overwrite the other; "
            "pass two arrays."
        )
    return lower, upper


def _require_fillable(given: Any, shape: tuple[int, ...]) -> None:
    if not isinstance(given, np.ndarray):
        raise OutputError(f"`out` has a value {shown(given)}; pass two numpy arrays of {shape}.")
    if given.shape != shape:
        raise ShapeError("out", given.shape, shape)
    if given.dtype != np.float64:
        raise OutputError(f"`out` has dtype {given.dtype}, expected float64.")
