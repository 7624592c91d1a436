# SPDX-License-Identifier: Apache-2.0
"""Counted work of a search, so that it stops at the same point on every machine.

A step takes a slow machine about 10 ns. Charges depend only on the sizes of the inputs, not on the
clock, the load, or whether numba is installed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from aa_dataset.errors import ArenaError, shown

DEFAULT_BUDGET = 3_000_000_000


class BudgetError(ArenaError, ValueError):
    """A budget is not a number of steps."""


def checked_budget(value: Any) -> int:
    """Return a budget as a non-negative integer, or raise `BudgetError`."""
    try:
        steps = int(value)
        is_count = steps >= 0 and bool(steps == value) and not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):  # text, None, nan, inf
        is_count = False
    if not is_count:
        raise BudgetError(f"`budget` is {shown(value)}; it must be a non-negative integer.")
    return steps


class StoppedError(Exception):
    """The budget or the time limit ended a program before its answer."""


@dataclass(slots=True, eq=False)
class Meter:
    """Counts the steps of one search.

    Attributes
    ----------
    budget : int
        Steps that may be charged; the search stops before an operation that would exceed them. The
        relaxation and a first repair are always done and charged.
    time_limit : float [s] or None
        An additional time limit, with which results depend on the machine.
    work : int
        Steps charged so far.
    turn : int or None
        Work at which the current stage must yield to the next; None for no such limit.
    exhausted, timed_out : bool
        Whether the budget was exceeded; whether the time limit passed.
    """

    budget: int = DEFAULT_BUDGET
    time_limit: float | None = None
    work: int = 0
    turn: int | None = None
    exhausted: bool = False
    timed_out: bool = False
    _deadline: float = 0.0

    def __post_init__(self) -> None:
        self.budget = checked_budget(self.budget)
        if self.time_limit is not None:
            if not self.time_limit >= 0:
                raise ValueError(
                    f"`time_limit` is {self.time_limit!r}; it must be seconds or None."
                )
            self._deadline = time.monotonic() + self.time_limit

    @property
    def left(self) -> int:
        """Steps that the current stage may still charge."""
        end = self.budget if self.turn is None else min(self.budget, self.turn)
        return max(0, end - self.work)

    @property
    def seconds_left(self) -> float | None:
        """Time until the time limit [s], never negative; None without one."""
        if self.time_limit is None:
            return None
        return max(0.0, self._deadline - time.monotonic())

    @property
    def stopped(self) -> bool:
        """Whether no further operation may start."""
        return self.exhausted or self.work >= self.budget or self.late()

    def late(self) -> bool:
        """Whether the time limit has passed; recorded for the result."""
        if self.seconds_left == 0.0:
            self.timed_out = True
        return self.timed_out

    def charge(self, steps: int) -> bool:
        """Charge the steps of an operation; return False if it may not start."""
        if self.late():
            return False
        if self.work + steps > self.budget:
            self.exhausted = True
            return False
        if steps > self.left:
            return False
        self.work += steps
        return True

    def require(self, steps: int) -> None:
        """Charge the steps of an operation, or raise `StoppedError`."""
        if not self.charge(steps):
            raise StoppedError


def assignment_steps(n: int, m: int) -> int:
    """Return the charge of one assignment between n and m items."""
    return 1_000 + n * m


def bounds_steps(n: int, m: int) -> int:
    """Return the charge of one bound for every oriented pair."""
    return 10_000 + n * m * (n + m)


def repair_steps(n: int, m: int) -> int:
    """Return the charge of one repair: a few rounds of an assignment each."""
    return 20_000 + n * m * min(n, m) // 4


def node_steps(n: int, m: int) -> int:
    """Return the charge of one node of the search: bounds, a repair, four assignments."""
    return bounds_steps(n, m) + repair_steps(n, m) + 4 * assignment_steps(n, m)


def program_steps(rows: int, columns: int, entries: int) -> int:
    """Return the charge of setting up one linear program."""
    return 100_000 + 10 * (rows + columns) + 100 * entries


def pivot_steps(rows: int, columns: int) -> int:
    """Return the charge of one iteration of the simplex method."""
    return 10 * (rows + columns)
