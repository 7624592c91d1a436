# SPDX-License-Identifier: Apache-2.0
"""Every mean of a result as a quotient of two sums over objects.

The headline of a score covers every truth joint of the split for which the ground truth defines it:
its distance to its partner, else its cost as a weld. The costs of spurious joints are added, and
the sum is divided by the number of truth joints, so that no prediction changes the divisor. The
mean over matched joints alone is reported separately, with its coverage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from aa_dataset.kinematics.joints import JointType
from aa_dataset.score.result.arrays import Array, Arrays, Bools
from aa_dataset.score.result.scores import (
    ALL_JOINTS,
    COMPONENTS,
    PROTOCOLS,
    SCORES,
    STATUSES,
    TREES,
    VARIANTS,
    Score,
)

HEADLINE, OF_OBJECTS, MEDIAN, MATCHED = (
    "mean_over_joints",
    "mean_of_objects",
    "median_of_objects",
    "mean_over_matched",
)
RATE, MATCHED_RATE, SHARE = "rate", "rate_over_matched", "share"
TRUTH_SHARE, MAX_SHARE = "mean_per_truth_joint", "mean_per_max_joints"
METRIC, OTHER, ALL = "metric", "other", "all"


@dataclass(frozen=True, slots=True)
class Label:
    """What an aggregate is about.

    Attributes
    ----------
    protocol : str
        ``all-joints`` or ``one-joint``; empty for what has no joints (trees, shares of objects).
    score : str
        The name of a column, or of a status of objects.
    scale : str
        ``metric`` or ``other`` objects, or ``all``. Whatever holds a length is never averaged over
        metric and other objects together.
    statistic : str
        The kind of mean, see `docs/scoring.md`.
    unit : str
        Its unit.
    """

    protocol: str
    score: str
    scale: str
    statistic: str
    unit: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """One aggregate before it is computed.

    Attributes
    ----------
    label : Label
        What it is about.
    top, bottom : (n,) float
        Per object, what is added and what it is divided by; for a median the value, nan where
        undefined, and whether it is defined.
    of : int
        The number that `bottom` would add up to if nothing were undefined or unmatched.
    """

    label: Label
    top: Array
    bottom: Array
    of: int

    @property
    def is_median(self) -> bool:
        """Whether this is the median of `top` over objects."""
        return self.label.statistic == MEDIAN


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A part of a result: which rows of both tables enter.

    `has_objects` is False if single joints were chosen, so that shares of objects and trees have no
    meaning.
    """

    joints: Bools
    objects: Bools
    has_objects: bool = True


def choose_all(arrays: Arrays) -> Chosen:
    """Return the whole result."""
    return Chosen(np.ones(len(arrays.owner), bool), np.ones(len(arrays), bool))


def statistics(arrays: Arrays, chosen: Chosen) -> list[Statistic]:
    """Return every aggregate of a part of a result, in a fixed order."""
    scales = present_scales(arrays, chosen)
    found: list[Statistic] = []
    for protocol in PROTOCOLS:
        rows = chosen.joints & arrays.joints_with("protocol", protocol)
        for score in SCORES:
            for scale, objects in scales:
                part = rows & objects[arrays.owner]
                found += _score_statistics(arrays, part, score, (protocol, scale))
        found += _component_statistics(arrays, rows, protocol, scales)
    found += _rest_statistics(arrays, chosen, scales)
    if chosen.has_objects:
        found += [one for scale, part in scales for one in _tree_statistics(arrays, part, scale)]
        found += _share_statistics(arrays, chosen.objects)
    return found


def present_scales(arrays: Arrays, chosen: Chosen) -> list[tuple[str, Bools]]:
    """Return the scales that occur, each with its objects."""
    is_metric = arrays.object_numbers("is_metric") > 0
    parts = ((METRIC, chosen.objects & is_metric), (OTHER, chosen.objects & ~is_metric))
    return [(scale, part) for scale, part in parts if part.any()]


def _score_statistics(
    arrays: Arrays, rows: Bools, score: Score, where: tuple[str, str]
) -> Iterator[Statistic]:
    """Yield the means of one distance over some rows of one protocol."""
    total, count = object_totals(arrays, rows, score)
    has, whole = count > 0, int(count.sum())
    # What is spurious elsewhere counts though its object has no truth joint with the score.
    means = np.divide(total, count, out=total.copy(), where=has)
    value = arrays.joint_numbers(score.key)
    matched = rows & arrays.is_truth & ~np.isnan(value)

    def one(statistic: str, top: Array, bottom: Array, of: int) -> Statistic:
        label = Label(where[0], score.key, where[1], statistic, score.unit)
        return Statistic(label, top, bottom, of)

    yield one(HEADLINE, total, count, whole)
    yield one(OF_OBJECTS, means, has.astype(float), int(has.sum()))
    yield one(MEDIAN, np.where(has, means, np.nan), has.astype(float), int(has.sum()))
    yield one(MATCHED, arrays.sums(matched, value), arrays.sums(matched), whole)


def object_totals(arrays: Arrays, rows: Bools, score: Score) -> tuple[Array, Array]:
    """Return per object the costs of a distance over some rows, and the number of truth joints."""
    cost = arrays.joint_numbers(f"{score.key}_cost")
    defined = rows & arrays.is_truth & ~np.isnan(cost)
    total = arrays.sums(defined, cost) + added_costs(arrays, rows, score)
    return total, arrays.sums(defined)


