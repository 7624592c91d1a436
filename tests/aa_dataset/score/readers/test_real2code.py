# SPDX-License-Identifier: Apache-2.0
"""Real2Code: boxes and edges, programs that are never executed, and the list of MuJoCo's joints."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource
from tests.kit.random_trees import trees
from tests.kit.read_files import read_files, recognized_as, refusal
from tests.kit.round_trip import box_triangles, brought_back, require_same_motion, setting_of

# Box 1 is turned by a quarter about z: its own x is the scene's y.
BOXES = """bboxes={
0:{'center':[0.0,0.0,0.0],'R':[[1,0,0],[0,1,0],[0,0,1]],'extent':[1.0,1.0,1.0]},
1:{'center':[0.5,0.0,0.1],'R':[[0.0,-1.0,0.0],[1.0,0.0,0.0],[0.0,0.0,1.0]],'extent':[0.4,0.2,0.6]},
2:{'center':[0.0,0.3,0.0],'R':[[1,0,0],[0,1,0],[0,0,1]],'extent':[0.2,0.2,0.2]},
}
"""
ANSWER = """0
child_joints = [
dict(box=1,type='hinge',idx=2,edge=[+1,-1],sign=-1),
dict(box=2,type='slide',idx=0,edge=[+1,+1],sign=+1),
]
"""


def answer(text: str = ANSWER, boxes: str = BOXES) -> dict[str, bytes]:
    prompt = {"model_input": f"<image>{boxes}root_geom = "}
    return {
        "predictions.json": json.dumps(text).encode(),
        "input.json": json.dumps(prompt).encode(),
    }


def program(answer: str = ANSWER, helper: str = "", boxes: str = BOXES) -> dict[str, bytes]:
    text = f"import numpy as np\n{boxes}root_geom = {answer}\n{helper}"
    return {"pred.py": text.encode()}


def dumped(*joints: dict) -> dict[str, bytes]:
    return {"joints.json": json.dumps(list(joints), indent=4).encode()}


def entry(number: int = 1, **changes) -> dict:
    body = {"name": f"link_{number}", "id": number + 1, "rootid": 1, "geomnum": 1}
    return {
        "name": f"joint_{number}", "axis": [0.0, 0.0, 1.0], "pos": [0.5, 0.25, 0.0],
        "range": [0.0, 1.0], "type": 3, "body": {**body, "mesh_names": [f"link_{number}"]},
        "parent": None, **changes,
    }  # fmt: skip


def hinge(tree: KinematicTree) -> Joint:
    return tree.joint("joint_1")


@pytest.mark.parametrize("files", [answer(), program()], ids=["answer", "program"])
def test_a_hinge_lies_on_an_edge_of_its_turned_box(files):
    assert recognized_as(files) == "real2code"
    found = read_files(files)
    joint = hinge(found.tree)
    # The edge is [+1, -1, 0] in the box: half of (0.4, -0.2, 0), turned to (0.1, 0.2, 0).
    assert joint.origin == pytest.approx([0.6, 0.2, 0.1], abs=1e-15)
    assert joint.axis.tolist() == [0, 0, -1]
    assert (joint.parent, joint.child, joint.type) == ("root", "link_1", "revolute")
    slide = found.tree.joint("joint_2")
    assert slide.type is JointType.PRISMATIC and slide.axis.tolist() == [1, 0, 0]


def test_there_are_no_limits(tmp_path):
    found = read_files(answer())
    for joint in found.tree.joints:
        assert joint.limits == (-math.inf, math.inf)
        assert joint.limit_source is LimitSource.ABSENT
    assert found.notes == ("no limits stated: joint_1, joint_2",)


def test_the_boxes_are_the_shapes():
    triangles = read_files(answer()).triangles()
    points = triangles["link_1"].reshape(-1, 3)
    # Extents 0.4 and 0.2 change places with the turn.
    assert points.min(axis=0) == pytest.approx([0.4, -0.2, -0.2])
    assert points.max(axis=0) == pytest.approx([0.6, 0.2, 0.4])
    assert set(triangles) == {"root", "link_1", "link_2"}


def test_places_relative_to_the_center_are_told_by_the_helper():
    listed = "0\nchild_joints = [\ndict(box=1,type='hinge',idx=1,edge=[0.25,0.5],sign=1),\n]"
    helper = "def add(parent_body, obb, joint_xy_pos): pass"
    joint = hinge(read_files(program(listed, helper)).tree)
    assert joint.origin.tolist() == [0.75, 0.0, 0.6]  # neither turned nor scaled
    assert joint.axis.tolist() == [-1, 0, 0]
    assert "edge" in refusal(answer(listed))  # the answer alone does not tell the mode


def test_absolute_places_need_no_box():
    listed = "0\nchild_joints = [\ndict(box=7,type='hinge',pos=[1,2,3],axis=[0,0,2]),\n]"
    joint = read_files(program(listed, boxes="")).tree.joint("joint_7")
    assert joint.origin.tolist() == [1, 2, 3] and joint.axis.tolist() == [0, 0, 1]


def test_an_answer_may_go_on_after_the_list():
    assert len(read_files(answer(f"{ANSWER}</s> dict(box=9, and so on (((")).tree.joints) == 2


def test_what_follows_is_never_executed(tmp_path):
    mark = tmp_path / "executed"
    evil = f"open({str(mark)!r}, 'w')"
    read_files(program(helper=f"import os\n{evil}"))
    calls = f"0\nchild_joints = [\ndict(box={evil},type='hinge',idx=2,edge=[1,1],sign=1),\n]"
    assert "which is no number" in refusal(program(calls))
    assert not mark.exists()


def test_the_executed_result_comes_before_the_program():
    tree = read_files({**program(), **dumped(entry(5))}).tree
    assert [joint.name for joint in tree.joints] == ["joint_5"]
    joint = tree.joints[0]
    assert joint.origin.tolist() == [0.5, 0.25, 0.0] and joint.limit_source is LimitSource.ABSENT


@pytest.mark.parametrize(
    ("stated", "source"),
    [([0, 1], "absent"), ([0, 0], "absent"), ([-0.5, 1.5], "given"), ([0, 1.5], "given")],
)
def test_only_the_constant_range_means_none(stated, source):
    joint = read_files(dumped(entry(range=stated))).tree.joints[0]
    assert joint.limit_source == source
    assert joint.limits == (tuple(stated) if source == "given" else (-math.inf, math.inf))


def test_the_parent_is_a_degree_of_freedom_not_a_body():
    # MuJoCo: link_2 hangs below link_1, whose degree of freedom has the number 0. The writer takes
    # that for a body, so the file says `world`.
    world = {"name": "world", "id": 0, "rootid": 0, "geomnum": 0, "mesh_names": []}
    tree = read_files(dumped(entry(1), entry(2, type=2, parent=world))).tree
    assert tree.joint("joint_2").parent == "link_1"


def test_two_joints_of_one_body_get_a_link_between_them():
    body = entry(1)["body"]
    second = entry(2, type=2, body=body, parent={"name": "world", "id": 0})
    tree = read_files(dumped(entry(1), second)).tree
    assert tree.links == ("root", "link_1_0", "link_1")
    assert [joint.type for joint in tree.joints] == ["revolute", "prismatic"]


def test_the_dump_is_what_mujoco_writes():
    mujoco = pytest.importorskip("mujoco")
    bodies = """<body name="root"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <joint name="turn" type="hinge" axis="0 0 2" pos="0.5 0.25 0" range="0 1"/>
        <body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
          <joint name="push" type="slide" axis="0 3 4" range="0 1"/></body></body></body>"""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><worldbody>{bodies}</worldbody></mujoco>'
    )
    found = []
    for number in range(model.njnt):
        one = model.jnt(number)
        above = one.parentid[0]
        parent = None if above == -1 else {"name": model.body(above).name, "id": int(above)}
        found.append(
            {"name": one.name, "axis": one.axis.tolist(), "pos": one.pos.tolist(),
             "range": one.range.tolist(), "type": int(one.type[0]),
             "body": {"name": model.body(one.bodyid[0]).name}, "parent": parent}
        )  # fmt: skip
    tree = read_files(dumped(*found)).tree
    assert [(joint.parent, joint.child) for joint in tree.joints] == [("root", "a"), ("a", "b")]
    assert tree.joint("turn").origin.tolist() == [0.5, 0.25, 0]
    assert tree.joint("push").axis == pytest.approx([0, 0.6, 0.8])


@given(tree=trees())
def test_what_the_format_keeps_comes_back(tree):
    trip = brought_back("real2code", tree)
    require_same_motion(trip.back, trip.kept)
    assert len(trip.kept.joints) == len(tree.movable)
    assert set(trip.prediction.triangles()) <= set(trip.prediction.tree.links)


def test_a_door_on_an_edge_of_its_box_is_kept_to_two_decimals():
    door = Joint("door", "revolute", [0, 0, -1], [0.5, -0.25, 3], 0, 1.5, 0.0, "body", "leaf")
    tree = KinematicTree("thing", ("body", "leaf"), (door,))
    setting = setting_of(tree)
    leaf = box_triangles(np.array([0.4, 0.0, 0.1]), np.array([0.2, 0.5, 0.6]))
    setting.triangles["leaf"] = leaf
    kept = brought_back("real2code", tree, setting).back.joints[0]
    assert kept.axis.tolist() == [0, 0, -1]
    # The center is off by half a hundredth at most, the half extent by a quarter of one; the unit
    # makes the object's diagonal 2.
    unit = math.dist(setting.shape.extents, [0, 0, 0]) / 2
    assert kept.origin[:2] == pytest.approx([0.5, -0.25], abs=0.0075 * unit)
    assert kept.limit_source is LimitSource.ABSENT


def test_parts_without_a_shape_are_lost():
    ends = dict(parent="a", child="b")
    tree = KinematicTree(
        "thing", ("a", "b"), (Joint("j", "continuous", [0, 0, 1], [0, 0, 0], **ends),)
    )
    setting = setting_of(tree)
    del setting.triangles["b"]
    assert brought_back("real2code", tree, setting).back.joints == ()


def line(text: str) -> dict[str, bytes]:
    return answer(f"0\nchild_joints = [\n{text}\n]")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (line("dict(box=9,type='hinge',idx=2,edge=[1,1],sign=1)"), "`box` is 9"),
        (line("dict(box=1,type='ball',idx=2,edge=[1,1],sign=1)"), "`type` is 'ball'"),
        (line("dict(box=1,type='hinge',idx=-1,edge=[1,1],sign=1)"), "`idx` is -1"),
        (line("dict(box=1,type='hinge',idx=True,edge=[1,1],sign=1)"), "which is no number"),
        (line("dict(box=1,type='hinge',idx=2,edge=[1,1,1],sign=1)"), "`edge` is [1, 1, 1]"),
        (line("dict(box=1,type='hinge',idx=2,edge=[1,1],sign=0)"), "the axis is zero"),
        (line("dict(box=1,type='hinge',idx=2,edge=[1,1],sign=1e999)"), "give one finite number"),
        (line("dict(box=1,type='hinge',idx=2,edge=[1,1],sign=1,)," * 2), "used twice"),
        (line("dict(box=1,box=1)"), "one key twice"),
        (line("{1:2,1:2}"), "one key twice"),
        (line("{**{}}"), "a key that is no"),
        (line("1"), "give an object"),
        (line("f'{1}'"), "which is no number"),
        (line("'\\x41'"), "backslash"),
        (line("[" * 50 + "]" * 50), "nests deeper than 12"),
        (line("-" * 100_000 + "1"), "not a plain value"),
        (line("1" + "+1" * 20_000), "not a plain value"),
        (line("9" * 5000), "not a plain value"),
        (line("[],"[:2] * 6000), "not a plain value"),
        (answer("0\nchild_joints = ["), "that is closed"),
        (answer("0\nchild_joints = 5"), "give a list"),
        (answer("0\nchild_joints = x"), "that is closed"),
        (answer(boxes=""), "which `bboxes` does not have"),
        (answer(boxes="bboxes={1:{'center':[0,0]}}\n"), "`R` is None"),
        (answer(boxes=BOXES.replace("[0.5,0.0,0.1]", "[0.5,0.0]")), "give three finite numbers"),
        (answer(boxes=BOXES.replace("[0,1,0],", "")), "three rows"),
        (answer(boxes=BOXES.replace("2:", "'b':")), "give a whole number"),
        ({**answer(), "input.json": b"[" * 100_000}, "nested too deeply"),
        ({**answer(), "input.json": b'{"model_input": 3}'}, "`model_input` is 3"),
        ({"pred.py": b"child_joints = [\xff]"}, "is not UTF-8"),
        ({"pred.py": b"x = [child_joints]"}, "the model wrote no joints"),
        (dumped(entry(type=0)), "`type` is 0"),
        (dumped(entry(type=True)), "`type` is True"),
        (dumped(entry(axis=[0, 0, 0])), "the axis is zero"),
        (dumped(entry(pos=[0, 0])), "three finite numbers"),
        (dumped(entry(range=[1, 0.5])), "greater than upper"),
        (dumped(entry(parent={"id": 0})), "cycle"),
        (dumped(entry(), entry(2, parent={"id": 5})), "whole number from 0 to 0"),
        (dumped(entry(), entry(1)), "used twice"),
        (dumped(entry(body={"id": 3})), "`name` is None"),
        ({"joints.json": dumped(entry())["joints.json"][:-20]}, "not valid JSON"),
        ({"joints.json": dumped(entry())["joints.json"].replace(b"0.5", b"NaN")}, "NaN"),
        (dumped(*[entry()] * 5001), "at most 5,000"),
    ],
)  # fmt: skip
def test_what_is_broken_is_refused_with_a_sentence(files, words):
    assert words in refusal(files, "real2code")


def test_an_empty_program_is_no_prediction():
    assert "wrote no joints" in refusal({"pred.py": b"\n"}, "real2code")


def test_the_interchange_file_of_this_project_is_none_of_it():
    from aa_dataset.kinematics.joints_file import write_joints

    tree = KinematicTree("thing", ("a",), ())
    assert recognized_as({"joints.json": write_joints(tree)}) == "joints"
