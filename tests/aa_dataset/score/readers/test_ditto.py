# SPDX-License-Identifier: Apache-2.0
"""Ditto: a saved frame, an axis that is no unit vector, a change of state, two heads."""

from __future__ import annotations

import io
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics import JointType, KinematicTree, LimitSource
from aa_dataset.score.readers.digest import prediction_digest
from aa_dataset.score.readers.two_states import CHANGE_NOTE
from aa_dataset.score.simulated.ditto import keep_expressible, write
from tests.kit.one_prediction import chosen_reader, in_object_frame, read_files, refusal
from tests.kit.random_trees import trees
from tests.kit.round_trip import OBJECT_ID, brought_back, require_same_motion, setting_of

HEADS = {"revolute": {"config_err": np.float64(0.0)}, "prismatic": None,
         "joint_type": {"accuracy": True}}  # fmt: skip
OUTPUT = {
    "joint_axis": np.array([0.0, 0.0, 0.9], dtype=np.float32),
    "pivot_point": np.array([0.25, 0.0, -0.25], dtype=np.float32),
    "config": np.float32(-0.5),
    "joint_type": 0,
}
DATA = {
    "data_path": "scenes/a.npz", "center": np.array([1.0, 2.0, 0.5], dtype=np.float32),
    "scale": 2.0, "joint_index": 1, "joint_axis": np.zeros(3), "pivot_point": np.zeros(3),
    "config": np.array(0.5, dtype=np.float32),
}  # fmt: skip
URDF = """<?xml version="1.0" ?>
<robot name="block">
	<link name="base_link"><visual><geometry><mesh filename="static.obj"/></geometry></visual>
	</link>
	<link name="1"><visual><origin rpy="0.0 0.0 0.0" xyz="-0.25 0 0.25"/>
		<geometry><mesh filename="mobile.obj"/></geometry></visual>
		<inertial><mass value="3.0"/><inertia ixx="100" ixy="100" ixz="100" iyy="100" iyz="100"
			izz="100"/></inertial></link>
	<joint name="0_j_1" type="revolute"><parent link="base_link"/><child link="1"/>
		<origin rpy="0 0 0" xyz="0.25 0.0 -0.25"/><axis xyz="0.0 0.0 0.9"/>
		<limit effort="1.0" lower="-0.5" upper="0.0" velocity="1000"/></joint>
</robot>
"""


def quant(
    output: dict | None = None,
    data: dict | None = None,
    heads: Any = HEADS,
    arrays: dict[str, Any] | None = None,
) -> dict[str, bytes]:
    stream = io.BytesIO()
    found = {**OUTPUT, **(output or {})}, {**DATA, **(data or {})}
    result = {"geo": {"cd_whole": np.float64(1.0)}, "articulation": heads}
    usual = {"eval": result, "output": found[0], "data": (found[1],)}
    np.savez_compressed(stream, **{**usual, **(arrays or {})})
    return {"quant.npz": stream.getvalue()}


def at_rest(tmp_path: Path, files: dict[str, bytes]) -> KinematicTree:
    prediction = read_files(tmp_path, files)
    return in_object_frame(prediction, setting_of(prediction.tree).shape)


def test_the_frame_is_saved(tmp_path: Path) -> None:
    assert chosen_reader(tmp_path, quant()) == "ditto"
    (joint,) = at_rest(tmp_path, quant()).joints
    # 2 * (0.25, 0, -0.25) + (1, 2, 0.5)
    assert joint.origin.tolist() == [1.5, 2.0, 0.0]
    assert joint.axis.tolist() == [0.0, 0.0, 1.0]  # of length 0.9 in the file
    assert (joint.type, joint.parent, joint.child) == (JointType.REVOLUTE, "base_link", "1")


def test_the_change_of_state_is_a_range_with_a_note(tmp_path: Path) -> None:
    prediction = read_files(tmp_path, quant())
    (joint,) = prediction.tree.joints
    assert joint.limits == (-0.5, 0.0)
    assert joint.limit_source is LimitSource.GIVEN
    assert prediction.notes == (CHANGE_NOTE,)
    (other,) = read_files(tmp_path / "other", quant({"config": np.float32(0.5)})).tree.joints
    assert other.limits == (0.0, 0.5)


