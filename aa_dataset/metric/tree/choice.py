# SPDX-License-Identifier: Apache-2.0
"""The heaviest set of pairs without clashes: linear programs, clique cuts, branching."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aa_dataset.metric.tree.problem import State
from aa_dataset.metric.tree.work import Meter, StoppedError, pivot_steps, program_steps

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Nodes = NDArray[np.intp]

# HiGHS tolerates reduced costs of 1e-7; objectives are scaled so that this is 1e-13 of the largest.
OBJECTIVE_SCALE = 1e6
CUT_ROUNDS = 12
MOST_PIVOTS = 2**31 - 2


@dataclass(frozen=True, slots=True, eq=False)
class Clashes:
    """Which candidate pairs exclude each other: equal or comparable nodes on either side."""

    rows: Nodes
    columns: Nodes
    comparable1: Bools
    comparable2: Bools

    def between(self, some: Nodes, others: Nodes) -> Bools:
        """Return the matrix of clashes between two lists of candidates."""
        one = self.comparable1[np.ix_(self.rows[some], self.rows[others])]
        two = self.comparable2[np.ix_(self.columns[some], self.columns[others])]
        return np.asarray(one | two)


def heaviest_choice(gain: Array, paths: Bools, clashes: Clashes, state: State) -> Bools:
    """Return the candidates of the heaviest choice without clashes.

    Parameters
    ----------
    gain : (k,) float
        Weight of every candidate, positive.
    paths : (p, k) bool
        Sets of candidates of which at most one may be taken; together they imply every clash.
    clashes : Clashes
        The same as pairs; stronger sets are derived from them if the solution is fractional.
    state : State
        Provides the tolerance and counts the work.

    Raises
    ------
    StoppedError
        If the budget is exhausted or the time limit passes.
    """
    cuts = _distinct_sets(paths)
    best, chosen = -1.0, np.zeros(len(gain), dtype=bool)
    stack = [(np.zeros(len(gain)), np.ones(len(gain)))]
    while stack:
        low, high = stack.pop()
        values, cuts = _with_cuts(
            gain, cuts, clashes=clashes, limits=(low, high), best=best, state=state
        )
        if values is None or _exact_inner_product(gain, values) <= best + state.tolerance:
            continue
        loose = np.abs(values - np.round(values))
        split = int(loose.argmax())
        if loose[split] < 1e-6:
            chosen = values > 0.5
            best = math.fsum(gain[chosen])
            continue
        without, with_it = high.copy(), low.copy()
        without[split], with_it[split] = 0.0, 1.0
        stack += [(low, without), (with_it, high)]
    return chosen


def _with_cuts(
    gain: Array,
    cuts: csr_array,
    *,
    clashes: Clashes,
    limits: tuple[Array, Array],
    best: float,
    state: State,
) -> tuple[Array | None, csr_array]:
    """Solve the linear program repeatedly while cliques of clashes are violated."""
    values = _optimize(gain, cuts, limits, state.meter)
    for _ in range(CUT_ROUNDS):
        if values is None or _exact_inner_product(gain, values) <= best + state.tolerance:
            break
        more = _violated_cliques(values, clashes, state.meter)
        if not len(more):
            break
        cuts = type(cuts)(np.concatenate([cuts.toarray(), more]))
        values = _optimize(gain, cuts, limits, state.meter)
    return values, cuts


def _violated_cliques(values: Array, clashes: Clashes, meter: Meter) -> Array:
    """Return 0/1 rows of mutually clashing candidates whose values add up to more than 1."""
    loose = np.flatnonzero((values > 1e-6) & (values < 1 - 1e-6))
    if len(loose) < 3:
        return np.zeros((0, len(values)))
    meter.require(20 * len(loose) ** 2)
    clash = clashes.between(loose, loose)
    order = np.argsort(-values[loose], kind="stable")
    cliques: set[tuple[int, ...]] = set()
    for seed in order.tolist():
        members, room = [seed], clash[seed].copy()
        for k in order.tolist():
            if room[k] and k != seed:
                members.append(k)
                room &= clash[k]
        if math.fsum(values[loose[members]]) > 1 + 1e-6:
            cliques.add(tuple(sorted(loose[members].tolist())))
    return _clique_constraints(sorted(cliques), len(values), clashes)


def _clique_constraints(cliques: list[tuple[int, ...]], count: int, clashes: Clashes) -> Array:
    """Return cliques as constraints, extended by every candidate that clashes with all members."""
    out = np.zeros((len(cliques), count))
    everyone = np.arange(count)
    for row, members in zip(out, cliques, strict=True):
        row[list(members)] = 1.0
        room = np.asarray(clashes.between(np.array(members), everyone).all(axis=0))
        room[list(members)] = False
        for k in np.flatnonzero(room).tolist():
            if room[k]:
                row[k] = 1.0
                room &= clashes.between(np.array([k]), everyone)[0]
                room[k] = False
    return out


def _distinct_sets(paths: Bools) -> csr_array:
    """Return the different sets with more than one member as a sparse matrix."""
    from scipy.sparse import csr_array

    kept = {row.tobytes(): row for row in paths if row.sum() > 1}
    rows = np.array(list(kept.values()), dtype=float).reshape(len(kept), paths.shape[1])
    return csr_array(rows)


def _exact_inner_product(gain: Array, values: Array) -> float:
    """Return the inner product, exactly rounded and so the same on every machine."""
    return math.fsum(gain * values)


def _optimize(
    gain: Array, cuts: csr_array, limits: tuple[Array, Array], meter: Meter
) -> Array | None:
    """Return the best fractional choice between the limits, None if there is none.

    The number of HiGHS iterations is limited by the budget. A program that reaches this limit, or
    the time limit, proves nothing.
    """
    from scipy.optimize import linprog

    if cuts.shape[0] == 0:
        return limits[1]
    rows, columns = cuts.shape
    meter.require(program_steps(rows, columns, cuts.nnz))
    price = pivot_steps(rows, columns)
    # HiGHS reports the limit even if the last allowed iteration was the last one needed.
    options: dict[str, float] = {"maxiter": min(meter.left // price, MOST_PIVOTS) + 1}
    if meter.seconds_left is not None:
        options["time_limit"] = meter.seconds_left
    result = linprog(
        gain * (-OBJECTIVE_SCALE / gain.max()),
        A_ub=cuts,
        b_ub=np.ones(rows),
        bounds=np.stack(limits, axis=1),
        method="highs-ds",
        options=options,
    )
    meter.require(price * int(result.nit))
    if result.status == 2:  # infeasible: two required candidates clash
        return None
    if result.status != 0 or result.x is None:
        meter.late()
        raise StoppedError
    return np.asarray(result.x)
