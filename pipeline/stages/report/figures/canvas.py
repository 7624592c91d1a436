# SPDX-License-Identifier: Apache-2.0
"""What all figures share: matplotlib without global state, its style, and colors of sources.

Nothing here depends on the machine: settings are matplotlib's own defaults and those below, letters
are outlines of the font that matplotlib brings, and a file has no date and no random id.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

INK, DIM, PALE = "#1b2027", "#59636e", "#d6dee9"
BLUE, ORANGE, GREEN, SKY = "#0072b2", "#e69f00", "#009e73", "#56b4e9"
VERMILION, PURPLE, YELLOW, BLACK = "#d55e00", "#cc79a7", "#f0e442", "#333333"
DIGITS = 5  # of the place of a plot, as a share of the sheet
# Okabe and Ito (2008); neighbors in a stack also differ in lightness.
TURNS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, BLACK, YELLOW)
HATCHES = ("", "////", "....")
STYLE: Mapping[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": DIM,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": "#e3e7ec",
    "grid.linewidth": 0.7,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "patch.linewidth": 0.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "articulatearena",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": DIM,
    "xtick.labelcolor": INK,
    "ytick.color": DIM,
    "ytick.labelcolor": INK,
}


def drawn(width: float, height: float, paint: Callable[[Sheet], None]) -> str:
    """Return the text of an SVG file that `paint` drew on a white sheet of this size [inch]."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Sheet

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # not what a file of the user says
        settings: Any = matplotlib.rcParams
        settings.update(STYLE)
        sheet = Sheet(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(sheet)
        paint(sheet)
        _place(sheet)
        buffer = io.StringIO()
        none = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        sheet.savefig(buffer, format="svg", metadata=none)
    return buffer.getvalue()


def _place(sheet: Sheet) -> None:
    """Let matplotlib arrange the plots once, and round their places.

    Its solver adds numbers in an order that differs from run to run; the last digits of a place
    would enter the ids of a file.
    """
    sheet.draw_without_rendering()
    sheet.set_layout_engine("none")
    for axes in sheet.axes:
        left, bottom, width, height = (round(n, DIGITS) for n in axes.get_position(True).bounds)
        axes.set_position((left, bottom, width, height))


def say_instead(axes: Axes, words: str) -> None:
    """Leave a gap with words in place of a plot that has nothing to show."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center", color=DIM)


@dataclass(frozen=True, slots=True)
class Look:
    """Color and hatch of a source."""

    color: str
    hatch: str


def looks(names: Sequence[str]) -> dict[str, Look]:
    """Return a look for every source; more sources than colors differ in their hatch."""
    count = len(TURNS)
    return {
        name: Look(TURNS[k % count], HATCHES[min(k // count, len(HATCHES) - 1)])
        for k, name in enumerate(names)
    }


def stacked_bars(
    axes: Axes, rows: Sequence[str], parts: Mapping[str, Sequence[int]], seen: Mapping[str, Look]
) -> None:
    """Draw one horizontal bar per row, the first on top, of one part per source, with its total."""
    ends = [0] * len(rows)
    for name, counts in parts.items():
        look = seen[name]
        axes.barh(
            range(len(rows)),
            counts,
            left=ends,
            label=name,
            color=look.color,
            hatch=look.hatch,
            edgecolor="white",
            height=0.72,
        )
        ends = [end + count for end, count in zip(ends, counts, strict=True)]
    name_rows(axes, rows)
    write_ends(axes, ends)


def name_rows(axes: Axes, rows: Sequence[str]) -> None:
    """Name the rows of horizontal bars, the first on top."""
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def write_ends(axes: Axes, ends: Sequence[int]) -> None:
    """Write the totals behind horizontal bars."""
    for row, end in enumerate(ends):
        axes.annotate(
            f"{end:,}", (end, row), xytext=(3, 0), textcoords="offset points", va="center", size=8
        )
    axes.set_xlim(0, max([*ends, 1]) * 1.13)
    whole_numbers(axes.xaxis)


def columns(
    axes: Axes, bars: Sequence[tuple[str, int]], *, color: str = BLUE, what: str = "objects"
) -> None:
    """Draw one upright bar per label, with its count."""
    axes.bar(range(len(bars)), [count for _, count in bars], color=color, width=0.8)
    for place, (_, count) in enumerate(bars):
        if count:
            axes.annotate(
                f"{count:,}",
                (place, count),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                size=8,
            )
    axes.set_xticks(range(len(bars)), [label for label, _ in bars], size=7.5)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(what)
    axes.set_ylim(0, max([count for _, count in bars] + [1]) * 1.08)
    whole_numbers(axes.yaxis)


def plain_powers(axis: Any) -> None:
    """Write the powers of ten of a logarithmic scale as numbers, without markup."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".replace("e-0", "e-")))
    axis.set_minor_formatter(NullFormatter())


def whole_numbers(axis: Any) -> None:
    """Put ticks at whole numbers only, with commas."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
