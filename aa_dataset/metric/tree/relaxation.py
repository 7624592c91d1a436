# SPDX-License-Identifier: Apache-2.0
"""Relaxations and searches between the trees of packed libraries."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._engine import compiled_kernels
from aa_dataset.metric.distance import DEFAULT_NORM, checked_scale
from aa_dataset.metric.endpoints import require_bounded
from aa_dataset.metric.norms import AnyNorm
from aa_dataset.metric.pairwise import Engine
from aa_dataset.metric.tree.distance import COMPILE_ABOVE, norm_for_all
from aa_dataset.metric.tree.packed import PackedTrees
from aa_dataset.metric.tree.prices import Measure, Prices, Terms, pair_prices
from aa_dataset.metric.tree.problem import Problem, assign, is_admissible
from aa_dataset.metric.tree.search import heaviest_matching
from aa_dataset.metric.tree.work import DEFAULT_BUDGET

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

RUN = 256  # pairs that numpy prices at a time


class TreeBatch:
    """Two packed libraries under one norm, ready to be compared.

    Attributes
    ----------
    first, second : PackedTrees
        The two sides; the same object for a library against itself.
    motion : pair of float arrays
        Price of contracting each whole tree, (N,) per side.
    """

    def __init__(
        self,
        first: PackedTrees,
        second: PackedTrees,
        *,
        norm: AnyNorm = DEFAULT_NORM,
        compactify: float | None = None,
        engine: Engine = "numpy",
    ):
        scale = checked_scale(compactify)
        factor = norm_for_all(norm).factor
        if scale is None:
            require_bounded(first.joints)
            require_bounded(second.joints)
        self.first, self.second = first, second
        self._kernels = compiled_kernels(engine, module="_compiled_trees")
        self._measure = Measure(factor, scale, self._kernels)
        self._terms = [Terms.of(first.joints, factor, scale)]
        same = second is first
        self._terms.append(self._terms[0] if same else Terms.of(second.joints, factor, scale))
        sides = zip((first, second), self._terms, strict=True)
        self.motion = tuple(_tree_sums(side, terms.motion) for side, terms in sides)

    def relax(self, pairs: Indices, lower: Array, upper: Array) -> None:
        """Write the relaxation of pairs (k, 2) to `lower`, and to `upper` where certified."""
        if self._kernels is None:
            self._relax_numpy(pairs, lower, upper)
            return
        sides = ((self.first, self._terms[0]), (self.second, self._terms[1]))
        trees = tuple((t.offsets, t.enter, t.leave, terms.motion) for t, terms in sides)
        terms = (self._terms[0].arrays, self._terms[1].arrays)
        norm = self._measure.compiled_norm
        self._kernels.relax_pairs(trees, terms, norm, pairs, (lower, upper))

    def _relax_numpy(self, pairs: Indices, lower: Array, upper: Array) -> None:
        """Relax runs of pairs with the same first tree, whose prices are computed together."""
        k = 0
        while k < len(pairs):
            a, run = int(pairs[k, 0]), pairs[k : k + RUN]
            run = run[: int((np.append(run[:, 0], -1) != a).argmax())]
            for b, prices in self._run_prices(a, run[:, 1].tolist()):
                saved = prices.saved
                _, matching = assign(saved)
                settled = len(matching[0]) < 3 or is_admissible(
                    self._pair_problem(a, b, saved), matching
                )
                lower[k] = prices.of_matching(matching)
                upper[k] = lower[k] if settled else np.inf
                k += 1

    def _run_prices(self, a: int, others: list[int]) -> Iterator[tuple[int, Prices]]:
        """Yield the prices between one tree and many."""
        spans = [range(*self.second.rows(b).indices(1 << 62)[:2]) for b in others]
        columns = np.fromiter(itertools.chain.from_iterable(spans), dtype=np.int64)
        one = self._terms[0].part(self.first.rows(a))
        two = self._terms[1].part(columns)
        table, start = pair_prices(one, two, self._measure), 0
        for b, span in zip(others, spans, strict=True):
            own = slice(start, start + len(span))
            yield b, Prices(table[:, own], one.motion, two.motion[own])
            start = own.stop

    def prices(self, a: int, b: int) -> Prices:
        """Return the prices of all edits between two trees."""
        one = self._terms[0].part(self.first.rows(a))
        two = self._terms[1].part(self.second.rows(b))
        return Prices(pair_prices(one, two, self._measure), one.motion, two.motion)

    def _pair_problem(self, a: int, b: int, saved: Array) -> Problem:
        below1, parents1 = self.first.shape_of(a)
        below2, parents2 = self.second.shape_of(b)
        kernels = self._kernels if saved.size >= COMPILE_ABOVE else None
        return Problem(saved, below1, below2, parents1, parents2, kernels)

    def search(
        self, a: int, b: int, *, budget: int = DEFAULT_BUDGET, enough: float = np.inf
    ) -> tuple[float, float]:
        """Return certified bounds of one distance, equal unless the search was stopped.

        It stops when the budget is exhausted, or once the distance is known to exceed `enough`; in
        that case the upper bound is inf, because none was computed.
        """
        prices = self.prices(a, b)
        problem, total = self._pair_problem(a, b, prices.saved), prices.total
        state = heaviest_matching(problem, budget=budget, needed=total - enough)
        upper = prices.of_matching(state.pairs)
        lower = upper if state.closed else max(0.0, min(upper, total - state.bound))
        return lower, upper if state.closed or state.bound >= state.needed else np.inf


def _tree_sums(trees: PackedTrees, values: Array) -> Array:
    parts = (values[trees.rows(k)] for k in range(len(trees)))
    return np.array([math.fsum(part) for part in parts])
