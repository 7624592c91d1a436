# SPDX-License-Identifier: Apache-2.0
"""Particulate: the sign of moments, parts that turn and slide, the cube, the lower ends, junk."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.score.registration.normalization import InputShape
from aa_dataset.score.simulated.meshes import obj_bytes
from tests.kit.random_trees import trees
from tests.kit.read_files import read_files, recognized_as, refusal
from tests.kit.round_trip import (
    box_triangles,
    brought_back,
    require_same_motion,
    setting_of,
    to_object,
)

# A door of part 1 turns about z through (0.5, 0.2, 0); the drawer of part 2 slides along -x.
ARRAYS = {
    "face_part_ids": np.repeat([0, 1, 2], 12),
    "motion_hierarchy": np.array([(0, 1), (0, 2)]),
    "is_part_revolute": np.array([False, True, False]),
    "is_part_prismatic": np.array([False, False, True]),
    # The moment is l x p = z x (0.5, 0.2, 0) = (-0.2, 0.5, 0).
    "revolute_plucker": np.array(
        [[9, 9, 9, 9, 9, 9], [0, 0, 1, -0.2, 0.5, 0], [0] * 6], np.float32
    ),
    "revolute_range": np.array([[3, 4], [0, 1.5], [0, 0]], np.float32),
    "prismatic_axis": np.array([[9, 9, 9], [0, 0, 0], [-2, 0, 0]], np.float32),
    "prismatic_range": np.array([[3, 4], [0, 0], [0, 0.25]], np.float32),
}
# The given mesh is 4 wide about (2, 1, 1): joints are in (x - center) / 4.
MESH = np.concatenate(
    [
        box_triangles(np.array([2.0, 1.0, 1.0]), np.array([4.0, 2.0, 2.0])),
        box_triangles(np.array([1.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0])),
        box_triangles(np.array([3.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0])),
    ]
)


def files(folder: str = "eval/", mesh: bytes | None = None, **changes) -> dict[str, bytes]:
    stream = io.BytesIO()
    arrays = {**ARRAYS, **changes}
    np.savez(stream, **{name: one for name, one in arrays.items() if one is not None})
    shown = {} if mesh is None else {f"{folder}pred.obj": mesh}
    return {f"{folder}pred.npz": stream.getvalue(), **shown}


def changed(name: str, place: tuple[int, int] | int, value: float) -> dict[str, np.ndarray]:
    array = ARRAYS[name].copy()
    array[place] = value
    return {name: array}


@pytest.mark.parametrize("folder", ["eval/", ""])
def test_the_moment_has_the_other_sign(folder):
    assert recognized_as(files(folder)) == "particulate"
    tree = read_files(files(folder)).tree
    door = tree.joint("joint_0_1")
    assert door.origin == pytest.approx([0.5, 0.2, 0], abs=1e-7)
    assert door.axis.tolist() == [0, 0, 1] and door.limits == (0, 1.5)
    # The paper's screw has v = o x a, the negative of what the file holds.
    assert door.screw[3:] == pytest.approx(-ARRAYS["revolute_plucker"][1, 3:], abs=1e-7)
    drawer = tree.joint("joint_0_2")
    assert drawer.axis.tolist() == [-1, 0, 0] and drawer.limits == (0, 0.25)


def test_the_row_of_the_root_is_junk():
    root = np.array([True, False, False])
    tree = read_files(files(is_part_revolute=root, is_part_prismatic=root)).tree
    assert tree.root == "part_0" and [joint.child for joint in tree.joints] == ["part_1", "part_2"]


def test_a_part_that_turns_and_slides_has_two_joints_the_turn_first():
    slides = np.array([False, True, False])
    rows = {
        **changed("prismatic_axis", 1, [1, 0, 0]),
        **changed("prismatic_range", 1, [0, 0.5]),
    }
    tree = read_files(files(is_part_prismatic=slides, **rows)).tree
    turn, slide = tree.joint("joint_0_1"), tree.joint("joint_0_1_slide")
    assert (turn.parent, turn.child) == ("part_0", slide.parent)
    assert slide.child == "part_1" and slide.type is JointType.PRISMATIC
    # A quarter turn, then 0.3 along the turned x: p -> R(p - o) + o + 0.3 y.
    moved = tree.placements({turn.name: math.pi / 2, slide.name: 0.3})["part_1"]
    assert moved @ [0.5, 0.2, 0, 1] == pytest.approx([0.5, 0.5, 0, 1], abs=1e-7)


def test_parts_of_no_class_are_fixed():
    tree = read_files(files(is_part_revolute=np.zeros(3, bool))).tree
    assert tree.joint("joint_0_1").type is JointType.FIXED


def test_the_cube_comes_from_the_mesh_that_was_given():
    prediction = read_files(files(mesh=obj_bytes(MESH)))
    shape = InputShape.of(MESH.reshape(-1, 3))
    door = to_object(prediction, shape).tree(prediction.tree).joint("joint_0_1")
    assert door.origin == pytest.approx([2 + 4 * 0.5, 1 + 4 * 0.2, 1], abs=1e-6)
    drawer = to_object(prediction, shape).tree(prediction.tree).joint("joint_0_2")
    assert drawer.limits == (0, 1.0)  # a quarter of the cube


def test_the_mesh_is_not_in_the_cube_but_its_triangles_are():
    triangles = read_files(files(mesh=obj_bytes(MESH))).triangles()
    assert set(triangles) == {"part_0", "part_1", "part_2"}
    assert triangles["part_1"].reshape(-1, 3).min(axis=0) == pytest.approx([-0.375, -0.125, -0.125])
    assert triangles["part_0"].reshape(-1, 3).max(axis=0) == pytest.approx([0.5, 0.25, 0.25])


def test_coordinates_are_zero_in_the_state_of_the_mesh():
    """A truth of the method's own preparation is posed at the lower end, -0.5 of the door."""
    tree = read_files(files(**changed("revolute_range", 1, [0, 1.5]))).tree
    door = tree.reanchored({"joint_0_1": 0.5}).joint("joint_0_1")
    assert door.limits == (-0.5, 1.0)


