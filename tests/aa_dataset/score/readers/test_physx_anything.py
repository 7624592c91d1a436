# SPDX-License-Identifier: Apache-2.0
"""PhysX-Anything: voxels, degrees and half turns, balls, screws, free parts, places of chains."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource
from aa_dataset.score.simulated.meshes import obj_bytes
from tests.kit.random_trees import trees
from tests.kit.read_files import read_files, recognized_as, refusal
from tests.kit.round_trip import box_triangles, brought_back, require_same_motion

# A body of two parts, a door on it, a drawer in the door.
GROUPS = {
    "0": [0, 1],
    "1": [[2, 3], "0", [0, 0, 2.0, 0.25, -0.5, 0.125, 0.0, 0.5], "C"],
    "2": [[4], "1", [1.0, 0, 0, -0.5, -0.5, -0.5, 0.0, 0.25], "B"],
}
TEXT = """Name: cabinet
Category: Storage
Dimension: 50*40*30
Parts:
l_0: body, 1, Wood, 0.7 g/cm^3, 10, 0.3, a body
Group_info:
group_0: [l_0, l_1]; Type: E; Params: N/A
group_1: [l_2, l_3]; Type: C relative to group_0; Params: direction: [0, 0, 2.0], axis position \
(in voxel grid): [24, 0, 20], revolute range (degree): [0, 90]
group_2: [l_4]; Type: B relative to group_1; Params: direction: [np.float64(1.0), 0, 0], slide \
range (in voxel grid): [0, 8]
"""


def info(**groups) -> dict[str, bytes]:
    found = {key.removeprefix("g"): value for key, value in groups.items()}
    document = {"object_name": "a", "dimension": "50*40*30", "group_info": {**GROUPS, **found}}
    return {"basic_info.json": json.dumps(document).encode()}


def answer(text: str = TEXT) -> dict[str, bytes]:
    return {"basic_info.txt": text.encode()}


def urdf(joints: str, *links: str) -> dict[str, bytes]:
    names = ("l_world", "l_0", *links)
    listed = "".join(f'<link name="{name}"/>' for name in names)
    first = '<joint name="w" type="fixed"><parent link="l_world"/><child link="l_0"/></joint>'
    return {"basic.urdf": f'<robot name="scene">{listed}{first}{joints}</robot>'.encode()}


def joint(name: str, kind: str, ends: str, place: str, axis: str = "0 0 1", extra: str = "") -> str:
    parent, child = ends.split()
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{place}"/><axis xyz="{axis}"/>{extra}</joint>'
    )


LIMIT = '<limit lower="0" upper="1.5" effort="2000" velocity="2"/>'


@pytest.mark.parametrize("files", [info(), answer()], ids=["json", "text"])
def test_places_are_in_the_cube_and_angles_in_half_turns(files):
    assert recognized_as(files) == "physx_anything"
    tree = read_files(files).tree
    assert set(tree.links) == {"l_0", "l_1", "l_2", "l_3", "l_4"} and tree.root == "l_0"
    door, drawer = tree.joint("group_1"), tree.joint("group_2")
    # Voxel (24, 0, 20) of 32 is (0.75, 0, 0.625) - 0.5; 90 degrees are half of a half turn.
    assert door.origin.tolist() == [0.25, -0.5, 0.125] and door.axis.tolist() == [0, 0, 1]
    assert door.limits == pytest.approx((0, math.pi / 2))
    assert (door.parent, door.child) == ("l_0", "l_2")
    assert drawer.type is JointType.PRISMATIC and drawer.limits == (0, 0.25)
    assert (drawer.parent, drawer.child) == ("l_2", "l_4")
    assert {j.name for j in tree.joints if not j.is_movable} == {
        "joint_fixed_0_1", "joint_fixed_2_3"
    }  # fmt: skip


def test_the_json_comes_before_the_text_that_it_was_made_of():
    files = {**answer(TEXT.replace("24", "0")), **info()}
    assert read_files(files).tree.joint("group_1").origin[0] == 0.25


def test_a_ball_is_three_turns_whose_ranges_are_constants():
    values = [0, 0, 0, 0.1, 0.2, 0.3, 7, 7]  # the writer leaves another group's range there
    for files in (info(g2=[[4], "0", values, "D"]), info(g2=[[4], "0", values[:6], "D"])):
        prediction = read_files(files)
        turns = [prediction.tree.joint(f"group_2_{letter}") for letter in "zxy"]
        assert np.array_equal([turn.axis for turn in turns], np.eye(3)[[2, 0, 1]])
        assert turns[0].parent == "l_0" and turns[2].child == "l_4"
        for turn in turns:
            assert turn.origin.tolist() == [0.1, 0.2, 0.3]
            assert turn.limits == (-math.pi, math.pi) and turn.limit_source is LimitSource.TABLE
        assert (
            prediction.notes[0]
            == "limits given by the method's table: group_2_z, group_2_x, group_2_y"
        )
    params = "Params: hinge position (in voxel grid): [16, 16, 32]"
    text = f"{TEXT}group_3: [l_5]; Type: D relative to group_0; {params}"
    assert read_files(answer(text)).tree.joint("group_3_x").origin.tolist() == [0, 0, 0.5]


def test_a_screw_slides_first_and_turns_freely():
    turn, slide = [0, 0, 1, 0.25, 0, 0, -0.5, 0.5], [1.0, 0, 0, 0, 0, 0, 0, 0.125]
    text = TEXT.replace(
        "Type: B relative to group_1; Params: direction: [np.float64(1.0), 0, 0], slide range "
        "(in voxel grid): [0, 8]",
        "Type: CB relative to group_1; Params: axis direction: [0,0,1], axis position (in voxel "
        "grid): [24,16,16], revolute range (degree): [-90,90], slide direction: [1.0,0,0], slide "
        "range (in voxel grid): [0,4]",
    )
    for files in (info(g2=[[4], "1", turn + slide, "CB"]), answer(text)):
        tree = read_files(files).tree
        push, spin = tree.joint("group_2_slide"), tree.joint("group_2_turn")
        assert (push.parent, push.child, spin.child) == ("l_2", spin.parent, "l_4")
        assert spin.limits == pytest.approx((-math.pi / 2, math.pi / 2))
        # The slide does not turn: (0.25, 0, 0) on the axis goes along x whatever the angle.
        moved = tree.placements({push.name: 0.125, spin.name: 1.0})["l_4"]
        assert moved @ [0.25, 0, 0, 1] == pytest.approx([0.375, 0, 0, 1])


def test_what_is_fixed_to_the_world_is_welded_to_the_base():
    tree = read_files(info(g2=[[4], "None", [0.0] * 8, "E"])).tree
    assert tree.joint("group_2").type is JointType.FIXED and tree.joint("group_2").parent == "l_0"


def test_a_free_part_is_refused():
    assert "moves freely" in refusal(info(g2=[[4], "0", [0.0] * 8, "A"]))
    text = TEXT + "group_3: [l_5]; Type: A relative to group_0; Params: N/A"
    assert "moves freely" in refusal(answer(text))
    floating = joint("f", "floating", "l_0 abstract_0_2", "0 0 0")
    assert "more than one degree" in refusal(urdf(floating, "abstract_0_2"))


def test_the_urdf_has_places_of_chains_in_the_frame_of_the_object():
    """The frame of every part is that of the object at rest: the helper takes the place back."""
    chain = (
        joint("r", "revolute", "l_0 abstract_0_2", "0.25 0 0", extra=LIMIT)
        + joint("a", "fixed", "abstract_0_2 l_2", "-0.25 0 0")
        + joint("s", "revolute", "l_2 abstract_2_4", "0.1 0.2 0.3", extra=LIMIT)
        + joint("b", "fixed", "abstract_2_4 l_4", "-0.1 -0.2 -0.3")
    )
    files = urdf(chain, "abstract_0_2", "l_2", "abstract_2_4", "l_4")
    assert recognized_as(files) == "physx_anything"
    tree = read_files(files).tree
    assert tree.joint("s").origin == pytest.approx([0.1, 0.2, 0.3])


def test_a_ball_of_the_urdf_has_constants_for_ranges():
    limit = f'<limit lower="{-math.pi}" upper="{math.pi}"/>'
    ball = joint("joint_hinge_y_l_0_abstract_0_2", "revolute", "l_0 l_2", "0 0 0", extra=limit)
    found = read_files(urdf(ball, "l_2")).tree.joint("joint_hinge_y_l_0_abstract_0_2")
    assert found.limit_source is LimitSource.TABLE and found.body is None


def test_the_shapes_of_parts_are_in_the_cube():
    cube = box_triangles(np.zeros(3), np.ones(3))
    prediction = read_files({**info(), "objs/4/4.obj": obj_bytes(cube)})
    assert list(prediction.triangles()) == ["l_4"]
    assert np.array_equal(prediction.triangles()["l_4"], cube)
    assert prediction.normalization.length == 1.0


@given(tree=trees())
def test_what_the_format_keeps_comes_back(tree):
    trip = brought_back("physx_anything", tree)
    require_same_motion(trip.back, trip.kept)
    helical = sum(one.type is JointType.HELICAL for one in tree.joints)
    assert len(trip.kept.joints) == len(tree.joints) + helical
    assert len(read_files(trip.written.files).triangles()) == len(tree.links)


def test_a_cabinet_is_kept_exactly():
    door = Joint("door", "revolute", [0, 0, -1], [0.5, -0.25, 0.1], -0.25, 1.5, 0.0, "body", "leaf")
    knob = Joint("knob", "fixed", [0, 0, 1], [0, 0, 0], parent="leaf", child="grip")
    drawer = Joint("drawer", "prismatic", [1, 0, 0], [0, 0, 0], 0, 0.3, 0.0, "body", "box")
    tree = KinematicTree("thing", ("body", "leaf", "grip", "box"), (door, knob, drawer))
    require_same_motion(brought_back("physx_anything", tree).back, tree)


def row(*values: float, kind: str = "C", parent: str = "0", parts=(4,)) -> list:
    return [list(parts), parent, list(values), kind]


GOOD = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (info(g2=row(*GOOD, kind="F")), "type is 'F'"),
        (info(g2=row(*GOOD, kind="CB")), "give 16 finite numbers"),
        (info(g2=row(*GOOD[:7])), "give 8 finite numbers"),
        (info(g2=row(*GOOD[:5], kind="D")), "a ball needs a place"),
        (info(g2=row(0, 0, 0, *GOOD[3:])), "the axis is zero"),
        (info(g2=row(*GOOD[:6], 1, 0)), "greater than upper"),
        (info(g2=row(*GOOD, parent="9")), "group 9, does not exist"),
        (info(g2=row(*GOOD, parent="None")), "group None, does not exist"),
        (info(g2=row(*GOOD, parent="2")), "cycle"),
        (info(g1=row(*GOOD, parent="2"), g2=row(*GOOD, parent="1", parts=(5,))), "cycle"),
        (info(g2=row(*GOOD, parts=())), "has no part"),
        (info(g2=row(*GOOD, parts=(0,))), "used twice"),
        (info(g2=row(*GOOD, parts=(-1,))), "whole number from 0"),
        (info(g2=row(*GOOD, parts=("x",))), "whole number from 0"),
        (info(g2=[[4], "0"]), "has 2 items"),
        (info(gx=row(*GOOD)), "has no number"),
        (info(g0={}), "give a list"),
        ({"basic_info.json": b'{"group_info": {}}'}, "has no group 0"),
        ({"basic_info.json": b"[]"}, "give an object"),
        ({"basic_info.json": b"{}"}, "`group_info` is None"),
        ({"basic_info.json": info()["basic_info.json"][:-9]}, "not valid JSON"),
        ({"basic_info.json": info()["basic_info.json"].replace(b"2.0", b"Infinity")}, "Infinity"),
        ({"basic_info.json": b'{"a":' * 100_000}, "nested too deeply"),
        (answer(TEXT.replace("[24, 0, 20]", "[24, 0]")), "`position` is"),
        (answer(TEXT.replace("[24, 0, 20]", "[a, b, c]")), "`position` is"),
        (answer(TEXT.replace("[0, 90]", "[0, nan]")), "`range` is"),
        (answer(TEXT.replace("revolute range (degree): [0, 90]", "")), "`range` is"),
        (answer(TEXT.replace("Type: B", "Type: Q")), "type is 'Q'"),
        (answer(TEXT.replace("relative to group_1", "")), "group None"),
        (answer(TEXT + TEXT), "group 0 twice"),
        (answer(""), "has no group 0"),
        (answer("group_0: [l_0]\n" * 2), "group 0 twice"),
        (answer("\n".join(f"group_{n}: [l_{n}]; Type: E" for n in range(5002))), "more than 5,000"),
        (urdf(joint("r", "revolute", "l_0 l_9", "0 0 0")), "'l_9', which does not exist"),
        (urdf(joint("r", "revolute", "l_0 l_2", "0 0 nan"), "l_2"), "NaN"),
        ({**info(), "objs/4/4.obj": b"v 0 0 0\nf 1 2 3\n"}, "vertices that the file does not"),
        ({**info(), "objs/4/4.obj": b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"}, "not finite"),
    ],
)
def test_what_is_broken_is_refused_with_a_sentence(files, words):
    assert words in refusal(files, "physx_anything")
