# SPDX-License-Identifier: Apache-2.0
"""One explained object as text for a terminal of 80 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping

from aa_dataset.draw import tree_lines
from aa_dataset.draw.names import padded, shortened
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.score.explain.gates import Gate, Verdict, joint_gates, variant_title
from aa_dataset.score.explain.rows import JointRow, ObjectRows
from aa_dataset.score.explain.subject import (
    MISSING,
    SPURIOUS,
    Subject,
    row_label,
    step_label,
    why_no_guess,
)
from aa_dataset.score.explain.words import (
    TOLERANCES,
    component_text,
    cost_texts,
    count_text,
    excess_text,
    length_text,
    price_text,
    root_mean_square,
    script_total,
    sum_title,
    tree_standing,
)
from aa_dataset.score.result.scores import VARIANTS

WIDTH = 80
_CELL = 22
_MOST_ROWS = 200  # of a list; --json has all
_KEY = (
    f"n: pair number n, {MISSING}: no partner in the prediction, {SPURIOUS}: no partner in the "
    "truth"
)


def explanation_lines(
    subject: Subject, context: tuple[tuple[str, str], ...] = (), *, ascii_only: bool = False
) -> list[str]:
    """Return the whole explanation: numbers first, then both trees.

    Parameters
    ----------
    context : tuple of (str, str)
        What was compared under which parameters: name and text of every line.
    """
    rows = subject.rows
    return [
        *_head_lines(rows, context),
        "",
        *_script_lines(subject),
        *_joint_sections(subject),
        "",
        *tree_sections(subject, ascii_only=ascii_only),
    ]


def _wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )


def _head_lines(rows: ObjectRows, context: tuple[tuple[str, str], ...]) -> list[str]:
    scale = "true meters" if rows.is_metric else "its lengths are not true meters"
    detail = f" ({rows.detail})" if rows.detail else ""
    named = (
        ("object", f"{rows.object_id}: {rows.category}, {rows.supercategory}, {scale}"),
        ("status", f"{rows.status}{detail}, {count_text(rows)}"),
        *context,
    )
    return [line for name, text in named for line in _wrap(text, f"{name:<12} ", " " * 13)]


def _script_lines(subject: Subject) -> Iterator[str]:
    rows, tree = subject.rows, subject.rows.tree
    if not rows.script and math.isnan(tree.cost):
        yield "edit script: none, the tree distance is undefined"
        return
    yield f"{'edit script, most expensive first':<66} {'E_alpha^phi':>13}"
    for step in rows.script[:_MOST_ROWS]:
        label = step_label(subject, step)
        names = [name for name in (step.predicted, step.truth) if name is not None]
        shown = " -> ".join(shortened(name, 49 if len(names) == 1 else 22) for name in names)
        yield f"  {step.operation:<11} {label:>3}  {padded(shown, 48)} {price_text(step.cost):>12}"
    if rest := rows.script[_MOST_ROWS:]:
        more = math.fsum(step.cost for step in rest)
        yield f"  and {len(rest):,} more, {price_text(more)} in total; --json has them"
    yield f"  {sum_title(rows):<65} {price_text(script_total(rows)):>12}"
    yield from _wrap(
        f"{price_text(tree.per_joint)} per truth joint; the welded object costs "
        f"{price_text(tree.weld)}; E_B^phi tree {price_text(rows.body_tree.cost)} "
        f"({tree_standing(rows.body_tree)}).",
        "  ",
        "  ",
    )


def _joint_sections(subject: Subject) -> Iterator[str]:
    rows = subject.rows.joints
    if any(row.is_pair for row in rows):
        yield ""
        yield from _wrap(
            f"component errors: FAIL +x is x over the tolerance, no mark not gated. {TOLERANCES}"
        )
    for row in rows[:_MOST_ROWS]:
        yield ""
        yield from _joint_lines(subject, row)
    if len(rows) > _MOST_ROWS:
        yield f"and {len(rows) - _MOST_ROWS:,} more joints; --json has them"


def _joint_lines(subject: Subject, row: JointRow) -> Iterator[str]:
    label = row_label(subject, row)
    if row.joint is None:
        name = shortened(row.predicted or "", 40)
        yield f"{label:<3} {name} ({row.predicted_type}), spurious: it costs its motion"
    elif row.predicted is None:
        yield f"{label:<3} {shortened(row.joint, 40)} ({row.type}), {row.why}: it costs its weld"
    else:
        head = f"{label:<3} {shortened(row.joint, 24)} ({row.type})"
        partner = shortened(row.predicted, 80 - 20 - 4 - len(head))
        yield f"{head} <- {partner} ({row.predicted_type})"
    yield from _wrap(_cost_sentence(row), "    ", "    ")
    if row.is_pair:
        yield from _component_lines(row)


def _cost_sentence(row: JointRow) -> str:
    parts = []
    for name, value, reason in cost_texts(row):
        shown = price_text(value)
        if math.isnan(value):
            shown += f" ({reason.replace('_', ' ')})" if reason else ""
        elif name == "E_B":
            shown = length_text(value)
            if row.is_pair:
                rms = length_text(root_mean_square(row.charges["e_b"]))
                shown += f" (RMS motion over both ends {rms})"
        parts.append(f"{name} {shown}")
    weld = row.charges["e_alpha_phi"].weld
    if row.is_pair and not math.isnan(weld):
        parts[-1] += f" of {price_text(weld)} if welded"
    notes = (
        [f"limits {row.predicted_limits}"] if row.predicted_limits not in (None, "given") else []
    )
    return ", ".join([*parts, *notes])


def _component_lines(row: JointRow) -> Iterator[str]:
    gates = joint_gates(row)
    titles = "".join(padded(variant_title(name), _CELL) for name in VARIANTS)
    yield f"    {'component':<10}{titles}".rstrip()
    for group in zip(*gates.values(), strict=True):
        cells = "".join(padded(_cell(gate, row), _CELL) for gate in group)
        yield f"    {group[0].component:<10}{cells}".rstrip()
    verdicts = ("success" if row.errors[name].success else "failure" for name in VARIANTS)
    yield f"    {'verdict':<10}{''.join(word.ljust(_CELL) for word in verdicts)}".rstrip()


def _cell(gate: Gate, row: JointRow) -> str:
    cell = component_text(gate, row)
    if gate.verdict is Verdict.FAILED:
        excess = excess_text(gate, row).partition(" ")[0]  # its unit is that of the error
        cell = f"{cell} FAIL {excess}".rstrip()
    elif gate.verdict is Verdict.PASSED:
        cell += " ok"
    return shortened(cell, _CELL - 1)


def tree_sections(subject: Subject, *, ascii_only: bool) -> Iterator[str]:
    """Yield both trees, the joints of a pair with the same number."""
    yield from _wrap(f"trees ({_KEY})")
    yield "truth"
    yield from _drawn(subject.truth, subject.marks[0].labels, ascii_only)
    yield "prediction"
    if subject.guess is None:
        yield f"  none: {why_no_guess(subject)}"
    else:
        yield from _drawn(subject.guess, subject.marks[1].labels, ascii_only)


def _drawn(tree: KinematicTree, labels: Mapping[str, str], ascii_only: bool) -> Iterator[str]:
    lines = tree_lines(tree, labels=labels, width=WIDTH - 2, ascii_only=ascii_only)
    return (f"  {line}" for line in lines)
