# SPDX-License-Identifier: Apache-2.0
"""Many trees as a few flat arrays, for batches of distances without Python objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArgumentError, shown
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric.endpoints import JointArray
from aa_dataset.metric.tree.skeleton import Skeleton, Tree, contract

Bools = NDArray[np.bool_]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PackedTrees:
    """A library of N trees with J moving joints in total; about 100 bytes per joint.

    Attributes
    ----------
    names : tuple of str
        The trees' names.
    offsets : (N + 1,) int
        Tree k has the joints ``offsets[k]`` to ``offsets[k + 1]``.
    joints : JointArray
        All moving joints, parents before children within a tree.
    parents : (J,) int
        Parent joint of each joint within its tree, -1 at the base.
    enter, leave : (J,) int
        Position of the joint in a depth-first walk from the base, and the end of its branch: k is
        below i iff ``enter[i] < enter[k] < leave[i]``.

    Examples
    --------
    >>> from aa_dataset.kinematics import Joint, KinematicTree
    >>> slide = Joint("slide", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.5, 0.0, "a", "b")
    >>> library = PackedTrees.of([KinematicTree("drawer", ("a", "b"), (slide,))])
    >>> len(library), library.names
    (1, ('drawer',))
    """

    names: tuple[str, ...]
    offsets: Indices
    joints: JointArray
    parents: Indices
    enter: Indices
    leave: Indices

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> PackedTrees:
        """Pack trees; every exact fixed edge is contracted first."""
        skeletons = [contract(tree) for tree in trees]
        counts = [len(skeleton) for skeleton in skeletons]
        walks = [_depth_first_numbers(skeleton.parents) for skeleton in skeletons]
        joints = _joined_joints([skeleton.array for skeleton in skeletons])
        parents = [parent for skeleton in skeletons for parent in skeleton.parents]
        return cls(
            tuple(skeleton.name for skeleton in skeletons),
            np.cumsum([0, *counts], dtype=np.int64),
            joints,
            np.array(parents, dtype=np.int64),
            np.array([place for enter, _ in walks for place in enter], dtype=np.int64),
            np.array([place for _, leave in walks for place in leave], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def largest(self) -> int:
        """The number of joints of the largest tree."""
        return int(np.diff(self.offsets).max(initial=0))

    def rows(self, tree: int) -> slice:
        """Return the slice of the joints of one tree."""
        return slice(int(self.offsets[tree]), int(self.offsets[tree + 1]))

    def shape_of(self, tree: int) -> tuple[Bools, tuple[int, ...]]:
        """Return `below` (n, n) and the parents of one tree, as a `Skeleton` has them."""
        rows = self.rows(tree)
        enter, leave = self.enter[rows], self.leave[rows]
        below = (enter[:, None] < enter) & (enter < leave[:, None])
        return below, tuple(self.parents[rows].tolist())


def as_packed(trees: PackedTrees | Iterable[Tree]) -> PackedTrees:
    """Convert any collection of trees to `PackedTrees`; raise for a single tree."""
    if isinstance(trees, PackedTrees):
        return trees
    if isinstance(trees, KinematicTree | Skeleton):
        raise ArgumentError(
            f"one tree, {trees.name!r}, was passed where several are expected; write `[tree]`, or "
            "compare two with `tree_distance(first, second)`."
        )
    if not isinstance(trees, Iterable):
        raise ArgumentError(f"a list of trees was expected, but the argument is {shown(trees)}.")
    return PackedTrees.of(trees)


def _joined_joints(arrays: Sequence[JointArray]) -> JointArray:
    screws = np.concatenate([np.zeros((0, 6)), *(array.screws for array in arrays)])
    limits = np.concatenate([np.zeros((0, 2)), *(array.limits for array in arrays)])
    names = tuple(name for array in arrays for name in array.names)
    return JointArray.ready(screws, limits, names)


def _depth_first_numbers(parents: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Return joint numbers by which every branch is a contiguous run, and the ends of the runs."""
    sizes = [1] * len(parents)
    for k in range(len(parents) - 1, -1, -1):
        if parents[k] >= 0:
            sizes[parents[k]] += sizes[k]
    enter, free, base = [0] * len(parents), [0] * len(parents), 0
    for k, parent in enumerate(parents):
        if parent < 0:
            enter[k], base = base, base + sizes[k]
        else:
            enter[k], free[parent] = free[parent], free[parent] + sizes[k]
        free[k] = enter[k] + 1
    return enter, [place + size for place, size in zip(enter, sizes, strict=True)]