def test_a_slide_takes_the_unit_of_the_input(tmp_path: Path) -> None:
    slide = {"joint_type": 1, "pivot_point": np.zeros(3), "config": np.float32(0.25)}
    heads = {"revolute": None, "prismatic": {}}
    (joint,) = at_rest(tmp_path, quant(slide, heads=heads)).joints
    assert joint.type is JointType.PRISMATIC
    assert joint.limits == (0.0, 0.5)


@pytest.mark.parametrize(
    ("number", "heads", "said"),
    [
        (0, {"revolute": None, "prismatic": {}}, "the type is revolute, but axis and change come "
         "from the head for prismatic joints, which the method chose by the ground truth"),
        (1, HEADS, "the type is prismatic, but axis and change come from the head for revolute "
         "joints, which the method chose by the ground truth"),
        (0, None, "which head the axis comes from is unknown"),
        (0, [os.sep], "which head the axis comes from is unknown"),
    ],
)  # fmt: skip
def test_a_type_of_another_head_is_noted(
    tmp_path: Path, number: int, heads: Any, said: str
) -> None:
    prediction = read_files(tmp_path, quant({"joint_type": number}, heads=heads))
    assert prediction.notes == (CHANGE_NOTE, said)
    (joint,) = prediction.tree.joints
    assert joint.type is (JointType.REVOLUTE, JointType.PRISMATIC)[number]


def test_errors_in_another_form_do_not_matter(tmp_path: Path) -> None:
    """Of a later program, for example as tensors: only the note hangs on them."""
    files = quant(arrays={"eval": {"articulation": {1, 2}}})
    assert read_files(tmp_path, files).notes[1] == "which head the axis comes from is unknown"


def test_the_archive_comes_before_the_urdf(tmp_path: Path) -> None:
    files = quant() | {"out.urdf": URDF.replace("0.25 0.0 -0.25", "9 9 9").encode()}
    assert chosen_reader(tmp_path, files) == "ditto"
    assert read_files(tmp_path, files).tree.joints[0].origin.tolist() == [0.25, 0.0, -0.25]


