# SPDX-License-Identifier: Apache-2.0
"""The rows of the two tables that explain one object, as dataclasses.

Every number of an explanation is a number of `per_joint` or `per_object`; nothing is computed anew
but margins and sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from aa_dataset.score.result.scores import ALL_JOINTS, COMPONENTS, SCORES, SPURIOUS, TRUTH, VARIANTS


@dataclass(frozen=True, slots=True)
class Step:
    """One edit of the script that turns the prediction into the truth.

    Attributes
    ----------
    operation : str
        ``substitute``, ``contract`` (a predicted joint is removed) or ``expand`` (a joint of the
        truth is created).
    truth, predicted : str or None
        The joints.
    cost : float
        Its price under E_alpha^phi.
    """

    operation: str
    truth: str | None
    predicted: str | None
    cost: float


@dataclass(frozen=True, slots=True)
class TreeCost:
    """A tree distance of one object; nan where undefined.

    Attributes
    ----------
    value, lower, upper : float
        The distance and its bounds.
    exact : bool or None
        Whether the distance is proven; None without one.
    weld, cost : float
        The distance of the welded object, and what the score charges.
    per_joint : float
        The charge per truth joint.
    """

    value: float
    lower: float
    upper: float
    exact: bool | None
    weld: float
    cost: float
    per_joint: float


@dataclass(frozen=True, slots=True)
class Charge:
    """One distance of a joint; nan where undefined, with the reason."""

    value: float
    weld: float
    cost: float
    extra: float
    undefined: str


@dataclass(frozen=True, slots=True)
class Errors:
    """The component errors of one pair in one variant.

    Attributes
    ----------
    values : dict of str to float
        By `Component.key`; nan where undefined.
    success : bool
        The verdict of the variant.
    """

    values: dict[str, float]
    success: bool


@dataclass(frozen=True, slots=True)
class JointRow:
    """One truth joint with its partner, or one spurious joint.

    Attributes
    ----------
    charges : dict of str to Charge
        By `Score.key`.
    errors : dict of str to Errors
        By the name of a variant in columns; empty without a pair.
    """

    role: str
    joint: str | None
    type: str | None
    predicted: str | None
    predicted_type: str | None
    predicted_limits: str | None
    why: str
    is_mimic: bool
    is_main: bool
    charges: dict[str, Charge]
    errors: dict[str, Errors]

    @property
    def is_pair(self) -> bool:
        """Whether the row has a joint on both sides."""
        return self.joint is not None and self.predicted is not None


@dataclass(frozen=True, slots=True)
class ObjectRows:
    """All that the tables say about one object.

    Attributes
    ----------
    script : tuple of Step
        The edits, most expensive first. Without a usable prediction every truth joint is created.
    is_welded : bool
        Whether the script stands for an object without a prediction, which costs its welds.
    joints : tuple of JointRow
        Truth joints, then spurious ones.
    """

    object_id: str
    category: str
    supercategory: str
    source: str
    is_metric: bool
    status: str
    detail: str
    counts: tuple[int, int, int, int]
    tree: TreeCost
    body_tree: TreeCost
    script: tuple[Step, ...]
    is_welded: bool
    joints: tuple[JointRow, ...]


def read_object(per_object: pa.Table, per_joint: pa.Table, object_id: str) -> ObjectRows:
    """Return the rows of one object; a table without it is an error of the caller."""
    (row,) = per_object.filter(pc.field("object_id") == object_id).to_pylist()
    wanted = (pc.field("object_id") == object_id) & (pc.field("protocol") == ALL_JOINTS)
    return _object_rows(row, per_joint.filter(wanted).to_pylist())


def read_objects(
    per_object: pa.Table, per_joint: pa.Table, object_ids: Sequence[str]
) -> tuple[ObjectRows, ...]:
    """Return the rows of some objects, in the order of `object_ids`."""
    ids = pa.array(object_ids, pa.string())
    chosen = per_object.filter(pc.is_in(per_object["object_id"], ids))
    by_id = {row["object_id"]: row for row in chosen.to_pylist()}
    wanted = pc.field("object_id").isin(ids) & (pc.field("protocol") == ALL_JOINTS)
    joints: dict[str, list[dict[str, Any]]] = {}
    for row in per_joint.filter(wanted).to_pylist():
        joints.setdefault(row["object_id"], []).append(row)
    return tuple(_object_rows(by_id[name], joints.get(name, [])) for name in object_ids)


def _object_rows(row: dict[str, Any], joints: list[dict[str, Any]]) -> ObjectRows:
    rows = tuple(map(_joint_row, sorted(joints, key=lambda one: one["role"] != TRUTH)))
    edits = row["edits"]
    steps = _welded_script(rows) if edits is None else [Step(**edit) for edit in edits]
    return ObjectRows(
        row["object_id"],
        row["category"],
        row["supercategory"],
        row["source"],
        row["is_metric"],
        row["status"],
        row["detail"],
        (row["joints"], row["predicted"], row["matched"], row["spurious"]),
        _tree_cost(row, "e_alpha_phi_tree"),
        _tree_cost(row, "e_b_phi_tree"),
        tuple(sorted(steps, key=lambda step: -step.cost)),  # stable: ties keep their order
        edits is None,
        rows,
    )


def _welded_script(rows: Sequence[JointRow]) -> list[Step]:
    welds = ((row.joint, row.charges["e_alpha_phi"].weld) for row in rows if row.role == TRUTH)
    return [Step("expand", joint, None, cost) for joint, cost in welds if not math.isnan(cost)]


def _tree_cost(row: dict[str, Any], key: str) -> TreeCost:
    names = (key, f"{key}_lower", f"{key}_upper")
    more = (f"{key}_weld", f"{key}_cost", f"{key}_per_truth_joint")
    value, lower, upper = (_number(row[name]) for name in names)
    weld, cost, per_joint = (_number(row[name]) for name in more)
    return TreeCost(value, lower, upper, row[f"{key}_exact"], weld, cost, per_joint)


def _joint_row(row: dict[str, Any]) -> JointRow:
    pair = row["role"] != SPURIOUS and row["predicted"] is not None
    return JointRow(
        row["role"],
        row["joint"],
        row["type"],
        row["predicted"],
        row["predicted_type"],
        row["predicted_limits"],
        row["why"],
        row["is_mimic"],
        row["is_main"],
        {score.key: _charge(row, score.key) for score in SCORES},
        {name: _errors(row, name) for name in VARIANTS} if pair else {},
    )


def _charge(row: dict[str, Any], key: str) -> Charge:
    value, weld, cost = (_number(row[name]) for name in (key, f"{key}_weld", f"{key}_cost"))
    return Charge(value, weld, cost, row[f"{key}_extra"], row[f"{key}_undefined"] or "")


def _errors(row: dict[str, Any], variant: str) -> Errors:
    values = {one.key: _number(row[f"{variant}_{one.key}"]) for one in COMPONENTS}
    return Errors(values, row[f"{variant}_success"] is True)


def _number(value: float | None) -> float:
    return math.nan if value is None else value
