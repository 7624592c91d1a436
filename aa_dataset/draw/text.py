# SPDX-License-Identifier: Apache-2.0
"""A kinematic tree as lines of text for a terminal, in aligned columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aa_dataset.draw.layout import depth_first
from aa_dataset.draw.names import columns, padded, shortened
from aa_dataset.draw.values import motion_text
from aa_dataset.kinematics.trees import KinematicTree

MOST_LINES = 1000  # joints of one tree
SHOWN_LEVELS = 6  # of branches left of a name
TYPE_COLUMNS, MOTION_COLUMNS = 10, 32
_UNICODE = ("├─ ", "└─ ", "│  ", "   ", "…")
_ASCII = ("|- ", "`- ", "|  ", "   ", "~")


def tree_lines(
    tree: KinematicTree,
    *,
    labels: Mapping[str, str] | None = None,
    width: int = 80,
    ascii_only: bool = False,
) -> list[str]:
    """Return the root link and one line per joint: label, name, type, range and pitch.

    Parameters
    ----------
    labels : mapping of joint name to str, optional
        A few characters left of a joint, such as the number of a pair.
    width : int
        Columns of the terminal, at least 60. Long names are cut in the middle.
    ascii_only : bool
        Draw branches with ASCII, for terminals that cannot show box drawing.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint
    >>> lid = Joint("lid", "revolute", [1, 0, 0], [0, 0, 0], 0, 1.5, parent="box", child="lid")
    >>> for line in tree_lines(KinematicTree("chest", ("box", "lid"), (lid,))):
    ...     print(line)
    box
    └─ lid  revolute    0 to 85.9 deg
    """
    marks = _ASCII if ascii_only else _UNICODE
    joints, parents = depth_first(tree, most=MOST_LINES)
    branches = _branches(parents, marks)
    tags = [(labels or {}).get(joint.name, "") for joint in joints]
    room = max(map(columns, tags), default=0)
    indent = room + 1 if room else 0
    told = [shortened(motion_text(joint, degree=" deg"), MOTION_COLUMNS) for joint in joints]
    spare = width - indent - TYPE_COLUMNS - 4 - max(map(len, told), default=0)
    names = [
        branch + shortened(joint.name, max(spare - columns(branch), 8), ellipsis=marks[4])
        for branch, joint in zip(branches, joints, strict=True)
    ]
    broad = max(map(columns, names), default=0)
    lines = [" " * indent + shortened(tree.root, width - indent, ellipsis=marks[4])]
    for joint, tag, name, motion in zip(joints, tags, names, told, strict=True):
        head = f"{padded(tag, room)} " if room else ""
        kind = str(joint.type).ljust(TYPE_COLUMNS)
        lines.append(f"{head}{padded(name, broad)}  {kind}  {motion}".rstrip())
    if left := len(tree.joints) - len(joints):
        lines.append(f"{' ' * indent}and {left:,} more joints")
    return lines


def _branches(parents: Sequence[int], marks: tuple[str, ...]) -> list[str]:
    """Return what stands left of every joint; of a deep tree the last levels only."""
    last = {parent: k for k, parent in enumerate(parents)}
    trails: list[tuple[str, ...]] = []  # of the levels above, nearest last
    shown = []
    for k, parent in enumerate(parents):
        is_last = last[parent] == k
        above = () if parent < 0 else trails[parent]
        trails.append((*above, marks[3] if is_last else marks[2])[-SHOWN_LEVELS - 1 :])
        hidden = marks[4] if len(above) > SHOWN_LEVELS else ""
        shown.append(hidden + "".join(above[-SHOWN_LEVELS:]) + marks[is_last])
    return shown
