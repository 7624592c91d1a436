# SPDX-License-Identifier: Apache-2.0
"""Upper bounds for every oriented pair, which remove most of them before any search.

Requiring ``(i, j, s)`` splits both trees into two blocks that can only be matched block with
block. Within a block, the sum of the row maxima and the sum of the column maxima are both upper
bounds. Whether a pair is still alive in the orientation that ``(i, j)`` asks of it depends only
on how its row relates to i (below, above, aside), so three matrix products serve all pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric.tree.problem import Problem, State, assign, is_admissible, repair

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

CHUNK_NUMBERS = 4_000_000


def filter_pairs(problem: Problem, state: State, *, rounds: int = 6) -> None:
    """Kill oriented pairs that no matching heavier than the best can hold, until none dies."""
    for _ in range(rounds):
        if not affordable(problem, state):
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
        if state.closed or left > 0.9 * before or state.late:
            return


def affordable(problem: Problem, state: State) -> bool:
    """Whether the bounds of all pairs can be had before the time limit, by a generous estimate."""
    n, m = problem.weights.shape
    pace = 2e-8 if problem.kernels is None else 4e-9  # seconds per step on a slow machine
    return bool(n * m * (n + m) * pace < state.seconds_left)


def oriented_bounds(problem: Problem, alive: Bools) -> Array:
    """Return an upper bound on the weight of any matching that holds ``(i, j, s)``, (n, m, 2)."""
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
    down1, up1, aside1 = _relations(problem.below1)
    down2, up2, aside2 = _relations(problem.below2)
    lower, upper = np.empty(alive.shape), np.empty(alive.shape)
    for s in (0, 1):
        # Rows below i against the side 1-s of j, rows above or beside i against the side s.
        rows_low = down1 @ row[0][1 - s]
        rows_high = up1 @ row[1][s] + aside1 @ row[0][s]
        low, high = (1, 0) if s == 0 else (0, 1)
        columns_down = (down2 @ column[0][low]).T
        columns_up = (up2 @ column[1][high] + aside2 @ column[0][high]).T
        columns_low, columns_high = (
            (columns_down, columns_up) if s == 0 else (columns_up, columns_down)
        )
        np.minimum(rows_low, columns_low, out=lower[..., s])
        np.minimum(rows_high, columns_high, out=upper[..., s])
    return lower, upper


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


def _relations(below: Bools) -> tuple[Array, Array, Array]:
    down, up = below.astype(float), below.T.astype(float)
    return down, up, 1.0 - down - up - np.eye(len(below))