def test_the_simulated_mesh_is_posed_at_the_lower_ends():
    door = Joint("door", "revolute", [0, 0, 1], [0, 0, 0], -math.pi / 2, 1.0, 0.0, "body", "leaf")
    tree = KinematicTree("thing", ("body", "leaf"), (door,))
    setting = setting_of(tree)
    setting.triangles["leaf"] = box_triangles(np.array([2.0, 0, 0]), np.array([1.0, 0.5, 0.25]))
    trip = brought_back("particulate", tree, setting)
    file = trip.prediction.tree.joints[0]
    assert file.limits == pytest.approx((0, math.pi / 2 + 1), abs=1e-6)
    assert trip.written.rest == {"joint_0_1": pytest.approx(math.pi / 2)}
    cube = read_files(trip.written.files).triangles()
    leaf = trip.written.saved.points(cube["part_1"]).reshape(-1, 3)
    assert leaf.mean(axis=0)[:2] == pytest.approx([0, -2], abs=0.2)  # a quarter turn back
    require_same_motion(trip.back, trip.kept, 1e-6)


def test_several_roots_stand_still_and_are_said():
    prediction = read_files(files(motion_hierarchy=np.array([(2, 1)])))
    assert prediction.tree.root == "part_2"  # part 0 has no part below it
    assert prediction.tree.joint("joint_2_0").type is JointType.FIXED
    assert prediction.notes[0] == "parts without a parent do not move: 0"


def test_one_part_has_no_pairs():
    one = {name: array[:1] for name, array in ARRAYS.items()}
    tree = read_files(files(**{**one, "motion_hierarchy": np.array([])})).tree
    assert tree.links == ("part_0",) and tree.joints == ()


def test_ranges_may_be_the_other_way_round():
    tree = read_files(files(**changed("revolute_range", 1, [1.5, -0.25]))).tree
    assert tree.joint("joint_0_1").limits == (-0.25, 1.5)


