# SPDX-License-Identifier: Apache-2.0
"""The input of the checks: one normalized object, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import trimesh

from aa_dataset.kinematics import Joint, KinematicTree
from aa_dataset.portable import length
from pipeline.engine.settings import Verify
from pipeline.raw.taxonomy import Category
from pipeline.stages.verify.rays import Skin
from pipeline.stages.verify.shapes import LinkShape, united


@dataclass(frozen=True, eq=False)
class Evidence:
    """One object in its own frame at rest.

    Attributes
    ----------
    tree : KinematicTree
        Links and joints.
    shapes : mapping of link to LinkShape
        Links without a triangle are left out.
    extents : (3,) float [m]
        Size of the box at rest.
    is_metric : bool
        Whether lengths are true meters.
    category : Category or None
        None if the taxonomy does not have the label.
    options : Verify
        `verify` of the config.
    not_finite : tuple of str
        Links with coordinates that are not numbers; they are not among the shapes.
    invented : tuple of str
        Joints whose range normalize invented, because the source has none.
    """

    tree: KinematicTree
    shapes: Mapping[str, LinkShape]
    extents: np.ndarray
    is_metric: bool
    category: Category | None
    options: Verify
    not_finite: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()

    @cached_property
    def diagonal(self) -> float:
        """Return the diagonal [m] of the box at rest, the object's size."""
        return float(length(self.extents))

    @cached_property
    def skins(self) -> dict[str, Skin]:
        """Return the surface of every link that has an area, in units of the object's size."""
        size = max(self.diagonal, 1e-12)
        return {k: Skin(shape, size) for k, shape in self.shapes.items() if len(shape.solid_faces)}

    def moved(self, joint: Joint) -> tuple[str, ...]:
        """Return the links below a joint, in the tree's order."""
        return self.tree.below(joint.child)

    def moved_bounds(self, joint: Joint) -> np.ndarray | None:
        """Return the box (2, 3) [m] of the geometry below a joint; None if there is none."""
        boxes = [self.shapes[link].bounds for link in self.moved(joint) if link in self.shapes]
        if not boxes:
            return None
        stacked = np.array(boxes)
        return np.stack([stacked[:, 0].min(axis=0), stacked[:, 1].max(axis=0)])

    def moved_size(self, joint: Joint) -> float:
        """Return the diagonal [m] of the box of the geometry below a joint, 0 for none."""
        bounds = self.moved_bounds(joint)
        return 0.0 if bounds is None else float(length(bounds[1] - bounds[0]))

    def carriers(self, link: str) -> tuple[Joint, ...]:
        """Return the movable joints between the root and a link, the nearest first."""
        return tuple(joint for joint in self.tree.above(link) if joint.is_movable)


def link_shapes(
    meshes: Mapping[str, list[trimesh.Trimesh]],
) -> tuple[dict[str, LinkShape], tuple[str, ...]]:
    """Return the shape of every link that has a triangle, and links that are not finite."""
    broken = tuple(link for link, parts in meshes.items() if not all(map(_is_finite, parts)))
    shapes = {link: united(parts) for link, parts in meshes.items() if link not in broken}
    return {link: shape for link, shape in shapes.items() if shape is not None}, broken


def _is_finite(mesh: trimesh.Trimesh) -> bool:
    return bool(np.isfinite(mesh.vertices).all())
