# SPDX-License-Identifier: Apache-2.0
"""The result of a scoring run, as it is written, read and reported."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aa_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.files import write_bytes
from aa_dataset.metric.norms import SplitNorm
from aa_dataset.metric.tree.work import DEFAULT_BUDGET, checked_budget
from aa_dataset.score.accounting import Aggregate, aggregate, aggregate_trees
from aa_dataset.score.budgets import STATED
from aa_dataset.score.rows import (
    SCORES,
    STATUSES,
    WHYS,
    JointScore,
    ObjectScore,
    SpuriousScore,
)

METRIC_VERSION = "1"
RESULT_VERSION = "3"
PAIRINGS = ("tree", "assignment")
FRAME = "predictions are taken in the ground truth's object frame"
ACCOUNTING = (
    "every truth joint of the split; without a usable partner it costs E(J, J0), a spurious joint "
    "costs E(J0, J), in raw scores with an infinite end as half a turn or half the diagonal"
)


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
        How joints are paired, both by E_alpha^phi: ``tree`` is the exact matching of the tree
        distance, ``assignment`` ignores the trees.
    budget : int
        Search steps for one object's tree distance, the same on every machine; an object that
        needs more is marked as not proven.
    time_limit_s : float [s] or None
        An additional time limit, None by default. With one, scores depend on the machine, and every
        affected object is marked.
    norms, registration, anchor, accounting, prediction_limits : str
        Fixed in this version: both norms; no registration; q = 0 on both sides; the costs of
        failures and spurious joints; the limits of a prediction (`score.budgets`).
    """

    alpha: float = 1.0
    kappa: float = math.pi
    pairing: str = "tree"
    budget: int = DEFAULT_BUDGET
    time_limit_s: float | None = None
    norms: str = "split (alpha), kinetic (the ground truth's bodies)"
    registration: str = "identity"
    anchor: str = "rest"
    accounting: str = ACCOUNTING
    prediction_limits: str = STATED

    def __post_init__(self) -> None:
        SplitNorm(self.alpha)
        if not (math.isfinite(self.kappa) and self.kappa > 0):
            raise ArenaError(f"kappa is {self.kappa}; it must be a positive number.")
        if self.pairing not in PAIRINGS:
            raise ArenaError(f"pairing {self.pairing!r} is not one of {', '.join(PAIRINGS)}.")
        checked_budget(self.budget)
        if self.time_limit_s is not None and not self.time_limit_s >= 0:
            raise ArenaError(f"time limit is {self.time_limit_s}; it must be at least 0 s.")


@dataclass(frozen=True, slots=True)
class Result:
    """A complete scoring run.

    `dataset` has the library's revision, the split, the version of the benchmark and its list (None
    if the split is not one), and the number and digest of the members. `require_comparable`
    compares all but the first two, and the members with the rows.
    """

    dataset: dict[str, Any]
    predictions: dict[str, Any]
    parameters: Parameters
    objects: tuple[ObjectScore, ...]
    joints: tuple[JointScore, ...]
    spurious: tuple[SpuriousScore, ...]

    def count(self, status: str) -> int:
        """Return the number of objects with a status."""
        return sum(item.status == status for item in self.objects)

    @property
    def generated_percent(self) -> float:
        """Share of the split's objects with a valid articulated output [%]; nan without objects.

        A valid output (paper appendix D) is readable and moves if the object moves, so an empty
        URDF does not count.
        """
        share = self.count("scored") / len(self.objects) if self.objects else math.nan
        return 100.0 * share

    def joint_counts(self) -> dict[str, int]:
        """Return the number of truth joints of the split, in total and by outcome."""
        whys = Counter(joint.why for joint in self.joints)
        return {
            "ground_truth": len(self.joints),
            **{why: whys[why] for why in WHYS},
            "spurious": len(self.spurious),
            "mimic": sum(joint.is_mimic for joint in self.joints),
        }

    def aggregates(self) -> tuple[Aggregate, ...]:
        """Return every score over all truth joints; lengths separately for metric objects."""
        kinds = {item.is_metric for item in self.objects}
        rows = []
        for score in SCORES:
            for group in ("metric", "other") if score.by_scale else ("all",):
                if group == "all" or (group == "metric") in kinds:
                    rows.append(aggregate(self.joints, self.spurious, score=score, group=group))
        return tuple(rows)

    def tree_aggregate(self) -> Aggregate:
        """Return the tree distance over all objects; nan if joints were not paired by trees."""
        return aggregate_trees(self.objects if self.parameters.pairing == "tree" else ())

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON types; an undefined number is None."""
        content = {
            "result_version": RESULT_VERSION,
            "metric_version": METRIC_VERSION,
            "package_version": aa_dataset.__version__,
            "dataset": self.dataset,
            "predictions": self.predictions,
            "parameters": asdict(self.parameters),
            "frame": FRAME,
            "generated_percent": self.generated_percent,
            "counts": {
                "objects": len(self.objects),
                **{status: self.count(status) for status in STATUSES},
            },
            "joint_counts": self.joint_counts(),
            "aggregates": [asdict(row) for row in (*self.aggregates(), self.tree_aggregate())],
            "objects": [asdict(row) for row in self.objects],
            "joints": [asdict(row) for row in self.joints],
            "spurious": [asdict(row) for row in self.spurious],
        }
        return dict(_without_nan(content))


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value


def write_result(result: Result, path: Path) -> None:
    """Write a result as JSON, atomically."""
    text = json.dumps(result.as_dict(), indent=1, allow_nan=False) + "\n"
    try:
        path.parent.stat()  # never create a folder because of a typo
        write_bytes(path, text.encode())
    except OSError as error:
        raise ArenaError(
            f"cannot write {path} ({error.strerror}). Choose another file for the result."
        ) from error
