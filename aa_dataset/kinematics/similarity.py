# SPDX-License-Identifier: Apache-2.0
"""Similarities: the map between the frame and unit of a method and the object frame."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import ArgumentError
from aa_dataset.kinematics.joints import Joint, JointType, Mimic
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.portable import applied, determinant, product

Array = NDArray[np.float64]

ROTATION_TOLERANCE = 1e-6  # of the entries of R R^T and of the determinant


def _identity() -> Array:
    return np.eye(3)


def _origin() -> Array:
    return np.zeros(3)


@dataclass(frozen=True, slots=True, eq=False)
class Similarity:
    """The map ``x -> scale * rotation x + translation`` between two frames.

    Attributes
    ----------
    scale : float
        Positive: lengths of the target frame per length of the source frame.
    rotation : (3, 3) float
        A proper rotation.
    translation : (3,) float
        Where the source frame's origin lies, in the target frame and its unit.
    """

    scale: float = 1.0
    rotation: Array = field(default_factory=_identity)
    translation: Array = field(default_factory=_origin)

    def __post_init__(self) -> None:
        scale = float(self.scale)
        rotation = np.array(self.rotation, dtype=float)
        translation = np.array(self.translation, dtype=float)
        if not (math.isfinite(scale) and scale > 0):
            raise ArgumentError(f"the scale of a similarity is {scale}; it must be positive.")
        if rotation.shape != (3, 3) or not _is_rotation(rotation):
            raise ArgumentError(
                "the rotation of a similarity is not a proper rotation, (3, 3) with determinant 1."
            )
        if translation.shape != (3,) or not np.isfinite(translation).all():
            raise ArgumentError("the translation of a similarity is not three finite numbers.")
        for name, value in (
            ("scale", scale),
            ("rotation", rotation),
            ("translation", translation),
        ):
            object.__setattr__(self, name, value)

    @property
    def is_identity(self) -> bool:
        """Whether nothing moves, to the last bit."""
        moved = (self.rotation != np.eye(3)).any() or self.translation.any()
        return self.scale == 1.0 and not moved

    @property
    def matrix(self) -> Array:
        """The map of homogeneous points, (4, 4)."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.scale * self.rotation
        matrix[:3, 3] = self.translation
        return matrix

    def inverse(self) -> Similarity:
        """Return the map back."""
        back = self.rotation.T
        return Similarity(1.0 / self.scale, back, -applied(back, self.translation) / self.scale)

    def after(self, first: Similarity) -> Similarity:
        """Return the map that applies `first`, then this one."""
        return Similarity(
            self.scale * first.scale,
            product(self.rotation, first.rotation),
            self.points(first.translation),
        )

    def points(self, points: ArrayLike) -> Array:
        """Return points (..., 3) in the target frame."""
        turned = applied(self.rotation, np.asarray(points, dtype=float))
        return np.asarray(self.scale * turned + self.translation)

    def joint(self, joint: Joint) -> Joint:
        """Return a joint in the target frame.

        Travel and pitch take the target's unit of length, angles stay. The body moves and grows at
        constant density.
        """
        along = self.scale if joint.type is JointType.PRISMATIC else 1.0
        body = joint.body
        if body is not None:
            placement = np.eye(4)
            placement[:3, :3], placement[:3, 3] = self.rotation, self.translation
            body = body.scaled(self.scale).moved(placement)
        return replace(
            joint,
            axis=applied(self.rotation, joint.axis),
            origin=self.points(joint.origin),
            lower=along * joint.lower,
            upper=along * joint.upper,
            pitch=self.scale * joint.pitch,
            body=body,
            mimic=_scaled_mimic(joint, along),
        )

    def tree(self, tree: KinematicTree) -> KinematicTree:
        """Return a tree in the target frame; couplings of turns and slides take its unit."""
        if self.is_identity:
            return tree
        joints = [self.joint(joint) for joint in tree.joints]
        # `joint` scales a coupling by its own unit; the unit of its leader goes the other way.
        leaders = {joint.name: joint.type is JointType.PRISMATIC for joint in tree.joints}
        joints = [_with_leaders_unit(joint, leaders, self.scale) for joint in joints]
        return KinematicTree(tree.name, tree.links, tuple(joints))


def _is_rotation(matrix: Array) -> bool:
    if not np.isfinite(matrix).all():
        return False
    error = np.abs(product(matrix, matrix.T) - np.eye(3)).max()
    return bool(error <= ROTATION_TOLERANCE and determinant(matrix) > 0)


def _scaled_mimic(joint: Joint, along: float) -> Mimic | None:
    if joint.mimic is None:
        return None
    mimic = joint.mimic
    return replace(mimic, multiplier=along * mimic.multiplier, offset=along * mimic.offset)


def _with_leaders_unit(joint: Joint, slides: dict[str, bool], scale: float) -> Joint:
    if joint.mimic is None or not slides.get(joint.mimic.joint, False):
        return joint
    mimic = replace(joint.mimic, multiplier=joint.mimic.multiplier / scale)
    return replace(joint, mimic=mimic)
