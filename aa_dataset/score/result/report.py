# SPDX-License-Identifier: Apache-2.0
"""A scoring run as text for a terminal of 80 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

from aa_dataset.score.parameters import METRIC_VERSION, Parameters
from aa_dataset.score.result.intake_report import intake_lines
from aa_dataset.score.result.record import Result
from aa_dataset.score.result.resampling import Aggregate
from aa_dataset.score.result.scores import ALL_JOINTS, PROTOCOLS, SCORES, TREES, VARIANTS, Score
from aa_dataset.score.result.statistics import (
    ALL,
    HEADLINE,
    MATCHED,
    MAX_SHARE,
    MEDIAN,
    METRIC,
    OF_OBJECTS,
    OTHER,
    RATE,
    SHARE,
    TRUTH_SHARE,
    object_means,
)
from aa_dataset.score.result.summary import Charge, Group, Summary
from aa_dataset.score.result.warnings import warnings_of

WIDTH = 80
_PAIRINGS = {
    "tree": "exact tree matching on E_alpha^phi",
    "assignment": "assignment on E_alpha^phi, without trees",
    "name": "equal names",
    "geometry": "assignment on the centers of what the joints move",
}
_MOST_LINES = 10
_RULE = (
    "A truth joint without a usable partner costs what welding it costs, spurious joints cost "
    "their motion, and the sum is divided by the truth joints (docs/scoring.md)."
)
_PENALTY = Score("constant_penalty", "D_1 (no metric)", "")
Lines = list[str]


def report_lines(result: Result, *, objects: bool = False) -> Lines:
    """Return the report: dataset, parameters, counts, means and optionally every object."""
    summary = result.summary
    lines = [*_header_lines(result), "", *_count_lines(result)]
    for protocol in PROTOCOLS:
        for scale in _scales(summary):
            lines += ["", *_score_lines(summary, protocol, scale)]
            lines += ["", *_component_lines(summary, protocol, scale)]
    for scale in _scales(summary):
        lines += ["", *_tree_lines(summary, scale)]
    lines += ["", *_wrap(_RULE, "", "")]
    for by in result.by:
        lines += ["", *_group_lines([group for group in summary.groups if group.by == by])]
    if objects:
        lines += ["", *_object_lines(result)]
    return lines + _warning_lines(result)


def _scales(summary: Summary) -> list[str]:
    found = {one.label.scale for one in summary.aggregates}
    return [scale for scale in (METRIC, OTHER) if scale in found]


def _wrap(text: str, first: str, rest: str) -> Lines:
    """Wrap a text to `WIDTH` columns."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    ) or [first]


def _named_lines(name: str, text: str) -> Lines:
    return _wrap(text, f"{name:<12} ", " " * 13)


def _header_lines(result: Result) -> Lines:
    data, how = result.dataset, result.parameters
    kappa = "pi" if how.kappa == math.pi else f"{how.kappa:g}"
    rows = (
        ("method", result.method.marked_name),
        ("predictions", result.predictions.label),
        (
            "dataset",
            f"{data.name} revision {data.revision}, "
            f"{data.objects:,} of {data.expected_objects:,} objects",
        ),
        ("split", f"{data.split}, {len(result.arrays):,} objects"),
        ("benchmark", f"{_version_text(result)}; members {data.members}"),
        ("metric", f"version {METRIC_VERSION}, alpha = {how.alpha:g} /m, kappa = {kappa}"),
        ("pairing", _PAIRINGS[how.pairing]),
        ("limits", _imputation_text(how)),
        ("search", _budget_text(how)),
        ("intervals", f"{100 * how.level:g} %, {how.resamples:,} resamples of the objects"),
        *intake_lines(result.summary.intake, how),
    )
    return [line for name, text in rows for line in _named_lines(name, text)]


def _imputation_text(how: Parameters) -> str:
    if how.impute_limits == "truth":
        return "absent limits take the range of the partner, so the method has a dagger"
    return "absent limits stay absent: unbounded guesses"


def _budget_text(how: Parameters) -> str:
    steps = f"{how.budget:,} steps of work per tree"
    if how.time_limit_s is None:
        return steps
    return f"{steps}, and {how.time_limit_s:g} s of wall time: scores depend on this machine"


def _count_lines(result: Result) -> Lines:
    counts, joints = result.summary.counts, result.joint_counts()
    share = result.summary.find("scored", SHARE)
    lines = _named_lines(
        "objects",
        f"{counts['scored']} valid of {counts['objects']} "
        f"(Gen {result.generated_percent:.1f} % {_percent_interval(share)}), "
        f"{counts['missing']} missing, {counts['unreadable']} unreadable, "
        f"{counts['motionless']} without any moving joint",
    )
    lines += _named_lines(
        "joints",
        f"{joints['matched']} matched of {joints['ground_truth']}, {joints['unmatched']} "
        f"unmatched, {joints['nonfinite']} nonfinite, {joints['absent']} absent, "
        f"{joints['unreadable']} unreadable; {joints['spurious']} spurious, "
        f"{joints['mimic']} mimic",
    )
    if joints["limits_absent"] or joints["limits_imputed"]:
        text = f"{joints['limits_absent']} without limits, {joints['limits_imputed']} imputed"
        lines += _named_lines("", text)
    return lines