def object_means(arrays: Arrays, rows: Bools, score: Score) -> Array:
    """Return the costs of every object per truth joint, (n,), nan if it has none with the score."""
    total, count = object_totals(arrays, rows, score)
    found: Array = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
    return found


def added_costs(arrays: Arrays, rows: Bools, score: Score) -> Array:
    """Return per object the costs of spurious joints and of bounded partners of unbounded ones."""
    cost, extra = (arrays.joint_numbers(f"{score.key}_{end}") for end in ("cost", "extra"))
    spurious = rows & ~arrays.is_truth & ~np.isnan(cost)
    return arrays.sums(spurious, cost) + arrays.sums(rows, extra)


def _component_statistics(
    arrays: Arrays, rows: Bools, protocol: str, scales: list[tuple[str, Bools]]
) -> Iterator[Statistic]:
    """Yield the errors of the older protocol over pairs, and the rates of success."""
    for variant in VARIANTS:
        for name, unit, by_scale, kind in component_kinds(arrays):
            column = f"{variant}_{name}"
            for scale, objects in scales if by_scale else [(ALL, None)]:
                part = rows & arrays.is_paired & kind
                part = part if objects is None else part & objects[arrays.owner]
                label = Label(protocol, column, scale, MATCHED, unit)
                yield _mean_statistic(arrays, part, arrays.joint_numbers(column), label)
        success = arrays.joint_numbers(f"{variant}_success")
        for statistic, part in ((RATE, arrays.is_truth), (MATCHED_RATE, arrays.is_paired)):
            label = Label(protocol, f"{variant}_success", ALL, statistic)
            yield _mean_statistic(arrays, rows & part, success, label)


def component_kinds(arrays: Arrays) -> Iterator[tuple[str, str, bool, Bools]]:
    """Yield column, unit, whether it holds a length, and the pairs that it is defined for.

    The range error is in rad for two turns and in m for two slides, and nothing for one of each.
    """
    slides = tuple(
        arrays.joints_with(column, JointType.PRISMATIC.value)
        for column in ("type", "predicted_type")
    )
    for component in COMPONENTS:
        if component.key != "range_error":
            kind = np.ones(len(arrays.owner), bool)
            yield component.key, component.unit, component.by_scale, kind
        else:
            yield component.key, "rad", False, ~(slides[0] | slides[1])
            yield component.key, "m", True, slides[0] & slides[1]


def _mean_statistic(arrays: Arrays, rows: Bools, values: Array, label: Label) -> Statistic:
    """Return the mean of the defined values of some rows."""
    good = rows & ~np.isnan(values)
    return Statistic(label, arrays.sums(good, values), arrays.sums(good), int(rows.sum()))


def _rest_statistics(
    arrays: Arrays, chosen: Chosen, scales: list[tuple[str, Bools]]
) -> Iterator[Statistic]:
    """Yield the mean distance of the shapes at rest, which enters no score."""
    rows = chosen.joints & arrays.is_paired & arrays.joints_with("protocol", ALL_JOINTS)
    for scale, objects in scales:
        label = Label(ALL_JOINTS, "rest_offset", scale, MATCHED, "m")
        part = rows & objects[arrays.owner]
        yield _mean_statistic(arrays, part, arrays.joint_numbers("rest_offset"), label)


def _tree_statistics(arrays: Arrays, objects: Bools, scale: str) -> Iterator[Statistic]:
    """Yield the means of the tree distances; an object without a prediction costs its weld."""
    scored = arrays.objects_with("status", "scored")
    for key in (*(tree.key for tree in TREES), "constant_penalty"):
        value = arrays.object_numbers(key)
        named = [(OF_OBJECTS, tree_costs(arrays, key), objects)]
        named += [(MEDIAN, tree_costs(arrays, key), objects), (MATCHED, value, objects & scored)]
        if key != "constant_penalty":
            for statistic, end in ((TRUTH_SHARE, "truth_joint"), (MAX_SHARE, "max_joints")):
                named.append((statistic, arrays.object_numbers(f"{key}_per_{end}"), objects))
        for statistic, values, part in named:
            good = part & ~np.isnan(values)
            empty = np.nan if statistic == MEDIAN else 0.0
            label = Label("", key, scale, statistic)
            top = np.where(good, values, empty)
            yield Statistic(label, top, good.astype(float), int(objects.sum()))


def tree_costs(arrays: Arrays, key: str) -> Array:
    """Return what the headline of a tree distance charges per object, (n,).

    With a constant penalty, a welded object costs one penalty per truth joint.
    """
    if key != "constant_penalty":
        return arrays.object_numbers(f"{key}_cost")
    value = arrays.object_numbers(key)
    return np.where(np.isnan(value), arrays.penalty * arrays.object_numbers("joints"), value)


def _share_statistics(arrays: Arrays, objects: Bools) -> Iterator[Statistic]:
    """Yield the share of objects with each status."""
    for status in STATUSES:
        is_so = (objects & arrays.objects_with("status", status)).astype(float)
        yield Statistic(
            Label("", status, ALL, SHARE), is_so, objects.astype(float), int(objects.sum())
        )
