# SPDX-License-Identifier: Apache-2.0
"""Layouts of a folder of predictions, `joints.json`, and limits that a prediction leaves out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource
from aa_dataset.kinematics.joints_file import write_joints
from aa_dataset.kinematics.urdf_writer import write_urdf
from aa_dataset.score.budgets import JSON, MOST_JOINTS, MOST_LINKS, PredictionError
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from tests.kit.score_rows import object_row, objects, values

VICTIM = "generated-lamp"


@pytest.fixture(scope="module")
def dataset(pristine_library):
    return load_dataset(pristine_library, split="eval200", verbose=False)


def hinge(name: str = "hinge", count: int = 1) -> KinematicTree:
    joints = [
        Joint(f"{name}{k}", "revolute", [0, 0, 1], [0, 0, 0], 0, 1, 0.0, "a", f"b{k}")
        for k in range(count)
    ]
    return KinematicTree("t", ("a", *(f"b{k}" for k in range(count))), tuple(joints))


def put(folder: Path, name: str, data: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def read(folder: Path) -> KinematicTree:
    return open_predictions(folder).tree("x")


def refused(folder: Path) -> str:
    predictions = open_predictions(folder)
    assert predictions.has("x")
    with pytest.raises(PredictionError) as caught:
        predictions.tree("x")
    assert str(caught.value).endswith(".")
    return str(caught.value)


@pytest.mark.parametrize("name", ["x/object.urdf", "x.urdf", "x/mobility.urdf", "x/joints.json"])
def test_every_layout_is_read_and_anything_beside_it_is_ignored(tmp_path, name):
    put(tmp_path, name, (write_joints if name.endswith("json") else write_urdf)(hinge()))
    put(tmp_path, "x/readme.txt", b"hello") if "/" in name else None
    predictions = open_predictions(tmp_path)
    assert predictions.has("x") and predictions.tree("x").joints[0].name == "hinge0"
    assert predictions.label == f"folder {tmp_path.name}"


@pytest.mark.parametrize("form", ["joints", "urdf"])
def test_the_truth_written_in_either_form_scores_zero(dataset, tmp_path, form):
    for item in dataset:
        if form == "joints":
            put(tmp_path, f"{item.object_id}/joints.json", write_joints(item.tree))
        else:
            put(tmp_path, f"{item.object_id}.urdf", write_urdf(item.tree))
    result = evaluate(dataset, open_predictions(tmp_path))
    assert result.count("scored") == len(result.per_object) == 3
    assert values(result) and max(values(result)) <= 1e-12
    for item in objects(result):
        assert item.e_alpha_phi_tree == pytest.approx(0, abs=1e-12)


def test_a_urdf_beside_joints_json_is_a_second_prediction(tmp_path):
    put(tmp_path, "x/object.urdf", write_urdf(hinge()))
    put(tmp_path, "x/joints.json", write_joints(hinge()))
    said = (
        "x: two readers fit, urdf (object.urdf is the only URDF) and joints (it has a "
        "joints.json). Name one with --reader, or keep one prediction only."
    )
    assert refused(tmp_path) == said
    (tmp_path / "x/object.urdf").rename(tmp_path / "x/other.urdf")
    assert refused(tmp_path) == said.replace("object.urdf", "other.urdf")


def test_two_places_are_two_predictions(tmp_path):
    put(tmp_path, "x.urdf", write_urdf(hinge()))
    put(tmp_path, "x/joints.json", write_joints(hinge()))
    assert refused(tmp_path).startswith("x and x.urdf are two predictions of one object.")


def test_a_folder_without_any_prediction_is_named(tmp_path):
    put(tmp_path, "x/result.json", write_joints(hinge()))
    said = "x/: expected object.urdf, a single *.urdf or joints.json, found none of them."
    assert refused(tmp_path) == said


@pytest.mark.parametrize("target", ["truth", "/proc/self/environ", "/dev/zero", "nothing"])
def test_no_link_to_joints_json_is_followed(tmp_path, target):
    put(tmp_path, "truth/joints.json", write_joints(hinge()))
    folder = tmp_path / "predictions"
    (folder / "x").mkdir(parents=True)
    place = str(tmp_path / "truth/joints.json") if target == "truth" else target
    (folder / "x/joints.json").symlink_to(place)
    assert refused(folder).startswith("x/joints.json is a symbolic link, which is not followed.")
    (folder / "x/joints.json").unlink()
    (folder / "x").rmdir()
    (folder / "x").symlink_to(tmp_path / "truth" if target == "truth" else target)
    assert refused(folder).startswith("x is a symbolic link, which is not followed.")


def test_a_pipe_is_not_opened(tmp_path):
    (tmp_path / "x").mkdir()
    os.mkfifo(tmp_path / "x/joints.json")
    assert refused(tmp_path).startswith("x/joints.json is not a regular file")
    (tmp_path / "x/joints.json").unlink()
    (tmp_path / "x/joints.json").mkdir()
    assert refused(tmp_path).startswith("x/joints.json is not a regular file")


@pytest.mark.parametrize(
    "name", ["../truth", "../truth/joints.json", "x/../../truth", "/etc", ".."]
)
def test_an_object_id_leads_nowhere_outside_of_the_folder(tmp_path, name):
    put(tmp_path, "truth/joints.json", write_joints(hinge()))
    (tmp_path / "predictions/x").mkdir(parents=True)
    predictions = open_predictions(tmp_path / "predictions")
    assert not predictions.has(name)


def edited(**changes: object) -> bytes:
    document = json.loads(write_joints(hinge()))
    document["joints"][0] |= changes
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (edited(axis=[0, 0, 0]), "joint 'hinge0', field `axis`: it is zero"),
        (edited(limits=[0, "1"]), "joint 'hinge0', field `limits`: '1' is not a finite number."),
        (edited(limits=[0, 1e99]), "beyond 1e+70"),
        (edited(origin=[1e99, 0, 0]), "beyond 1e+70"),
        (edited(name="n" * 300), "has 300 characters; at most 256 are read"),
        (edited(mass=1), "the field 'mass' has no meaning here"),
        (write_joints(hinge()).replace(b"1.0]", b"1e400]"), "which is not a finite number"),
        (write_joints(hinge()).replace(b"1.0]", b"NaN]"), "NaN, which is not JSON"),
        (write_joints(hinge()).decode().encode("utf-16"), "it is not UTF-8"),
        (b"[" * 1_000_000, "more than 400,000 values"),
        (b" " * (JSON.max_bytes + 1), "more than 32,000,000 bytes"),
        (lambda: write_joints(hinge(count=MOST_LINKS)), f"has {MOST_LINKS + 1:,} links; at most"),
        (lambda: write_joints(hinge(count=MOST_JOINTS + 1)), f"{MOST_JOINTS + 1:,} movable joints"),
    ],
)
def test_hostile_files_cost_a_row_with_joint_and_field(dataset, tmp_path, data, words):
    put(tmp_path, f"{VICTIM}/joints.json", data if isinstance(data, bytes) else data())
    result = evaluate(dataset, open_predictions(tmp_path))
    item = object_row(result, VICTIM)
    assert item.status == "unreadable" and words in item.detail


def test_an_error_names_the_file(tmp_path):
    put(tmp_path, "x/joints.json", edited(type="ball"))
    assert refused(tmp_path).startswith("x/joints.json: joint 'hinge0', field `type`: it is 'ball'")


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("limit", ["", '<limit effort="1" velocity="1"/>'])
def test_a_urdf_without_limits_says_so_and_moves(dataset, tmp_path, kind, limit):
    """It was a wheel without `<limit>`, and welded with `<limit effort velocity>`."""
    document = (
        f'<robot><link name="a"/><link name="b"/><joint name="j" type="{kind}"><parent link="a"/>'
        f'<child link="b"/><axis xyz="0 0 1"/>{limit}</joint></robot>'
    )
    put(tmp_path, "x.urdf", document.encode())
    joint = read(tmp_path).joint("j")
    assert (joint.type, joint.limit_source) == (JointType(kind), LimitSource.ABSENT)
    (tmp_path / "x.urdf").rename(tmp_path / f"{VICTIM}.urdf")
    result = evaluate(dataset, open_predictions(tmp_path))
    item = object_row(result, VICTIM)
    assert (item.status, item.predicted) == ("scored", 1)
