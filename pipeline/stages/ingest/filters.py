# SPDX-License-Identifier: Apache-2.0
"""Rejects the objects that `filters` in config.yaml leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.engine.settings import Filter


def require_wanted(provenance: Mapping[str, Any], wanted: Mapping[str, Filter]) -> None:
    """Reject an object that a filter of its source leaves out.

    Parameters
    ----------
    provenance : mapping
        Provenance of the raw record. An absent field passes, because a release without ratings
        has nothing to filter by. A field without a value (null) passes no filter.
    wanted : mapping of field to Filter
        `filters` of config.yaml for the source.
    """
    for field, filtered in wanted.items():
        if field not in provenance:
            continue
        value = provenance[field]
        for rule, bound in _set_conditions(filtered):
            if value is None or not _passes_condition(value, rule, bound):
                detail = f"its {field} is {value!r}; config.yaml wants {rule} {bound!r}."
                raise Rejection(Reason.FILTERED_BY_CONFIG, detail)


def _set_conditions(wanted: Filter) -> Iterator[tuple[str, Any]]:
    """Yield the conditions that are set, by name."""
    if wanted.at_least is not None:
        yield "at_least", wanted.at_least
    if wanted.none_of:
        yield "none_of", [*wanted.none_of]
    if wanted.one_of:
        yield "one_of", [*wanted.one_of]


def _passes_condition(value: Any, rule: str, bound: Any) -> bool:
    if rule == "at_least":
        return isinstance(value, int | float) and value >= bound
    return (value in bound) == (rule == "one_of")
