# SPDX-License-Identifier: Apache-2.0
"""Laws of the layout: nothing overlaps, parents stand in the middle, the order is kept."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.draw.layout import MOST_LEVELS, MOST_ROWS, depth_first, place_joints
from aa_dataset.kinematics import Joint, KinematicTree


def tree_of(parents: list[int]) -> KinematicTree:
    """Return a tree in which joint k hangs on joint `parents[k]`, -1 on the root."""
    joints = tuple(
        Joint(
            f"j{k}", "revolute", [0, 0, 1], [0, 0, 0], 0, 1,
            parent="base" if parent < 0 else f"l{parent}", child=f"l{k}",
        )
        for k, parent in enumerate(parents)
    )  # fmt: skip
    return KinematicTree("t", ("base", *(f"l{k}" for k in range(len(parents)))), joints)


@st.composite
def parents(draw: st.DrawFn) -> list[int]:
    count = draw(st.integers(0, 40))
    return [draw(st.integers(-1, k - 1)) for k in range(count)]


def small(found: list[int]) -> bool:
    levels: list[int] = []
    for parent in found:
        levels.append(1 if parent < 0 else levels[parent] + 1)
    leaves = sum(k not in found for k in range(len(found)))
    return max(levels, default=0) <= MOST_LEVELS and leaves <= MOST_ROWS


@given(parents())
def test_every_joint_is_drawn_once_after_its_parent(found: list[int]) -> None:
    layout = place_joints(tree_of(found), most=1000)
    assert sorted(joint.name for joint in layout.joints) == sorted(
        f"j{k}" for k in range(len(found))
    )
    assert all(parent < k for k, parent in enumerate(layout.parents))
    for joint, parent in zip(layout.joints, layout.parents, strict=True):
        above = "base" if parent < 0 else layout.joints[parent].child
        assert joint.parent == above
    assert layout.is_tidy == small(found) and layout.left_out == 0


@given(parents())
def test_no_two_joints_share_a_place_and_siblings_keep_their_order(found: list[int]) -> None:
    layout = place_joints(tree_of(found), most=1000)
    by_level: dict[int, list[int]] = {}
    for level, row in zip(layout.levels, layout.rows, strict=True):
        by_level.setdefault(level if layout.is_tidy else 0, []).append(row)
    for rows in by_level.values():  # in the order of drawing, so from top to bottom
        assert all(second - first >= 2 for first, second in pairwise(rows))
    assert all(0 <= row <= 2 * (layout.count - 1) for row in layout.rows)


@given(parents().filter(small))
def test_a_parent_of_a_tidy_tree_is_in_the_middle_of_its_children(found: list[int]) -> None:
    layout = place_joints(tree_of(found), most=1000)
    leaves = set(range(len(found))) - set(layout.parents)
    assert sorted(layout.rows[k] for k in leaves) == [2 * k for k in range(len(leaves))]
    for k in set(range(len(found))) - leaves:
        rows = [layout.rows[i] for i, parent in enumerate(layout.parents) if parent == k]
        assert layout.rows[k] == (min(rows) + max(rows)) // 2


@pytest.mark.parametrize("count", [1500, 5000])
def test_a_chain_of_thousands_of_joints_is_cut_not_recursed_into(count: int) -> None:
    chain = tree_of(list(range(-1, count - 1)))
    assert len(depth_first(chain, most=count)[0]) == count
    layout = place_joints(chain, most=400)
    assert len(layout.joints) == 400 and layout.left_out == count - 400
    assert [joint.name for joint in layout.joints[:3]] == ["j0", "j1", "j2"]
