# SPDX-License-Identifier: Apache-2.0
"""Both trees of one object in one picture, with prices and a legend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aa_dataset.draw import Color, Drawing, tree_drawing
from aa_dataset.draw.names import shortened
from aa_dataset.draw.shapes import Box, Shape, Words, beside
from aa_dataset.score.explain.subject import MISSING, SPURIOUS, Subject, why_no_guess
from aa_dataset.score.explain.words import price_text, tree_standing

BROADEST = 2400  # pixels of two trees beside each other; broader ones stand below each other
HEAD, LINE, MARGIN = 46, 16, 14
# Color, dashed, meaning. The labels say the same without colors.
LEGEND = (
    (Color.BLUE, False, "a pair, one number on both sides, that succeeds in parallel-safe"),
    (Color.ORANGE, False, "a pair that fails in parallel-safe"),
    (
        Color.VERMILION,
        True,
        f"no partner: {MISSING} of the truth, {SPURIOUS} of the prediction",
    ),
    (Color.GRAY, False, "fixed, or a range of [0, 0]"),
)
PRICES = "Last line of a joint: price of its edit. expand creates it, contract removes it."


def truth_drawing(subject: Subject, semantics: Mapping[str, str] | None = None) -> Drawing:
    """Return the tree of the ground truth; `semantics` says by name what the links are."""
    return tree_drawing(subject.truth, replace(subject.marks[0], semantics=semantics or {}))


def guess_drawing(subject: Subject) -> Drawing | None:
    """Return the tree of the prediction, None if it cannot be read."""
    if subject.guess is None:
        return None
    return tree_drawing(subject.guess, subject.marks[1])


def object_drawing(subject: Subject, semantics: Mapping[str, str] | None = None) -> Drawing:
    """Return both trees, beside or below each other, with title and legend."""
    truth = truth_drawing(subject, semantics)
    guess = guess_drawing(subject)
    if guess is None:
        none = f"none: {why_no_guess(subject)}"
        guess = Drawing(340, 40, (Words(MARGIN, 24, none),))
    _, (x, y) = beside((truth, guess), broadest=BROADEST, gap=LINE)
    y += HEAD + (LINE if y else 0)
    foot = max(HEAD + truth.height, y + guess.height) + LINE
    shapes: list[Shape] = [
        Words(MARGIN, 18, _title(subject)),
        Words(MARGIN, HEAD - 4, "ground truth", "joint"),
        truth.moved(0, HEAD),
        Words(x + MARGIN, y - 4, "prediction", "joint"),
        guess.moved(x, y),
        *(shape for k in range(len(LEGEND)) for shape in _legend_line(k, foot)),
        Words(MARGIN, foot + LINE * len(LEGEND), PRICES, "small"),
    ]
    width = max(x + guess.width, truth.width, 580)
    return Drawing(width, foot + LINE * (len(LEGEND) + 1), tuple(shapes))


def object_svg(subject: Subject, semantics: Mapping[str, str] | None = None) -> str:
    """Return the text of an SVG file with both trees."""
    label = f"ground truth and prediction of {subject.rows.object_id}"
    return object_drawing(subject, semantics).svg(label=label) + "\n"


def _title(subject: Subject) -> str:
    name = shortened(subject.rows.object_id, 36)
    tree = subject.rows.tree
    return f"{name}: tree score {price_text(tree.cost)}, {tree_standing(tree)}"


def _legend_line(k: int, top: int) -> tuple[Shape, ...]:
    color, dashed, meaning = LEGEND[k]
    y = top + k * LINE
    dash = " dashed" if dashed else ""
    frame = Box(MARGIN, y - 9, 22, 11, f"card {color}{dash}", 3)
    return frame, Words(MARGIN + 30, y, meaning, "small")
