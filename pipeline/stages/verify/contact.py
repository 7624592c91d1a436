# SPDX-License-Identifier: Apache-2.0
"""Finds which links are near each other at rest: cheap tests first, the exact distance last."""

from __future__ import annotations

from typing import Any

import numpy as np

from aa_dataset.portable import length
from pipeline.stages.verify.evidence import Evidence
from pipeline.stages.verify.shapes import LinkShape

POINTS = 128  # of a link, from which the cheap test casts rays


class Contact:
    """Nearness of the links of one object.

    Parameters
    ----------
    evidence : Evidence
        One object.
    least : float [m]
        Links are near if their surfaces are not farther apart.
    pairs : int
        Budget of pairs; `pairs_left` is below 0 if it was exceeded.
    """

    def __init__(self, evidence: Evidence, least: float, pairs: int):
        self.pairs_left = pairs
        self._skins = evidence.skins
        self._shapes = {link: evidence.shapes[link] for link in self._skins}
        self._parents = {joint.child: joint.parent for joint in evidence.tree.joints}
        self._size, self._least = max(evidence.diagonal, 1e-12), least
        self._models: dict[str, Any] = {}
        boxes = [shape.bounds for shape in self._shapes.values()]
        self._boxes = np.array(boxes).reshape(-1, 2, 3)

    def loose_groups(self) -> list[list[str]]:
        """Return the groups of links near each other, except the one with the largest link."""
        group_of = {link: [link] for link in self._shapes}
        for link in self._shapes:
            for other in self._candidates(link):
                mine, theirs = group_of[link], group_of[other]
                if mine is theirs:
                    continue
                self.pairs_left -= 1
                if self.pairs_left < 0:
                    return []
                if self._is_near(link, other):
                    mine.extend(theirs)
                    group_of.update(dict.fromkeys(theirs, mine))
        groups = list({id(group): group for group in group_of.values()}.values())
        groups.sort(key=lambda group: -max(self._extent(link) for link in group))
        order = list(self._shapes).index
        return sorted(sorted(group, key=order) for group in groups[1:])

    def _extent(self, link: str) -> float:
        low, high = self._shapes[link].bounds
        return float(length(high - low))

    def _candidates(self, link: str) -> list[str]:
        """Return the links whose boxes are near, the parent first."""
        gaps = self._box_gaps(self._shapes[link].bounds)
        near = [other for other, gap in gaps.items() if gap <= self._least and other != link]
        return sorted(near, key=lambda other: other != self._parents.get(link))

    def _box_gaps(self, box: np.ndarray) -> dict[str, float]:
        """Return the distance [m] of every link's box to a box (2, 3)."""
        away = np.maximum(box[0] - self._boxes[:, 1], self._boxes[:, 0] - box[1])
        gaps = length(np.maximum(away, 0.0))
        return dict(zip(self._shapes, gaps.tolist(), strict=True))

    def _is_near(self, one: str, other: str) -> bool:
        """Return whether two links are near: by rays along the normals, else by distance."""
        if self._faces(one, other) or self._faces(other, one):
            return True
        return self.distance(one, other) <= self._least

    def _faces(self, one: str, other: str) -> bool:
        points, normals = self._skins[one].spread(POINTS)
        reach = np.full(2 * len(points), self._least / self._size)
        starts, heads = np.concatenate([points, points]), np.concatenate([normals, -normals])
        return bool(np.isfinite(self._skins[other].hits(starts, heads, reach)[0]).any())

    def distance(self, one: str, other: str) -> float:
        """Return the distance [m] of two links' surfaces, 0 if they meet."""
        import fcl

        result = fcl.DistanceResult()
        first, second = self._model(one), self._model(other)
        return max(0.0, float(fcl.distance(first, second, fcl.DistanceRequest(), result)))

    def _model(self, link: str) -> Any:
        if link not in self._models:
            self._models[link] = collision_object(self._shapes[link])
        return self._models[link]

    def gap(self, group: list[str]) -> float:
        """Return the distance [m] of a group of links to everything else."""
        pairs = [
            (bound, one, other)
            for one in group
            for other, bound in self._box_gaps(self._shapes[one].bounds).items()
            if other not in group
        ]
        least = float("inf")
        for bound, one, other in sorted(pairs):
            if bound >= least:
                break
            least = min(least, self.distance(one, other))
        return least


def collision_object(shape: LinkShape) -> Any:
    """Return a shape as a mesh of FCL, object frame at rest [m]."""
    import fcl

    model = fcl.BVHModel()
    model.beginModel(len(shape.vertices), len(shape.solid_faces))
    model.addSubModel(shape.vertices, shape.solid_faces)
    model.endModel()
    return fcl.CollisionObject(model)
