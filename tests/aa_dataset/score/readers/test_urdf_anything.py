# SPDX-License-Identifier: Apache-2.0
"""URDF-Anything: the record of the ball, the model's own words, constants in place of limits."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource
from tests.kit.random_trees import trees
from tests.kit.read_files import read_files, recognized_as, refusal
from tests.kit.round_trip import brought_back, require_same_motion, to_object

NORMALIZE = {"centroid": [1.0, 2.0, 3.0], "scale": 2.0}


def joint(number: int = 1, parent: str = "link_0", **changes) -> dict:
    return {
        "id": f"joint_{number}", "type": "revolute", "parent": parent, "child": f"link_{number}",
        "origin": {"xyz": [0.5, 0.0, 0.25], "rpy": [0.0, 0.0, 0.0]}, "axis": [0.0, 0.0, 2.0],
        "limit": {"lower": 0.0, "upper": 1.5}, **changes,
    }  # fmt: skip


FIRST = joint(0, "base", type="fixed", origin={"xyz": [0, 0, 0], "rpy": [0, 0, 0]}, limit=None)


def words(*joints: dict, **links: str) -> str:
    names = {one["child"]: "door [SEG]" for one in joints}
    return json.dumps({"links": {**names, **links}, "joints": list(joints)})


def answer(raw: str | None, aligned: str | None = None, **fields) -> dict[str, bytes]:
    content = {
        "question": "What?", "answer": {"joints": []}, "pred_answers_raw": raw,
        "pred_answers": raw if aligned is None else aligned, "gt_answers": "{}",
        "normalize": NORMALIZE, **fields,
    }  # fmt: skip
    kept = {key: value for key, value in content.items() if value is not None}
    return {"100045_0.json": json.dumps(kept).encode()}


def document(*joints: str, name: str = "100045_0_pred") -> dict[str, bytes]:
    links = "".join(f'<link name="{one}"/>' for one in ("base", "link_0", "link_1", "link_2"))
    return {"mobility.urdf": f'<robot name="{name}">{links}{"".join(joints)}</robot>'.encode()}


def tag(number: int, parent: str, kind: str, lower: str, upper: str) -> str:
    return (
        f'<joint name="joint_{number}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="link_{number}"/><origin xyz="0.1 0 0" rpy="0 0 0"/><axis xyz="0 0 1"/>'
        f'<limit lower="{lower}" upper="{upper}" effort="100" velocity="1"/></joint>'
    )


def test_the_record_leads_back_to_the_input():
    files = answer(words(FIRST, joint(), joint(2, type="prismatic")))
    assert recognized_as(files) == "urdf_anything"
    prediction = read_files(files)
    back = to_object(prediction, None).tree(prediction.tree)
    # p = 2 p' + (1, 2, 3); travels are in the unit of the ball as well.
    assert back.joint("joint_1").origin.tolist() == [2.0, 2.0, 3.5]
    assert back.joint("joint_1").limits == (0, 1.5)
    assert back.joint("joint_2").limits == (0, 3.0)
    assert back.joint("joint_1").axis.tolist() == [0, 0, 1]


def test_without_the_record_nothing_is_guessed():
    prediction = read_files(answer(words(FIRST, joint()), normalize=None))
    assert prediction.saved is None and prediction.normalization is None


def test_places_and_axes_of_chains_are_in_the_frame_of_the_parent():
    quarter = {"xyz": [1.0, 0.0, 0.0], "rpy": [0.0, 0.0, math.pi / 2]}
    below = {"xyz": [0.5, 0.0, 0.0], "rpy": [0.0, 0.0, 0.0]}
    chain = [FIRST, joint(1, origin=quarter), joint(2, "link_1", origin=below, axis=[1, 0, 0])]
    tree = read_files(answer(words(*chain))).tree
    last = tree.joint("joint_2")
    assert last.origin == pytest.approx([1.0, 0.5, 0.0]) and last.axis == pytest.approx([0, 1, 0])


def test_absent_limits_stay_absent():
    tree = read_files(answer(words(FIRST, joint(limit=None), joint(2, limit={})))).tree
    for name in ("joint_1", "joint_2"):
        assert tree.joint(name).limit_source is LimitSource.ABSENT
        assert tree.joint(name).type is JointType.REVOLUTE


def test_links_without_a_joint_are_fixed_to_the_base():
    tree = read_files(answer(words(joint(), link_0="body", link_5="knob"))).tree
    assert tree.joint("joint_link_5_fixed").type is JointType.FIXED
    assert {one.parent for one in tree.joints if not one.is_movable} == {"base"}


def test_the_models_own_words_are_read_not_those_cut_to_the_truth():
    both = answer(words(FIRST, joint(), joint(2)), words(FIRST, joint()))
    assert len(read_files(both).tree.movable) == 2
    cut = answer(None, words(FIRST, joint()))
    assert len(read_files(cut).tree.movable) == 1


def test_parents_of_aligned_words_are_renamed_back():
    """The script called the old part 2 `link_1` and the old part 1 `link_2`, but not as parents."""
    aligned = words(FIRST, joint(1, "link_1"), joint(2, "link_0"))
    order = {"method": "hungarian", "permutation": [0, 2, 1]}
    tree = read_files(answer(None, aligned, alignment=order)).tree
    assert tree.joint("joint_1").parent == "link_2" and tree.joint("joint_2").parent == "link_0"
    cut = {"method": "hungarian", "permutation": [0, 2]}
    left = answer(None, words(FIRST, joint(1, "link_1")), alignment=cut)
    assert "was cut off by the alignment" in refusal(left)


def test_words_around_the_json_and_commas_before_a_bracket_are_forgiven():
    text = f"Sure! {words(FIRST, joint())} [SEG] {{"
    assert len(read_files(answer(text)).tree.joints) == 2
    text = words(FIRST, joint(child="link_1")).replace("}]}", "},]} ,")
    assert len(read_files(answer(text)).tree.joints) == 2
    brackets = words(FIRST, joint(), link_0='a } in \\" a name')
    assert len(read_files(answer(brackets)).tree.joints) == 2


def test_constants_of_the_script_are_marked_in_its_urdf():
    files = document(
        tag(0, "base", "fixed", "0", "0"),
        tag(1, "link_0", "revolute", "-3.14", "3.14"),
        tag(2, "link_1", "prismatic", "0", "0.4"),
    )
    assert recognized_as(files) == "urdf_anything"
    prediction = read_files(files)
    assert prediction.tree.joint("joint_1").limit_source is LimitSource.TABLE
    assert prediction.tree.joint("joint_2").limit_source is LimitSource.GIVEN
    assert "unit of the ball" in prediction.notes[0] and "centroid" in prediction.notes[1]
    assert prediction.notes[2] == "limits given by the method's table: joint_1"


def test_the_json_comes_before_the_urdf_and_other_robots_are_not_claimed():
    files = {**document(tag(1, "link_0", "revolute", "0", "1")), **answer(words(FIRST, joint()))}
    assert read_files(files).saved is not None
    assert recognized_as(document(name="100045")) == "urdf"


@given(tree=trees())
def test_what_the_format_keeps_comes_back(tree):
    trip = brought_back("urdf_anything", tree)
    require_same_motion(trip.back, trip.kept)
    assert len(trip.kept.movable) == len(tree.movable)


def test_a_cabinet_is_kept_exactly():
    door = Joint("door", "revolute", [0, 0.6, -0.8], [0.5, -0.25, 0.1], -0.25, 1.5, 0.0, "a", "b")
    box = Joint("box", "prismatic", [1, 0, 0], [0, 0, 0], 0, 0.3, 0.0, "b", "c")
    wheel = Joint("wheel", "continuous", [0, 1, 0], [0.1, 0, 0], parent="c", child="d")
    tree = KinematicTree("thing", ("a", "b", "c", "d"), (door, box, wheel))
    back = brought_back("urdf_anything", tree).back
    below = KinematicTree("thing", back.links[1:], back.joints[1:])  # without the base
    require_same_motion(below, tree)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (answer("no json"), "cut off"),
        (answer("{" + '"a": [' * 50), "cut off"),
        (answer(words(FIRST, joint())[:-3]), "cut off"),
        (answer('{"joints": [}'), "not valid JSON"),
        (answer('{"joints": NaN}'), "NaN"),
        (answer('{"a":' * 5000 + "1" + "}" * 5000), "nested too deeply"),
        (answer(words(joint(type="screw"))), "`type` is 'screw'"),
        (answer(words(joint(type="floating"))), "`type` is 'floating'"),
        (answer(words(FIRST, joint(axis=[0, 0, 0]))), "the axis is zero"),
        (answer(words(joint(axis=[0, 0]))), "three finite numbers"),
        (answer(words(joint(axis="x"))), "three finite numbers"),
        (answer(words(joint(origin={"xyz": [0, 0, None]}))), "three finite numbers"),
        (answer(words(joint(origin=3))), "give an object"),
        (answer(words(joint(limit={"lower": "a"}))), "one finite number"),
        (answer(words(FIRST, joint(limit={"lower": 2, "upper": 1}))), "greater than upper"),
        (answer(words(joint(parent="link_7"))), "'link_7', which does not exist"),
        (answer(words(joint(parent="link_1"))), "cycle"),
        (answer(words(joint(1, "link_2"), joint(2, "link_1"))), "cycle"),
        (answer(words(joint(), joint())), "used twice"),
        (answer(words(FIRST, joint(), joint(2, child="link_1"))), "child of both"),
        (answer(words(joint(child=""))), "`child` is ''"),
        (answer(words(FIRST), normalize={"scale": 0, "centroid": [0, 0, 0]}), "radius"),
        (answer(words(FIRST), normalize={"scale": 1, "centroid": [0, 0]}), "three finite"),
        (answer(words(FIRST), normalize=7), "give an object"),
        (answer(None, words(FIRST), alignment={"permutation": 3}), "give a list"),
        ({**answer("{}"), "b.json": answer("{}")["100045_0.json"]}, "expected one"),
        (document(tag(1, "link_0", "revolute", "0", "nan")), "NaN"),
        (document(tag(1, "link_9", "revolute", "0", "1")), "does not exist"),
        ({"a.txt": b""}, "expected one JSON"),
    ],
)
def test_what_is_broken_is_refused_with_a_sentence(files, said):
    assert said in refusal(files, "urdf_anything")


def test_an_empty_answer_is_a_base_alone():
    assert read_files(answer("{}")).tree.links == ("base",)


def test_frames_of_the_ball_are_parallel_to_the_input():
    prediction = read_files(answer(words(FIRST, joint())))
    assert np.array_equal(prediction.saved.rotation, np.eye(3))
