# SPDX-License-Identifier: Apache-2.0
"""The k nearest trees, exactly, with as few searches as possible.

A tree needs a search only if its distance is not certified and both of its lower bounds, the
relaxation and the triangle inequality over known distances, admit it to the ranking. A search ends
as soon as it has excluded the tree.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric.distance import DEFAULT_NORM
from aa_dataset.metric.norms import AnyNorm
from aa_dataset.metric.pairwise import Engine
from aa_dataset.metric.tree.batch import Trees, chosen_engine
from aa_dataset.metric.tree.distance import norm_for_all
from aa_dataset.metric.tree.packed import PackedTrees, as_packed
from aa_dataset.metric.tree.processes import Workers
from aa_dataset.metric.tree.relaxation import TreeBatch
from aa_dataset.metric.tree.work import DEFAULT_BUDGET, checked_budget

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ROUNDING = 1e-11  # error of bounds, relative to the prices
MOST_PIVOTS = 128
PARTS = 4  # runs of queries per process
FEW_QUERIES = 16  # for fewer, distances to pivots cost more than they save


@dataclass(frozen=True, slots=True)
class Neighbor:
    """One entry of a ranking: position in the library, name and distance."""

    index: int
    name: str
    distance: float
    exact: bool = True


def nearest_trees(
    library: Trees,
    queries: Trees | None = None,
    *,
    k: int = 10,
    norm: AnyNorm = DEFAULT_NORM,
    compactify: float | None = None,
    budget: int = DEFAULT_BUDGET,
    workers: int = 1,
    engine: Engine = "auto",
    progress: bool = False,
) -> list[list[Neighbor]]:
    """Return the k trees of a library that are closest to every query, ties by position.

    Parameters
    ----------
    library : PackedTrees or trees
        The trees to search.
    queries : PackedTrees, trees or None
        The query trees; None uses every tree of the library and excludes the tree itself.
    k : int
        Number of neighbors; fewer if the library is smaller.
    norm, compactify, engine
        As in `tree_distances`.
    budget : int
        Steps of each search. If they are exhausted, the neighbor has ``exact=False`` and its
        distance is an upper bound.
    workers : int
        Processes; the result does not depend on their number. A script with more than one needs
        the usual ``if __name__ == "__main__":``.
    progress : bool
        Show a progress bar if stderr is a terminal.

    Returns
    -------
    list of lists of Neighbor
        One ranking per query. A process needs some 3 kB per tree of the library and 20 MB.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint, KinematicTree
    >>> def drawer(travel):
    ...     slide = Joint("slide", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, travel, 0.0, "a", "b")
    ...     return KinematicTree(f"drawer {travel}", ("a", "b"), (slide,))
    >>> library = [drawer(0.5), drawer(0.25), drawer(1.0)]
    >>> [ranking[0].name for ranking in nearest_trees(library, k=1)]
    ['drawer 0.25', 'drawer 0.5', 'drawer 0.5']
    """
    require_positive("k", k, "neighbor")
    require_positive("workers", workers, "process")
    steps = checked_budget(budget)
    packed = as_packed(library)
    asked = packed if queries is None else as_packed(queries)
    chosen = chosen_engine(engine, len(asked) * len(packed))
    options = {"norm": norm_for_all(norm), "compactify": compactify, "engine": chosen}
    task = _Task(packed, asked, k, steps, options)
    hidden = not (progress and sys.stderr.isatty())
    from tqdm import tqdm

    found: list[list[Neighbor]] = [[] for _ in range(len(asked))]
    with tqdm(total=len(asked), unit="object", leave=False, disable=hidden) as bar:
        for query, ranking in _ranked_queries(task, min(workers, max(1, len(asked) // 4))):
            found[query] = ranking
            bar.update()
    return found


def require_positive(name: str, count: int, what: str) -> None:
    """Raise unless a count is at least one."""
    if count < 1:
        raise ValueError(f"`{name}` is {count}; there must be at least one {what}.")


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """The data that a process needs to rank the neighbors of any query."""

    library: PackedTrees
    queries: PackedTrees
    k: int
    budget: int
    options: dict[str, Any]


def _ranked_queries(task: _Task, workers: int) -> Iterator[tuple[int, list[Neighbor]]]:
    """Yield queries with their rankings, sorted by total motion.

    Distances are at least the difference in motion, so neighbors are adjacent and a process can
    reuse most of its own searches.
    """
    batch = TreeBatch(task.queries, task.queries, **{**task.options, "engine": "numpy"})
    queries = np.argsort(batch.motion[0], kind="stable").tolist()
    if workers == 1:
        yield from zip(queries, map(_Scan(task).ranking, queries), strict=True)
        return
    part = max(1, len(queries) // (PARTS * workers))
    with Workers(workers, _start_scan_of_process, task) as pool:
        yield from zip(queries, pool.map(_rank_one, queries, chunk=part), strict=True)


_of_process: list[_Scan] = []  # the scan of a worker process


def _start_scan_of_process(task: _Task) -> None:
    _of_process[:] = [_Scan(task)]


def _rank_one(query: int) -> list[Neighbor]:
    return _of_process[0].ranking(query)


class _Scan:
    """Ranks the library for successive queries and caches the results of searches."""

    def __init__(self, task: _Task):
        self._task = task
        self._own = task.queries is task.library
        self._batch = TreeBatch(task.queries, task.library, **task.options)
        self._known: dict[int, dict[int, tuple[float, float]]] = {}
        count = min(MOST_PIVOTS, len(task.library))
        wanted = count if len(task.queries) >= FEW_QUERIES else 0
        self._pivots = np.arange(wanted) * len(task.library) // max(1, wanted)
        self._place = {int(p): row for row, p in enumerate(self._pivots)}
        self._pivot_lower, self._pivot_upper = self._pivot_bounds()

    def _pivot_bounds(self) -> tuple[Array, Array]:
        """Return relaxed bounds of the distances from pivots to the library, (p, N) each."""
        library = self._task.library
        batch = self._batch if self._own else TreeBatch(library, library, **self._task.options)
        rows = [
            _relaxed_bounds(batch, _row_pairs(p, len(library), True)) for p in self._pivots.tolist()
        ]
        shape = (len(rows), len(library))
        lower, upper = (np.array([row[side] for row in rows]).reshape(shape) for side in (0, 1))
        return lower, upper

    def ranking(self, query: int) -> list[Neighbor]:
        """Return the nearest trees of one query."""
        task, count = self._task, len(self._task.library)
        lower, upper = _relaxed_bounds(self._batch, _row_pairs(query, count, self._own))
        if self._own:
            lower[query] = upper[query] = np.inf
            self._apply_cached(query, lower, upper)
        self._search_until_settled(query, lower, upper)
        order = np.lexsort((np.arange(count), upper))[: task.k]
        names = task.library.names
        return [
            Neighbor(int(i), names[i], float(upper[i]), bool(lower[i] == upper[i]))
            for i in order
            if not (self._own and i == query)
        ]

    def _search_until_settled(self, query: int, lower: Array, upper: Array) -> None:
        """Search in the order of the lower bounds until nothing open can enter the ranking."""
        k, price = self._task.k, float(self._batch.motion[0][query])
        for index in np.lexsort((np.arange(len(lower)), lower)).tolist():
            last = np.partition(upper, k - 1)[k - 1] if k <= len(upper) else np.inf
            enough = float(last + ROUNDING * (price + last))
            if lower[index] > enough:
                break
            if np.isfinite(upper[index]) or np.isinf(lower[index]):
                continue
            lower[index] = max(lower[index], self._triangle_bound(index, lower, upper))
            if lower[index] <= enough:
                lower[index], upper[index] = self._search_pair(query, index, enough)

    def _triangle_bound(self, index: int, lower: Array, upper: Array) -> float:
        """Return ``max |d(q, p) - d(p, x)|`` over pivots p, as far as the bounds show it."""
        with np.errstate(invalid="ignore"):  # inf - inf is nan: no information
            far = lower[self._pivots] - self._pivot_upper[:, index]
            near = self._pivot_lower[:, index] - upper[self._pivots]
        gaps = np.concatenate([far, near])
        return float(gaps[np.isfinite(gaps)].max(initial=0.0))

    def _search_pair(self, query: int, index: int, enough: float) -> tuple[float, float]:
        """Search one pair, in one library with the smaller index first; cache it for both."""
        if not self._own:
            return self._batch.search(query, index, budget=self._task.budget, enough=enough)
        pair = min(query, index), max(query, index)
        found = self._batch.search(*pair, budget=self._task.budget, enough=enough)
        for one, two in (pair, pair[::-1]):
            self._known.setdefault(one, {})[two] = found
            if one in self._place:
                row = self._place[one]
                self._pivot_lower[row, two], self._pivot_upper[row, two] = found
        return found

    def _apply_cached(self, query: int, lower: Array, upper: Array) -> None:
        """Apply the cached results of earlier searches for this query."""
        for other, (low, high) in self._known.pop(query, {}).items():
            lower[other], upper[other] = max(lower[other], low), high


def _row_pairs(query: int, count: int, own: bool) -> Indices:
    """Return the pairs of one query with a library; in its own library the smaller index first."""
    pairs = np.stack([np.full(count, query), np.arange(count)], axis=1).astype(np.int64)
    if own:
        pairs.sort(axis=1)
    return pairs


def _relaxed_bounds(batch: TreeBatch, pairs: Indices) -> tuple[Array, Array]:
    lower, upper = np.empty(len(pairs)), np.empty(len(pairs))
    batch.relax(pairs, lower, upper)
    return lower, upper
