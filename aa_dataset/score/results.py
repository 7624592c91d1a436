# SPDX-License-Identifier: Apache-2.0
"""What a scoring run found, in the form that is written, read back and reported."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import aa_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.files import write_bytes
from aa_dataset.metric.norms import SplitNorm
from aa_dataset.metric.tree.work import DEFAULT_BUDGET, checked_budget

METRIC_VERSION = "1"
RESULT_VERSION = "2"
PAIRINGS = ("tree", "assignment")
FRAME = "predictions are taken in the ground truth's object frame"


@dataclass(frozen=True, slots=True)
class Score:
    """One of the distances: its key in files, its name in tables, its unit.

    `by_scale` marks those whose number hangs on a true meter, which are never averaged over
    metric and other objects together.
    """

    key: str
    symbol: str
    unit: str
    by_scale: bool


SCORES = (
    Score("e_alpha", "E_alpha", "", False),
    Score("e_alpha_phi", "E_alpha^phi", "", False),
    Score("e_b", "E_B", "m", True),
    Score("e_b_phi", "E_B^phi", "", True),
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
        Steps of work for one object's tree distance, the same on every machine; an object that
        needs more is marked as not proven.
    time_limit_s : float [s] or None
        A wall limit on top, None by default: with one, a score depends on the machine, and every
        object that it strikes says so.
    norms, registration, anchor : str
        Fixed in this version: both norms; predictions as they are; q = 0 on both sides.
    """

    alpha: float = 1.0
    kappa: float = math.pi
    pairing: str = "tree"
    budget: int = DEFAULT_BUDGET
    time_limit_s: float | None = None
    norms: str = "split (alpha), kinetic (the ground truth's bodies)"
    registration: str = "identity"
    anchor: str = "rest"

    def __post_init__(self) -> None:
        SplitNorm(self.alpha)
        if not (math.isfinite(self.kappa) and self.kappa > 0):
            raise ArenaError(f"kappa is {self.kappa}; give a positive number.")
        if self.pairing not in PAIRINGS:
            raise ArenaError(f"pairing {self.pairing!r} is not one of {', '.join(PAIRINGS)}.")
        checked_budget(self.budget)
        if self.time_limit_s is not None and not self.time_limit_s >= 0:
            raise ArenaError(f"time limit is {self.time_limit_s}; give seconds, or leave it out.")


