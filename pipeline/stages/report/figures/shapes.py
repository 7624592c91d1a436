# SPDX-License-Identifier: Apache-2.0
"""Figures about objects: sizes of categories, joints per object, depth, size in meters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipeline.stages.report.figures.canvas import (
    BLUE,
    DIM,
    INK,
    SKY,
    VERMILION,
    columns,
    drawn,
    name_rows,
    say_instead,
    whole_numbers,
)
from pipeline.stages.report.figures.figure import Figure
from pipeline.stages.report.numbers.counting import histogram
from pipeline.stages.report.numbers.shapes import (
    CategorySizes,
    SizeRatios,
    category_sizes,
    objects_by_depth,
    objects_by_joints,
    size_ratios,
)
from pipeline.stages.report.paper import holding
from pipeline.stages.report.tables import LibraryTables

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

RATIOS = tuple(2.0 ** (k / 4) for k in range(-16, 17))  # edges, of 1/16 to 16


def category_sizes_figure(tables: LibraryTables) -> Figure:
    """Return category sizes by rank on a log scale, with the cumulative share of objects."""
    found = category_sizes(tables)
    half, most = _marks(found)
    caption = (
        f"{len(found.sizes):,} categories by rank: objects of each (bars, log scale) and the share "
        f"of objects in the categories up to it (line). The largest {half:,} hold half of the "
        f"objects, the largest {most:,} hold 80 %."
    )
    if found.unlabeled:
        caption += f" {found.unlabeled:,} objects without a category are left out."
    svg = drawn(7.5, 3.6, lambda sheet: _paint_sizes(sheet, found))
    return Figure("category_sizes", "Category sizes", caption, svg)


def joints_figure(tables: LibraryTables) -> Figure:
    """Return the objects by the number of their movable joints."""
    bars = objects_by_joints(tables)
    joints = tables.objects["joints_movable"].to_pylist()
    caption = "Objects by the number of their movable joints, coupled joints included."
    if joints:
        caption += f" The most are {max(joints):,}."
    svg = drawn(7.5, 3.0, lambda sheet: _paint_bars(sheet, bars, "movable joints"))
    return Figure("joints_per_object", "Joints per object", caption, svg)


def depth_figure(tables: LibraryTables) -> Figure:
    """Return the objects by the depth of their trees."""
    bars = objects_by_depth(tables)
    depths = tables.objects["depth"].to_pylist()
    caption = "Objects by the depth of their tree: the most movable joints from the root to a link."
    if depths:
        caption += f" The deepest has {max(depths):,}."
    svg = drawn(7.5, 3.0, lambda sheet: _paint_bars(sheet, bars, "depth"))
    return Figure("depth", "Depth of trees", caption, svg)


def sizes_figure(tables: LibraryTables) -> Figure:
    """Return the sizes of objects against the usual size of their category."""
    found = size_ratios(tables)
    caption = (
        "Diagonal of the box at rest over the usual diagonal of the category, "
        f"{len(found.ratios):,} objects. Left: all. Right: by supercategory, from smallest to "
        "largest (thin line), middle 90 % (bar), middle half (thick bar) and median (mark). "
        f"{found.not_metric:,} objects that are not in meters and {found.without_usual:,} without "
        "a usual size are left out."
    )
    svg = drawn(7.5, 4.0, lambda sheet: _paint_ratios(sheet, found))
    return Figure("sizes", "Sizes against the usual size", caption, svg)


def _marks(found: CategorySizes) -> tuple[int, int]:
    sizes = found.sizes.tolist()
    return holding(sizes, 1, 2), holding(sizes, 4, 5)


def _paint_sizes(sheet: Sheet, found: CategorySizes) -> None:
    axes = sheet.subplots()
    if not len(found.sizes):
        return say_instead(axes, "no object has a category")
    ranks = np.arange(1, len(found.sizes) + 1)
    axes.stairs(found.sizes, np.append(ranks, ranks[-1] + 1) - 0.5, baseline=0.7, fill=True,
                color=SKY, linewidth=0)  # fmt: skip
    axes.set(yscale="log", xlabel="category, by rank", ylabel="objects")
    top = max(found.sizes[0] * 1.6, 10)
    ticks = [step * 10**power for power in range(6) for step in (1, 2, 5)]
    axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0.7, top)
    axes.set_xlim(0.5, ranks[-1] + 0.5)
    whole_numbers(axes.xaxis)
    share = axes.twinx()
    share.plot(np.append(0, ranks) + 0.5, np.append(0, found.shares) * 100, color=VERMILION)
    share.set(ylim=(0, 103), ylabel="share of the objects")
    share.yaxis.set_major_formatter(lambda value, _: f"{value:.0f} %")
    share.grid(visible=False)
    share.spines["right"].set_visible(True)
    _mark_shares(share, found)


def _mark_shares(share: Axes, found: CategorySizes) -> None:
    """Mark where half and 80 % of the objects are reached."""
    for rank, percent in zip(_marks(found), (50, 80), strict=True):
        reached = found.shares[rank - 1] * 100
        share.plot([rank + 0.5], [reached], "o", color=VERMILION, markersize=5)
        share.annotate(
            f"{rank:,} hold {percent} %",
            (rank + 0.5, reached),
            xytext=(8, -9),
            textcoords="offset points",
            size=8.5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8},
        )


def _paint_bars(sheet: Sheet, bars: list[tuple[str, int]], what: str) -> None:
    axes = sheet.subplots()
    last = max((k for k, (_, count) in enumerate(bars) if count), default=-1)
    if last < 0:
        return say_instead(axes, "no objects")
    columns(axes, bars[: max(last + 1, 6)])
    axes.set_xlabel(what)


def _paint_ratios(sheet: Sheet, found: SizeRatios) -> None:
    left, right = sheet.subplots(1, 2, width_ratios=(1, 1.25))
    if not len(found.ratios):
        say_instead(left, "no object in meters\nhas a usual size")
        return say_instead(right, "")
    counted = histogram(found.ratios, RATIOS)
    below, *inner, above = counted.counts.tolist()
    left.stairs(inner, counted.edges, fill=True, color=SKY)
    left.set(xscale="log", xlim=(RATIOS[0], RATIOS[-1]), ylabel="objects")
    left.set_xlabel("diagonal / usual diagonal")
    left.axvline(1, color=INK, linewidth=0.8)
    _doublings(left)
    whole_numbers(left.yaxis)
    if below or above:
        left.set_title(f"{below:,} smaller, {above:,} larger", size=8, color=DIM, weight="normal")
    _paint_spread(right, found)


def _doublings(axes: Axes) -> None:
    ticks = [1 / 16, 1 / 4, 1, 4, 16]
    axes.set_xticks(ticks, ["1/16", "1/4", "1", "4", "16"])
    axes.minorticks_off()


def _paint_spread(axes: Axes, found: SizeRatios) -> None:
    rows = range(len(found.groups))
    least, low, quarter, middle, three, high, most = found.spread.T
    axes.hlines(rows, least, most, color=DIM, linewidth=0.8)
    axes.hlines(rows, low, high, color=SKY, linewidth=4)
    axes.hlines(rows, quarter, three, color=BLUE, linewidth=7)
    axes.plot(middle, rows, "|", color="white", markersize=7, markeredgewidth=1.6)
    name_rows(axes, found.groups)
    axes.axvline(1, color=INK, linewidth=0.8)
    axes.set(xscale="log", xlabel="diagonal / usual diagonal")
    axes.set_xlim(min(1 / 4, float(least.min()) / 1.2), max(4, float(most.max()) * 1.2))
    ticks = [2.0**k for k in range(-20, 21, 2)]
    first, last = axes.get_xlim()
    shown = [tick for tick in ticks if first <= tick <= last]
    axes.set_xticks(shown, [f"{t:g}" if t >= 1 else f"1/{1 / t:g}" for t in shown])
    axes.minorticks_off()
