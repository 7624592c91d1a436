# SPDX-License-Identifier: Apache-2.0
"""Rooted views of both trees, and the constrained edit distance as a strong feasible matching.

Root the first tree anywhere. A matching is realizable iff some vertex of the second tree, taken
as its root, makes it preserve "below" both ways. So both programs of this package run over the
edges of the first tree against *directed* edges of the second, plus one node per possible root.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._arithmetic import ordered_sum
from aa_dataset.metric.tree.problem import Pairs, Problem, State, assignment
from aa_dataset.metric.tree.work import assignment_steps

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Rooted:
    """Children and descendants on both sides.

    The first tree has nodes ``0..n-1`` (its edges) and ``n`` (the root, above all). The second has
    ``0..m-1`` (edges looking down), ``m..2m-1`` (edges looking up) and ``2m..3m`` (one per vertex,
    everything looking away from it).

    Attributes
    ----------
    children1, children2 : tuple of tuples of int
        Next edges away from each node.
    inside1, inside2 : bool matrices
        ``inside[x, y]``: y lies strictly beyond x and looks away from it.
    weights : (n + 1, 3m + 1) float
        Weight of matching two nodes; 0 for the roots.
    """

    children1: tuple[tuple[int, ...], ...]
    children2: tuple[tuple[int, ...], ...]
    inside1: Bools
    inside2: Bools
    weights: Array


def rooted_view(problem: Problem) -> Rooted:
    """Build the rooted views of a problem."""
    n, m = problem.weights.shape
    weights = np.zeros((n + 1, 3 * m + 1))
    weights[:n, :m] = weights[:n, m : 2 * m] = problem.weights
    inside1 = np.zeros((n + 1, n + 1), dtype=bool)
    inside1[:n, :n] = problem.below1
    inside1[n, :n] = True
    return Rooted(
        _down_children(problem.parents1),
        _directed_children(problem.parents2),
        inside1,
        _directed_inside(problem.below2),
        weights,
    )


def _down_children(parents: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the child edges of every edge, and last those of the root."""
    lists: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for k, parent in enumerate(parents):
        lists[parent].append(k)  # -1 is the last list: the root
    return tuple(map(tuple, lists))


