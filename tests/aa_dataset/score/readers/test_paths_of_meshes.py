# SPDX-License-Identifier: Apache-2.0
"""Links and names that lead out of a prediction are not followed by readers of several files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder import PredictionFolder
from tests.kit.round_trip import OBJECT_ID, put_files

SECRET = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
PHYSX = {"basic_info.json": json.dumps({"group_info": {"0": [4]}}).encode()}


def linked(folder: Path, name: str, target: Path) -> None:
    path = folder / OBJECT_ID / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize("name", ["../secret.obj", "/etc/hostname", "a/../../secret.obj"])
@pytest.mark.parametrize("robot", ["basic.urdf", "generated.urdf"])
def test_meshes_of_a_urdf_stay_inside(tmp_path, robot, name):
    (tmp_path / "secret.obj").write_bytes(SECRET)
    first = '<joint name="j" type="fixed"><parent link="base"/><child link="link_0"/></joint>'
    shown = f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
    text = (
        '<robot name="generated_robot"><link name="base"/><link name="l_world"/>'
        f'<link name="link_0">{shown}</link>{first}'
        '<joint name="w" type="fixed"><parent link="link_0"/><child link="l_world"/></joint>'
        "</robot>"
    )
    put_files(tmp_path / "all" / OBJECT_ID, {robot: text.encode()})
    prediction = PredictionFolder(tmp_path / "all").prediction(OBJECT_ID)
    with pytest.raises(PredictionError, match="outside the prediction"):
        prediction.triangles()


def test_a_mesh_that_is_a_link_is_not_read(tmp_path):
    (tmp_path / "secret.obj").write_bytes(SECRET)
    put_files(tmp_path / "all" / OBJECT_ID, PHYSX)
    linked(tmp_path / "all", "objs/4/4.obj", tmp_path / "secret.obj")
    assert PredictionFolder(tmp_path / "all").prediction(OBJECT_ID).triangles() == {}


@pytest.mark.parametrize("name", ["eval/pred.npz", "pred.py", "generated.urdf", "answer.json"])
def test_a_prediction_that_is_a_link_is_claimed_by_nobody(tmp_path, name):
    (tmp_path / "secret").write_bytes(b'"pred_answers child_joints generated_robot')
    put_files(tmp_path / "all" / OBJECT_ID, {"readme.txt": b"hello"})
    linked(tmp_path / "all", name, tmp_path / "secret")
    with pytest.raises(PredictionError):
        PredictionFolder(tmp_path / "all").prediction(OBJECT_ID)
    put_files(tmp_path / "all" / OBJECT_ID, PHYSX)  # what else is there can be read
    assert PredictionFolder(tmp_path / "all").format(OBJECT_ID)[0] == "physx_anything"