@dataclass(frozen=True, slots=True)
class JointScore:
    """The distances of one ground-truth joint to its partner.

    Attributes
    ----------
    predicted, predicted_type : str or None
        The partner, None where the joint has none.
    values : dict of str to float
        By `Score.key`; nan where undefined or unmatched.
    undefined : dict of str to str
        Why a value of a matched joint is nan: ``unbounded``, ``no_body`` or ``singular_body``.
    """

    object_id: str
    joint: str
    type: str
    predicted: str | None
    predicted_type: str | None
    is_metric: bool
    is_mimic: bool
    values: dict[str, float]
    undefined: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ObjectScore:
    """One object of the split.

    Attributes
    ----------
    status : str
        ``scored``, ``missing`` (no prediction) or ``unreadable`` (see `detail`).
    joints, matched : int
        Moving joints of the ground truth, and how many found a partner.
    missing, spurious : tuple of str
        Names of the joints without a partner on either side.
    means : dict of str to float
        Mean over the object's joints where defined, else nan.
    tree : float
        Raw tree distance under E_alpha^phi, unmatched joints priced; nan without tree pairing.
    tree_exact : bool or None
        Whether that distance, and so the pairing, is proven best; None without one.
    tree_work : int or None
        Steps that the search took, of `Parameters.budget`; None without one.
    tree_timed_out : bool or None
        Whether a wall limit ended the search; None without one.
    """

    object_id: str
    category: str
    is_metric: bool
    status: str
    detail: str
    joints: int
    matched: int
    missing: tuple[str, ...]
    spurious: tuple[str, ...]
    means: dict[str, float]
    tree: float = math.nan
    tree_exact: bool | None = None
    tree_work: int | None = None
    tree_timed_out: bool | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One score over one group of objects: both means, over how many, and what is undefined."""

    score: str
    group: str
    unit: str
    mean_over_joints: float
    joints: int
    mean_of_objects: float
    objects: int
    undefined: dict[str, int]


@dataclass(frozen=True, slots=True)
class Result:
    """A whole scoring run.

    `dataset` names the library's revision, the split, the version of the benchmark and its list
    (None where the split is none), and the number and digest of the members; `require_comparable`
    compares all but the first two, and the members with the rows.
    """

    dataset: dict[str, Any]
    predictions: dict[str, Any]
    parameters: Parameters
    objects: tuple[ObjectScore, ...]
    joints: tuple[JointScore, ...]

    def count(self, status: str) -> int:
        """Return how many objects have a status."""
        return sum(item.status == status for item in self.objects)

    @property
    def generated_percent(self) -> float:
        """Share of the split's objects with a readable prediction [%]; nan for an empty split."""
        share = self.count("scored") / len(self.objects) if self.objects else math.nan
        return 100.0 * share

    def joint_counts(self) -> dict[str, int]:
        """Return how many joints were compared, left over, or are special."""
        scored = [item for item in self.objects if item.status == "scored"]
        return {
            "ground_truth": sum(item.joints for item in scored),
            "matched": sum(item.matched for item in scored),
            "missing": sum(len(item.missing) for item in scored),
            "spurious": sum(len(item.spurious) for item in scored),
            "mimic": sum(joint.is_mimic for joint in self.joints),
            "not_scored": sum(item.joints for item in self.objects if item.status != "scored"),
        }

    def aggregates(self) -> tuple[Aggregate, ...]:
        """Return every mean, lengths apart for metric and other objects."""
        rows = []
        for score in SCORES:
            for group in ("metric", "other") if score.by_scale else ("all",):
                if group == "all" or any(o.is_metric == (group == "metric") for o in self.objects):
                    rows.append(self._aggregate(score, group))
        return tuple(rows)

    def _aggregate(self, score: Score, group: str) -> Aggregate:
        joints = [
            j for j in self.joints if _in_group(j.is_metric, group) and j.predicted is not None
        ]
        objects = [o for o in self.objects if _in_group(o.is_metric, group)]
        values = [j.values[score.key] for j in joints]
        means = [o.means[score.key] for o in objects]
        reasons = Counter(j.undefined[score.key] for j in joints if score.key in j.undefined)
        return Aggregate(
            score.key,
            group,
            score.unit,
            mean_of_defined(values),
            sum(map(math.isfinite, values)),
            mean_of_defined(means),
            sum(map(math.isfinite, means)),
            dict(sorted(reasons.items())),
        )

    def tree_aggregate(self) -> Aggregate:
        """Return the mean tree distance.

        ``not_proven`` counts those that are upper bounds, ``timed_out`` those that a wall limit
        ended: another machine may give other numbers for them.
        """
        values = [item.tree for item in self.objects]
        doubtful = sum(item.tree_exact is False for item in self.objects)
        count = sum(map(math.isfinite, values))
        undefined = {"not_proven": doubtful} if doubtful else {}
        if late := sum(item.tree_timed_out is True for item in self.objects):
            undefined["timed_out"] = late
        mean = mean_of_defined(values)
        return Aggregate("e_alpha_phi_tree", "all", "", math.nan, 0, mean, count, undefined)

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
                **{status: self.count(status) for status in ("scored", "missing", "unreadable")},
            },
            "joint_counts": self.joint_counts(),
            "aggregates": [asdict(row) for row in (*self.aggregates(), self.tree_aggregate())],
            "objects": [asdict(row) for row in self.objects],
            "joints": [asdict(row) for row in self.joints],
        }
        return dict(_without_nan(content))


def _in_group(is_metric: bool, group: str) -> bool:
    return group == "all" or is_metric == (group == "metric")


def mean_of_defined(values: Iterable[float]) -> float:
    """Return the mean of the finite values, nan when there is none, never 0."""
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value


def write_result(result: Result, path: Path) -> None:
    """Write a result as JSON, whole or not at all."""
    text = json.dumps(result.as_dict(), indent=1, allow_nan=False) + "\n"
    try:
        path.parent.stat()  # a slip in a name makes no folder
        write_bytes(path, text.encode())
    except OSError as error:
        raise ArenaError(
            f"cannot write {path} ({error.strerror}). Choose another file for the result."
        ) from error
