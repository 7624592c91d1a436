# SPDX-License-Identifier: Apache-2.0
"""The result of a tree distance: value, bounds, matching and a readable edit script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Operation = Literal["substitute", "contract", "expand"]
Normalization = Literal["raw", "per-truth-joint", "per-max-joints"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One operation of an edit script (paper eq. 21).

    Attributes
    ----------
    operation : {"substitute", "contract", "expand"}
        Contract removes a joint of the first tree, expand creates one of the second.
    first, second : str or None
        Joint names; None where the operation has no such side.
    cost : float
        Its price, never normalized.
    """

    operation: Operation
    first: str | None
    second: str | None
    cost: float

    def __str__(self) -> str:
        """Return one line, e.g. ``substitute door -> hinge_1   0.0312``."""
        shown = " -> ".join(name for name in (self.first, self.second) if name is not None)
        return f"{self.operation:<10} {shown:<40} {self.cost:.6g}"


@dataclass(frozen=True, slots=True)
class TreeDistance:
    """The distance of two kinematic trees with its proof.

    Attributes
    ----------
    value : float
        Price of the edit script: the distance itself if `exact`, else an upper bound. Normalized
        by `normalization`; nan if that would divide by zero.
    lower, upper : float
        Certified bounds of the distance, on the scale of `value`.
    exact : bool
        Whether the bounds meet (up to 1e-12 of the prices).
    relaxed : float
        Value of the assignment that ignores the trees, a lower bound, on the scale of `value`.
    certified : bool
        Whether that assignment happened to be realizable (the paper's certificate); it depends on
        how ties are broken, so report `exact`.
    matching : tuple of (str, str)
        Matched joint names.
    script : tuple of Edit
        Substitutions, contractions and expansions, in that order.
    normalization : str
        ``raw`` (the metric), ``per-truth-joint`` or ``per-max-joints`` (scores, not metrics).
    counts : (int, int)
        Moving joints of both trees after contraction.
    stage : str
        The stage that finished.
    budget, work : int
        Steps allowed and steps spent, counted alike on every machine. The relaxation and a first
        repair are always done, so `work` may exceed a tiny budget.
    time_limit : float [s] or None
        The time limit, None if none was set.
    timed_out : bool
        Whether it was reached: another run may then give another result.
    """

    value: float
    lower: float
    upper: float
    exact: bool
    relaxed: float
    certified: bool
    matching: tuple[tuple[str, str], ...]
    script: tuple[Edit, ...]
    normalization: Normalization
    counts: tuple[int, int]
    stage: str
    budget: int
    work: int
    time_limit: float | None = None
    timed_out: bool = False

    def __str__(self) -> str:
        """Return the value with its status, then the script, one edit per line."""
        bounds = f"not proven, within [{self.lower:.6g}, {self.upper:.6g}]"
        standing = "exact" if self.exact else bounds
        if self.timed_out:
            standing += f", stopped by the time limit of {self.time_limit:g} s"
        head = f"tree distance {self.value:.6g} ({self.normalization}, {standing})"
        return "\n".join([head, *(f"  {edit}" for edit in self.script)])
