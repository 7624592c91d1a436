# SPDX-License-Identifier: Apache-2.0
"""Pixels of a tree: where every link stands, and how lines run from parent to child."""

from __future__ import annotations

from dataclasses import dataclass

from aa_dataset.draw.columns import Column, columns_of
from aa_dataset.draw.layout import Layout

NODE, MARGIN = 150, 14  # pixels: width of a link, around the picture
RADIUS = 12  # of the disk on the left side of a link, which holds the icon of its joint
CURVES = 34  # left free before a link, for lines of mimics
FONT = 61  # width of a small letter [1/10 px]
LINE, SPACE = 12, 12  # of text, between rows
INDENT, DEEPEST = 30, 480  # of a level in a long list, of the deepest one
BETWEEN, MOST_COLUMNS = 40, 12
SHAPE = 0.9  # a list becomes so broad, by its height, if columns can do it


@dataclass(frozen=True, slots=True)
class Spot:
    """Middle of the left side of a link."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """Where the links of a tree stand.

    Attributes
    ----------
    spots : tuple of Spot
        One per joint of the layout, for its child link.
    roots : tuple of (Spot, int)
        The root link, as joint -1, and links that a column repeats.
    lines : tuple of str
        For each joint the path from its parent's link to its own.
    text : tuple of Spot
        For each joint the beginning of its first line of text.
    gap : int
        Extra pixels below that line.
    reach : int
        Farthest two joints may be apart, from left to right, for a line between them.
    height : int
        Of a link.
    width, bottom : int
        Of the picture.
    """

    spots: tuple[Spot, ...]
    roots: tuple[tuple[Spot, int], ...]
    lines: tuple[str, ...]
    text: tuple[Spot, ...]
    gap: int
    reach: int
    height: int
    width: int
    bottom: int


def place(layout: Layout, *, height: int, lines: int, letters: int) -> Sheet:
    """Place the links of a tree.

    Parameters
    ----------
    layout : Layout
        Rows and levels.
    height : int
        Pixels of a link.
    lines : int
        Lines of text about a joint, its name included.
    letters : int
        Columns of the longest of these lines.
    """
    text = letters * FONT // 10 + 8
    if layout.is_tidy:
        return _tidy(layout, height, lines, text)
    for count in range(1, MOST_COLUMNS + 1):
        sheet = _listed(layout, (height, lines, text), columns_of(layout.parents, count))
        if sheet.width >= SHAPE * sheet.bottom:
            break
    return sheet


def _tidy(layout: Layout, height: int, lines: int, broad: int) -> Sheet:
    """Place levels as columns; text stands on the line between two links."""
    above = max(height // 2, LINE + 6)
    step = above + max(height // 2, LINE * (lines - 1) + 6) + SPACE
    far = NODE + broad + CURVES + 24
    spots = [
        Spot(MARGIN + level * far, MARGIN + above + row * step // 2)
        for level, row in zip(layout.levels, layout.rows, strict=True)
    ]
    first = [spot.y for spot, up in zip(spots, layout.parents, strict=True) if up < 0]
    root = Spot(MARGIN, (min(first) + max(first)) // 2 if first else MARGIN + above)
    paths, text = [], []
    for spot, up in zip(spots, layout.parents, strict=True):
        parent = root if up < 0 else spots[up]
        bus = parent.x + NODE + 14
        paths.append(f"M{parent.x + NODE} {parent.y}H{bus}V{spot.y}H{spot.x}")
        text.append(Spot(bus + 8, spot.y - 6))
    width = 2 * MARGIN + max(layout.levels, default=0) * far + NODE
    bottom = 2 * MARGIN + max(layout.count, 1) * step - SPACE
    return Sheet(
        tuple(spots), ((root, -1),), tuple(paths), tuple(text), 6, width, height, width, bottom
    )


def _listed(layout: Layout, sizes: tuple[int, int, int], found: list[Column]) -> Sheet:
    """Place every joint in a row of its own, in columns; text stands right of the link."""
    height, lines, broad = sizes
    step = max(height, LINE * lines) + SPACE
    ranks = [_ranks(layout, column) for column in found]
    deepest = max((max(rank.values()) for rank in ranks), default=0)
    indent = max(6, min(INDENT, DEEPEST // max(deepest, 1)))
    far = deepest * indent + NODE + 8 + broad + BETWEEN
    spots: list[Spot] = []
    roots: list[tuple[Spot, int]] = []
    paths = []
    for number, (column, rank) in enumerate(zip(found, ranks, strict=True)):
        left, top = MARGIN + RADIUS + number * far, MARGIN + step // 2
        here: dict[int, Spot] = {}
        for row, joint in enumerate(column.members):
            spot = Spot(left + rank[_level(layout, joint)] * indent, top + row * step)
            here[joint] = spot
            if row < len(column.repeated):
                roots.append((spot, joint))
                continue
            spots.append(spot)
            parent = here[layout.parents[joint]]
            trunk = parent.x + min(14, indent // 2)
            paths.append(f"M{trunk} {parent.y + height // 2}V{spot.y}H{spot.x}")
    first_line = LINE * lines // 2 - 9
    text = tuple(Spot(spot.x + NODE + 8, spot.y - first_line) for spot in spots)
    width = 2 * MARGIN + RADIUS + len(found) * far - BETWEEN
    bottom = 2 * MARGIN + max(len(column.members) for column in found) * step
    reach = deepest * indent
    return Sheet(tuple(spots), tuple(roots), tuple(paths), text, 0, reach, height, width, bottom)


def _level(layout: Layout, joint: int) -> int:
    return 0 if joint < 0 else layout.levels[joint]


def _ranks(layout: Layout, column: Column) -> dict[int, int]:
    """Return the indent of each level of a column: levels without a row there need none."""
    levels = sorted({_level(layout, joint) for joint in column.members})
    return {level: rank for rank, level in enumerate(levels)}
