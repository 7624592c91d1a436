# SPDX-License-Identifier: Apache-2.0
"""The figure of the whole: an object of each supercategory with its tree, joints, sources."""

from __future__ import annotations

import io
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aa_dataset.assets.packed import Asset
from aa_dataset.draw.joint_colors import joint_colors, link_colors
from aa_dataset.draw.layout import place_joints
from aa_dataset.draw.palette import light_rgb
from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import PREVIEW, LibraryLayout
from aa_dataset.kinematics import JointType, KinematicTree
from pipeline.stages.report.figures.canvas import (
    BLUE,
    DIM,
    GREEN,
    ORANGE,
    PURPLE,
    Look,
    columns,
    drawn,
    looks,
    say_instead,
    stacked_bars,
)
from pipeline.stages.report.figures.figure import Figure
from pipeline.stages.report.numbers.composition import (
    Specimen,
    categories_by_source,
    joints_by_type,
    objects_by_source,
    specimens,
)
from pipeline.stages.report.numbers.counting import CrossCount
from pipeline.stages.report.tables import LibraryTables
from pipeline.stages.report.trees import object_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet
    from matplotlib.gridspec import SubplotSpec

TILES, PIXELS = 5, 240  # tiles in a row; side of an embedded picture
WIDTH = 1.3  # of a tile, by the side of its picture; the tree stands beside it
BY_TYPE = {
    JointType.FIXED: DIM,
    JointType.REVOLUTE: BLUE,
    JointType.CONTINUOUS: ORANGE,
    JointType.PRISMATIC: GREEN,
    JointType.HELICAL: PURPLE,
}