def _directed_children(parents: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    m = len(parents)
    down = _down_children(parents)
    up = []
    for j, parent in enumerate(parents):
        siblings = [k for k in down[parent] if k != j]
        up.append((*siblings, m + parent) if parent >= 0 else tuple(siblings))
    vertices = [(*down[j], m + j) for j in range(m)]
    return (*down[:m], *up, *vertices, down[m])


def _directed_inside(below: Bools) -> Bools:
    m = len(below)
    aside = ~below & ~below.T & ~np.eye(m, dtype=bool)
    inside = np.zeros((3 * m + 1, 3 * m + 1), dtype=bool)
    inside[:m, :m] = below
    inside[m : 2 * m, :m] = aside
    inside[m : 2 * m, m : 2 * m] = below.T
    # From the vertex under edge j, the edges below j and beside it look down, j and above look up.
    inside[2 * m : 3 * m, :m] = below | aside
    inside[2 * m : 3 * m, m : 2 * m] = below.T | np.eye(m, dtype=bool)
    inside[3 * m, :m] = True
    return inside


class ConstrainedMatching:
    """Heaviest matching that maps disjoint subtrees to disjoint subtrees (Zhang's constraint).

    Polynomial, feasible for the tree distance, and optimal on chains.

    Attributes
    ----------
    rooted : Rooted
        The views that it was solved on.
    forest : (n + 1, 3m + 1) float
        Best weight strictly inside each pair of nodes.
    weight : float
        Best weight overall.
    """

    def __init__(self, rooted: Rooted, state: State):
        self.rooted = rooted
        self._or_inside = rooted.inside2 | np.eye(len(rooted.inside2), dtype=bool)
        listed = list(enumerate(rooted.children2))
        self._single = [d for d, kids in listed if len(kids) == 1]
        self._only_child = [kids[0] for _, kids in listed if len(kids) == 1]
        self._branching = [(d, list(kids)) for d, kids in listed if len(kids) > 1]
        self.forest = np.zeros(rooted.weights.shape)
        self._tree = np.zeros(rooted.weights.shape)
        last = len(rooted.children1) - 1
        for a in (*range(last - 1, -1, -1), last):
            if not state.meter.charge(self._steps_of_row(a)):
                break  # the part computed so far is feasible
            self._solve_row(a)
        self.weight = float(self.forest[last].max())

    def pairs(self) -> Pairs:
        """Return the matching that attains `weight`, as indices of both trees' edges."""
        last = len(self.forest) - 1
        chosen = self.trace_forest(last, int(self.forest[last].argmax()))
        return as_pairs(chosen, self.rooted)

    def _steps_of_row(self, a: int) -> int:
        """Return the charge of one row: closures, and assignments between child subtrees."""
        kids, width = len(self.rooted.children1[a]), len(self.rooted.inside2)
        nested = sum(assignment_steps(kids, len(others)) for _, others in self._branching)
        return 5_000 + width * width // 2 + (nested if kids > 1 else 0)

    def _solve_row(self, a: int) -> None:
        view, kids = self.rooted, list(self.rooted.children1[a])
        tree = view.weights[a] + 0.0
        if kids:
            inner = np.maximum(self.forest[kids].max(axis=0), self._side_by_side(kids))
            self.forest[a] = self._maximum_of_descendants(inner)
            tree += self.forest[a]
            np.maximum(tree, self._tree[kids].max(axis=0), out=tree)
        self._tree[a] = self._maximum_of_descendants(tree)

    def _side_by_side(self, kids: list[int]) -> Array:
        """Return the best assignment of child subtrees to child subtrees for every node."""
        tree = self._tree[kids]
        best = tree.max(axis=0)
        if len(kids) == 1:
            return np.asarray((self.rooted.inside2 * best).max(axis=1))
        out = np.zeros(tree.shape[1])
        out[self._single] = best[self._only_child]
        for d, others in self._branching:
            block = tree[:, others]
            out[d] = ordered_sum(block[assignment(block)])
        return out

    def _maximum_of_descendants(self, values: Array) -> Array:
        return np.asarray((self._or_inside * values).max(axis=1))

    def trace_forest(self, a: int, d: int) -> list[tuple[int, int]]:
        """Return the pairs of nodes that attain ``forest[a, d]``."""
        chosen: list[tuple[int, int]] = []
        tasks = [(self.forest, a, d)]  # a list, not recursion: a chain may be a thousand deep
        while tasks:
            table, a, d = tasks.pop()
            if table[a, d] <= 0:
                continue
            deeper = self._deeper_pair(table, a, d)
            if deeper is not None:
                tasks.append((table, *deeper))
            elif table is self.forest:
                tasks += [(self._tree, *pair) for pair in self._best_assignment_of_children(a, d)]
            else:
                chosen.append((a, d))
                tasks.append((self.forest, a, d))
        return chosen

    def _deeper_pair(self, table: Array, a: int, d: int) -> tuple[int, int] | None:
        """Return a pair one step deeper that attains the same value."""
        view = self.rooted
        steps = [(kid, d) for kid in view.children1[a]]
        steps += [(a, other) for other in view.children2[d]]
        return next((step for step in steps if table[step] == table[a, d]), None)

    def _best_assignment_of_children(self, a: int, d: int) -> list[tuple[int, int]]:
        kids, others = list(self.rooted.children1[a]), list(self.rooted.children2[d])
        rows, columns = assignment(self._tree[np.ix_(kids, others)])
        picked = zip(rows.tolist(), columns.tolist(), strict=True)
        return [(kids[r], others[c]) for r, c in picked]


def as_pairs(chosen: list[tuple[int, int]], rooted: Rooted) -> Pairs:
    """Translate pairs of nodes into indices of both trees' edges; drop pairs without weight."""
    m = (rooted.weights.shape[1] - 1) // 3
    kept = [(a, d % m) for a, d in chosen if m and d < 2 * m and rooted.weights[a, d] > 0]
    rows, columns = zip(*kept, strict=True) if kept else ((), ())
    return np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)
