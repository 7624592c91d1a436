# SPDX-License-Identifier: Apache-2.0
"""PARIS: degrees, the state in the middle, a distance that is already doubled."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics import JointType, KinematicTree, LimitSource
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.two_states import CHANGE_NOTE
from aa_dataset.score.simulated.paris import keep_expressible
from tests.fuzz.corpus import TRIANGLE_PLY
from tests.kit.one_prediction import chosen_reader, in_object_frame, read_files, refusal
from tests.kit.random_trees import trees
from tests.kit.round_trip import OBJECT_ID, brought_back, require_same_motion, setting_of

TURN = {
    "type": "rotate", "axis_o": [0.5, -0.25, 0.0], "axis_d": [0.0, 0.0, 2.0], "rot_angle": [90.0],
    "R": [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
}  # fmt: skip
SLIDE = {"type": "translate", "axis_o": [9, 9, 9], "axis_d": [0.6, 0.0, 0.8], "dist": [0.4]}


def motion(row: dict, name: str = "it5000_test_motion.json") -> dict[str, Any]:
    return {name: json.dumps(row)}


def at_rest(tmp_path: Path, files: dict[str, str]) -> KinematicTree:
    prediction = read_files(tmp_path, files)
    # Neither a saved frame nor a normalization: the shape of the object does not matter.
    return in_object_frame(prediction, setting_of(prediction.tree).shape)


def states(**changes: Any) -> dict:
    row = {
        "axis": {"o": [0.5, -0.25, 0.0], "d": [0.0, 0.0, 1.0]}, "type": "rotate",
        "rotate": {"l": 30.0, "r": 120.0}, "translate": {"l": 0.0, "r": 0.0},
    }  # fmt: skip
    return row | changes


def truth(*rows: dict) -> dict[str, str]:
    info = list(rows) if len(rows) > 1 else rows[0]
    return {"trans.json": json.dumps({"input": {"joint_id": 1}, "trans_info": info})}


def test_the_stored_state_is_the_middle_and_angles_are_degrees(tmp_path: Path) -> None:
    prediction = read_files(tmp_path, motion(TURN))
    (joint,) = prediction.tree.joints
    assert joint.type is JointType.REVOLUTE
    assert joint.limits == pytest.approx((-math.pi / 4, math.pi / 4))
    assert prediction.rest == {"joint": pytest.approx(-math.pi / 4)}
    assert prediction.notes == (CHANGE_NOTE,)
    assert joint.axis.tolist() == [0.0, 0.0, 1.0]
    assert joint.origin.tolist() == [0.5, -0.25, 0.0]


def test_at_rest_the_range_starts_at_zero(tmp_path: Path) -> None:
    (joint,) = at_rest(tmp_path, motion(TURN)).joints
    assert joint.limits == pytest.approx((0.0, math.pi / 2))
    assert joint.limit_source is LimitSource.GIVEN


def test_the_distance_is_the_whole_way(tmp_path: Path) -> None:
    """The program writes 2 * dist, and its own error doubles that again."""
    (joint,) = at_rest(tmp_path, motion(SLIDE)).joints
    assert joint.type is JointType.PRISMATIC
    assert joint.limits == pytest.approx((0.0, 0.4))
    assert joint.axis == pytest.approx([0.6, 0.0, 0.8])


def test_a_way_against_the_axis_is_a_range_below_zero(tmp_path: Path) -> None:
    (joint,) = at_rest(tmp_path, motion(SLIDE | {"dist": -0.4})).joints
    assert joint.limits == pytest.approx((-0.4, 0.0))


@pytest.mark.parametrize("kind", ["rotate", "translate"])
def test_a_run_that_estimates_the_type(tmp_path: Path, kind: str) -> None:
    row = {
        "type": kind, "t_dist": 0.4, "t_axis_d": [1.0, 0.0, 0.0], "R_axis_o": [0.0, 1.0, 0.0],
        "R_axis_d": [0.0, 0.0, 1.0], "R_ang": 60.0, "R_mat": [], "gt_type": "translate",
    }  # fmt: skip
    (joint,) = at_rest(tmp_path, motion(row)).joints
    if kind == "rotate":
        assert joint.limits == pytest.approx((0.0, math.pi / 3))
        assert (joint.axis.tolist(), joint.origin.tolist()) == ([0, 0, 1], [0, 1, 0])
    else:
        assert joint.limits == pytest.approx((0.0, 0.4))
        assert joint.axis.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("names", "read"),
    [
        (["it500_val", "it1000_val"], "it1000_val"),  # not in the order of the letters
        (["it500_test", "it1000_val"], "it500_test"),
        (["a/it500_val", "b/it1000_val"], "b/it1000_val"),
    ],
)
def test_the_last_test_counts(tmp_path: Path, names: list[str], read: str) -> None:
    files: dict[str, str] = {}
    for name in names:
        angle = 90.0 if name == read else 45.0
        files |= motion(TURN | {"rot_angle": [angle]}, f"{name}_motion.json")
    (joint,) = at_rest(tmp_path, files).joints
    assert joint.upper == pytest.approx(math.pi / 2)


def test_two_runs_are_a_sentence(tmp_path: Path) -> None:
    files = motion(TURN, "a/it5_test_motion.json") | motion(TURN, "b/it5_test_motion.json")
    assert "are two runs. Keep one." in refusal(tmp_path, files, "paris")


def test_meshes_of_the_middle_state_are_the_links(tmp_path: Path) -> None:
    names = ("static_256_thre10.0", "dynamic_256_thre10.0", "dyn_t0_256_thre10.0")
    files = {f"save/it5000_{name}.ply": TRIANGLE_PLY for name in names}
    files |= {"save/it500_dynamic_256_thre10.0.ply": b"of fewer steps"}
    files |= motion(TURN, "save/it5000_test_motion.json")
    triangles = read_files(tmp_path, files).triangles()
    assert {link: t.shape for link, t in triangles.items()} == {
        "static": (1, 3, 3), "dynamic": (1, 3, 3)
    }  # fmt: skip
    files["save/it5000_dynamic_128_thre10.0.ply"] = TRIANGLE_PLY
    with pytest.raises(PredictionError, match="expected one mesh of the dynamic part"):
        read_files(tmp_path, files).triangles()


def test_states_are_coordinates_from_the_rest_of_the_source(tmp_path: Path) -> None:
    assert chosen_reader(tmp_path, truth(states())) == "paris"
    prediction = read_files(tmp_path, truth(states()))
    (joint,) = prediction.tree.joints
    assert joint.limits == pytest.approx((math.pi / 6, 2 * math.pi / 3))
    assert prediction.rest == {"joint_0": pytest.approx(math.pi / 6)}


def test_states_may_be_a_list_and_run_down(tmp_path: Path) -> None:
    down = states(type="translate", translate={"l": 0.5, "r": 0.1})
    first, second = at_rest(tmp_path, truth(states(), down)).joints
    assert first.limits == pytest.approx((0.0, math.pi / 2))
    assert second.limits == pytest.approx((-0.4, 0.0))
    assert second.parent == first.parent == "static"


def test_the_truth_beside_a_motion_is_not_read(tmp_path: Path) -> None:
    (joint,) = at_rest(tmp_path, truth(states()) | motion(SLIDE)).joints
    assert joint.type is JointType.PRISMATIC


@pytest.mark.parametrize(
    ("others", "reader"),
    [
        ({"init_motion.json": "[]"}, "dta"),
        ({"gt/trans.json": json.dumps({"trans_info": {}}), "object.urdf": "<robot/>"}, "urdf"),
        ({"trans.json": "{}"}, "urdf"),
    ],
)
def test_the_truth_of_another_method_is_not_claimed(
    tmp_path: Path, others: dict[str, str], reader: str
) -> None:
    beside = truth(states()) if reader == "dta" else {}
    assert chosen_reader(tmp_path, beside | others) == reader


@given(trees())
def test_the_main_joint_comes_back(tree: KinematicTree) -> None:
    assume(tree.movable)
    trip = brought_back("paris", tree)
    # Numbers are float32: relative errors of 2^-24 (6e-8), of lengths to 2 m and angles to pi.
    require_same_motion(trip.back, trip.kept, 1e-6)
    (kept,) = trip.kept.joints
    main = tree.movable[0]
    assert (kept.type is JointType.PRISMATIC) == (main.type is JointType.PRISMATIC)
    assert kept.axis.tolist() == main.axis.tolist()
    assert 0.0 in kept.limits


def test_what_the_change_keeps_of_a_range(tmp_path: Path) -> None:
    prediction = read_files(tmp_path, truth(states(rotate={"l": -90.0, "r": 30.0})))
    tree = prediction.tree
    (kept,) = keep_expressible(tree, setting_of(tree)).joints
    assert kept.limits == pytest.approx((-math.pi / 2, 0.0))  # the farther end alone


def test_an_object_without_a_joint_is_a_sentence() -> None:
    still = KinematicTree("thing", ("base",), ())
    with pytest.raises(ArenaError, match="thing has no joint that moves; PARIS needs one"):
        keep_expressible(still, setting_of(still))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (TURN | {"type": "screw"}, "field `type`: 'screw' is not one of rotate, translate"),
        ({"type": "rotate"}, "lacks the field `rot_angle`"),
        (TURN | {"rot_angle": [1, 2]}, "field `rot_angle`, is [1, 2]; give one"),
        (TURN | {"axis_d": [0, 0, 0]}, "joint 'joint', field `axis`: the axis is zero"),
        (TURN | {"axis_o": 0.5}, "field `axis_o`, is 0.5; give three"),
        (SLIDE | {"dist": None}, "field `dist`, is None; give one"),
    ],
)
def test_a_broken_motion_is_a_sentence(tmp_path: Path, row: dict, said: str) -> None:
    sentence = refusal(tmp_path, motion(row))
    assert said in sentence
    assert OBJECT_ID in sentence


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (states(type="hinge"), "joint 0, field `type`: 'hinge' is not one of"),
        (states(rotate={"l": 1}), "joint 0, field `rotate` lacks the field `r`"),
        (states(axis=None), "field `axis` lacks the field `d`"),
    ],
)
def test_broken_states_are_a_sentence(tmp_path: Path, row: dict, said: str) -> None:
    assert said in refusal(tmp_path, truth(row))


@pytest.mark.parametrize(
    "text", ["{", "{" * 9, '{"a":' * 200_000, '{"type": Infinity}', '{"type": "rotate", "type": 1}']
)
def test_a_hostile_file_is_a_sentence(tmp_path: Path, text: str) -> None:
    assert "it5000_test_motion.json" in refusal(tmp_path, {"it5000_test_motion.json": text})


def test_huge_numbers_are_refused_later(tmp_path: Path) -> None:
    (joint,) = read_files(tmp_path, motion(SLIDE | {"dist": 1e300})).tree.joints
    assert np.isfinite(joint.limits).all()  # scoring has its own limit for numbers
