# SPDX-License-Identifier: Apache-2.0
"""Results with chosen numbers, as ``aa score`` would give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aa_dataset.score.method import Method
from aa_dataset.score.result.record import (
    DatasetFacts,
    Parameters,
    PredictionFacts,
    Result,
    table_of,
)
from aa_dataset.score.result.scores import COMPONENTS, PROTOCOLS, SCORES, TREES, VARIANTS

Row = dict[str, Any]
FACTS = {"category": "cabinet", "supercategory": "Furniture", "source": "generated"}
JOINT = {"joint": "hinge", "type": "revolute", "is_mimic": False, "is_main": True}

INTAKE = {
    "reader": "joints", "reader_reason": "it has a joints.json", "notes": [],
    "registration": "identity", "registration_scale": 1.0, "registration_angle": 0.0,
    "registration_shift": 0.0, "registration_rest": 0, "registration_ambiguous": False,
    "uses_truth": False,
}  # fmt: skip


def paired(object_id: str, protocol: str, **changes: Any) -> Row:
    """Return a row of a truth joint with a partner; every distance 0.5, every error 0."""
    scores = {f"{s.key}{end}": 0.5 for s in SCORES for end in ("", "_cost")}
    weld = {f"{s.key}_weld": 1.0 for s in SCORES}
    extra = {f"{s.key}_extra": 0.0 for s in SCORES}
    errors = {f"{v}_{c.key}": 0.0 for v in VARIANTS for c in COMPONENTS}
    good = {f"{v}_success": True for v in VARIANTS}
    partner = {"predicted": "door", "predicted_type": "revolute", "predicted_limits": "given"}
    base = {"protocol": protocol, "object_id": object_id, "role": "truth", "is_metric": True}
    return {
        **base, **JOINT, **FACTS, **partner, "why": "matched", "rest_offset": None,
        **scores, **weld, **extra, **errors, **good, **changes,
    }  # fmt: skip


def alone(object_id: str, protocol: str, why: str = "absent", **changes: Any) -> Row:
    """Return a row of a truth joint without a partner: every score costs its weld of 1."""
    nothing = {key: None for key in ("predicted", "predicted_type", "predicted_limits")}
    scores: Row = {s.key: None for s in SCORES} | {f"{s.key}_cost": 1.0 for s in SCORES}
    errors = {f"{v}_{c.key}": None for v in VARIANTS for c in COMPONENTS}
    bad = {f"{v}_success": False for v in VARIANTS}
    return paired(object_id, protocol, why=why, **{**nothing, **scores, **errors, **bad, **changes})


def surplus(object_id: str, **changes: Any) -> Row:
    """Return a row of a spurious joint, which costs 0.25 in every score."""
    none = [key for key in ("joint", "type", "predicted_type") if key != "predicted_type"]
    scores: Row = {f"{s.key}{end}": None for s in SCORES for end in ("", "_weld")}
    costs = {f"{s.key}_cost": 0.25 for s in SCORES}
    errors = {f"{v}_{c.key}": None for v in VARIANTS for c in COMPONENTS}
    unknown = {f"{v}_success": None for v in VARIANTS}
    return paired(
        object_id, "all-joints", role="spurious", why="spurious", is_main=False,
        predicted="extra",
        **{**dict.fromkeys(none), **scores, **costs, **errors, **unknown, **changes},
    )  # fmt: skip


def one_object(object_id: str, **changes: Any) -> Row:
    """Return a row of a scored object; every tree distance 0.5, its weld 1."""
    trees: Row = {}
    for tree in TREES:
        ends = ("", "_lower", "_upper", "_cost", "_per_truth_joint", "_per_max_joints")
        trees |= {f"{tree.key}{end}": 0.5 for end in ends}
        trees |= {f"{tree.key}_weld": 1.0, f"{tree.key}_exact": True}
    counts = {"joints": 1, "predicted": 1, "matched": 1, "spurious": 0}
    base = {"object_id": object_id, "is_metric": True, "status": "scored", "detail": ""}
    more = {"main_joint": "hinge", "main_partner": "door", "constant_penalty": 0.5}
    work = {"tree_work": 1, "tree_timed_out": False, "edits": []}
    return {**base, **FACTS, **counts, **more, **work, **INTAKE, **trees, **changes}


def failed(object_id: str, status: str = "missing", **changes: Any) -> Row:
    """Return a row of an object without a valid output: trees cost 1."""
    none = ("main_partner", "constant_penalty", "tree_work", "tree_timed_out", "edits", *INTAKE)
    trees: Row = {}
    for tree in TREES:
        trees |= {f"{tree.key}{end}": None for end in ("", "_lower", "_upper", "_exact")}
        trees |= {f"{tree.key}_{end}": 1.0 for end in ("cost", "per_truth_joint", "per_max_joints")}
    counts = {"predicted": 0, "matched": 0}
    return one_object(
        object_id, status=status, **{**dict.fromkeys(none), **counts, **trees, **changes}
    )


def simple_rows(
    values: Mapping[str, float | None], *, is_metric: bool = True
) -> tuple[list[Row], list[Row]]:
    """Return rows of objects with one joint: all scores have the value, None is missing."""
    joints, objects = [], []
    for name, value in values.items():
        for protocol in PROTOCOLS:
            if value is None:
                joints.append(alone(name, protocol, is_metric=is_metric))
                continue
            scores = {f"{s.key}{end}": value for s in SCORES for end in ("", "_cost")}
            joints.append(paired(name, protocol, is_metric=is_metric, **scores))
        trees = {f"{t.key}{e}": value for t in TREES for e in ("", "_lower", "_upper", "_cost")}
        given = failed(name) if value is None else one_object(name, **trees)
        objects.append(given | {"is_metric": is_metric})
    return joints, objects


def made_result(
    joints: Sequence[Row],
    objects: Sequence[Row],
    *,
    name: str = "method",
    method: Mapping[str, Any] | None = None,
    members: str = "0123456789abcdef",
    **parameters: Any,
) -> Result:
    """Return a result from rows."""
    dataset = DatasetFacts(
        name="library", revision="r", objects=len(objects), expected_objects=19977,
        split="eval200_x", benchmark=None, list=None, members=members,
        member_count=len(objects), by_bytes=None, by_numbers=None,
    )  # fmt: skip
    return Result(
        dataset,
        PredictionFacts(name, ()),
        Parameters(**parameters),
        Method(name, **(method or {})),
        table_of(joints, "per_joint"),
        table_of(objects, "per_object"),
    )