def _score_lines(summary: Summary, protocol: str, scale: str) -> Lines:
    """Return the distances of one protocol: headline, other means, matched joints alone."""
    lines = [
        f"{f'{protocol}, {scale} objects':<34}{'every truth joint':>28}{'matched alone':>18}",
        f"{'score':<12} {'joints':>8} {'interval':>18} {'objects':>8} {'median':>8} "
        f"{'mean':>8} {'coverage':>12}",
    ]
    for score in SCORES:
        parts = [
            summary.find(score.key, name, protocol=protocol, scale=scale)
            for name in (HEADLINE, OF_OBJECTS, MEDIAN, MATCHED)
        ]
        lines.append(_score_line(score, parts))
    notes = [one for one in summary.charges if (one.protocol, one.scale) == (protocol, scale)]
    return lines + [line for one in notes for line in _charge_notes(one)]


def _score_line(score: Score, parts: Sequence[Aggregate | None]) -> str:
    head, objects, median, matched = parts
    covered = "" if matched is None else f"{matched.values} of {matched.of}"
    return (
        f"{_symbol(score):<12} {_value(head):>8} {_interval(head):>18} {_value(objects):>8} "
        f"{_value(median):>8} {_value(matched):>8} {covered:>12}"
    )


def _symbol(score: Score) -> str:
    return f"{score.symbol} [{score.unit}]" if score.unit else score.symbol


def _component_lines(summary: Summary, protocol: str, scale: str) -> Lines:
    """Return the errors of the older protocol over pairs, and the success over all joints."""
    lines = [
        f"{protocol + ' pairs':<16} {'type':>5} {'axis':>7} {'origin':>7} {'turn':>7} "
        f"{'slide':>7} {'direct.':>7} {'success of all':>17}",
        f"{'':<16} {'%':>5} {'rad':>7} {'m':>7} {'rad':>7} {'m':>7} {'':>7} {'%':>17}",
    ]
    for variant in VARIANTS:
        cells = [
            _value(_component(summary, protocol, scale, f"{variant}_{name}", unit), 7)
            for name, unit in (
                ("axis_error", "rad"),
                ("origin_error", "m"),
                ("range_error", "rad"),
                ("range_error", "m"),
                ("direction_error", ""),
            )
        ]
        wrong = summary.find(f"{variant}_type_error", MATCHED, protocol=protocol)
        rate = summary.find(f"{variant}_success", RATE, protocol=protocol)
        numbers = " ".join(f"{cell:>7}" for cell in cells)
        success = f"{_percent(rate)} {_percent_interval(rate)}"
        lines.append(f"{variant:<16} {_percent(wrong):>5} {numbers} {success:>17}")
    return lines + _strict_note(summary, protocol, scale)


def _component(
    summary: Summary, protocol: str, scale: str, column: str, unit: str
) -> Aggregate | None:
    for one in summary.aggregates:
        label = one.label
        found = (label.protocol, label.score, label.unit) == (protocol, column, unit)
        if found and label.scale in (scale, ALL):
            return one
    return None


def _strict_note(summary: Summary, protocol: str, scale: str) -> Lines:
    """Say for how many pairs the formulas of the strict variant are 0/0."""
    origin = _component(summary, protocol, scale, "strict_origin_error", "m")
    if origin is None or origin.values == origin.of:
        return []
    text = (
        f"strict: the origin error of {origin.of - origin.values} of {origin.of} pairs is 0/0, "
        "because their axes are parallel or a joint is fixed, and such a pair fails even if it "
        "is the truth itself."
    )
    return _wrap(text, "  ", "    ")


def _tree_lines(summary: Summary, scale: str) -> Lines:
    lines = [
        f"{f'trees, {scale} objects':<34}{'every object of the split':>28}{'valid alone':>18}",
        f"{'score':<16} {'mean':>8} {'interval':>18} {'median':>8} {'/joint':>8} {'/max':>7} "
        f"{'mean':>9}",
    ]
    for score in (*TREES, _PENALTY):
        mean, median, joint, larger, matched = (
            summary.find(score.key, name, scale=scale)
            for name in (OF_OBJECTS, MEDIAN, TRUTH_SHARE, MAX_SHARE, MATCHED)
        )
        lines.append(
            f"{score.symbol:<16} {_value(mean):>8} {_interval(mean):>18} {_value(median):>8} "
            f"{_value(joint):>8} {_value(larger, 7):>7} {_value(matched):>9}"
        )
    notes = [f"{count} {name}" for name, count in summary.tree_counts.items() if count]
    return lines + (_wrap(", ".join(notes), "  ", "    ") if notes else [])


