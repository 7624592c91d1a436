# SPDX-License-Identifier: Apache-2.0
"""A scoring run as text for a terminal of 100 columns."""

from __future__ import annotations

import math

from aa_dataset.score.results import (
    FRAME,
    METRIC_VERSION,
    SCORES,
    Aggregate,
    ObjectScore,
    Parameters,
    Result,
)

_SYMBOLS = {score.key: score.symbol for score in SCORES}
_PAIRINGS = {"tree": "exact tree matching", "assignment": "assignment without trees"}
_MOST_LINES = 10


def report_lines(result: Result, *, objects: bool = False) -> list[str]:
    """Return the report: what was scored and how, counts, means; on request every object."""
    lines = [*_header(result), "", *_counts(result), "", *_means(result)]
    if objects:
        lines += ["", *_objects(result)]
    troubled = [item for item in result.objects if item.status == "unreadable"]
    if troubled:
        lines += ["", "unreadable predictions"]
        lines += [f"  {item.object_id}: {item.detail}" for item in troubled[:_MOST_LINES]]
    if len(troubled) > _MOST_LINES:
        lines.append(f"  and {len(troubled) - _MOST_LINES} more; --out writes all.")
    return lines


def _header(result: Result) -> list[str]:
    data, how = result.dataset, result.parameters
    kappa = "pi" if how.kappa == math.pi else f"{how.kappa:g}"
    rows = (
        ("predictions", result.predictions["label"]),
        (
            "dataset",
            f"{data['name']} revision {data['revision']}, "
            f"{data['objects']:,} of {data['expected_objects']:,} objects",
        ),
        ("split", f"{data['split']}, {len(result.objects):,} objects"),
        ("benchmark", f"{_version(result)}; members {data['members']}"),
        ("metric", f"version {METRIC_VERSION}, alpha = {how.alpha:g} /m, kappa = {kappa}"),
        ("pairing", f"{_PAIRINGS[how.pairing]} on E_alpha^phi"),
        ("limit", _limit(how)),
        ("frame", FRAME),
        ("", f"registration {how.registration}, anchor {how.anchor} (q = 0 on both sides)"),
    )
    return [f"{name:<12} {text}" for name, text in rows]


def _limit(how: Parameters) -> str:
    steps = f"{how.budget:,} steps of work per object"
    if how.time_limit_s is None:
        return steps
    return f"{steps}, and {how.time_limit_s:g} s of wall time: scores depend on this machine"


def _counts(result: Result) -> list[str]:
    joints = result.joint_counts()
    lines = [
        f"{'objects':<12} {result.count('scored')} scored of {len(result.objects)} "
        f"(Gen {result.generated_percent:.1f} %), {result.count('missing')} without a prediction, "
        f"{result.count('unreadable')} unreadable",
        f"{'joints':<12} {joints['matched']} matched of {joints['ground_truth']}, "
        f"{joints['missing']} missing, {joints['spurious']} spurious, {joints['mimic']} mimic",
    ]
    surplus = result.predictions.get("surplus", [])
    if surplus:
        lines.append(
            f"{'ignored':<12} {len(surplus)} predictions of no object in the split, "
            f"such as {surplus[0]}"
        )
    return lines


def _means(result: Result) -> list[str]:
    header = (
        f"{'score':<12} {'objects':<8} {'mean over joints':>17} {'joints':>7} "
        f"{'mean of objects':>17} {'objects':>8}  undefined"
    )
    lines = [header, *(_mean_line(row) for row in result.aggregates())]
    tree = result.tree_aggregate()
    if tree.objects:
        lines.append(_mean_line(tree))
    return lines


def _mean_line(row: Aggregate) -> str:
    unit = f" [{row.unit}]" if row.unit else ""
    undefined = ", ".join(f"{name} {count}" for name, count in row.undefined.items()) or "0"
    whole = row.score not in _SYMBOLS  # a score of trees has no value per joint
    joints = "" if whole else str(row.joints)
    pooled = "" if whole else _number(row.mean_over_joints)
    return (
        f"{_SYMBOLS.get(row.score, 'E^phi tree') + unit:<12} {row.group:<8} {pooled:>17} "
        f"{joints:>7} {_number(row.mean_of_objects):>17} {row.objects:>8}  {undefined}"
    )


def _objects(result: Result) -> list[str]:
    header = f"{'object':<36} {'joints':>7} " + " ".join(f"{s.symbol:>12}" for s in SCORES)
    return [header, *(_object_line(item) for item in result.objects)]


def _object_line(item: ObjectScore) -> str:
    name = item.object_id if len(item.object_id) <= 36 else item.object_id[:35] + "…"
    if item.status != "scored":
        return f"{name:<36} {item.status:>7}"
    numbers = " ".join(f"{_number(item.means[score.key]):>12}" for score in SCORES)
    return f"{name:<36} {f'{item.matched}/{item.joints}':>7} {numbers}"


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.6g}"


def _version(result: Result) -> str:
    """Return the version of the benchmark, and how its objects were recognized."""
    data = result.dataset
    if data["benchmark"] is None:
        return "none, compare on these members alone"
    proof = f"by bytes: {data['by_bytes']:,}, by numbers: {data['by_numbers']:,}"
    return f"{data['benchmark']}, agrees {proof}"