# Single precision has 6e-8 of each number. Points and moments are below 4 cubes, and each of eight
# joints in a chain turns that error about an arm of as much: below 8 * 4 * 4 * 6e-8.
@given(tree=trees())
def test_what_the_format_keeps_comes_back(tree):
    trip = brought_back("particulate", tree)
    require_same_motion(trip.back, trip.kept, 1e-5)
    helical = sum(joint.type is JointType.HELICAL for joint in tree.joints)
    assert len(trip.kept.joints) == len(tree.joints) + helical
    assert len(read_files(trip.written.files).triangles()) == len(tree.links)


def test_empty_links_go_into_the_links_that_they_carry():
    edges = [("base", "box"), ("box", "pin"), ("pin", "lid"), ("lid", "knob")]
    kinds = ["fixed", "revolute", "prismatic", "fixed"]
    joints = tuple(
        Joint(f"j{n}", kind, [0, 0, 1], [0.1, 0, 0], 0, 0.5, 0.0, *edge)
        for n, (kind, edge) in enumerate(zip(kinds, edges, strict=True))
    )
    tree = KinematicTree("thing", ("base", "box", "pin", "lid", "knob"), joints)
    setting = setting_of(tree)
    for link in ("base", "pin"):
        del setting.triangles[link]
    trip = brought_back("particulate", tree, setting)
    # The pin stays, as the carrier of a part that turns and slides; the base is the box.
    assert [joint.type for joint in trip.back.joints] == ["revolute", "prismatic", "fixed"]
    require_same_motion(trip.back, trip.kept, 1e-6)
    del setting.triangles["lid"]
    trip = brought_back("particulate", tree, setting)
    assert [joint.type for joint in trip.back.joints] == ["prismatic"]  # below the knob: nothing


def test_both_files_are_of_one_run():
    assert "of one run" in refusal(files(mesh=obj_bytes(MESH[:-1])))
    assert "of one run" in refusal(
        files(
            mesh=obj_bytes(MESH),
            **changed("face_part_ids", 0, 0),
        )
        | files(mesh=b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    )
    assert "vertices that the file does not have" in refusal(files(mesh=b"v 0 0 0\nf 1 2 3\n"))


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (changed("revolute_plucker", (1, 0), math.nan), "three finite numbers"),
        (changed("revolute_plucker", 1, 0), "the axis is zero"),
        (changed("revolute_range", (1, 1), math.nan), "NaN"),
        (changed("prismatic_axis", 2, 0), "the axis is zero"),
        ({"prismatic_axis": None}, "'prismatic_axis' is missing"),
        ({"prismatic_axis": ARRAYS["prismatic_axis"][:, :2]}, "expected (3, 3)"),
        ({"is_part_revolute": np.ones((3, 1), bool)}, "one entry per part"),
        ({"is_part_prismatic": np.ones(4, bool)}, "one entry per part"),
        ({"is_part_revolute": np.array([], bool)}, "one entry per part"),
        ({"is_part_revolute": np.ones(5001, bool)}, "one entry per part"),
        ({"motion_hierarchy": np.array([(0, 3)])}, "pairs of parent and child"),
        ({"motion_hierarchy": np.array([(0, -1)])}, "pairs of parent and child"),
        ({"motion_hierarchy": np.array([(0.0, 1.0)])}, "pairs of parent and child"),
        ({"motion_hierarchy": np.array([0, 1])}, "pairs of parent and child"),
        ({"motion_hierarchy": np.array([(0, 1)] * 4)}, "pairs of parent and child"),
        ({"motion_hierarchy": np.array([(0, 1), (2, 1)])}, "child of both"),
        ({"motion_hierarchy": np.array([(0, 1), (1, 2), (2, 0)])}, "cycle"),
        ({"motion_hierarchy": np.array([(1, 1)])}, "cycle"),
        ({"motion_hierarchy": np.array([{}], object)}, "could run code"),
    ],
)
def test_what_is_broken_is_refused_with_a_sentence(broken, words):
    assert words in refusal(files(**broken))


def test_damaged_archives_are_refused_with_a_sentence():
    data = files()["eval/pred.npz"]
    for part in (data[:-30], data[:100], b"", b"PK\x03\x04" * 10, data.replace(b"NUMPY", b"NUMPX")):
        refusal({"eval/pred.npz": part})
