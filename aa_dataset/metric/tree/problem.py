# SPDX-License-Identifier: Apache-2.0
"""The tree distance as a matching problem, its relaxation, and cheap admissible matchings.

A matching of edges can be realized by edits iff it preserves which edge separates which
(appendix B.5). Give each matched pair ``(i, j)`` an orientation bit ``s``: whether "below i"
corresponds to "below j" (0) or to "not below j" (1). Then realizability is a property of
*pairs* of oriented pairs: ``(i, j, s)`` and ``(k, l, t)`` agree iff
``below1[i, k] xor below2[j, l] == s`` and ``below1[k, i] xor below2[l, j] == t``. The distance is
the price of matching nothing minus the weight of the heaviest set of agreeing oriented pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._arithmetic import ordered_sum
from aa_dataset.metric.tree.work import Meter

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]
Pairs = tuple[Indices, Indices]

# Weights are sums of at most a few hundred numbers near 1; a gain below this fraction of the total
# is rounding, and "exact" means exact up to it.
TOLERANCE = 1e-12


@dataclass(slots=True, eq=False)
class Problem:
    """Two unrooted trees and the weight of matching each edge of one with each of the other.

    Attributes
    ----------
    weights : (n, m) float
        ``u1 + u2 - cost`` clipped at 0: what matching saves over contracting and expanding.
    below1, below2 : (n, n), (m, m) bool
        ``below[i, k]``: edge k lies strictly below edge i in an arbitrary rooting.
    parents1, parents2 : tuple of int
        Parent edge in that rooting, -1 at the root.
    kernels : module or None
        Compiled versions of the hot loops, if numba is used.
    """

    weights: Array
    below1: Bools
    below2: Bools
    parents1: tuple[int, ...]
    parents2: tuple[int, ...]
    kernels: ModuleType | None = None


@dataclass(slots=True, eq=False)
class State:
    """Shared state of the stages: the best matching so far, an upper bound, the counted work.

    Attributes
    ----------
    weight, pairs : float, pair of index arrays
        The heaviest admissible matching found.
    bound : float
        No admissible matching is heavier.
    alive : (n, m, 2) bool
        Every matching heavier than `weight` uses only oriented pairs that are still alive; empty
        if the certificate has settled everything.
    meter : Meter
        Counts the work and decides when the search must stop.
    relaxed, certified : float, bool
        Weight of the assignment that ignores the trees, and whether it is admissible.
    tolerance : float
        Gains below this are rounding.
    needed : float
        Matchings lighter than this are not needed: once the bound falls below it, the search stops
        without a proof.
    nodes, stage : int, str
        Nodes expanded, and the stage reached.
    """

    weight: float
    pairs: Pairs
    bound: float
    alive: Bools
    meter: Meter
    relaxed: float
    certified: bool
    tolerance: float
    needed: float = 0.0
    nodes: int = 0
    stage: str = "relaxation"

    @property
    def closed(self) -> bool:
        """Whether the matching is proven to be the heaviest."""
        return self.bound <= self.weight + self.tolerance

    @property
    def done(self) -> bool:
        """Whether to stop: proven, no longer needed, or out of budget or time."""
        return self.closed or self.bound < self.needed or self.meter.stopped

    def offer(self, weight: float, pairs: Pairs) -> None:
        """Keep an admissible matching if it is heavier than the best so far."""
        if weight > self.weight:
            self.weight, self.pairs = weight, pairs


def assignment(weights: Array) -> Pairs:
    """Return the heaviest assignment of rows to columns."""
    # Imported here because scipy.optimize takes half a second, and joints alone do not need it.
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(weights, maximize=True)
    return rows, columns


def assign(weights: Array) -> tuple[float, Pairs]:
    """Return the heaviest matching that ignores the trees; pairs without weight are dropped."""
    rows, columns = assignment(weights)
    kept = weights[rows, columns]
    used = kept > 0
    return ordered_sum(kept[used]), (rows[used], columns[used])


def votes(problem: Problem, pairs: Pairs) -> Bools:
    """Return ``V[p, q]``: the orientation that pair q requires of pair p, (k, k)."""
    rows, columns = pairs
    return np.asarray(
        problem.below1[rows[:, None], rows] ^ problem.below2[columns[:, None], columns]
    )


def is_admissible(problem: Problem, pairs: Pairs) -> bool:
    """Whether a matching follows an isomorphism of the contracted trees (the certificate)."""
    count = len(pairs[0])
    if count < 3:
        return True
    ballots = votes(problem, pairs).sum(axis=1)
    return bool(((ballots == 0) | (ballots == count - 1)).all())


def propagate(problem: Problem, alive: Bools, fixed: tuple[int, int, int]) -> Bools:
    """Return the pairs that stay alive if an oriented pair is required."""
    i, j, s = fixed
    near = problem.below1[i][:, None] ^ problem.below2[j] ^ bool(s)  # wrong side of (i, j)
    turn = problem.below1[:, i][:, None] ^ problem.below2[:, j]  # orientation required of (k, l)
    out = alive.copy()
    out[..., 0] &= ~(near | turn)
    out[..., 1] &= ~near & turn
    out[i] = False
    out[:, j] = False
    out[i, j, s] = True
    return out


def propagate_all(problem: Problem, alive: Bools, pairs: Pairs, turned: NDArray[np.bool_]) -> Bools:
    """Return the pairs that stay alive if many agreeing oriented pairs are required.

    Disagreements are counted by matrix products, ``a xor b = a (1 - b) + (1 - a) b``: sums of
    zeros and ones, which every BLAS gives exactly.
    """
    rows, columns = pairs
    near = _xor_counts(problem.below1[rows], problem.below2[columns] ^ turned[:, None])
    turn = _xor_counts(problem.below1[:, rows].T, problem.below2[:, columns].T)
    out = np.empty_like(alive)
    free = near == 0
    free[rows] = False
    free[:, columns] = False
    out[..., 0] = alive[..., 0] & free & (turn == 0)
    out[..., 1] = alive[..., 1] & free & (turn == len(rows))
    out[rows, columns, turned.astype(int)] = True
    return out


def _xor_counts(first: Bools, second: Bools) -> Array:
    """Return ``sum over p of first[p, k] xor second[p, l]``, (k, l)."""
    a, b = first.astype(float), second.astype(float)
    return np.asarray(a.T @ (1 - b) + (1 - a).T @ b)


def repair(problem: Problem, alive: Bools, pairs: Pairs) -> tuple[float, Pairs]:
    """Turn any matching into an admissible one: drop conflicting pairs, complete, repeat."""
    weights = problem.weights
    count = -1
    for _ in range(8):
        pairs, turned = _drop_contested_pairs(problem, pairs)
        if len(pairs[0]) <= count:
            break
        count = len(pairs[0])
        open_pairs = propagate_all(problem, alive, pairs, turned)
        _, pairs = assign(weights * open_pairs.any(axis=2))
        if is_admissible(problem, pairs):
            break
    if not is_admissible(problem, pairs):
        pairs, _ = _drop_contested_pairs(problem, pairs)
    return ordered_sum(weights[pairs]), pairs


def _drop_contested_pairs(problem: Problem, pairs: Pairs) -> tuple[Pairs, Bools]:
    """Drop pairs, the most contested first, until the rest agree; return their orientations."""
    rows, columns = pairs
    value = problem.weights[rows, columns]
    ballots = votes(problem, pairs)
    turned = marked_sums(ballots, value) > marked_sums(~ballots, value) - value
    against = ballots != turned[:, None]
    np.fill_diagonal(against, False)
    clash = against | against.T
    keep = np.ones(len(rows), dtype=bool)
    left, burden = clash.sum(axis=1), marked_sums(clash, value)
    while left.any():
        worst = int(np.argmax(np.where(left > 0, burden / value, -np.inf)))
        keep[worst] = False
        left -= clash[worst]
        burden -= clash[worst] * value[worst]
        left[worst] = 0
        clash[:, worst] = False
    return (rows[keep], columns[keep]), turned[keep]


def marked_sums(marks: Bools, value: Array) -> Array:
    """Return ``sum over q of marks[p, q] value[q]``, (p,), added in order and not by BLAS."""
    if not len(value):
        return np.zeros(len(marks))
    return np.asarray(np.cumsum(marks * value, axis=1)[:, -1])
