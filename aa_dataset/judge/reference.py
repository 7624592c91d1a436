# SPDX-License-Identifier: Apache-2.0
"""The expected behavior of an object, to be compared with a simulator."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aa_dataset.adapters.common import ObjectFiles, ObjectLike, open_object
from aa_dataset.kinematics.bodies import RigidBody, merge_bodies
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf_tree import link_bodies, rest_frames, urdf_tree
from aa_dataset.objects import ArticulatedObject

Array = NDArray[np.float64]

FULL_TURN = 2 * math.pi  # range of a joint without a limit


@dataclass(frozen=True)
class Reference:
    """The expected state of one object: its files, and its tree from the library's tables."""

    files: ObjectFiles
    tree: KinematicTree

    @classmethod
    def of(cls, item: ObjectLike) -> Reference:
        """Return the reference of a library object, a folder or a URDF."""
        files = open_object(item)
        tree = item.tree if isinstance(item, ArticulatedObject) else urdf_tree(files.model)
        return cls(files, tree)

    @cached_property
    def rest(self) -> dict[str, Array]:
        """Frames (4, 4) of all links at rest, object frame."""
        return rest_frames(self.files.model)

    @cached_property
    def reach(self) -> float:
        """Length scale [m]: the farthest link frame at rest, at least 1."""
        return max(1.0, *(float(np.abs(frame[:3, 3]).max()) for frame in self.rest.values()))

    @property
    def independent(self) -> tuple[Joint, ...]:
        """Movable joints that do not follow another."""
        return tuple(joint for joint in self.tree.movable if joint.mimic is None)

    def start(self) -> dict[str, float]:
        """Return the state nearest to rest inside all limits."""
        return {j.name: min(max(0.0, j.lower), j.upper) for j in self.independent}

    def configurations(self, count: int, seed: int = 0) -> dict[str, Array]:
        """Return `count` random values of every independent joint, within its range."""
        rng = np.random.default_rng(seed)
        ranges = {j.name: _driven_range(j) for j in self.independent}
        return {name: rng.uniform(*ends, size=count) for name, ends in ranges.items()}

    def frames(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """Return the frames (n, 4, 4) of all links of the tree for n states at once."""
        placed = self.tree.placements(values)
        return {
            link: (placed[link] @ self.rest[link]).reshape(-1, 4, 4) for link in self.tree.links
        }

    def driven(self, joint: Joint) -> Iterator[tuple[float, dict[str, float]]]:
        """Yield values in one joint's range, with the state that moves only this joint."""
        for value in np.linspace(*_driven_range(joint), 5).tolist():
            yield value, self._leader_coordinate(joint, value)

    def _leader_coordinate(self, joint: Joint, value: float) -> dict[str, float]:
        """Return the independent coordinate that moves a joint to a value."""
        while joint.mimic is not None:
            if joint.mimic.multiplier == 0.0:
                return {}
            value = (value - joint.mimic.offset) / joint.mimic.multiplier
            joint = self.tree.joint(joint.mimic.joint)
        return {joint.name: value}

    def bodies(self, *, welded: bool) -> dict[str, RigidBody]:
        """Return every link's body in its own frame; with `welded`, fixed children included."""
        found = link_bodies(self.files.model, self.rest)
        parts = self._welded_clusters() if welded else {link: [link] for link in found}
        inward: dict[str, Array] = {
            link: np.asarray(np.linalg.inv(self.rest[link]), dtype=float) for link in parts
        }
        return {
            link: merge_bodies([found[name] for name in names]).moved(inward[link])
            for link, names in parts.items()
            if all(name in found for name in names)
        }

    def _welded_clusters(self) -> dict[str, list[str]]:
        fixed = {j.child: j.parent for j in self.files.model.joints if j.type == "fixed"}
        clusters: dict[str, list[str]] = {}
        for link in self.files.model.links:
            head = link.name
            while head in fixed:
                head = fixed[head]
            clusters.setdefault(head, []).append(link.name)
        return clusters


def _driven_range(joint: Joint) -> tuple[float, float]:
    """Return the limits; an absent one becomes a full turn."""
    lower = -FULL_TURN if math.isinf(joint.lower) else joint.lower
    return lower, FULL_TURN if math.isinf(joint.upper) else joint.upper
