# SPDX-License-Identifier: Apache-2.0
"""Laws of columns: every joint once, in order, below its own link or a repeated one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.draw.columns import columns_of


@st.composite
def depth_first_parents(draw: st.DrawFn) -> list[int]:
    """Return the parents of a tree whose joints are listed depth first."""
    found: list[int] = []
    for k in range(draw(st.integers(0, 60))):
        open_joints = [-1]
        joint = k - 1
        while joint >= 0:
            open_joints.append(joint)
            joint = found[joint]
        found.append(draw(st.sampled_from(open_joints)))
    return found


@given(depth_first_parents(), st.integers(1, 12))
def test_columns_hold_every_joint_once_below_its_link(parents: list[int], count: int) -> None:
    columns = columns_of(parents, count)
    assert 1 <= len(columns) <= count
    assert [k for one in columns for k in range(one.start, one.end)] == [*range(len(parents))]
    assert columns[0].repeated == (-1,)
    for column in columns:
        shown = {*column.members}
        assert len(shown) == len(column.members)
        assert all(parents[k] in shown for k in range(column.start, column.end))
        needed = {parents[k] for k in range(column.start, column.end)}
        assert all(k in needed for k in column.repeated if column.start)


@given(st.integers(1, 200), st.integers(1, 12))
def test_columns_of_a_star_are_of_similar_length(total: int, count: int) -> None:
    sizes = [len(one.members) - 1 for one in columns_of([-1] * total, count)]
    assert sum(sizes) == total
    assert max(sizes) <= total / min(count, total) + 1
