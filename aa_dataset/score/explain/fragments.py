# SPDX-License-Identifier: Apache-2.0
"""The parts of a page about one object: numbers, edit script, joints, drawings.

Foreign text passes `markup` and nothing else writes it. Numbers are `data` elements, which hold
all digits beside the short text, so that a program can read the page.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator

from aa_dataset.draw import Drawing
from aa_dataset.draw.names import markup, shortened
from aa_dataset.score.explain.gates import Gate, joint_gates
from aa_dataset.score.explain.picture import guess_drawing, truth_drawing
from aa_dataset.score.explain.rows import JointRow
from aa_dataset.score.explain.subject import Subject, row_label, step_label, why_no_guess
from aa_dataset.score.explain.words import (
    component_text,
    count_text,
    failure_text,
    length_text,
    price_text,
    root_mean_square,
    script_total,
    sum_title,
)
from aa_dataset.score.result.scores import VARIANTS

MOST_ROWS = 200  # edits or joints of one object; a prediction may have 1,000
_NAME = 60  # columns of a name; its title has all
_HEADS = (
    ("pair", "number of the pair in the drawings"),
    ("truth", "joint of the ground truth"),
    ("prediction", "its partner"),
    ("E_B", "motion of the body, summed over both ends of the range"),
    ("RMS", "E_B divided by the root of 2: RMS motion over both ends"),
    ("E_alpha", "distance under the split norm"),
    ("E_alpha^phi", "compactified; sums to the tree distance"),
    ("welded", "E_alpha^phi of a prediction that welds the joint"),
    ("axis", "angle between the axes"),
    ("origin", "distance of the axes, for a slide of the origins"),
    ("range", "difference of the motion vectors"),
    ("direction", "one minus the cosine between the motion vectors"),
    *((title, f"verdict of the variant {title}") for title in VARIANTS.values()),
)


def number(key: str, value: float, text: str) -> str:
    """Return a number with all its digits for programs, and short text for people."""
    if math.isnan(value):
        return f'<span class="none" data-key="{key}">{markup(text)}</span>'
    return f'<data data-key="{key}" value="{value!r}">{markup(text)}</data>'


def name_cell(text: str) -> str:
    """Return a foreign name, shortened, with the whole name as title."""
    short = shortened(text, _NAME)
    title = "" if short == text else f' title="{markup(text)}"'
    return f"<code{title}>{markup(short)}</code>"


def details(subject: Subject, picture: bytes | None = None) -> str:
    """Return everything about an object below its line in the list.

    Parameters
    ----------
    picture : bytes, optional
        A PNG file of the object.
    """
    rows = subject.rows
    problem = f'<p class="problem">{markup(rows.detail)}</p>' if rows.detail else ""
    scale = "" if rows.is_metric else " Its lengths are not true meters."
    return (
        f"<p>{markup(rows.supercategory)}, source {markup(rows.source)}. "
        f"{markup(count_text(rows))}.{scale}</p>{problem}{_picture(picture)}"
        f"{_script(subject)}{_drawings(subject)}{_joints(subject)}"
    )


def _picture(data: bytes | None) -> str:
    if data is None:
        return ""
    text = base64.b64encode(data).decode("ascii")
    return f'<img class="preview" alt="the object" src="data:image/png;base64,{text}">'


def _script(subject: Subject) -> str:
    rows, tree = subject.rows, subject.rows.tree
    lines = []
    for step in rows.script[:MOST_ROWS]:
        names = [name_cell(name) for name in (step.predicted, step.truth) if name is not None]
        cells = (markup(step.operation), markup(step_label(subject, step)), " → ".join(names))
        lines.append(_row(*cells, number("edit", step.cost, price_text(step.cost))))
    if rest := rows.script[MOST_ROWS:]:
        more = math.fsum(step.cost for step in rest)
        lines.append(_row(f"{len(rest):,} more", "", "", number("rest", more, price_text(more))))
    total = script_total(rows) if rows.script or not math.isnan(tree.cost) else math.nan
    lines.append(
        _row("", "", f"<b>{markup(sum_title(rows))}</b>", number("sum", total, price_text(total)))
    )
    heads = _row("operation", "pair", "prediction → truth", "E_alpha^phi", tag="th")
    return _table("script", "Edit script, most expensive first", heads, lines)


def _joints(subject: Subject) -> str:
    rows = subject.rows.joints
    lines = [_joint(subject, row) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        lines.append(_row(f"{len(rows) - MOST_ROWS:,} more"))
    heads = "".join(
        f'<th title="{markup(meaning)}">{markup(name)}</th>' for name, meaning in _HEADS
    )
    return _table("joints", "Joints", f"<tr>{heads}</tr>", lines)


def _joint(subject: Subject, row: JointRow) -> str:
    truth = "" if row.joint is None else f"{name_cell(row.joint)}<br>{markup(row.type or '')}"
    cells = [markup(row_label(subject, row)), truth, _partner(row), *_charges(row)]
    if not row.is_pair:
        word = "" if row.joint is None else '<span class="bad">no partner</span>'
        return _row(*cells, "", "", "", "", *[word for _ in VARIANTS])
    gates = {gate.component: gate for gate in joint_gates(row)["parallel_safe"]}
    for component in ("axis", "origin", "range", "direction"):
        cells.append(_error(gates[component], row))
    return _row(*cells, *(_verdict(row, variant) for variant in VARIANTS))


def _partner(row: JointRow) -> str:
    if row.predicted is None:
        return markup(f"none ({row.why})")
    limits = "" if row.predicted_limits in (None, "given") else f", limits {row.predicted_limits}"
    return f"{name_cell(row.predicted)}<br>{markup(f'{row.predicted_type}{limits}')}"


def _charges(row: JointRow) -> Iterator[str]:
    """Yield the distances to the partner, or what the row costs without one."""
    for key in ("e_b", "e_alpha", "e_alpha_phi"):
        charge = row.charges[key]
        value = charge.value if row.is_pair else charge.cost
        shown = length_text(value) if key == "e_b" else price_text(value)
        if math.isnan(value) and charge.undefined:
            shown = f"{shown} ({charge.undefined.replace('_', ' ')})"
        yield number(key if row.is_pair else f"{key}_cost", value, shown)
        if key == "e_b":
            rms = root_mean_square(charge)
            yield number("rms", rms, length_text(rms)) if row.is_pair else ""
    weld = row.charges["e_alpha_phi"].weld
    yield number("e_alpha_phi_weld", weld, price_text(weld)) if row.joint is not None else ""


def _error(gate: Gate, row: JointRow) -> str:
    return number(f"parallel_safe_{gate.component}_error", gate.error, component_text(gate, row))


def _verdict(row: JointRow, variant: str) -> str:
    kind = "good" if row.errors[variant].success else "bad"
    return f'<span class="{kind}">{markup(failure_text(row, variant))}</span>'


def _drawings(subject: Subject) -> str:
    guess = guess_drawing(subject)
    return (
        f'<div class="trees">{_figure("ground truth", truth_drawing(subject))}'
        + (
            f"<p>No tree of the prediction: {markup(why_no_guess(subject))}.</p>"
            if guess is None
            else _figure("prediction", guess)
        )
        + "</div>"
    )


def _figure(title: str, drawing: Drawing) -> str:
    svg = drawing.svg(label=f"kinematic tree of the {title}", style=False)
    return f'<figure><figcaption>{title}</figcaption><div class="wide">{svg}</div></figure>'


def _table(kind: str, title: str, heads: str, lines: Iterable[str]) -> str:
    body = "".join(lines)
    return (
        f'<div class="wide"><table class="{kind}"><caption>{markup(title)}</caption>'
        f"<thead>{heads}</thead><tbody>{body}</tbody></table></div>"
    )


def _row(*cells: str, tag: str = "td") -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"
