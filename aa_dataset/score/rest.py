# SPDX-License-Identifier: Apache-2.0
"""Where the moving parts are at rest: centers of what each joint moves.

They enter no score. The pairing by geometry uses them, and `rest_offset` compares the shapes of a
prediction with those of the ground truth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric.tree.skeleton import is_exactly_fixed
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.budgets import LARGEST
from aa_dataset.score.readers import Reading
from aa_dataset.score.readers.shapes import LinkBoxes, joined_box

Array = NDArray[np.float64]
Centers = dict[str, Array]


@dataclass(frozen=True, slots=True, eq=False)
class RestCenters:
    """Centers of what the joints of both sides move [m], object frame at rest, by joint name."""

    truth: Centers = field(default_factory=dict)
    predicted: Centers = field(default_factory=dict)

    @classmethod
    def of(cls, item: ArticulatedObject, tree: KinematicTree, reading: Reading) -> RestCenters:
        """Return the centers of an object and its prediction, none where shapes are unknown."""
        try:
            predicted = centers(tree, reading.boxes())
        except Exception:  # shapes enter no score, so no file of them may end the run
            return cls()
        if not predicted:
            return cls()
        return cls(centers(item.tree, LinkBoxes(item.link_boxes)), predicted)

    def offset(self, joint: str, predicted: str) -> float | None:
        """Return the distance between the centers of two joints [m], None if one is unknown."""
        ours, theirs = self.truth.get(joint), self.predicted.get(predicted)
        if ours is None or theirs is None:
            return None
        gap = math.dist(ours.tolist(), theirs.tolist())
        return gap if math.isfinite(gap) else None


def centers(tree: KinematicTree, shapes: LinkBoxes) -> Centers:
    """Return the center of the box of what each joint moves, without what further joints move.

    A joint is left out if it moves no shape, one without a known box, or one that is so far away
    that no distance to it is a number.
    """
    if not shapes.boxes:
        return {}
    found = {}
    for joint, links in moved_links(tree).items():
        boxes = [shapes.boxes[link] for link in links if link in shapes.boxes]
        if boxes and not shapes.unknown.intersection(links):
            lower, upper = joined_box(boxes)
            center = (lower + upper) / 2
            if (np.abs(center) <= LARGEST).all():  # squares of gaps must be finite
                found[joint] = center
    return found


def moved_links(tree: KinematicTree) -> dict[str, list[str]]:
    """Return the links welded to the child of every moving joint, by joint name."""
    owner: dict[str, str | None] = {tree.root: None}
    moved: dict[str, list[str]] = {}
    for joint in tree.joints:
        above = owner[joint.parent] if is_exactly_fixed(joint) else joint.name
        owner[joint.child] = above
        if above is not None:
            moved.setdefault(above, []).append(joint.child)
    return moved
