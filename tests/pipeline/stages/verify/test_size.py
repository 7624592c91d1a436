# SPDX-License-Identifier: Apache-2.0
"""Scale and up-axis: suspicion beyond a bound, silence within and where nothing is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh

from aa_dataset.kinematics import Joint, KinematicTree
from pipeline.raw.taxonomy import Category, read_taxonomy
from pipeline.stages.verify.evidence import Evidence
from pipeline.stages.verify.size import check_size
from pipeline.stages.verify.upright import KINDS, check_up, load_rules
from tests.kit import evidence as make
from tests.kit.places import REPOSITORY

USUAL = 2.2


def sized(ratio: float, is_metric: bool, usual: float | None) -> Evidence:
    category = Category("door", "Architectural Fixtures", "source", usual)
    extents = (0.0, ratio * USUAL, 0.0)
    cube = {"a": make.box((1, 1, 1))}
    return make.evidence(cube, extents=extents, is_metric=is_metric, category=category)


@pytest.mark.parametrize(
    ("ratio", "code", "word"),
    [
        (1.0, None, ""),
        (4.99, None, ""),
        (1 / 4.99, None, ""),
        (5.01, "size_unusual", ""),
        (1 / 5.01, "size_unusual", ""),
        (33.0, "size_unusual", ""),  # 100 / 3 = 33.3
        (34.0, "unit_suspected", "centimeters"),
        (100.0, "unit_suspected", "centimeters"),
        (300.0, "unit_suspected", "centimeters"),
        (333.4, "unit_suspected", "millimeters"),
        (1000.0, "unit_suspected", "millimeters"),
        (3001.0, "size_unusual", ""),
        (0.01, "unit_suspected", "divided by 100"),
        (0.001, "unit_suspected", "divided by 1000"),
    ],
)
def test_a_size_beyond_the_factor_is_found_and_its_unit_guessed(
    ratio: float, code: str | None, word: str
) -> None:
    found = list(check_size(sized(ratio, True, USUAL)))
    assert make.names(found) == ([code] if code else [])
    assert all(word in finding.detail for finding in found)


def test_without_a_known_size_or_unit_there_is_no_finding() -> None:
    assert not list(check_size(sized(1000.0, False, USUAL)))
    assert not list(check_size(sized(1000.0, True, None)))
    assert not list(check_size(make.evidence({"a": make.box((1, 1, 1))})))


def leaning(category: str, kind: str, degrees: float) -> Evidence:
    """Return a part whose joint leans by an angle from the vertical, and a small vertical one."""
    angle = math.radians(degrees)
    known = Category(category, "Architectural Fixtures", "source", None)
    meshes = {"a": make.box((1, 1, 1)), "b": make.box((1, 1, 1)), "c": make.box((0.1, 0.1, 0.1))}
    big = make.joint("big", kind, "a", "b", axis=(math.sin(angle), 0, math.cos(angle)))
    small = make.joint("small", kind, "a", "c", axis=(0, 1, 0))
    return make.evidence(meshes, small, big, category=known)


@pytest.mark.parametrize(
    ("category", "kind", "degrees", "expected"),
    [
        ("door", "revolute", 0, False),
        ("door", "revolute", 44, False),
        ("door", "revolute", 46, True),
        ("door", "revolute", 180, False),
        ("door", "prismatic", 90, False),  # the rule is about hinges
        ("chest_of_drawers", "prismatic", 90, False),
        ("chest_of_drawers", "prismatic", 46, False),
        ("chest_of_drawers", "prismatic", 44, True),
        ("ceiling_fan", "continuous", 90, True),
        ("scissors", "revolute", 90, False),  # no rule
    ],
)
def test_the_joint_that_moves_most_decides_which_way_is_up(
    category: str, kind: str, degrees: float, expected: bool
) -> None:
    found = list(check_up(leaning(category, kind, degrees)))
    assert make.names(found) == (["up_suspected"] if expected else [])
    assert all("joint big" in finding.detail for finding in found)


def test_no_category_no_suspicion() -> None:
    cube = make.box((1, 1, 1))
    hinge = make.joint("j", "revolute", "a", "b", axis=(1, 0, 0))
    assert not list(check_up(make.evidence({"a": cube, "b": cube}, hinge)))


def test_every_rule_is_about_a_known_category() -> None:
    known = read_taxonomy(REPOSITORY / "taxonomy").categories
    rules = load_rules()
    assert set(rules) <= set(known)
    assert list(rules) == sorted(rules)
    assert {rule.joint for rule in rules.values()} == set(KINDS)


def turned(tree: KinematicTree, matrix: np.ndarray) -> KinematicTree:
    """Return a tree in a turned frame."""
    joints = [
        Joint(j.name, j.type, matrix[:3, :3] @ j.axis, matrix[:3, :3] @ j.origin, j.lower, j.upper,
              j.pitch, j.parent, j.child, None, j.mimic)
        for j in tree.joints
    ]  # fmt: skip
    return KinematicTree(tree.name, tree.links, tuple(joints))


def test_an_object_laid_on_its_side_is_found_by_its_vertical_joint() -> None:
    upright = leaning("refrigerator", "revolute", 0)
    for axis in ((1, 0, 0), (0, 1, 0)):
        matrix = trimesh.transformations.rotation_matrix(math.pi / 2, axis)
        laid = Evidence(turned(upright.tree, matrix), upright.shapes, upright.extents, True,
                        upright.category, upright.options)  # fmt: skip
        assert make.names(list(check_up(laid))) == ["up_suspected"]
