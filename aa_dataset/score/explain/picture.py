# SPDX-License-Identifier: Apache-2.0
"""Both trees of one object in one SVG file, with a legend."""

from __future__ import annotations

from aa_dataset.draw import Color, Drawing, tree_drawing
from aa_dataset.draw.names import markup, shortened
from aa_dataset.score.explain.subject import MISSING, SPURIOUS, Subject, why_no_guess
from aa_dataset.score.explain.words import price_text

BROADEST = 1000  # pixels of two trees beside each other; broader ones stand below each other
HEAD, LINE, MARGIN = 46, 16, 10
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


def truth_drawing(subject: Subject) -> Drawing:
    """Return the tree of the ground truth."""
    marks = subject.marks[0]
    return tree_drawing(subject.truth, colors=marks.colors, labels=marks.labels)


def guess_drawing(subject: Subject) -> Drawing | None:
    """Return the tree of the prediction, None if it cannot be read."""
    if subject.guess is None:
        return None
    marks = subject.marks[1]
    return tree_drawing(subject.guess, colors=marks.colors, labels=marks.labels)


def object_svg(subject: Subject) -> str:
    """Return the text of an SVG file with both trees."""
    truth, guess = truth_drawing(subject), guess_drawing(subject)
    other = guess or Drawing(340, 40, _text(MARGIN, 24, f"none: {why_no_guess(subject)}"))
    beside = truth.width + other.width <= BROADEST
    x, y = (truth.width, HEAD) if beside else (0, HEAD + truth.height + LINE)
    foot = max(HEAD + truth.height, y + other.height) + LINE
    width = max(x + other.width, truth.width, 480)
    height = foot + LINE * len(LEGEND)
    parts = [
        _text(MARGIN, 16, _title(subject)),
        _text(MARGIN, HEAD - 6, "ground truth"),
        truth.moved(0, HEAD),
        _text(x + MARGIN, y - 6, "prediction"),
        other.moved(x, y),
        *(_legend_line(k, foot) for k in range(len(LEGEND))),
    ]
    label = f"ground truth and prediction of {subject.rows.object_id}"
    return Drawing(width, height, "".join(parts)).svg(label=label) + "\n"


def _title(subject: Subject) -> str:
    name = shortened(subject.rows.object_id, 36)
    return f"{name}: tree score {price_text(subject.rows.tree.cost)}"


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    chosen = f' class="{kind}"' if kind else ""
    return f'<text{chosen} x="{x}" y="{y}">{markup(text)}</text>'


def _legend_line(k: int, top: int) -> str:
    color, dashed, meaning = LEGEND[k]
    y = top + k * LINE
    dash = " dashed" if dashed else ""
    return (
        f'<rect class="card {color}{dash}" x="{MARGIN}" y="{y - 9}" width="22" height="11" rx="3"/>'
        + _text(MARGIN + 30, y, meaning, "small")
    )
