# SPDX-License-Identifier: Apache-2.0
"""Where the joints of a tree stand: rows and levels, from left to right.

A small tree is drawn tidy: every leaf has a row of its own, and a joint stands in the middle
between its first and its last child. A deep tree would be wider than any page, and one of many
leaves higher, so there every joint has a row below its parent, indented, for a list in columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree

MOST_LEVELS, MOST_ROWS = 4, 16  # of a tidy drawing


@dataclass(frozen=True, slots=True)
class Layout:
    """The joints of a tree in the order in which they are drawn, depth first.

    Attributes
    ----------
    joints : tuple of Joint
        The drawn ones, parents before children.
    parents : tuple of int
        For each its parent joint as an index into `joints`, -1 at the root.
    levels : tuple of int
        Joints between the root and this one, itself included: 1, 2, ...
    rows : tuple of int
        Twice the row, so that the middle of two rows is an integer as well.
    count : int
        Rows in total.
    left_out : int
        Joints beyond the limit.
    is_tidy : bool
        Whether levels are columns; else they are indents.
    """

    joints: tuple[Joint, ...]
    parents: tuple[int, ...]
    levels: tuple[int, ...]
    rows: tuple[int, ...]
    count: int
    left_out: int
    is_tidy: bool


def place_joints(tree: KinematicTree, *, most: int) -> Layout:
    """Lay out the first `most` joints of a tree, depth first, children in the tree's order."""
    joints, parents = depth_first(tree, most=most)
    levels: list[int] = []
    for parent in parents:
        levels.append(1 if parent < 0 else levels[parent] + 1)
    leaves = len(joints) - len({*parents} - {-1})
    is_tidy = max(levels, default=0) <= MOST_LEVELS and leaves <= MOST_ROWS
    rows = _tidy_rows(parents) if is_tidy else [2 * k for k in range(len(joints))]
    count = max(rows, default=-2) // 2 + 1
    left_out = len(tree.joints) - len(joints)
    return Layout(
        joints, tuple(parents), tuple(levels), tuple(rows), count, left_out, is_tidy=is_tidy
    )


def depth_first(tree: KinematicTree, *, most: int) -> tuple[tuple[Joint, ...], list[int]]:
    """Return the first joints of a tree depth first, with the index of each parent or -1."""
    below: dict[str, list[Joint]] = {}
    for joint in tree.joints:
        below.setdefault(joint.parent, []).append(joint)
    joints: list[Joint] = []
    parents: list[int] = []
    stack = [(joint, -1) for joint in reversed(below.get(tree.root, []))]
    while stack and len(joints) < most:  # without recursion: predictions may be deep
        joint, parent = stack.pop()
        stack += [(one, len(joints)) for one in reversed(below.get(joint.child, []))]
        joints.append(joint)
        parents.append(parent)
    return tuple(joints), parents


def _tidy_rows(parents: Sequence[int]) -> list[int]:
    """Give leaves consecutive rows and every parent the middle of its children."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for k, parent in enumerate(parents):
        first.setdefault(parent, k)
        last[parent] = k
    rows, used = [0] * len(parents), 0
    for k in range(len(parents)):  # leaves from top to bottom
        if k not in first:
            rows[k], used = used, used + 2
    for k in reversed(range(len(parents))):  # children before their parent
        if k in first:
            rows[k] = (rows[first[k]] + rows[last[k]]) // 2
    return rows
