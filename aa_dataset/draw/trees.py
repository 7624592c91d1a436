# SPDX-License-Identifier: Apache-2.0
"""A kinematic tree as a picture: links as nodes, joints as edges with an icon of their type.

The picture is a pure function of the tree: coordinates are integers, there is no clock, no font to
load and no script, and every foreign name is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aa_dataset.draw.glyphs import GLYPHS
from aa_dataset.draw.joint_colors import joint_colors, link_colors
from aa_dataset.draw.layout import place_joints
from aa_dataset.draw.names import columns, shortened
from aa_dataset.draw.palette import Color
from aa_dataset.draw.shapes import Box, Disk, Drawing, Group, Shape, Stroke, Words
from aa_dataset.draw.sheet import LINE, MARGIN, NODE, RADIUS, Sheet, Spot, place
from aa_dataset.draw.values import mimic_text, motion_text, pitch_text, range_text
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree

MOST_DRAWN = 400  # joints of one tree; a prediction may have 5,000
LINK_COLUMNS, TEXT_COLUMNS = 17, 27
TALL, LOW = 36, 26  # pixels of a link with and without a second line
BEND = 26  # of the line from a joint to the one that it follows


@dataclass(frozen=True, slots=True)
class Marks:
    """What a drawing says beyond the tree itself; each mapping may lack names.

    Attributes
    ----------
    colors : mapping of joint name to Color
        The default is that of `joint_colors`.
    labels : mapping of joint name to str
        A few characters on the corner of a link, such as the number of a pair. A link whose label
        is no letter or digit, such as one without a partner, has a dashed frame.
    notes : mapping of joint name to str
        A line below the range, such as a price.
    semantics : mapping of link name to str
        What the links are.
    """

    colors: Mapping[str, Color] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    semantics: Mapping[str, str] = field(default_factory=dict)


def draw_tree(tree: KinematicTree, marks: Marks | None = None) -> str:
    """Return a kinematic tree as the text of an SVG file, for light and dark grounds.

    Parameters
    ----------
    tree : KinematicTree
        At most `MOST_DRAWN` of its joints are drawn, depth first; a line counts the others.
    marks : Marks, optional
        Colors, labels, notes, and what the links are.

    Examples
    --------
    >>> lid = Joint("lid", "revolute", [1, 0, 0], [0, 0, 0], 0, 1.5, parent="box", child="lid")
    >>> text = draw_tree(KinematicTree("chest", ("box", "lid"), (lid,)))
    >>> text.startswith("<svg"), "0 to 85.9°" in text
    (True, True)
    """
    return tree_drawing(tree, marks).svg(label=f"kinematic tree of {tree.name}")


def tree_drawing(tree: KinematicTree, marks: Marks | None = None) -> Drawing:
    """Return the same as a drawing, for a larger picture or another format."""
    marks = marks or Marks()
    layout = place_joints(tree, most=MOST_DRAWN)
    texts = [_lines(joint, marks) for joint in layout.joints]
    height = TALL if any(marks.semantics.get(link) for link in tree.links) else LOW
    letters = max((columns(text) for lines in texts for text, _ in lines), default=0)
    lines = max(map(len, texts), default=1)
    sheet = place(layout, height=height, lines=lines, letters=letters)
    colors = {**joint_colors(tree), **marks.colors}
    given = {one.child: colors[one.name] for one in tree.joints if one.name in marks.colors}
    frames = {**link_colors(tree), **given}
    links = [tree.root, *(joint.child for joint in layout.joints)]
    shapes: list[Shape] = [
        *(Stroke(path, "edge") for path in sheet.lines),
        *_mimics(layout.joints, sheet, colors),
        *(_root(links[k + 1], spot, k, sheet, marks) for spot, k in sheet.roots),
    ]
    for k, joint in enumerate(layout.joints):
        spot, frame, label = sheet.spots[k], frames[joint.child], marks.labels.get(joint.name, "")
        node = _node(joint.child, spot, sheet, marks, _card(frame, label))
        end = _badge(label, frame, spot, sheet) if label else _swatch(spot, sheet, frame)
        edge = (*_icon(joint, spot, colors[joint.name]), *_words(texts[k], sheet, k))
        shapes.append(Group((*node, *end, *edge), title=_full_text(joint, marks)))
    bottom = sheet.bottom
    if layout.left_out:
        bottom += 20
        words = f"{layout.left_out:,} more joints are not drawn"
        shapes.append(Words(MARGIN, bottom - 8, words, "small"))
    return Drawing(max(sheet.width, 240), bottom, tuple(shapes))


def _lines(joint: Joint, marks: Marks) -> list[tuple[str, str]]:
    """Return the lines about a joint with their styles: name, type and range, and so on."""
    note = "small fill-vermilion" if _is_alone(marks.labels.get(joint.name, "")) else "small"
    lines = [
        (joint.name, "joint"),
        (f"{joint.type} {range_text(joint)}".strip(), "small"),
        (pitch_text(joint), "small"),
        (mimic_text(joint), "small"),
        (marks.notes.get(joint.name, ""), note),
    ]
    return [(shortened(text, TEXT_COLUMNS), style) for text, style in lines if text]


def _words(lines: list[tuple[str, str]], sheet: Sheet, k: int) -> list[Words]:
    """Return the lines about a joint; in a tidy drawing its edge runs below the first one."""
    spot = sheet.text[k]
    return [
        Words(spot.x, spot.y + row * LINE + sheet.gap * (row > 0), text, style)
        for row, (text, style) in enumerate(lines)
    ]


def _node(name: str, spot: Spot, sheet: Sheet, marks: Marks, style: str) -> list[Shape]:
    """Return the box of a link with its name and what it is."""
    top = spot.y - sheet.height // 2
    meaning = marks.semantics.get(name, "")
    shapes: list[Shape] = [Box(spot.x, top, NODE, sheet.height, style, 5)]
    base = spot.y - 2 if meaning else spot.y + 4
    shapes.append(Words(spot.x + RADIUS + 5, base, shortened(name, LINK_COLUMNS)))
    if meaning:
        second = shortened(meaning, LINK_COLUMNS + 3)
        shapes.append(Words(spot.x + RADIUS + 5, spot.y + 11, second, "small"))
    return shapes


def _swatch(spot: Spot, sheet: Sheet, color: Color) -> tuple[Shape, ...]:
    """Return the end of a link in its color, which pictures of the parts show too."""
    top = spot.y - sheet.height // 2
    return (Box(spot.x + NODE - 8, top + 5, 4, sheet.height - 10, f"fill-{color}", 2),)


def _root(name: str, spot: Spot, joint: int, sheet: Sheet, marks: Marks) -> Group:
    """Return the root link, or a link that a column repeats, which has a dashed frame."""
    is_root = joint < 0 and (spot, joint) == sheet.roots[0]
    style = "card root" if is_root else "card root dashed"
    title = f"root link {name}" if is_root else f"link {name}, continued"
    return Group(tuple(_node(name, spot, sheet, marks, style)), title=title)


def _card(color: Color, label: str) -> str:
    return f"card {color}{' dashed' if _is_alone(label) else ''}"


def _is_alone(label: str) -> bool:
    """Tell whether a label says that a joint has no partner."""
    return bool(label) and not label.isalnum()


def _icon(joint: Joint, spot: Spot, color: Color) -> tuple[Shape, ...]:
    """Return the icon of a joint's type, in a disk where its edge meets the link."""
    return (
        Disk(spot.x, spot.y, RADIUS, f"card {color}"),
        Stroke(GLYPHS[joint.type], f"glyph {color}", spot.x, spot.y),
    )


