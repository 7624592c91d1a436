# SPDX-License-Identifier: Apache-2.0
"""Means over a split that a failed prediction cannot improve.

The headline of a score covers every truth joint of the split for which the ground truth defines it:
its distance to its partner, else its cost as a weld. The costs of spurious joints are added, and
the sum is divided by the number of truth joints, so that no prediction changes the divisor. The
mean over matched joints alone is reported separately, with its coverage.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aa_dataset.score.rows import SCORES, JointScore, ObjectScore, Score, SpuriousScore


@dataclass(frozen=True, slots=True)
class Conditional:
    """A mean over matched joints only, with its coverage of the split.

    Attributes
    ----------
    mean_over_joints, mean_of_objects : float
        Over matched joints with a finite distance, and over the means of objects that have any.
    joints, of_joints, objects, of_objects : int
        The coverage: the number included, out of the number in the headline.
    """

    mean_over_joints: float
    joints: int
    of_joints: int
    mean_of_objects: float
    objects: int
    of_objects: int


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One score over one group of objects.

    Attributes
    ----------
    mean_over_joints : float
        The headline: costs of all truth joints and spurious joints, per truth joint.
    joints : int
        Truth joints for which the ground truth defines the score.
    mean_of_objects : float
        The same per truth joint of each object, averaged over objects with such a joint; spurious
        costs of other objects are added to the sum. For the tree score, the mean distance.
    objects : int
        Objects with such a joint.
    welded : dict of str to int
        Truth joints charged as welded, by reason.
    spurious, spurious_cost : int, float
        Spurious joints, including bounded partners of joints that the score excludes as unbounded,
        and their contribution to `mean_over_joints`.
    undefined : dict of str to int
        Truth joints that the score excludes, by reason; the same for every prediction. For trees
        ``not_proven`` counts upper bounds, ``timed_out`` those stopped by a time limit.
    conditional : Conditional
        The mean over matched joints only, with its coverage.
    """

    score: str
    group: str
    unit: str
    mean_over_joints: float
    joints: int
    mean_of_objects: float
    objects: int
    welded: dict[str, int]
    spurious: int
    spurious_cost: float
    undefined: dict[str, int]
    conditional: Conditional


def aggregate(
    joints: Sequence[JointScore], spurious: Sequence[SpuriousScore], *, score: Score, group: str
) -> Aggregate:
    """Return one score over the objects of a group: ``all``, ``metric`` or ``other``."""
    key = score.key
    ours = [j for j in joints if _in_group(j.is_metric, group)]
    extra = _spurious_costs(ours, [j for j in spurious if _in_group(j.is_metric, group)], key)
    counted = [joint for joint in ours if not math.isnan(joint.welded[key])]
    added = math.fsum(cost for _, cost in extra)
    costs = _by_object((joint.object_id, joint.cost(key)) for joint in counted)
    more = _by_object(extra)
    return Aggregate(
        key,
        group,
        score.unit,
        _mean_or_nan(math.fsum([*(joint.cost(key) for joint in counted), added]), len(counted)),
        len(counted),
        _mean_of_objects(costs, more),
        len(costs),
        _count_words(_welded_reason(joint, key) for joint in counted),
        len(extra),
        _mean_or_nan(added, len(counted)),
        _count_words(joint.undefined[key] for joint in ours if math.isnan(joint.welded[key])),
        _conditional_mean(counted, key, len(costs)),
    )


def aggregate_trees(objects: Sequence[ObjectScore]) -> Aggregate:
    """Return the mean tree distance; an object without one costs as much as its welded tree."""
    finite = [item for item in objects if math.isfinite(item.tree)]
    costs = [x.tree if math.isfinite(x.tree) else x.tree_welded for x in objects]
    late = sum(item.tree_timed_out is True for item in objects)
    doubtful = sum(item.tree_exact is False for item in objects)
    notes = {"not_proven": doubtful, "timed_out": late}
    valid = [item.tree for item in finite if item.status == "scored"]
    mean = _mean_or_nan(math.fsum(valid), len(valid))
    return Aggregate(
        "e_alpha_phi_tree",
        "all",
        "",
        math.nan,
        0,
        _mean_or_nan(math.fsum(costs), len(costs)),
        len(costs),
        _count_words(item.status for item in objects if not math.isfinite(item.tree)),
        sum(len(item.spurious) for item in objects),
        math.nan,
        {name: count for name, count in notes.items() if count},
        Conditional(math.nan, 0, 0, mean, len(valid), len(costs)),
    )


def object_costs(
    joints: Sequence[JointScore], spurious: Sequence[SpuriousScore]
) -> dict[str, float]:
    """Return the costs of one object per truth joint, by score; nan if none is defined."""
    totals = {}
    for score in SCORES:
        costs = [joint.cost(score.key) for joint in joints]
        defined = [cost for cost in costs if not math.isnan(cost)]
        extra = [cost for _, cost in _spurious_costs(joints, spurious, score.key)]
        totals[score.key] = _mean_or_nan(math.fsum(defined + extra), len(defined))
    return totals


def _spurious_costs(
    joints: Sequence[JointScore], spurious: Sequence[SpuriousScore], key: str
) -> list[tuple[str, float]]:
    """Return object and cost of every predicted joint that a score charges separately."""
    alone = [(j.object_id, j.costs[key]) for j in spurious if key not in j.undefined]
    return alone + [(j.object_id, j.charged[key]) for j in joints if key in j.charged]


def _mean_of_objects(costs: dict[str, list[float]], more: dict[str, list[float]]) -> float:
    """Return the mean cost per truth joint over objects that have truth joints."""
    means = [math.fsum(own + more.get(name, [])) / len(own) for name, own in costs.items()]
    elsewhere = [cost for name, own in more.items() if name not in costs for cost in own]
    return _mean_or_nan(math.fsum(means + elsewhere), len(means))


def _conditional_mean(counted: Sequence[JointScore], key: str, objects: int) -> Conditional:
    pairs = [(j.object_id, j.values[key]) for j in counted if math.isfinite(j.values[key])]
    groups = _by_object(pairs)
    means = [math.fsum(values) / len(values) for values in groups.values()]
    return Conditional(
        _mean_or_nan(math.fsum(value for _, value in pairs), len(pairs)),
        len(pairs),
        len(counted),
        _mean_or_nan(math.fsum(means), len(means)),
        len(groups),
        objects,
    )


def _welded_reason(joint: JointScore, key: str) -> str:
    """Return why a joint is charged as welded, empty if it is not."""
    if math.isfinite(joint.values[key]):
        return ""
    return joint.undefined.get(key, joint.why)


def _by_object(pairs: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = {}
    for object_id, value in pairs:
        groups.setdefault(object_id, []).append(value)
    return groups


def _count_words(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(filter(None, words)).items()))


def _mean_or_nan(total: float, count: int) -> float:
    """Return a mean; nan, not 0, for an empty set."""
    return total / count if count else math.nan


def _in_group(is_metric: bool, group: str) -> bool:
    return group == "all" or is_metric == (group == "metric")
