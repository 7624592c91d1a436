# SPDX-License-Identifier: Apache-2.0
"""What batches of tree distances are given, checked before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import ArgumentError, ShapeError, shown

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class PairsError(ArgumentError, ValueError):
    """`pairs` is no list of pairs of indices."""


def checked_pairs(pairs: ArrayLike, n: int, m: int) -> Indices:
    """Return pairs of indices below n and m as (k, 2) int, or raise a sentence.

    Nothing is reshaped or rounded: two rows of indices, as `np.triu_indices` gives them, would
    become other pairs without a word.
    """
    rows = isinstance(pairs, tuple) and all(isinstance(row, np.ndarray) for row in pairs)
    try:
        given = np.asarray(pairs)
    except ValueError:  # rows of different lengths
        raise PairsError("`pairs` has rows of different lengths; give (k, 2) indices.") from None
    if given.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != 2 or (rows and len(given) == 2):
        raise PairsError(
            f"`pairs` has shape {given.shape}; give one row (index in first, index in second) per "
            "pair, (k, 2). Of two rows of indices, as `np.triu_indices` has them, make it by "
            "`np.column_stack(rows)`, of an array by `.T`."
        )
    return _within(_whole(given), n, m)


def _whole(given: NDArray[np.generic]) -> Indices:
    if given.dtype.kind in "iuf":
        with np.errstate(invalid="ignore"):
            listed = np.ascontiguousarray(given.astype(np.int64))
        if (listed == given).all():
            return listed
    raise PairsError(
        f"`pairs` holds values of type {given.dtype} that are no whole numbers; give the indices "
        "of the trees, counted from 0."
    )


def _within(listed: Indices, n: int, m: int) -> Indices:
    if listed.min() < 0 or (listed.max(axis=0) >= (n, m)).any():
        raise ValueError(f"`pairs` names a tree that is not there; indices are below {n} and {m}.")
    return listed


class OutputError(ArgumentError, ValueError):
    """`out` is no pair of arrays that can be filled."""


def checked_outputs(out: Any, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the arrays `lower` and `upper` to fill, new ones for None, or raise a sentence."""
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
            "give two arrays."
        )
    return lower, upper


def _require_fillable(given: Any, shape: tuple[int, ...]) -> None:
    if not isinstance(given, np.ndarray):
        raise OutputError(f"`out` holds a value {shown(given)}; give two numpy arrays of {shape}.")
    if given.shape != shape:
        raise ShapeError("out", given.shape, shape)
    if given.dtype != np.float64:
        raise OutputError(f"`out` has dtype {given.dtype}, expected float64.")
