# SPDX-License-Identifier: Apache-2.0
"""DigitalTwinArt: rigid motions of either state, whose type is not stated."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import JointType, KinematicTree
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.two_states import CHANGE_NOTE
from tests.kit.one_prediction import chosen_reader, in_object_frame, read_files, refusal
from tests.kit.random_trees import Shape, trees
from tests.kit.round_trip import OBJECT_ID, brought_back, require_same_motion, setting_of

# A quarter turn about the line x = 1, y = 0: the origin comes to (1, -1, 0).
TURN = {
    "axis_position": [1.0, 0.0, 0.0], "axis_direction": [0.0, 0.0, 1.0], "theta": 90.0,
    "rotation": [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    "translation": [1.0, -1.0, 0.0],
}  # fmt: skip
# The same, back from the second state.
BACK = {
    "axis_position": [1.0, 0.0, 0.0], "axis_direction": [0.0, 0.0, -1.0], "theta": 90.0,
    "rotation": [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    "translation": [1.0, 1.0, 0.0],
}  # fmt: skip
# A slide whose rotation, which the method does not hold at none, has an error of 0.1 rad.
SLIDE = {
    "axis_position": [0.0, 0.0, 0.0], "axis_direction": [0.6, 0.0, 0.8], "theta": 0.05,
    "rotation": [[0.995, -0.0998, 0.0], [0.0998, 0.995, 0.0], [0.0, 0.0, 1.0]],
    "translation": [0.03, 0.0, 0.04],
}  # fmt: skip
MESH = "v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 1 0 0\nf 1 2 3\n"


def motion(*rows: Any, name: str = "init_motion.json") -> dict[str, str]:
    return {name: json.dumps(list(rows))}


def at_rest(tmp_path: Path, files: dict[str, str]) -> KinematicTree:
    prediction = read_files(tmp_path, files)
    return in_object_frame(prediction, setting_of(prediction.tree).shape)


def test_the_type_is_that_of_the_motion(tmp_path: Path) -> None:
    files = motion(TURN, SLIDE, name="init_p01_motion.json")
    assert chosen_reader(tmp_path, files) == "dta"
    turn, slide = at_rest(tmp_path, files).joints
    assert (turn.type, slide.type) == (JointType.REVOLUTE, JointType.PRISMATIC)
    assert turn.limits == pytest.approx((0.0, math.pi / 2))  # degrees in the file
    assert slide.limits == pytest.approx((0.0, 0.05))  # metres in the file
    assert (turn.axis.tolist(), turn.origin.tolist()) == ([0, 0, 1], [1, 0, 0])
    assert (turn.parent, turn.child, slide.child) == ("part_0", "part_1", "part_2")


def test_a_short_slide_is_not_a_small_turn(tmp_path: Path) -> None:
    """0.05 degrees turn by less than the error of a rotation that is no rotation at all."""
    still = {"rotation": np.eye(3).tolist()}
    (slide,) = at_rest(tmp_path, motion(SLIDE | still)).joints
    assert slide.type is JointType.PRISMATIC


def test_the_second_state_rests_at_the_end(tmp_path: Path) -> None:
    prediction = read_files(tmp_path, motion(BACK, name="last_motion.json"))
    assert prediction.rest == {"joint_0": pytest.approx(math.pi / 2)}
    assert CHANGE_NOTE in prediction.notes
    (back,) = at_rest(tmp_path, motion(BACK, name="last_motion.json")).joints
    (there,) = at_rest(tmp_path / "other", motion(TURN)).joints
    # From rest, both turn the part by a quarter about the same line, to the same side.
    assert back.axis.tolist() == (-there.axis).tolist()
    assert back.limits == pytest.approx((-there.upper, 0.0))


def test_the_first_state_counts(tmp_path: Path) -> None:
    files = motion(TURN) | motion(BACK, name="last_motion.json")
    assert not read_files(tmp_path, files).rest


def test_orders_of_equal_types_are_the_same_parts(tmp_path: Path) -> None:
    small = TURN | {
        "theta": 180.0, "rotation": [[-1, 0, 0], [0, -1, 0], [0, 0, 1]], "translation": [2, 0, 0]
    }  # fmt: skip
    files = motion(TURN, small, name="init_p01_motion.json")
    both = files | motion(small, TURN, name="init_p10_motion.json")
    swapped = motion(small, TURN, name="init_p10_motion.json")
    found = [
        {joint.child: joint.limits for joint in at_rest(tmp_path / str(k), some).joints}
        for k, some in enumerate((files, both, swapped))
    ]
    assert found[0] == found[1] == found[2]
    assert found[0]["part_1"] == pytest.approx((0.0, math.pi / 2))


def test_orders_of_other_types_are_left_to_the_user(tmp_path: Path) -> None:
    files = motion(TURN, SLIDE, name="init_p01_motion.json")
    files |= motion(SLIDE, TURN, name="init_p10_motion.json")
    sentence = refusal(tmp_path, files)
    assert "init_p01_motion.json: other files have the parts in another order" in sentence
    assert sentence.endswith("Keep the file with the right order.")


def test_two_readings_of_the_type_are_left_to_the_user(tmp_path: Path) -> None:
    files = motion(TURN, name="init_revolute_motion.json")
    files |= motion(SLIDE, name="init_prismatic_motion.json")
    assert "the type is open between init_prismatic_motion.json and" in refusal(tmp_path, files)


def test_the_type_of_a_single_reading_is_the_method_s_own(tmp_path: Path) -> None:
    own = read_files(tmp_path, motion(TURN, name="init_revolute_motion.json"))
    assert own.notes == (CHANGE_NOTE,)
    given_type = read_files(tmp_path / "other", motion(TURN))
    assert "the method takes the types of joints from the ground truth" in given_type.notes


def test_meshes_of_the_state_are_the_links(tmp_path: Path) -> None:
    meshes = {f"r/init_part_{k}.obj": MESH.replace("v 0 1", f"v {k} 1") for k in (0, 1)}
    meshes["r/last_part_1.obj"] = "broken"
    files = motion(TURN, name="r/init_motion.json") | meshes
    triangles = read_files(tmp_path, files).triangles()
    assert set(triangles) == {"part_0", "part_1"}
    assert triangles["part_1"].tolist() == [[[0, 0, 0], [1, 0, 0], [1, 1, 0]]]


def test_a_broken_mesh_is_a_sentence(tmp_path: Path) -> None:
    files = motion(TURN) | {"init_part_1.obj": "v 0 0 0\nf 1 2 3\n"}
    with pytest.raises(PredictionError, match=r"thing/init_part_1\.obj: a face names vertices"):
        read_files(tmp_path, files).triangles()


@given(trees())
def test_what_moves_comes_back(tree: KinematicTree) -> None:
    trip = brought_back("dta", tree)
    require_same_motion(trip.back, trip.kept)
    assert len(trip.kept.joints) == len(tree.movable)
    assert all(0.0 in joint.limits and joint.parent == "part_0" for joint in trip.kept.joints)


@given(trees(types=(JointType.REVOLUTE, JointType.PRISMATIC), shape=Shape.STAR))
def test_the_way_back_is_the_same_joint(tree: KinematicTree) -> None:
    """The file of the second state alone gives the same tree at rest."""
    trip = brought_back("dta", tree)
    last = {n: d.decode() for n, d in trip.written.files.items() if "last" in n}
    with tempfile.TemporaryDirectory() as folder:
        require_same_motion(at_rest(Path(folder), last), trip.kept)


def test_a_part_that_stands_still_is_none(tmp_path: Path) -> None:
    assert read_files(tmp_path, motion()).tree.links == ("part_0",)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (TURN | {"theta": 45.0}, "joint 0, field `theta`: neither turn nor slide"),
        (TURN | {"theta": 0.0}, "joint 0, field `theta`: the part does not move"),
        (TURN | {"axis_direction": [0, 0, 0]}, "field `theta`: the part does not move"),
        (TURN | {"axis_direction": [0, 0, 1e300]}, "neither turn nor slide"),
        (TURN | {"theta": 1e300}, "neither turn nor slide"),
        (
            TURN | {"rotation": [[1, 0, 0]]},
            "field `rotation`, is [[1, 0, 0]]; give 3 rows of 3 finite numbers",
        ),
        (TURN | {"translation": "x"}, "field `translation`, is 'x'; give three"),
        ({}, "joint 0 lacks the field `axis_direction`"),
        (1, "entry 0 is 1; give an object"),
    ],
)
def test_a_broken_motion_is_a_sentence(tmp_path: Path, row: Any, said: str) -> None:
    sentence = refusal(tmp_path, motion(row))
    assert said in sentence
    assert OBJECT_ID in sentence


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("init_p0_motion.json", "its name orders 1 parts, it has 2"),
        ("init_p02_motion.json", "its name orders 2 parts, it has 2"),
        ("init_p00_motion.json", "its name orders 2 parts, it has 2"),
    ],
)
def test_a_wrong_order_is_a_sentence(tmp_path: Path, name: str, said: str) -> None:
    assert said in refusal(tmp_path, motion(TURN, TURN, name=name))


def test_two_results_are_a_sentence(tmp_path: Path) -> None:
    files = motion(TURN, name="a/init_motion.json") | motion(TURN, name="b/init_motion.json")
    assert "are two results. Keep one folder." in refusal(tmp_path, files)


@pytest.mark.parametrize("text", ["[", "[" * 200_000, "[NaN]", '[{"theta": 1e999}]'])
def test_a_hostile_file_is_a_sentence(tmp_path: Path, text: str) -> None:
    assert "init_motion.json" in refusal(tmp_path, {"init_motion.json": text})
