# SPDX-License-Identifier: Apache-2.0
"""Figures about joints: how far they turn and slide, and the pitches of screws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from aa_dataset.kinematics import JointType
from pipeline.stages.report.figures.canvas import (
    BLUE,
    GREEN,
    PURPLE,
    TURNS,
    drawn,
    say_instead,
    whole_numbers,
)
from pipeline.stages.report.figures.figure import Figure
from pipeline.stages.report.numbers.counting import Counts, Histogram
from pipeline.stages.report.numbers.joints import Ranges, joint_ranges, pitches
from pipeline.stages.report.tables import LibraryTables

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

Stack = Mapping[str, tuple[Histogram, str]]  # by name: counts over the same edges, and the color


def ranges_figure(tables: LibraryTables) -> Figure:
    """Return how far the joints of each type move."""
    found = joint_ranges(tables)
    caption = (
        "Upper minus lower limit of joints that turn (revolute and helical) and slide (prismatic), "
        "the latter in meters and as a share of the diagonal of the object's box at rest. "
        f"{found.continuous:,} continuous joints have no range; {found.unlimited:,} others lack a "
        f"limit; {found.not_metric:,} slides of objects that are not in meters are in the right "
        "panel only. Bars marked > and < are beyond the scale."
    )
    svg = drawn(7.5, 5.4, lambda sheet: _paint_ranges(sheet, found))
    return Figure("ranges", "Ranges of joints", caption, svg)


def pitches_figure(tables: LibraryTables) -> Figure:
    """Return the pitches of screws by where they come from."""
    found = pitches(tables)
    stack = {
        f"from {name}" if name else "unknown": (counts, TURNS[k % len(TURNS)])
        for k, (name, counts) in enumerate(found.items())
    }
    total = sum(counts.total for counts in found.values())
    caption = (
        f"Advance per turn of {total:,} helical joints of objects in meters, without its sign, by "
        "where the pitch comes from: the source, the ratio of two ranges, or the default. Bars "
        "marked > and < are beyond the scale."
    )
    svg = drawn(7.5, 2.8, lambda sheet: _paint_pitches(sheet, stack))
    return Figure("pitches", "Pitches", caption, svg)


def _paint_ranges(sheet: Sheet, found: Ranges) -> None:
    grid = sheet.add_gridspec(2, 2)
    colors = {JointType.REVOLUTE: BLUE, JointType.HELICAL: PURPLE}
    turns = {str(kind): (counts, colors[kind]) for kind, counts in found.turns.items()}
    wide = sheet.add_subplot(grid[0, :])
    _paint_stack(wide, turns, "no joint turns between limits", _degrees)
    wide.set_xlabel("range [degrees]")
    for place, counts, label, unit in (
        (0, found.meters, _lengths, "range [m]"),
        (1, found.diagonals, _shares, "range / diagonal"),
    ):
        axes = sheet.add_subplot(grid[1, place])
        _paint_stack(axes, {"prismatic": (counts, GREEN)}, "no joint slides", label)
        axes.set_xlabel(unit)


def _paint_pitches(sheet: Sheet, stack: Stack) -> None:
    axes = sheet.subplots()
    _paint_stack(axes, stack, "no helical joints in meters", _lengths)
    axes.set_xlabel("pitch [mm per turn]")


def _paint_stack(
    axes: Axes, stack: Stack, nothing: str, label: Callable[[Axes, Histogram], None]
) -> None:
    """Draw bars of equal width, one per bin; the open bins at both ends only if they count."""
    total = sum(counts.total for counts, _ in stack.values())
    if not total:
        return say_instead(axes, nothing)
    ends = None
    for name, (counts, color) in stack.items():
        if counts.total:
            places = range(-1, len(counts.counts) - 1)
            axes.bar(places, counts.counts, bottom=ends, align="edge", width=1, color=color,
                     edgecolor="white", label=f"{name} ({counts.total:,})")  # fmt: skip
            ends = counts.counts if ends is None else ends + counts.counts
    first = next(iter(stack.values()))[0]
    label(axes, first)
    _open_ends(axes, first, ends)
    axes.set_ylabel("joints")
    axes.grid(visible=False, axis="x")
    axes.legend(loc="upper right", fontsize=8)
    axes.set_ylim(0, float(max([*(ends if ends is not None else []), 1])) * 1.18)
    whole_numbers(axes.yaxis)


def _open_ends(axes: Axes, counts: Histogram, ends: Counts | None) -> None:
    """Show the bins below and above the scale only where they count, marked as such."""
    last = len(counts.edges) - 1
    low, high = (0, 0) if ends is None else (int(ends[0] > 0), int(ends[-1] > 0))
    axes.set_xlim(-low, last + high)
    marks = [(-0.5, "<")] * low + [(last + 0.5, ">")] * high
    places = [*axes.get_xticks(), *(place for place, _ in marks)]
    names = [*(text.get_text() for text in axes.get_xticklabels()), *(name for _, name in marks)]
    axes.set_xticks(places, names)


def _degrees(axes: Axes, counts: Histogram) -> None:
    """Name every third bin by its middle, the first by 0."""
    names = range(0, 361, 45)
    axes.set_xticks([angle / 15 + 0.5 for angle in names], [str(angle) for angle in names])


def _shares(axes: Axes, counts: Histogram) -> None:
    edges = [k for k, edge in enumerate(counts.edges) if round(edge * 20) % 5 == 0]
    axes.set_xticks(edges, [f"{counts.edges[k]:g}" for k in edges])


def _lengths(axes: Axes, counts: Histogram) -> None:
    """Name the bin that holds 1, 10, ... of a logarithmic scale."""
    powers = [10.0**k for k in range(-4, 5)]
    inner = [p for p in powers if counts.edges[0] <= p < counts.edges[-1]]
    places = [sum(edge <= p for edge in counts.edges) - 1 + 0.24 for p in inner]
    axes.set_xticks(places, [f"{p:g}" for p in inner])
