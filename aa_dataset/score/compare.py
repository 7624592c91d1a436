# SPDX-License-Identifier: Apache-2.0
"""Results of two runs: read from files, and checked for comparability."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_type_hints

from aa_dataset.errors import ArenaError
from aa_dataset.format.benchmark import members_digest
from aa_dataset.score.fields import FieldError, Hints, checked, checked_fields, parse_json
from aa_dataset.score.results import METRIC_VERSION, RESULT_VERSION, Parameters, Result
from aa_dataset.score.rows import (
    SCORES,
    STATUSES,
    WHYS,
    JointScore,
    ObjectScore,
    SpuriousScore,
)

_VERSIONS = {"result_version": RESULT_VERSION, "metric_version": METRIC_VERSION}
# Reasons of `JointScore.undefined` that no prediction can change.
BY_THE_TRUTH = ("unbounded", "no_body", "singular_body")
_PARTS = ("dataset", "predictions", "parameters", "objects", "joints", "spurious")
_PREDICTIONS: Hints = {"label": str, "surplus": list[str]}
_DATASET: Hints = {
    "name": str,
    "revision": str,
    "objects": int,
    "expected_objects": int,
    "split": str,
    "benchmark": str | None,
    "list": str | None,
    "members": str,
    "member_count": int,
    "by_bytes": int | None,
    "by_numbers": int | None,
}


class IncomparableError(ArenaError):
    """Two results have different objects or were scored with different parameters."""


def read_result(path: Path) -> Result:
    """Read a result of `write_result`; every field must be present and have its type."""
    try:
        data = parse_json(path.read_bytes())
        versions = {name: checked(data[name], str, name) for name in _VERSIONS}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArenaError(
            f"{path} is not a result ({error!r}). Write one with `aa score --out`."
        ) from error
    for name, expected in _VERSIONS.items():
        if versions[name] != expected:
            raise ArenaError(
                f"{path} has {name} {versions[name]}, this package has {expected}; their numbers "
                "are not comparable. Score the predictions again."
            )
    try:
        return _result_from_json(data)
    except (ArenaError, FieldError, UnicodeEncodeError) as error:
        problem = str(error).rstrip(".")
        raise ArenaError(
            f"{path} lacks a field or has an invalid value: {problem}. Score the predictions again."
        ) from error


def _result_from_json(data: dict[str, Any]) -> Result:
    if absent := [name for name in _PARTS if name not in data]:
        raise FieldError(f"{absent[0]} is missing")
    dataset = checked_fields(data["dataset"], _DATASET, "dataset")
    if (dataset["benchmark"] is None) != (dataset["list"] is None):
        raise FieldError("only one of dataset.benchmark and dataset.list is null")
    return Result(
        dataset,
        checked_fields(data["predictions"], _PREDICTIONS, "predictions"),
        Parameters(**_fields_of(Parameters, data["parameters"], "parameters")),
        tuple(
            _read_object_score(row, f"objects[{k}]") for k, row in _numbered_rows(data, "objects")
        ),
        tuple(_read_joint_score(row, f"joints[{k}]") for k, row in _numbered_rows(data, "joints")),
        tuple(
            _read_spurious_score(row, f"spurious[{k}]")
            for k, row in _numbered_rows(data, "spurious")
        ),
    )


def _numbered_rows(data: dict[str, Any], name: str) -> Iterable[tuple[int, Any]]:
    return enumerate(checked(data[name], list[Any], name))


def _fields_of(kind: type, row: Any, place: str) -> dict[str, Any]:
    return checked_fields(row, get_type_hints(kind), place)


def _read_object_score(row: Any, place: str) -> ObjectScore:
    score = ObjectScore(**_fields_of(ObjectScore, row, place))
    score.object_id.encode()  # an id with surrogates has no digest
    if score.status not in STATUSES:
        raise FieldError(f"{place}.status is not one of {', '.join(STATUSES)}")
    _require_scores(score.costs, f"{place}.costs")
    return score


def _read_joint_score(row: Any, place: str) -> JointScore:
    score = JointScore(**_fields_of(JointScore, row, place))
    if score.why not in WHYS:
        raise FieldError(f"{place}.why is not one of {', '.join(WHYS)}")
    if (score.predicted is None) != (score.why not in ("matched", "nonfinite")):
        raise FieldError(f"{place} is {score.why} and has the partner {score.predicted!r}")
    _require_scores(score.values, f"{place}.values")
    _require_scores(score.welded, f"{place}.welded")
    _require_costs(score.charged, f"{place}.charged")
    _require_reasons(score, place)
    return score


def _require_reasons(row: JointScore, place: str) -> None:
    """Refuse a joint whose undefined scores do not match its reasons."""
    for key, price in row.welded.items():
        reason = row.undefined.get(key)
        if math.isnan(price) and (reason is None or not math.isnan(row.values[key])):
            raise FieldError(f"{place}.welded.{key} is null, and `undefined` gives no reason")
        if not math.isnan(price) and reason in BY_THE_TRUTH:
            raise FieldError(f"{place}.welded.{key} is a number although {key} is {reason}")
    if wrong := [key for key in row.charged if row.undefined.get(key) != "unbounded"]:
        raise FieldError(f"{place}.charged.{wrong[0]} is not a score of an unbounded joint")


def _read_spurious_score(row: Any, place: str) -> SpuriousScore:
    score = SpuriousScore(**_fields_of(SpuriousScore, row, place))
    _require_scores(score.costs, f"{place}.costs")
    for key, cost in score.costs.items():
        if math.isnan(cost) != (key in score.undefined):
            raise FieldError(f"{place}.costs.{key} and `undefined` do not agree")
    return score


def _require_scores(values: dict[str, float], place: str) -> None:
    keys = [score.key for score in SCORES]
    if sorted(values) != sorted(keys):
        raise FieldError(f"{place} does not have the scores {', '.join(keys)}")
    _require_costs(values, place)


def _require_costs(values: dict[str, float], place: str) -> None:
    """Refuse negative distances; an undefined one is nan."""
    for key, value in values.items():
        if value < 0:
            raise FieldError(f"{place}.{key} is {value:g}; a distance is not negative")


def require_comparable(first: Result, second: Result) -> None:
    """Raise `IncomparableError` unless both results have the same members and parameters.

    Libraries may differ in revision and in other objects. The version of the benchmark, its list,
    the digest of the members and every parameter must be equal, and both results must have one row
    per member.
    """
    for name in ("benchmark", "list", "members", "member_count"):
        if first.dataset[name] != second.dataset[name]:
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
    _require_same_rows(first, second)
    for which, result in (("first", first), ("second", second)):
        _require_members(which, result)
        _require_joints(which, result)
    _require_same_joints(first, second)


def _require_same_rows(first: Result, second: Result) -> None:
    """Refuse results with duplicate objects, or without an object of the other."""
    ours, theirs = (Counter(item.object_id for item in one.objects) for one in (first, second))
    for which, counts in (("first", ours), ("second", theirs)):
        if twice := [object_id for object_id, count in counts.items() if count > 1]:
            raise _inconsistent(which, f"has the object {min(twice)!r} more than once")
    if single := set(ours) ^ set(theirs):
        which = "first" if min(single) in ours else "second"
        raise IncomparableError(
            f"the results are not comparable: only the {which} has the object {min(single)!r}. "
            "Score both predictions again."
        )


def _require_members(which: str, result: Result) -> None:
    """Refuse a result whose rows are not the members that it states.

    The digest covers ids and content digests. For objects of the benchmark the latter is the digest
    of the list, so it can be recomputed; the contents of other objects are not in a result.
    """
    data, ids = result.dataset, [item.object_id for item in result.objects]
    if len(ids) != data["member_count"]:
        raise _inconsistent(
            which, f"has {len(ids)} objects but states {data['member_count']} members"
        )
    if data["list"] is None:
        return
    if members_digest((object_id, data["list"]) for object_id in ids) != data["members"]:
        raise _inconsistent(
            which,
            f"has objects (the first is {min(ids, default='none')!r}) that do not match the digest "
            f"{data['members']} of its members",
        )


def _require_joints(which: str, result: Result) -> None:
    """Refuse a result whose joint rows do not match the counts of its objects."""
    for kind, actual, stated in (
        (
            "joints",
            Counter(joint.object_id for joint in result.joints),
            Counter({item.object_id: item.joints for item in result.objects}),
        ),
        (
            "spurious joints",
            Counter(joint.object_id for joint in result.spurious),
            Counter({item.object_id: len(item.spurious) for item in result.objects}),
        ),
    ):
        if actual != stated:  # counters treat an absent name as 0
            first = min(key for key in {*actual, *stated} if actual[key] != stated[key])
            problem = f"has {actual[first]} {kind} of {first!r} but states {stated[first]}"
            raise _inconsistent(which, problem)


def _require_same_joints(first: Result, second: Result) -> None:
    """Refuse results whose truth joints, or their costs as welds, differ."""
    ours, theirs = ({(j.object_id, j.joint): j for j in one.joints} for one in (first, second))
    if single := ours.keys() ^ theirs.keys():
        object_id, joint = min(single)
        which = "first" if (object_id, joint) in ours else "second"
        raise IncomparableError(
            f"the results are not comparable: only the {which} has the joint {joint!r} of "
            f"{object_id!r}. Score both predictions again."
        )
    for (object_id, joint), row in ours.items():
        if _truth_of(row) != _truth_of(theirs[object_id, joint]):
            raise IncomparableError(
                f"the results are not comparable: the joint {joint!r} of {object_id!r} has a "
                "different type, scale or cost as a weld. Score both predictions again."
            )


def _truth_of(row: JointScore) -> tuple[Any, ...]:
    """Return the ground-truth part of a row; nan becomes None, which equals itself."""
    prices = {key: None if math.isnan(price) else price for key, price in row.welded.items()}
    reasons = {key: row.undefined[key] for key, price in prices.items() if price is None}
    return row.type, row.is_metric, row.is_mimic, prices, reasons


def _inconsistent(which: str, problem: str) -> IncomparableError:
    return IncomparableError(
        f"the results are not comparable: the {which} {problem}. Score its predictions again."
    )


def _describe_objects(result: Result) -> str:
    """Describe the objects that a result was scored on."""
    data = result.dataset
    split = f"{data['split']} (not a benchmark version)"
    version = f"{data['benchmark']}, list {data['list']}" if data["benchmark"] else split
    return f"{version}, {data['member_count']} members {data['members']}"
