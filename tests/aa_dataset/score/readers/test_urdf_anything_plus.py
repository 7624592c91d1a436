# SPDX-License-Identifier: Apache-2.0
"""URDF-Anything+: the frame of the given mesh below a constant turn, one-hot axes, constants."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import Joint, KinematicTree, LimitSource
from aa_dataset.score.registration.normalization import InputShape, normalizing
from aa_dataset.score.simulated.meshes import obj_bytes
from tests.kit.random_trees import trees
from tests.kit.read_files import read_files, recognized_as, refusal
from tests.kit.round_trip import box_triangles, brought_back, require_same_motion, setting_of

BASE = (
    '<joint name="joint_0" type="fixed"><origin rpy="1.5708 0 -1.5708" xyz="0 0 0"/>'
    '<child link="link_0"/><parent link="base"/></joint>'
)


def link(number: int, place: str = "0 0 0") -> str:
    return (
        f'<link name="link_{number}"><visual><origin xyz="{place}"/><geometry>'
        f'<mesh filename="link_{number}.obj"/></geometry></visual></link>'
    )


def joint(number: int = 1, kind: str = "revolute", lower: str = "0", upper: str = "1.5") -> str:
    return (
        f'<joint name="joint_{number}" type="{kind}"><origin xyz="0.5 0.25 0"/>'
        f'<axis xyz="0 1 0"/><child link="link_{number}"/><parent link="link_0"/>'
        f'<limit lower="{lower}" upper="{upper}"/></joint>'
    )


def document(*joints: str, base: str = BASE, links: int = 0) -> dict[str, bytes]:
    links = links or len(joints) + 1
    shown = "".join(link(n, "-0.5 -0.25 0" if n else "0 0 0") for n in range(links))
    text = (
        f'<robot name="generated_robot"><link name="base"/>{shown}{base}{"".join(joints)}</robot>'
    )
    cube = obj_bytes(box_triangles(np.zeros(3), np.full(3, 0.2)))
    return {"generated.urdf": text.encode(), **{f"link_{n}.obj": cube for n in range(links)}}


def test_places_are_those_of_the_mesh_below_the_turned_base():
    files = document(joint(), joint(2, "prismatic", "0", "0.4"))
    assert recognized_as(files) == "urdf_anything_plus"
    prediction = read_files(files)
    assert prediction.tree.root == "link_0"
    turn = prediction.tree.joint("joint_1")
    assert turn.origin.tolist() == [0.5, 0.25, 0] and turn.axis.tolist() == [0, 1, 0]
    # The mesh of a link is moved back by its place: all meshes are in the frame of the input.
    points = prediction.triangles()["link_1"].reshape(-1, 3)
    assert points.max(axis=0) == pytest.approx([0.1, 0.1, 0.1])


def test_the_mesh_is_y_up_and_faces_z_in_a_cube_of_two():
    # An object of 4 m along x, z up: its front is x.
    shape = InputShape.of(np.array([[-2.0, -1.0, 0.0], [2.0, 1.0, 2.0]]))
    way = normalizing(read_files(document(joint())).normalization, shape)
    assert way.points([2.0, 0.0, 1.0]).tolist() == [0, 0, 1]  # front
    assert way.points([0.0, 0.0, 3.0]).tolist() == [0, 1, 0]  # up
    # The turn of the base, Rz(-90) Rx(90), leads y to z, as the file says.
    assert way.points([0.0, 2.0, 1.0]).tolist() == [1, 0, 0]


def test_constant_ranges_are_marked_for_turns_and_slides():
    both = (joint(1, "revolute", "-3.14159", "3.14159"),
            joint(2, "prismatic", "-3.14159", "3.14159"))  # fmt: skip
    tree = read_files(document(*both)).tree
    assert {one.limit_source for one in tree.joints} == {LimitSource.TABLE}
    near = read_files(document(joint(1, "revolute", "-3.141590", "3.141593"))).tree
    assert near.joint("joint_1").limit_source is LimitSource.GIVEN


def test_the_reader_of_the_older_method_takes_it_when_asked():
    assert read_files(document(joint()), "urdf_anything").tree.root == "link_0"


# Six decimals of a cube of side 2: half a millionth of half the object's extent, below 2 m here.
@given(tree=trees())
def test_what_the_format_keeps_comes_back(tree):
    setting = setting_of(tree)
    trip = brought_back("urdf_anything_plus", tree, setting)
    tolerance = 0.5e-6 * max(2.0, setting.shape.extents.max())
    require_same_motion(trip.back, trip.kept, tolerance)
    assert len(trip.kept.joints) == len(tree.movable)
    assert len(read_files(trip.written.files).triangles()) == len(tree.movable) + 1


def test_an_upright_door_is_kept_whatever_the_sign_of_its_axis():
    door = Joint("door", "revolute", [0, 0, -1], [0.5, -0.25, 0.1], -0.25, 1.5, 0.0, "a", "b")
    tree = KinematicTree("thing", ("a", "b"), (door,))
    require_same_motion(brought_back("urdf_anything_plus", tree).back, tree, 1e-6)


def test_a_tilted_axis_becomes_the_nearest_of_three():
    axis = [math.cos(0.3), 0, math.sin(0.3)]
    tree = KinematicTree(
        "thing", ("a", "b"), (Joint("j", "prismatic", axis, [0, 0, 0], 0, 1, 0.0, "a", "b"),)
    )
    assert brought_back("urdf_anything_plus", tree).back.joints[0].axis == pytest.approx([1, 0, 0])


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (document(joint(), base=""), "one fixed joint from 'base'"),
        (document(joint(), base=BASE.replace("fixed", "revolute")), "one fixed joint"),
        (document(joint().replace("link_0", "base")), "one fixed joint"),
        (document(joint().replace("link_0", "link_1")), "cycle"),
        (document(joint(), joint().replace("joint_1", "joint_9"), links=2), "child of both"),
        (document(joint(), joint(2).replace("joint_2", "joint_1")), "used twice"),
        (document(joint(), links=1), "does not exist"),
        (document(joint(lower="nan")), "NaN"),
        (document(joint(lower="2")), "greater than upper"),
        (document(joint().replace("0 1 0", "0 0 0")), "the axis is zero"),
        (document(joint(kind="floating")), "more than one degree"),
        ({"generated.urdf": document()["generated.urdf"][:-5]}, "not well-formed"),
        ({**document(joint()), "link_1.obj": b"v 0 0\n"}, "cannot be read"),
        ({**document(joint()), "link_1.obj": b"f 1 2 3\n"}, "cannot be read"),
    ],
)
def test_what_is_broken_is_refused_with_a_sentence(files, said):
    assert said in refusal(files, "urdf_anything_plus")