def test_the_urdf_alone_has_no_frame(tmp_path: Path) -> None:
    files = {"out.urdf": URDF.encode()}
    assert chosen_reader(tmp_path, files) == "ditto"
    prediction = read_files(tmp_path, files)
    (joint,) = prediction.tree.joints
    assert prediction.saved is None
    assert "center and scale are in quant.npz, which is not there" in prediction.notes
    assert (joint.limits, joint.origin.tolist()) == ((-0.5, 0.0), [0.25, 0.0, -0.25])
    assert joint.body is None  # mass 3.0 is a constant


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("0_j_1", "0_j_2"), "the method writes the one joint '0_j_1'"),
        (('"revolute"', '"continuous"'), "it is not a turn or slide with two limits"),
        (('type="revolute"', 'type="floating"'), "thing/out.urdf: joint '0_j_1'"),
        (('lower="-0.5"', 'lower="nan"'), "thing/out.urdf: joint '0_j_1'"),
        (("</robot>", ""), "thing/out.urdf: the file is not well-formed XML"),
    ],
)
def test_another_urdf_is_a_sentence(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    files = {"out.urdf": URDF.replace(*change).encode()}
    assert said in refusal(tmp_path, files, "ditto")


def test_meshes_are_the_links(tmp_path: Path) -> None:
    mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    triangles = read_files(tmp_path, quant() | {"mobile.obj": mesh}).triangles()
    assert {link: t.shape for link, t in triangles.items()} == {"1": (1, 3, 3)}


@given(trees())
def test_the_main_joint_comes_back(tree: KinematicTree) -> None:
    assume(tree.movable)
    trip = brought_back("ditto", tree)
    # Numbers are float32: relative errors of 2^-24 (6e-8), of places to 4 m and angles to pi, and
    # the scale repeats that of a place.
    require_same_motion(trip.back, trip.kept, 1e-6)
    (kept,) = trip.kept.joints
    assert 0.0 in kept.limits and max(map(abs, kept.limits)) <= math.pi
    assert trip.prediction.notes == (CHANGE_NOTE,)
    assert trip.written.files == write(trip.kept, setting_of(tree)).files  # the same bytes twice


def test_an_object_without_a_joint_is_a_sentence() -> None:
    still = KinematicTree("thing", ("base",), ())
    with pytest.raises(ArenaError, match="thing has no joint that moves; Ditto needs one"):
        keep_expressible(still, setting_of(still))


@pytest.mark.parametrize(
    ("output", "data", "said"),
    [
        ({"joint_type": 2}, {}, "array 'output', field `joint_type`: it is not 0 (revolute) or 1"),
        ({"joint_type": True}, {}, "field `joint_type`: it is not 0 (revolute) or 1"),
        ({"config": None}, {}, "field `config`: it is not 1 finite numbers"),
        ({"config": np.float32("nan")}, {}, "field `config`: it is not 1 finite numbers"),
        ({"config": 10**400}, {}, "field `config`: it is not 1 finite numbers"),
        ({"joint_axis": np.zeros(3)}, {}, "joint '0_j_1', field `axis`: the axis is zero"),
        ({"joint_axis": np.full(3, np.inf)}, {}, "field `joint_axis`: it is not 3 finite numbers"),
        ({"pivot_point": np.zeros(4)}, {}, "field `pivot_point`: it is not 3 finite numbers"),
        ({"pivot_point": [0, 0, 0]}, {}, "field `pivot_point`: it is not 3 finite numbers"),
        ({}, {"scale": 0.0}, "array 'data', field `scale`: 0.0 is not positive"),
        ({}, {"scale": "2"}, "field `scale`: it is not 1 finite numbers"),
        ({}, {"center": np.float32(1)}, "field `center`: it is not 3 finite numbers"),
    ],
)
def test_a_broken_value_is_a_sentence(tmp_path: Path, output: dict, data: dict, said: str) -> None:
    sentence = refusal(tmp_path, quant(output, data))
    assert said in sentence
    assert OBJECT_ID in sentence


class Bomb:
    def __init__(self, victim: Path):
        self.victim = str(victim)

    def __reduce__(self) -> Any:
        return os.mkdir, (self.victim,)


@pytest.mark.parametrize("name", ["eval", "output", "data"])
def test_a_pickle_never_runs(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    bomb = np.empty((), dtype=object)
    bomb[()] = Bomb(victim)
    files = quant(arrays={name: bomb})
    if name == "eval":
        read_files(tmp_path / "predictions", files)
    else:
        said = refusal(tmp_path / "predictions", files)
        assert "quant.npz: it names 'posix.mkdir', which is not plain data; it was not run" in said
    assert not victim.exists()


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"output": np.zeros(3)}, "array 'output' holds plain numbers, not Python objects"),
        ({"output": np.array([{}, {}])}, "array 'output' does not hold one dict"),
        ({"data": np.array([[1], {}], dtype=object)}, "array 'data' does not hold one dict"),
    ],
)
def test_another_array_is_a_sentence(tmp_path: Path, arrays: dict, said: str) -> None:
    assert said in refusal(tmp_path, quant(arrays=arrays))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "cut off"),
        (quant()["quant.npz"][:-30], "cut off"),
        (quant()["quant.npz"].replace(b"output.npy", b"outpub.npy"), "array 'output' is missing"),
        (quant({"x": np.zeros(1_000_000)})["quant.npz"], "unpacks to more than 4,000,000 bytes"),
        (b"PK\3\4" + bytes(4_000_000), "more than 4,000,000 bytes"),
    ],
)
def test_a_hostile_archive_is_a_sentence(tmp_path: Path, data: bytes, said: str) -> None:
    assert said in refusal(tmp_path, {"quant.npz": data})


def test_the_archive_is_part_of_the_digest(tmp_path: Path) -> None:
    digests = set()
    for number, config in enumerate((0.5, 0.25)):
        folder = tmp_path / str(number)
        read_files(folder, quant({"config": np.float32(config)}))
        digests.add(prediction_digest(folder, [OBJECT_ID]))
    assert len(digests) == 2
