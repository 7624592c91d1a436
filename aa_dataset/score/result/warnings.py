# SPDX-License-Identifier: Apache-2.0
"""What somebody should know before a result is submitted; `aa score --strict` refuses it."""

from __future__ import annotations

from collections.abc import Iterator

from aa_dataset.metric.bootstrap import FEW_OBJECTS
from aa_dataset.score.result.record import Result

_SHOWN = 60  # characters of a name


def warnings_of(result: Result) -> list[str]:
    """Return a sentence for everything that is unusual about a result, in a fixed order."""
    return [
        *_about_predictions(result),
        *_about_limits(result),
        *_about_trees(result),
        *_about_objects(result),
    ]


def _about_predictions(result: Result) -> Iterator[str]:
    counts, surplus = result.summary.counts, result.predictions.surplus
    for status, text in (
        ("missing", "have no prediction"),
        ("unreadable", "have a prediction that cannot be read"),
        ("motionless", "have a prediction without any moving joint"),
    ):
        if counts[status]:
            yield f"{counts[status]} of {counts['objects']} objects {text}; they cost their welds."
    if surplus:
        yield (
            f"{len(surplus)} predictions are of no object in the split, such as "
            f"{surplus[0][:_SHOWN]}; they are ignored."
        )


def _about_limits(result: Result) -> Iterator[str]:
    joints = result.joint_counts()
    if joints["limits_absent"]:
        yield (
            f"{joints['limits_absent']} predicted joints have no limits and cost as much as "
            "unbounded guesses. If the method predicts no limits, see --impute-limits."
        )
    if result.method.dagger:
        yield (
            "the method uses the ground truth or has imputed values; it is marked with a dagger "
            "and not comparable with methods without one."
        )


def _about_trees(result: Result) -> Iterator[str]:
    counts = result.summary.tree_counts
    if counts["not_proven"]:
        yield (
            f"{counts['not_proven']} tree distances are upper bounds: raise --budget to prove them."
        )
    if counts["timed_out"]:
        yield (
            f"{counts['timed_out']} tree distances were stopped by the time limit; another run may "
            "give other numbers. Use --budget instead."
        )


def _about_objects(result: Result) -> Iterator[str]:
    if result.dataset.benchmark is None:
        yield (
            "the split is not a version of the benchmark; compare only results on the same members."
        )
    if len(result.arrays) < FEW_OBJECTS:
        yield (f"with fewer than {FEW_OBJECTS} objects, the intervals cover less than they say.")
