# SPDX-License-Identifier: Apache-2.0
"""One explained object: its rows, both trees, and the marks that join them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from aa_dataset.draw import Color, Marks
from aa_dataset.draw.layout import depth_first
from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric.tree.skeleton import is_exactly_fixed
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.explain.rows import JointRow, ObjectRows, Step
from aa_dataset.score.explain.words import price_text
from aa_dataset.score.readers import PredictionReader

MISSING, SPURIOUS = "-", "+"  # a truth joint without a partner, a predicted joint without one
UNREADABLE = ("missing", "unreadable")


@dataclass(frozen=True, slots=True)
class Subject:
    """What an explanation shows.

    Attributes
    ----------
    rows : ObjectRows
        The numbers; joints in the order in which the truth is drawn, spurious ones last.
    truth : KinematicTree
        The ground truth.
    guess : KinematicTree or None
        The prediction; None if there is none that can be read.
    marks : (Marks, Marks)
        Of the truth and of the prediction. A pair has one number on both sides, counted in the
        order in which the truth is drawn.
    """

    rows: ObjectRows
    truth: KinematicTree
    guess: KinematicTree | None
    marks: tuple[Marks, Marks]


def make_subject(
    rows: ObjectRows, item: ArticulatedObject, predictions: PredictionReader
) -> Subject:
    """Put the trees beside the rows of an object; the prediction is read again, for drawing."""
    guess = None
    if rows.status not in UNREADABLE:
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # as when it was scored
                guess = predictions.tree(item.object_id)
        except (ArenaError, ArithmeticError):  # the file has changed since then
            guess = None
    return join_trees(rows, item.tree, guess)


def join_trees(rows: ObjectRows, truth: KinematicTree, guess: KinematicTree | None) -> Subject:
    """Return an object with labels and colors of the joints on both sides."""
    order = {joint.name: k for k, joint in enumerate(depth_first(truth, most=len(truth.joints))[0])}
    joints = sorted(rows.joints, key=lambda row: order.get(row.joint or "", len(order)))
    pairs = [row for row in joints if row.is_pair]
    numbers = {row.joint: str(k) for k, row in enumerate(pairs, start=1)}
    partners = {row.predicted: numbers[row.joint] for row in pairs}
    left = {row.joint: row for row in pairs}
    right = {row.predicted: row for row in pairs}
    prices = _prices(rows)
    sides = [replace(_marks(truth, MISSING, left, numbers), notes=prices[0])]
    if guess is None:
        sides.append(Marks())
    else:
        sides.append(replace(_marks(guess, SPURIOUS, right, partners), notes=prices[1]))
    rows = replace(rows, joints=tuple(joints))
    return Subject(rows, truth, guess, (sides[0], sides[1]))


def _marks(
    tree: KinematicTree,
    alone: str,
    rows: Mapping[str | None, JointRow],
    numbers: Mapping[str | None, str],
) -> Marks:
    labels, colors = {}, {}
    for joint in tree.joints:
        if is_exactly_fixed(joint):
            colors[joint.name] = Color.GRAY
        elif row := rows.get(joint.name):
            labels[joint.name] = numbers[joint.name]
            colors[joint.name] = pair_color(row)
        else:
            labels[joint.name], colors[joint.name] = alone, Color.VERMILION
    return Marks(colors=colors, labels=labels)


def _prices(rows: ObjectRows) -> tuple[dict[str, str], dict[str, str]]:
    """Return the edit and the price of every joint of the truth and of the prediction."""
    truth, guess = {}, {}
    for step in rows.script:
        note = f"{step.operation}, {price_text(step.cost)}"
        if step.truth is not None:
            truth[step.truth] = note
        if step.predicted is not None:
            guess[step.predicted] = note
    return truth, guess


def why_no_guess(subject: Subject) -> str:
    """Return why there is no tree of the prediction."""
    status = subject.rows.status
    return status if status in UNREADABLE else "it cannot be read any more"


def pair_color(row: JointRow) -> Color:
    """Return blue for a pair that succeeds in `parallel-safe`, orange for one that fails."""
    return Color.BLUE if row.errors["parallel_safe"].success else Color.ORANGE


def row_label(subject: Subject, row: JointRow) -> str:
    """Return the mark of a row: the number of its pair, or who has no partner."""
    if row.joint is None:
        return SPURIOUS
    return subject.marks[0].labels.get(row.joint, MISSING)


def step_label(subject: Subject, step: Step) -> str:
    """Return the mark of an edit; empty for a pair of the edit script that the rows do not pair."""
    if step.truth is None or step.predicted is None:
        return SPURIOUS if step.truth is None else MISSING
    truth, guess = subject.marks
    label = truth.labels.get(step.truth, "")
    return label if guess.labels.get(step.predicted) in (label, None) else ""
