# SPDX-License-Identifier: Apache-2.0
"""A long list of indented joints in several columns, as a newspaper sets a long text.

A column after the first repeats, on top, the links above it that have more children there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """Joints ``start`` to ``end - 1``, below the links of the joints `repeated` (-1: the root)."""

    start: int
    end: int
    repeated: tuple[int, ...]

    @property
    def members(self) -> tuple[int, ...]:
        """What has a row in the column: the repeated links, then the joints."""
        return (*self.repeated, *range(self.start, self.end))


def columns_of(parents: Sequence[int], count: int) -> list[Column]:
    """Break a list of joints into at most `count` columns of similar length.

    Parameters
    ----------
    parents : sequence of int
        For each joint, depth first, the index of its parent joint, -1 below the root.
    count : int
        Columns, at least 1.

    Returns
    -------
    list of Column
        A break is where the fewest links must be repeated, within a fifth of a column around the
        place that makes columns equal.
    """
    total = len(parents)
    starts = [0]
    for number in range(1, count):
        ideal = round(number * total / count)
        slack = max(1, total // (5 * count))
        near = range(max(starts[-1] + 1, ideal - slack), min(total, ideal + slack + 1))
        ranked = sorted((len(_above(parents, k, total)), abs(k - ideal), k) for k in near)
        starts += [k for _, _, k in ranked[:1]]
    ends = [*starts[1:], total]
    return [
        Column(start, end, _above(parents, start, end) if start else (-1,))
        for start, end in zip(starts, ends, strict=True)
    ]


def _above(parents: Sequence[int], start: int, end: int) -> tuple[int, ...]:
    """Return the joints before `start` whose links have children from there to `end`."""
    return tuple(sorted({parent for parent in parents[start:end] if parent < start}))
