# SPDX-License-Identifier: Apache-2.0
"""The loops of the rim of an open surface."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from aa_dataset.portable import length, product
from aa_dataset.triangles import connected


def find_loops(
    vertices: np.ndarray, tails: np.ndarray, heads: np.ndarray, shells: np.ndarray
) -> np.ndarray:
    """Return the number of the loop (k,) that each directed rim edge belongs to.

    Every vertex of a rim has as many edges in as out. If holes touch in a vertex, the next edge is
    the one with the sharpest turn, as around the corner of one hole.
    """
    count = len(tails)
    if not count:
        return np.zeros(0, np.int64)
    ends = np.concatenate([tails, heads]) + len(vertices) * np.tile(shells, 2)
    node = np.unique(ends, return_inverse=True)[1]
    leaving, arriving = (
        np.argsort(node[:count], kind="stable"),
        np.argsort(node[count:], kind="stable"),
    )
    # Sorted by vertex, both lists have the same vertex at the same place.
    following = leaving.copy()
    starts = np.flatnonzero(np.diff(node[:count][leaving], prepend=-1))
    sizes = np.diff([*starts.tolist(), count])
    directions = vertices[heads] - vertices[tails]
    directions = directions / (length(directions) + 1e-300)[:, None]
    for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        part = slice(start, start + size)
        turns = product(directions[arriving[part]], directions[leaving[part]].T)
        following[part] = leaving[part][linear_sum_assignment(turns)[1]]
    labels = connected(count, np.column_stack([arriving, following]))
    return np.unique(labels, return_inverse=True)[1]