def composition_figure(tables: LibraryTables) -> Figure:
    """Return one object of each supercategory, joints by type, and supercategories by source."""
    chosen = specimens(tables)
    names = ", ".join(f"{one.supercategory}: {one.object_id}" for one in chosen)
    caption = (
        "Top: one object of each supercategory with its kinematic tree, every link in the color of "
        f"the joint that moves it ({names or 'none'}). Middle: joints by type. Bottom: objects and "
        "categories of each supercategory by source; a category counts for the source that has "
        "most of its objects."
    )
    rows = max(-(-len(chosen) // TILES), 1)
    bars = 0.24 * max(tables.categories.num_rows and len(chosen), 3)
    height = 1.75 * rows + 2.2 + 1.1 + bars
    svg = drawn(8.5, height, lambda sheet: _paint(sheet, tables, chosen, (1.75 * rows, bars)))
    return Figure("composition", "Composition", caption, svg)


def _paint(
    sheet: Sheet, tables: LibraryTables, chosen: list[Specimen], heights: tuple[float, float]
) -> None:
    grid = sheet.add_gridspec(3, 1, height_ratios=(heights[0], 2.2, 1.1 + heights[1]))
    _paint_tiles(sheet, grid[0], tables, chosen)
    _paint_types(sheet.add_subplot(grid[1]), joints_by_type(tables))
    _paint_sources(sheet, grid[2], objects_by_source(tables), categories_by_source(tables))


def _paint_tiles(
    sheet: Sheet, place: SubplotSpec, tables: LibraryTables, chosen: list[Specimen]
) -> None:
    rows = max(-(-len(chosen) // TILES), 1)
    grid = place.subgridspec(rows, TILES)
    tiles = [sheet.add_subplot(grid[k // TILES, k % TILES]) for k in range(rows * TILES)]
    for axes in tiles:
        axes.set_axis_off()
    if not chosen:
        return say_instead(tiles[TILES // 2], "no objects")
    for axes, one in zip(tiles, chosen, strict=False):
        picture = read_preview(tables, one.row)
        if picture is None:
            say_instead(axes, "no picture")
        else:
            axes.imshow(picture, interpolation="none", extent=(0, 1, 0, 1))
        axes.set(xlim=(0, WIDTH), ylim=(0, 1), aspect="equal")
        axes.set_title(textwrap.fill(one.supercategory, 22), size=8, pad=3)
        axes.text(0.5, -0.02, one.category, size=7.5, color=DIM, ha="center", va="top")
        tree = object_tree(tables, one.object_id)
        if tree is not None:
            _paint_tree(axes, tree)


def read_preview(tables: LibraryTables, row: int) -> NDArray[np.uint8] | None:
    """Return the picture of an object at rest, (h, w, 3), None if the library has none."""
    from PIL import Image

    names = ("shard", "offset", "size", "object_id", "content_sha256")
    shard, *place = (tables.objects[name][row].as_py() for name in names)
    if shard is None:
        return None
    asset = Asset(LibraryLayout(Path(tables.root)).asset(shard), *place)
    try:
        found = Image.open(io.BytesIO(asset.read(PREVIEW)), formats=["PNG"])
        return np.asarray(found.convert("RGB").resize((PIXELS, PIXELS), Image.Resampling.LANCZOS))
    except (ArenaError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None  # `aa verify` reports damage; here it is a gap


def _paint_tree(axes: Axes, tree: KinematicTree) -> None:
    """Draw a tree beside the picture of a tile, the root on the left."""
    corner = axes.inset_axes((1.02 / WIDTH, 0, 1 - 1.02 / WIDTH, 1))
    corner.set_axis_off()
    layout = place_joints(tree, most=len(tree.joints))
    places = [(level, -row / 2) for row, level in zip(layout.rows, layout.levels, strict=True)]
    first = [y for (_, y), parent in zip(places, layout.parents, strict=True) if parent < 0]
    root = (0.0, (min(first, default=0) + max(first, default=0)) / 2)
    edges, nodes = joint_colors(tree), link_colors(tree)
    for joint, place, parent in zip(layout.joints, places, layout.parents, strict=True):
        x, y = root if parent < 0 else places[parent]
        color = light_rgb(edges[joint.name])
        corner.plot([x, place[0]], [y, place[1]], color=color, linewidth=1.3, zorder=1)
    spots = [(root, tree.root), *((p, j.child) for j, p in zip(layout.joints, places, strict=True))]
    for (x, y), link in spots:
        corner.plot([x], [y], "o", color=light_rgb(nodes[link]), markersize=4, zorder=2,
                    clip_on=False)  # fmt: skip
    rows = max(layout.count, 6)
    middle = (1 - layout.count) / 2
    corner.set(
        xlim=(-0.4, max((*layout.levels, 2)) + 0.4), ylim=(middle - rows / 2, middle + rows / 2)
    )


def _paint_types(axes: Axes, found: dict[JointType, int]) -> None:
    if not any(found.values()):
        return say_instead(axes, "no joints")
    total = sum(found.values())
    columns(axes, [(str(kind), count) for kind, count in found.items()], what="joints")
    for bar, kind in zip(axes.patches, found, strict=True):
        bar.set_facecolor(BY_TYPE[kind])
    shares = [f"{kind}\n{100 * count / total:.1f} %" for kind, count in found.items()]
    axes.set_xticks(range(len(shares)), shares)
    axes.set_title("Joints by type")


def _paint_sources(
    sheet: Sheet, place: SubplotSpec, objects: CrossCount, categories: CrossCount
) -> None:
    grid = place.subgridspec(1, 2)
    left, right = (sheet.add_subplot(grid[k]) for k in range(2))
    if not objects.rows:
        say_instead(left, "no objects")
        return say_instead(right, "")
    seen = looks(objects.columns)
    for axes, part, title in (
        (left, objects, "Objects by source"),
        (right, categories, "Categories by source"),
    ):
        stacked_bars(axes, objects.rows, _aligned(part, objects), seen)
        axes.set_title(title)
    right.tick_params(labelleft=False)
    _add_legend(sheet, left, seen)


def _aligned(part: CrossCount, to: CrossCount) -> dict[str, list[int]]:
    """Return the counts by column in the order of the rows and columns of another table."""
    found = {
        (row, column): int(part.counts[i, j])
        for i, row in enumerate(part.rows)
        for j, column in enumerate(part.columns)
    }
    return {column: [found.get((row, column), 0) for row in to.rows] for column in to.columns}


def _add_legend(sheet: Sheet, axes: Axes, seen: dict[str, Look]) -> None:
    keys, names = axes.get_legend_handles_labels()
    sheet.legend(keys, names, loc="outside lower center", ncols=min(len(seen), 5), fontsize=8)
