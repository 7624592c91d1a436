# SPDX-License-Identifier: Apache-2.0
"""The exact program: every pair of subtrees is a heaviest assignment between antichains.

Inside a matched pair of edges, the topmost matched pairs lie on antichains of both subtrees, and
the subtrees below them are independent. The heaviest such assignment is a small integer program
with one constraint per path from the root of a subtree to a leaf. Its linear relaxation is usually
integral.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._arithmetic import ordered_sum
from aa_dataset.metric.tree.bounds import block_bounds
from aa_dataset.metric.tree.choice import Clashes, heaviest_choice
from aa_dataset.metric.tree.problem import Problem, State
from aa_dataset.metric.tree.rooted import ConstrainedMatching, Rooted, as_pairs
from aa_dataset.metric.tree.work import StoppedError, bounds_steps

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Nodes = NDArray[np.intp]


class AntichainProgram:
    """Bottom-up over the first tree; closes the state, or leaves it unchanged if stopped."""

    def __init__(self, problem: Problem, state: State, constrained: ConstrainedMatching):
        self._problem, self._state = problem, state
        self._constrained = constrained
        self._rooted: Rooted = constrained.rooted
        n, m = problem.weights.shape
        self._n, self._m = n, m
        self._leaves1 = np.array([not kids for kids in self._rooted.children1])
        self._leaves2 = np.array([not kids for kids in self._rooted.children2])
        self._comparable1 = _comparable_pairs(self._rooted.inside1)
        self._comparable2 = _comparable_pairs(self._rooted.inside2)
        alive = np.concatenate([state.alive[..., 0], state.alive[..., 1]], axis=1)
        self._alive = np.zeros(self._rooted.weights.shape, dtype=bool)
        self._alive[:n, : 2 * m] = alive & (self._rooted.weights[:n, : 2 * m] > 0)
        state.meter.work += bounds_steps(n, m)
        _, rest = block_bounds(problem, state.alive)
        self._rest = np.concatenate([rest[..., 0], rest[..., 1]], axis=1)
        self._gain = np.zeros(self._rooted.weights.shape)
        self._useful = np.zeros(self._rooted.weights.shape, dtype=bool)
        self._slack1 = np.zeros(self._rooted.weights.shape)
        self._classes = (
            _subtree_classes(self._rooted.children1, self._rooted.weights),
            _subtree_classes(self._rooted.children2, self._rooted.weights.T),
        )
        self._known: dict[tuple[int, int], float] = {}
        self._claim = state.weight

    def run(self) -> None:
        """Prove the best matching, or find a heavier one and prove that."""
        try:
            for a in range(self._n - 1, -1, -1):
                self._solve_row(a)
            self._solve_roots()
        except StoppedError:
            return
        # A traced matching lighter than its value is a rounding error: keep the value.
        self._state.bound = max(self._state.weight, min(self._state.bound, self._claim))

    def _solve_row(self, a: int) -> None:
        """Set ``gain[a, d] = weight + best inside`` for every pair that is still alive."""
        self._state.meter.require(self._row_steps(a))
        upper = self._inside_bounds(a)
        weights = self._rooted.weights[a]
        floor = self._state.weight + self._state.tolerance
        for d in np.flatnonzero(self._alive[a]).tolist():
            if weights[d] + upper[d] + self._rest[a, d] <= floor:
                self._alive[a, d] = False
            else:
                self._gain[a, d] = weights[d] + self._heaviest_inside(a, d, upper[d])
        self._mark_useful(a)

    def _row_steps(self, a: int) -> int:
        """Return the charge of the bounds of one row."""
        width, kids = len(self._rooted.inside2), len(self._rooted.children1[a])
        return 5_000 + (kids + 1) * width * width // 4 + 500 * int(self._alive[a].sum())

    def _mark_useful(self, a: int) -> None:
        """Drop dominated pairs: a deeper pair with the same gain conflicts with no more pairs."""
        gain, view = self._gain[a], self._rooted
        further = (view.inside2 * gain).max(axis=1)
        within = np.flatnonzero(view.inside1[a])
        if len(within):
            np.maximum(further, self._gain[within].max(axis=0), out=further)
        self._useful[a] = self._alive[a] & (gain > further)

    def _solve_roots(self) -> None:
        root, first = self._n, 2 * self._m
        upper = self._inside_bounds(root)
        order = first + np.argsort(-upper[first:], kind="stable")
        tried: set[int] = set()
        for d in order.tolist():
            kind = self._classes[1][d]
            if kind in tried or upper[d] <= self._state.weight + self._state.tolerance:
                continue
            tried.add(kind)
            weight = self._heaviest_inside(root, d, upper[d])
            if weight > self._state.weight + self._state.tolerance:
                pairs = as_pairs(self._trace_back(root, d), self._rooted)
                self._state.offer(ordered_sum(self._problem.weights[pairs]), pairs)
                self._claim = max(self._claim, weight)

    def _inside_bounds(self, a: int) -> Array:
        """Return upper bounds of the weight inside ``(a, d)`` for every node d.

        One bound lets edges of the first tree share partners, the other those of the second.
        """
        view = self._rooted
        kids = list(view.children1[a])
        for kid in kids:
            reach = (view.inside2 * self._gain[kid]).max(axis=1)
            self._slack1[a] += np.maximum(reach, self._slack1[kid])
        within = np.flatnonzero(view.inside1[a])
        best = self._gain[within].max(axis=0) if len(within) else np.zeros(len(view.inside2))
        slack2: dict[int, float] = {}
        wanted = (
            range(2 * self._m, 3 * self._m + 1)
            if a == self._n
            else np.flatnonzero(self._alive[a]).tolist()
        )
        out = np.zeros(len(best))
        for d in wanted:
            out[d] = min(self._slack1[a, d], _shared_bound(d, view.children2, best, slack2))
        return out

    def _heaviest_inside(self, a: int, d: int, upper: float) -> float:
        """Return the heaviest weight strictly inside ``(a, d)``."""
        feasible = float(self._constrained.forest[a, d])
        if upper <= feasible + self._state.tolerance:
            return feasible
        key = (self._classes[0][a], self._classes[1][d])
        if key not in self._known:
            self._known[key] = max(feasible, self._solve_pair(a, d)[0])
        return self._known[key]

    def _solve_pair(self, a: int, d: int) -> tuple[float, list[tuple[int, int]]]:
        rows, columns = self._useful_pairs(a, d)
        if len(rows) == 0:
            return 0.0, []
        gain = self._gain[rows, columns]
        paths1 = _leaf_paths(a, self._rooted.inside1, self._leaves1)
        paths2 = _leaf_paths(d, self._rooted.inside2, self._leaves2)
        if len(paths1) == 1 or len(paths2) == 1:
            best = int(gain.argmax())
            return float(gain[best]), [(int(rows[best]), int(columns[best]))]
        self._state.meter.require(5_000 + len(rows))
        paths = np.concatenate([paths1[:, rows], paths2[:, columns]])
        clash = Clashes(rows, columns, self._comparable1, self._comparable2)
        chosen = heaviest_choice(gain, paths, clash, self._state)
        picked = zip(rows[chosen].tolist(), columns[chosen].tolist(), strict=True)
        return math.fsum(gain[chosen]), list(picked)

    def _useful_pairs(self, a: int, d: int) -> tuple[Nodes, Nodes]:
        inside1 = np.flatnonzero(self._rooted.inside1[a])
        inside2 = np.flatnonzero(self._rooted.inside2[d])
        r, c = np.nonzero(self._useful[np.ix_(inside1, inside2)])
        return inside1[r], inside2[c]

    def _trace_back(self, a: int, d: int) -> list[tuple[int, int]]:
        feasible = float(self._constrained.forest[a, d])
        weight, chosen = self._solve_pair(a, d)
        if weight <= feasible + self._state.tolerance:
            return self._constrained.trace_forest(a, d)
        return [pair for x in chosen for pair in (x, *self._trace_back(*x))]


def _shared_bound(
    d: int, children: tuple[tuple[int, ...], ...], best: Array, known: dict[int, float]
) -> float:
    """Return the heaviest antichain inside d when every node may take its best partner."""
    stack = [d]
    while stack:
        node = stack[-1]
        missing = [c for c in children[node] if c not in known]
        if node in known:
            stack.pop()
        elif missing:
            stack.extend(missing)
        else:
            known[node] = math.fsum(max(float(best[c]), known[c]) for c in children[node])
            stack.pop()
    return known[d]


def _comparable_pairs(inside: Bools) -> Bools:
    return np.asarray(inside | inside.T | np.eye(len(inside), dtype=bool))


def _leaf_paths(node: int, inside: Bools, leaves: Bools) -> Bools:
    """Return one row per leaf beyond a node, which marks the nodes on the path to that leaf."""
    ends = np.flatnonzero(inside[node] & leaves)
    on_the_way = inside[:, ends].T | (np.arange(len(inside)) == ends[:, None])
    return np.asarray(inside[node] & on_the_way)


def _subtree_classes(children: tuple[tuple[int, ...], ...], labels: Array) -> list[int]:
    """Return a number per node such that equal numbers mean equal labels and equal subtrees."""
    numbers: dict[tuple[bytes, tuple[int, ...]], int] = {}
    out = [-1] * len(children)
    stack = list(range(len(children)))
    while stack:
        node = stack[-1]
        missing = [c for c in children[node] if out[c] < 0]
        if out[node] < 0 and missing:
            stack.extend(missing)
            continue
        stack.pop()
        if out[node] < 0:
            key = (labels[node].tobytes(), tuple(sorted(out[c] for c in children[node])))
            out[node] = numbers.setdefault(key, len(numbers))
    return out
