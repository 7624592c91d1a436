# SPDX-License-Identifier: Apache-2.0
"""Everything that a result says, computed from its two tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from aa_dataset.score.parameters import Parameters
from aa_dataset.score.result.arrays import Arrays, Bools
from aa_dataset.score.result.groups import FEW_OBJECTS, named_groups
from aa_dataset.score.result.intake import Intake, intake_of
from aa_dataset.score.result.resampling import Aggregate, aggregates
from aa_dataset.score.result.scores import PROTOCOLS, SCORES, SPURIOUS, STATUSES, WHYS, Score
from aa_dataset.score.result.statistics import (
    Chosen,
    added_costs,
    choose_all,
    present_scales,
    statistics,
)


@dataclass(frozen=True, slots=True)
class Charge:
    """What stands behind the headline of one score.

    Attributes
    ----------
    welded : dict of str to int
        Truth joints charged as welded, by reason.
    spurious, spurious_cost : int, float
        Joints that are charged separately, and their contribution to the headline.
    undefined : dict of str to int
        Truth joints that the score excludes, by reason; the same for every prediction.
    """

    protocol: str
    score: str
    scale: str
    welded: dict[str, int]
    spurious: int
    spurious_cost: float
    undefined: dict[str, int]


@dataclass(frozen=True, slots=True)
class Group:
    """A part of the split; `aggregates` is None where it has too few objects to be averaged."""

    by: str
    name: str
    objects: int
    joints: int
    aggregates: list[Aggregate] | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of a result.

    Attributes
    ----------
    counts : dict of str to int
        Objects, in total and by status.
    joint_counts : dict of str to dict of str to int
        By protocol: truth joints in total and by outcome, and spurious joints.
    tree_counts : dict of str to int
        Trees whose distance is not proven, and those stopped by a time limit.
    aggregates : list of Aggregate
        Every mean with its interval.
    charges : list of Charge
        Counts and reasons behind the means of distances.
    groups : list of Group
        The breakdowns that were asked for.
    intake : Intake
        Readers and registrations.
    """

    counts: dict[str, int]
    joint_counts: dict[str, dict[str, int]]
    tree_counts: dict[str, int]
    aggregates: list[Aggregate]
    charges: list[Charge]
    groups: list[Group]
    intake: Intake

    def find(
        self, score: str, statistic: str, *, protocol: str = "", scale: str | None = None
    ) -> Aggregate | None:
        """Return one aggregate, None if the result has none; of any scale if none is given."""
        for one in self.aggregates:
            label = one.label
            if (label.score, label.statistic, label.protocol) != (score, statistic, protocol):
                continue
            if scale in (None, label.scale):
                return one
        return None

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as JSON types; an undefined number is None."""
        return {
            "counts": self.counts,
            "joint_counts": self.joint_counts,
            "tree_counts": self.tree_counts,
            "intake": self.intake.as_dict(),
            "aggregates": [_aggregate_dict(one) for one in self.aggregates],
            "charges": [without_nan(asdict(one)) for one in self.charges],
            "groups": [_group_dict(one) for one in self.groups],
        }


def summarize(arrays: Arrays, parameters: Parameters, by: Sequence[str] = ()) -> Summary:
    """Compute the summary of a result, with a breakdown for every name of `by`."""
    whole = choose_all(arrays)
    groups = [found for name in by for found in named_groups(arrays, name)]
    large = [group for group in groups if group.count >= FEW_OBJECTS]
    parts = [whole, *(group.chosen for group in large)]
    computed = aggregates([statistics(arrays, part) for part in parts], parameters)
    numbers = dict(zip(((one.by, one.name) for one in large), computed[1:], strict=True))
    return Summary(
        _object_counts(arrays),
        {protocol: _joint_counts(arrays, protocol) for protocol in PROTOCOLS},
        _tree_counts(arrays),
        computed[0],
        _charges(arrays, whole),
        [
            Group(one.by, one.name, one.count, one.joints, numbers.get((one.by, one.name)))
            for one in groups
        ],
        intake_of(arrays),
    )


def _object_counts(arrays: Arrays) -> dict[str, int]:
    counts = {status: int(arrays.objects_with("status", status).sum()) for status in STATUSES}
    return {"objects": len(arrays), **counts}


def _joint_counts(arrays: Arrays, protocol: str) -> dict[str, int]:
    rows = arrays.joints_with("protocol", protocol)
    whys = {why: int((rows & arrays.joints_with("why", why)).sum()) for why in (*WHYS, SPURIOUS)}
    mimic = rows & (arrays.joint_numbers("is_mimic") > 0)
    limits = {
        f"limits_{source}": int((rows & arrays.joints_with("predicted_limits", source)).sum())
        for source in ("absent", "imputed", "table")
    }
    truth = int((rows & arrays.is_truth).sum())
    return {"ground_truth": truth, **whys, "mimic": int(mimic.sum()), **limits}


def _tree_counts(arrays: Arrays) -> dict[str, int]:
    exact = [arrays.object_numbers(f"{key}_exact") for key in ("e_alpha_phi_tree", "e_b_phi_tree")]
    late = arrays.object_numbers("tree_timed_out") > 0
    doubtful = (exact[0] == 0) | (exact[1] == 0)
    return {"not_proven": int(doubtful.sum()), "timed_out": int(late.sum())}


def _charges(arrays: Arrays, chosen: Chosen) -> list[Charge]:
    return [
        _charge(arrays, rows & part[arrays.owner], score, (protocol, scale))
        for protocol in PROTOCOLS
        for rows in [chosen.joints & arrays.joints_with("protocol", protocol)]
        for score in SCORES
        for scale, part in present_scales(arrays, chosen)
    ]


def _charge(arrays: Arrays, rows: Bools, score: Score, where: tuple[str, str]) -> Charge:
    value, cost = arrays.joint_numbers(score.key), arrays.joint_numbers(f"{score.key}_cost")
    extra = arrays.joint_numbers(f"{score.key}_extra")
    truth = rows & arrays.is_truth
    defined = truth & ~np.isnan(cost)
    alone = (rows & ~arrays.is_truth & ~np.isnan(cost)) | (rows & (extra > 0))
    added, count = math.fsum(added_costs(arrays, rows, score).tolist()), int(defined.sum())
    return Charge(
        where[0],
        score.key,
        where[1],
        _reasons(arrays, defined & np.isnan(value), score, or_else="why"),
        int(alone.sum()),
        added / count if count else math.nan,
        _reasons(arrays, truth & np.isnan(cost), score),
    )


def _reasons(arrays: Arrays, rows: Bools, score: Score, or_else: str = "") -> dict[str, int]:
    """Count rows by the reason of a score, or where there is none by another column."""
    table = arrays.per_joint.filter(rows)
    words = table[f"{score.key}_undefined"].to_pylist()
    if or_else:
        others = table[or_else].to_pylist()
        words = [word or other for word, other in zip(words, others, strict=True)]
    return dict(sorted(Counter(filter(None, words)).items()))


def _aggregate_dict(one: Aggregate) -> dict[str, Any]:
    numbers = {name: getattr(one, name) for name in ("estimate", "low", "high")}
    counts = {name: getattr(one, name) for name in ("values", "of", "objects")}
    found: dict[str, Any] = without_nan({**asdict(one.label), **numbers, **counts})
    return found


def _group_dict(one: Group) -> dict[str, Any]:
    content: dict[str, Any] = {
        "by": one.by,
        "name": one.name,
        "objects": one.objects,
        "joints": one.joints,
    }
    known = None if one.aggregates is None else [_aggregate_dict(row) for row in one.aggregates]
    return content | {"aggregates": known}


def without_nan(value: Any) -> Any:
    """Return JSON types with None in place of numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return value
