# SPDX-License-Identifier: Apache-2.0
"""A scoring run as text for a terminal of 80 columns."""

from __future__ import annotations

import math
import textwrap

from aa_dataset.score.accounting import Aggregate
from aa_dataset.score.results import FRAME, METRIC_VERSION, Parameters, Result
from aa_dataset.score.rows import SCORES, ObjectScore

WIDTH = 80
_SYMBOLS = {score.key: score.symbol for score in SCORES}
_PAIRINGS = {"tree": "exact tree matching", "assignment": "assignment without trees"}
_MOST_LINES = 10
_RULE = (
    "A truth joint without a usable partner costs what welding it costs, spurious joints cost "
    "their motion, and the sum is divided by the truth joints (docs/scoring.md)."
)


def report_lines(result: Result, *, objects: bool = False) -> list[str]:
    """Return the report: dataset, parameters, counts, means and optionally every object."""
    lines = [*_header_lines(result), "", *_count_lines(result), "", *_mean_lines(result)]
    if objects:
        lines += ["", *_object_lines(result)]
    troubled = [item for item in result.objects if item.status == "unreadable"]
    if troubled:
        lines += ["", "unreadable predictions"]
        for item in troubled[:_MOST_LINES]:
            lines += _wrap(f"{item.object_id}: {item.detail}", "  ", "    ")
    if len(troubled) > _MOST_LINES:
        lines.append(f"  and {len(troubled) - _MOST_LINES} more; --out writes all.")
    return lines


def _wrap(text: str, first: str, rest: str) -> list[str]:
    """Wrap a text to `WIDTH` columns."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    ) or [first]


def _named_lines(name: str, text: str) -> list[str]:
    return _wrap(text, f"{name:<12} ", " " * 13)


def _header_lines(result: Result) -> list[str]:
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
        ("benchmark", f"{_version_text(result)}; members {data['members']}"),
        ("metric", f"version {METRIC_VERSION}, alpha = {how.alpha:g} /m, kappa = {kappa}"),
        ("pairing", f"{_PAIRINGS[how.pairing]} on E_alpha^phi"),
        ("limit", _limit_text(how)),
        ("frame", FRAME),
        ("", f"registration {how.registration}, anchor {how.anchor} (q = 0 on both sides)"),
    )
    return [line for name, text in rows for line in _named_lines(name, text)]


def _limit_text(how: Parameters) -> str:
    steps = f"{how.budget:,} steps of work per object"
    if how.time_limit_s is None:
        return steps
    return f"{steps}, and {how.time_limit_s:g} s of wall time: scores depend on this machine"


def _count_lines(result: Result) -> list[str]:
    joints = result.joint_counts()
    lines = _named_lines(
        "objects",
        f"{result.count('scored')} valid of {len(result.objects)} "
        f"(Gen {result.generated_percent:.1f} %), {result.count('missing')} without a prediction, "
        f"{result.count('unreadable')} unreadable, {result.count('motionless')} without motion",
    )
    lines += _named_lines(
        "joints",
        f"{joints['matched']} matched of {joints['ground_truth']}, {joints['unmatched']} "
        f"unmatched, {joints['nonfinite']} nonfinite, {joints['absent']} absent, "
        f"{joints['unreadable']} unreadable; {joints['spurious']} spurious, "
        f"{joints['mimic']} mimic",
    )
    surplus = result.predictions.get("surplus", [])
    if surplus:
        lines += _named_lines(
            "ignored",
            f"{len(surplus)} predictions of no object in the split, such as {surplus[0][:60]}",
        )
    return lines


def _mean_lines(result: Result) -> list[str]:
    rows = list(result.aggregates())
    if result.parameters.pairing == "tree":
        rows.append(result.tree_aggregate())
    lines = [
        f"{'':<20} {'every truth joint of the split':>31}   {'matched joints alone':>24}",
        f"{'score':<12} {'objects':<7} {'per joint':>11} {'of objects':>11} {'count':>7}   "
        f"{'mean':>11} {'coverage':>12}",
        *map(_mean_line, rows),
        *(line for row in rows for line in _charge_notes(row)),
    ]
    return [*lines, *_wrap(_RULE, "", "")]


def _mean_line(row: Aggregate) -> str:
    """Return one score: the headline, then the conditional mean with its coverage."""
    part, whole = row.conditional, row.score not in _SYMBOLS  # trees have no value per joint
    pooled = "" if whole else _format_number(row.mean_over_joints)
    count, mean, covered, of = (
        (row.objects, part.mean_of_objects, part.objects, part.of_objects)
        if whole
        else (row.joints, part.mean_over_joints, part.joints, part.of_joints)
    )
    return (
        f"{_score_symbol(row):<12} {row.group:<7} {pooled:>11} "
        f"{_format_number(row.mean_of_objects):>11} "
        f"{count:>7}   {_format_number(mean):>11} {f'{covered} of {of}':>12}"
    )


def _score_symbol(row: Aggregate) -> str:
    unit = f" [{row.unit}]" if row.unit else ""
    return _SYMBOLS.get(row.score, "E^phi tree") + unit


def _charge_notes(row: Aggregate) -> list[str]:
    """Return the joints that were charged as welded or excluded from the score, if any."""
    notes = []
    if row.welded:
        notes.append(f"welded: {_list_counts(row.welded)}")
    if row.spurious_cost > 0:
        notes.append(f"{row.spurious} spurious add {_format_number(row.spurious_cost)}")
    if row.undefined:
        notes.append(f"undefined: {_list_counts(row.undefined)}")
    return (
        _wrap("; ".join(notes), f"  {_score_symbol(row)}, {row.group}: ", "    ") if notes else []
    )


def _list_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _object_lines(result: Result) -> list[str]:
    header = f"{'costs per joint':<29} {'matched':>10} " + " ".join(
        f"{symbol:>9}" for symbol in ("E_alpha", "E_a^phi", "E_B", "E_B^phi")
    )
    return [header, *(_object_line(item) for item in result.objects)]


def _object_line(item: ObjectScore) -> str:
    name = item.object_id if len(item.object_id) <= 29 else item.object_id[:28] + "…"
    state = f"{item.matched}/{item.joints}" if item.status == "scored" else item.status
    numbers = " ".join(f"{_format_number(item.costs[score.key], 4):>9}" for score in SCORES)
    return f"{name:<29} {state:>10} {numbers}"


def _format_number(value: float, digits: int = 6) -> str:
    return "undefined" if math.isnan(value) else f"{value:.{digits}g}"


def _version_text(result: Result) -> str:
    """Return the benchmark version and how its objects were identified."""
    data = result.dataset
    if data["benchmark"] is None:
        return "none, compare only on these members"
    proof = f"by bytes: {data['by_bytes']:,}, by numbers: {data['by_numbers']:,}"
    return f"{data['benchmark']}, agrees {proof}"
