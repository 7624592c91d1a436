# SPDX-License-Identifier: Apache-2.0
"""Upper bounds for every oriented pair, which remove most of them before any search.

Requiring ``(i, j, s)`` splits both trees into two blocks that can only be matched block with
block. Within a block, the sum of the row maxima and the sum of the column maxima are both upper
bounds. Whether a pair is still alive in the orientation that ``(i, j)`` requires depends only on
how its row relates to i (below, above, aside), so sums over rows serve all pairs. They are added in
the order of the rows, as in the compiled version, and not by BLAS: bounds decide which pairs live.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric.tree.problem import Problem, State, assign, is_admissible, repair
from aa_dataset.metric.tree.work import assignment_steps, bounds_steps, repair_steps

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

CHUNK_NUMBERS = 4_000_000


def filter_pairs(problem: Problem, state: State, *, rounds: int = 6) -> None:
    """Remove oriented pairs that no matching heavier than the best contains, until stable."""
    for _ in range(rounds):
        if not state.meter.charge(_round_steps(problem)):
            return
        floor = state.weight + state.tolerance
        before = int(state.alive.sum())
        state.alive &= oriented_bounds(problem, state.alive) > floor
        left = int(state.alive.sum())
        if left == 0:
            state.bound = state.weight
            return
        relaxed, pairs = assign(problem.weights * state.alive.any(axis=2))
        state.bound = max(state.weight, min(state.bound, relaxed))
        if not state.closed:
            if is_admissible(problem, pairs):
                state.offer(relaxed, pairs)
            else:
                state.offer(*repair(problem, state.alive, pairs))
        if state.done or left > 0.9 * before:
            return


def _round_steps(problem: Problem) -> int:
    n, m = problem.weights.shape
    return bounds_steps(n, m) + assignment_steps(n, m) + repair_steps(n, m)


def oriented_bounds(problem: Problem, alive: Bools) -> Array:
    """Return an upper bound on the weight of matchings that contain ``(i, j, s)``, (n, m, 2)."""
    low, high = block_bounds(problem, alive)
    return np.asarray(low + high + problem.weights[..., None])


def block_bounds(problem: Problem, alive: Bools) -> tuple[Array, Array]:
    """Return upper bounds of the block below i and of the rest, both (n, m, 2)."""
    if problem.kernels is not None:
        lower, upper = problem.kernels.block_bounds(
            problem.weights, alive, problem.below1, problem.below2
        )
        return np.asarray(lower), np.asarray(upper)
    row = _line_maxima(problem.weights, alive, problem.below2)
    column = _line_maxima(problem.weights.T, alive.transpose(1, 0, 2), problem.below1)
    by_rows = _block_sums(row, problem.below1)
    by_columns = _block_sums(column, problem.below2).transpose(0, 1, 3, 2)
    lower, upper = np.empty(alive.shape), np.empty(alive.shape)
    for s in (0, 1):
        # Turned, the columns beyond j go with the rows that are not below i.
        np.minimum(by_rows[s, 0], by_columns[s, s], out=lower[..., s])
        np.minimum(by_rows[s, 1], by_columns[s, 1 - s], out=upper[..., s])
    return lower, upper


def _block_sums(line: list[list[Array]], below: Bools) -> Array:
    """Return ``B[s, block, i, j]``: line maxima summed over the lines below i, or the others."""
    count, width = line[0][0].shape
    out = np.zeros((2, 2, count, width))
    if out.size == 0:
        return out
    down, up = below, below.T
    other = ~below & ~np.eye(count, dtype=bool)
    step = max(1, CHUNK_NUMBERS // (count * width))
    for start in range(0, count, step):
        rows = slice(start, start + step)
        for s in (0, 1):
            # Lines below i against the side 1-s of j, lines above or beside i against the side s.
            out[s, 0, rows] = _last_sum(down[rows, :, None] * line[0][1 - s])
            beside = np.asarray(np.where(up[rows, :, None], line[1][s], line[0][s]), dtype=float)
            out[s, 1, rows] = _last_sum(other[rows, :, None] * beside)
    return out


def _last_sum(terms: Array) -> Array:
    """Return the sum over the middle axis, added in order."""
    return np.asarray(np.cumsum(terms, axis=1)[:, -1])


def _line_maxima(weights: Array, alive: Bools, below: Bools) -> list[list[Array]]:
    """Return ``X[t][side][r, j]``: the largest weight in row r on one side of column j.

    A pair ``(r, c)`` counts if it is alive with orientation ``t xor below[c, j]``.
    """
    size = len(below)
    live = [weights * alive[..., 0], weights * alive[..., 1]]
    far, near = below, ~below & ~np.eye(size, dtype=bool)
    above = below.T  # above[j, c]: c lies above j
    out = []
    for t in (0, 1):
        # On the far side of j, nothing lies above j; on the near side the ancestors of j do.
        one = _masked_max(live[t], far)
        two = np.maximum(
            _masked_max(live[t], near & ~above), _masked_max(live[1 - t], near & above)
        )
        out.append([two, one])
    return out


def _masked_max(values: Array, mask: Bools) -> Array:
    """Return ``max over c with mask[j, c] of values[r, c]``, 0 where empty, (rows, j)."""
    if values.size == 0 or mask.size == 0:
        return np.zeros((len(values), len(mask)))
    step = max(1, CHUNK_NUMBERS // mask.size)
    parts = [
        (values[start : start + step, None, :] * mask).max(axis=2)
        for start in range(0, len(values), step)
    ]
    return np.concatenate(parts)