def _charge_notes(row: Charge) -> Lines:
    """Return the joints that were charged as welded or excluded from the score, if any."""
    notes = []
    if row.welded:
        notes.append(f"welded: {_list_counts(row.welded)}")
    if row.spurious_cost > 0:
        notes.append(f"{row.spurious} spurious add {row.spurious_cost:.4g}")
    if row.undefined:
        notes.append(f"undefined: {_list_counts(row.undefined)}")
    symbol = next(score.symbol for score in SCORES if score.key == row.score)
    return _wrap("; ".join(notes), f"  {symbol}: ", "    ") if notes else []


def _list_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _group_lines(groups: Sequence[Group]) -> Lines:
    """Return a breakdown; groups of few objects are named without a mean."""
    if not groups:
        return []
    lines = [
        f"{f'by {groups[0].by}':<20} {'objects':>7} {'joints':>6} {'E_alpha^phi':>11} "
        f"{'interval':>18} {'success %':>13}"
    ]
    small = []
    for group in groups:
        if group.aggregates is None:
            small.append(f"{group.name} ({group.objects})")
            continue
        for head, rate in _group_numbers(group.aggregates):
            name = group.name if head.label.scale == METRIC else f"{group.name}, other"
            lines.append(
                f"{_cut(name, 20):<20} {group.objects:>7} {group.joints:>6} {_value(head):>11} "
                f"{_interval(head):>18} {_percent(rate):>13}"
            )
    if small:
        lines += _wrap(f"too few objects for a mean: {', '.join(small)}", "  ", "    ")
    return lines


def _group_numbers(rows: Sequence[Aggregate]) -> list[tuple[Aggregate, Aggregate | None]]:
    """Return the headline of a group per scale, with the rate of success."""
    ours = [one for one in rows if one.label.protocol == ALL_JOINTS]
    rates = [one for one in ours if one.label.score == "parallel_safe_success"]
    heads = [
        one for one in ours if (one.label.score, one.label.statistic) == ("e_alpha_phi", HEADLINE)
    ]
    rate = next((one for one in rates if one.label.statistic == RATE), None)
    return [(head, rate) for head in heads]


def _object_lines(result: Result) -> Lines:
    """Return one line per object: its state, and its headline in every distance."""
    symbols = " ".join(f"{name:>9}" for name in ("E_alpha", "E_a^phi", "E_B", "E_B^phi"))
    arrays = result.arrays
    rows = arrays.joints_with("protocol", ALL_JOINTS)
    means = [object_means(arrays, rows, score).tolist() for score in SCORES[:4]]
    lines = [f"{'costs per joint':<29} {'matched':>10} {symbols}"]
    for k, item in enumerate(result.per_object.to_pylist()):
        scored = item["status"] == "scored"
        state = f"{item['matched']}/{item['joints']}" if scored else item["status"]
        numbers = " ".join(f"{fitted(mean[k], 9):>9}" for mean in means)
        lines.append(f"{_cut(item['object_id'], 29):<29} {state:>10} {numbers}")
    return lines


def _warning_lines(result: Result) -> Lines:
    lines: Lines = []
    for line in warnings_of(result):
        lines += _wrap(f"warning: {line}", "", "  ")
    broken = [
        item
        for item in result.per_object.select(["object_id", "status", "detail"]).to_pylist()
        if item["status"] == "unreadable"
    ]
    for item in broken[:_MOST_LINES]:
        lines += _wrap(f"{item['object_id']}: {item['detail']}", "  ", "    ")
    if len(broken) > _MOST_LINES:
        lines.append(f"  and {len(broken) - _MOST_LINES} more; --out writes all.")
    return ["", *lines] if lines else []


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def fitted(value: float, width: int) -> str:
    """Return a number with up to four digits, fewer where a column is too narrow for them."""
    if math.isnan(value):
        return "none"
    shown = [f"{value:.{digits}g}" for digits in (4, 3, 2, 1)]
    return next((text for text in shown if len(text) <= width), shown[-1])


def _value(one: Aggregate | None, width: int = 8) -> str:
    return "" if one is None else fitted(one.estimate, width)


def _percent(one: Aggregate | None) -> str:
    return "" if one is None or math.isnan(one.estimate) else f"{100 * one.estimate:.3g}"


def _interval(one: Aggregate | None) -> str:
    """Return an interval in 18 columns."""
    if one is None or math.isnan(one.low):
        return ""
    return f"[{fitted(one.low, 7)}, {fitted(one.high, 7)}]"


def _percent_interval(one: Aggregate | None) -> str:
    """Return the interval of a share in percent."""
    if one is None or math.isnan(one.low):
        return ""
    return f"[{100 * one.low:.3g}, {100 * one.high:.3g}]"


def _version_text(result: Result) -> str:
    """Return the benchmark version and how its objects were identified."""
    data = result.dataset
    if data.benchmark is None:
        return "none, compare only on these members"
    proof = f"by bytes: {data.by_bytes:,}, by numbers: {data.by_numbers:,}"
    return f"{data.benchmark}, agrees {proof}"
