# SPDX-License-Identifier: Apache-2.0
"""The work of a search, counted: what stops it is the same on every machine.

A step is what a slow machine does in about 10 ns. Charges depend on the sizes of what is done
and on nothing else: neither on the clock, nor on the load, nor on whether numba is installed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from aa_dataset.errors import ArenaError, shown

DEFAULT_BUDGET = 3_000_000_000


class BudgetError(ArenaError, ValueError):
    """A budget is no count of steps."""


def checked_budget(value: Any) -> int:
    """Return a budget as a whole number of steps, 0 or more, or raise a sentence."""
    try:
        steps = int(value)
        is_count = steps >= 0 and bool(steps == value) and not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):  # text, None, nan, inf
        is_count = False
    if not is_count:
        raise BudgetError(f"`budget` is {shown(value)}; give a count of steps, 0 or more.")
    return steps


class StoppedError(Exception):
    """The budget or the time limit ended a program before its answer."""


@dataclass(slots=True, eq=False)
class Meter:
    """Counts the steps of one search.

    Attributes
    ----------
    budget : int
        Steps that may be charged; the search stops before what would go beyond them. The
        relaxation and a first repair are done and charged whatever it is.
    time_limit : float [s] or None
        A wall limit on top, by explicit wish only: its results depend on the machine.
    work : int
        Steps charged so far.
    turn : int or None
        Work at which the stage that runs now must give way to the next; None lets it run on.
    exhausted, timed_out : bool
        Whether the budget refused something; whether the wall limit passed.
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
                raise ValueError(f"`time_limit` is {self.time_limit!r}; give seconds, or None.")
            self._deadline = time.monotonic() + self.time_limit

    @property
    def left(self) -> int:
        """Steps that may still be charged, by the stage that runs now."""
        end = self.budget if self.turn is None else min(self.budget, self.turn)
        return max(0, end - self.work)

    @property
    def seconds_left(self) -> float | None:
        """Time until the wall limit [s], never negative; None without one."""
        if self.time_limit is None:
            return None
        return max(0.0, self._deadline - time.monotonic())

    @property
    def stopped(self) -> bool:
        """Whether nothing more may be begun."""
        return self.exhausted or self.work >= self.budget or self.late()

    def late(self) -> bool:
        """Whether the wall limit has passed; remembered, so that the result can say so."""
        if self.seconds_left == 0.0:
            self.timed_out = True
        return self.timed_out

    def charge(self, steps: int) -> bool:
        """Count the steps of what is about to be done; False if it may not be done."""
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
        """Count the steps of what is about to be done, or end the program that asks."""
        if not self.charge(steps):
            raise StoppedError


def assignment_steps(n: int, m: int) -> int:
    """Return the charge of one assignment between n and m things."""
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
