# SPDX-License-Identifier: Apache-2.0
"""One static page about all objects of a run, those that cost most first.

The page is one file without any address: style and script are inside and named by their digests in
its content security policy, so that nothing else could run even if a name got past the escaping.
Its size is bounded: every object up to `MOST_LISTED` has a line, the worst ones have details until
`MOST_DETAILED` objects or `MOST_CHARACTERS` are reached, and a sentence says what is left out.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pyarrow as pa

from aa_dataset.dataset import Dataset
from aa_dataset.draw.names import markup
from aa_dataset.draw.palette import tree_style
from aa_dataset.score.explain.fragments import details, name_cell, number
from aa_dataset.score.explain.picture import LEGEND
from aa_dataset.score.explain.rows import read_objects
from aa_dataset.score.explain.subject import make_subject
from aa_dataset.score.explain.words import price_text
from aa_dataset.score.readers import PredictionReader
from aa_dataset.score.result.scores import STATUSES

MOST_LISTED, MOST_DETAILED, MOST_CHARACTERS = 2000, 300, 10_000_000
_READ_AT_ONCE = 50  # objects whose rows are turned into dataclasses together
_SCORES = (
    ("e_alpha_phi_tree_cost", "tree", "E^phi tree"),
    ("e_alpha_phi_tree_per_truth_joint", "joint", "per joint"),
    ("e_b_phi_tree_cost", "body", "E_B^phi tree"),
)
_SORTS = (
    ("tree", "tree score"),
    ("joint", "tree score per joint"),
    ("body", "E_B^phi tree score"),
    ("text", "name"),
)
_INTRODUCTION = (
    "Every object of the split, most expensive first: by what its prediction costs in the tree "
    "score under E_alpha^phi. An object without a usable prediction costs what the welded object "
    "costs. Open a line for its edit script, its joints and both trees."
)


@dataclass(frozen=True, slots=True)
class PageText:
    """What stands above the list: the title, and named lines about the run."""

    title: str
    context: tuple[tuple[str, str], ...]


def page(
    text: PageText,
    tables: tuple[pa.Table, pa.Table],
    dataset: Dataset,
    predictions: PredictionReader,
    *,
    pictures: Mapping[str, bytes] | None = None,
) -> str:
    """Return the page as HTML text.

    Parameters
    ----------
    tables : (Table, Table)
        `per_object` and `per_joint` of a result; all numbers of the page come from them.
    predictions : PredictionReader
        Read again for the drawings only.
    pictures : mapping of object id to bytes, optional
        A PNG file per object, which is embedded. Nothing passes any yet: this is the place for the
        pictures of a renderer.
    """
    order = _worst_first(tables[0])
    ids = [row["object_id"] for row in order[:MOST_LISTED]]
    bodies: dict[str, str] = {}
    used = 0
    for object_id, body in _all_details(ids, tables, dataset, predictions, pictures or {}):
        used += len(body)
        if used > MOST_CHARACTERS and bodies:  # the worst object always has details
            break
        bodies[object_id] = body
    is_open = len(order) == 1
    lines = [
        _line(row, bodies.get(row["object_id"]), is_open=is_open) for row in order[:MOST_LISTED]
    ]
    notes = _notes(len(order), len(lines), len(bodies))
    return _document(text, notes, lines)


def _worst_first(per_object: pa.Table) -> list[dict[str, Any]]:
    """Return what the list shows of every object, by cost; undefined ones last."""
    names = ["object_id", "category", "status", "joints", "matched", "spurious"]
    rows = per_object.select([*names, *(key for key, _, _ in _SCORES)]).to_pylist()
    cost = _SCORES[0][0]
    rows.sort(key=lambda row: (row[cost] is None, -(row[cost] or 0.0), row["object_id"]))
    return list(rows)


def _all_details(
    ids: Sequence[str],
    tables: tuple[pa.Table, pa.Table],
    dataset: Dataset,
    predictions: PredictionReader,
    pictures: Mapping[str, bytes],
) -> Iterator[tuple[str, str]]:
    chosen = ids[:MOST_DETAILED]
    for start in range(0, len(chosen), _READ_AT_ONCE):
        for rows in read_objects(*tables, chosen[start : start + _READ_AT_ONCE]):
            subject = make_subject(rows, dataset[rows.object_id], predictions)
            yield rows.object_id, details(subject, pictures.get(rows.object_id))


def _notes(total: int, listed: int, detailed: int) -> list[str]:
    notes = [_INTRODUCTION]
    if listed < total:
        notes.append(
            f"The {listed:,} most expensive of {total:,} objects are listed; per_object.parquet "
            "has all."
        )
    if detailed < listed:
        notes.append(
            f"The {detailed:,} most expensive objects have details here; `aa explain OBJECT "
            "--pred PREDICTIONS` shows any other."
        )
    return notes


def _line(row: Mapping[str, Any], body: str | None, *, is_open: bool) -> str:
    """Return one object of the list, with its details if it has any."""
    object_id, category, status = (str(row[key]) for key in ("object_id", "category", "status"))
    found = f"{object_id} {category} {status}".lower()
    values = [(name, head, key, _value(row[key])) for key, name, head in _SCORES]
    data = "".join(
        f' data-{name}="{"" if math.isnan(value) else repr(value)}"' for name, _, _, value in values
    )
    cells = [
        f'<span class="name">{name_cell(object_id)}</span>'
        f'<span class="first">{markup(category)}</span>'
        f'<span class="status-{markup(status)}">{markup(status)}</span>'
        f"<span>{row['matched']} of {row['joints']}, +{row['spurious']}</span>",
        *(
            f'<span class="score{" first" if name == "tree" else ""}" data-head="{markup(head)}">'
            f"{number(key, value, price_text(value))}</span>"
            for name, head, key, value in values
        ),
    ]
    attributes = (
        f'id="{markup(object_id)}" data-text="{markup(found)}" data-status="{markup(status)}"'
    )
    if body is None:
        return f'<div class="object plain" {attributes}{data}>{"".join(cells)}</div>\n'
    opened = " open" if is_open else ""
    return (
        f'<details{opened} class="object" {attributes}{data}><summary>{"".join(cells)}</summary>'
        f"<section>{body}</section></details>\n"
    )


def _value(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _document(text: PageText, notes: Sequence[str], lines: Sequence[str]) -> str:
    style, script = _asset("page.css") + tree_style(), _asset("page.js")
    context = "".join(
        f"<dt>{markup(name)}</dt><dd>{markup(value)}</dd>" for name, value in text.context
    )
    paragraphs = "".join(f"<p>{markup(note)}</p>" for note in notes)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{markup(text.title)}</title>\n<style>{style}</style></head>\n<body>\n"
        f"<h1>{markup(text.title)}</h1>\n<dl>{context}</dl>\n{paragraphs}\n{_legend()}\n{_tools()}\n"
        f'{_column_heads()}\n<main id="objects">{"".join(lines)}</main>\n'
        f"<script>{script}</script>\n</body></html>\n"
    )


def _asset(name: str) -> str:
    return (files("aa_dataset.score.explain") / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return a policy that allows this style, this script and embedded pictures, nothing else."""
    first, second = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
        for text in (style, script)
    )
    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{first}'; "
        f"script-src 'sha256-{second}'; base-uri 'none'; form-action 'none'"
    )


def _legend() -> str:
    items = "".join(
        '<li><svg class="aa-tree" width="24" height="13" aria-hidden="true"><rect x="1" y="1" '
        f'width="22" height="11" rx="3" class="card {color}{" dashed" if dashed else ""}"/></svg> '
        f"{markup(meaning)}</li>"
        for color, dashed, meaning in LEGEND
    )
    return f'<ul class="legend">{items}</ul>'


def _tools() -> str:
    """Return the controls, hidden until the script runs."""
    states = "".join(f"<option>{status}</option>" for status in STATUSES)
    sorts = "".join(f'<option value="{key}">{name}</option>' for key, name in _SORTS)
    return (
        '<div class="tools" hidden><label>Filter <input type="search" id="filter" size="28" '
        'placeholder="name, category or status"></label>'
        '<label>Status <select id="status"><option value="">all</option>'
        f"{states}</select></label>"
        f'<label>Sort by <select id="sort">{sorts}</select></label>'
        '<output id="shown"></output></div>'
    )


def _column_heads() -> str:
    names = ("object", "category", "status", "joints paired", *(head for _, _, head in _SCORES))
    return f'<div class="heads">{"".join(f"<span>{markup(name)}</span>" for name in names)}</div>'