def _mimics(joints: tuple[Joint, ...], sheet: Sheet, colors: Mapping[str, Color]) -> list[Stroke]:
    """Return a dashed line from every joint that follows another one to that one.

    If that stands in another column, the line is a stub: its text says which one it is.
    """
    spots = {joint.name: spot for joint, spot in zip(joints, sheet.spots, strict=True)}
    lines = []
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint in spots:
            start, end = spots[joint.name], spots[joint.mimic.joint]
            left = min(start.x, end.x) - RADIUS - BEND
            if abs(start.x - end.x) > sheet.reach:
                left, end = start.x - RADIUS, Spot(start.x - RADIUS - BEND, start.y + 8)
            path = f"M{start.x} {start.y}C{left} {start.y} {left} {end.y} {end.x} {end.y}"
            lines.append(Stroke(path, f"mimic {colors[joint.mimic.joint]}"))
    return lines


def _badge(label: str, color: Color, spot: Spot, sheet: Sheet) -> tuple[Shape, ...]:
    """Return a label on the upper right corner of a link."""
    width = 10 + 7 * columns(label)
    left, top = spot.x + NODE - width + 4, spot.y - sheet.height // 2 - 6
    return (
        Box(left, top, width, 15, f"fill-{color}", 7),
        Words(left + width // 2, top + 11, label, "badge", "middle"),
    )


def _full_text(joint: Joint, marks: Marks) -> str:
    """Return everything about a joint, uncut, for a pointer over it."""
    motion = ", ".join(filter(None, (str(joint.type), motion_text(joint), mimic_text(joint))))
    meaning = marks.semantics.get(joint.child, "")
    child = f"{joint.child} ({meaning})" if meaning else joint.child
    note = marks.notes.get(joint.name, "")
    return f"{joint.name}: {motion}; link {joint.parent} to link {child}" + (
        f"; {note}" * bool(note)
    )
