# SPDX-License-Identifier: Apache-2.0
"""`object.json` of SINGAPO and CAGE: y up, degrees, forced ranges, screws, boxes."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource
from aa_dataset.score.budgets import PredictionError
from tests.kit.method_files import format_of, read_files, refused_files
from tests.kit.random_trees import trees
from tests.kit.round_trip import brought_back, require_same_motion, setting_of

HALF = math.pi / 2


def part(number: int, kind: str = "fixed", parent: int = 0, **joint: Any) -> dict[str, Any]:
    axis = {
        "direction": joint.pop("direction", [0, 0, 0]),
        "origin": joint.pop("origin", [0, 0, 0]),
    }
    return {
        "id": number,
        "name": "door",
        "parent": parent,
        "children": [],
        "aabb": {"center": [0.1, 0.2, 0.3], "size": [1, 2, 4]},
        "joint": {"type": kind, "range": joint.pop("range", [0, 0]), "axis": axis},
    }


def written(*parts: dict[str, Any], key: str = "diffuse_tree") -> dict[str, bytes]:
    content = {"meta": {"obj_cat": "Table"}, key: [part(0, parent=-1), *parts]}
    return {"object.json": json.dumps(content).encode()}


@pytest.mark.parametrize("key", ["diffuse_tree", "arti_tree"])
def test_the_tree_is_turned_to_z_up_and_front_x(tmp_path, key):
    """The file's z, its front, is x here; its x is y; its y is z."""
    door = part(1, "revolute", direction=[0, 2, 0], origin=[1, 2, 3], range=[0, 60])
    tray = part(2, "prismatic", parent=1, direction=[0, 0, 1], range=[0, 0.5])
    found = read_files(tmp_path, written(door, tray, key=key))
    hinge, slide = found.tree.joints
    assert hinge.axis.tolist() == [0, 0, 1] and hinge.origin.tolist() == [3, 1, 2]
    assert hinge.limits == pytest.approx((0, math.pi / 3)) and slide.limits == (0, 0.5)
    assert slide.axis.tolist() == [1, 0, 0] and slide.parent == hinge.child == "door_1"
    assert format_of(tmp_path) == "singapo" and found.notes == ()
    corners = found.triangles()["door_1"]
    assert corners.min(axis=(0, 1)) == pytest.approx([0.3 - 2, 0.1 - 0.5, 0.2 - 1])
    assert corners.max(axis=(0, 1)) == pytest.approx([0.3 + 2, 0.1 + 0.5, 0.2 + 1])


def test_ranges_that_the_evaluation_forces_are_marked(tmp_path):
    ranges = [[0, 90], [0, -90], [-90, 0], [0, 89.9], [0, 45]]
    doors = [part(k, "revolute", direction=[0, 1, 0], range=r) for k, r in enumerate(ranges, 1)]
    found = read_files(tmp_path, written(*doors))
    assert [one.limit_source for one in found.tree.joints] == ["table"] * 3 + ["given"] * 2
    expected = [(0, HALF), (-HALF, 0), (-HALF, 0)]
    for one, limits in zip(found.tree.joints, expected, strict=False):
        assert one.limits == pytest.approx(limits)
    assert found.notes == ("limits given by the method's table: joint_1, joint_2, joint_3",)


def test_other_types(tmp_path):
    """A continuous joint has the constant 360, a screw no pitch, a fixed one no axis."""
    knob = part(1, "continuous", direction=[0, 0, 1], range=[0, 360])
    lid = part(2, "screw", direction=[0, 1, 0], range=[0, -0.2])
    found = read_files(tmp_path, written(knob, lid, part(3)))
    kinds = [one.type for one in found.tree.joints]
    assert kinds == [JointType.CONTINUOUS, JointType.PRISMATIC, JointType.FIXED]
    assert found.tree.joints[1].limits == (-0.2, 0)
    assert found.notes == ("a screw without a pitch is read as a slide: joint_2",)


@given(trees())
def test_every_tree_comes_back(tree):
    trip = brought_back("singapo", tree)
    require_same_motion(trip.back, trip.kept)
    for one, two in zip(tree.joints, trip.kept.joints, strict=True):
        assert two.type is not JointType.HELICAL and two.limit_source is not LimitSource.ABSENT
        if one.type is two.type and all(map(math.isfinite, one.limits)):
            assert two.lower == one.lower and two.upper <= one.upper + 1e-12


