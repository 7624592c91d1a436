# SPDX-License-Identifier: Apache-2.0
"""Whether two results may be compared: the same objects, the same truth, the same parameters."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pyarrow as pa

from aa_dataset.errors import ArenaError
from aa_dataset.format.benchmark import members_digest
from aa_dataset.score.result.record import Result
from aa_dataset.score.result.scores import SCORES, TREES, TRUTH

# What the ground truth and the parameters decide, whatever is predicted.
_JOINT_KEY = ("protocol", "object_id", "joint")
_JOINT_FACTS = ("type", "is_metric", "is_mimic", "is_main", *(f"{s.key}_weld" for s in SCORES))
_OBJECT_FACTS = (
    "category",
    "supercategory",
    "source",
    "is_metric",
    "joints",
    "main_joint",
    *(f"{tree.key}_{end}" for tree in TREES for end in ("weld", "undefined")),
)
Key = tuple[Any, ...]


class IncomparableError(ArenaError):
    """Two results have different objects or were scored with different parameters."""


def require_comparable(first: Result, second: Result) -> None:
    """Raise `IncomparableError` unless both results have the same members and parameters.

    Libraries may differ in revision and in other objects. The version of the benchmark, its list,
    the digest of the members and every parameter must be equal, and both results must have the same
    truth: the same joints with the same costs as welds.
    """
    for name in ("benchmark", "list", "members", "member_count"):
        if getattr(first.dataset, name) != getattr(second.dataset, name):
            raise IncomparableError(
                "the results have different objects and are not comparable: "
                f"{_describe_objects(first)} and {_describe_objects(second)}. "
                "Score both on one version of the benchmark."
            )
    ours, theirs = asdict(first.parameters), asdict(second.parameters)
    for name, value in ours.items():
        if value != theirs[name]:
            raise IncomparableError(
                f"the results are not comparable: {name} is {value} in the first and "
                f"{theirs[name]} in the second. Score both with the same options."
            )
    for which, result in (("first", first), ("second", second)):
        _require_members(which, result)
    _require_same("object", _truth_objects(first), _truth_objects(second))
    _require_same("joint", _truth_joints(first), _truth_joints(second))


def _truth_objects(result: Result) -> dict[Key, Key]:
    return _facts(result.per_object, ("object_id",), _OBJECT_FACTS)


def _truth_joints(result: Result) -> dict[Key, Key]:
    rows = result.per_joint.filter(result.arrays.joints_with("role", TRUTH))
    return _facts(rows, _JOINT_KEY, _JOINT_FACTS)


def _facts(table: pa.Table, key: Key, facts: Key) -> dict[Key, Key]:
    columns = [table[name].to_pylist() for name in (*key, *facts)]
    return {row[: len(key)]: row[len(key) :] for row in zip(*columns, strict=True)}


def _require_same(kind: str, ours: dict[Key, Key], theirs: dict[Key, Key]) -> None:
    """Refuse results with a row that the other lacks, or with different facts of the truth."""
    if single := sorted(set(ours) ^ set(theirs)):
        which = "first" if single[0] in ours else "second"
        raise IncomparableError(
            f"the results are not comparable: only the {which} has the {kind} "
            f"{_named(single[0])}. Score both predictions again."
        )
    for key, facts in ours.items():
        if facts != theirs[key]:
            raise IncomparableError(
                f"the results are not comparable: the {kind} {_named(key)} has a different type, "
                "scale or cost as a weld. Score both predictions again."
            )


def _named(key: Key) -> str:
    """Name a row: an object, or a joint of an object in a protocol."""
    if len(key) == 1:
        return repr(key[0])
    return f"{key[2]!r} of {key[1]!r} in {key[0]}"


def _require_members(which: str, result: Result) -> None:
    """Refuse a result whose rows are not the members that it states.

    The digest covers ids and content digests. For objects of the benchmark the latter is the digest
    of the list, so it can be recomputed; the contents of other objects are not in a result.
    """
    data, ids = result.dataset, result.per_object["object_id"].to_pylist()
    if len(ids) != data.member_count:
        raise _inconsistent(which, f"has {len(ids)} objects but states {data.member_count} members")
    if data.list is None:
        return
    if members_digest((object_id, data.list) for object_id in ids) != data.members:
        raise _inconsistent(
            which,
            f"has objects (the first is {min(ids, default='none')!r}) that do not match the digest "
            f"{data.members} of its members",
        )


def _inconsistent(which: str, problem: str) -> IncomparableError:
    return IncomparableError(
        f"the results are not comparable: the {which} {problem}. Score its predictions again."
    )


def _describe_objects(result: Result) -> str:
    """Describe the objects that a result was scored on."""
    data = result.dataset
    split = f"{data.split} (not a benchmark version)"
    version = f"{data.benchmark}, list {data.list}" if data.benchmark else split
    return f"{version}, {data.member_count} members {data.members}"
