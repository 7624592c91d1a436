# SPDX-License-Identifier: Apache-2.0
"""A kinematic tree as SVG: joints as cards with a glyph of their type, their name and range.

The text is a pure function of the tree: coordinates are integers, there is no clock, no font to
load and no script, and every foreign name is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aa_dataset.draw.glyphs import GLYPHS
from aa_dataset.draw.layout import Layout, place_joints
from aa_dataset.draw.names import columns, markup, shortened
from aa_dataset.draw.palette import BY_TYPE, Color, tree_style
from aa_dataset.draw.values import motion_text, pitch_text, range_text
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree

MOST_DRAWN = 400  # joints of one tree; a prediction may have 5,000
NAME_COLUMNS, RANGE_COLUMNS = 19, 24
CARD, GAP = 190, 30  # pixels: width of a card, between columns of cards
MARGIN, ROOT_HEIGHT = 10, 24
HEIGHT, PITCH_LINE, SPACE = 36, 12, 10  # of a card, of one more line, between cards
INDENT, DEEPEST = 26, 480  # of a level in a deep tree, of the deepest one


@dataclass(frozen=True, slots=True)
class Drawing:
    """The inside of a picture, in pixels from its upper left corner."""

    width: int
    height: int
    body: str

    def svg(self, *, label: str, style: bool = True) -> str:
        """Return an SVG element; without `style` the page holds `palette.tree_style()`."""
        size = f'width="{self.width}" height="{self.height}"'
        inside = f"<style>{tree_style()}</style>{_ground(self)}" if style else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="aa-tree" role="img" {size} '
            f'viewBox="0 0 {self.width} {self.height}" aria-label="{markup(label)}">'
            f"{inside}{self.body}</svg>"
        )

    def moved(self, x: int, y: int) -> str:
        """Return the inside at another place of a larger picture."""
        return f'<g transform="translate({x} {y})">{self.body}</g>'


def draw_tree(
    tree: KinematicTree,
    *,
    colors: Mapping[str, Color] | None = None,
    labels: Mapping[str, str] | None = None,
) -> str:
    """Return a kinematic tree as the text of an SVG file, for light and dark grounds.

    Parameters
    ----------
    tree : KinematicTree
        At most `MOST_DRAWN` of its joints are drawn, depth first; a line counts the others.
    colors : mapping of joint name to Color, optional
        The default is one color per joint type.
    labels : mapping of joint name to str, optional
        A few characters on the corner of a card, such as the number of a pair. A card whose label
        is no letter or digit, such as a joint without a partner, has a dashed frame.

    Examples
    --------
    >>> lid = Joint("lid", "revolute", [1, 0, 0], [0, 0, 0], 0, 1.5, parent="box", child="lid")
    >>> text = draw_tree(KinematicTree("chest", ("box", "lid"), (lid,)))
    >>> text.startswith("<svg"), "0 to 85.9°" in text
    (True, True)
    """
    drawing = tree_drawing(tree, colors=colors, labels=labels)
    return drawing.svg(label=f"kinematic tree of {tree.name}")


def tree_drawing(
    tree: KinematicTree,
    *,
    colors: Mapping[str, Color] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Drawing:
    """Return the same without its frame, for a picture of several trees."""
    layout = place_joints(tree, most=MOST_DRAWN)
    sheet = _Sheet.of(layout)
    parts = [sheet.root(tree.root), *map(sheet.edge, range(len(layout.joints)))]
    for k, joint in enumerate(layout.joints):
        color = (colors or {}).get(joint.name, BY_TYPE[joint.type])
        label = (labels or {}).get(joint.name, "")
        parts.append(_card(joint, sheet.place(k), sheet.height, color, label))
    height = sheet.bottom
    if layout.left_out:
        height += 20
        text = f"{layout.left_out:,} more joints are not drawn"
        parts.append(f'<text class="small" x="{MARGIN}" y="{height - 8}">{text}</text>')
    return Drawing(sheet.width, height, "".join(parts))


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Pixels of a layout."""

    layout: Layout
    height: int  # of a card
    indent: int

    @classmethod
    def of(cls, layout: Layout) -> _Sheet:
        helical = any(pitch_text(joint) for joint in layout.joints)
        deepest = max(layout.levels, default=1)
        indent = CARD + GAP if layout.is_tidy else max(2, min(INDENT, DEEPEST // deepest))
        return cls(layout, HEIGHT + PITCH_LINE * helical, indent)

    @property
    def width(self) -> int:
        deepest = max(self.layout.levels, default=1)
        return 2 * MARGIN + GAP + (deepest - 1) * self.indent + CARD

    @property
    def bottom(self) -> int:
        return 2 * MARGIN + ROOT_HEIGHT + SPACE + self.layout.count * (self.height + SPACE)

    def place(self, k: int) -> tuple[int, int]:
        """Return the upper left corner of a card."""
        layout = self.layout
        x = MARGIN + GAP + (layout.levels[k] - 1) * self.indent
        row = layout.rows[k] * (self.height + SPACE) // 2
        return x, MARGIN + ROOT_HEIGHT + SPACE + row

    def root(self, name: str) -> str:
        """Return the root link, in the corner above everything."""
        text = shortened(name, NAME_COLUMNS)
        width = 16 + 8 * columns(text)
        return (
            f"<g><title>root link {markup(name)}</title>"
            f'<rect class="card root" x="{MARGIN}" y="{MARGIN}" width="{width}" '
            f'height="{ROOT_HEIGHT}" rx="4"/>'
            f'<text x="{MARGIN + 8}" y="{MARGIN + 16}">{markup(text)}</text></g>'
        )

    def edge(self, k: int) -> str:
        """Return the line from the parent of a joint to its card."""
        x, top = self.place(k)
        y, parent = top + self.height // 2, self.layout.parents[k]
        if parent < 0:
            start = f"M{MARGIN + GAP // 2} {MARGIN + ROOT_HEIGHT}"
            return f'<path class="edge" d="{start}V{y}H{x}"/>'
        above, high = self.place(parent)
        if self.layout.is_tidy:
            start = f"M{above + CARD} {high + self.height // 2}H{x - GAP // 2}"
        else:
            start = f"M{above + self.indent // 2} {high + self.height}"
        return f'<path class="edge" d="{start}V{y}H{x}"/>'


def _card(joint: Joint, place: tuple[int, int], height: int, color: Color, label: str) -> str:
    x, y = place
    dashed = " dashed" if label and not label.isalnum() else ""
    head = shortened(joint.name, NAME_COLUMNS)
    line = y + (0 if pitch_text(joint) else (height - HEIGHT) // 2)
    return (
        f"<g><title>{markup(_full_text(joint))}</title>"
        f'<rect class="card {color}{dashed}" x="{x}" y="{y}" width="{CARD}" height="{height}" '
        f'rx="5"/><path class="glyph {color}" transform="translate({x + 18} {y + height // 2})" '
        f'd="{GLYPHS[joint.type]}"/>'
        f'<text x="{x + 38}" y="{line + 15}">{markup(head)}</text>'
        f"{_small_lines(joint, x + 38, line + 28)}{_badge(label, color, x + CARD, y)}</g>"
    )


def _small_lines(joint: Joint, x: int, y: int) -> str:
    texts = [f"{joint.type} {range_text(joint)}".strip(), pitch_text(joint)]
    return "".join(
        f'<text class="small" x="{x}" y="{y + k * PITCH_LINE}">'
        f"{markup(shortened(text, RANGE_COLUMNS))}</text>"
        for k, text in enumerate(texts)
        if text
    )


def _badge(label: str, color: Color, x: int, y: int) -> str:
    """Return the label on the upper right corner of a card."""
    if not label:
        return ""
    width = 10 + 7 * columns(label)
    return (
        f'<rect class="fill-{color}" x="{x - width + 4}" y="{y - 6}" width="{width}" height="15" '
        f'rx="7"/><text class="badge" x="{x - width // 2 + 4}" y="{y + 5}" text-anchor="middle">'
        f"{markup(label)}</text>"
    )


def _full_text(joint: Joint) -> str:
    motion = motion_text(joint)
    told = f"{joint.type}, {motion}" if motion else str(joint.type)
    return f"{joint.name}: {told}; link {joint.parent} to link {joint.child}"


def _ground(drawing: Drawing) -> str:
    return f'<rect class="paper" width="{drawing.width}" height="{drawing.height}"/>'
