# SPDX-License-Identifier: Apache-2.0
"""Checks of the tables of a result that somebody else may have written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aa_dataset.format.validation import check_cells
from aa_dataset.kinematics.joints import JointType, LimitSource
from aa_dataset.score.registration.record import ESTIMATED, RegistrationSource
from aa_dataset.score.result.arrays import Arrays
from aa_dataset.score.result.scores import (
    BY_THE_PREDICTION,
    BY_THE_TRUTH,
    ONE_JOINT,
    PROTOCOLS,
    ROLES,
    SCORES,
    SPURIOUS,
    STATUSES,
    TREES,
    VARIANTS,
    WHYS,
    Score,
)
from aa_dataset.score.result.tables import ORDER, TABLES

# No prediction within `budgets.LARGEST` has such a distance, and sums of squares stay finite.
_LARGEST = 1e150
_ROUNDED = 1 + 1e-9
_SOURCES = tuple(source.value for source in RegistrationSource)
_TYPES = tuple(kind.value for kind in JointType)
_CHOICES: dict[str, dict[str, Sequence[str]]] = {
    "per_joint": {
        "protocol": PROTOCOLS,
        "role": ROLES,
        "type": _TYPES,
        "predicted_type": _TYPES,
        "predicted_limits": tuple(source.value for source in LimitSource),
        "why": (*WHYS, SPURIOUS),
        **{f"{score.key}_undefined": (*BY_THE_TRUTH, *BY_THE_PREDICTION) for score in SCORES},
    },
    "per_object": {
        "status": STATUSES,
        "registration": _SOURCES,
        "stated": _SOURCES,
        **{f"{tree.key}_undefined": BY_THE_TRUTH for tree in TREES},
    },
}


def checked_table(table: pa.Table, name: str) -> pa.Table:
    """Return a table with the schema of `result.tables`, or raise `ValueError`."""
    schema = TABLES[name]
    if table.column_names != schema.names:
        strange = sorted(set(table.column_names) ^ set(schema.names))
        raise ValueError(f"its columns differ from the schema, for example {strange[:1]}")
    check_cells(table, schema)
    table = table.cast(schema).combine_chunks()
    for column, choices in _CHOICES[name].items():
        known = pc.is_in(table[column], value_set=pa.array([*choices, None], pa.string()))
        _require(known, f"column {column!r} has an unknown value")
    for field in schema:
        if pa.types.is_floating(field.type) or pa.types.is_integer(field.type):
            _check_numbers(table[field.name], field.name)
    _check_order(table, ORDER[name])
    return table


def check_tables(arrays: Arrays) -> None:
    """Raise `ValueError` if the rows of the two tables contradict each other."""
    known = pc.is_in(arrays.per_joint["object_id"], value_set=_ids(arrays))
    _require(known, "per_joint has an object that per_object lacks")
    for problem, is_wrong in _contradictions(arrays):
        if is_wrong.any():
            raise ValueError(problem)
    for score in SCORES:
        _check_score(arrays, score)
    for tree in TREES:
        _check_tree(arrays, tree)


def _ids(arrays: Arrays) -> pa.Array:
    return arrays.per_object["object_id"].combine_chunks()


def _contradictions(arrays: Arrays) -> Iterator[tuple[str, np.ndarray]]:
    every, one = (arrays.joints_with("protocol", name) for name in PROTOCOLS)
    truth, paired = arrays.is_truth, arrays.is_paired
    for column, rows in (
        ("joints", every & truth),
        ("matched", every & paired),
        ("spurious", every & ~truth),
    ):
        counted = arrays.sums(rows) != arrays.object_numbers(column)
        yield f"the rows of per_joint are not the {column} of per_object", counted
    yield f"{ONE_JOINT} has a spurious joint", one & ~truth
    moving = arrays.object_numbers("joints") > 0
    yield f"{ONE_JOINT} does not have one row per moving object", arrays.sums(one) != moving
    named = arrays.per_joint["joint"].is_valid().to_numpy()
    yield "a truth joint has no name, or a spurious one has", named != truth
    matched = arrays.joints_with("why", "matched") | arrays.joints_with("why", "nonfinite")
    yield "`why` and the partner of a joint contradict each other", matched != paired
    is_spurious = arrays.joints_with("why", SPURIOUS)
    yield "`why` and `role` of a joint contradict each other", is_spurious == truth
    for why, status in (("absent", "missing"), ("unreadable", "unreadable")):
        stated = arrays.objects_with("status", status)[arrays.owner]
        given = arrays.joints_with("why", why)
        yield f"the status of an object and `{why}` joints contradict each other", given != stated
    counted = arrays.object_numbers("matched") + arrays.object_numbers("spurious")
    yield "predicted is not matched + spurious", arrays.object_numbers("predicted") != counted
    yield from _contradicting_intake(arrays)
    for variant in VARIANTS:
        success = arrays.joint_numbers(f"{variant}_success") == 1
        yield f"{variant}_success of a joint without a partner", success & ~paired


def _contradicting_intake(arrays: Arrays) -> Iterator[tuple[str, np.ndarray]]:
    """Yield where the reader or the registration of an object cannot be as stated."""
    failed = arrays.objects_with("status", "missing") | arrays.objects_with("status", "unreadable")
    for column in ("reader", "reader_reason", "registration", "registration_scale", "uses_truth"):
        known = arrays.per_object[column].is_valid().to_numpy()
        yield f"the status of an object and its {column} contradict each other", known == failed
    estimated = np.zeros(len(arrays), dtype=bool)
    for source in ESTIMATED:
        estimated |= arrays.objects_with("registration", source.value)
    used = arrays.object_numbers("uses_truth") == 1
    yield "uses_truth and the source of a registration contradict each other", used != estimated
    measured = ~np.isnan(arrays.object_numbers("registration_residual"))
    yield "a registration has a residual but is no estimate, or the reverse", measured != estimated
    stated = arrays.per_object["stated"].is_valid().to_numpy()
    applied = ~arrays.objects_with("registration", RegistrationSource.IDENTITY.value)
    yield "a stated registration is applied and not applied", stated & applied
    for column in ("stated_e_alpha_phi", "stated_e_alpha_phi_tree"):
        known = arrays.per_object[column].is_valid().to_numpy()
        yield f"stated and {column} contradict each other", known != stated


def _check_score(arrays: Arrays, score: Score) -> None:
    """Raise unless the columns of one distance follow the accounting."""
    value, weld, cost, extra = (
        arrays.joint_numbers(f"{score.key}{end}") for end in ("", "_weld", "_cost", "_extra")
    )
    truth, paired = arrays.is_truth, arrays.is_paired
    unbounded = arrays.joints_with(f"{score.key}_undefined", "unbounded")
    reason = arrays.per_joint[f"{score.key}_undefined"].is_valid().to_numpy()
    has = ~np.isnan(value)
    charged = np.where(has, value, weld)
    same = (charged == cost) | (np.isnan(charged) & np.isnan(cost))
    for problem, is_wrong in (
        ("a distance without a partner or a weld", has & (~paired | np.isnan(weld))),
        ("a cost that is neither its distance nor its weld", truth & ~same),
        ("a weld of a spurious joint", ~truth & ~np.isnan(weld)),
        ("no reason for an undefined cost", np.isnan(cost) & ~reason),
        ("no reason for an undefined distance", paired & ~has & ~reason),
        ("a separate charge of a bounded joint", (extra > 0) & ~unbounded),
    ):
        if is_wrong.any():
            raise ValueError(f"per_joint has {problem}, in {score.key}")


def _check_tree(arrays: Arrays, tree: Score) -> None:
    """Raise unless the cost of a tree is its distance, else its weld, between its bounds."""
    value, low, high, weld, cost = (
        arrays.object_numbers(f"{tree.key}{end}")
        for end in ("", "_lower", "_upper", "_weld", "_cost")
    )
    charged = np.where(np.isnan(value), weld, value)
    same = (charged == cost) | (np.isnan(charged) & np.isnan(cost))
    if not same.all():
        raise ValueError(f"per_object has a cost that is neither distance nor weld, in {tree.key}")
    # Bounds are sums in another order, so they may differ in the last digits.
    if ((low > value * _ROUNDED) | (high * _ROUNDED < value)).any():
        raise ValueError(f"per_object has a distance outside of its bounds, in {tree.key}")


def _check_numbers(column: pa.ChunkedArray, name: str) -> None:
    numbers = column.drop_null().to_numpy()
    if not np.isfinite(numbers).all():
        raise ValueError(f"column {name!r} holds NaN or infinity; what is undefined is null")
    if (np.abs(numbers) > _LARGEST).any():
        raise ValueError(f"column {name!r} is beyond {_LARGEST:g}, and sums of it could overflow")
    if (numbers < 0).any():
        raise ValueError(f"column {name!r} is negative")


def _check_order(table: pa.Table, names: Sequence[str]) -> None:
    """Raise unless rows are sorted and unique; null comes first, as an empty text does."""
    columns = [table[name].to_pylist() for name in names]
    keys = [tuple(text or "" for text in key) for key in zip(*columns, strict=True)]
    if any(not first < second for first, second in pairwise(keys)):
        raise ValueError(f"its rows are not sorted by {', '.join(names)}, or one occurs twice")


def _require(mask: pa.ChunkedArray, problem: str) -> None:
    if not pc.all(mask).as_py() and len(mask):
        raise ValueError(problem)
