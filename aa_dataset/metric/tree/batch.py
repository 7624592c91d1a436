# SPDX-License-Identifier: Apache-2.0
"""Distances of many pairs of trees: the relaxation with its certificate, and optional searches.

The relaxation is a lower bound of the distance. If its matching is realizable it equals the
distance, which settles most pairs. numba takes a few microseconds per pair; without it, numpy and
scipy give the same digits. Results depend neither on workers nor on the block size.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.metric._engine import has_numba
from aa_dataset.metric.distance import DEFAULT_NORM
from aa_dataset.metric.norms import AnyNorm, Norm
from aa_dataset.metric.pairwise import Engine
from aa_dataset.metric.tree.arguments import checked_outputs, checked_pairs
from aa_dataset.metric.tree.distance import norm_for_all
from aa_dataset.metric.tree.packed import PackedTrees, as_packed
from aa_dataset.metric.tree.processes import Workers
from aa_dataset.metric.tree.relaxation import TreeBatch
from aa_dataset.metric.tree.skeleton import Tree
from aa_dataset.metric.tree.work import DEFAULT_BUDGET, checked_budget

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.int64]
Trees = PackedTrees | Iterable[Tree]

BLOCK_PAIRS = 250_000
COMPILE_PAIRS = 20_000  # numpy computes as many pairs in the second that numba takes to import
SEARCHES = 16  # pairs per task of a process
RELAXED_PAIRS = 4_000  # pairs per task of a thread; Ctrl-C waits for a task


@dataclass(frozen=True, slots=True, eq=False)
class TreeDistances:
    """Certified bounds of many distances; they are equal where the distance is known.

    Attributes
    ----------
    lower : float array
        The relaxation, or a larger bound from a search.
    upper : float array
        Price of a realizable edit script; inf where only an unrealizable relaxation is known.
    """

    lower: Array
    upper: Array

    @property
    def proven(self) -> Bools:
        """Where both bounds are the distance itself."""
        return np.asarray(self.lower == self.upper)


def tree_distances(
    first: Trees,
    second: Trees | None = None,
    *,
    pairs: ArrayLike | None = None,
    norm: AnyNorm = DEFAULT_NORM,
    compactify: float | None = None,
    exact: bool = False,
    budget: int = DEFAULT_BUDGET,
    workers: int = 1,
    engine: Engine = "auto",
    out: tuple[Array, Array] | None = None,
    progress: bool = False,
) -> TreeDistances:
    """Return bounds of many tree distances, optionally exact.

    Parameters
    ----------
    first, second : PackedTrees, or N and M trees
        The trees of a pair must be in one frame. Without `second`, the first is compared with
        itself, each pair once.
    pairs : (k, 2) int or None
        The pairs (index in first, index in second) to compare; default all N x M.
    norm : SplitNorm, KineticNorm or another fixed norm
        One inner product for all joints. `BodyNorms` is not a metric: see `tree_distance`.
    compactify : float [unit of the norm] or None
        Scale kappa of E^phi; None prices by raw E and refuses infinite ranges.
    exact : bool
        Search if the relaxation is not realizable, as `tree_distance` does.
    budget : int
        Steps of each search; if they are exhausted, the bounds differ. As in `tree_distance`, a
        first matching is always computed.
    workers : int
        Threads of the compiled relaxation and processes of the searches. A script with more than
        one needs the usual ``if __name__ == "__main__":``.
    engine : {"auto", "numpy", "numba"}
        All give the same digits; "auto" uses numba for 20,000 pairs or more if it is installed.
    out : (lower, upper), optional
        Float arrays (N, M), or (k,) for pairs, filled and returned; memory maps are allowed. A call
        needs about 200 bytes per joint and 20 MB more, for any number of pairs.
    progress : bool
        Show a progress bar if stderr is a terminal.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint, KinematicTree
    >>> def drawer(travel):
    ...     slide = Joint("slide", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, travel, 0.0, "a", "b")
    ...     return KinematicTree("drawer", ("a", "b"), (slide,))
    >>> found = tree_distances([drawer(0.5), drawer(0.25), drawer(1.0)])
    >>> found.lower[0].tolist(), bool(found.proven.all())
    ([0.0, 0.25, 0.5], True)
    """
    steps = checked_budget(budget)
    one = as_packed(first)
    two = one if second is None else as_packed(second)
    listed = None if pairs is None else checked_pairs(pairs, len(one), len(two))
    shape = (len(one), len(two)) if listed is None else (len(listed),)
    lower, upper = checked_outputs(out, shape)
    plan = _Plan(one, two, norm_for_all(norm), compactify, chosen_engine(engine, lower.size))
    half = listed is None and second is None
    blocks = _matrix_blocks(one, two, half=half) if listed is None else _list_blocks(listed)
    with (
        _Runner(plan, workers, steps if exact else None) as run,
        _progress_bar(lower, progress) as bar,
    ):
        for where, block in blocks:
            low, high = run(block)
            for target, found in ((lower, low), (upper, high)):
                target[where] = found.reshape(target[where].shape)
                if half:
                    target[where[::-1]] = target[where].T
            bar.update(len(block) * (2 if half else 1))
    return TreeDistances(lower, upper)


def tree_distance_blocks(
    first: Trees,
    second: Trees | None = None,
    *,
    norm: AnyNorm = DEFAULT_NORM,
    compactify: float | None = None,
    exact: bool = False,
    budget: int = DEFAULT_BUDGET,
    workers: int = 1,
    engine: Engine = "auto",
) -> Iterator[tuple[slice, slice, TreeDistances]]:
    """Yield the matrix of `tree_distances` block by block, without storing it.

    Yields
    ------
    rows, columns : slice
        Position of the block. Without a second library, the columns begin with the block's own
        rows: the blocks cover the upper triangle of the symmetric matrix.
    distances : TreeDistances
        Bounds of the block, about 250,000 pairs.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint, KinematicTree
    >>> def drawer(travel):
    ...     slide = Joint("slide", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, travel, 0.0, "a", "b")
    ...     return KinematicTree("drawer", ("a", "b"), (slide,))
    >>> for rows, columns, found in tree_distance_blocks([drawer(0.5), drawer(0.25)]):
    ...     print(rows, columns, found.lower[0, 1], found.upper[0, 1])
    slice(0, 2, None) slice(0, 2, None) 0.25 0.25
    """
    steps = checked_budget(budget)
    one = as_packed(first)
    two = one if second is None else as_packed(second)
    chosen = chosen_engine(engine, len(one) * len(two))
    plan = _Plan(one, two, norm_for_all(norm), compactify, chosen)
    with _Runner(plan, workers, steps if exact else None) as run:
        for (rows, columns), block in _matrix_blocks(one, two, half=second is None):
            shape = (rows.stop - rows.start, columns.stop - columns.start)
            low, high = run(block)
            yield rows, columns, TreeDistances(low.reshape(shape), high.reshape(shape))


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """The data that a process needs to create its own `TreeBatch`."""

    first: PackedTrees
    second: PackedTrees
    norm: Norm
    scale: float | None
    engine: Engine

    def batch(self) -> TreeBatch:
        return TreeBatch(
            self.first, self.second, norm=self.norm, compactify=self.scale, engine=self.engine
        )


class _Runner:
    """Relaxes blocks of pairs in threads and searches the remaining ones in processes."""

    def __init__(self, plan: _Plan, workers: int, budget: int | None):
        if workers < 1:
            raise ValueError(f"`workers` is {workers}; there must be at least one.")
        self._plan, self._workers, self._budget = plan, workers, budget
        self._batch = plan.batch()
        self._threads = ThreadPoolExecutor(workers)
        self._processes: Workers | None = None

    def __enter__(self) -> _Runner:
        return self

    def __exit__(self, *error: Any) -> None:
        if self._processes is not None:
            self._processes.__exit__(*error)
        self._threads.shutdown(cancel_futures=True)

    def __call__(self, pairs: Indices) -> tuple[Array, Array]:
        lower, upper = np.empty(len(pairs)), np.empty(len(pairs))
        step = max(1, min(RELAXED_PAIRS, -(-len(pairs) // self._workers)))
        parts = [slice(start, start + step) for start in range(0, len(pairs), step)]
        tasks = ((pairs[part], lower[part], upper[part]) for part in parts)
        list(self._threads.map(lambda task: self._batch.relax(*task), tasks))
        if self._budget is not None:
            left = np.flatnonzero(np.isinf(upper))
            for k, (low, high) in zip(left, self._search_pairs(pairs[left]), strict=True):
                lower[k], upper[k] = max(low, min(lower[k], high)), high
        return lower, upper

    def _search_pairs(self, pairs: Indices) -> Iterable[tuple[float, float]]:
        assert self._budget is not None
        if self._workers == 1 or len(pairs) < 2 * SEARCHES:
            return [self._batch.search(a, b, budget=self._budget) for a, b in pairs.tolist()]
        if self._processes is None:  # created lazily: certificates settle most blocks
            self._processes = Workers(self._workers, _start_batch_of_process, self._plan)
        work = partial(_search_one, budget=self._budget)
        return self._processes.map(work, pairs.tolist(), chunk=SEARCHES)


_of_process: list[TreeBatch] = []  # the batch of a worker process


def _start_batch_of_process(plan: _Plan) -> None:
    _of_process[:] = [plan.batch()]


def _search_one(pair: list[int], *, budget: int) -> tuple[float, float]:
    return _of_process[0].search(*pair, budget=budget)


def chosen_engine(engine: Engine, pairs: int) -> Engine:
    """Resolve "auto" for a number of pairs of trees."""
    if engine != "auto":
        return engine
    return "numba" if pairs >= COMPILE_PAIRS and has_numba() else "numpy"


def _matrix_blocks(
    one: PackedTrees, two: PackedTrees, *, half: bool
) -> Iterator[tuple[tuple[slice, slice], Indices]]:
    """Yield rows, columns and pairs of blocks; within one library, the smaller index first."""
    n, m = len(one), len(two)
    start = 0
    while start < n and m:
        first = start if half else 0
        stop = min(n, start + max(1, BLOCK_PAIRS // (m - first)))
        rows, columns = np.meshgrid(np.arange(start, stop), np.arange(first, m), indexing="ij")
        pairs = np.stack([rows.ravel(), columns.ravel()], axis=1)
        if half:
            pairs.sort(axis=1)
        yield (slice(start, stop), slice(first, m)), pairs
        start = stop


def _list_blocks(pairs: Indices) -> Iterator[tuple[tuple[slice], Indices]]:
    for start in range(0, len(pairs), BLOCK_PAIRS):
        where = slice(start, min(start + BLOCK_PAIRS, len(pairs)))
        yield (where,), pairs[where]


def _progress_bar(target: Array, show: bool) -> Any:
    from tqdm import tqdm

    hidden = not (show and sys.stderr.isatty())
    return tqdm(total=target.size, unit="pair", unit_scale=True, leave=False, disable=hidden)