def test_what_the_format_forces(tmp_path):
    absent = {"lower": -math.inf, "upper": math.inf, "limit_source": LimitSource.ABSENT}
    joints = (
        Joint("a", "helical", [0, 0, 1], [0, 0, 0], 0, 2, pitch=-0.1, parent="r", child="l0"),
        Joint("b", "revolute", [0, 0, 1], [0, 0, 0], parent="r", child="l1", **absent),
        Joint("c", "prismatic", [0, 0, 1], [0, 0, 0], parent="r", child="l2", **absent),
        Joint("d", "revolute", [0, 0, 1], [0, 0, 0], 1, 9, parent="r", child="l3"),
    )
    tree = KinematicTree("t", ("r", "l0", "l1", "l2", "l3"), joints)
    setting = setting_of(tree)
    slide, knob, open_slide, turn = brought_back("singapo", tree, setting).kept.joints
    assert (slide.type, slide.limits) == (JointType.PRISMATIC, (-0.2, 0))
    assert knob.type is JointType.CONTINUOUS
    half_diagonal = np.linalg.norm(setting.shape.extents) / 2
    assert open_slide.limits == pytest.approx((0, half_diagonal))
    assert turn.limits == (1, 1 + 2 * math.pi)


def test_boxes_are_those_of_the_closed_state(tmp_path):
    """A slide that starts 0.2 before rest: its box is written there, and moves back to rest."""
    slide = Joint("a", "prismatic", [1, 0, 0], [0, 0, 0], -0.2, 0.1, parent="r", child="l")
    tree = KinematicTree("t", ("r", "l"), (slide,))
    setting = setting_of(tree)
    trip = brought_back("singapo", tree, setting)
    found = read_files(tmp_path, trip.written.files)
    assert trip.written.saved is not None
    corners = trip.written.saved.points(found.triangles()["drawer_1"])
    expected = setting.triangles["l"] - [0.2, 0, 0]
    for bound in (np.min, np.max):
        assert bound(corners, axis=(0, 1)) == pytest.approx(bound(expected, axis=(0, 1)))


def changed(**fields: Any) -> dict[str, bytes]:
    """Return a file whose part 1 has other fields; a field of its joint has two underscores."""
    one = part(1, "revolute", direction=[0, 1, 0], range=[0, 1])
    for name, value in fields.items():
        target = one["joint"] if name.startswith("joint__") else one
        target[name.removeprefix("joint__")] = value
    return written(one)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (changed(parent=7), "there is no part 7"),
        (changed(parent=1), "cycle"),
        (changed(parent=-1), "all have no parent"),
        (changed(id=0), "two parts have one number"),
        (changed(id="1"), "is not a whole number"),
        (changed(id=True), "is not a whole number"),
        (changed(joint__type="ball"), "the type 'ball' is not one of"),
        (changed(joint__range=[0]), "give two finite numbers"),
        (changed(joint__range=[0, None]), "give two finite numbers"),
        (changed(joint__range=[0, 1e400]), "Infinity, which is not JSON"),
        (changed(joint__axis={"origin": [0, 0, 0]}), "lacks the field `direction`"),
        (changed(joint__axis={"origin": [0, 0, 0], "direction": [0, 0, 0]}), "the axis is zero"),
        (changed(joint=[]), "lacks the field `type`"),
        ({"object.json": b'{"diffuse_tree": [' + b"[" * 200 + b"]" * 201 + b"}"}, "too deeply"),
        ({"object.json": b'{"diffuse_tree": 3}'}, "field `diffuse_tree`, is 3; give a list"),
        ({"object.json": b'{"diffuse_tree": []}'}, "has no link"),
        ({"object.json": written()["object.json"][:-5]}, "thing/object.json"),
        ({"object.json": b'{"diffuse_tree": ["' + b"a" * 5_000_000 + b'"]}'}, "more than"),
        (written() | {"b.json": written()["object.json"]}, "expected one object.json"),
    ],
)
def test_broken_files_are_refused(tmp_path, files, words):
    assert words in refused_files(tmp_path, files)


def test_many_parts_are_refused(tmp_path):
    assert "at most 5,000 are read" in refused_files(tmp_path, written(*[part(1)] * 5001))


def test_boxes_that_are_no_boxes_are_refused_when_asked(tmp_path):
    found = read_files(tmp_path, changed(aabb={"center": [0, 0, 0]}))
    with pytest.raises(PredictionError, match="lacks the field `size`"):
        found.triangles()
