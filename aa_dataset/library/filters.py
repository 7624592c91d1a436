# SPDX-License-Identifier: Apache-2.0
"""Which objects of a library match what a user asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import JointType
from aa_dataset.library.catalog import Catalog, SelectionError

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
Choice = str | Iterable[str] | None
# One number, or both ends of a range, of which None is open.
Span = float | tuple[float | None, float | None] | None
Predicate = Callable[[Mapping[str, Any]], bool]

_SPANS = {"joints": "joints_movable", "depth": "depth", "links": "links"}


def selected(
    catalog: Catalog, rows: Rows, choices: Mapping[str, Choice | Span | bool]
) -> tuple[Rows, str]:
    """Return the rows of the objects table that match every choice, and a label of the choices.

    The choices are the arguments of `Dataset.filter` without its `where`; None matches all.
    """
    texts = ("category", "supercategory", "source", "license")
    tests: dict[str, Callable[[Any], Mask]] = {
        **{name: partial(with_values, catalog, name) for name in texts},
        "joint_type": partial(with_joint, catalog),
        **{name: partial(within, catalog, name) for name in ("joints", "depth", "size")},
        "is_metric": lambda wanted: catalog.objects["is_metric"].to_numpy() == bool(wanted),
        "finding": partial(with_finding, catalog),
        "without_finding": lambda codes: ~with_finding(catalog, codes),
    }
    label = ""
    for field, test in tests.items():
        choice = choices.get(field)
        if choice is not None:
            is_several = not isinstance(choice, str | tuple) and isinstance(choice, Iterable)
            given = listed(choice) if is_several else choice  # type: ignore[arg-type]
            rows = rows[test(given)[rows]]
            label += f", {field}={described(given)}"
    return rows, label


def with_values(catalog: Catalog, column: str, choice: str | Iterable[str]) -> Mask:
    """Return which objects have one of some values in a text column."""
    known = set(pc.unique(catalog.objects[column]).to_pylist())
    if column == "category":
        known |= set(catalog.table("categories")["category"].to_pylist())
    values = listed(choice)
    require_known(column, values, known)
    found = pc.is_in(catalog.objects[column], value_set=pa.array(values, pa.string()))
    return np.asarray(found.to_numpy(), dtype=bool)


def with_joint(catalog: Catalog, choice: str | Iterable[str]) -> Mask:
    """Return which objects have a joint of one of some types."""
    types = listed(choice)
    require_known("joint_type", types, {kind.value for kind in JointType})
    counts = [catalog.objects[f"joints_{kind}"].to_numpy() for kind in types]
    mask = np.zeros(catalog.objects.num_rows, dtype=bool)
    for count in counts:
        mask |= count > 0
    return mask


def with_finding(catalog: Catalog, choice: str | Iterable[str]) -> Mask:
    """Return which objects have a finding of one of some codes."""
    findings = catalog.table("findings")
    known = set(pc.unique(findings["code"]).to_pylist())
    codes = listed(choice)
    require_known("finding", codes, known)
    rows = findings.filter(pc.is_in(findings["code"], value_set=pa.array(codes, pa.string())))
    mask = np.zeros(catalog.objects.num_rows, dtype=bool)
    # Findings of rejected objects have no row among the objects.
    mask[np.isin(catalog.objects["object_id"].to_numpy(), rows["object_id"].to_numpy())] = True
    return mask


def within(catalog: Catalog, field: str, span: Span) -> Mask:
    """Return which objects have a number in a span, ends included.

    Fields are ``joints`` (movable ones), ``links``, ``depth``, and ``size``, the diagonal of the
    bounding box in meters or in the object's own unit.
    """
    ends = span if isinstance(span, tuple) else (span, span)
    if len(ends) != 2 or not all(end is None or _is_number(end) for end in ends):
        raise SelectionError(
            f"{field} is {span!r}; pass a number, or (lowest, highest) with None for no end."
        )
    low, high = ends
    if low is not None and high is not None and not low <= high:
        raise SelectionError(f"{field} is {span!r}; the lowest number comes first.")
    values = _diagonals(catalog) if field == "size" else catalog.objects[_SPANS[field]].to_numpy()
    low = -np.inf if low is None else low
    return np.asarray((values >= low) & (values <= (np.inf if high is None else high)))


def accepted(catalog: Catalog, rows: Rows, predicate: Predicate) -> Mask:
    """Return which objects a function of their row accepts; it is asked for `rows` only."""
    mask = np.zeros(catalog.objects.num_rows, dtype=bool)
    table = catalog.objects.take(pa.array(rows))
    answers = [bool(predicate(row)) for batch in table.to_batches() for row in batch.to_pylist()]
    mask[rows] = answers
    return mask


def listed(choice: str | Iterable[str]) -> list[str]:
    """Return one value or several as a list."""
    return [choice] if isinstance(choice, str) else [str(value) for value in choice]


def described(choice: object) -> str:
    """Return a choice or a span as the label of a selection shows it."""
    if isinstance(choice, list) or (isinstance(choice, tuple) and all(map(_is_text, choice))):
        return "|".join(choice) or "nothing"
    if isinstance(choice, tuple):
        return "..".join("" if end is None else f"{end:g}" for end in choice)
    return str(choice)


def require_known(field: str, values: list[str], known: set[str]) -> None:
    """Refuse unknown values with similar ones, so that a typo never gives an empty selection."""
    for value in values:
        if value not in known:
            near = get_close_matches(value, sorted(known), n=3) or sorted(known)[:8]
            raise SelectionError(
                f"{field} {value!r} is not in this library; similar values: "
                f"{', '.join(near) or 'none'}."
            )


def _is_number(end: object) -> bool:
    return isinstance(end, Real) and not isinstance(end, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _diagonals(catalog: Catalog) -> NDArray[np.float64]:
    column = catalog.objects["extents"].combine_chunks()
    extents = column.flatten().to_numpy().reshape(-1, 3)
    return np.asarray(np.sqrt((extents * extents).sum(axis=1)))
