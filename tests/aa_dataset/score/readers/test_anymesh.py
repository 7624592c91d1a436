# SPDX-License-Identifier: Apache-2.0
"""Articulate AnyMesh: parents by name, no limits, any sign and length, a sphere of radius 1."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import JointType, LimitSource
from aa_dataset.score.registration.normalization import InputShape
from tests.kit.one_prediction import chosen_reader, in_object_frame, read_files, refusal
from tests.kit.random_trees import trees
from tests.kit.round_trip import OBJECT_ID, brought_back, require_same_motion, setting_of

# A mesh between (0, 0, 0) and (2, 2, 1) m: its diagonal is 3 m, so lengths shrink to two thirds.
SHAPE = InputShape.of(np.array([[0.0, 0.0, 0.0], [2.0, 2.0, 1.0]]))


def part(name: str, parent: str | None = "base", joint: str = "fixed", **axis: Any) -> dict:
    data = {"axis": axis} if axis else {}
    return {"id": 0, "parent": parent, "joint": joint, "name": name, "jointData": data}


def door(**changes: Any) -> dict:
    """A door at the line x = 0, y = 2 m, which the method sees at (-2/3, 2/3)."""
    line = {"origin": [-2 / 3, 2 / 3, 0.0], "direction": [0.0, 0.0, -4.0]}
    return part("door@0", "base", "revolute", **{**line, **changes})


def drawer(**changes: Any) -> dict:
    line = {"origin": [0, 0, 0], "direction": [0.3, 0.0, 0.4]}
    return part("drawer@0", "door@0", "prismatic", **{**line, **changes})


def listed(*parts: dict) -> dict[str, str]:
    return {"mobility.json": json.dumps([*parts, part("base", None)])}


def test_names_of_parents_make_the_tree(tmp_path: Path) -> None:
    files = listed(drawer(), door(), part("shelf@0", "drawer@0"))  # children before parents
    assert chosen_reader(tmp_path, files) == "anymesh"
    prediction = read_files(tmp_path, files)
    tree = prediction.tree
    assert tree.root == "base"
    found = {joint.name: (joint.parent, joint.child, joint.type) for joint in tree.joints}
    assert found == {
        "door@0": ("base", "door@0", JointType.REVOLUTE),
        "drawer@0": ("door@0", "drawer@0", JointType.PRISMATIC),
        "shelf@0": ("drawer@0", "shelf@0", JointType.FIXED),
    }


def test_the_sphere_of_radius_1_is_taken_back(tmp_path: Path) -> None:
    tree = in_object_frame(read_files(tmp_path, listed(door(), drawer())), SHAPE)
    hinge = tree.joint("door@0")
    # (-2/3, 2/3, 0) * 3/2 + (1, 1, 1/2) = (0, 2, 1/2)
    assert hinge.origin == pytest.approx([0.0, 2.0, 0.5])
    assert hinge.axis.tolist() == [0.0, 0.0, -1.0]  # of length 4 in the file
    assert tree.joint("drawer@0").axis == pytest.approx([0.6, 0.0, 0.8])


def test_there_are_no_limits(tmp_path: Path) -> None:
    wheel = part("wheel@0", "base", "continuous", origin=[0, 0, 0], direction=[1, 0, 0])
    prediction = read_files(tmp_path, listed(door(), drawer(), wheel))
    found = {joint.name: joint for joint in prediction.tree.joints}
    for name in ("door@0", "drawer@0"):
        assert found[name].limits == (-math.inf, math.inf)
        assert found[name].limit_source is LimitSource.ABSENT
    assert found["wheel@0"].limit_source is LimitSource.GIVEN  # its type says that it has none
    assert prediction.notes[0] == "no limits stated: door@0, drawer@0"


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        # Turned by 90 degrees about x, then about z, both fixed: (x, y, z) -> (z, x, y).
        ("render:\n  euler:\n    - 90\n    - 0\n    - 90\n", [0.0, -2 / 3, 2 / 3]),
        ("render: {use: 0}\neuler: [90, 0.0, 9e1]\n", [0.0, -2 / 3, 2 / 3]),
        ("render:\n  euler:\n    - 0\n    - 0\n    - 0\nparts:\n  - door\n", [-2 / 3, 2 / 3, 0.0]),
        ("parts:\n  - door\n", [-2 / 3, 2 / 3, 0.0]),
    ],
)
def test_the_angles_of_the_configuration_turn_the_mesh(
    tmp_path: Path, text: str, origin: list[float]
) -> None:
    turned = origin != [-2 / 3, 2 / 3, 0.0]
    direction = [0, -1, 0] if turned else [0, 0, -1]
    if turned:  # (x, y, z) = (0, 0, -1) -> (-1, 0, 0)
        direction = [-1, 0, 0]
    files = listed(door(origin=origin, direction=direction)) | {"config.yaml": text}
    prediction = read_files(tmp_path, files)
    hinge = in_object_frame(prediction, SHAPE).joint("door@0")
    assert hinge.origin == pytest.approx([0.0, 2.0, 0.5])
    assert hinge.axis == pytest.approx([0.0, 0.0, -1.0], abs=1e-15)
    missing = "no configuration beside it; the mesh was not turned"
    assert (missing in prediction.notes) == ("euler" not in text)


@given(trees())
def test_every_tree_comes_back_without_its_limits(tree) -> None:
    for seed in (0, 1):  # other signs and lengths of the axes
        trip = brought_back("anymesh", tree, setting_of(tree, seed=seed))
        require_same_motion(trip.back, trip.kept)
    assert len(trip.kept.joints) == len(tree.joints)
    types = {JointType.HELICAL: JointType.REVOLUTE}
    wanted = [types.get(joint.type, joint.type) for joint in tree.joints]
    assert [joint.type for joint in trip.kept.joints] == wanted


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([door(), {"name": "x"}], "part 'x' lacks the field `parent`"),
        ([part("x", "None")], "part 'x', field `parent`: there is no part 'None'"),
        ([part("x", 0)], "part 'x', field `parent`, is 0; give a text"),
        ([{"parent": "base"}], "entry 0 lacks the field `name`"),
        ([part("x", "base", "hinge")], "field `joint`: 'hinge' is not one of fixed, revolute"),
        ([part("x", "base", "revolute")], "part 'x', field `jointData` lacks the field `axis`"),
        ([door(direction=[0, 0])], "axis, field `direction`, is [0, 0]; give three finite numbers"),
        ([door(direction=[0, 0, True])], "field `direction`, is [0, 0, True]; give three"),
        ([door(direction=[0, 0, 0])], "joint 'door@0', field `axis`: the axis is zero"),
        ([door(), door()], "the link name 'door@0' is used twice"),
        ([part("x", None)], "all have no parent joint"),
        ([drawer(), part("door@0", "drawer@0")], "in a cycle of the joints 'door@0', 'drawer@0'"),
    ],
)
def test_a_broken_file_is_a_sentence(tmp_path: Path, parts: list, said: str) -> None:
    sentence = refusal(tmp_path, listed(*parts))
    assert said in sentence
    assert OBJECT_ID in sentence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "mobility.json is not valid JSON: Expecting value"),
        ("[" * 200_000, "nested too deeply"),
        ("[1]", "entry 0 is 1; give an object"),
        ('[{"name": "x", "parent": null, "a": NaN}]', "has NaN"),
        (json.dumps([part(f"p{k}", None) for k in range(5001)]), "5,001 items; at most 5,000"),
        (" " * 4_000_001 + "[]", "more than 4,000,000 bytes"),
        ("[]", "the object has no link"),
    ],
)
def test_a_hostile_file_is_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    assert said in refusal(tmp_path, {"mobility.json": text}, "anymesh")


@pytest.mark.parametrize("angles", ["[0, 0]", "[0, 0, nan]", "[0, 0, x]", "[]"])
def test_a_broken_configuration_is_a_sentence(tmp_path: Path, angles: str) -> None:
    files = listed(door()) | {"run.yaml": f"euler: {angles}"}
    assert "run.yaml, field `euler`: it is not three angles" in refusal(tmp_path, files)


def test_two_configurations_are_a_sentence(tmp_path: Path) -> None:
    files = listed(door()) | {"a.yaml": "euler: [0, 0, 0]", "b.yml": "euler: [90, 0, 0]"}
    assert "expected one configuration with `euler`, found a.yaml, b.yml" in refusal(
        tmp_path, files
    )


def test_many_configurations_are_a_sentence(tmp_path: Path) -> None:
    files = listed(door()) | {f"{k}.yaml": "parts: []" for k in range(21)}
    assert "thing/ has more than 20 configurations. Keep one." in refusal(tmp_path, files)


def test_partnet_files_are_not_claimed(tmp_path: Path) -> None:
    assert chosen_reader(tmp_path, {"mobility.json": '{"links": []}'}) == "urdf"
