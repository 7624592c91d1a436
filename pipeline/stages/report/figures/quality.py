# SPDX-License-Identifier: Apache-2.0
"""Figures about the work: methods of inertia, findings and rejects, the split, costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.stages.report.figures.canvas import (
    BLUE,
    DIM,
    ORANGE,
    PALE,
    SKY,
    Look,
    drawn,
    looks,
    name_rows,
    plain_powers,
    say_instead,
    stacked_bars,
    write_ends,
)
from pipeline.stages.report.figures.figure import Figure
from pipeline.stages.report.numbers.composition import objects_by_source
from pipeline.stages.report.numbers.counting import CrossCount
from pipeline.stages.report.numbers.quality import (
    Coverage,
    InertiaMethods,
    findings_by_code,
    inertia_methods,
    rejects_by_code,
    split_coverage,
    stage_costs,
)
from pipeline.stages.report.tables import LibraryTables, StageCost

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

ROW = 0.24  # inch of a horizontal bar
_GIBIBYTE = 2**30


def inertia_figure(tables: LibraryTables) -> Figure:
    """Return the links by the method of their inertial, with its error."""
    found = inertia_methods(tables)
    caption = (
        "Links by the method that gave mass, center and inertia, and the estimated relative error "
        "of each method: the middle 90 % of its links (bar), the middle half (thick bar), the "
        "median (mark) and the largest (dot). Errors below 1e-9 are drawn there."
    )
    height = 0.9 + 1.4 * ROW * max(len(found.methods), 1)
    svg = drawn(7.5, height, lambda sheet: _paint_inertia(sheet, found))
    return Figure("inertia", "Methods of inertia", caption, svg)


def findings_figure(tables: LibraryTables) -> Figure:
    """Return findings and rejects by code and source."""
    findings, rejects = findings_by_code(tables), rejects_by_code(tables)
    known = objects_by_source(tables).columns
    seen = looks([*known, *(name for name in rejects.columns if name not in known)])
    caption = (
        f"{int(findings.totals.sum()):,} findings about objects of the library by code, and "
        f"{int(rejects.totals.sum()):,} rejects by stage and reason; colors are sources."
    )
    rows = max(len(findings.rows), 2) + max(len(rejects.rows), 2)
    svg = drawn(
        7.5, 2.0 + ROW * rows, lambda sheet: _paint_findings(sheet, findings, rejects, seen)
    )
    return Figure("findings", "Findings and rejects", caption, svg)


def coverage_figure(tables: LibraryTables) -> Figure:
    """Return what the evaluation split covers."""
    found = split_coverage(tables)
    covered, known = sum(found.categories), sum(found.of_categories)
    caption = (
        f"The split {found.split}: {sum(found.objects):,} objects by supercategory, and its "
        f"categories (dark) of those of the library (pale): {covered:,} of {known:,}."
        if found.split
        else "The library has no evaluation split."
    )
    height = 1.0 + ROW * max(len(found.groups), 3)
    svg = drawn(7.5, height, lambda sheet: _paint_coverage(sheet, found))
    return Figure("coverage", "Coverage of the split", caption, svg)


def costs_figure(tables: LibraryTables) -> Figure:
    """Return seconds and peak memory per stage."""
    found = stage_costs(tables)
    caption = (
        "Seconds of all jobs of a stage (from start to end, and of the processor), and the memory "
        "of its largest job. Snakemake looks every five seconds, so of shorter jobs the processor "
        "and the memory are seen only in part or not at all. A job that was not run again counts "
        "as it was measured then."
    )
    height = 1.3 + 1.5 * ROW * max(len(found), 2)
    svg = drawn(7.5, height, lambda sheet: _paint_costs(sheet, found))
    return Figure("costs", "Time and memory", caption, svg)


def _paint_inertia(sheet: Sheet, found: InertiaMethods) -> None:
    left, right = sheet.subplots(1, 2)
    if not found.methods:
        say_instead(left, "no links")
        return say_instead(right, "")
    rows = range(len(found.methods))
    left.barh(rows, found.links, color=BLUE, height=0.7)
    name_rows(left, found.methods)
    write_ends(left, found.links)
    left.set_xlabel("links")
    _paint_errors(right, found)


def _paint_errors(axes: Axes, found: InertiaMethods) -> None:
    rows = range(len(found.methods))
    low, quarter, middle, three, high, most = found.errors.T.clip(1e-9)
    axes.hlines(rows, low, high, color=SKY, linewidth=4)
    axes.hlines(rows, quarter, three, color=BLUE, linewidth=8)
    axes.plot(middle, rows, "|", color="white", markersize=8, markeredgewidth=1.6)
    axes.plot(most, rows, "o", color=DIM, markersize=3)
    name_rows(axes, ["" for _ in found.methods])
    axes.set(xscale="log", xlabel="estimated relative error")
    plain_powers(axes.xaxis)
    axes.set_xlim(float(low.min()) / 3, max(2.0, float(most.max()) * 2))


def _paint_findings(
    sheet: Sheet, findings: CrossCount, rejects: CrossCount, seen: dict[str, Look]
) -> None:
    heights = [max(len(part.rows), 2) for part in (findings, rejects)]
    above, below = sheet.subplots(2, 1, height_ratios=heights)
    _paint_codes(above, findings, seen, "no findings")
    _paint_codes(below, rejects, seen, "no rejects")
    shown = {name for part in (findings, rejects) for name in part.columns}
    _add_legend(sheet, {name: look for name, look in seen.items() if name in shown})


def _paint_codes(axes: Axes, part: CrossCount, seen: dict[str, Look], nothing: str) -> None:
    axes.set_title(nothing.removeprefix("no ").capitalize())
    if not part.rows:
        return say_instead(axes, nothing)
    place = {name: k for k, name in enumerate(part.columns)}
    counts = {name: part.counts[:, place[name]].tolist() for name in seen if name in place}
    stacked_bars(axes, part.rows, counts, seen)


def _add_legend(sheet: Sheet, seen: dict[str, Look]) -> None:
    from matplotlib.patches import Patch

    keys = [
        Patch(facecolor=look.color, hatch=look.hatch, edgecolor="white", label=name)
        for name, look in seen.items()
    ]
    if keys:
        sheet.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 5), fontsize=8)


def _paint_coverage(sheet: Sheet, found: Coverage) -> None:
    left, right = sheet.subplots(1, 2, sharey=True)
    if not found.split:
        say_instead(left, "no evaluation split")
        return say_instead(right, "")
    rows = range(len(found.groups))
    left.barh(rows, found.objects, color=BLUE, height=0.72)
    name_rows(left, found.groups)
    write_ends(left, found.objects)
    left.set_xlabel(f"objects in {found.split}")
    right.barh(rows, found.of_categories, color=PALE, height=0.72)
    right.barh(rows, found.categories, color=BLUE, height=0.72)
    pairs = zip(found.categories, found.of_categories, strict=True)
    name_rows(right, found.groups)
    _write_shares(right, list(pairs))
    right.set_xlabel("categories covered, of all")


def _write_shares(axes: Axes, pairs: Sequence[tuple[int, int]]) -> None:
    for row, (covered, known) in enumerate(pairs):
        axes.annotate(f"{covered:,} of {known:,}", (known, row), xytext=(3, 0),
                      textcoords="offset points", va="center", size=8)  # fmt: skip
    axes.set_xlim(0, max([known for _, known in pairs] + [1]) * 1.3)
    axes.tick_params(labelleft=False)


def _paint_costs(sheet: Sheet, found: list[StageCost]) -> None:
    left, right = sheet.subplots(1, 2, sharey=True)
    if not found:
        say_instead(left, "nothing was measured")
        return say_instead(right, "")
    rows = range(len(found))
    names = [cost.stage for cost in found]
    wall = [cost.seconds for cost in found]
    left.barh([k - 0.2 for k in rows], wall, color=BLUE, height=0.38, label="start to end")
    cpu = [cost.cpu_seconds for cost in found]
    left.barh([k + 0.2 for k in rows], cpu, color=ORANGE, height=0.38, label="processor")
    for row, cost in enumerate(found):
        _write_end(left, cost.seconds, row - 0.2, f"{cost.seconds:,.0f} s, {_jobs(cost.jobs)}")
    left.set(xlabel="seconds of all jobs", xlim=(0, max([*wall, *cpu, 1e-9]) * 1.5))
    left.legend(loc="lower right", fontsize=8)
    memory = [cost.peak_bytes / _GIBIBYTE * (cost.cpu_seconds > 0) for cost in found]
    right.barh(rows, memory, color=BLUE, height=0.6)
    for row, size in enumerate(memory):
        _write_end(right, size, row, f"{size:.2f}" if found[row].cpu_seconds else "not seen")
    right.set(xlabel="largest job [GiB]", xlim=(0, max([*memory, 1e-9]) * 1.25))
    name_rows(right, names)
    name_rows(left, names)
    right.tick_params(labelleft=False)


def _jobs(count: int) -> str:
    return f"{count:,} job{'s' if count > 1 else ''}"


def _write_end(axes: Axes, end: float, row: float, text: str) -> None:
    axes.annotate(text, (end, row), xytext=(3, 0), textcoords="offset points", va="center", size=8)
