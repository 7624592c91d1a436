# SPDX-License-Identifier: Apache-2.0
"""`mean-joint` and `nearest` know `train`, the category and the box, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from aa_dataset import load_dataset
from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.baselines import Options, by_name
from aa_dataset.score.baselines.priors import Example, Examples, mean_joint, nearest, stretched_tree
from aa_dataset.score.baselines.shapes import KnownShape
from tests.kit.library_folder import build_library
from tests.kit.library_objects import ObjectSpec, Part


class Given:
    """Examples that a test chose."""

    def __init__(self, *examples: Example):
        self._examples = list(examples)

    def near(self, shape: KnownShape) -> list[Example]:
        return self._examples


def shape(*extents: float, name: str = "generated-x") -> KnownShape:
    return KnownShape(name, "cabinet", "furniture", np.array(extents))


def example(*joints: Joint, extents=(1.0, 1.0, 1.0), name: str = "generated-a") -> Example:
    placed = tuple(
        replace(joint, parent="base", child=f"part_{joint.name}", name=joint.name)
        for joint in joints
    )
    links = ("base", *(joint.child for joint in placed))
    return Example(shape(*extents, name=name), KinematicTree(name, links, placed))


def hinge(name="h", axis=(0, 0, 1), origin=(0.5, 0.2, 0.0), upper=1.5) -> Joint:
    return Joint(name, JointType.REVOLUTE, np.array(axis), np.array(origin), 0.0, upper)


def slide(name="s", axis=(1, 0, 0), upper=0.4) -> Joint:
    return Joint(name, JointType.PRISMATIC, np.array(axis), np.zeros(3), 0.0, upper)


# --- nearest --------------------------------------------------------------------------------------


def test_the_nearest_box_has_the_closest_proportions_whatever_its_size():
    tall = example(hinge("tall"), extents=(1.0, 1.0, 8.0), name="generated-tall")
    flat = example(hinge("flat"), extents=(50.0, 50.0, 5.0), name="generated-flat")
    assert nearest(shape(0.2, 0.2, 0.03), Given(tall, flat)).joints[0].name == "flat"
    assert nearest(shape(0.2, 0.2, 0.9), Given(tall, flat)).joints[0].name == "tall"


def test_equal_boxes_are_taken_by_name():
    later, first = (example(hinge(k), name=f"generated-{k}") for k in "ba")
    assert nearest(shape(2.0, 2.0, 2.0), Given(later, first)).joints[0].name == "a"


def test_joints_are_stretched_with_the_box():
    source = example(
        hinge(origin=(0.5, 0.2, 0.1)),
        slide(axis=(1, 1, 0), upper=0.3),
        replace(hinge("screw"), type=JointType.HELICAL, pitch=0.01),
    )
    found = {joint.name: joint for joint in stretched_tree(source, shape(2.0, 3.0, 4.0)).joints}
    assert found["h"].origin == pytest.approx([1.0, 0.6, 0.4])
    assert (found["h"].axis.tolist(), found["h"].limits) == ([0, 0, 1], (0.0, 1.5))
    # The end of the slide, 0.3 along (1, 1, 0) / sqrt(2), goes to its image in the larger box.
    end = 0.3 / math.sqrt(2)
    assert found["s"].upper * found["s"].axis == pytest.approx([2.0 * end, 3.0 * end, 0.0])
    assert found["screw"].pitch == pytest.approx(0.04)


def test_a_flat_box_is_stretched_by_the_diagonal():
    source = example(hinge(origin=(0.5, 0.2, 0.1)), extents=(3.0, 4.0, 0.0))
    assert stretched_tree(source, shape(6.0, 8.0, 0.0)).joints[0].origin == pytest.approx(
        [1.0, 0.4, 0.2]
    )
    assert stretched_tree(source, shape(3.0, 4.0, 12.0)).joints[0].origin == pytest.approx(
        [0.5, 0.2, 0.1 * 13 / 5]
    )


# --- mean-joint -----------------------------------------------------------------------------------


def test_the_mean_of_one_example_is_its_main_joint():
    (joint,) = mean_joint(shape(2.0, 1.0, 1.0), Given(example(slide(), hinge()))).joints
    assert (joint.type, joint.limits) == (JointType.REVOLUTE, (0.0, 1.5))  # moves more
    assert joint.origin == pytest.approx([1.0, 0.2, 0.0])


def test_the_mean_takes_the_most_frequent_type_and_axes_up_to_sign():
    tilt = 0.3
    left = hinge(axis=(math.sin(tilt), 0, math.cos(tilt)), origin=(0.1, 0.0, 0.0), upper=1.0)
    right = hinge(axis=(-math.sin(tilt), 0, math.cos(tilt)), origin=(0.3, 0.0, 0.4), upper=2.0)
    examples = Given(example(left), example(right.reversed()), example(slide()))
    (joint,) = mean_joint(shape(1.0, 1.0, 1.0), examples).joints
    assert joint.type is JointType.REVOLUTE
    assert joint.axis == pytest.approx([0, 0, 1])
    assert joint.origin == pytest.approx([0.2, 0.0, 0.2])
    assert joint.limits == pytest.approx((0.0, 1.5))


def test_a_mean_without_examples_is_welded():
    still = example()
    assert mean_joint(shape(1.0, 1.0, 1.0), Given(still)).joints == ()
    assert mean_joint(shape(1.0, 1.0, 1.0), Given()).joints == ()
    assert nearest(shape(1.0, 1.0, 1.0), Given()).joints == ()


# --- which examples -------------------------------------------------------------------------------


@pytest.fixture
def library(tmp_path):
    def spec(name: str, category: str, super_: str, split: str) -> ObjectSpec:
        part = Part(name, "revolute")
        return ObjectSpec(f"generated-{name}", category, (part,), super_, splits=("library", split))

    rows = [
        ("one", "cabinet", "furniture", "train"), ("two", "cabinet", "furniture", "train"),
        ("bed", "bed", "furniture", "train"), ("lamp", "lamp", "lighting", "train"),
        ("asked", "cabinet", "furniture", "eval200_00000000"),
        ("sofa", "sofa", "furniture", "eval200_00000000"),
        ("pan", "pan", "kitchen", "eval200_00000000"),
    ]  # fmt: skip
    return build_library(tmp_path / "library", tuple(spec(*row) for row in rows))


def ids(dataset, name: str) -> list[str]:
    return [one.shape.object_id for one in Examples(dataset).near(KnownShape.of(dataset[name]))]


def test_examples_are_of_the_category_else_of_the_supercategory_else_all(library):
    dataset = load_dataset(library, split="eval200", verbose=False)
    assert ids(dataset, "generated-asked") == ["generated-one", "generated-two"]
    assert ids(dataset, "generated-sofa") == ["generated-bed", "generated-one", "generated-two"]
    assert len(ids(dataset, "generated-pan")) == 4


def test_an_object_is_no_example_of_itself(library):
    dataset = load_dataset(library, split="train", verbose=False)
    assert ids(dataset, "generated-one") == ["generated-two"]
    assert ids(dataset, "generated-lamp") == ["generated-bed", "generated-one", "generated-two"]


@pytest.mark.parametrize("name", ["mean-joint", "nearest", "null"])
def test_the_truth_is_never_read(library, monkeypatch, name):
    dataset = load_dataset(library, split="eval200", verbose=False)
    hidden, read = set(dataset.object_ids), ArticulatedObject.tree.fget

    def guarded(item):
        assert item.object_id not in hidden, "the truth was read"
        return read(item)

    monkeypatch.setattr(ArticulatedObject, "tree", property(guarded))
    guesses = dict(by_name(name).predictions(dataset, Options()))
    assert set(guesses) == hidden
    assert all(len(tree.joints) == (name != "null") for tree in guesses.values())
    assert not by_name(name).method(Options()).uses_truth
