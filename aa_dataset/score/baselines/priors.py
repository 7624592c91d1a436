# SPDX-License-Identifier: Apache-2.0
"""Baselines that know the objects of ``train`` and the category and bounding box of an object.

They never read a joint of the split that they predict.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aa_dataset.dataset import Dataset
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.metric.distance import motion_size
from aa_dataset.metric.norms import SplitNorm
from aa_dataset.objects import ArticulatedObject
from aa_dataset.portable import dot, length, second_moments, symmetric_eigen
from aa_dataset.score.baselines.shapes import KnownShape, moving, one_part_tree, with_changed_joints

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """An object of ``train``: its shape and its joints."""

    shape: KnownShape
    tree: KinematicTree

    @property
    def main(self) -> Joint | None:
        """The joint of the largest E_alpha^phi to the fixed joint, ties by name."""
        joints = moving(self.tree)
        if not joints:
            return None
        sizes = motion_size(joints, norm=SplitNorm(1.0), compactify=math.pi).tolist()
        return min(zip(sizes, joints, strict=True), key=lambda pair: (-pair[0], pair[1].name))[1]


class Examples:
    """The objects of ``train``, found by category."""

    def __init__(self, dataset: Dataset):
        """Take the split ``train`` of the library of a selection."""
        catalog = dataset.catalog
        train = Dataset(catalog, catalog.split_rows(catalog.resolve_split("train")))
        self._items: dict[str, list[ArticulatedObject]] = {}
        self._all = sorted(train, key=lambda item: item.object_id)
        for item in self._all:
            for group in (f"category {item.category}", f"supercategory {item.supercategory}"):
                self._items.setdefault(group, []).append(item)
        self._known: dict[str, Example] = {}

    def near(self, shape: KnownShape) -> list[Example]:
        """Return the objects of the category; without any, of the supercategory; else all.

        The object itself is never among them.
        """
        groups = (
            self._items.get(f"category {shape.category}", []),
            self._items.get(f"supercategory {shape.supercategory}", []),
            self._all,
        )
        others = ([item for item in group if item.object_id != shape.object_id] for group in groups)
        return [self._example(item) for item in next(filter(None, others), [])]

    def _example(self, item: ArticulatedObject) -> Example:
        if item.object_id not in self._known:
            self._known[item.object_id] = Example(KnownShape.of(item), item.tree)
        return self._known[item.object_id]


# --- nearest --------------------------------------------------------------------------------------


def nearest(shape: KnownShape, examples: Examples) -> KinematicTree:
    """Return the joints of the example of the closest proportions, fitted to the bounding box.

    Boxes are scaled to the diagonal 1; the closest has the smallest distance between extents, ties
    by object id. Points are stretched per axis by the ratio of the extents, and so are directions
    and lengths along them; angles are kept.
    """
    found = examples.near(shape)
    if not found:
        return one_part_tree(shape, None)
    wanted = _proportions(shape)
    example = min(found, key=lambda one: (_shape_distance(wanted, one.shape), one.shape.object_id))
    return stretched_tree(example, shape)


def _proportions(shape: KnownShape) -> Array:
    return shape.extents / shape.diagonal if shape.diagonal > 0 else shape.extents


def _shape_distance(wanted: Array, shape: KnownShape) -> float:
    return float(length(_proportions(shape) - wanted))


def stretched_tree(example: Example, shape: KnownShape) -> KinematicTree:
    """Return the tree of an example stretched to the bounding box of another object."""
    source, whole = example.shape.extents, example.shape.diagonal
    uniform = shape.diagonal / whole if whole > 0 else 1.0
    flat = source <= 0
    stretch = np.where(flat, uniform, shape.extents / np.where(flat, 1.0, source))
    stretch = np.where(stretch > 0, stretch, uniform)

    def placed(joint: Joint) -> Joint:
        axis = stretch * joint.axis
        along = float(length(axis))
        size = along if joint.type is JointType.PRISMATIC else 1.0
        return replace(
            joint,
            axis=axis,
            origin=stretch * joint.origin,
            lower=joint.lower * size,
            upper=joint.upper * size,
            pitch=joint.pitch * along,
        )

    return with_changed_joints(example.tree, placed)


# --- mean-joint -----------------------------------------------------------------------------------


def mean_joint(shape: KnownShape, examples: Examples) -> KinematicTree:
    """Return one joint: the mean of the main joints of the category's objects.

    Each object gives its main joint, fitted to the bounding box. The most frequent type counts
    (ties in the order of `JointType`), and of its joints the mean of axes up to sign, of origins
    and of limits. The axis up to sign is the principal direction of all axes.
    """
    joints = [main for example in examples.near(shape) if (main := _fitted_main(example, shape))]
    if not joints:
        return one_part_tree(shape, None)
    order = {kind: k for k, kind in enumerate(JointType)}
    counts = Counter(joint.type for joint in joints)
    kind = min(counts, key=lambda one: (-counts[one], order[one]))
    return one_part_tree(shape, _mean([joint for joint in joints if joint.type is kind]))


def _fitted_main(example: Example, shape: KnownShape) -> Joint | None:
    main = example.main
    if main is None:
        return None
    return stretched_tree(example, shape).joint(main.name)


def _mean(joints: Sequence[Joint]) -> Joint:
    """Return the mean of joints of one type."""
    axes = np.array([joint.axis for joint in joints])
    principal = symmetric_eigen(second_moments(axes))[1][:, 2]
    largest = int(np.abs(principal).argmax())
    principal = principal if principal[largest] > 0 else -principal
    aligned = [
        joint if float(dot(joint.axis, principal)) >= 0 else joint.reversed() for joint in joints
    ]
    origins = np.array([joint.origin for joint in aligned]).T.tolist()
    # One-sided ranges are averaged end by end, so the ends can cross.
    lower, upper = sorted(map(_average, zip(*(joint.limits for joint in aligned), strict=True)))
    return Joint(
        "joint",
        joints[0].type,
        principal,
        np.array([_average(values) for values in origins]),
        lower=lower,
        upper=upper,
        pitch=_average([joint.pitch for joint in aligned]),
    )


def _average(values: Sequence[float]) -> float:
    """Return the mean of the finite values, or infinity if most values are infinite."""
    infinite = [value for value in values if math.isinf(value)]
    if 2 * len(infinite) > len(values):
        return infinite[0]
    finite = [value for value in values if not math.isinf(value)]
    return math.fsum(finite) / len(finite)
