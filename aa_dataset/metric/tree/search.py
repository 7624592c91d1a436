# SPDX-License-Identifier: Apache-2.0
"""Best-first branch and bound over oriented pairs, and the order of all stages."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric._arithmetic import ordered_sum
from aa_dataset.metric.tree.antichains import AntichainProgram
from aa_dataset.metric.tree.bounds import filter_pairs, oriented_bounds
from aa_dataset.metric.tree.problem import (
    TOLERANCE,
    Pairs,
    Problem,
    State,
    assign,
    is_admissible,
    marked_sums,
    propagate,
    repair,
    votes,
)
from aa_dataset.metric.tree.rooted import ConstrainedMatching, rooted_view
from aa_dataset.metric.tree.work import (
    DEFAULT_BUDGET,
    Meter,
    assignment_steps,
    node_steps,
    repair_steps,
)

Bools = NDArray[np.bool_]

FIRST_NODES = 40
# Each program may close in seconds what the other cannot in minutes, so they alternate.
TURNS = (300_000_000,)


def heaviest_matching(
    problem: Problem,
    *,
    budget: int = DEFAULT_BUDGET,
    time_limit: float | None = None,
    needed: float = 0.0,
) -> State:
    """Return the heaviest admissible matching, proven unless the search was stopped.

    Parameters
    ----------
    problem : Problem
        Two trees and the weights of matching their edges.
    budget : int
        Maximum number of search steps, see `work.Meter`.
    time_limit : float [s] or None
        An additional time limit.
    needed : float
        Stop as soon as no matching of this weight can exist.
    """
    state = start(problem, Meter(budget, time_limit), needed)
    if state.done:
        return state
    state.stage = "filter"
    filter_pairs(problem, state)
    if state.done:
        return state
    state.stage = "constrained"
    constrained = ConstrainedMatching(rooted_view(problem), state)
    if constrained.weight > state.weight + state.tolerance:
        pairs = constrained.pairs()
        state.offer(ordered_sum(problem.weights[pairs]), pairs)
        filter_pairs(problem, state)
    if state.done:
        return state
    state.stage = "branch and bound"
    search = BranchAndBound(problem, state)
    search.run(FIRST_NODES)
    if state.done:
        return state
    for turn in (*TURNS, None):
        state.stage = "antichain program"
        state.meter.turn = None if turn is None else state.meter.work + turn
        AntichainProgram(problem, state, constrained).run()
        if state.done:
            break
        state.stage = "branch and bound"
        state.meter.turn = None if turn is None else state.meter.work + 3 * turn
        search.run(None)
        if state.done:
            break
    return state


def start(problem: Problem, meter: Meter, needed: float = 0.0) -> State:
    """Return the relaxation with its certificate and, if that fails, a first matching.

    This is always done, so that there is a result with bounds for any budget.
    """
    n, m = problem.weights.shape
    meter.work += assignment_steps(n, m)
    relaxed, pairs = assign(problem.weights)
    certified = is_admissible(problem, pairs)
    state = State(
        weight=relaxed,
        pairs=pairs,
        bound=relaxed,
        alive=np.zeros((0, 0, 2), dtype=bool),
        meter=meter,
        relaxed=relaxed,
        certified=certified,
        tolerance=TOLERANCE * relaxed,
        needed=needed,
    )
    if not certified:
        meter.work += repair_steps(n, m)
        state.alive = np.repeat((problem.weights > 0)[..., None], 2, axis=2)
        state.weight, state.pairs = repair(problem, state.alive, pairs)
        state.stage = "repair"
    return state


class BranchAndBound:
    """Branch on a contested pair: required one way, required the other way, or forbidden."""

    def __init__(self, problem: Problem, state: State):
        self._problem, self._state = problem, state
        self._order = itertools.count()
        self._queue: list[tuple[float, int, Bools]] = []
        heapq.heappush(self._queue, (-state.bound, next(self._order), state.alive))

    def run(self, nodes: int | None) -> None:
        """Expand at most `nodes` nodes; the state's bound is valid whenever this returns."""
        state, steps = self._state, node_steps(*self._problem.weights.shape)
        while self._queue and (nodes is None or nodes > 0):
            bound = -self._queue[0][0]
            state.bound = max(state.weight, min(state.bound, bound))
            if state.done or not state.meter.charge(steps):
                return
            _, _, alive = heapq.heappop(self._queue)
            self._expand_node(alive)
            state.nodes += 1
            nodes = None if nodes is None else nodes - 1
        top = -self._queue[0][0] if self._queue else 0.0
        state.bound = max(state.weight, min(state.bound, top))

    def _expand_node(self, alive: Bools) -> None:
        problem, state = self._problem, self._state
        floor = state.weight + state.tolerance
        alive = alive & (oriented_bounds(problem, alive) > floor)
        bound, pairs = assign(problem.weights * alive.any(axis=2))
        if bound <= floor:
            return
        if is_admissible(problem, pairs):
            state.offer(bound, pairs)
            return
        state.offer(*repair(problem, alive, pairs))
        i, j = self._most_contested_pair(pairs)
        for s in (0, 1):
            if alive[i, j, s]:
                self._push_node(bound, propagate(problem, alive, (i, j, s)))
        without = alive.copy()
        without[i, j] = False
        self._push_node(bound, without)

    def _most_contested_pair(self, pairs: Pairs) -> tuple[int, int]:
        """Return the pair whose orientation has the largest weight of disagreement."""
        value = self._problem.weights[pairs]
        ballots = votes(self._problem, pairs)
        turned, kept = marked_sums(ballots, value), marked_sums(~ballots, value) - value
        worst = int(np.minimum(turned, kept).argmax())
        return int(pairs[0][worst]), int(pairs[1][worst])

    def _push_node(self, bound: float, alive: Bools) -> None:
        relaxed, _ = assign(self._problem.weights * alive.any(axis=2))
        bound = min(bound, relaxed)
        if bound > self._state.weight + self._state.tolerance:
            heapq.heappush(self._queue, (-bound, next(self._order), alive))
