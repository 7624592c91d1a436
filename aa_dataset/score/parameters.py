# SPDX-License-Identifier: Apache-2.0
"""Every choice that changes a number of a result."""

from __future__ import annotations

import math
from dataclasses import dataclass

from aa_dataset.errors import ArenaError
from aa_dataset.metric.bootstrap import DEFAULT_RESAMPLES, DEFAULT_SEED
from aa_dataset.metric.norms import SplitNorm
from aa_dataset.metric.tree.work import checked_budget
from aa_dataset.score.budgets import STATED

METRIC_VERSION = "1"
RESULT_VERSION = "5"
EXTREME = 1e9  # of alpha and kappa
PAIRINGS = ("tree", "assignment", "name", "geometry")
IMPUTATIONS = ("none", "truth")
FRAMES = {
    "identity": "predictions are taken in the ground truth's object frame",
    "stated": "predictions are brought into the object frame as stated",
    "bbox": "predictions are brought into the object frame as stated, else by the truth's box",
    "icp": "predictions are brought into the object frame as stated, else by the truth's shape",
}
ACCOUNTING = (
    "every truth joint of the split; without a usable partner it costs E(J, J0), a spurious joint "
    "costs E(J0, J), in raw scores with an infinite end as half a turn or half the diagonal"
)
ONE_JOINT_RULE = (
    "the truth's joint with the largest E_alpha^phi(J, J0), ties by name; its partner in the tree "
    "matching, else the closest predicted joint by E_alpha^phi"
)
MOST_RESAMPLES = 1_000_000
# Steps of one tree distance, about 2 s. The two objects of eval200 that need more (over a hundred
# slats, with noise on every joint) are not proven with ten times as many either.
SEARCH_BUDGET = 300_000_000


@dataclass(frozen=True, slots=True)
class Parameters:
    """Every choice that changes a number, written into each result.

    Attributes
    ----------
    alpha : float [1/m]
        Weight of translation in the split norm.
    kappa : float [unit of the norm]
        Scale of E^phi; for E_B^phi it is a length in m.
    pairing : str
        How joints are paired in `all-joints`: ``tree`` is the exact matching of the tree distance,
        ``assignment`` ignores the trees, both by E_alpha^phi; ``name`` pairs equal names,
        ``geometry`` the centers of what the joints move, by assignment.
    budget : int
        Search steps for one tree distance, the same on every machine; an object that needs more is
        marked as not proven.
    time_limit_s : float [s] or None
        An additional time limit, None by default. With one, scores depend on the machine, and every
        affected object is marked.
    impute_limits : str
        ``none``, or ``truth``: a paired joint without limits takes the range of its partner.
    penalty : float
        The price of an unmatched joint in the constant-penalty distance, which is for comparison.
    resamples, seed, level : int, int, float
        The intervals: percentiles over resampled objects.
    registration : str
        How predictions are brought into the object frame: ``identity``, ``stated``, ``bbox`` or
        ``icp``. It is that of the reader of predictions.
    norms, anchor, accounting, main_joint, prediction_limits : str
        Fixed in this version: both norms; q = 0 on both sides; the costs of failures and spurious
        joints; the joint of `one-joint`; the limits of a prediction (`score.budgets`).
    """

    alpha: float = 1.0
    kappa: float = math.pi
    pairing: str = "tree"
    budget: int = SEARCH_BUDGET
    time_limit_s: float | None = None
    impute_limits: str = "none"
    penalty: float = 1.0
    resamples: int = DEFAULT_RESAMPLES
    seed: int = DEFAULT_SEED
    level: float = 0.95
    norms: str = "split (alpha), kinetic (the ground truth's bodies)"
    registration: str = "identity"
    anchor: str = "rest"
    accounting: str = ACCOUNTING
    main_joint: str = ONE_JOINT_RULE
    prediction_limits: str = STATED

    @property
    def frame(self) -> str:
        """In which frame predictions are taken, as a sentence."""
        return FRAMES[self.registration]

    def __post_init__(self) -> None:
        SplitNorm(self.alpha)
        for name in ("alpha", "kappa"):
            _require_positive(name, getattr(self, name))
            if not 1 / EXTREME <= getattr(self, name) <= EXTREME:
                raise ArenaError(
                    f"{name} is {getattr(self, name)}; it must be from {1 / EXTREME:g} to "
                    f"{EXTREME:g}, so that no distance overflows."
                )
        _require_positive("penalty", self.penalty)
        _require_choice("pairing", self.pairing, PAIRINGS)
        _require_choice("impute_limits", self.impute_limits, IMPUTATIONS)
        _require_choice("registration", self.registration, tuple(FRAMES))
        checked_budget(self.budget)
        if self.time_limit_s is not None and not self.time_limit_s >= 0:
            raise ArenaError(f"time limit is {self.time_limit_s}; it must be at least 0 s.")
        if not 1 <= self.resamples <= MOST_RESAMPLES:
            raise ArenaError(
                f"resamples is {self.resamples}; it must be from 1 to {MOST_RESAMPLES:,}."
            )
        if self.seed < 0 or not 0 < self.level < 1:
            raise ArenaError("seed must be at least 0, and level between 0 and 1.")


def _require_positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ArenaError(f"{name} is {value}; it must be a positive number.")


def _require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ArenaError(f"{name} {value!r} is not one of {', '.join(choices)}.")
