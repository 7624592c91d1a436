# SPDX-License-Identifier: Apache-2.0
"""ArtGS: hinge, slider and heavy, by number, without limits, in the frame of the cameras."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from aa_dataset.kinematics import JointType, LimitSource
from aa_dataset.score.budgets import PredictionError
from tests.fuzz.corpus import TRIANGLE_PLY as TRIANGLE
from tests.kit.one_prediction import chosen_reader, read_files, refusal
from tests.kit.random_trees import MOVING, Shape, trees
from tests.kit.round_trip import OBJECT_ID, brought_back, require_same_motion, setting_of

ROOT = {"id": 0, "parent": -1, "name": "root", "joint": "heavy", "jointData": {}}


def part(number: int, kind: str, **changes: Any) -> dict:
    line = {"origin": [0.5, -0.25, 0.0], "direction": [0.0, 0.0, -2.0]}
    data = {"axis": {**line, **changes.pop("axis", {})}, "limit": changes.pop("limit", {})}
    row = {"id": number, "parent": 0, "name": f"joint_{number}", "joint": kind, "jointData": data}
    return {**row, "visuals": [f"meshes/start_{number}.ply"], **changes}


def info(*parts: Any) -> dict[str, Any]:
    return {"joint_info.json": json.dumps([ROOT, *parts], indent=4)}


def test_words_and_numbers_become_a_tree(tmp_path: Path) -> None:
    slide = {"origin": [0, 0, 0], "direction": [0.6, 0.0, 0.8]}
    # A plate that stands still on a door, as a hand may add it.
    files = info(part(1, "hinge"), part(2, "slider", axis=slide), part(3, "heavy", parent=1))
    assert chosen_reader(tmp_path, files) == "artgs"
    prediction = read_files(tmp_path, files)
    hinge, slider, fixed = prediction.tree.joints
    assert prediction.tree.root == "link_0"
    assert (hinge.type, hinge.parent, hinge.child) == (JointType.REVOLUTE, "link_0", "link_1")
    assert hinge.axis.tolist() == [0.0, 0.0, -1.0]  # of length 2 in the file
    assert hinge.origin.tolist() == [0.5, -0.25, 0.0]
    assert (slider.type, slider.axis.tolist()) == (JointType.PRISMATIC, [0.6, 0.0, 0.8])
    assert (fixed.type, fixed.parent) == (JointType.FIXED, "link_1")


def test_there_are_no_limits_and_no_frame_of_its_own(tmp_path: Path) -> None:
    prediction = read_files(tmp_path, info(part(1, "hinge")))
    (hinge,) = prediction.tree.joints
    assert hinge.limits == (-math.inf, math.inf)
    assert hinge.limit_source is LimitSource.ABSENT
    assert prediction.notes == ("no limits stated: joint_1",)
    assert prediction.saved is None and prediction.normalization is None
    assert not prediction.rest


@given(trees(types=(JointType.REVOLUTE, JointType.PRISMATIC), shape=Shape.STAR))
def test_one_level_of_hinges_and_sliders_comes_back(tree) -> None:
    trip = brought_back("artgs", tree, setting_of(tree, seed=1))
    require_same_motion(trip.back, trip.kept)
    for joint, kept in zip(tree.joints, trip.kept.joints, strict=True):
        assert (joint.type, joint.axis.tolist()) == (kept.type, kept.axis.tolist())


@given(trees())
def test_what_of_any_tree_is_kept_comes_back(tree) -> None:
    trip = brought_back("artgs", tree)
    require_same_motion(trip.back, trip.kept)
    assert len(trip.kept.joints) == len(tree.movable)
    assert all(joint.parent == trip.kept.root for joint in trip.kept.joints)
    lost = {kind: JointType.REVOLUTE for kind in MOVING} | {
        JointType.PRISMATIC: JointType.PRISMATIC
    }
    assert [j.type for j in trip.kept.joints] == [lost[j.type] for j in tree.movable]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([part(1, "screw")], "entry 1, field `joint`: 'screw' is not one of heavy, hinge, slider"),
        ([part(1, "hinge", limit={"a": 0, "b": 90})], "entry 1, field `limit`: the method states"),
        ([part(1, "hinge", parent="root")], "field `parent`: it is not the number of a part"),
        ([part(True, "hinge")], "field `id`: it is not the number of a part"),
        ([part(1, "hinge", jointData=[])], "entry 1, field `jointData` lacks the field `axis`"),
        ([part(1, "hinge", axis={"origin": None})], "axis, field `origin`, is None; give three"),
        ([part(1, "hinge", axis={"direction": [0, 0, 0]})], "the axis is zero"),
        ([part(1, "hinge", parent=7)], "names the link 'link_7', which does not exist"),
        ([part(1, "hinge"), part(1, "slider")], "the link name 'link_1' is used twice"),
        ([part(1, "hinge", parent=-1)], "all have no parent joint"),
        ([part(1, "hinge", parent=2), part(2, "hinge", parent=1)], "in a cycle of the joints"),
        (["x"], "entry 1 is 'x'; give an object"),
    ],
)
def test_a_broken_file_is_a_sentence(tmp_path: Path, parts: list, said: str) -> None:
    sentence = refusal(tmp_path, info(*parts))
    assert said in sentence
    assert OBJECT_ID in sentence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{", "joint_info.json is not valid JSON: Expecting property name"),
        ("[" * 200_000, "nested too deeply"),
        ('[{"id": 1e999}]', "not a finite number"),
        ("[]", "the object has no link"),
        (json.dumps([ROOT] * 5001), "5,001 items; at most 5,000"),
    ],
)
def test_a_hostile_file_is_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    assert said in refusal(tmp_path, {"joint_info.json": text})


def test_meshes_are_those_the_file_names(tmp_path: Path) -> None:
    inside = {f"run/{name}": data for name, data in info(part(1, "hinge")).items()}
    outside = part(2, "slider", visuals=["../../meshes/start_1.ply"])
    inside["run/joint_info.json"] = json.dumps([ROOT, part(1, "hinge"), outside])
    files = {**inside, "run/meshes/start_1.ply": TRIANGLE}
    triangles = read_files(tmp_path, files).triangles()
    # Neither the mesh that is not there nor that beside the folder.
    assert {link: t.tolist() for link, t in triangles.items()} == {
        "link_1": [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]
    }


def test_a_broken_mesh_is_a_sentence(tmp_path: Path) -> None:
    files = info(part(1, "hinge")) | {"meshes/start_1.ply": TRIANGLE[:-1]}
    with pytest.raises(PredictionError, match=r"thing/meshes/start_1\.ply: it is cut off within"):
        read_files(tmp_path, files).triangles()


def test_two_files_are_a_sentence(tmp_path: Path) -> None:
    both = {f"{folder}/joint_info.json": json.dumps([ROOT]) for folder in ("a", "b")}
    assert "expected one joint_info.json, found a/joint_info.json, b/joint_info.json" in refusal(
        tmp_path, both
    )
